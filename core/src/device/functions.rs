//! Functions of the author's that loops call: `#[forall::device]`.
//!
//! A loop names what it calls and knows neither its text nor its types: it takes a signature for granted. Which function the
//! name stands for is the compiler's to say: the body hands over each callee's type ([`noted`]), which is its function's
//! alone. Those that are marked are collected over all crates of the program. What is found at the first launch is compared
//! with the signature, and put together to one program.

use super::asks::{self, Declared, differs, resolved};
use super::program::{Array, Ask, Call, Program, Source, Taken};
use super::types::{Struct, Type};
pub use inventory;
use std::any::TypeId;
use std::collections::{BTreeSet, HashMap};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

/// A function in the language of devices.
///
/// Its text defines `fn fa_function(..)`, which takes the parts of its arguments (a tuple is taken apart). It gives back the
/// parts of its result, and then those that each `&mut` argument has in the end: nothing, one value, or a `struct fa_result`
/// with the fields `f0`, `f1`, .. of several. It may call `fa_value_K`, `fa_table_K`, `fa_table_len_K` and `fa_call_K` with
/// numbers of its own, and what every program may call.
///
/// An `Option` is two parts: whether there is a value, and the value.
///
/// A slice is two arguments: the first index, in the array that it is a part of, and how many elements there are. Which array
/// that is, a call says: `fa_call_0<fa_load_2, fa_table_1>(..)` names what loads its elements, for each slice that it hands
/// over. The text of the function calls `fa_load_given_K` and `fa_store_given_K` for the slice `K`, and names them where it
/// hands a part of that on. There is one function for each choice of arrays, since no language of devices has pointers to all
/// of them.
#[derive(Debug)]
pub struct Function {
    /// Its path, for messages.
    pub name: &'static str,
    /// Which function it is.
    pub id: fn() -> TypeId,
    /// Of a method, the type that has it.
    pub owner: fn() -> Option<Type>,
    /// The last name of the trait that it is of.
    pub of_trait: Option<&'static str>,
    /// The types of its parameters and of its result, as a call takes them for granted. Those that it asks for are holes, as
    /// in its source.
    pub signature: &'static str,
    /// Its result, if that is one value, or what may be in an `Option` that is it.
    pub result: Option<Type>,
    /// The author's body, in WGSL.
    pub source: &'static str,
    /// Functions that texts of several bodies may define alike.
    pub helpers: &'static [&'static str],
    /// Constants that it reads.
    pub values: &'static [Constant],
    /// Constant arrays that it reads.
    pub tables: &'static [Constant],
    /// What it calls.
    pub calls: &'static [Call],
    /// Which functions these are.
    pub callees: fn() -> Callees,
    /// The types that it does not know, and those of them that are given.
    pub asks: &'static [Ask],
    /// In the order of the asks.
    pub given: fn() -> Vec<Option<Type>>,
    /// Whether its build checks sums of integers.
    pub overflow: bool,
    /// Whether its body has loops.
    pub loops: bool,
}

/// A constant that a function reads.
#[derive(Debug)]
pub struct Constant {
    /// As it is written.
    pub name: &'static str,
    /// The type that it was taken for; of an array, that of its elements.
    pub ty: Type,
    /// Its type and its bytes.
    pub found: fn() -> Option<(Type, &'static [u8])>,
}

inventory::collect!(Function);

/// For each call in a text its name, as it is written, and which function that is.
pub type Callees = Vec<(&'static str, TypeId)>;

/// The function that a call calls.
#[derive(Debug)]
pub struct Callee<F>(PhantomData<fn() -> F>);

impl<F> Callee<F> {
    /// The one that [`noted`] is given together with this.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Callee(PhantomData)
    }

    /// Which one it is.
    pub fn id(&self) -> TypeId {
        typeid::of::<F>()
    }
}

/// The function itself: the compiler learns that it is the callee.
#[inline(always)]
pub fn noted<F>(_: &Callee<F>, function: F) -> F {
    function
}

/// Which function this is.
pub fn id_of<F>(_: F) -> TypeId {
    typeid::of::<F>()
}

/// A program together with all functions that it calls, and with all types that it asks for. Their values and tables come
/// before its own.
#[derive(Debug)]
pub(crate) struct Composed {
    pub program: Program,
    pub values: Vec<u8>,
    pub tables: Vec<&'static [u8]>,
    pub answers: Vec<Type>,
}

/// The program with its functions and types, or why there is none; made when it is asked for first.
pub(crate) fn composed(
    program: &'static Program,
    overflow: bool,
    callees: Callees,
    given: Vec<Option<Type>>,
) -> &'static Result<Composed, String> {
    type All = HashMap<(usize, bool, Callees, Vec<Option<Type>>), &'static Result<Composed, String>>;
    static MADE: Mutex<Option<All>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    // The functions and the types are the same for as long as the process runs, but for the types of generic functions.
    let made = made.get_or_insert_with(HashMap::new);
    // There is one for each program, or each instance of it in a generic function, and it lives as long as the process.
    made.entry((std::ptr::from_ref(program).addr(), overflow, callees.clone(), given.clone()))
        .or_insert_with(|| Box::leak(Box::new(Composing::new(overflow).program(program, &callees, &given))))
}

/// What is known of a function, and of what it calls.
struct Known {
    name: &'static str,
    signature: String,
    result: Option<Type>,
    /// The types that it asks for.
    asked: Vec<Type>,
    /// Its text, with the types that it asks for, and where its values and tables begin.
    source: String,
    callees: Vec<usize>,
    firsts: [usize; 2],
    loops: bool,
}

struct Composing {
    overflow: bool,
    texts: String,
    /// Whether one of the texts has loops.
    loops: bool,
    helpers: BTreeSet<&'static str>,
    /// By address; nothing while they are being looked at.
    functions: HashMap<usize, Option<Known>>,
    /// The numbers of those that are in the text: by address, and by the arrays that they are given parts of.
    numbers: HashMap<(usize, Vec<String>), usize>,
    declared: Declared,
    types: [Vec<Type>; 2],
    values: Vec<u8>,
    tables: Vec<&'static [u8]>,
}

impl Composing {
    fn new(overflow: bool) -> Self {
        Composing {
            overflow,
            texts: String::new(),
            loops: false,
            helpers: BTreeSet::new(),
            functions: HashMap::new(),
            numbers: HashMap::new(),
            declared: Declared::default(),
            types: [Vec::new(), Vec::new()],
            values: Vec::new(),
            tables: Vec::new(),
        }
    }

    fn program(
        mut self,
        program: &'static Program,
        callees: &Callees,
        given: &[Option<Type>],
    ) -> Result<Composed, String> {
        let (callees, answers) = self.answers(program.calls, callees, program.asks, given)?;
        let [values, tables] = [self.types[0].len(), self.types[1].len()];
        let source = self.filled(program.source, program.asks, &answers)?;
        let source = self.renamed(&source, &callees, [values, tables], &[]);
        let types = |ours: &[Type], more: &[Type]| -> Vec<Type> {
            ours.iter().copied().chain(more.iter().map(|ty| resolved(*ty, &answers))).collect()
        };
        let arrays: Vec<Array> =
            program.arrays.iter().map(|array| Array { element: resolved(array.element, &answers), ..*array }).collect();
        let [values, tables, state, pushes] = [
            types(&self.types[0], program.values),
            types(&self.types[1], program.tables),
            types(&[], program.state),
            types(&[], program.pushes),
        ];
        let elements = arrays.iter().map(|array| array.element);
        for ty in
            elements.chain([&values, &tables, &state, &pushes].into_iter().flatten().copied()).chain(answers.clone())
        {
            self.declared.add(ty)?;
        }
        let helpers = self.helpers.iter().filter(|helper| !source.contains(**helper));
        let helpers: String = helpers.map(|helper| format!("{helper}\n")).collect();
        let source = self.declared.text() + &helpers + &self.texts + &source;
        let program = Program {
            source: source.leak(),
            arrays: arrays.leak(),
            values: values.leak(),
            tables: tables.leak(),
            state: state.leak(),
            pushes: pushes.leak(),
            calls: &[],
            asks: &[],
            loops: program.loops || self.loops,
            ..*program
        };
        Ok(Composed { program, values: self.values, tables: self.tables, answers })
    }

    /// The addresses of what a text calls, and the types that it asks for.
    fn answers(
        &mut self,
        calls: &[Call],
        callees: &Callees,
        asks: &[Ask],
        given: &[Option<Type>],
    ) -> Result<(Vec<usize>, Vec<Type>), String> {
        // What a call gives tells the type of whose method another one calls.
        let answers = asks::answers(asks, given, &mut |ask, answers| match &ask.source {
            Source::Result(call) => {
                let callee = self.callee(&calls[*call], callees, answers)?;
                Ok(self.known(callee).and_then(|function| function.result))
            }
            Source::Number(call, argument, part) => {
                let callee = self.callee(&calls[*call], callees, answers)?;
                Ok(self
                    .known(callee)
                    .and_then(|function| asks::number(&function.signature, &function.asked, *argument, *part)))
            }
            Source::Operator(name, left, right) => {
                let sides = [left, right].map(|side| resolved(*side, answers));
                Ok(Some(self.between(name, sides)?.0))
            }
            Source::Operand(name, other, side) => {
                self.operand(name, resolved(*other, answers), *side, ask.taken).map(Some)
            }
            _ => Ok(None),
        })?;
        let mut called = Vec::new();
        for call in calls {
            let callee = self.callee(call, callees, &answers)?;
            let Call { name, line, signature, .. } = call;
            let taken = asks::signature(signature, &answers);
            if let Some(is) = self.known(callee).map(|function| &function.signature).filter(|is| **is != taken) {
                return Err(format!(
                    "`{name}` (line {line}) was taken for `{taken}`, and is `{is}`: write the types there, of literals too, as in \
                     `let v: u32 = {name}(1_u32);`",
                ));
            }
            called.push(callee);
        }
        Ok((called, answers))
    }

    fn known(&self, callee: usize) -> Option<&Known> {
        self.functions.get(&callee)?.as_ref()
    }

    fn callee(&mut self, call: &Call, callees: &Callees, answers: &[Type]) -> Result<usize, String> {
        let Call { name, line, method, .. } = call;
        if let Some(owner) = method {
            return self.method(call, resolved(*owner, answers));
        }
        let mut ids = callees.iter().filter(|(callee, _)| callee == name).map(|(_, id)| *id);
        let Some(id) = ids.next() else {
            return Err(format!("calls `{name}` (line {line}) where it is not seen which function that is"));
        };
        if ids.any(|other| other != id) {
            return Err(format!(
                "calls `{name}` (line {line}), which stands for several functions, or for several instances of a generic one"
            ));
        }
        let Some(function) = inventory::iter::<Function>().find(|function| (function.id)() == id) else {
            return Err(format!("calls `{name}` (line {line}), which is not marked: put `#[forall::device]` above it"));
        };
        self.function(function)
    }

    /// The method that a call names: one of the type's own comes before those of traits.
    fn method(&mut self, Call { name, line, .. }: &Call, owner: Type) -> Result<usize, String> {
        let (own, of_traits): (Vec<_>, Vec<_>) =
            methods(name, owner).into_iter().partition(|function| function.of_trait.is_none());
        match (&own[..], &of_traits[..]) {
            ([function], _) | ([], [function]) => self.function(function),
            ([], []) => Err(format!(
                "calls the method `{name}` of `{owner}` (line {line}), which is not marked: put `#[forall::device]` above the \
                 `impl` that has it"
            )),
            _ => Err(format!(
                "calls `{name}` of `{owner}` (line {line}), of which there are several: call it by its path"
            )),
        }
    }

    /// A text with its types and operators.
    fn filled(&mut self, source: &'static str, asks: &[Ask], answers: &[Type]) -> Result<String, String> {
        let mut text = source.to_owned();
        for (number, ask) in asks.iter().enumerate() {
            let hole = format!("${number}:operator$");
            if let (Source::Operator(name, left, right), true) = (ask.source, text.contains(&hole)) {
                let (_, callee) = self.between(name, [left, right].map(|side| resolved(side, answers)))?;
                let function = match callee {
                    Some(callee) => format!("fn_{}", self.number(callee, Vec::new())),
                    None => format!("{name}_{}", resolved(left, answers).word()),
                };
                text = text.replace(&hole, &function);
            }
        }
        let text = self.declared.filled(&text, answers)?;
        self.operators(&text, answers)
    }

    /// What an operator gives between values of these types, and the function that it is, unless they are numbers.
    fn between(&mut self, name: &str, [left, right]: [Type; 2]) -> Result<(Type, Option<usize>), String> {
        if ![left, right].iter().any(|ty| matches!(ty, Type::Struct(_) | Type::Array(..))) {
            return match left == right {
                true => Ok((left, None)),
                false => Err(format!("`{name}` of `{left}` and `{right}` was taken for one of numbers or structs")),
            };
        }
        let all = self.of_traits(name, left)?;
        let takes =
            |function: &Known| asks::operands(&function.signature) == Some([left, right].map(|ty| ty.to_string()));
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

    /// The type of a literal beside a value of a type.
    fn operand(&mut self, name: &str, other: Type, side: usize, taken: Taken) -> Result<Type, String> {
        if !matches!(other, Type::Struct(_) | Type::Array(..)) {
            return Ok(other);
        }
        let candidates: &[Type] = match taken {
            Taken::Float => &[Type::F32, Type::F64],
            _ => &asks::INTEGERS,
        };
        let mut found = Vec::new();
        for &ty in candidates {
            let owner = if side == 0 { ty } else { other };
            for callee in self.of_traits(name, owner)? {
                let sides = self.known(callee).and_then(|function| asks::operands(&function.signature));
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

    /// The marked functions that an operator of a type may be.
    fn of_traits(&mut self, name: &str, owner: Type) -> Result<Vec<usize>, String> {
        let of_trait = trait_of(name);
        let all = methods(name, owner).into_iter().filter(|function| function.of_trait == Some(&*of_trait));
        all.map(|function| self.function(function)).collect()
    }

    /// A text in which operators of structs are the functions that the author has given them: what may be a number is added
    /// by `fa_add_TYPE` where its type is not known before.
    fn operators(&mut self, source: &str, answers: &[Type]) -> Result<String, String> {
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
                // The author's own method comes first.
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

    /// The number of the function that an operator of a struct stands for, or a method that numbers have too.
    fn operator(&mut self, operator: &str, owner: Type) -> Result<usize, String> {
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
            // It takes such values alone, as it does where they are numbers.
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

    /// Looks at a function and at all that it calls, once.
    fn function(&mut self, function: &'static Function) -> Result<usize, String> {
        let name = function.name;
        let address = std::ptr::from_ref(function).addr();
        match self.functions.get(&address) {
            Some(Some(_)) => return Ok(address),
            Some(None) => return Err(format!("`{name}` calls itself, which a device cannot do: write a loop")),
            None => _ = self.functions.insert(address, None),
        }
        if function.overflow != self.overflow {
            return Err(format!("`{name}` is built with other checks of overflow than the loop that calls it"));
        }
        let (callees, answers) = self
            .answers(function.calls, &(function.callees)(), function.asks, &(function.given)())
            .map_err(|error| format!("`{name}`: {error}"))?;
        for ty in &answers {
            self.declared.add(*ty)?;
        }
        let firsts = [self.types[0].len(), self.types[1].len()];
        for (kind, constants) in [function.values, function.tables].into_iter().enumerate() {
            for constant in constants {
                let (ty, bytes) = match (constant.found)() {
                    Some((ty, bytes)) if asks::is(constant.ty, &answers, ty) => (ty, bytes),
                    found => {
                        let expected = resolved(constant.ty, &answers);
                        return Err(differs(constant.name, expected, found.map(|(ty, _)| ty)));
                    }
                };
                self.declared.add(ty)?;
                self.types[kind].push(ty);
                match kind {
                    0 => self.values.extend_from_slice(bytes),
                    _ => self.tables.push(bytes),
                }
            }
        }
        self.helpers.extend(function.helpers);
        let source =
            self.filled(function.source, function.asks, &answers).map_err(|error| format!("`{name}`: {error}"))?;
        let known = Known {
            name,
            signature: asks::signature(function.signature, &answers),
            result: function.result.map(|ty| resolved(ty, &answers)),
            asked: answers,
            source,
            callees,
            firsts,
            loops: function.loops,
        };
        self.functions.insert(address, Some(known));
        Ok(address)
    }

    /// The number of a function that is given parts of these arrays: it is put into the text once.
    fn number(&mut self, callee: usize, given: Vec<String>) -> usize {
        if let Some(number) = self.numbers.get(&(callee, given.clone())) {
            return *number;
        }
        let Some(Some(Known { name, source, callees, firsts, loops, .. })) = self.functions.get(&callee) else {
            return 0;
        };
        let (name, source, callees, firsts) = (*name, source.clone(), callees.clone(), *firsts);
        self.loops |= *loops;
        // What it calls comes before it.
        let source = self.renamed(&source, &callees, firsts, &given);
        let number = self.numbers.len();
        let source = words(&source, |word, _| match word {
            "fa_function" => Some(format!("fa_fn_{number}")),
            "fa_result" => Some(format!("fa_result_{number}")),
            _ => None,
        });
        let arrays = if given.is_empty() { String::new() } else { format!(" of {}", given.join(", ")) };
        self.texts.push_str(&format!("// {name}{arrays}\n{source}\n"));
        self.numbers.insert((callee, given), number);
        number
    }

    /// A text with the names that it has in the whole: of its values and tables, of the arrays that it is given parts of, and
    /// of what it calls.
    fn renamed(&mut self, source: &str, callees: &[usize], [values, tables]: [usize; 2], given: &[String]) -> String {
        let number = |word: &str, stem: &str| word.strip_prefix(stem).and_then(|number| number.parse::<usize>().ok());
        let array = |word: &str, stem| given.get(number(word, stem)?);
        let source = words(source, |word, _| {
            if let Some(load) = array(word, "fa_load_given_") {
                return Some(load.clone());
            }
            if let Some(load) = array(word, "fa_store_given_") {
                return Some(load.replacen("load", "store", 1));
            }
            let stems = [("fa_value_", values), ("fa_table_", tables), ("fa_table_len_", tables)];
            stems.iter().find_map(|(stem, first)| Some(format!("{stem}{}", first + number(word, stem)?)))
        });
        words(&source, |word, after| {
            // Comments name calls too.
            let callee = *callees.get(number(word, "fa_call_")?).filter(|_| after.starts_with(['(', '<']))?;
            let given = after.strip_prefix('<').and_then(|after| after.split_once('>')).map(|(given, _)| given);
            let given = given.into_iter().flat_map(|given| given.split(", ")).map(str::to_owned);
            Some(format!("fa_fn_{}", self.number(callee, given.collect())))
        })
    }
}

/// Operators, by the names of their methods.
const OPERATORS: [&str; 11] = ["eq", "add", "sub", "mul", "div", "rem", "neg", "not", "bitand", "bitor", "bitxor"];

/// The trait of an operator: `AddAssign` has `add_assign`.
fn trait_of(name: &str) -> String {
    if name == "eq" {
        return "PartialEq".to_owned();
    }
    let word = |word: &str| match word {
        "bitand" => "BitAnd".to_owned(),
        "bitor" => "BitOr".to_owned(),
        "bitxor" => "BitXor".to_owned(),
        plain => plain[..1].to_uppercase() + &plain[1..],
    };
    name.split('_').map(word).collect()
}

/// The marked methods of a type that have this name.
fn methods(name: &str, owner: Type) -> Vec<&'static Function> {
    let named = inventory::iter::<Function>().filter(|function| function.name.rsplit("::").next() == Some(name));
    named.filter(|function| (function.owner)() == Some(owner)).collect()
}

/// A text with other words: each is asked for, with what follows it. The arrays that a call names go with the function's name.
fn words(source: &str, mut other: impl FnMut(&str, &str) -> Option<String>) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = source;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, mut after) = rest.split_at(end);
        match other(word, after) {
            Some(other) => {
                text.push_str(&other);
                if word.starts_with("fa_call_") && after.starts_with('<') {
                    after = after.split_once('>').map_or(after, |(_, after)| after);
                }
            }
            None => text.push_str(word),
        }
        let next = after.find(is_word).unwrap_or(after.len());
        text.push_str(&after[..next]);
        rest = &after[next..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halved() {}
    fn quarter() {}
    fn again() {}
    fn checked() {}
    fn long() {}
    fn unmarked() {}
    fn sum() {}
    fn turned() {}

    const PLAIN: Function = Function {
        name: "halved",
        id: || id_of(halved),
        owner: || None,
        of_trait: None,
        signature: "fn(f32) -> f32",
        result: Some(Type::F32),
        source: "",
        helpers: &["fn fa_at() {}\n"],
        values: &[],
        tables: &[],
        calls: &[],
        callees: Vec::new,
        asks: &[],
        given: Vec::new,
        overflow: true,
        loops: false,
    };

    inventory::submit! {
        Function {
            source: "fn fa_function(a: f32) -> f32 { return a / fa_value_0(); }\n",
            values: &[Constant { name: "TWO", ty: Type::F32, found: || Some((Type::F32, &[0, 0, 0, 64])) }],
            ..PLAIN
        }
    }
    inventory::submit! {
        Function {
            name: "quarter",
            id: || id_of(quarter),
            source: "fn fa_function(a: f32) -> f32 { return fa_call_0(fa_call_1(a)) * fa_value_0(); }\n",
            values: &[Constant { name: "ONE", ty: Type::I32, found: || Some((Type::I32, &[1, 0, 0, 0])) }],
            calls: &[CALL, CALL],
            callees: || vec![("callee", id_of(halved)); 2],
            ..PLAIN
        }
    }
    inventory::submit! {
        Function { name: "again", id: || id_of(again), calls: &[CALL], callees: || vec![("callee", id_of(again))], ..PLAIN }
    }
    inventory::submit! {
        Function { name: "checked", id: || id_of(checked), overflow: false, ..PLAIN }
    }
    inventory::submit! {
        Function {
            name: "long",
            id: || id_of(long),
            values: &[Constant { name: "LONG", ty: Type::F32, found: || Some((Type::F64, &[0; 8])) }],
            ..PLAIN
        }
    }

    inventory::submit! {
        Function {
            name: "sum",
            id: || id_of(sum),
            signature: "fn([f32], [f32])",
            source: "fn fa_function(a0: u32, a1: u32, a2: u32, a3: u32) { fa_store_given_1(a2, fa_load_given_0(a0)); }\n",
            tables: &[Constant { name: "T", ty: Type::F32, found: || Some((Type::F32, &[])) }],
            ..PLAIN
        }
    }
    inventory::submit! {
        Function {
            name: "turned",
            id: || id_of(turned),
            signature: "fn([f32], [f32])",
            source: "fn fa_function(a0: u32, a1: u32, a2: u32, a3: u32) { \
                     fa_call_0<fa_load_given_1, fa_load_given_0>(a2, a3, a0, a1); fa_call_0<fa_table_0, fa_load_given_0>(a0); }\n",
            tables: &[Constant { name: "U", ty: Type::F32, found: || Some((Type::F32, &[])) }],
            calls: &[SLICES],
            callees: || vec![("callee", id_of(sum))],
            ..PLAIN
        }
    }

    const SLICES: Call = Call { signature: "fn([f32], [f32])", ..CALL };

    const CALL: Call = Call { name: "callee", line: 3, method: None, signature: "fn(f32) -> f32" };

    const PROGRAM: Program = Program {
        name: "test",
        source: "fn fa_iteration(p: u32) { let a = fa_call_0(fa_value_0()); let b = fa_table_len_0(); }",
        values: &[Type::F32],
        tables: &[Type::U8],
        ..Program::EMPTY
    };

    fn made(call: Call, callees: &[TypeId]) -> Result<Composed, String> {
        let program = Box::leak(Box::new(Program { calls: Box::leak(Box::new([call])), ..PROGRAM }));
        Composing::new(true).program(program, &callees.iter().map(|id| ("callee", *id)).collect(), &[])
    }

    #[test]
    fn each_function_is_put_in_once_and_its_values_come_first() {
        let made = made(CALL, &[id_of(quarter)]).unwrap();
        assert_eq!(
            made.program.source,
            "fn fa_at() {}\n\n// halved\nfn fa_fn_0(a: f32) -> f32 { return a / fa_value_0(); }\n\n\
             // quarter\nfn fa_fn_1(a: f32) -> f32 { return fa_fn_0(fa_fn_0(a)) * fa_value_1(); }\n\n\
             fn fa_iteration(p: u32) { let a = fa_fn_1(fa_value_2()); let b = fa_table_len_0(); }"
        );
        assert_eq!(made.program.values, [Type::F32, Type::I32, Type::F32]);
        assert_eq!(made.values, [0, 0, 0, 64, 1, 0, 0, 0]);
    }

    #[test]
    fn there_is_one_function_for_each_choice_of_arrays() {
        let program = Program {
            source: "// fa_call_0: turned\nfa_call_0<fa_load_0, fa_table_0>(0u, 1u); fa_call_0<fa_load_0, fa_table_0>(2u);",
            calls: &[SLICES],
            tables: &[Type::F32],
            ..PROGRAM
        };
        let callees = vec![("callee", id_of(turned))];
        let made = Composing::new(true).program(Box::leak(Box::new(program)), &callees, &[]).unwrap();
        assert_eq!(
            made.program.source,
            "fn fa_at() {}\n\n\
             // sum of fa_table_2, fa_load_0\n\
             fn fa_fn_0(a0: u32, a1: u32, a2: u32, a3: u32) { fa_store_0(a2, fa_table_2(a0)); }\n\n\
             // sum of fa_table_1, fa_load_0\n\
             fn fa_fn_1(a0: u32, a1: u32, a2: u32, a3: u32) { fa_store_0(a2, fa_table_1(a0)); }\n\n\
             // turned of fa_load_0, fa_table_2\n\
             fn fa_fn_2(a0: u32, a1: u32, a2: u32, a3: u32) { fa_fn_0(a2, a3, a0, a1); fa_fn_1(a0); }\n\n\
             // fa_call_0: turned\nfa_fn_2(0u, 1u); fa_fn_2(2u);"
        );
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let said = |callees: &[TypeId]| made(CALL, callees).unwrap_err();
        assert_eq!(
            said(&[id_of(unmarked)]),
            "calls `callee` (line 3), which is not marked: put `#[forall::device]` above it"
        );
        assert!(said(&[]).contains("it is not seen which function"));
        assert!(said(&[id_of(halved), id_of(quarter)]).contains("several functions"));
        assert!(said(&[id_of(again)]).contains("`again` calls itself"));
        assert!(said(&[id_of(checked)]).contains("other checks of overflow"));
        assert!(said(&[id_of(long)]).contains("`LONG` was taken for `f32`, and is `f64`"));
        let other = made(Call { signature: "fn(f64) -> f64", ..CALL }, &[id_of(halved)]).unwrap_err();
        assert!(other.contains("taken for `fn(f64) -> f64`, and is `fn(f32) -> f32`"));
    }

    #[test]
    fn functions_are_told_apart() {
        fn generic<T>(_: &T) {}
        fn borrowed(x: &[u8]) -> &u8 {
            &x[0]
        }
        let (callee, other) = (Callee::new(), Callee::new());
        noted(&callee, generic)(&1_u8);
        noted(&other, generic)(&1_u16);
        assert!(callee.id() != other.id() && callee.id() == id_of(generic::<u8>));
        let callee = Callee::new();
        assert_eq!(*noted(&callee, borrowed)(&[3]), 3);
        assert_eq!(callee.id(), id_of(borrowed));
    }
}
