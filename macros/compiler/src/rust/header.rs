//! The header of the annotated loop as code: what is held before it, and the item of an iteration.

use super::computed::literal;
use super::region;
use crate::front::header::{Source, SourceKind};
use crate::ir::names::blocks_variable;
use crate::ir::{Kind, Op};
use crate::plan::Plan;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Source {
    /// Statements before the loop: they hold the ranges and the lengths.
    pub fn setup(&self, to: &mut TokenStream) {
        let len = self.len();
        match self.kind() {
            SourceKind::Range { range, tokens, .. } => {
                to.extend(quote!(let #range = #tokens; let #len = __forall::Counted::count(&#range);));
            }
            SourceKind::Elements { array, .. } => {
                let array = format_ident!("{array}");
                to.extend(quote!(let #len: usize = #array.len();));
            }
            SourceKind::Blocks { array, mutable } => {
                let (blocks, array) = (blocks_variable(array), format_ident!("{array}"));
                let begin = mutable.then(|| quote!(#blocks.begin(&__call, &#array);));
                to.extend(quote!(let #len: usize = #array.len(); #begin));
            }
            SourceKind::Tiles { object, shape, tiles } => {
                let (object, shape) = (format_ident!("{}", object.name), &shape.tokens);
                to.extend(quote!(
                    let #tiles = #object.tiles(#shape);
                    let #len: usize = ::core::iter::ExactSizeIterator::len(&#tiles);
                ));
            }
            SourceKind::Chunks { array, length, held, shorter, .. } => {
                let (array, length) = (format_ident!("{array}"), &length.tokens);
                to.extend(quote!(
                    let #held: usize = #length;
                    let #len: usize = __forall::chunks_of(#array.len(), #held, #shorter);
                ));
            }
            SourceKind::Parts { array, .. } => {
                let array = format_ident!("{array}");
                to.extend(quote!(let #len: usize = #array.shape()[0];));
            }
            SourceKind::Windows { array, length, held } => {
                let (array, length) = (format_ident!("{array}"), &length.tokens);
                to.extend(quote!(
                    let #held: usize = #length;
                    let #len: usize = __forall::windows_of(#array.len(), #held);
                ));
            }
            SourceKind::Zip(one, two) => {
                one.setup(to);
                two.setup(to);
                let (a, b) = (one.len(), two.len());
                to.extend(quote!(let #len: usize = ::core::cmp::min(#a, #b);));
            }
            SourceKind::Indexed(_, inner) | SourceKind::Enumerate(inner) | SourceKind::Rev(inner) => {
                inner.setup(to);
                let inner = inner.len();
                to.extend(quote!(let #len: usize = #inner;));
            }
            SourceKind::StepBy(inner, step, held, _) => {
                inner.setup(to);
                let inner = inner.len();
                to.extend(quote!(
                    let #held: usize = #step;
                    let #len: usize = __forall::steps_of(#inner, #held);
                ));
            }
            SourceKind::Skip(inner, count, held, _) => {
                inner.setup(to);
                let inner = inner.len();
                to.extend(quote!(let #held: usize = #count; let #len: usize = usize::saturating_sub(#inner, #held);));
            }
            SourceKind::Take(inner, count, held) => {
                inner.setup(to);
                let inner = inner.len();
                to.extend(quote!(let #held: usize = #count; let #len: usize = ::core::cmp::min(#inner, #held);));
            }
        }
    }

    /// Copies of what `item` uses, for the kernel to own: what it captures by reference is read again in each iteration
    /// where the compiler cannot exclude that the body's stores change it.
    pub fn owned(&self) -> TokenStream {
        let mut own = TokenStream::new();
        self.own(&mut own);
        own
    }

    fn own(&self, to: &mut TokenStream) {
        match self.kind() {
            SourceKind::Range { range, .. } => to.extend(quote!(let #range = __forall::Clone::clone(&#range);)),
            SourceKind::Elements { .. }
            | SourceKind::Blocks { .. }
            | SourceKind::Parts { .. }
            | SourceKind::Tiles { .. } => {}
            SourceKind::Chunks { held, .. } | SourceKind::Windows { held, .. } => to.extend(quote!(let #held = #held;)),
            SourceKind::Zip(one, two) => {
                one.own(to);
                two.own(to);
            }
            SourceKind::Indexed(_, inner) | SourceKind::Enumerate(inner) | SourceKind::Take(inner, ..) => inner.own(to),
            SourceKind::Rev(inner) => {
                inner.own(to);
                let len = inner.len();
                to.extend(quote!(let #len = #len;));
            }
            SourceKind::StepBy(inner, _, held, _) | SourceKind::Skip(inner, _, held, _) => {
                inner.own(to);
                to.extend(quote!(let #held = #held;));
            }
        }
    }

    /// The number that an iteration goes by, `i` of `for i in a..b` and of `enumerate()`: the place of its own element.
    fn number(&self, position: &TokenStream) -> TokenStream {
        match self.kind() {
            SourceKind::Range { .. } => {
                let item = self.item(position, &|_| None);
                quote!((#item) as i64)
            }
            SourceKind::Zip(one, two) => match one.counts() {
                true => one.number(position),
                false => two.number(position),
            },
            SourceKind::Rev(inner) => {
                let len = inner.len();
                inner.number(&quote!((#len - 1 - #position)))
            }
            SourceKind::StepBy(inner, _, held, _) => inner.number(&quote!((#position * #held))),
            SourceKind::Skip(inner, _, held, _) => inner.number(&quote!((#position + #held))),
            SourceKind::Take(inner, ..) => inner.number(position),
            _ => quote!((#position) as i64),
        }
    }

    /// Whether iterations go by numbers that the author has named.
    fn counts(&self) -> bool {
        match self.kind() {
            SourceKind::Range { .. } | SourceKind::Enumerate(_) | SourceKind::Indexed(..) => true,
            SourceKind::Zip(one, two) => one.counts() || two.counts(),
            SourceKind::Rev(inner) | SourceKind::StepBy(inner, ..) | SourceKind::Skip(inner, ..) => inner.counts(),
            SourceKind::Take(inner, ..) => inner.counts(),
            _ => false,
        }
    }

    /// The places of the own elements of a range of iterations.
    pub fn here(&self) -> TokenStream {
        let (first, second) = (self.number(&quote!(0usize)), self.number(&quote!(1usize)));
        quote!(if __positions.end < 2 {
            __fp::Index::outer(if __positions.is_empty() { 0 } else { #first }, 1, i64::MAX, &__positions)
        } else {
            __fp::Index::outer(#first, #second - #first, i64::MAX, &__positions)
        })
    }

    /// The item at a position. `slot` tells the places of arrays in the loop's list, if the item is taken in the loop.
    pub fn item(&self, position: &TokenStream, slot: &dyn Fn(&str) -> Option<usize>) -> TokenStream {
        let own = |array: &str| match slot(array) {
            Some(slot) => {
                let slot = literal(slot);
                quote!(__computed::own(#slot, #position))
            }
            None => position.clone(),
        };
        match self.kind() {
            SourceKind::Range { range, from, .. } => Source::counted_at(range, from, position),
            SourceKind::Elements { array, mutable, copied } => {
                let (position, array) = (own(array), format_ident!("{array}"));
                match (mutable, copied) {
                    (true, _) => quote!(&mut #array[#position]),
                    (false, true) => quote!(#array[#position]),
                    (false, false) => quote!(&#array[#position]),
                }
            }
            SourceKind::Blocks { array, mutable } => {
                let (blocks, position, array) = (blocks_variable(array), own(array), format_ident!("{array}"));
                match mutable {
                    true => quote!(#blocks.open_mut(&mut #array[#position])),
                    false => quote!(#blocks.open(&#array[#position])),
                }
            }
            // A task of a region has it.
            SourceKind::Tiles { object, .. } => region::item(object.dims),
            SourceKind::Chunks { array, mutable, held, shorter, .. } => {
                let array = format_ident!("{array}");
                let end = if *shorter {
                    quote!(::core::cmp::min(((#position) + 1) * #held, #array.len()))
                } else {
                    quote!(((#position) + 1) * #held)
                };
                let reference = if *mutable { quote!(&mut) } else { quote!(&) };
                quote!({
                    let __end = #end;
                    #reference #array[(#position) * #held..__end]
                })
            }
            SourceKind::Windows { array, held, .. } => {
                let array = format_ident!("{array}");
                quote!(&#array[(#position)..(#position) + #held])
            }
            SourceKind::Parts { array, mutable } => {
                let (array, method) =
                    (format_ident!("{array}"), format_ident!("{}", if *mutable { "outer_mut" } else { "outer" }));
                quote!(#array.#method(#position))
            }
            SourceKind::Zip(one, two) => {
                let (one, two) = (one.item(position, slot), two.item(position, slot));
                quote!((#one, #two))
            }
            SourceKind::Indexed(array, inner) => {
                let (array, inner) = (format_ident!("{array}"), inner.item(position, slot));
                quote!((#array.index_of(#position), #inner))
            }
            SourceKind::Enumerate(inner) => {
                let inner = inner.item(position, slot);
                quote!((#position, #inner))
            }
            SourceKind::Rev(inner) => {
                let len = inner.len();
                inner.item(&quote!((#len - 1 - #position)), slot)
            }
            SourceKind::StepBy(inner, _, held, _) => inner.item(&quote!((#position * #held)), slot),
            SourceKind::Skip(inner, _, held, _) => inner.item(&quote!((#position + #held)), slot),
            SourceKind::Take(inner, ..) => inner.item(position, slot),
        }
    }

    /// Statements behind the loop: ranges without an end from which an item more is pulled than there are iterations, as from
    /// the first of two that go on together, panic where they have none.
    pub fn pulled(&self) -> TokenStream {
        let (mut pulled, len) = (TokenStream::new(), self.len());
        self.pull(&quote!(usize::saturating_add(#len, 1)), &mut pulled);
        pulled
    }

    fn pull(&self, items: &TokenStream, to: &mut TokenStream) {
        match self.kind() {
            SourceKind::Range { range, to: None, .. } => {
                to.extend(quote!(__forall::footprint::pulled(&#range, #items);));
            }
            SourceKind::Zip(one, two) => {
                let (a, b) = (one.len(), two.len());
                one.pull(&quote!(::core::cmp::min(#items, usize::saturating_add(::core::cmp::min(#a, #b), 1))), to);
                two.pull(&quote!(::core::cmp::min(#items, ::core::cmp::min(#a, usize::saturating_add(#b, 1)))), to);
            }
            SourceKind::Enumerate(inner) => inner.pull(items, to),
            SourceKind::StepBy(inner, _, held, _) => {
                let items = quote!(usize::saturating_sub(usize::saturating_mul(#items, #held), #held - 1));
                inner.pull(&items, to);
            }
            SourceKind::Skip(inner, _, held, _) => {
                inner.pull(&quote!(if #items == 0 { 0 } else { usize::saturating_add(#items, #held) }), to);
            }
            SourceKind::Take(inner, _, held) => inner.pull(&quote!(::core::cmp::min(#items, #held)), to),
            SourceKind::Range { .. }
            | SourceKind::Elements { .. }
            | SourceKind::Blocks { .. }
            | SourceKind::Tiles { .. }
            | SourceKind::Chunks { .. }
            | SourceKind::Windows { .. }
            | SourceKind::Parts { .. }
            | SourceKind::Indexed(..)
            | SourceKind::Rev(_) => {}
        }
    }
}

/// Whether the body tests for the first iteration (`if i > 0`). Then the first iteration has code of its own, and the others have no test.
pub(super) fn singles_out_the_first(found: &Plan) -> bool {
    let positions = found.source.positions(&found.f.pattern);
    let mut tests = false;
    found.f.body.walk(&mut |e| {
        if let Kind::Binary(op, one, two) = &e.kind {
            for (op, position, other) in [(*op, one, two), (op.mirrored(), two, one)] {
                let first = match other.bare().kind {
                    Kind::Int(0) => matches!(op, Op::Eq | Op::Ne | Op::Gt),
                    Kind::Int(1) => matches!(op, Op::Ge | Op::Lt),
                    _ => false,
                };
                tests |= first && position.name().is_some_and(|name| positions.contains(&name));
            }
        }
        !tests
    });
    tests
}
