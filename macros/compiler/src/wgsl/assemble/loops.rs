//! A loop as a program.

use crate::front::function::Function;
use crate::ir::Local;
use crate::ir::names::type_variable;
use crate::ir::place::Place;
use crate::ir::report::Location;
use crate::ir::text::shown;
use crate::maps::{HashMap, New as _};
use crate::plan::{Class, Operator, Plan, SlotKind, Written};
use crate::wgsl::assemble::accumulators::{Step, identity, merges};
use crate::wgsl::assemble::captured::{Kept, Tables, Values, no_type};
use crate::wgsl::assemble::histograms;
use crate::wgsl::assemble::state::{State, commutes};
use crate::wgsl::contract::{Bins, Call, Touched, Translation, Type};
use crate::wgsl::elaborate::captured::Captured;
use crate::wgsl::elaborate::context::{Elaborate, Outputs};
use crate::wgsl::emit::calls::helper;
use crate::wgsl::emit::text::{Emit, Helper, Numbers, Value};
use crate::wgsl::infer::types::Types;
use crate::wgsl::tree::{LoopBody, Obstacle, Obstacles, Statement, Ty, Var};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Translates a loop, or says what is in the way. Errors of the author's are not looked for: the loop has been checked.
pub fn translate(function: &Function, plan: &Plan) -> Result<Translation, Vec<Obstacle>> {
    translated(function, plan).map_err(|mut obstacles| {
        for obstacle in &mut obstacles {
            obstacle.what = function.code.resolved.renamed.shown(&obstacle.what);
        }
        obstacles
    })
}

fn translated(function: &Function, plan: &Plan) -> Result<Translation, Vec<Obstacle>> {
    let obstacles = refused(plan);
    if !obstacles.is_empty() {
        return Err(obstacles);
    }
    let mut elaborate = Elaborate::new(function, plan);
    elaborate.run();
    let Some(body) = elaborate.body.take() else {
        return Err(vec![Obstacle {
            place: Location::from(plan.f.span),
            what: "the loop stands where its variables are not seen".to_owned(),
        }]);
    };
    write(elaborate, plan, &body)
}

/// Loops that devices do not support yet.
fn refused(plan: &Plan) -> Vec<Obstacle> {
    let place = Location::from(plan.f.span);
    let mut obstacles = Vec::new();
    let mut refuse = |place: Location, what: String| obstacles.push(Obstacle { place, what });
    for accumulator in &plan.accumulators {
        let what = match &accumulator.class {
            Class::Bins { .. } if accumulator.class.operator_of_bins().is_none() => "is a histogram of structs",
            Class::Bins { .. } if plan.running => "is a histogram beside scan states",
            Class::System(_) => "is computed together with others, or by more than one operator,",
            Class::Machine { .. } => "is the state of a finite-state machine",
            Class::State(_) => "is a state of your own type",
            Class::Frame { .. } => "is an array that ranks fold into in order",
            Class::Scatter { written: Written::Merge(Operator::Repeated(_)), .. } => {
                "is updated by one function at indices that depend on data"
            }
            Class::Scatter { path, .. } if !path.is_empty() => {
                "is written in parts of its elements, at places that only the data know,"
            }
            Class::Scatter { .. } if plan.levels() > 1 => {
                "is written at indices that depend on data, beside scan states that depend on each other,"
            }
            _ => continue,
        };
        refuse(Location::from(accumulator.at), format!("`{}` {what}, which devices do not do yet", accumulator.place));
    }
    if let Some(ends) = &plan.f.ends {
        refuse(
            Location::from(ends),
            "an iteration may end the loop, so the iterations run on the processor's cores".to_owned(),
        );
    }
    if let Some(region) = &plan.region {
        let privates = plan.privates.iter().map(|name| format!("`{name}` is a variable of the task"));
        privates.for_each(|what| refuse(place, format!("{what}, which run on the processor's cores then")));
        if let Err((place, what)) = &region.launches {
            refuse(*place, format!("{what}, so its elements are not computed at the same time"));
        }
    }
    for slot in plan.slots.iter().filter(|slot| slot.kind == SlotKind::Everywhere) {
        if slot.element.is_none() && slot.name.contains('.') {
            refuse(place, format!("`{}` is a field that iterations write to", shown(&slot.name)));
        }
    }
    obstacles
}

/// The text, once all types are known.
fn write(mut elaborate: Elaborate<'_>, plan: &Plan, body: &LoopBody) -> Result<Translation, Vec<Obstacle>> {
    let mut obstacles = std::mem::take(&mut elaborate.obstacles);
    let mut types = std::mem::take(&mut elaborate.types);
    let outputs = &elaborate.outputs;
    let named = plan.device_arrays();
    let slots = named.iter().zip(&outputs.arrays);
    let slots = slots.map(|(array, ty)| (format!("the elements of `{}`", array.name), ty));
    let arrays = elements(slots, plan, &types, &mut obstacles);
    let tables = tables(&elaborate.captured, &types, &mut obstacles);
    let pushes = outputs.pushes.iter();
    let pushes = pushes.map(|pushed| (format!("what is pushed to `{}{}`", pushed.place, pushed.part), &pushed.element));
    let pushes = elements(pushes, plan, &types, &mut obstacles);
    let bins = histograms(plan, outputs, &types, &mut obstacles);
    let state = State::of(plan, &body.held, &types, &mut obstacles);
    let (values, initial) = values(plan, body, &elaborate.captured, &types, &mut obstacles);
    let (calls, numbers) = elaborate.calls(&types, &mut obstacles);
    obstacles.refuse()?;

    types.open();
    let declared = state.text();
    let State { layout, levels, mut told } = state;
    let known = |(name, ty): &(Local, Ty)| {
        let of = type_variable(name);
        Some((name.to_string(), quote!(#of), types.known(ty)?))
    };
    told.extend(elaborate.outputs.privates.iter().filter_map(known));
    let widths = bins.iter().map(Bins::width).collect();
    let captured = Numbers { values: &values.firsts, tables: &tables.firsts, calls: &numbers, widths };
    let mut emit = Emit::new(&types, &elaborate.locals.all, captured, layout);
    let (source, touched) = source(&mut emit, plan, body, &declared, &initial);
    emit.obstacles.refuse()?;
    let Kept { source, values, tables, comments } = Kept::of(&source, &values, &tables);
    let source = format!("{}\n{source}", head(plan, &comments, &calls));
    let mut reductions = plan.accumulators.iter().zip(&body.held);
    Ok(Translation {
        source,
        arrays,
        values,
        tables,
        levels,
        told,
        counted: emit.layout.counts.len(),
        pushes,
        bins,
        calls,
        queries: types.queries(&numbers),
        running: plan.running,
        commutative: reductions.all(|(accumulator, held)| commutes(&accumulator.class, held, &types)),
        touched,
        loops: emit.needs.loops,
        state: emit.layout.fields,
    })
}

/// The type of elements, which must be one that a device has.
fn element(types: &Types, ty: &Ty, what: &str) -> Result<Type, String> {
    types.known(ty).ok_or_else(|| no_type(&format!("{what} are"), &types.text(ty)))
}

/// Types of elements, each with the name of the elements for messages.
fn elements<'t>(
    named: impl Iterator<Item = (String, &'t Ty)>,
    plan: &Plan,
    types: &Types,
    obstacles: &mut Obstacles,
) -> Vec<Type> {
    let known = named.filter_map(|(name, ty)| match element(types, ty, &name) {
        Ok(ty) => Some(ty),
        Err(what) => {
            obstacles.add(Location::from(plan.f.span), what);
            None
        }
    });
    known.collect()
}

fn tables(captured: &Captured, types: &Types, obstacles: &mut Obstacles) -> Tables {
    let mut tables = Tables::default();
    for table in &captured.tables {
        let name = || format!("the elements of `{}`", shown(&table.text));
        if let Err(what) = tables.add(table, types, || element(types, &table.ty, &name()).err().unwrap_or_default()) {
            obstacles.add(table.at, what);
        }
    }
    tables
}

fn histograms(plan: &Plan, outputs: &Outputs, types: &Types, obstacles: &mut Obstacles) -> Vec<Bins> {
    let mut bins = Vec::new();
    for (number, name, ty) in &outputs.histograms {
        let (accumulator, name) = (&plan.accumulators[*number], name);
        let of = match element(types, ty, &format!("the elements of `{name}`")) {
            Ok(Type::Queried(..)) => {
                Err(format!("the elements of `{name}` are of a type that is not known here: a histogram holds numbers"))
            }
            Ok(element) => histograms::of(&accumulator.class, element).map_err(|what| format!("`{name}` {what}")),
            Err(what) => Err(what),
        };
        match of {
            Ok(of) => bins.push(of),
            Err(what) => obstacles.add(Location::from(accumulator.at), what),
        }
    }
    bins
}

/// The captured values, and the author's initial values, where chunks start from them: the number of each, by the accumulator
/// and its variable.
fn values(
    plan: &Plan,
    body: &LoopBody,
    captured: &Captured,
    types: &Types,
    obstacles: &mut Obstacles,
) -> (Values, HashMap<(usize, usize), usize>) {
    let (mut values, mut initial) = (Values::default(), HashMap::new());
    let mut add = |values: &mut Values, text: &str, tokens: &TokenStream, ty: &Ty, at: Location| {
        let refused = || {
            let (name, ty) = (shown(text), types.text(ty));
            if !ty.contains('_') {
                return no_type(&format!("`{name}` is"), &ty);
            }
            let short = name.rsplit(['.', ':']).next().unwrap_or("value").to_lowercase();
            format!(
                "the type of `{name}` is not known here: write `let {short}: f32 = {name};` before the loop, with its type"
            )
        };
        if let Err(what) = values.add((text, tokens), ty, types, refused) {
            obstacles.add(at, what);
        }
    };
    for value in &captured.values {
        add(&mut values, &value.text, &value.tokens, &value.ty, value.at);
    }
    for (number, accumulator) in plan.accumulators.iter().enumerate() {
        let places: Vec<TokenStream> = match &accumulator.class {
            Class::Idempotent { .. } => vec![accumulator.tokens.clone()],
            Class::Best { variables, .. } => variables.iter().map(Place::tokens).collect(),
            _ => Vec::new(),
        };
        for (variable, place) in places.iter().enumerate() {
            let Some(ty) = body.held[number].get(variable) else { continue };
            initial.insert((number, variable), values.firsts.len());
            add(&mut values, &place.to_string(), place, ty, Location::from(accumulator.at));
        }
    }
    (values, initial)
}

/// All functions, and what those of the body do with the arrays.
fn source(
    emit: &mut Emit<'_>,
    plan: &Plan,
    body: &LoopBody,
    declared: &str,
    initial: &HashMap<(usize, usize), usize>,
) -> (String, Vec<Touched>) {
    let has_state = !emit.layout.fields.is_empty();
    let mut texts = Vec::new();
    if has_state {
        texts.push(format!("{declared}{}", identity(emit, plan, body, initial)));
        texts.push(merges(emit, plan, body, Step::Merge));
        if plan.running {
            texts.push(merges(emit, plan, body, Step::Advance));
        }
    }
    let mut touched = Vec::new();
    let parameters = if has_state { "p: u32, s: ptr<function, State>" } else { "p: u32" };
    for (level, total) in body.totals.iter().enumerate() {
        let name = if level == 0 { "fa_total".to_owned() } else { format!("fa_total_{level}") };
        texts.push(iteration(emit, &format!("fn {name}({parameters})"), body.position, total));
        touched.push(std::mem::take(&mut emit.needs.touched));
    }
    texts.push(iteration(emit, &format!("fn fa_iteration({parameters})"), body.position, &body.iteration));
    touched.push(std::mem::take(&mut emit.needs.touched));
    let helpers: Vec<String> = emit.needs.helpers.iter().map(|Helper(name)| helper(name) + "\n").collect();
    (helpers.concat() + &texts.join("\n"), touched)
}

/// Comments that say what the text names.
fn head(plan: &Plan, captured: &str, calls: &[Call]) -> String {
    let arrays = plan.device_arrays();
    let arrays = arrays.iter().enumerate().map(|(k, array)| format!("// fa_load_{k}: {}\n", array.name));
    let calls = calls.iter().enumerate().map(|(k, call)| {
        let path = shown(&call.path.to_token_stream().to_string());
        format!("// fa_call_{k}: {path}, {}\n", call.signature)
    });
    format!("{}{captured}{}", arrays.collect::<String>(), calls.collect::<String>())
}

/// A function that runs the body for a position.
fn iteration(emit: &mut Emit<'_>, head: &str, position: Var, statements: &[Statement]) -> String {
    emit.function.state = "(*s)";
    emit.written(head, |emit| {
        emit.name(position, Value::Named("p".to_owned()));
        emit.statements(statements);
    })
}
