//! Loops over tiles of objects, as regions of tasks: see `core/src/objects`.
//!
//! The iterations of the loop are tasks in the order of the ranks that run them. The region tells which task is at a position.

use super::computed::literal;
use crate::front::header::{Source, SourceKind};
use crate::index::{Known, Value, emit};
use crate::ir::names::bounds_variables;
use crate::plan::{Boxes, Class, Plan, Region};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashSet;
use std::rc::Rc;

/// The variable that holds the boxes of an object.
fn boxes_variable(number: usize) -> Ident {
    format_ident!("__boxes{number}", span = Span::mixed_site())
}

/// The variable that holds the tile of a task, its bounds and its views.
pub(super) fn item() -> Ident {
    Ident::new("__item", Span::mixed_site())
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

/// The statements before a loop over tiles: its boxes, and the region, which is open. Without tasks, nothing.
pub(super) fn opened(found: &Plan, function: &str, number: usize) -> TokenStream {
    let Some(region) = &found.region else { return TokenStream::new() };
    let (len, number) = (found.source.len(), number + 1);
    let tile = found.source.tile_at(&quote!(__position));
    let boxes = region.boxes.iter().enumerate().map(|(number, boxes)| {
        let (variable, object) = (boxes_variable(number), format_ident!("{}", boxes.object));
        let ranges = ranges(boxes, region);
        let uses = match boxes.written {
            true => quote!(updates_by(&mut *#object, __ranges)),
            false => quote!(reads_by(&*#object, __ranges)),
        };
        quote!(let #variable = { let __ranges = #ranges; __region.#uses };)
    });
    let in_order = found.accumulators.iter().any(|accumulator| !is_of_any_order(&accumulator.class));
    quote!(
        const __REGION: &str = ::core::concat!(::core::module_path!(), "::", #function, " (loop ", #number, ")");
        let mut __region =
            ::forall::__private::objects::Region::new(__REGION, (0usize..#len).map(|__position| #tile));
        #(#boxes)*
        let __opened = __region.open(__REGION, &__call, #in_order);
        let __tasks = __opened.tasks();
        let mut __tokens = __opened.tokens(&__call);
    )
}

/// Whether the order of the tasks does not matter for an accumulator.
fn is_of_any_order(class: &Class) -> bool {
    matches!(class, Class::Scratch)
}

/// The statements behind the loop.
pub(super) fn closed(found: &Plan) -> TokenStream {
    match found.region {
        Some(_) => quote!(::core::mem::drop(__tokens); __opened.close(&__call);),
        None => TokenStream::new(),
    }
}

/// An iteration of a loop over tiles: with indices that are not checked if they are proved, and otherwise with all of them checked.
pub(super) fn iteration(found: &Plan, region: &Region, position: &Ident, body: &TokenStream) -> TokenStream {
    let (item, axes, pattern) = (item(), axes(region), &found.f.pattern.tokens);
    let of_item = found.source.item(&quote!(__task.number()), &|_| None);
    let form = |read: Ident, write: Ident| {
        let views = region.boxes.iter().enumerate().map(|(number, boxes)| {
            let (boxes, method) = (boxes_variable(number), if boxes.written { &write } else { &read });
            quote!(__task.#method(&#boxes))
        });
        quote!(
            let #item = (__task.tile().clone(), (#(#axes,)*), (#(#views,)*));
            let #pattern = #of_item;
            #body
        )
    };
    let [proved, checked] = ["_proved", ""].map(|form| [format_ident!("read{form}"), format_ident!("write{form}")]);
    let [proved, checked] = [proved, checked].map(|[read, write]| form(read, write));
    quote!(
        let __task = __tasks.task(#position);
        let [#(#axes),*] = __task.bounds();
        if __task.is_proved() { #proved } else { #checked }
    )
}

/// The box of each task, as a closure.
fn ranges(boxes: &Boxes, region: &Region) -> TokenStream {
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
    let object = format_ident!("{}", boxes.object);
    let axes = axes(region);
    quote!({
        let __shape: [usize; #dims] = #object.shape();
        move |__number: usize, __tile: &::forall::__private::objects::Tile<_>| {
            #[allow(unused)]
            let __positions = __number..__number + 1;
            let [#(#axes),*] = __tile.bounds();
            #evaluate
            ::forall::__private::objects::hull::<#dims>(__shape, &[#(#accesses),*])
        }
    })
}

/// The patterns of the bounds of a tile.
fn axes(region: &Region) -> Vec<TokenStream> {
    let axis = |axis| {
        let [first, end, length] = bounds_variables(axis);
        quote!((#first, #end, #length))
    };
    (0..region.dims).map(axis).collect()
}
