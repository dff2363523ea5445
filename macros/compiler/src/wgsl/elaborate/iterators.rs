//! The iterators of loops: how many items they have, and each item.

use crate::front::items::{By, Form, Items};
use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::tree::{Array, Base, Item, Node, NodeKind, Range, Statement, Total, Ty, View};

/// A counted source of items.
#[derive(Debug, Clone)]
pub enum Iter {
    Range(Range),
    /// The annotated loop's own range: its first value.
    From(Node),
    /// A range without an end: its first value.
    Open(Node),
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

impl Iter {
    /// Whether it has ranges without an end, which end with the iterators that they are zipped with.
    fn ends_open_ranges(&self, beside: bool) -> bool {
        match self {
            Iter::Open(_) => beside,
            Iter::Zip(one, two) => one.ends_open_ranges(true) || two.ends_open_ranges(true),
            Iter::Enumerate(inner)
            | Iter::Rev(inner, _)
            | Iter::StepBy(inner, _)
            | Iter::Skip(inner, _)
            | Iter::Take(inner, _) => inner.ends_open_ranges(beside),
            _ => false,
        }
    }
}

impl Elaborate<'_> {
    /// An iterator of the body.
    pub fn iterator(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Option<Iter> {
        self.iterator_of(&Items::of(e), to)
    }

    fn iterator_of(&mut self, items: &Items<'_>, to: &mut Vec<Statement>) -> Option<Iter> {
        let at = Location::from(items.e);
        if let Some(range) = self.range(items.e, to) {
            return Some(Iter::Range(range));
        }
        let boxed = |this: &mut Self, inner, to: &mut Vec<Statement>| this.iterator_of(inner, to).map(Box::new);
        Some(match &items.form {
            Form::Range { from, to: None } => {
                let from = self.expr(from);
                Iter::Open(self.locals.hold("from", from, to))
            }
            Form::Elements { of, by: By::Value } => match of.name().and_then(|name| self.names.get(name)) {
                // An alias of elements is a reference.
                Some(Binding::View(_) | Binding::Place(_)) => self.elements_of(of, true, to)?,
                // An array itself: the loop goes over the array as it is before the loop.
                _ => {
                    let Some(Iter::Elements(view, mutable)) = self.elements_of(of, false, to) else { return None };
                    Iter::Elements(self.locals.copied(view, to), mutable)
                }
            },
            Form::Elements { of, by } => self.elements_of(of, *by == By::Mutable, to)?,
            Form::Copied(inner) => self.iterator_of(inner, to)?,
            Form::Enumerate(inner) => Iter::Enumerate(boxed(self, inner, to)?),
            Form::Zip(one, two) => {
                let one = boxed(self, one, to)?;
                Iter::Zip(one, boxed(self, two, to)?)
            }
            Form::Rev(inner) => {
                let inner = boxed(self, inner, to)?;
                let length = match &*inner {
                    // It counts down without one.
                    Iter::Range(_) => Node::usize(0, at),
                    inner => {
                        let length = self.count(inner, at);
                        self.locals.hold("length", length, to)
                    }
                };
                Iter::Rev(inner, length)
            }
            Form::StepBy(inner, step) => Iter::StepBy(boxed(self, inner, to)?, self.held_number(step, to)),
            Form::Skip(inner, count) => Iter::Skip(boxed(self, inner, to)?, self.held_number(count, to)),
            Form::Take(inner, count) => Iter::Take(boxed(self, inner, to)?, self.held_number(count, to)),
            Form::Indexed { of, mutable } => {
                let view = self.view(of, to)?;
                Iter::Indexed(view.clone(), Box::new(Iter::Elements(view, *mutable)))
            }
            Form::Parts { of, dims, .. } => {
                let view = self.view(of, to)?;
                let has = view.shape.as_ref()?.len();
                return (has > 1 && dims.is_none_or(|dims| dims == has)).then_some(Iter::Parts(view));
            }
            Form::Chunks { of, length, shorter, .. } => {
                Iter::Chunks(self.view(of, to)?, self.held_number(length, to), *shorter)
            }
            Form::Tiles { .. } => return None,
            Form::Windows { of, length } => Iter::Windows(self.view(of, to)?, self.held_number(length, to)),
            Form::Other => match &items.e.bare().kind {
                // An array that a method makes.
                ir::Kind::Method(_, name, args, _)
                    if args.is_empty() && matches!(&**name, "to_le_bytes" | "to_be_bytes") =>
                {
                    self.elements_of(items.e, false, to)?
                }
                _ => return None,
            },
            Form::Range { .. } | Form::Filter(_) => return None,
        })
    }

    fn elements_of(&mut self, e: &Expr, mutable: bool, to: &mut Vec<Statement>) -> Option<Iter> {
        let view = match self.view(e, to) {
            Some(view) => self.locals.fixed_view(view, to),
            None if self.quiet => {
                let ty = self.expr(e).ty;
                let element = self.types.element(&ty);
                View::whole(Base::Array(Array::Table(0)), element)
            }
            None => return None,
        };
        Some(Iter::Elements(view, mutable))
    }

    fn held_number(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Node {
        let number = self.index(e);
        self.locals.hold("n", number, to)
    }

    /// How many items an iterator has.
    pub fn count(&mut self, iter: &Iter, at: Location) -> Node {
        match iter {
            Iter::Range(Range { from, to: end, inclusive }) => {
                let count = Node::new(NodeKind::Distance(from.clone().boxed(), end.clone().boxed()), Ty::USIZE, at);
                if !inclusive {
                    return count;
                }
                let fits = self.operation(Op::Le, from.clone(), end.clone(), at);
                self.if_else(fits, count + 1, Node::usize(0, at), at)
            }
            // The largest number there is.
            Iter::From(_) | Iter::Open(_) => Node::usize(0xffff_fffe, at),
            Iter::Elements(view, _) => view.length(at),
            Iter::Chunks(view, size, true) => steps(view.length(at), size),
            Iter::Chunks(view, size, false) => view.length(at) / size.clone(),
            Iter::Windows(view, size) => Node::saturating_sub(view.length(at) + 1, size.clone()),
            Iter::Zip(one, two) => match (&**one, &**two) {
                (Iter::From(_) | Iter::Open(_), other) | (other, Iter::From(_) | Iter::Open(_)) => {
                    self.count(other, at)
                }
                (one, two) => Node::min(self.count(one, at), self.count(two, at)),
            },
            Iter::Parts(view) => match view.shape.as_ref().and_then(|shape| shape.first()) {
                Some(length) => length.clone(),
                None => Node::usize(0, at),
            },
            Iter::Enumerate(inner) | Iter::Indexed(_, inner) => self.count(inner, at),
            Iter::Rev(inner, length) => match &**inner {
                Iter::Range(_) => self.count(inner, at),
                _ => length.clone(),
            },
            Iter::StepBy(inner, step) => steps(self.count(inner, at), step),
            Iter::Skip(inner, count) => Node::saturating_sub(self.count(inner, at), count.clone()),
            Iter::Take(inner, count) => Node::min(self.count(inner, at), count.clone()),
        }
    }

    /// How many items a loop gets. A range without an end overflows if the loop pulls one more item than it has, as from the first of
    /// two iterators that a loop zips.
    pub fn turns(&mut self, iter: &Iter, at: Location, to: &mut Vec<Statement>) -> Node {
        let length = self.count(iter, at);
        if !iter.ends_open_ranges(false) {
            return length;
        }
        let length = self.locals.hold("length", length, to);
        self.pull(iter, Node::total(Total::Plus, length.clone(), Node::usize(1, at)), to);
        length
    }

    fn pull(&mut self, iter: &Iter, items: Node, to: &mut Vec<Statement>) {
        let at = items.at;
        let one = || Node::usize(1, at);
        match iter {
            Iter::Open(_) => {
                let last = Node::method("max", vec![items, one()], Ty::USIZE, at) - 1;
                self.at(iter, last, to);
            }
            Iter::Zip(first, second) => {
                let (a, b) = (self.count(first, at), self.count(second, at));
                let of_first = Node::total(Total::Plus, Node::min(a.clone(), b.clone()), one());
                self.pull(first, Node::min(items.clone(), of_first), to);
                let of_second = Node::min(a, Node::total(Total::Plus, b, one()));
                self.pull(second, Node::min(items, of_second), to);
            }
            Iter::Enumerate(inner) => self.pull(inner, items, to),
            Iter::StepBy(inner, step) => {
                self.pull(inner, Node::saturating_sub(items * step.clone(), step.clone() - 1), to);
            }
            Iter::Skip(inner, count) => self.pull(inner, items + count.clone(), to),
            Iter::Take(inner, count) => self.pull(inner, Node::min(items, count.clone()), to),
            _ => {}
        }
    }

    /// The item at a position, which is held in a variable.
    pub fn at(&mut self, iter: &Iter, position: Node, to: &mut Vec<Statement>) -> Item {
        let at = position.at;
        match iter {
            Iter::Range(Range { from, .. }) | Iter::From(from) => {
                Item::Value(Node::total(Total::Plus, from.clone(), position.cast(from.ty.clone())))
            }
            Iter::Open(from) => {
                let position = self.locals.hold("steps", position, to);
                let steps = position.clone().cast(from.ty.clone());
                let item = self.locals.hold("item", Node::total(Total::Plus, from.clone(), steps), to);
                to.push(Statement::Do(goes_on(from, &item, position)));
                Item::Value(item)
            }
            Iter::Elements(view, true) => Item::Place(view.element(position, true)),
            Iter::Elements(view, false) => Item::Value(view.element(position, true)),
            Iter::Chunks(view, size, shorter) => {
                let first = self.locals.hold("start", position * size.clone(), to);
                let length = if *shorter {
                    let rest = Node::min(view.length(at) - first.clone(), size.clone());
                    self.locals.hold("length", rest, to)
                } else {
                    size.clone()
                };
                Item::View(self.locals.piece(view, first, length, to))
            }
            Iter::Parts(view) => Item::View(self.locals.part_at(view, position, to)),
            Iter::Indexed(view, inner) => {
                let indices = self.locals.indices(view, position.clone(), to);
                Item::Tuple(vec![indices, self.at(inner, position, to)])
            }
            Iter::Windows(view, size) => Item::View(self.locals.piece(view, position, size.clone(), to)),
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
                    Iter::Range(_) => self.count(inner, at),
                    _ => length.clone(),
                };
                let turned = self.locals.hold("turned", length - 1 - position, to);
                self.at(inner, turned, to)
            }
            Iter::StepBy(inner, step) => {
                let scaled = self.locals.hold("scaled", position * step.clone(), to);
                self.at(inner, scaled, to)
            }
            Iter::Skip(inner, count) => {
                let shifted = self.locals.hold("shifted", position + count.clone(), to);
                self.at(inner, shifted, to)
            }
            Iter::Take(inner, _) => self.at(inner, position, to),
        }
    }
}

/// How many steps of a width there are.
fn steps(count: Node, width: &Node) -> Node {
    let at = count.at;
    Node::new(NodeKind::Steps(count.boxed(), width.clone().boxed()), Ty::USIZE, at)
}

/// Overflows, as the range of std, if a range without an end has left its type, or leaves it after this item.
fn goes_on(from: &Node, item: &Node, position: Node) -> Node {
    let at = position.at;
    let one = Node::integer(1, item.ty.clone(), at);
    let next = Node::total(Total::Plus, item.clone(), one);
    let gone = Node::new(NodeKind::Distance(from.clone().boxed(), next.boxed()), Ty::USIZE, at);
    gone - Node::total(Total::Plus, position, Node::usize(1, at))
}
