//! Links a program with the functions that it calls, and resolves its queries for types.

use super::functions::{Callees, Function, methods};
use super::queries::{self, Declared, differs, resolved};
use super::words::words;
use forall_contract::{Array, Call, Program, Query, Source, Type};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// A program linked with all functions that it calls, and with all queries resolved. The functions' values and tables come first.
#[derive(Debug)]
pub(crate) struct Composed {
    pub program: Program,
    pub values: Vec<u8>,
    pub tables: Vec<&'static [u8]>,
    pub answers: Vec<Type>,
}

/// The linked program, or the reason why there is none. Linked once and cached.
pub(crate) fn composed(
    program: &'static Program,
    overflow: bool,
    callees: Callees,
    given: Vec<Option<Type>>,
) -> &'static Result<Composed, String> {
    type All = HashMap<(usize, bool, Callees, Vec<Option<Type>>), &'static Result<Composed, String>>;
    static MADE: Mutex<Option<All>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    // The result depends only on the key: functions and types never change, except for the types of generic functions.
    let made = made.get_or_insert_with(HashMap::new);
    // Leaked: there is one for each program, or for each instance of it in a generic function.
    made.entry((std::ptr::from_ref(program).addr(), overflow, callees.clone(), given.clone()))
        .or_insert_with(|| Box::leak(Box::new(Composing::new(overflow).program(program, &callees, &given))))
}

/// A function that has been analysed, together with its callees.
pub(super) struct KnownFunction {
    pub(super) name: &'static str,
    pub(super) signature: String,
    pub(super) result: Option<Type>,
    /// The answers to its queries.
    pub(super) answers: Vec<Type>,
    /// Its text with all queries resolved, and the positions of its first value and table.
    pub(super) source: String,
    pub(super) callees: Vec<usize>,
    pub(super) firsts: [usize; 2],
    pub(super) loops: bool,
}

pub(super) struct Composing {
    pub(super) overflow: bool,
    pub(super) texts: String,
    /// Whether one of the texts has loops.
    pub(super) loops: bool,
    pub(super) helpers: BTreeSet<&'static str>,
    /// By address; `None` while a function is being analysed.
    pub(super) functions: HashMap<usize, Option<KnownFunction>>,
    /// The numbers of the functions in the text, by address and by the arrays whose parts are arguments.
    pub(super) numbers: HashMap<(usize, Vec<String>), usize>,
    pub(super) declared: Declared,
    pub(super) types: [Vec<Type>; 2],
    pub(super) values: Vec<u8>,
    pub(super) tables: Vec<&'static [u8]>,
}

impl Composing {
    pub(super) fn new(overflow: bool) -> Self {
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

    pub(super) fn program(
        mut self,
        program: &'static Program,
        callees: &Callees,
        given: &[Option<Type>],
    ) -> Result<Composed, String> {
        let (callees, answers) = self.answers(program.calls, callees, program.queries, given)?;
        let [values, tables] = [self.types[0].len(), self.types[1].len()];
        let source = self.filled(program.source, program.queries, &answers)?;
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
            queries: &[],
            loops: program.loops || self.loops,
            ..*program
        };
        Ok(Composed { program, values: self.values, tables: self.tables, answers })
    }

    /// The addresses of the callees of a text, and the answers to its queries.
    pub(super) fn answers(
        &mut self,
        calls: &[Call],
        callees: &Callees,
        queries: &[Query],
        given: &[Option<Type>],
    ) -> Result<(Vec<usize>, Vec<Type>), String> {
        // The result of one call determines the receiver type of another.
        let answers = queries::answers(queries, given, &mut |query, answers| match &query.source {
            Source::Result(call) => {
                let callee = self.callee(&calls[*call], callees, answers)?;
                Ok(self.known(callee).and_then(|function| function.result))
            }
            Source::Number(call, argument, part) => {
                let callee = self.callee(&calls[*call], callees, answers)?;
                Ok(self
                    .known(callee)
                    .and_then(|function| queries::number(&function.signature, &function.answers, *argument, *part)))
            }
            Source::Operator(name, left, right) => {
                let sides = [left, right].map(|side| resolved(*side, answers));
                Ok(Some(self.between(name, sides)?.0))
            }
            Source::Operand(name, other, side) => {
                self.operand(name, resolved(*other, answers), *side, query.taken).map(Some)
            }
            _ => Ok(None),
        })?;
        let mut called = Vec::new();
        for call in calls {
            let callee = self.callee(call, callees, &answers)?;
            let Call { name, line, signature, .. } = call;
            let taken = queries::signature(signature, &answers);
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

    pub(super) fn known(&self, callee: usize) -> Option<&KnownFunction> {
        self.functions.get(&callee)?.as_ref()
    }

    pub(super) fn callee(&mut self, call: &Call, callees: &Callees, answers: &[Type]) -> Result<usize, String> {
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

    /// The method that a call names. Inherent methods take precedence over trait methods.
    pub(super) fn method(&mut self, Call { name, line, .. }: &Call, owner: Type) -> Result<usize, String> {
        let (own, of_traits): (Vec<_>, Vec<_>) =
            methods(name, owner).into_iter().partition(|function| function.of_trait.is_none());
        match (&own[..], &of_traits[..]) {
            ([function], _) | ([], [function]) => self.function(function),
            ([], []) => Err(format!(
                "calls the method `{name}` of `{owner}` (line {line}), which is not marked: put `#[forall::device]` above the \
                 `impl` that has it"
            )),
            _ => Err(format!(
                "calls `{name}` of `{owner}` (line {line}), and there are several functions of this name: call it by its path"
            )),
        }
    }

    /// A text with its types and operators resolved.
    pub(super) fn filled(
        &mut self,
        source: &'static str,
        queries: &[Query],
        answers: &[Type],
    ) -> Result<String, String> {
        let mut text = source.to_owned();
        for (number, query) in queries.iter().enumerate() {
            let hole = format!("${number}:operator$");
            if let (Source::Operator(name, left, right), true) = (query.source, text.contains(&hole)) {
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

    /// Analyses a function and its callees, once.
    pub(super) fn function(&mut self, function: &'static Function) -> Result<usize, String> {
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
            .answers(function.calls, &(function.callees)(), function.queries, &(function.given)())
            .map_err(|error| format!("`{name}`: {error}"))?;
        for ty in &answers {
            self.declared.add(*ty)?;
        }
        let firsts = [self.types[0].len(), self.types[1].len()];
        for (kind, constants) in [function.values, function.tables].into_iter().enumerate() {
            for constant in constants {
                let (ty, bytes) = match (constant.found)() {
                    Some((ty, bytes)) if queries::is(constant.ty, &answers, ty) => (ty, bytes),
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
            self.filled(function.source, function.queries, &answers).map_err(|error| format!("`{name}`: {error}"))?;
        let known = KnownFunction {
            name,
            signature: queries::signature(function.signature, &answers),
            result: function.result.map(|ty| resolved(ty, &answers)),
            answers,
            source,
            callees,
            firsts,
            loops: function.loops,
        };
        self.functions.insert(address, Some(known));
        Ok(address)
    }

    /// The number of a function with parts of these arrays as arguments. Adds it to the text at the first call.
    pub(super) fn number(&mut self, callee: usize, given: Vec<String>) -> usize {
        if let Some(number) = self.numbers.get(&(callee, given.clone())) {
            return *number;
        }
        let Some(Some(KnownFunction { name, source, callees, firsts, loops, .. })) = self.functions.get(&callee) else {
            return 0;
        };
        let (name, source, callees, firsts) = (*name, source.clone(), callees.clone(), *firsts);
        self.loops |= *loops;
        // Its callees come before it.
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

    /// A text with the names of the linked program: of its values and tables, of the arrays among its arguments, and of its callees.
    pub(super) fn renamed(
        &mut self,
        source: &str,
        callees: &[usize],
        [values, tables]: [usize; 2],
        given: &[String],
    ) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::functions::{Callee, Constant, id_of, noted};
    use std::any::TypeId;

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
        queries: &[],
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
