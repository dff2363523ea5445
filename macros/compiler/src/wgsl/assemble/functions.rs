//! A function with `#[forall::device]` above it, in the language of devices.

use crate::ir::text::shown;
use crate::wgsl::assemble::captured::{Kept, Tables, Values};
use crate::wgsl::contract::{Marked, Type};
use crate::wgsl::elaborate::captured::{Capture, Captured};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::marked::signature;
use crate::wgsl::elaborate::marked_function::{FunctionBody, elaborated};
use crate::wgsl::emit::calls::helper;
use crate::wgsl::emit::layout::Layout;
use crate::wgsl::emit::text::{Emit, Helper, Numbers};
use crate::wgsl::infer::types::Types;
use crate::wgsl::tree::{Node, Obstacle, Obstacles, Ty};

/// Translates a function that is marked, or says what is in the way.
pub fn translate(item: &syn::ItemFn) -> Result<Marked, Vec<Obstacle>> {
    let (elaborate, body) = elaborated(item)?;
    write(elaborate, body)
}

fn write(mut elaborate: Elaborate<'_>, body: FunctionBody) -> Result<Marked, Vec<Obstacle>> {
    let mut obstacles = std::mem::take(&mut elaborate.obstacles);
    let mut types = std::mem::take(&mut elaborate.types);
    for (_, ty, place) in body.variables.iter().filter(|(_, ty, _)| types.parts(ty).is_none()) {
        obstacles.add(*place, no_type(&types, ty));
    }
    if types.parts(&body.result).is_none() {
        obstacles.add(body.at, no_type(&types, &body.result));
    }
    let (calls, numbers) = elaborate.calls(&types, &mut obstacles);
    let (values, tables) = constants(&elaborate.captured, &types, &mut obstacles);
    obstacles.refuse()?;

    let signature = signature(&types, &body.arguments, &body.result);
    let result = types.known(&types.inside(&body.result));
    types.open();
    let captured = Numbers { values: &values.firsts, tables: &tables.firsts, calls: &numbers, ..Numbers::default() };
    let mut emit = Emit::new(&types, &elaborate.locals.all, captured, Layout::default());
    let source = source(&mut emit, &body);
    emit.obstacles.refuse()?;
    let Kept { source, values, tables, .. } = Kept::of(&source, &values, &tables);
    let helpers = emit.needs.helpers.iter().map(|Helper(name)| helper(name)).collect();
    let (queries, loops) = (types.queries(&numbers), emit.needs.loops);
    Ok(Marked { source, signature, helpers, values, tables, calls, result, queries, loops })
}

fn no_type(types: &Types, ty: &Ty) -> String {
    let ty = types.text(ty);
    let hint = if ty.contains('[') { " whose length is a number that is written here" } else { "" };
    format!("`{ty}` is no type that a device has: it has numbers, `bool`, arrays `[T; N]`{hint}, and tuples of them")
}

/// The constants that it reads.
fn constants(captured: &Captured, types: &Types, obstacles: &mut Obstacles) -> (Values, Tables) {
    let (mut values, mut tables) = (Values::default(), Tables::default());
    for Capture { text, tokens, ty, at, .. } in &captured.values {
        let refused = || match types.text(ty).contains('_') {
            true => {
                let name = shown(text);
                format!("the type of `{name}` is not known here: write `let v: f32 = {name};`, with its type")
            }
            false => no_type(types, ty),
        };
        if let Err(what) = values.add((text, tokens), ty, types, refused) {
            obstacles.add(*at, what);
        }
    }
    for table in &captured.tables {
        let name = shown(&table.text);
        let refused =
            || format!("the type of the elements of `{name}` is not known here: write `let v: f32 = {name}[..];`");
        if let Err(what) = tables.add(table, types, refused) {
            obstacles.add(table.at, what);
        }
    }
    (values, tables)
}

/// Its text: `fa_function`, and what it gives back, if that is more than one value.
fn source(emit: &mut Emit<'_>, body: &FunctionBody) -> String {
    let types = emit.types;
    let given = std::iter::once(&body.result).chain(body.changed.iter().map(|node| &node.ty));
    let given = types.parts(&Ty::Tuple(given.cloned().collect())).unwrap_or_default();
    let mut source = String::new();
    let result = match &given[..] {
        [] => None,
        [one] => Some(one.wgsl()),
        several => {
            let fields = several.iter().enumerate().map(|(k, ty)| format!("    f{k}: {},\n", ty.wgsl()));
            source.push_str(&format!("struct fa_result {{\n{}}}\n\n", fields.collect::<String>()));
            Some("fa_result".to_owned())
        }
    };
    // Where the function panics, any value will do.
    emit.function.end = result.as_ref().map_or("return;".to_owned(), |ty| format!("return {ty}();"));
    let (mut names, mut next) = (Vec::new(), 0);
    for (variable, ty, place) in &body.variables {
        let value = emit.numbered(ty, &mut next, &|k, _| format!("a{k}"), *place);
        names.push((*variable, value.of_parameters(&types.parts(ty).unwrap_or_default())));
    }
    let held: Vec<Type> = body.variables.iter().flat_map(|(_, ty, _)| types.parts(ty).unwrap_or_default()).collect();
    let parameters: Vec<String> = held.iter().enumerate().map(|(k, ty)| format!("a{k}: {}", ty.wgsl())).collect();
    let arrow = result.as_ref().map_or(String::new(), |ty| format!(" -> {ty}"));
    let head = format!("fn fa_function({}){arrow}", parameters.join(", "));
    source
        + &emit.written(&head, |emit| {
            for (variable, value) in names {
                emit.name(variable, value);
            }
            if emit.run(&Node::unit(body.at).after(body.statements.clone())).is_none() {
                return;
            }
            let value = emit.value(&body.body);
            if let Some(result) = &result {
                emit.give_back(result, value, &body.changed);
            }
        })
}
