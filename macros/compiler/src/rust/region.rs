//! Loops over objects, as regions of tasks: see `core/src/objects`.
//!
//! A tile is a task. Otherwise a task is a range of iterations, cut by their number alone. The kernel goes over the tasks, in the order of the
//! ranks that run them.

use super::computed::literal;
use crate::front::header::{Source, SourceKind};
use crate::index::{Known, Value, emit};
use crate::ir::names::{
    bounds_variables, boxes_variable, elements_variable, place_variable, position_variable, positions_variable,
};
use crate::ir::{Expr, Id, Kind, Local, StatementKind};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Boxes, Class, Launches, Plan, Region, TaskStep};
use crate::wgsl::contract::{Translation, Type};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::rc::Rc;

/// The variable that holds the shape of an object.
fn shape_of(number: usize) -> Ident {
    format_ident!("__shape{number}", span = Span::mixed_site())
}

/// The variable that holds a view of an object.
fn view_variable(number: usize) -> Ident {
    format_ident!("__view{number}", span = Span::mixed_site())
}

/// The tile of the task in `__task`, its bounds along so many axes, and its number.
pub(super) fn item(dims: usize) -> TokenStream {
    let axes = (0..dims).map(bounds);
    quote!((__task.tile().clone(), (#(#axes,)*), __task.tile().number()))
}

/// The views in place of the expressions that stand for them.
pub(super) fn views(found: &Plan) -> HashMap<Id, TokenStream> {
    let boxes = found.region.iter().flat_map(|region| &region.boxes).enumerate();
    let view = |(number, boxes): (usize, &Boxes)| {
        let variable = view_variable(number);
        (boxes.id, if boxes.written { quote!(&mut #variable) } else { quote!(&#variable) })
    };
    let mut edits: HashMap<Id, TokenStream> = boxes.map(view).collect();
    let (cuts, position) = (found.region.iter().flat_map(|region| &region.cuts), position_variable());
    for (id, cut) in cuts {
        let values = values_variable(cut.number);
        let edit = match cut.keeps {
            true => {
                let kept = kept_by(found, *id);
                quote!(#values.keep(#position, #kept))
            }
            false => quote!(#values.take(#position)),
        };
        edits.insert(*id, edit);
    }
    edits
}

/// The values of a task that are kept.
fn kept_by(found: &Plan, id: Id) -> TokenStream {
    let call = found.f.body.nodes().find(|e| e.id == id);
    match call.map(|e| &e.kind) {
        Some(Kind::Call(_, arguments)) => arguments.iter().map(|e| e.tokens.clone()).collect(),
        _ => TokenStream::new(),
    }
}

/// The variable that holds the values of tasks at a barrier, and the one by which tasks reach them.
fn kept_variable(found: &Plan, number: usize) -> Ident {
    format_ident!("__kept{number}", span = found.f.span)
}

fn values_variable(number: usize) -> Ident {
    format_ident!("__values{number}", span = Span::mixed_site())
}

impl Source {
    /// The tile at a position, before the loop.
    fn tile_at(&self, position: &TokenStream) -> TokenStream {
        match self.kind() {
            SourceKind::Tiles { tiles, .. } => quote!(#tiles.tile(#position)),
            SourceKind::Rev(inner) => {
                let len = inner.len();
                inner.tile_at(&quote!((#len - 1 - #position)))
            }
            SourceKind::StepBy(inner, _, held, _) => inner.tile_at(&quote!((#position * #held))),
            SourceKind::Skip(inner, _, held, _) => inner.tile_at(&quote!((#position + #held))),
            SourceKind::Enumerate(inner) | SourceKind::Take(inner, ..) => inner.tile_at(position),
            _ => TokenStream::new(),
        }
    }
}

impl Boxes {
    /// The values of all indices.
    pub(super) fn values(&self) -> impl Iterator<Item = &Rc<Value>> {
        self.accesses.iter().flatten().filter_map(|along| along.value.as_ref())
    }
}

/// The statements before a loop over objects: its boxes, and the region, which is open. Without tasks, nothing.
pub(super) fn opened(found: &Plan, function: &str, number: usize) -> TokenStream {
    let Some(region) = &found.region else { return TokenStream::new() };
    let (len, number) = (found.source.len(), number + 1);
    let tiles = match region.tiles {
        Some(_) => {
            let tile = found.source.tile_at(&quote!(__position));
            quote!((0usize..#len).map(|__position| #tile))
        }
        None if region.cuts.iter().any(|(_, cut)| cut.each) => quote!(__forall::objects::each(#len)),
        None => quote!(__forall::objects::parts(#len)),
    };
    let boxes = region.boxes.iter().enumerate().map(|(number, boxes)| {
        let (variable, object) = (boxes_variable(number), format_ident!("{}", boxes.object));
        let ranges = ranges(boxes, number, region);
        let place = if boxes.reference { quote!(*#object) } else { quote!(#object) };
        let uses = match boxes.written {
            true => quote!(updates_by(&mut #place, __ranges)),
            false => quote!(reads_by(&#place, __ranges)),
        };
        let (shape, dims) = (shape_of(number), literal(boxes.dims));
        let modifies = boxes.modified.then(|| quote!(__region.modifies(#variable.number());));
        let requests = boxes.requested.then(|| quote!(__region.requests(#variable.number());));
        quote!(
            let #shape: [usize; #dims] = #object.shape();
            let #variable = { let __ranges = #ranges; __region.#uses };
            #modifies
            #requests
        )
    });
    let taken = region.cuts.iter().find(|(_, cut)| !cut.keeps).map(|(_, cut)| kept_variable(found, cut.number));
    let open = match taken {
        Some(kept) => quote!(open_with(&#kept, __REGION, &__call)),
        None => {
            let (in_order, cut) = (is_in_order(found, region), !region.cuts.is_empty());
            quote!(open(__REGION, &__call, [#in_order, #cut]))
        }
    };
    let rooms = region.cuts.iter().map(|(_, cut)| {
        let (kept, values) = (kept_variable(found, cut.number), values_variable(cut.number));
        let keep = cut.keeps.then(|| quote!(__opened.keep(&#kept);));
        quote!(#keep let #values = #kept.values();)
    });
    quote!(
        const __REGION: &str = ::core::concat!(::core::module_path!(), "::", #function, " (loop ", #number, ")");
        let mut __region = __forall::objects::Region::new(__REGION, #tiles);
        #(#boxes)*
        let __opened = __region.#open;
        #(#rooms)*
        let mut __tokens = __opened.tokens(&__call);
    )
}

/// Whether the tasks of a rank follow those of the ranks before it.
fn is_in_order(found: &Plan, region: &Region) -> bool {
    let reduces = found.accumulators.iter().any(|accumulator| !is_of_any_order(&accumulator.class));
    reduces || !region.cuts.is_empty()
}

/// Whether the order of the tasks does not matter for an accumulator.
fn is_of_any_order(class: &Class) -> bool {
    matches!(class, Class::Scratch)
}

/// The statements behind the loop.
pub(super) fn closed(found: &Plan) -> TokenStream {
    let Some(region) = &found.region else { return TokenStream::new() };
    let kept = region.cuts.iter().find(|(_, cut)| cut.keeps).map(|(_, cut)| kept_variable(found, cut.number));
    let close = match kept {
        Some(kept) => quote!(close_into(&#kept, &__call)),
        None => quote!(close(&__call)),
    };
    quote!(::core::mem::drop(__tokens); __opened.#close;)
}

/// The number of tasks.
pub(super) fn count(found: &Plan) -> Option<TokenStream> {
    found.region.as_ref().map(|_| quote!(__opened.count()))
}

/// The tasks with these numbers: with indices that are not checked if they are proved, and otherwise with all of them checked.
pub(super) fn tasks(found: &Plan, region: &Region, numbers: &TokenStream, body: &TokenStream) -> TokenStream {
    let (position, label, pattern) = (position_variable(), &found.f.label.tokens, &found.f.pattern.tokens);
    let all = positions_variable();
    let item = found.source.item(&quote!(#position), &|_| None);
    let form = |read: Ident, write: Ident| {
        let views = region.boxes.iter().enumerate().map(|(number, boxes)| {
            let (variable, view) = (boxes_variable(number), view_variable(number));
            match boxes.written {
                true => quote!(let mut #view = __task.#write(&#variable);),
                false => quote!(let #view = __task.#read(&#variable);),
            }
        });
        quote_spanned!(found.f.span=>
            #(#views)*
            #label for #position in ::core::clone::Clone::clone(&#all) {
                let #pattern = #item;
                #body
            }
        )
    };
    let [proved, checked] = ["_proved", ""].map(|form| [format_ident!("read{form}"), format_ident!("write{form}")]);
    let [proved, checked] = [proved, checked].map(|[read, write]| form(read, write));
    let (bounds, positions) =
        (bounds_of(region, &quote!(__task)), positions(region, &quote!(__task.number()), &quote!(__task.tile())));
    let end = end(region);
    let task = quote!(
        #bounds
        #positions
        if __task.is_proved() { #proved } else { #checked }
        #end
    );
    quote!(
        for __token in #numbers {
            __at.position = __token;
            if __tasks.has_run(__token) {
                continue;
            }
            let __task = __tasks.task(__token);
            #task
        }
    )
}

/// The statement behind a task, which has declared its changes if it has ended. A loop without declarations has none.
fn end(region: &Region) -> TokenStream {
    let positions = positions_variable();
    match region.cuts.iter().find(|(_, cut)| cut.keeps) {
        Some((_, cut)) => {
            let values = values_variable(cut.number);
            quote!(if !#values.go_on(::core::clone::Clone::clone(&#positions)) { __tasks.end(&__task); })
        }
        None if !region.cuts.is_empty() || region.boxes.iter().any(|boxes| boxes.modified) => {
            quote!(__tasks.end(&__task);)
        }
        None => TokenStream::new(),
    }
}

/// The positions of the iterations of a task.
fn positions(region: &Region, number: &TokenStream, tile: &TokenStream) -> TokenStream {
    let positions = positions_variable();
    match region.tiles {
        Some(_) => quote!(let #positions = #number..#number + 1;),
        None => quote!(let #positions = #tile.indices();),
    }
}

/// The tasks, and their launches on a device. `captured` gives the values of the program, if there is one.
pub(super) fn launches(found: &Plan, translation: Option<&Translation>, captured: &TokenStream) -> TokenStream {
    let described = match (&found.region, translation) {
        (Some(Region { launches: Ok(launches), .. }), Some(translation)) => {
            let types = types_of_literals(&launches.steps, translation);
            Some(described(found, launches, &quote!({ #types (#captured)(__program) })))
        }
        _ => None,
    };
    let numbers = found.region.iter().flat_map(|region| 0..region.boxes.len()).map(boxes_variable);
    let describe = described.unwrap_or_else(|| quote!(|_, _, _| {}));
    let several = found.region.as_ref().is_some_and(|region| region.launches.as_ref().is_ok_and(Launches::are_several));
    let axes = found.region.as_ref().map(axes_of_tiles);
    quote!(
        let __tasks = __opened.tasks();
        let __objects = [#(#numbers.number()),*];
        #[allow(unused)]
        let __describe: &__forall::objects::Describe<'_, #axes> = &#describe;
        let __launches = __opened.launches(&__SITE, &__objects, [::core::cfg!(debug_assertions), #several], __describe);
    )
}

/// The launches of a task, as a closure.
fn described(found: &Plan, launches: &Launches, captured: &TokenStream) -> TokenStream {
    let (position, positions) = (position_variable(), positions_variable());
    let region = found.region.iter().map(|region| bounds_of(region, &quote!(__task)));
    let iterations =
        found.region.iter().map(|region| self::positions(region, &quote!(__task.number()), &quote!(__task.tile())));
    let (pattern, item) = (&found.f.pattern.tokens, found.source.item(&quote!(#position), &|_| None));
    let tiled = found.region.as_ref().and_then(|region| region.tiles);
    let boxes = found.region.iter().flat_map(|region| &region.boxes);
    let places = boxes.enumerate().map(|(number, boxes)| {
        let (place, dims) = (place_variable(number), literal(boxes.dims));
        quote!(let #place = __task.place::<#dims>(#number);)
    });
    let steps = steps(&launches.steps, launches, captured);
    let steps = match tiled {
        Some(_) => quote!(let #position = __task.number(); let #pattern = #item; #steps),
        None if launches.each => {
            quote!(for #position in ::core::clone::Clone::clone(&#positions) { let #pattern = #item; #steps })
        }
        None => steps,
    };
    quote!(|__task, __program, __run| {
        #(#region)*
        #(#iterations)*
        #(#places)*
        #steps
    })
}

/// Statements that give the host's numbers the types that they have in launches. Otherwise rustc would take `0` for an `i32`, as it sees
/// only the host's uses.
fn types_of_literals(steps: &[TaskStep], translation: &Translation) -> TokenStream {
    let is_literal = |e: &Expr| matches!(e.bare().kind, Kind::Int(_) | Kind::Literal);
    let of_value = |name: Local| {
        let is_name = |tokens: &TokenStream| tokens.to_string() == name.to_string();
        let (tokens, ty) = translation.values.iter().find(|(tokens, _)| is_name(tokens))?;
        let ty = format_ident!("{}", Type::named(&ty.name()).filter(|named| named == ty)?.name());
        Some(quote!(let _: &#ty = &#tokens;))
    };
    let mut all = TokenStream::new();
    for step in steps {
        match step {
            TaskStep::Statement(statement) => {
                if let StatementKind::Let(pattern, Some(value), None) = &statement.kind
                    && is_literal(value)
                    && let Some(name) = pattern.single()
                {
                    all.extend(of_value(name.name));
                }
            }
            TaskStep::Launch(_) => {}
            TaskStep::For(f, inner) => {
                if let Kind::Range(Some(from), Some(to), _) = &f.source.bare().kind
                    && is_literal(from)
                    && is_literal(to)
                    && let Some(name) = f.pattern.single()
                {
                    all.extend(of_value(name.name));
                }
                all.extend(types_of_literals(inner, translation));
            }
            TaskStep::If(_, then, otherwise) => {
                [then, otherwise].into_iter().for_each(|steps| all.extend(types_of_literals(steps, translation)));
            }
        }
    }
    all
}

/// The steps of the host.
fn steps(all: &[TaskStep], launches: &Launches, captured: &TokenStream) -> TokenStream {
    let step = |step: &TaskStep| match step {
        TaskStep::Statement(statement) => statement.tokens.clone(),
        TaskStep::Launch(number) => launch(*number, launches, captured),
        TaskStep::For(f, inner) => {
            let (pattern, range, inner) = (&f.pattern.tokens, &f.source.tokens, steps(inner, launches, captured));
            quote!(for #pattern in #range { #inner })
        }
        TaskStep::If(condition, then, otherwise) => {
            let [then, otherwise] = [then, otherwise].map(|all| steps(all, launches, captured));
            let condition = &condition.tokens;
            quote!(if #condition { #then } else { #otherwise })
        }
    };
    all.iter().map(step).collect()
}

/// A launch: the ranges of its loops, with its number behind them if there are several.
fn launch(number: usize, launches: &Launches, captured: &TokenStream) -> TokenStream {
    let (lengths, loops) = (elements_variable(), &launches.elements[number].loops);
    let ranges = loops.iter().map(|f| {
        let range = &f.source.tokens;
        quote!(::forall::__private::objects::first_and_count(#range))
    });
    let (several, depth) = (launches.elements.len() > 1, launches.depth());
    let (length, count) = (depth + usize::from(several), loops.len());
    let rest = (count..depth).map(|_| quote!((0, 0)));
    let last = several.then(|| quote!((#number, 0)));
    let positions = positions_variable();
    let whole = (!launches.each).then(|| quote!(#positions.len() *));
    quote!({
        let #lengths: [(usize, usize); #length] = [#(#ranges,)* #(#rest,)* #last];
        __run(#whole #lengths[..#count].iter().map(|(_, count)| *count).product::<usize>(), #captured);
    })
}

/// The box of each task, as a closure.
fn ranges(boxes: &Boxes, number: usize, region: &Region) -> TokenStream {
    let (mut evaluate, mut emitted) = (TokenStream::new(), HashSet::new());
    let dims = literal(boxes.dims);
    let accesses: Vec<TokenStream> = boxes
        .accesses
        .iter()
        .map(|along| {
            let mut axis = |number: usize| match along.get(number) {
                Some(Known { value: Some(value), .. }) => {
                    let value = emit(value, &mut emitted, &mut evaluate);
                    quote!(#value)
                }
                _ => quote!(__fp::Index::UNKNOWN),
            };
            let along: Vec<TokenStream> = (0..boxes.dims).map(&mut axis).collect();
            quote!([#(#along),*])
        })
        .collect();
    let (bounds, positions) =
        (bounds_of(region, &quote!(__tile)), positions(region, &quote!(__number), &quote!(__tile)));
    let shape = shape_of(number);
    let axes = axes_of_tiles(region);
    quote!(|__number: usize, __tile: &__forall::objects::Tile<#axes>| {
        #bounds
        #positions
        #evaluate
        __forall::objects::hull::<#dims>(#shape, &[#(#accesses),*])
    })
}

/// The number of axes of the tiles of a region: one for a loop over indices. Rust before 1.89 does not infer it in the type of a tile.
fn axes_of_tiles(region: &Region) -> TokenStream {
    let axes = literal(region.tiles.unwrap_or(1));
    quote!(#axes)
}

/// The bounds of a tile along an axis.
fn bounds(axis: usize) -> TokenStream {
    let [first, end, length] = bounds_variables(axis);
    quote!((#first, #end, #length))
}

/// A statement that binds the bounds of a tile.
fn bounds_of(region: &Region, of: &TokenStream) -> TokenStream {
    let Some(dims) = region.tiles else { return TokenStream::new() };
    let axes = (0..dims).map(bounds);
    quote!(let [#(#axes),*] = #of.bounds();)
}
