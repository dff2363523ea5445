//! The annotated loop's header.

use crate::front::header::{Source, SourceKind};
use crate::ir;
use crate::ir::Local;
use crate::ir::report::Location;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::iterators::Iter;
use crate::wgsl::tree::{Node, Ty, View};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

impl Elaborate<'_> {
    fn capture_ident(&mut self, ident: &Ident, at: Location) -> Node {
        self.capture(&ident.to_string(), &quote!(#ident), Ty::USIZE, at)
    }

    fn header_view(&mut self, array: Local, at: Location) -> Option<View> {
        let ident = format_ident!("{array}");
        let view = self.view_of_array(array, &quote!(#ident), at);
        if view.is_none() {
            self.obstacle(at, format!("`{array}` is gone over in the header, and is no array that a device has"));
        }
        view
    }

    /// The annotated loop's header. Its ranges and lengths are held in variables before it.
    pub fn header(&mut self, source: &Source, at: Location) -> Option<Iter> {
        Some(match source.kind() {
            SourceKind::Range { range, from, to, .. } => {
                let quiet = std::mem::replace(&mut self.quiet, true);
                let first = self.expr(from);
                let end = to.as_ref().map(|to| self.expr(to).ty);
                self.quiet = quiet;
                if let Some(end) = end {
                    self.same(&first.ty, &end, at);
                }
                let first = match from.bare().kind {
                    ir::Kind::Int(0) => first,
                    _ => {
                        let tokens: TokenStream = quote!(__forall::Counted::at(&#range, 0usize));
                        self.capture(&format!("the range from {}", from.shown()), &tokens, first.ty, at)
                    }
                };
                if to.is_some() { Iter::From(first) } else { Iter::Open(first) }
            }
            SourceKind::Elements { array, mutable, .. } => Iter::Elements(self.header_view(*array, at)?, *mutable),
            SourceKind::Blocks { array, .. } => {
                self.obstacle(at, format!("`{array}` are blocks, which the host has"));
                return None;
            }
            SourceKind::Tiles { object, .. } => {
                self.obstacle(at, format!("the tiles of `{}` are tasks, which run on the host", object.name));
                return None;
            }
            SourceKind::Chunks { array, shorter, held, .. } => {
                let view = self.header_view(*array, at)?;
                Iter::Chunks(view, self.capture_ident(held, at), *shorter)
            }
            SourceKind::Windows { array, held, .. } => {
                let view = self.header_view(*array, at)?;
                Iter::Windows(view, self.capture_ident(held, at))
            }
            SourceKind::Parts { array, .. } => Iter::Parts(self.header_view(*array, at)?),
            SourceKind::Indexed(array, inner) => {
                let view = self.header_view(*array, at)?;
                Iter::Indexed(view, Box::new(self.header(inner, at)?))
            }
            SourceKind::Zip(one, two) => {
                let one = self.header(one, at)?;
                Iter::Zip(Box::new(one), Box::new(self.header(two, at)?))
            }
            SourceKind::Enumerate(inner) => Iter::Enumerate(Box::new(self.header(inner, at)?)),
            SourceKind::Rev(inner) => {
                let length = self.capture_ident(inner.len(), at);
                Iter::Rev(Box::new(self.header(inner, at)?), length)
            }
            SourceKind::StepBy(inner, _, held, _) => {
                let step = self.capture_ident(held, at);
                Iter::StepBy(Box::new(self.header(inner, at)?), step)
            }
            SourceKind::Skip(inner, _, held, _) => {
                let count = self.capture_ident(held, at);
                Iter::Skip(Box::new(self.header(inner, at)?), count)
            }
            SourceKind::Take(inner, ..) => self.header(inner, at)?,
        })
    }
}
