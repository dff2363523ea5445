//! Types that are known only at run time: types of structs, of their fields, and of function results.
//!
//! A macro sees only tokens, so a program has a query for each type that the macro cannot infer. The queries are answered when the loop
//! first runs, and the answers are inserted into the text of the program.

use forall_contract::{Literal, Query, Source, Struct, Taken, Type};
use std::collections::BTreeMap;

/// The message for a type that devices do not support.
fn unknown(name: &str) -> String {
    format!(
        "`{name}` is of a type that devices do not know: of a struct, put `#[derive(forall::DeviceData)]` above it; else \
         there are numbers, `bool`, and arrays `[T; N]`"
    )
}

/// The message for a variable whose type differs from the inferred one.
pub(crate) fn differs(name: &str, expected: Type, found: Option<Type>) -> String {
    match found {
        Some(found) => format!("`{name}` was taken for `{expected}`, and is `{found}`"),
        None if expected.scalars().contains(&Type::F16) => format!(
            "`{name}` was taken for `{expected}` of the crate `half`, and is another type, or `forall` is built without its \
             feature `half`"
        ),
        None => unknown(name),
    }
}

/// All integer types.
pub(super) const INTEGERS: [Type; 10] =
    [Type::I32, Type::U32, Type::Usize, Type::I64, Type::U64, Type::U8, Type::I8, Type::U16, Type::I16, Type::Isize];

/// Answers queries for operands and results of calls and operators, given the answers to earlier queries.
pub(super) type Results<'r> = &'r mut dyn FnMut(&Query, &[Type]) -> Result<Option<Type>, String>;

/// The answers to all queries, or the reason why one of them does not fit.
pub(super) fn answers(queries: &[Query], given: &[Option<Type>], results: Results<'_>) -> Result<Vec<Type>, String> {
    let mut given = given.iter();
    let mut all: Vec<Type> = Vec::with_capacity(queries.len());
    for query in queries {
        let Query { name, source, taken } = query;
        let found = match source {
            Source::Given(()) => given.next().copied().flatten(),
            Source::Part(of, part) => match (all[*of], *part) {
                (Type::Array(element, _), "[]") => Some(*element),
                (Type::Struct(of), part) => of.fields.iter().find(|(field, _)| *field == part).map(|(_, ty)| *ty),
                _ => None,
            },
            Source::Unsigned(of) => Some(match all[*of] {
                Type::I8 => Type::U8,
                Type::I16 => Type::U16,
                Type::I32 => Type::U32,
                Type::I64 => Type::U64,
                Type::Isize => Type::Usize,
                other => other,
            }),
            Source::Bits(of) => match all[*of] {
                Type::F16 => Some(Type::U16),
                Type::F32 => Some(Type::U32),
                Type::F64 => Some(Type::U64),
                _ => None,
            },
            Source::Result(_) | Source::Number(..) | Source::Operator(..) | Source::Operand(..) => {
                results(query, &all)?
            }
        };
        let Some(found) = found else {
            return Err(match source {
                Source::Operator(..) | Source::Operand(..) | Source::Result(_) | Source::Number(..) => {
                    format!("the type of `{name}` is not known: write it, as in `let v: f32 = {name};`")
                }

                Source::Part(..) => format!("`{name}` is none of the fields that a device knows"),
                _ => unknown(name),
            });
        };
        let integer = INTEGERS.contains(&found);
        let fits = match taken {
            Taken::Kind(Literal::Any) => true,
            Taken::Kind(Literal::Integer) => integer,
            Taken::Kind(Literal::Float) => matches!(found, Type::F16 | Type::F32 | Type::F64),
            Taken::Type(ty) => is(*ty, &all, found),
        };
        if !fits {
            return Err(match taken {
                Taken::Type(ty) => differs(name, resolved(*ty, &all), Some(found)),
                Taken::Kind(Literal::Float) => format!("`{name}` was taken for a float, and is `{found}`"),
                _ => format!("`{name}` was taken for an integer, and is `{found}`"),
            });
        }
        all.push(found);
    }
    Ok(all)
}

/// Whether a type equals another one after its queries are resolved.
pub(crate) fn is(ty: Type, answers: &[Type], found: Type) -> bool {
    match (ty, found) {
        (Type::Queried(number, _), _) => answers.get(number) == Some(&found),
        (Type::Array(a, n), Type::Array(b, m)) => n == m && is(*a, answers, *b),
        _ => ty == found,
    }
}

/// A type with its queries resolved.
pub(crate) fn resolved(ty: Type, answers: &[Type]) -> Type {
    match ty {
        Type::Queried(number, _) => answers.get(number).copied().unwrap_or(ty),
        Type::Array(element, len) => match resolved(*element, answers) {
            same if same == *element => ty,
            // Leaks at most one type for each type of a program.
            other => Type::Array(Box::leak(Box::new(other)), len),
        },
        known => known,
    }
}

/// A signature with its queries resolved.
pub(super) fn signature(text: &str, answers: &[Type]) -> String {
    let part = |(number, part): (usize, &str)| match part.parse::<usize>().ok().filter(|_| number % 2 == 1) {
        Some(number) => answers.get(number).map_or(String::new(), ToString::to_string),
        None => part.to_owned(),
    };
    text.split('$').enumerate().map(part).collect()
}

/// The type of a number or struct in an argument, by its position; an array counts as one element. The result of a function follows its
/// arguments. `structs` are the answers to the function's own queries.
pub(super) fn number(signature: &str, structs: &[Type], argument: usize, part: usize) -> Option<Type> {
    let (arguments, result) = signature.strip_prefix("fn(")?.rsplit_once(") -> ")?;
    let mut all = if arguments.is_empty() { Vec::new() } else { split(arguments, ',') };
    all.push(result);
    let named = |name: &str| structs.iter().copied().find(|ty| matches!(ty, Type::Struct(_)) && ty.to_string() == name);
    let parts = parts(all.get(argument)?.trim_start_matches("&mut "));
    parts.get(part).and_then(|name| scalar(name).or_else(|| named(name)))
}

/// The names of the types in tuples, arrays and options.
fn parts(ty: &str) -> Vec<&str> {
    let inside = |open: &str, close| ty.strip_prefix(open).and_then(|ty| ty.strip_suffix(close));
    if let Some(tuple) = inside("(", ")") {
        return split(tuple, ',').into_iter().flat_map(parts).collect();
    }
    match inside("[", "]") {
        Some(array) => split(array, ';').first().map_or(Vec::new(), |element| parts(element)),
        None => inside("Option<", ">").map_or(vec![ty], parts),
    }
}

/// Splits a text at separators outside of brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut pieces, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            _ if letter == separator && depth == 0 => {
                pieces.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(text[from..].trim());
    pieces
}

/// The number type with this name, or `bool`.
fn scalar(name: &str) -> Option<Type> {
    use Type::{Bool, F16, F32, F64, I8, I16, I32, I64, Isize, U8, U16, U32, U64, Usize};
    let all = [Bool, I8, U8, I16, U16, I32, U32, I64, U64, Isize, Usize, F16, F32, F64];
    all.into_iter().find(|ty| ty.word() == name)
}

/// The operand types of an operator with this signature.
pub(super) fn operands(signature: &str) -> Option<[String; 2]> {
    let (arguments, _) = signature.strip_prefix("fn(")?.rsplit_once(") -> ")?;
    match split(arguments, ',')[..] {
        [first, second] => Some([first.strip_prefix("&mut ").unwrap_or(first), second].map(str::to_owned)),
        _ => None,
    }
}

/// The declarations that texts need after their types are resolved.
#[derive(Debug, Default)]
pub(super) struct Declared {
    structs: BTreeMap<String, &'static Struct>,
    held: BTreeMap<String, Type>,
    /// Arrays and enums that are compared.
    equal: BTreeMap<String, Type>,
    /// Enums that are ordered.
    ordered: BTreeMap<String, Type>,
    /// Enums that are converted to numbers, with the number's type.
    numbers: BTreeMap<(String, String), Type>,
}

impl Declared {
    /// Declares the conversion of an enum to a number.
    pub fn number(&mut self, ty: Type, to: &str) {
        self.numbers.insert((ty.word(), to.to_owned()), ty);
    }

    /// Declares the comparison of enums, and of arrays of comparable elements.
    pub fn compare(&mut self, ty: Type) -> Result<(), String> {
        match ty {
            Type::Array(element, _) => {
                self.equal.insert(ty.word(), ty);
                self.compare(*element)
            }
            Type::Struct(Struct { variants: Some(compared), name, .. }) => {
                self.equal.insert(ty.word(), ty);
                match (compared.apart)() {
                    true => Ok(()),
                    false => Err(format!(
                        "`==` of `{name}` is not that of its variants: take `match`, or derive `PartialEq`"
                    )),
                }
            }
            Type::Struct(of) => Err(format!("arrays of `{}` are compared: compare them one by one", of.name)),
            _ => Ok(()),
        }
    }

    /// Declares the order of an enum.
    pub fn order(&mut self, ty: Type) -> Result<(), String> {
        match ty {
            Type::Struct(Struct { variants: Some(compared), name, .. }) => {
                self.ordered.insert(ty.word(), ty);
                match (compared.ordered)() {
                    true => Ok(()),
                    false => Err(format!(
                        "the order of `{name}` is not that of its numbers: compare numbers, or derive `PartialOrd`"
                    )),
                }
            }
            other => Err(format!(
                "`{other}` has no order that a device sees: compare its fields, or call a method that is marked"
            )),
        }
    }

    /// Declares a type.
    pub fn add(&mut self, ty: Type) -> Result<(), String> {
        match ty {
            Type::Array(element, _) => self.add(*element),
            Type::Struct(of) => {
                if *self.structs.entry(ty.word()).or_insert(of) != of {
                    return Err(format!(
                        "there are two structs `{}`: a device tells them apart by their paths",
                        of.name
                    ));
                }
                of.fields.iter().try_for_each(|(_, field)| self.add(*field))
            }
            _ => Ok(()),
        }
    }

    /// A text with its queries replaced by the answers.
    pub fn filled(&mut self, text: &str, answers: &[Type]) -> Result<String, String> {
        let mut filled = String::new();
        for (number, part) in text.split('$').enumerate() {
            if number % 2 == 0 {
                filled.push_str(part);
                continue;
            }
            let (number, what) = part.split_once(':').unwrap_or((part, ""));
            let Some(ty) = number.parse::<usize>().ok().and_then(|number| answers.get(number)) else {
                return Err(format!("`${part}$` is no type that a text leaves open"));
            };
            filled.push_str(&match what {
                "" => ty.word(),
                "type" => ty.wgsl(),
                "held" => {
                    self.hold(*ty);
                    held(*ty, true)
                }
                "length" => match ty {
                    Type::Array(_, len) => len.to_string(),
                    other => return Err(format!("`{other}` is indexed, and is no array")),
                },
                "zero" => match ty {
                    Type::F16 => "-0.0f".into(),
                    Type::F32 | Type::F64 => literal(*ty, "-0.0")?,
                    other => format!("{}()", other.wgsl()),
                },
                digits => literal(*ty, digits.trim_start_matches('='))?,
            });
        }
        Ok(filled)
    }

    fn hold(&mut self, ty: Type) {
        if self.held.insert(ty.word(), ty).is_some() {
            return;
        }
        match ty {
            Type::Array(element, _) => self.hold(*element),
            Type::Struct(of) => of.fields.iter().for_each(|(_, field)| self.hold(*field)),
            _ => {}
        }
    }

    /// The text of all declarations.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for of in self.structs.values() {
            let fields = of.fields.iter().map(|(name, ty)| format!(" m_{name}: {},", ty.wgsl()));
            text.push_str(&format!(
                "// {}\nstruct {} {{{} }}\n",
                of.name,
                Type::Struct(of).wgsl(),
                fields.collect::<String>()
            ));
        }
        for (word, ty) in &self.equal {
            let Type::Array(element, len) = ty else {
                let held = ty.wgsl();
                text.push_str(&format!(
                    "fn fa_eq_{word}(a: {held}, b: {held}) -> bool {{ return a.m_variant == b.m_variant; }}\n"
                ));
                continue;
            };
            let (held, element) = (ty.wgsl(), element.word());
            text.push_str(&format!(
                "fn fa_eq_{word}(a: {held}, b: {held}) -> bool {{
    var one = a; var two = b;
    for (var k = 0u; k < {len}u; k += 1u) {{
        if (!fa_eq_{element}(one[k], two[k])) {{ return false; }}
    }}
    return true;
}}\n"
            ));
        }
        for (word, ty) in &self.ordered {
            let held = ty.wgsl();
            for (name, sign) in [("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")] {
                text.push_str(&format!(
                    "fn fa_{name}_{word}(a: {held}, b: {held}) -> bool {{ return a.m_variant {sign} b.m_variant; }}\n"
                ));
            }
            for (name, sign) in [("min", "<"), ("max", ">=")] {
                text.push_str(&format!(
                    "fn fa_{name}_{word}(a: {held}, b: {held}) -> {held} {{
    if (b.m_variant {sign} a.m_variant) {{ return b; }}
    return a;
}}\n"
                ));
            }
            text.push_str(&format!(
                "fn fa_cmp_{word}(a: {held}, b: {held}) -> i32 {{
    return select(select(0, 1, a.m_variant > b.m_variant), -1, a.m_variant < b.m_variant);
}}
fn fa_comparable_{word}(a: {held}, b: {held}) -> bool {{ return true; }}\n"
            ));
        }
        for ((word, to), ty) in &self.numbers {
            let (held, Type::Struct(of), Some(wgsl)) = (ty.wgsl(), ty, scalar(to).map(Type::wgsl)) else { continue };
            let Some((_, from)) = of.fields.first() else { continue };
            let number = if from.word() == *to {
                "v.m_variant".to_owned()
            } else {
                format!("fa_cast_{}_{to}(v.m_variant)", from.word())
            };
            text.push_str(&format!("fn fa_cast_{word}_{to}(v: {held}) -> {wgsl} {{ return {number}; }}\n"));
        }
        for (word, ty) in &self.held {
            if let Type::Struct(of) = ty {
                let fields = of.fields.iter().map(|(name, ty)| format!(" m_{name}: {},", held(*ty, false)));
                text.push_str(&format!("struct {} {{{} }}\n", held(*ty, false), fields.collect::<String>()));
            }
            let (inside, outside) = (ty.wgsl(), held(*ty, false));
            // A value inside another one has the device's layout.
            let parts = |how: &str| match ty {
                Type::Array(element, len) => {
                    (0..*len).map(|k| format!("fa_{how}_in_{}(v[{k}])", element.word())).collect::<Vec<_>>().join(", ")
                }
                Type::Struct(of) => {
                    let field = |(name, ty): &(&str, Type)| format!("fa_{how}_in_{}(v.m_{name})", ty.word());
                    of.fields.iter().map(field).collect::<Vec<_>>().join(", ")
                }
                _ => String::new(),
            };
            let [into, from] = match ty {
                Type::Bool => ["select(0u, 1u, v)".to_owned(), "v != 0u".to_owned()],
                Type::Array(..) | Type::Struct(_) => {
                    [format!("{outside}({})", parts("hold")), format!("{inside}({})", parts("take"))]
                }
                _ => ["v".to_owned(), "v".to_owned()],
            };
            text.push_str(&format!("fn fa_hold_in_{word}(v: {inside}) -> {outside} {{ return {into}; }}\n"));
            text.push_str(&format!("fn fa_take_in_{word}(v: {outside}) -> {inside} {{ return {from}; }}\n"));
            let whole = held(*ty, true);
            let [into, from] = match ty {
                Type::Usize | Type::Isize => [format!("fa_widen_{word}(v)"), format!("fa_narrow_{word}(v)")],
                _ => [format!("fa_hold_in_{word}(v)"), format!("fa_take_in_{word}(v)")],
            };
            text.push_str(&format!("fn fa_hold_{word}(v: {inside}) -> {whole} {{ return {into}; }}\n"));
            text.push_str(&format!("fn fa_take_{word}(v: {whole}) -> {inside} {{ return {from}; }}\n"));
        }
        text
    }
}

/// The type that a `State` holds a type as: as a field of its own, or inside of another one.
fn held(ty: Type, whole: bool) -> String {
    match ty {
        Type::Bool => "u32".into(),
        Type::Usize | Type::Isize if whole => "vec2<u32>".into(),
        Type::Array(element, len) => format!("array<{}, {len}>", held(*element, false)),
        Type::Struct(_) => format!("fa_held_{}", ty.word()),
        other => other.wgsl(),
    }
}

/// A literal of a type.
fn literal(ty: Type, digits: &str) -> Result<String, String> {
    let none = || format!("`{digits}` is no number of the type `{ty}`, or more than a device can count to");
    let float = |finite: bool, text: String| if finite { Ok(text) } else { Err(none()) };
    match ty {
        Type::F32 => digits.parse::<f32>().map_err(|_| none()).and_then(|x| float(x.is_finite(), format!("{x:?}f"))),
        Type::F64 => digits.parse::<f64>().map_err(|_| none()).and_then(|x| float(x.is_finite(), format!("{x:?}lf"))),
        _ => {
            let value = digits.parse::<i128>().map_err(|_| none())?;
            let (suffix, least, most): (&str, i128, i128) = match ty {
                Type::I8 | Type::I16 | Type::I32 | Type::Isize => ("i", i32::MIN.into(), i32::MAX.into()),
                Type::U8 | Type::U16 | Type::U32 => ("u", 0, u32::MAX.into()),
                Type::Usize if value == usize::MAX as i128 => return Ok("0xffffffffu".into()),
                Type::Usize => ("u", 0, i128::from(u32::MAX) - 1),
                Type::I64 => ("li", i64::MIN.into(), i64::MAX.into()),
                Type::U64 => ("lu", 0, u64::MAX.into()),
                _ => return Err(none()),
            };
            match value {
                _ if value < least || value > most => Err(none()),
                // Its magnitude alone is no literal of WGSL.
                _ if value == least && least < 0 => Ok(format!("({}{suffix} - 1{suffix})", value + 1)),
                _ if value < 0 => Ok(format!("({value}{suffix})")),
                _ => Ok(format!("{value}{suffix}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static PAIR: Struct =
        Struct { name: "a::Pair_", arguments: &[], fields: &[("x", Type::F32), ("on", Type::Bool)], variants: None };
    static MANY: Struct = Struct {
        name: "a::Many",
        arguments: &[],
        fields: &[("pairs", Type::Array(&Type::Struct(&PAIR), 2)), ("n", Type::Usize)],
        variants: None,
    };
    const fn query(source: Source, taken: Taken) -> Query {
        Query { name: "it", source, taken }
    }

    #[test]
    fn parts_are_found_and_compared() {
        let queries = [
            query(Source::Given(()), Taken::Kind(Literal::Any)),
            query(Source::Part(0, "pairs"), Taken::Kind(Literal::Any)),
            query(Source::Part(1, "[]"), Taken::Kind(Literal::Any)),
            query(Source::Part(2, "x"), Taken::Kind(Literal::Float)),
            query(Source::Part(2, "x"), Taken::Type(Type::Queried(3, Literal::Any))),
            query(Source::Bits(4), Taken::Type(Type::U32)),
        ];
        let found = answers(&queries, &[Some(Type::Struct(&MANY))], &mut |_, _| Ok(None)).unwrap();
        assert_eq!(found[2..], [Type::Struct(&PAIR), Type::F32, Type::F32, Type::U32]);
        assert_eq!(found[0].size(), 2 * 5 + size_of::<usize>());
        let wrong =
            |taken| answers(&[query(Source::Given(()), taken)], &[Some(Type::F32)], &mut |_, _| Ok(None)).unwrap_err();
        assert!(wrong(Taken::Kind(Literal::Integer)).contains("was taken for an integer, and is `f32`"));
        assert!(wrong(Taken::Type(Type::U8)).contains("was taken for `u8`, and is `f32`"));
        assert!(
            answers(&queries[..1], &[None], &mut |_, _| Ok(None)).unwrap_err().contains("derive(forall::DeviceData)")
        );
    }

    #[test]
    fn numbers_of_signatures_are_found() {
        let signature = "fn(a::S, &mut f32, (u8, i64), [i8; 3], usize, Option<u8>) -> ()";
        let all: Vec<Option<Type>> = (0..7).map(|k| number(signature, &[], k, 0)).collect();
        let (byte, float) = (Some(Type::U8), Some(Type::F32));
        assert_eq!(all, [None, float, byte, Some(Type::I8), Some(Type::Usize), byte, None]);
        assert_eq!([1, 2].map(|part| number(signature, &[], 2, part)), [Some(Type::I64), None]);
        let nested = "fn([([u16; 2], a::G<f32, u8>, Option<(bool, i8)>); 3]) -> f32";
        let all: Vec<Option<Type>> = (0..5).map(|part| number(nested, &[], 0, part)).collect();
        assert_eq!(all, [Some(Type::U16), None, Some(Type::Bool), Some(Type::I8), None]);
        assert_eq!(
            (number(nested, &[], 1, 0), number("fn() -> (u8, f32)", &[], 0, 1)),
            (Some(Type::F32), Some(Type::F32))
        );
    }

    #[test]
    fn structs_of_signatures_are_among_those_that_are_queried() {
        let pair = Type::Struct(&PAIR);
        let queried = [Type::F32, Type::Struct(&MANY), pair];
        assert_eq!(number("fn(&mut a::Pair_, (u8, a::Pair_)) -> ()", &queried, 0, 0), Some(pair));
        assert_eq!(number("fn(&mut a::Pair_, (u8, a::Pair_)) -> ()", &queried, 1, 1), Some(pair));
        assert_eq!(number("fn(a::Other) -> ()", &queried, 0, 0), None);
    }

    #[test]
    fn sides_of_operators_are_found() {
        let sides = |signature| operands(signature).map(|sides| sides.join(" and "));
        assert_eq!(sides("fn(&mut a::S, (u8, f32)) -> ()").as_deref(), Some("a::S and (u8, f32)"));
        assert_eq!(sides("fn((u8, f32), [f32; 3]) -> a::S").as_deref(), Some("(u8, f32) and [f32; 3]"));
        assert_eq!(sides("fn(a::S) -> a::S"), None);
    }

    #[test]
    fn holes_are_filled() {
        let mut declared = Declared::default();
        let answers = [Type::F32, Type::Array(&Type::I64, 3), Type::Struct(&PAIR)];
        let text = declared
            .filled("fa_add_$0$($0:=2$, $0:zero$, $0:=0.1$) $1:type$[$1:length$] $2:type$ $2$ $2:held$", &answers)
            .unwrap();
        assert_eq!(
            text,
            "fa_add_f32(2.0f, -0.0f, 0.1f) array<i64, 3>[3] fa_struct_a_1Pair__ a_1Pair__ fa_held_a_1Pair__"
        );
        declared.add(answers[2]).unwrap();
        let text = declared.text();
        assert!(text.contains("struct fa_struct_a_1Pair__ { m_x: f32, m_on: bool, }"), "{text}");
        assert!(text.contains("struct fa_held_a_1Pair__ { m_x: f32, m_on: u32, }"), "{text}");
        for (ty, digits, literal) in [
            (Type::I32, "-2147483648", "(-2147483647i - 1i)"),
            (Type::I8, "-3", "(-3i)"),
            (Type::U64, "18446744073709551615", "18446744073709551615lu"),
            (Type::Usize, "18446744073709551615", "0xffffffffu"),
        ] {
            assert_eq!(super::literal(ty, digits).unwrap(), literal);
        }
        assert!(super::literal(Type::F32, "1e99").is_err());
        assert!(super::literal(Type::Usize, "4294967295").is_err());
    }

    #[test]
    fn structs_of_one_path_must_be_one() {
        static OTHER: Struct = Struct { name: "a::Pair_", arguments: &[], fields: &[("x", Type::F64)], variants: None };
        let mut declared = Declared::default();
        declared.add(Type::Struct(&PAIR)).unwrap();
        assert!(declared.add(Type::Struct(&OTHER)).unwrap_err().contains("two structs"));
    }
}
