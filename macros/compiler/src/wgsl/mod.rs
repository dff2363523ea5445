//! From an analysed loop to WGSL, the language of graphics processors.
//!
//! The body goes through three forms: the author's expressions, as the analysis keeps them; typed nodes with resolved names
//! ([`elaborate`]); and text ([`emit`]). What the text may name is the contract of `core`'s `device`. Whatever cannot be
//! translated is an [`Obstacle`], which says what to change: the loop then runs on the processor.

pub mod asks;
mod bins;
mod chains;
mod copies;
mod elaborate;
mod emit;
pub mod functions;
mod iterate;
mod methods;
mod numbers;
mod operators;
mod options;
mod patterns;
mod ranges;
mod searches;
pub mod structs;
mod tested;
#[cfg(test)]
mod tests;
mod tree;
mod tuples;
mod types;
mod views;

#[allow(unused_imports)] // As above.
pub use asks::Ask;
#[allow(unused_imports)] // As above.
pub use types::{Type, tokens};

use crate::analysis::slice::Sliced;
use crate::front::function::Function;
use crate::ir::Op;
use crate::ir::report::{Place, shown};
use crate::plan::{Accumulator, Class, Plan, SlotKind};
use elaborate::{Elaborate, Held, Item};
use emit::{Emit, Value, key};
use proc_macro2::TokenStream;
use quote::quote;
use std::cmp::Ordering;
use std::collections::HashMap;
use tree::{Kind, Node, Part, Statement, Total, Var};
use types::Ty;

/// A loop in the language of devices: what a `Program` of `core` is made of.
#[derive(Debug)]
pub struct Translation {
    /// The text of WGSL.
    pub source: String,
    /// The elements of the loop's arrays, in the order of its slots.
    pub arrays: Vec<Type>,
    /// The expressions that give the captured values, right before the loop, and their types.
    pub values: Vec<(TokenStream, Type)>,
    /// The captured arrays that are only read, and the types of their elements.
    pub tables: Vec<Table>,
    /// The fields of `State`, for each reduction in the order of the accumulators; a tuple has a field for each part.
    ///
    /// These are the parts of the accumulator's chunk in `core`: the value alone; of a user's operator, the value and whether
    /// there is one; of a best value, all its variables and whether they were set; of a scan that starts afresh, the value,
    /// whether there is one, and whether it starts afresh; of a linear recurrence, the term, the factor and whether it starts
    /// afresh. The running value of a scan is in the first of them, or in all variables of a best value.
    pub state: Vec<Type>,
    /// For each field that is of the author's variables: what it is called, the code that names it, and its type.
    pub told: Vec<(String, TokenStream, Type)>,
    /// The level of each field: running values are computed from the inputs and the levels below.
    pub levels: Vec<usize>,
    /// How many of the fields, the last ones, count how often a sum of integers wrapped around.
    pub counted: usize,
    /// The elements that are pushed, for each such accumulator in their order.
    pub pushes: Vec<Type>,
    /// The histograms, in the order of their accumulators.
    pub bins: Vec<Bins>,
    /// The functions that are called.
    pub calls: Vec<functions::Call>,
    /// The types that are asked for.
    pub asks: Vec<Ask>,
    /// The number of each call among the calls.
    pub numbers: Vec<usize>,
    pub running: bool,
    /// Whether iterations may be put together in any order.
    pub commutative: bool,
}

/// A histogram: the operator is named as `core` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bins {
    /// The author's elements: a number, or an array of them, of which each is a bin.
    pub whole: Type,
    pub element: Type,
    pub operator: &'static str,
    pub wraps: bool,
}

/// A captured array that is only read.
#[derive(Debug, Clone)]
pub struct Table {
    pub tokens: TokenStream,
    /// Its elements.
    pub ty: Type,
    /// Of a constant, how many of its axes are put one after the other.
    axes: usize,
    /// Which part of the elements it is, where these are tuples.
    pub part: Option<usize>,
}

impl Table {
    /// A table for the elements, or one for each of their parts; nothing where a device does not have these.
    fn all(capture: &elaborate::Capture, types: &types::Types) -> Option<Vec<Table>> {
        let table = |ty, part| Table { tokens: capture.tokens.clone(), ty, axes: capture.axes, part };
        match types.shallow(&capture.ty) {
            Ty::Tuple(_) if capture.axes < 2 && !types.has_options(&capture.ty) => {
                let parts = types.parts(&capture.ty)?.into_iter().enumerate();
                Some(parts.map(|(part, ty)| table(ty, Some(part))).collect())
            }
            ty => Some(vec![table(types.known(&ty)?, None)]),
        }
    }

    /// The code that finds the type and the bytes of its elements; of a part, bytes that it owns.
    pub fn found(&self) -> TokenStream {
        match self.part {
            Some(part) => found_part(&self.tokens, part),
            None => found(&self.tokens, self.axes),
        }
    }

    fn found_of(capture: &elaborate::Capture) -> TokenStream {
        found(&capture.tokens, capture.axes)
    }
}

/// The code that finds the type and the bytes of a part of a table's elements, which are tuples.
fn found_part(tokens: &TokenStream, part: usize) -> TokenStream {
    quote!((&&&&&::forall::__private::device::Table(&#tokens)).part(#part))
}

fn found(tokens: &TokenStream, axes: usize) -> TokenStream {
    let device = quote!(::forall::__private::device);
    let elements = quote!((&&&&&#device::Table(&#tokens)).elements());
    match axes.saturating_sub(1) {
        0 => elements,
        inner => quote!(#device::opened(#elements, #inner)),
    }
}

/// Why a loop, or a part of one, is not translated, and what to change.
#[derive(Debug, Clone)]
pub struct Obstacle {
    pub place: Place,
    pub what: String,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} (line {})", self.what, self.place.line())
    }
}

/// How chunks of an accumulator merge: two variables, and what both come to.
struct Merge {
    earlier: Var,
    later: Var,
    both: Node,
}

/// What the loop's parts are as nodes.
#[derive(Default)]
struct Parts {
    position: Var,
    iteration: Vec<Statement>,
    /// What the running values of each level come to.
    totals: Vec<Vec<Statement>>,
    /// For each accumulator that has an operator.
    merges: Vec<Option<Merge>>,
    /// The types of the variables of each accumulator.
    held: Vec<Vec<Ty>>,
}

/// Translates a loop, or says what is in the way. Errors of the author's are not looked for: the loop has been checked.
pub fn translate(function: &Function, found: &Plan) -> Result<Translation, Vec<Obstacle>> {
    let obstacles = refused(found);
    if !obstacles.is_empty() {
        return Err(obstacles);
    }
    let mut elaborate = Elaborate::new(function, found, at_loop);
    elaborate.run();
    let Some(parts) = elaborate.parts.take() else {
        return Err(vec![Obstacle {
            place: Place::from(found.f.span),
            what: "the loop stands where its variables are not seen".to_owned(),
        }]);
    };
    write(elaborate, found, parts)
}

/// What devices do not do at all yet.
fn refused(found: &Plan) -> Vec<Obstacle> {
    let place = Place::from(found.f.span);
    let mut obstacles = Vec::new();
    let mut refuse = |place: Place, what: String| obstacles.push(Obstacle { place, what });
    for accumulator in &found.accumulators {
        let what = match &accumulator.class {
            Class::Bins { operator: None, .. } => "is a histogram of structs",
            Class::Bins { .. } if found.running => "is a histogram beside running values",
            Class::State { .. } => "is a state of the author's own type",
            _ => continue,
        };
        refuse(
            Place::from(accumulator.at),
            format!("`{}` {what}, which devices do not do yet", shown(&accumulator.text)),
        );
    }
    for slot in found.slots.iter().filter(|slot| slot.kind == SlotKind::Everywhere) {
        if slot.element.is_none() && slot.name.contains('.') {
            refuse(place, format!("`{}` is a field that iterations write to", shown(&slot.name)));
        }
    }
    obstacles
}

/// Where the loop stands, all names before it are known.
fn at_loop<'a>(this: &mut Elaborate<'a>, found: &'a Plan) {
    let place = Place::from(found.f.span);
    // The elements of the iteration before are variables.
    for carried in &found.carried {
        let ty = this.place_type(&carried.first);
        this.declare(&carried.variable.to_string(), ty);
    }
    this.enter_loop(found);
    // Arrays.
    for slot in &found.slots {
        let ty = match &slot.element {
            Some(element) => match syn::parse2::<syn::Type>(element.clone()) {
                Ok(ty) => this.written(&ty),
                Err(_) => this.types.unknown(),
            },
            None => {
                let name = quote::format_ident!("{}", slot.name);
                let ty = this.place_type(&quote!(#name));
                this.types.element(&ty)
            }
        };
        this.slots.push(ty);
    }
    // Accumulators.
    let mut held = Vec::new();
    for accumulator in &found.accumulators {
        if let Class::Pushes { element } = &accumulator.class {
            let ty = match syn::parse2::<syn::Type>(element.clone()) {
                Ok(ty) => this.written(&ty),
                Err(_) => this.types.unknown(),
            };
            this.pushes.push((accumulator.text.clone(), ty));
        }
        if let Class::Bins { .. } = &accumulator.class {
            let whole = this.place_type(&accumulator.place);
            let element = this.types.element(&whole);
            this.bins.push((held.len(), accumulator.text.clone(), element));
        }
        held.push(match &accumulator.class {
            Class::Bins { .. } => Held { variables: Vec::new(), hit: None },
            Class::Best { variables, names, hit, .. } => {
                let variables = variables.iter().zip(names).map(|(text, name)| {
                    let place: TokenStream = text.parse().unwrap_or_default();
                    let ty = this.place_type(&place);
                    this.types.source(&ty, text, asks::Source::Place(asks::of_place(&place)));
                    (vec![text.clone(), name.to_string()], ty)
                });
                Held { variables: variables.collect(), hit: Some(hit.to_string()) }
            }
            class if class.is_reduction() => {
                let ty = this.place_type(&accumulator.place);
                let given = asks::Source::Place(asks::of_place(&accumulator.place));
                this.types.source(&ty, &accumulator.text, given);
                let names = vec![accumulator.text.clone(), accumulator.ident.to_string()];
                Held { variables: vec![(names, ty)], hit: None }
            }
            _ => Held { variables: Vec::new(), hit: None },
        });
    }
    this.held = held;
    let scope = this.scope.clone();
    let position = this.variable("p", Ty::USIZE, false);
    let mut parts = Parts { position, ..Parts::default() };
    if found.running {
        // The whole body sees the running values.
        parts.iteration = iteration(this, found, position, place);
        for level in 0..found.levels() {
            this.scope = scope.clone();
            this.edits = edits(found, level);
            this.sliced = Some(Sliced::of(found, level));
            parts.totals.push(iteration(this, found, position, place));
        }
        this.sliced = None;
    } else {
        this.edits = edits(found, 0);
        parts.iteration = iteration(this, found, position, place);
    }
    this.scope = scope;
    this.may_end = false;
    parts.merges = found.accumulators.iter().enumerate().map(|(k, a)| merge(this, k, a)).collect();
    parts.held = this.held.iter().map(|held| held.variables.iter().map(|(_, ty)| ty.clone()).collect()).collect();
    this.may_end = true;
    this.parts = Some(parts);
}

/// What replaces updates in a chunk: those of the level start from the identity, those of higher levels are left out, and
/// those of lower ones stay as they are.
fn edits(found: &Plan, level: usize) -> HashMap<crate::ir::Id, TokenStream> {
    let mut edits = HashMap::new();
    for accumulator in &found.accumulators {
        match accumulator.level.cmp(&level) {
            // What a histogram is put into is seen in the author's words.
            _ if matches!(accumulator.class, Class::Bins { .. }) => {}
            Ordering::Less => {}
            Ordering::Equal => edits.extend(accumulator.edits.clone()),
            Ordering::Greater => edits.extend(accumulator.nodes.iter().map(|id| (*id, quote!(())))),
        }
    }
    edits
}

fn iteration(this: &mut Elaborate<'_>, found: &Plan, position: Var, place: Place) -> Vec<Statement> {
    let mut statements = Vec::new();
    // Variables and buffers that every iteration sets before it reads them.
    for accumulator in found.accumulators.iter().filter(|a| matches!(a.class, Class::Scratch)) {
        let ty = this.place_type(&accumulator.place);
        if !matches!(this.types.shallow(&ty), Ty::Array(..)) {
            let what = format!(
                "`{}` is a buffer of which the length is not known while compiling: use an array `[T; N]`",
                shown(&accumulator.text)
            );
            this.obstacle(Place::from(accumulator.at), what);
        }
        let variable = this.variable(&accumulator.text, ty, true);
        statements.push(Statement::Let(variable, None));
        this.name(&accumulator.text, elaborate::Binding::Local(variable));
    }
    for name in &found.privates {
        let ident = quote::format_ident!("{name}");
        let ty = this.place_type(&quote!(#ident));
        let variable = this.variable(name, ty, true);
        statements.push(Statement::Let(variable, None));
        this.name(name, elaborate::Binding::Local(variable));
    }
    let Some(iter) = this.header(&found.source, place) else { return statements };
    let position = this.read(position, place);
    let item = this.at(&iter, position, &mut statements);
    this.bind_tokens(&found.f.pattern.tokens, item, &mut statements);
    let body = this.block(&found.f.body, place);
    statements.push(Statement::Do(body));
    statements
}

/// How two chunks of an accumulator are put together.
fn merge(this: &mut Elaborate<'_>, number: usize, accumulator: &Accumulator) -> Option<Merge> {
    let at = Place::from(accumulator.at);
    let types: Vec<Ty> = this.held[number].variables.iter().map(|(_, ty)| ty.clone()).collect();
    let ty = match (&accumulator.class, types.as_slice()) {
        (Class::Best { .. }, _) => Ty::Tuple(types),
        (_, [ty]) => ty.clone(),
        _ => return None,
    };
    let (earlier, later) = (this.variable("earlier", ty.clone(), false), this.variable("later", ty.clone(), false));
    let (a, b) = (this.read(earlier, at), this.read(later, at));
    let by = |this: &mut Elaborate<'_>, merge: &TokenStream| {
        let scope = this.scope.clone();
        let mut none = Vec::new();
        for (name, node) in [("__a", a.clone()), ("__b", b.clone())] {
            let ident = quote::format_ident!("{name}");
            this.bind(&syn::parse_quote!(#ident), Item::Place(node), &mut none);
        }
        let both = this.code(merge, at);
        this.scope = scope;
        let (both_ty, a_ty) = (both.ty.clone(), a.ty.clone());
        this.same(&both_ty, &a_ty, at);
        both
    };
    let both = match &accumulator.class {
        Class::Sum { wraps, .. } | Class::Difference { wraps, .. } => match wraps {
            true => this.total(Total::Plus, a.clone(), b.clone()),
            false => this.operation(Op::Add, a.clone(), b.clone(), at),
        },
        Class::Product => this.total(Total::Times, a.clone(), b.clone()),
        Class::Parity => this.operation(Op::Xor, a.clone(), b.clone(), at),
        Class::Idempotent { merge } | Class::Combine { merge } | Class::Segmented { merge, .. } => by(this, merge),
        Class::Best { better, .. } => {
            // Whether the later one is better.
            let Ok(closure) = syn::parse2::<syn::Expr>(better.clone()) else { return None };
            let closure = crate::front::lower::Lower::starting_at(1 << 29).expr(&closure);
            this.apply(&closure, vec![Item::Value(b.clone()), Item::Value(a.clone())], at)
        }
        _ => return None,
    };
    Some(Merge { earlier, later, both })
}

/// The text, once all types are known.
fn write(mut elaborate: Elaborate<'_>, found: &Plan, parts: Parts) -> Result<Translation, Vec<Obstacle>> {
    let mut obstacles = std::mem::take(&mut elaborate.obstacles);
    let mut types = std::mem::take(&mut elaborate.types);
    let mut refuse = |place: Place, what: String| {
        if !obstacles.iter().any(|o: &Obstacle| o.what == what) {
            obstacles.push(Obstacle { place, what });
        }
    };
    let place = Place::from(found.f.span);

    // Arrays, tables and pushes hold elements of plain types.
    let element = |ty: &Ty, what: &str| {
        types.known(ty).ok_or_else(|| {
            format!("{what} are of the type `{}`, which a device does not have: it has numbers, `bool`, and arrays `[T; N]` of them", types.text(ty))
        })
    };
    let mut arrays = Vec::new();
    for (slot, ty) in found.slots.iter().zip(&elaborate.slots) {
        match element(ty, &format!("the elements of `{}`", slot.name)) {
            Ok(ty) => arrays.push(ty),
            Err(what) => refuse(place, what),
        }
    }
    let (mut tables, mut first_tables, mut names_of_tables) = (Vec::new(), Vec::new(), Vec::new());
    for table in &elaborate.tables {
        first_tables.push(tables.len());
        let name = shown(&table.text);
        match Table::all(table, &types) {
            Some(parts) => {
                names_of_tables.resize(tables.len() + parts.len(), name);
                tables.extend(parts);
            }
            None => {
                refuse(table.at, element(&table.ty, &format!("the elements of `{name}`")).err().unwrap_or_default())
            }
        }
    }
    let mut pushes = Vec::new();
    for (name, ty) in &elaborate.pushes {
        match element(ty, &format!("what is pushed to `{name}`")) {
            Ok(ty) => pushes.push(ty),
            Err(what) => refuse(place, what),
        }
    }

    let mut bins = Vec::new();
    for (number, name, ty) in &elaborate.bins {
        let accumulator = &found.accumulators[*number];
        let at = Place::from(accumulator.at);
        match element(ty, &format!("the elements of `{}`", shown(name))) {
            Ok(Type::Asked(..)) => refuse(
                at,
                format!(
                    "the elements of `{}` are of a type that is not known here: a histogram holds numbers",
                    shown(name)
                ),
            ),
            Ok(element) => match bins::of(&accumulator.class, element) {
                Ok(of) => bins.push(of),
                Err(what) => refuse(at, format!("`{}` {what}", shown(name))),
            },
            Err(what) => refuse(at, what),
        }
    }

    // The state, and where each part of it is.
    let (mut state, mut fields, mut levels, mut told) = (Vec::new(), HashMap::new(), Vec::new(), Vec::new());
    for (number, accumulator) in found.accumulators.iter().enumerate() {
        let more: &[Part] = match &accumulator.class {
            Class::Combine { .. } => &[Part::Some],
            Class::Best { .. } => &[Part::Hit],
            Class::Segmented { .. } => &[Part::Some, Part::Reset],
            Class::Linear { .. } => &[Part::Factor, Part::Reset],
            _ => &[],
        };
        for (variable, ty) in parts.held[number].iter().enumerate() {
            fields.insert((number, key(Part::Variable(variable))), state.len());
            match types.parts(ty).filter(|_| !types.has_options(ty)) {
                // Ranks and devices exchange tuples part by part, as far as these are plain data.
                Some(_) if !types.is_flat(ty) => {
                    let name = shown(&accumulator.text);
                    let what = format!(
                        "`{name}` holds a tuple inside of others, or more than 8 parts: take variables of their own"
                    );
                    refuse(Place::from(accumulator.at), what);
                }
                Some(parts) => {
                    let place = accumulator.variables().get(variable).and_then(|place| place.parse().ok());
                    let paths = paths(&types, ty, &place.unwrap_or_default());
                    let all = paths.into_iter().zip(&parts);
                    told.extend(all.map(|(path, ty)| (shown(&path.to_string()), path, ty.clone())));
                    state.extend(parts);
                }
                None => {
                    let (name, ty) = (shown(&accumulator.text), types.text(ty));
                    let what = if ty.contains('_') {
                        format!("the type of `{name}` is not known here: write it, as in `let mut {name}: f32 = ..`")
                    } else {
                        format!(
                            "`{name}` is of the type `{ty}`, which a device does not have: it has numbers, `bool`, and arrays `[T; N]` of them"
                        )
                    };
                    refuse(Place::from(accumulator.at), what);
                }
            }
        }
        // Integers are added up in ways of their own.
        let asked =
            parts.held[number].first().and_then(|ty| types.known(ty)).filter(|ty| matches!(ty, Type::Asked(..)));
        if let (Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Linear { .. }, Some(ty)) =
            (&accumulator.class, asked)
            && !ty.is_float()
        {
            let name = shown(&accumulator.text);
            let what =
                format!("the type of the sum `{name}` is not known here: write it, as in `let mut {name}: f32 = ..`");
            refuse(Place::from(accumulator.at), what);
        }
        // Parts of a sum may be below zero where the whole never is.
        let subtracts = accumulator.edits.values().any(subtracts);
        if let (true, Some(ty)) = (subtracts, parts.held[number].first())
            && types.known(ty) == Some(Type::Usize)
            && !matches!(accumulator.class, Class::Difference { .. } | Class::Sum { .. })
        {
            let name = shown(&accumulator.text);
            let what = format!(
                "parts of the sum `{name}` may be below zero, and a `usize` has no room for that on a device: take `i32` or `i64`"
            );
            refuse(Place::from(accumulator.at), what);
        }
        for part in more {
            fields.insert((number, key(*part)), state.len());
            match part {
                Part::Factor => {
                    state.extend(parts.held[number].first().and_then(|ty| types.parts(ty)).unwrap_or_default())
                }
                _ => state.push(Type::Bool),
            }
        }
        levels.resize(state.len(), if found.running { accumulator.level } else { 0 });
    }
    let mut counts = HashMap::new();
    for (number, accumulator) in found.accumulators.iter().enumerate() {
        let ty = parts.held[number].first().and_then(|ty| types.known(ty));
        let counted = matches!(accumulator.class, Class::Sum { counts: true, .. } | Class::Difference { wraps: false });
        if counted && ty.is_some_and(|ty| ty.is_integer()) {
            counts.insert(number, state.len());
            state.push(Type::I32);
            levels.push(levels.get(fields[&(number, key(Part::Variable(0)))]).copied().unwrap_or_default());
        }
    }
    let counted = counts.len();

    // Captured values: tuples are taken apart.
    let (mut values, mut firsts, mut comments) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |tokens: &TokenStream, text: &str, ty: &Ty, at: Place, refuse: &mut dyn FnMut(Place, String)| {
        firsts.push(values.len());
        match types.parts(ty).filter(|_| !types.has_options(ty)) {
            Some(parts) => {
                let paths = paths(&types, ty, tokens);
                for (tokens, ty) in paths.into_iter().zip(parts) {
                    comments.push(label(text));
                    values.push((tokens, ty));
                }
            }
            None => {
                let (name, ty) = (shown(text), types.text(ty));
                refuse(
                    at,
                    if ty.contains('_') {
                        format!(
                            "the type of `{name}` is not known here: write `let {}: f32 = {name};` before the loop, with its type",
                            name.rsplit(['.', ':']).next().unwrap_or("value").to_lowercase()
                        )
                    } else {
                        format!(
                            "`{name}` is of the type `{ty}`, which a device does not have: it has numbers, `bool`, and arrays `[T; N]` of them"
                        )
                    },
                );
            }
        }
    };
    for value in &elaborate.values {
        add(&value.tokens, &value.text, &value.ty, value.at, &mut refuse);
    }
    // The author's initial values, where chunks start from them.
    let mut initial: HashMap<(usize, usize), usize> = HashMap::new();
    let known = elaborate.values.len();
    let mut next = known;
    for (number, accumulator) in found.accumulators.iter().enumerate() {
        let places: Vec<TokenStream> = match &accumulator.class {
            Class::Idempotent { .. } => vec![accumulator.place.clone()],
            Class::Best { variables, .. } => variables.iter().map(|v| v.parse().unwrap_or_default()).collect(),
            _ => Vec::new(),
        };
        for (variable, place) in places.iter().enumerate() {
            let Some(ty) = parts.held[number].get(variable) else { continue };
            add(place, &place.to_string(), ty, Place::from(accumulator.at), &mut refuse);
            initial.insert((number, variable), next);
            next += 1;
        }
    }
    let (calls, numbers) = elaborate.calls(&types, &mut refuse);
    if !obstacles.is_empty() {
        return Err(obstacles);
    }

    types.open();
    let mut emit = Emit::new(&types, &elaborate.variables, &firsts);
    emit.widths = bins.iter().map(|of| of.width()).collect();
    (emit.fields, emit.counts, emit.held) = (fields, counts, state.clone());
    (emit.calls, emit.tables) = (&numbers, &first_tables);
    let mut source = String::new();
    let has_state = !state.is_empty();
    if has_state {
        let text = |ty: &Type| match ty {
            Type::Bool => "u32".to_owned(),
            Type::Usize | Type::Isize => "vec2<u32>".to_owned(),
            Type::Asked(number, _) => format!("${number}:held$"),
            ty => ty.wgsl(),
        };
        source.push_str("struct State {\n");
        for (k, ty) in state.iter().enumerate() {
            source.push_str(&format!("    f{k}: {},\n", text(ty)));
        }
        source.push_str("}\n\n");
        source.push_str(&identity(&mut emit, found, &parts, &initial));
        source.push('\n');
        source.push_str(&merges(&mut emit, found, &parts, Step::Merge));
        source.push('\n');
        if found.running {
            source.push_str(&merges(&mut emit, found, &parts, Step::Advance));
            source.push('\n');
        }
    }
    let parameters = if has_state { "p: u32, s: ptr<function, State>" } else { "p: u32" };
    for (level, total) in parts.totals.iter().enumerate() {
        let name = if level == 0 { "fa_total".to_owned() } else { format!("fa_total_{level}") };
        source.push_str(&body(&mut emit, &format!("fn {name}({parameters})"), parts.position, total));
        source.push('\n');
    }
    source.push_str(&body(&mut emit, &format!("fn fa_iteration({parameters})"), parts.position, &parts.iteration));
    if !emit.obstacles.is_empty() {
        return Err(emit.obstacles);
    }
    let helpers: Vec<String> = emit.helpers.iter().map(|name| emit::helper(name) + "\n").collect();
    let source = format!("{}{source}", helpers.concat());
    // What was captured to tell a type, or for a part of the body that is left out, is not handed over.
    let (source, kept) = used(&source, &["fa_value_"]);
    let values: Vec<_> = kept.iter().map(|&k| values[k].clone()).collect();
    let comments =
        kept.iter().enumerate().map(|(k, &old)| format!("// fa_value_{k}: {}\n", comments[old])).collect::<Vec<_>>();
    let (source, kept) = used(&source, &["fa_table_", "fa_table_len_"]);
    let tables: Vec<_> = kept.iter().map(|&k| tables[k].clone()).collect();
    let table = |(k, &old): (usize, &usize)| format!("// fa_table_{k}: {}\n", names_of_tables[old]);
    let names = found.slots.iter().enumerate().map(|(k, slot)| format!("// fa_load_{k}: {}\n", slot.name));
    let called = |(k, call): (usize, &functions::Call)| {
        format!(
            "// fa_call_{k}: {}, {}\n",
            shown(&quote::ToTokens::to_token_stream(&call.path).to_string()),
            call.signature
        )
    };
    let called = calls.iter().enumerate().map(called);
    let head: String = names.chain(kept.iter().enumerate().map(table)).chain(comments).chain(called).collect();
    let source = format!("{head}\n{source}");
    let running = found.running;
    let mut reductions = found.accumulators.iter().zip(&parts.held);
    let commutative = reductions.all(|(accumulator, held)| commutes(&accumulator.class, held, &types));
    let asks = types.asks();
    Ok(Translation {
        source,
        arrays,
        values,
        tables,
        state,
        told,
        levels,
        counted,
        pushes,
        bins,
        calls,
        asks,
        numbers,
        running,
        commutative,
    })
}

/// Whether what an accumulator of these variables comes to does not depend on the order. (Sums of floats do in their last
/// bits, within the bounds that are promised for them; of two zeros of which the signs differ, the least one is the first.)
fn commutes(class: &Class, held: &[Ty], types: &types::Types) -> bool {
    match class {
        Class::Idempotent { .. } => {
            held.iter().all(|ty| types.known(ty).is_some_and(|ty| ty.is_integer() || ty == Type::Bool))
        }
        Class::Combine { merge } => {
            let called = |method| {
                let method = quote::format_ident!("{method}");
                quote!(__a.#method(__b)).to_string()
            };
            ["wrapping_add", "wrapping_mul"].into_iter().any(|method| merge.to_string() == called(method))
        }
        Class::Best { .. } | Class::Segmented { .. } | Class::Linear { .. } | Class::State { .. } => false,
        Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Parity => true,
        Class::Bins { .. } | Class::Pushes { .. } | Class::Scratch => true,
    }
}

/// Whether an update in a chunk takes something away.
fn subtracts(edit: &TokenStream) -> bool {
    let mut names = Vec::new();
    crate::front::lower::names_in(edit.clone(), &mut names);
    names.iter().any(|(name, _)| matches!(name.as_str(), "subtract" | "minus" | "negative"))
}

/// Numbers the functions of these names anew that the text mentions, and tells which they were.
fn used(source: &str, stems: &[&str]) -> (String, Vec<usize>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let number = |word: &str| stems.iter().find_map(|stem| word.strip_prefix(stem)?.parse::<usize>().ok());
    let mut kept: Vec<usize> = source.split(|c| !is_word(c)).filter_map(number).collect();
    kept.sort_unstable();
    kept.dedup();
    let mut text = String::new();
    let mut rest = source;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match number(word).and_then(|old| kept.iter().position(|k| *k == old)) {
            Some(new) => text.push_str(&format!("{}{new}", word.trim_end_matches(|c: char| c.is_ascii_digit()))),
            None => text.push_str(word),
        }
        let next = after.find(is_word).unwrap_or(after.len());
        text.push_str(&after[..next]);
        rest = &after[next..];
    }
    (text, kept)
}

/// What a captured value is, for those who read the text.
fn label(text: &str) -> String {
    match text.strip_prefix("__") {
        // The analysis's own variables are numbered.
        Some(own) => format!("the {} of the header", own.trim_end_matches(|c: char| c.is_ascii_digit())),
        None => shown(text),
    }
}

/// The parts of a value as code.
fn paths(types: &types::Types, ty: &Ty, tokens: &TokenStream) -> Vec<TokenStream> {
    match types.shallow(ty) {
        Ty::Tuple(parts) => {
            let part = |(number, ty): (usize, &Ty)| {
                let number = proc_macro2::Literal::usize_unsuffixed(number);
                paths(types, ty, &quote!((#tokens).#number))
            };
            parts.iter().enumerate().flat_map(part).collect()
        }
        _ => vec![tokens.clone()],
    }
}

fn body(emit: &mut Emit<'_>, head: &str, position: Var, statements: &[Statement]) -> String {
    emit.state = "(*s)";
    emit.function(head, |emit| {
        emit.name(position, Value::named("p".to_owned()));
        let at = Place::from(proc_macro2::Span::call_site());
        let unit = Node { kind: Kind::Unit, ty: Ty::unit(), at };
        emit.run(&Node { kind: Kind::Block(statements.to_vec(), unit.boxed()), ty: Ty::unit(), at });
    })
}

fn identity(emit: &mut Emit<'_>, found: &Plan, parts: &Parts, initial: &HashMap<(usize, usize), usize>) -> String {
    emit.function("fn fa_identity() -> State", |emit| {
        emit.put_line("var fresh: State;".to_owned());
        emit.state = "fresh";
        for (number, accumulator) in found.accumulators.iter().enumerate() {
            let at = Place::from(accumulator.at);
            for (variable, ty) in parts.held[number].iter().enumerate() {
                let kind = match &accumulator.class {
                    Class::Sum { .. } | Class::Linear { .. } => Kind::Zero,
                    Class::Difference { .. } => Kind::PlainZero,
                    Class::Product => Kind::One,
                    _ => match initial.get(&(number, variable)) {
                        Some(value) => Kind::Value(*value),
                        // The rest is not looked at, or all bits are zero.
                        None => continue,
                    },
                };
                set(emit, number, Part::Variable(variable), ty, kind, at);
            }
            if let (Class::Linear { .. }, Some(ty)) = (&accumulator.class, parts.held[number].first()) {
                set(emit, number, Part::Factor, ty, Kind::One, at);
            }
        }
        emit.put_line("return fresh;".to_owned());
    })
}

fn set(emit: &mut Emit<'_>, number: usize, part: Part, ty: &Ty, kind: Kind, at: Place) {
    let node = |kind| Node { kind, ty: ty.clone(), at };
    let assign = Kind::Assign(node(Kind::State(number, part)).boxed(), None, node(kind).boxed());
    emit.run(&Node { kind: assign, ty: Ty::unit(), at });
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Two chunks.
    Merge,
    /// A value, and the chunk after it.
    Advance,
}

/// `fa_merge`, or `fa_advance`.
fn merges(emit: &mut Emit<'_>, found: &Plan, parts: &Parts, step: Step) -> String {
    let head = match step {
        Step::Merge => "fn fa_merge(earlier: State, later: State) -> State",
        Step::Advance => "fn fa_advance(value: State, chunk: State) -> State",
    };
    let (first, second) = if step == Step::Merge { ("earlier", "later") } else { ("value", "chunk") };
    emit.function(head, |emit| {
        emit.put_line(format!("var both = {first};"));
        for (number, accumulator) in found.accumulators.iter().enumerate() {
            if accumulator.class.is_reduction() {
                put_together(
                    emit,
                    accumulator,
                    &parts.held[number],
                    parts.merges[number].as_ref(),
                    number,
                    step,
                    first,
                    second,
                );
            }
        }
        emit.put_line("return both;".to_owned());
    })
}

#[allow(clippy::too_many_arguments)]
fn put_together(
    emit: &mut Emit<'_>,
    accumulator: &Accumulator,
    types: &[Ty],
    merge: Option<&Merge>,
    number: usize,
    step: Step,
    first: &'static str,
    second: &'static str,
) {
    let at = Place::from(accumulator.at);
    let Some(ty) = types.first() else { return };
    let node = |kind, ty: &Ty| Node { kind, ty: ty.clone(), at };
    let read = |emit: &mut Emit<'_>, state: &'static str, part, ty: &Ty| {
        emit.state = state;
        emit.state_value(number, part, ty, at)
    };
    let variable = Part::Variable(0);
    // What both come to, of the two that the merge names.
    let both = |emit: &mut Emit<'_>, merge: &Merge, a: Value, b: Value| {
        emit.name(merge.earlier, a);
        emit.name(merge.later, b);
        emit.state = "both";
        let assign = Kind::Assign(node(Kind::State(number, variable), ty).boxed(), None, merge.both.clone().boxed());
        emit.run(&node(assign, &Ty::unit()));
    };
    let copy = |emit: &mut Emit<'_>, part: Part| {
        let mut lines = Vec::new();
        for field in emit.fields_of(
            number,
            part,
            match part {
                Part::Variable(k) => &types[k],
                Part::Factor => ty,
                _ => &Ty::BOOL,
            },
        ) {
            lines.push(format!("both.f{field} = {second}.f{field};"));
        }
        lines
    };
    match &accumulator.class {
        // Of all bits, and with how often they wrap around.
        Class::Sum { .. } | Class::Difference { .. } | Class::Product if emit.sums_apart(number, ty) => {
            let how = match &accumulator.class {
                Class::Product => Total::Times,
                Class::Difference { .. } if step == Step::Advance => Total::Minus,
                _ => Total::Plus,
            };
            let checks =
                matches!(accumulator.class, Class::Sum { wraps: false, .. } | Class::Difference { wraps: false });
            let field = emit.field(number, variable);
            if let Some(count) = emit.counts.get(&number).copied() {
                emit.put_line(format!("both.f{count} += {second}.f{count};"));
            }
            emit.state = "both";
            emit.put_sum(number, ty, how, &format!("{second}.f{field}"), checks, at);
        }
        Class::Difference { wraps } if step == Step::Advance => {
            let (a, b) = (read(emit, first, variable, ty), read(emit, second, variable, ty));
            if let Some(merge) = merge {
                emit.name(merge.earlier, a);
                emit.name(merge.later, b);
                let (a, b) =
                    (node(Kind::Variable(merge.earlier), ty).boxed(), node(Kind::Variable(merge.later), ty).boxed());
                let kind = if *wraps { Kind::Total(Total::Minus, a, b) } else { Kind::Binary(Op::Sub, a, b) };
                emit.state = "both";
                let assign =
                    Kind::Assign(node(Kind::State(number, variable), ty).boxed(), None, node(kind, ty).boxed());
                emit.run(&node(assign, &Ty::unit()));
            }
        }
        Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Parity | Class::Idempotent { .. } => {
            let (a, b) = (read(emit, first, variable, ty), read(emit, second, variable, ty));
            if let Some(merge) = merge {
                both(emit, merge, a, b);
            }
        }
        Class::Combine { .. } | Class::Segmented { .. } => {
            let Some(merge) = merge else { return };
            let some = |emit: &Emit<'_>, state: &str| format!("{state}.f{} != 0u", emit.field(number, Part::Some));
            let has_reset = matches!(accumulator.class, Class::Segmented { .. });
            let (a, b) = (read(emit, first, variable, ty), read(emit, second, variable, ty));
            let mut copies = copy(emit, variable);
            copies.extend(copy(emit, Part::Some));
            let merged = emit.indented(|emit| both(emit, merge, a, b));
            let mut open = String::from("if");
            if has_reset {
                let mut all = copies.clone();
                all.extend(copy(emit, Part::Reset));
                emit.put_line(format!("if ({second}.f{} != 0u) {{", emit.field(number, Part::Reset)));
                all.into_iter().for_each(|line| emit.put_line(format!("    {line}")));
                open = "} else if".to_owned();
            }
            let condition = match step {
                Step::Merge => format!("{} && {}", some(emit, first), some(emit, second)),
                // There is always a value.
                Step::Advance => some(emit, second),
            };
            emit.put_line(format!("{open} ({condition}) {{"));
            merged.into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            if step == Step::Merge {
                emit.put_line(format!("}} else if ({}) {{", some(emit, second)));
                copies.into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            }
            emit.put_line("}".to_owned());
        }
        Class::Best { .. } => {
            let Some(merge) = merge else { return };
            let all = |emit: &mut Emit<'_>, state: &'static str| {
                emit.state = state;
                Value::Tuple(
                    types
                        .iter()
                        .enumerate()
                        .map(|(k, ty)| emit.state_value(number, Part::Variable(k), ty, at))
                        .collect(),
                )
            };
            let (a, b) = (all(emit, first), all(emit, second));
            emit.name(merge.earlier, a);
            emit.name(merge.later, b);
            let better = emit.value(&merge.both).text().to_owned();
            let hit = |state: &str| format!("{state}.f{} != 0u", emit.field(number, Part::Hit));
            let condition = match step {
                Step::Merge => format!("{} && (!({}) || {better})", hit(second), hit(first)),
                Step::Advance => format!("{} && {better}", hit(second)),
            };
            emit.put_line(format!("if ({condition}) {{"));
            for k in 0..types.len() {
                copy(emit, Part::Variable(k)).into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            }
            copy(emit, Part::Hit).into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            emit.put_line("}".to_owned());
        }
        Class::Linear { .. } => {
            // `later` after `earlier`: its factor times the one before.
            let state = |emit: &mut Emit<'_>, state, part| {
                let value = match read(emit, state, part, ty) {
                    Value::One(text, _) => text,
                    _ => String::new(),
                };
                Value::named(value)
            };
            let names: Vec<Value> =
                [(second, Part::Factor), (first, variable), (second, variable), (first, Part::Factor)]
                    .into_iter()
                    .map(|(of, part)| state(emit, of, part))
                    .collect();
            let term = emit.totals(ty, Total::Times, &names[0], &names[1], at);
            let term = emit.totals(ty, Total::Plus, &term, &names[2], at);
            let factor = emit.totals(ty, Total::Times, &names[0], &names[3], at);
            let (reset, fields) =
                (emit.field(number, Part::Reset), [variable, Part::Factor].map(|part| emit.field(number, part)));
            emit.put_line(format!("if ({second}.f{reset} != 0u) {{"));
            for part in [variable, Part::Factor, Part::Reset] {
                copy(emit, part).into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            }
            emit.put_line("} else {".to_owned());
            emit.put_line(format!("    both.f{} = {};", fields[0], emit.as_field(fields[0], term.text())));
            if step == Step::Merge {
                emit.put_line(format!("    both.f{} = {};", fields[1], emit.as_field(fields[1], factor.text())));
            }
            emit.put_line("}".to_owned());
        }
        _ => {}
    }
}
