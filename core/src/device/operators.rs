//! Resolves operators of the user's types to marked functions.

use super::composing::{Composing, KnownFunction};
use super::functions::{methods, trait_of};
use super::queries;
use super::words::words;
use forall_contract::{Literal, Struct, Taken, Type};

/// Operators, by the names of their methods.
const OPERATORS: [&str; 11] = ["eq", "add", "sub", "mul", "div", "rem", "neg", "not", "bitand", "bitor", "bitxor"];

impl Composing {
    /// The result type of an operator for these operand types, and its function, unless they are numbers.
    pub(super) fn between(&mut self, name: &str, [left, right]: [Type; 2]) -> Result<(Type, Option<usize>), String> {
        if ![left, right].iter().any(|ty| matches!(ty, Type::Struct(_) | Type::Array(..))) {
            return match left == right {
                true => Ok((left, None)),
                false => Err(format!("`{name}` of `{left}` and `{right}` was taken for one of numbers or structs")),
            };
        }
        let all = self.of_traits(name, left)?;
        let takes = |function: &KnownFunction| {
            queries::operands(&function.signature) == Some([left, right].map(|ty| ty.to_string()))
        };
        let fitting: Vec<usize> = all.into_iter().filter(|callee| self.known(*callee).is_some_and(takes)).collect();
        let of_trait = trait_of(name);
        match fitting[..] {
            [callee] => {
                let result =
                    if name.ends_with("_assign") { Some(left) } else { self.known(callee).and_then(|f| f.result) };
                let result = result.ok_or(format!("`{name}` of `{left}` and `{right}` gives what is not one value"))?;
                Ok((result, Some(callee)))
            }
            [] => Err(format!(
                "`{name}` of `{left}` and `{right}` is not marked: put `#[forall::device]` above the `impl {of_trait}<{right}> \
                 for {left}`"
            )),
            _ => Err(format!(
                "`{name}` of `{left}` and `{right}` is marked several times, as of values and of references: mark one of them"
            )),
        }
    }

    /// The type of a literal as the other operand of a value.
    pub(super) fn operand(&mut self, name: &str, other: Type, side: usize, taken: Taken) -> Result<Type, String> {
        if !matches!(other, Type::Struct(_) | Type::Array(..)) {
            return Ok(other);
        }
        let candidates: &[Type] = match taken {
            Taken::Kind(Literal::Float) => &[Type::F32, Type::F64],
            _ => &queries::INTEGERS,
        };
        let mut found = Vec::new();
        for &ty in candidates {
            let owner = if side == 0 { ty } else { other };
            for callee in self.of_traits(name, owner)? {
                let sides = self.known(callee).and_then(|function| queries::operands(&function.signature));
                let wanted = if side == 0 { [ty, other] } else { [other, ty] };
                if sides == Some(wanted.map(|ty| ty.to_string())) && !found.contains(&ty) {
                    found.push(ty);
                }
            }
        }
        match (&found[..], side) {
            ([one], _) => Ok(*one),
            ([], 0) => Err(format!(
                "`{name}` of a number and `{other}` is not marked: put `#[forall::device]` above the `impl` that has it"
            )),
            ([], _) => Err(format!(
                "`{name}` of `{other}` and a number is not marked: put `#[forall::device]` above the `impl` that has it"
            )),
            _ => Err(format!(
                "`{name}` of `{other}` takes several kinds of numbers: write `2.0_f32` or `2_i32`, with its type"
            )),
        }
    }

    /// The marked functions that may implement an operator of a type.
    pub(super) fn of_traits(&mut self, name: &str, owner: Type) -> Result<Vec<usize>, String> {
        let of_trait = trait_of(name);
        let all = methods(name, owner).into_iter().filter(|function| function.of_trait == Some(&*of_trait));
        all.map(|function| self.function(function)).collect()
    }

    /// Replaces operators of structs in a text by their functions. The text adds values of unknown types by `fa_add_TYPE`.
    pub(super) fn operators(&mut self, source: &str, answers: &[Type]) -> Result<String, String> {
        let owns = |ty: &Type| matches!(ty, Type::Struct(_) | Type::Array(..));
        let mut owners: Vec<Type> = answers.iter().copied().filter(owns).collect();
        owners.dedup();
        let mut failed = None;
        let text = words(source, |word, _| {
            let operator = word.strip_prefix("fa_")?;
            // An enum becomes a number.
            if let Some(cast) = operator.strip_prefix("cast_") {
                let of = |owner: &&Type| matches!(owner, Type::Struct(of) if of.variants.is_some());
                for owner in owners.iter().filter(of) {
                    if let Some(to) = cast.strip_prefix(&owner.word()).and_then(|rest| rest.strip_prefix('_')) {
                        self.declared.number(*owner, to);
                    }
                }
                return None;
            }
            let found = owners.iter().filter_map(|owner| {
                let operator = operator.strip_suffix(&owner.word())?.strip_suffix('_')?;
                Some((operator, *owner))
            });
            let (operator, owner) = found.min_by_key(|(operator, _)| operator.len())?;
            if matches!(operator, "struct" | "held" | "hold" | "take" | "hold_in" | "take_in") {
                return None;
            }
            let function = match owner {
                Type::Struct(Struct { variants: Some(_), .. }) | Type::Array(..) if operator == "eq" => {
                    self.declared.compare(owner).map(|()| None)
                }
                // The user's own method takes precedence.
                _ if matches!(operator, "lt" | "le" | "gt" | "ge")
                    || matches!(operator, "cmp" | "comparable" | "min" | "max")
                        && methods(operator, owner).is_empty() =>
                {
                    self.declared.order(owner).map(|()| None)
                }
                Type::Array(..) => Err(format!("`{operator}` of `{owner}` is nothing that a device has")),
                _ => self.operator(operator, owner).map(|number| Some(format!("fa_fn_{number}"))),
            };
            function.unwrap_or_else(|error| {
                failed.get_or_insert(error);
                None
            })
        });
        failed.map_or(Ok(text), Err)
    }

    /// The number of the function for an operator of a struct, or for a method that numbers have too.
    pub(super) fn operator(&mut self, operator: &str, owner: Type) -> Result<usize, String> {
        let assigns = operator.ends_with("_assign");
        let of_trait = |name: &str| name == trait_of(operator);
        let all = methods(operator, owner);
        let is_operator = OPERATORS.contains(&operator.trim_end_matches("_assign"));
        let all = all.into_iter().filter(|function| match is_operator {
            true => function.of_trait.is_some_and(of_trait),
            false => function.of_trait.is_none(),
        });
        let mut signatures = Vec::new();
        for function in all {
            let callee = self.function(function)?;
            let signature = self.known(callee).map_or("", |function| &function.signature);
            // Its only parameters are such values, as for numbers.
            let fits = match assigns {
                true => signature == format!("fn(&mut {owner}, {owner}) -> ()"),
                false if operator == "eq" => signature == format!("fn({owner}, {owner}) -> bool"),
                false => (1..4)
                    .any(|count| signature == format!("fn({}) -> {owner}", vec![owner.to_string(); count].join(", "))),
            };
            if fits {
                return Ok(self.number(callee, Vec::new()));
            }
            signatures.push(format!("`{signature}`"));
        }
        Err(match signatures.is_empty() {
            true if operator == "eq" => format!(
                "`==` of `{owner}` is not marked: write the `impl PartialEq` and put `#[forall::device]` above it, since what is \
                 derived is not seen"
            ),
            true => {
                format!("`{operator}` of `{owner}` is not marked: put `#[forall::device]` above the `impl` that has it")
            }
            false => format!(
                "`{operator}` of `{owner}` was taken for one of such values alone, and is {}: call it by its path",
                signatures.join(", ")
            ),
        })
    }
}
