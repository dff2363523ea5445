//! Functions of the author's that loops call: `#[forall::device]`.
//!
//! A loop names what it calls and knows neither its text nor its types: it takes a signature for granted. What is found at
//! the first launch is compared with that, and put together to one program.

use super::asks::{self, Ask, Declared};
use super::{Array, Program, Type, resolved};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// A function in the language of devices.
///
/// Its text defines `fn fa_function(..)`, which takes the parts of its arguments (a tuple is taken apart). It gives back the
/// parts of its result, and then those that each `&mut` argument has in the end: nothing, one value, or a `struct fa_result`
/// with the fields `f0`, `f1`, .. of several. It may call `fa_value_K`, `fa_table_K`, `fa_table_len_K` and `fa_call_K` with
/// numbers of its own, and what every program may call.
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
    /// The types of its parameters and of its result, as a call takes them for granted. Those that it asks for are holes, as
    /// in its source.
    pub signature: &'static str,
    /// Its result, if that is one value.
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
    /// The types that it does not know, and those of them that are given.
    pub asks: &'static [Ask],
    /// In the order of the asks.
    pub given: &'static [fn() -> Option<Type>],
    /// Whether its build checks sums of integers.
    pub overflow: bool,
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

/// A call of a function.
#[derive(Debug)]
pub struct Call {
    /// As it is written.
    pub name: &'static str,
    /// Where.
    pub line: u32,
    /// The path of the module where.
    pub module: &'static str,
    /// What it takes for granted. Types that the caller asks for are holes, as in its source.
    pub signature: &'static str,
    /// The function, if it is marked.
    pub function: fn() -> Option<&'static Function>,
}

/// What says which functions are marked: for each of them there is a trait of its name, which this has.
#[derive(Debug)]
pub struct Marks;

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
    given: &[Option<Type>],
) -> &'static Result<Composed, String> {
    type Made = Vec<(Vec<Option<Type>>, &'static Result<Composed, String>)>;
    static MADE: Mutex<Option<HashMap<(usize, bool), Made>>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    // The functions and the types are the same for as long as the process runs, but for the types of generic functions.
    let made = made.get_or_insert_with(HashMap::new);
    let made = made.entry((std::ptr::from_ref(program).addr(), overflow)).or_default();
    match made.iter().find(|(known, _)| known == given) {
        Some((_, composed)) => composed,
        None => {
            let composed = Box::leak(Box::new(Composing::new(overflow).program(program, given)));
            made.push((given.to_vec(), composed));
            composed
        }
    }
}

/// What is known of a function, and of what it calls.
struct Known {
    name: &'static str,
    signature: String,
    result: Option<Type>,
    /// Its text, with the types that it asks for, and where its values and tables begin.
    source: String,
    callees: Callees,
    firsts: [usize; 2],
}

struct Composing {
    overflow: bool,
    texts: String,
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

/// What a text calls: their addresses.
type Callees = Vec<usize>;

impl Composing {
    fn new(overflow: bool) -> Self {
        Composing {
            overflow,
            texts: String::new(),
            helpers: BTreeSet::new(),
            functions: HashMap::new(),
            numbers: HashMap::new(),
            declared: Declared::default(),
            types: [Vec::new(), Vec::new()],
            values: Vec::new(),
            tables: Vec::new(),
        }
    }

    fn program(mut self, program: &'static Program, given: &[Option<Type>]) -> Result<Composed, String> {
        let (callees, answers) = self.answers(program.calls, program.asks, given)?;
        let [values, tables] = [self.types[0].len(), self.types[1].len()];
        let source = self.declared.filled(program.source, &answers)?;
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
            ..*program
        };
        Ok(Composed { program, values: self.values, tables: self.tables, answers })
    }

    /// What a text calls, and the types that it asks for.
    fn answers(
        &mut self,
        calls: &[Call],
        asks: &[Ask],
        given: &[Option<Type>],
    ) -> Result<(Callees, Vec<Type>), String> {
        let callees = calls.iter().map(|call| self.callee(call)).collect::<Result<Callees, _>>()?;
        let known = |callee: &usize| self.functions.get(callee).and_then(Option::as_ref);
        let results = |call: usize| callees.get(call).and_then(known).and_then(|function| function.result);
        let answers = asks::answers(asks, given, &results)?;
        for (Call { name, line, signature, .. }, callee) in calls.iter().zip(&callees) {
            let Some(function) = known(callee) else { continue };
            let (taken, is) = (asks::signature(signature, &answers), &function.signature);
            if taken != *is {
                return Err(format!(
                    "`{name}` (line {line}) was taken for `{taken}`, and is `{is}`: write the types there, of literals too, as in \
                     `let v: u32 = {name}(1_u32);`",
                ));
            }
        }
        Ok((callees, answers))
    }

    fn callee(&mut self, call: &Call) -> Result<usize, String> {
        let Call { name, line, module, .. } = call;
        let Some(function) = (call.function)() else {
            return Err(format!("calls `{name}` (line {line}), which is not marked: put `#[forall::device]` above it"));
        };
        if !is_path(name, module, function.name) {
            return Err(format!(
                "calls `{name}` (line {line}), and what is marked is `{}`: call it by that path, or import it by `use`",
                function.name
            ));
        }
        self.function(function)
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
        let given: Vec<Option<Type>> = function.given.iter().map(|given| given()).collect();
        let (callees, answers) =
            self.answers(function.calls, function.asks, &given).map_err(|error| format!("`{name}`: {error}"))?;
        for ty in &answers {
            self.declared.add(*ty)?;
        }
        let firsts = [self.types[0].len(), self.types[1].len()];
        for (kind, constants) in [function.values, function.tables].into_iter().enumerate() {
            for constant in constants {
                let (ty, bytes) = match (constant.found)() {
                    Some((ty, bytes)) if super::is(constant.ty, &answers, ty) => (ty, bytes),
                    found => {
                        let expected = resolved(constant.ty, &answers);
                        return Err(super::differs(constant.name, expected, found.map(|(ty, _)| ty)));
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
        let known = Known {
            name,
            signature: asks::signature(function.signature, &answers),
            result: function.result.map(|ty| resolved(ty, &answers)),
            source: self.declared.filled(function.source, &answers)?,
            callees,
            firsts,
        };
        self.functions.insert(address, Some(known));
        Ok(address)
    }

    /// The number of a function that is given parts of these arrays: it is put into the text once.
    fn number(&mut self, callee: usize, given: Vec<String>) -> usize {
        if let Some(number) = self.numbers.get(&(callee, given.clone())) {
            return *number;
        }
        let Some(Some(Known { name, source, callees, firsts, .. })) = self.functions.get(&callee) else { return 0 };
        let (name, source, callees, firsts) = (*name, source.clone(), callees.clone(), *firsts);
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

/// Whether a function of this path is what a call names through modules: another one of its name may be imported beside it.
/// A name alone is not looked into.
fn is_path(call: &str, module: &str, function: &str) -> bool {
    let mut names = call.split("::").filter(|name| !name.is_empty()).peekable();
    let mut whole: Vec<&str> = module.split("::").collect();
    let mut anchored = false;
    while let Some(name) = names.next_if(|name| matches!(*name, "crate" | "self" | "super")) {
        match name {
            "crate" => whole.truncate(1),
            "super" => _ = whole.pop(),
            _ => {}
        }
        anchored = true;
    }
    let names: Vec<&str> = names.collect();
    match anchored {
        true => [whole, names].concat().join("::") == function,
        false => names.len() < 2 || format!("::{function}").ends_with(&format!("::{}", names.join("::"))),
    }
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

    static HALVED: Function = Function {
        name: "halved",
        signature: "fn(f32) -> f32",
        result: Some(Type::F32),
        source: "fn fa_function(a: f32) -> f32 { return a / fa_value_0(); }\n",
        helpers: &["fn fa_at() {}\n"],
        values: &[Constant { name: "TWO", ty: Type::F32, found: || Some((Type::F32, &[0, 0, 0, 64])) }],
        tables: &[],
        calls: &[],
        asks: &[],
        given: &[],
        overflow: true,
    };

    static QUARTER: Function = Function {
        name: "quarter",
        source: "fn fa_function(a: f32) -> f32 { return fa_call_0(fa_call_1(a)) * fa_value_0(); }\n",
        values: &[Constant { name: "ONE", ty: Type::I32, found: || Some((Type::I32, &[1, 0, 0, 0])) }],
        calls: &[HALVES, HALVES],
        ..HALVED_LIKE
    };

    const HALVED_LIKE: Function = Function {
        name: "halved",
        signature: "fn(f32) -> f32",
        result: Some(Type::F32),
        source: "",
        helpers: &["fn fa_at() {}\n"],
        values: &[],
        tables: &[],
        calls: &[],
        asks: &[],
        given: &[],
        overflow: true,
    };

    const HALVES: Call =
        Call { name: "halved", line: 3, module: "a::b", signature: "fn(f32) -> f32", function: || Some(&HALVED) };

    const PROGRAM: Program = Program {
        name: "test",
        source: "fn fa_iteration(p: u32) { let a = fa_call_0(fa_value_0()); let b = fa_table_len_0(); }",
        values: &[Type::F32],
        tables: &[Type::U8],
        ..Program::EMPTY
    };

    fn made(calls: &'static [Call]) -> Result<Composed, String> {
        let program = Box::leak(Box::new(Program { calls, ..PROGRAM }));
        Composing::new(true).program(program, &[])
    }

    #[test]
    fn each_function_is_put_in_once_and_its_values_come_first() {
        const CALL: Call = Call { function: || Some(&QUARTER), ..HALVES };
        let made = made(&[CALL]).unwrap();
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
        static SUM: Function = Function {
            name: "sum",
            signature: "fn([f32], [f32])",
            source: "fn fa_function(a0: u32, a1: u32, a2: u32, a3: u32) { fa_store_given_1(a2, fa_load_given_0(a0)); }\n",
            tables: &[Constant { name: "U", ty: Type::F32, found: || Some((Type::F32, &[])) }],
            ..HALVED_LIKE
        };
        static TURNED: Function = Function {
            name: "turned",
            signature: "fn([f32], [f32])",
            source: "fn fa_function(a0: u32, a1: u32, a2: u32, a3: u32) { \
                     fa_call_0<fa_load_given_1, fa_load_given_0>(a2, a3, a0, a1); fa_call_0<fa_table_0, fa_load_given_0>(a0); }\n",
            tables: &[Constant { name: "T", ty: Type::F32, found: || Some((Type::F32, &[])) }],
            calls: &[Call { name: "sum", function: || Some(&SUM), signature: "fn([f32], [f32])", ..HALVES }],
            ..HALVED_LIKE
        };
        const CALL: Call = Call { name: "turned", function: || Some(&TURNED), signature: "fn([f32], [f32])", ..HALVES };
        let program = Program {
            source: "// fa_call_0: turned\nfa_call_0<fa_load_0, fa_table_0>(0u, 1u); fa_call_0<fa_load_0, fa_table_0>(2u);",
            calls: &[CALL],
            tables: &[Type::F32],
            ..PROGRAM
        };
        let made = Composing::new(true).program(Box::leak(Box::new(program)), &[]).unwrap();
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
    fn a_path_names_one_function() {
        for (call, function, is) in [
            ("f", "a::b::f", true),
            ("f", "a::other::f", true),
            ("b::f", "a::b::f", true),
            ("c::f", "a::b::f", false),
            ("x::b::f", "a::b::f", false),
            ("a::f", "a::f", true),
            ("crate::c::f", "a::c::f", true),
            ("crate::f", "a::b::f", false),
            ("self::f", "a::b::f", true),
            ("super::f", "a::f", true),
            ("super::f", "a::b::f", false),
            ("super::super::f", "f", true),
        ] {
            assert_eq!(is_path(call, "a::b", function), is, "{call} is {function}");
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        const UNMARKED: Call = Call { function: || None, ..HALVES };
        const OTHER: Call = Call { signature: "fn(f64) -> f64", ..HALVES };
        static AGAIN: Function = Function {
            name: "again",
            calls: &[Call {
                name: "again",
                line: 1,
                module: "a::b",
                signature: "fn(f32) -> f32",
                function: || Some(&AGAIN),
            }],
            ..HALVED_LIKE
        };
        const ROUND: Call = Call { function: || Some(&AGAIN), ..HALVES };
        static CHECKED: Function = Function { overflow: false, ..HALVED_LIKE };
        const CHECKS: Call = Call { function: || Some(&CHECKED), ..HALVES };
        static LONG: Function = Function {
            values: &[Constant { name: "LONG", ty: Type::F32, found: || Some((Type::F64, &[0; 8])) }],
            ..HALVED_LIKE
        };
        const WIDE: Call = Call { function: || Some(&LONG), ..HALVES };
        let said = |calls| made(calls).unwrap_err();
        assert_eq!(said(&[UNMARKED]), "calls `halved` (line 3), which is not marked: put `#[forall::device]` above it");
        assert!(said(&[OTHER]).contains("taken for `fn(f64) -> f64`, and is `fn(f32) -> f32`"));
        assert!(said(&[ROUND]).contains("`again` calls itself"));
        assert!(said(&[CHECKS]).contains("other checks of overflow"));
        assert!(said(&[WIDE]).contains("`LONG` was taken for `f32`, and is `f64`"));
    }
}
