//! A function with `#[forall::device]` above it, in the language of devices.

use crate::ir::report::{Place, shown};
use crate::wgsl::assemble::captured::{label, paths, tables_of, used};
use crate::wgsl::contract::{Marked, Type};
use crate::wgsl::elaborate::captured::Capture;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::marked::signature;
use crate::wgsl::elaborate::marked_function::{FunctionBody, elaborated};
use crate::wgsl::emit::calls::helper;
use crate::wgsl::emit::text::Emit;
use crate::wgsl::tree::{Node, NodeKind, Obstacle, Ty};

/// Translates a function that is marked, or says what is in the way.
pub fn translate(item: &syn::ItemFn) -> Result<Marked, Vec<Obstacle>> {
    let (elaborate, body) = elaborated(item)?;
    write(elaborate, body)
}

fn write(mut elaborate: Elaborate<'_>, parts: FunctionBody) -> Result<Marked, Vec<Obstacle>> {
    let mut obstacles = std::mem::take(&mut elaborate.obstacles);
    let mut types = std::mem::take(&mut elaborate.types);
    let mut refuse = |place: Place, what: String| obstacles.add(place, what);
    let unknown = |ty: &Ty| {
        let ty = types.text(ty);
        let hint = if ty.contains('[') { " whose length is a number that is written here" } else { "" };
        format!(
            "`{ty}` is no type that a device has: it has numbers, `bool`, arrays `[T; N]`{hint}, and tuples of them"
        )
    };
    for (_, ty, place) in &parts.variables {
        if types.parts(ty).is_none() {
            refuse(*place, unknown(ty));
        }
    }
    if types.parts(&parts.result).is_none() {
        refuse(parts.at, unknown(&parts.result));
    }
    let (calls, numbers) = elaborate.calls(&types, &mut refuse);
    let signature = signature(&types, &parts.arguments, &parts.result);
    let (mut values, mut firsts, mut comments) = (Vec::new(), Vec::new(), Vec::new());
    for Capture { text, tokens, ty, at, .. } in &elaborate.captured.values {
        firsts.push(values.len());
        match types.parts(ty).filter(|_| !types.has_options(ty)) {
            Some(parts) => {
                for (tokens, ty) in paths(&types, ty, tokens).into_iter().zip(parts) {
                    comments.push(label(text));
                    values.push((tokens, ty));
                }
            }
            None if types.text(ty).contains('_') => {
                let name = shown(text);
                refuse(
                    *at,
                    format!("the type of `{name}` is not known here: write `let v: f32 = {name};`, with its type"),
                );
            }
            None => refuse(*at, unknown(ty)),
        }
    }
    let mut tables = Vec::new();
    let mut first_tables = Vec::new();
    for table in &elaborate.captured.tables {
        first_tables.push(tables.len());
        match tables_of(table, &types) {
            Some(parts) => tables.extend(parts),
            None => {
                let name = shown(&table.text);
                refuse(
                    table.at,
                    format!("the type of the elements of `{name}` is not known here: write `let v: f32 = {name}[..];`"),
                );
            }
        }
    }
    obstacles.refuse()?;

    let result_type = types.known(&types.inside(&parts.result));
    types.open();
    let mut emit = Emit::new(&types, &elaborate.locals.all, &firsts);
    (emit.calls, emit.tables) = (&numbers, &first_tables);
    let all =
        Ty::Tuple(std::iter::once(&parts.result).chain(parts.changed.iter().map(|node| &node.ty)).cloned().collect());
    let results = types.parts(&all).unwrap_or_default();
    let mut source = String::new();
    let result = match &results[..] {
        [] => None,
        [one] => Some(one.wgsl()),
        several => {
            let fields: Vec<String> =
                several.iter().enumerate().map(|(k, ty)| format!("    f{k}: {},\n", ty.wgsl())).collect();
            source.push_str(&format!("struct fa_result {{\n{}}}\n\n", fields.concat()));
            Some("fa_result".to_owned())
        }
    };
    // Where the function panics, any value will do.
    emit.end = result.as_ref().map_or("return;".to_owned(), |ty| format!("return {ty}();"));
    let (mut names, mut next) = (Vec::new(), 0);
    for (variable, ty, place) in &parts.variables {
        let value = emit.numbered(ty, &mut next, &|k, _| format!("a{k}"), *place);
        names.push((*variable, value.of_parameters(&types.parts(ty).unwrap_or_default())));
    }
    let held: Vec<Type> = parts.variables.iter().flat_map(|(_, ty, _)| types.parts(ty).unwrap_or_default()).collect();
    let parameters: Vec<String> = held.iter().enumerate().map(|(k, ty)| format!("a{k}: {}", ty.wgsl())).collect();
    let arrow = result.as_ref().map_or(String::new(), |ty| format!(" -> {ty}"));
    let head = format!("fn fa_function({}){arrow}", parameters.join(", "));
    source.push_str(&emit.function(&head, |emit| {
        for (variable, value) in names {
            emit.name(variable, value);
        }
        let unit = Node { kind: NodeKind::Unit, ty: Ty::unit(), at: parts.at };
        if !emit.run(&Node { kind: NodeKind::Block(parts.statements, unit.boxed()), ty: Ty::unit(), at: parts.at }) {
            return;
        }
        let value = emit.value(&parts.body);
        if let Some(result) = &result {
            emit.give_back(result, value, &parts.changed);
        }
    }));
    emit.obstacles.refuse()?;
    let loops = emit.loops;
    let helpers = emit.helpers.iter().map(|name| helper(name)).collect();
    let (source, kept) = used(&source, &["fa_value_"]);
    let values: Vec<_> = kept.iter().map(|&k| values[k].clone()).collect();
    let (source, kept) = used(&source, &["fa_table_", "fa_table_len_"]);
    let tables: Vec<_> = kept.iter().map(|&k| tables[k].clone()).collect();
    let asks = types.asks(&numbers);
    Ok(Marked { source, signature, helpers, values, tables, calls, result: result_type, asks, loops })
}
