//! A loop as a program.

use crate::front::function::Function;
use crate::ir::report::{Place, shown};
use crate::plan::{Class, Plan, SlotKind};
use crate::wgsl::assemble::accumulators::{Step, identity, merges};
use crate::wgsl::assemble::captured::{label, paths, tables_of, used};
use crate::wgsl::assemble::histograms;
use crate::wgsl::contract::{Call, Translation, Type};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::emit::calls::helper;
use crate::wgsl::emit::text::{Emit, Value, key};
use crate::wgsl::infer::types::Types;
use crate::wgsl::tree::{Component, LoopBody, Node, NodeKind, Obstacle, Statement, Ty, Var};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashMap;

/// Translates a loop, or says what is in the way. Errors of the author's are not looked for: the loop has been checked.
pub fn translate(function: &Function, found: &Plan) -> Result<Translation, Vec<Obstacle>> {
    let obstacles = refused(found);
    if !obstacles.is_empty() {
        return Err(obstacles);
    }
    let mut elaborate = Elaborate::new(function, found);
    elaborate.run();
    let Some(parts) = elaborate.body.take() else {
        return Err(vec![Obstacle {
            place: Place::from(found.f.span),
            what: "the loop stands where its variables are not seen".to_owned(),
        }]);
    };
    write(elaborate, found, parts)
}

/// What devices do not do at all yet.
pub fn refused(found: &Plan) -> Vec<Obstacle> {
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

/// The text, once all types are known.
pub fn write(mut elaborate: Elaborate<'_>, found: &Plan, parts: LoopBody) -> Result<Translation, Vec<Obstacle>> {
    let mut obstacles = std::mem::take(&mut elaborate.obstacles);
    let mut types = std::mem::take(&mut elaborate.types);
    let mut refuse = |place: Place, what: String| obstacles.add(place, what);
    let place = Place::from(found.f.span);

    // Arrays, tables and pushes hold elements of plain types.
    let element = |ty: &Ty, what: &str| {
        types.known(ty).ok_or_else(|| {
            format!("{what} are of the type `{}`, which a device does not have: it has numbers, `bool`, and arrays `[T; N]` of them", types.text(ty))
        })
    };
    let mut arrays = Vec::new();
    for (slot, ty) in found.slots.iter().zip(&elaborate.outputs.arrays) {
        match element(ty, &format!("the elements of `{}`", slot.name)) {
            Ok(ty) => arrays.push(ty),
            Err(what) => refuse(place, what),
        }
    }
    let (mut tables, mut first_tables, mut names_of_tables) = (Vec::new(), Vec::new(), Vec::new());
    for table in &elaborate.captured.tables {
        first_tables.push(tables.len());
        let name = shown(&table.text);
        match tables_of(table, &types) {
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
    for (name, ty) in &elaborate.outputs.pushes {
        match element(ty, &format!("what is pushed to `{name}`")) {
            Ok(ty) => pushes.push(ty),
            Err(what) => refuse(place, what),
        }
    }

    let mut bins = Vec::new();
    for (number, name, ty) in &elaborate.outputs.histograms {
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
            Ok(element) => match histograms::of(&accumulator.class, element) {
                Ok(of) => bins.push(of),
                Err(what) => refuse(at, format!("`{}` {what}", shown(name))),
            },
            Err(what) => refuse(at, what),
        }
    }

    // The state, and where each part of it is.
    let (mut state, mut fields, mut levels, mut told) = (Vec::new(), HashMap::new(), Vec::new(), Vec::new());
    for (number, accumulator) in found.accumulators.iter().enumerate() {
        let more: &[Component] = match &accumulator.class {
            Class::Combine { .. } => &[Component::Some],
            Class::Best { .. } => &[Component::Hit],
            Class::Segmented { .. } => &[Component::Some, Component::Reset],
            Class::Linear { .. } => &[Component::Factor, Component::Reset],
            _ => &[],
        };
        for (variable, ty) in parts.held[number].iter().enumerate() {
            fields.insert((number, key(Component::Variable(variable))), state.len());
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
                    told.extend(all.map(|(path, ty)| (shown(&path.to_string()), path, *ty)));
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
        // LoopBody of a sum may be below zero where the whole never is.
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
                Component::Factor => {
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
            levels.push(levels.get(fields[&(number, key(Component::Variable(0)))]).copied().unwrap_or_default());
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
    for value in &elaborate.captured.values {
        add(&value.tokens, &value.text, &value.ty, value.at, &mut refuse);
    }
    // The author's initial values, where chunks start from them.
    let mut initial: HashMap<(usize, usize), usize> = HashMap::new();
    let known = elaborate.captured.values.len();
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
    obstacles.refuse()?;

    types.open();
    let mut emit = Emit::new(&types, &elaborate.locals.all, &firsts);
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
    let mut touched = Vec::new();
    let parameters = if has_state { "p: u32, s: ptr<function, State>" } else { "p: u32" };
    for (level, total) in parts.totals.iter().enumerate() {
        let name = if level == 0 { "fa_total".to_owned() } else { format!("fa_total_{level}") };
        source.push_str(&body(&mut emit, &format!("fn {name}({parameters})"), parts.position, total));
        source.push('\n');
        touched.push(std::mem::take(&mut emit.touched));
    }
    source.push_str(&body(&mut emit, &format!("fn fa_iteration({parameters})"), parts.position, &parts.iteration));
    touched.push(std::mem::take(&mut emit.touched));
    let loops = emit.loops;
    emit.obstacles.refuse()?;
    let helpers: Vec<String> = emit.helpers.iter().map(|name| helper(name) + "\n").collect();
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
    let called = |(k, call): (usize, &Call)| {
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
    let asks = types.asks(&numbers);
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
        running,
        commutative,
        touched,
        loops,
    })
}

/// Whether what an accumulator of these variables comes to does not depend on the order. (Sums of floats do in their last
/// bits, within the bounds that are promised for them; of two zeros of which the signs differ, the least one is the first.)
pub fn commutes(class: &Class, held: &[Ty], types: &Types) -> bool {
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
pub fn subtracts(edit: &TokenStream) -> bool {
    let mut names = Vec::new();
    crate::front::lower::names_in(edit.clone(), &mut names);
    names.iter().any(|(name, _)| matches!(name.as_str(), "subtract" | "minus" | "negative"))
}

pub fn body(emit: &mut Emit<'_>, head: &str, position: Var, statements: &[Statement]) -> String {
    emit.state = "(*s)";
    emit.function(head, |emit| {
        emit.name(position, Value::named("p".to_owned()));
        let at = Place::from(proc_macro2::Span::call_site());
        let unit = Node { kind: NodeKind::Unit, ty: Ty::unit(), at };
        emit.run(&Node { kind: NodeKind::Block(statements.to_vec(), unit.boxed()), ty: Ty::unit(), at });
    })
}
