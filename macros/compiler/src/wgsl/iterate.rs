//! What loops go over: how many items there are, and what each one is.

use super::elaborate::{Binding, Elaborate, Item, lookup};
use super::ranges::Range;
use super::tree::{Array, Kind, Node, Statement, Total};
use super::types::Ty;
use super::views::{Base, View};
use crate::front::header::{Source, SourceKind};
use crate::ir::report::Place;
use crate::ir::{self, Expr, Op};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// A counted source of items.
#[derive(Debug, Clone)]
pub(super) enum Iter {
    Range {
        from: Node,
        to: Node,
        inclusive: bool,
    },
    /// The annotated loop's own range, or one without an end: its first value.
    From(Node),
    Elements(View, bool),
    /// Pieces of a length; the last one may be shorter.
    Chunks(View, Node, bool),
    Windows(View, Node),
    /// The parts of an array along its first axis.
    Parts(View),
    /// The elements of an array, each with its indices.
    Indexed(View, Box<Iter>),
    Zip(Box<Iter>, Box<Iter>),
    Enumerate(Box<Iter>),
    /// With how many items there are.
    Rev(Box<Iter>, Node),
    StepBy(Box<Iter>, Node),
    Skip(Box<Iter>, Node),
    Take(Box<Iter>, Node),
}

impl Elaborate<'_> {
    /// An iterator of the body.
    pub fn iterator(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Option<Iter> {
        let at = Place::from(e);
        let of_view = |this: &mut Self, e: &Expr, mutable, to: &mut Vec<Statement>| {
            let view = match this.view(e, to) {
                Some(view) => this.fixed_view(view, to),
                None if this.quiet => {
                    let ty = this.expr(e).ty;
                    let element = this.types.element(&ty);
                    View { base: Base::Array(Array::Table(0)), element, part: None, shape: None }
                }
                None => return None,
            };
            Some(Iter::Elements(view, mutable))
        };
        // An array itself: what is gone over is the array as it is before the loop.
        let by_value = |this: &mut Self, e: &Expr, to: &mut Vec<Statement>| {
            let Some(Iter::Elements(view, mutable)) = of_view(this, e, false, to) else { return None };
            Some(Iter::Elements(this.copied(view, to), mutable))
        };
        if let Some(Range { from, to, inclusive }) = self.range(e, to) {
            return Some(Iter::Range { from, to, inclusive });
        }
        match &e.bare().kind {
            ir::Kind::Range(Some(from), None, _) => {
                let from = self.expr(from);
                Some(Iter::From(self.hold("from", from, to)))
            }
            ir::Kind::Ref(mutable, inner) => of_view(self, inner, *mutable, to),
            // Another name for elements is a reference.
            ir::Kind::Name(name) => match lookup(&self.scope, name) {
                Some(Binding::View(_) | Binding::Place(_)) => of_view(self, e, true, to),
                _ => by_value(self, e, to),
            },
            ir::Kind::Index(..)
            | ir::Kind::Field(..)
            | ir::Kind::Array(_)
            | ir::Kind::Repeat(..)
            | ir::Kind::Path
            | ir::Kind::Unary('*', _) => by_value(self, e, to),
            ir::Kind::Method(receiver, name, args, _) => {
                let usize_arg = |this: &mut Self, to: &mut Vec<Statement>| {
                    let arg = args.first()?;
                    let arg = this.index(arg);
                    Some(this.hold("n", arg, to))
                };
                match (name.as_str(), args.len()) {
                    ("iter" | "iter_mut", 0) => of_view(self, receiver, name == "iter_mut", to),
                    ("into_iter" | "copied" | "cloned" | "by_ref", 0) => self.iterator(receiver, to),
                    ("enumerate", 0) => Some(Iter::Enumerate(Box::new(self.iterator(receiver, to)?))),
                    ("zip", 1) => {
                        let one = self.iterator(receiver, to)?;
                        let two = self.iterator(&args[0], to)?;
                        Some(Iter::Zip(Box::new(one), Box::new(two)))
                    }
                    ("rev", 0) => {
                        let inner = self.iterator(receiver, to)?;
                        let length = match &inner {
                            // It counts down without one.
                            Iter::Range { .. } => self.number(0, at),
                            inner => {
                                let length = self.count(inner, at);
                                self.hold("length", length, to)
                            }
                        };
                        Some(Iter::Rev(Box::new(inner), length))
                    }
                    ("step_by", 1) => {
                        let inner = self.iterator(receiver, to)?;
                        Some(Iter::StepBy(Box::new(inner), usize_arg(self, to)?))
                    }
                    ("skip", 1) => {
                        let inner = self.iterator(receiver, to)?;
                        Some(Iter::Skip(Box::new(inner), usize_arg(self, to)?))
                    }
                    ("take", 1) => {
                        let inner = self.iterator(receiver, to)?;
                        Some(Iter::Take(Box::new(inner), usize_arg(self, to)?))
                    }
                    ("indexed_iter" | "indexed_iter_mut", 0) => {
                        let view = self.view(receiver, to)?;
                        let elements = Iter::Elements(view.clone(), name.ends_with("mut"));
                        Some(Iter::Indexed(view, Box::new(elements)))
                    }
                    ("outer_iter" | "outer_iter_mut" | "rows" | "rows_mut" | "axis_iter" | "axis_iter_mut", _) => {
                        Some(Iter::Parts(self.grid(receiver, name, args, to)?))
                    }
                    ("chunks" | "chunks_mut" | "chunks_exact" | "chunks_exact_mut", 1) => {
                        let view = self.view(receiver, to)?;
                        Some(Iter::Chunks(view, usize_arg(self, to)?, !name.starts_with("chunks_exact")))
                    }
                    ("to_le_bytes" | "to_be_bytes", 0) => of_view(self, e, false, to),
                    ("windows", 1) => {
                        let view = self.view(receiver, to)?;
                        Some(Iter::Windows(view, usize_arg(self, to)?))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The array whose parts along the first axis an iterator gives.
    fn grid(&mut self, receiver: &Expr, name: &str, args: &[Expr], to: &mut Vec<Statement>) -> Option<View> {
        let two = crate::language::array::parts(name, args, 2).is_some();
        let view = if two { self.view(receiver, to)? } else { return None };
        let dims = view.shape.as_ref()?.len();
        (dims > 1 && crate::language::array::parts(name, args, dims).is_some()).then_some(view)
    }

    fn minimum(&self, a: Node, b: Node) -> Node {
        let at = a.at;
        self.node(Kind::Method("min".to_owned(), vec![a, b]), Ty::USIZE, at)
    }

    /// How many items an iterator has.
    pub fn count(&mut self, iter: &Iter, at: Place) -> Node {
        match iter {
            Iter::Range { from, to: end, inclusive } => {
                let count = self.node(Kind::Distance(from.clone().boxed(), end.clone().boxed()), Ty::USIZE, at);
                if !inclusive {
                    return count;
                }
                let fits = self.operation(Op::Le, from.clone(), end.clone(), at);
                let one = self.number(1, at);
                let more = self.binary(Op::Add, count, one);
                let none = self.number(0, at);
                self.if_else(fits, more, none, at)
            }
            // The largest number there is.
            Iter::From(_) => self.number(0xffff_fffe, at),
            Iter::Elements(view, _) => self.length(view, at),
            Iter::Chunks(view, size, shorter) => {
                let length = self.length(view, at);
                if *shorter {
                    self.node(Kind::Steps(length.boxed(), size.clone().boxed()), Ty::USIZE, at)
                } else {
                    self.binary(Op::Div, length, size.clone())
                }
            }
            Iter::Windows(view, size) => {
                let one = self.number(1, at);
                let length = self.length(view, at);
                let beyond = self.binary(Op::Add, length, one);
                self.node(Kind::Method("saturating_sub".to_owned(), vec![beyond, size.clone()]), Ty::USIZE, at)
            }
            Iter::Zip(one, two) => match (&**one, &**two) {
                (Iter::From(_), other) | (other, Iter::From(_)) => self.count(other, at),
                (one, two) => {
                    let (a, b) = (self.count(one, at), self.count(two, at));
                    self.minimum(a, b)
                }
            },
            Iter::Parts(view) => match view.shape.as_ref().and_then(|shape| shape.first()) {
                Some(length) => length.clone(),
                None => self.number(0, at),
            },
            Iter::Enumerate(inner) | Iter::Indexed(_, inner) => self.count(inner, at),
            Iter::Rev(inner, length) => match &**inner {
                Iter::Range { .. } => self.count(inner, at),
                _ => length.clone(),
            },
            Iter::StepBy(inner, step) => {
                let count = self.count(inner, at);
                self.node(Kind::Steps(count.boxed(), step.clone().boxed()), Ty::USIZE, at)
            }
            Iter::Skip(inner, count) => {
                let all = self.count(inner, at);
                self.node(Kind::Method("saturating_sub".to_owned(), vec![all, count.clone()]), Ty::USIZE, at)
            }
            Iter::Take(inner, count) => {
                let all = self.count(inner, at);
                self.minimum(all, count.clone())
            }
        }
    }

    /// The item at a position, which is held in a variable.
    pub fn at(&mut self, iter: &Iter, position: Node, to: &mut Vec<Statement>) -> Item {
        let at = position.at;
        match iter {
            Iter::Range { from, .. } | Iter::From(from) => {
                let steps = self.node(Kind::Cast(position.boxed()), from.ty.clone(), at);
                Item::Value(self.total(Total::Plus, from.clone(), steps))
            }
            Iter::Elements(view, mutable) => {
                let element = self.element(view, position, true);
                if *mutable { Item::Place(element) } else { Item::Value(element) }
            }
            Iter::Chunks(view, size, shorter) => {
                let first = self.binary(Op::Mul, position, size.clone());
                let first = self.hold("start", first, to);
                let length = if *shorter {
                    let length = self.length(view, at);
                    let rest = self.binary(Op::Sub, length, first.clone());
                    let rest = self.minimum(rest, size.clone());
                    self.hold("length", rest, to)
                } else {
                    size.clone()
                };
                Item::View(self.piece(view, first, length, to))
            }
            Iter::Parts(view) => Item::View(self.part_at(view, position, to)),
            Iter::Indexed(view, inner) => {
                let indices = self.indices(view, position.clone(), to);
                let item = self.at(inner, position, to);
                Item::Tuple(vec![indices, item])
            }
            Iter::Windows(view, size) => Item::View(self.piece(view, position, size.clone(), to)),
            Iter::Zip(one, two) => {
                let one = self.at(one, position.clone(), to);
                Item::Tuple(vec![one, self.at(two, position, to)])
            }
            Iter::Enumerate(inner) => {
                let item = self.at(inner, position.clone(), to);
                Item::Tuple(vec![Item::Value(position), item])
            }
            Iter::Rev(inner, length) => {
                let length = match &**inner {
                    Iter::Range { .. } => self.count(inner, at),
                    _ => length.clone(),
                };
                let one = self.number(1, at);
                let last = self.binary(Op::Sub, length, one);
                let turned = self.binary(Op::Sub, last, position);
                let turned = self.hold("turned", turned, to);
                self.at(inner, turned, to)
            }
            Iter::StepBy(inner, step) => {
                let scaled = self.binary(Op::Mul, position, step.clone());
                let scaled = self.hold("scaled", scaled, to);
                self.at(inner, scaled, to)
            }
            Iter::Skip(inner, count) => {
                let shifted = self.binary(Op::Add, position, count.clone());
                let shifted = self.hold("shifted", shifted, to);
                self.at(inner, shifted, to)
            }
            Iter::Take(inner, _) => self.at(inner, position, to),
        }
    }

    fn capture_ident(&mut self, ident: &Ident, at: Place) -> Node {
        self.capture(&ident.to_string(), &quote!(#ident), Ty::USIZE, at)
    }

    fn header_view(&mut self, array: &str, at: Place) -> Option<View> {
        let ident = format_ident!("{array}");
        let view = self.view_of_array(array, &quote!(#ident), at);
        if view.is_none() {
            self.obstacle(at, format!("`{array}` is gone over in the header, and is no array that a device has"));
        }
        view
    }

    /// The annotated loop's header. Its ranges and lengths are held in variables before it.
    pub fn header(&mut self, source: &Source, at: Place) -> Option<Iter> {
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
                        let tokens: TokenStream = quote!(::forall::__private::Counted::at(&#range, 0usize));
                        self.capture(
                            &format!("the range from {}", crate::ir::report::shown(&from.text())),
                            &tokens,
                            first.ty,
                            at,
                        )
                    }
                };
                Iter::From(first)
            }
            SourceKind::Elements { array, mutable, .. } => Iter::Elements(self.header_view(array, at)?, *mutable),
            SourceKind::Chunks { array, shorter, held, .. } => {
                let view = self.header_view(array, at)?;
                Iter::Chunks(view, self.capture_ident(held, at), *shorter)
            }
            SourceKind::Windows { array, held, .. } => {
                let view = self.header_view(array, at)?;
                Iter::Windows(view, self.capture_ident(held, at))
            }
            SourceKind::Parts { array, .. } => Iter::Parts(self.header_view(array, at)?),
            SourceKind::Indexed(array, inner) => {
                let view = self.header_view(array, at)?;
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
            SourceKind::Take(inner, _) => self.header(inner, at)?,
        })
    }
}
