//! What loops go over: how many items there are, and what each one is.

use crate::front::items::{By, Form, Items};
use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::tree::{Array, Base, Item, Node, NodeKind, Range, Statement, Total, Ty, View};

/// A counted source of items.
#[derive(Debug, Clone)]
pub enum Iter {
    Range {
        from: Node,
        to: Node,
        inclusive: bool,
    },
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
    /// Whether ranges without an end are in it, and end with what they go along with.
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
        if let Some(Range { from, to, inclusive }) = self.range(items.e, to) {
            return Some(Iter::Range { from, to, inclusive });
        }
        match &items.form {
            Form::Range { from, to: None } => {
                let from = self.expr(from);
                Some(Iter::Open(self.locals.hold("from", from, to)))
            }
            Form::Elements { of, by: By::Value } => match of.name().and_then(|name| self.names.get(name)) {
                // Another name for elements is a reference.
                Some(Binding::View(_) | Binding::Place(_)) => self.elements_of(of, true, to),
                // An array itself: what is gone over is the array as it is before the loop.
                _ => {
                    let Some(Iter::Elements(view, mutable)) = self.elements_of(of, false, to) else { return None };
                    Some(Iter::Elements(self.copied(view, to), mutable))
                }
            },
            Form::Elements { of, by } => self.elements_of(of, *by == By::Mutable, to),
            Form::Copied(inner) => self.iterator_of(inner, to),
            Form::Enumerate(inner) => Some(Iter::Enumerate(Box::new(self.iterator_of(inner, to)?))),
            Form::Zip(one, two) => {
                let one = self.iterator_of(one, to)?;
                let two = self.iterator_of(two, to)?;
                Some(Iter::Zip(Box::new(one), Box::new(two)))
            }
            Form::Rev(inner) => {
                let inner = self.iterator_of(inner, to)?;
                let length = match &inner {
                    // It counts down without one.
                    Iter::Range { .. } => Node::usize(0, at),
                    inner => {
                        let length = self.count(inner, at);
                        self.locals.hold("length", length, to)
                    }
                };
                Some(Iter::Rev(Box::new(inner), length))
            }
            Form::StepBy(inner, step) => {
                let inner = self.iterator_of(inner, to)?;
                Some(Iter::StepBy(Box::new(inner), self.held_number(step, to)))
            }
            Form::Skip(inner, count) => {
                let inner = self.iterator_of(inner, to)?;
                Some(Iter::Skip(Box::new(inner), self.held_number(count, to)))
            }
            Form::Take(inner, count) => {
                let inner = self.iterator_of(inner, to)?;
                Some(Iter::Take(Box::new(inner), self.held_number(count, to)))
            }
            Form::Indexed { of, mutable } => {
                let view = self.view(of, to)?;
                let elements = Iter::Elements(view.clone(), *mutable);
                Some(Iter::Indexed(view, Box::new(elements)))
            }
            Form::Parts { of, dims, .. } => {
                let view = self.view(of, to)?;
                let has = view.shape.as_ref()?.len();
                (has > 1 && dims.is_none_or(|dims| dims == has)).then_some(Iter::Parts(view))
            }
            Form::Chunks { of, length, shorter, .. } => {
                let view = self.view(of, to)?;
                Some(Iter::Chunks(view, self.held_number(length, to), *shorter))
            }
            Form::Windows { of, length } => {
                let view = self.view(of, to)?;
                Some(Iter::Windows(view, self.held_number(length, to)))
            }
            Form::Other => match &items.e.bare().kind {
                // An array that a method makes.
                ir::Kind::Method(_, name, args, _)
                    if args.is_empty() && matches!(&**name, "to_le_bytes" | "to_be_bytes") =>
                {
                    self.elements_of(items.e, false, to)
                }
                _ => None,
            },
            Form::Range { .. } | Form::Filter(_) => None,
        }
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
            Iter::Range { from, to: end, inclusive } => {
                let count = Node::new(NodeKind::Distance(from.clone().boxed(), end.clone().boxed()), Ty::USIZE, at);
                if !inclusive {
                    return count;
                }
                let fits = self.operation(Op::Le, from.clone(), end.clone(), at);
                let one = Node::usize(1, at);
                let more = Node::binary(Op::Add, count, one);
                let none = Node::usize(0, at);
                self.if_else(fits, more, none, at)
            }
            // The largest number there is.
            Iter::From(_) | Iter::Open(_) => Node::usize(0xffff_fffe, at),
            Iter::Elements(view, _) => view.length(at),
            Iter::Chunks(view, size, shorter) => {
                let length = view.length(at);
                if *shorter {
                    Node::new(NodeKind::Steps(length.boxed(), size.clone().boxed()), Ty::USIZE, at)
                } else {
                    Node::binary(Op::Div, length, size.clone())
                }
            }
            Iter::Windows(view, size) => {
                let one = Node::usize(1, at);
                let length = view.length(at);
                let beyond = Node::binary(Op::Add, length, one);
                Node::method("saturating_sub", vec![beyond, size.clone()], Ty::USIZE, at)
            }
            Iter::Zip(one, two) => match (&**one, &**two) {
                (Iter::From(_) | Iter::Open(_), other) | (other, Iter::From(_) | Iter::Open(_)) => {
                    self.count(other, at)
                }
                (one, two) => {
                    let (a, b) = (self.count(one, at), self.count(two, at));
                    Node::min(a, b)
                }
            },
            Iter::Parts(view) => match view.shape.as_ref().and_then(|shape| shape.first()) {
                Some(length) => length.clone(),
                None => Node::usize(0, at),
            },
            Iter::Enumerate(inner) | Iter::Indexed(_, inner) => self.count(inner, at),
            Iter::Rev(inner, length) => match &**inner {
                Iter::Range { .. } => self.count(inner, at),
                _ => length.clone(),
            },
            Iter::StepBy(inner, step) => {
                let count = self.count(inner, at);
                Node::new(NodeKind::Steps(count.boxed(), step.clone().boxed()), Ty::USIZE, at)
            }
            Iter::Skip(inner, count) => {
                let all = self.count(inner, at);
                Node::method("saturating_sub", vec![all, count.clone()], Ty::USIZE, at)
            }
            Iter::Take(inner, count) => {
                let all = self.count(inner, at);
                Node::min(all, count.clone())
            }
        }
    }

    /// How many items a loop gets. Ranges without an end from which one more is pulled, as from the first of two that go on
    /// together, overflow where they have none.
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
                let last = Node::binary(Op::Sub, Node::method("max", vec![items, one()], Ty::USIZE, at), one());
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
                let all = Node::binary(Op::Mul, items, step.clone());
                let behind = Node::binary(Op::Sub, step.clone(), one());
                self.pull(inner, Node::method("saturating_sub", vec![all, behind], Ty::USIZE, at), to);
            }
            Iter::Skip(inner, count) => self.pull(inner, Node::binary(Op::Add, items, count.clone()), to),
            Iter::Take(inner, count) => self.pull(inner, Node::min(items, count.clone()), to),
            _ => {}
        }
    }

    /// The item at a position, which is held in a variable.
    pub fn at(&mut self, iter: &Iter, position: Node, to: &mut Vec<Statement>) -> Item {
        let at = position.at;
        match iter {
            Iter::Range { from, .. } | Iter::From(from) => {
                let steps = position.cast(from.ty.clone());
                Item::Value(Node::total(Total::Plus, from.clone(), steps))
            }
            Iter::Open(from) => {
                let position = self.locals.hold("steps", position, to);
                let steps = position.clone().cast(from.ty.clone());
                let item = self.locals.hold("item", Node::total(Total::Plus, from.clone(), steps), to);
                to.push(Statement::Do(goes_on(from, &item, position)));
                Item::Value(item)
            }
            Iter::Elements(view, mutable) => {
                let element = view.element(position, true);
                if *mutable { Item::Place(element) } else { Item::Value(element) }
            }
            Iter::Chunks(view, size, shorter) => {
                let first = Node::binary(Op::Mul, position, size.clone());
                let first = self.locals.hold("start", first, to);
                let length = if *shorter {
                    let length = view.length(at);
                    let rest = Node::binary(Op::Sub, length, first.clone());
                    let rest = Node::min(rest, size.clone());
                    self.locals.hold("length", rest, to)
                } else {
                    size.clone()
                };
                Item::View(self.locals.piece(view, first, length, to))
            }
            Iter::Parts(view) => Item::View(self.locals.part_at(view, position, to)),
            Iter::Indexed(view, inner) => {
                let indices = self.locals.indices(view, position.clone(), to);
                let item = self.at(inner, position, to);
                Item::Tuple(vec![indices, item])
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
                    Iter::Range { .. } => self.count(inner, at),
                    _ => length.clone(),
                };
                let one = Node::usize(1, at);
                let last = Node::binary(Op::Sub, length, one);
                let turned = Node::binary(Op::Sub, last, position);
                let turned = self.locals.hold("turned", turned, to);
                self.at(inner, turned, to)
            }
            Iter::StepBy(inner, step) => {
                let scaled = Node::binary(Op::Mul, position, step.clone());
                let scaled = self.locals.hold("scaled", scaled, to);
                self.at(inner, scaled, to)
            }
            Iter::Skip(inner, count) => {
                let shifted = Node::binary(Op::Add, position, count.clone());
                let shifted = self.locals.hold("shifted", shifted, to);
                self.at(inner, shifted, to)
            }
            Iter::Take(inner, _) => self.at(inner, position, to),
        }
    }
}

/// What overflows where a range without an end has left its type, or leaves it behind this item, as std's does.
fn goes_on(from: &Node, item: &Node, position: Node) -> Node {
    let at = position.at;
    let one = Node::new(NodeKind::Integer(1), item.ty.clone(), at);
    let next = Node::total(Total::Plus, item.clone(), one);
    let gone = Node::new(NodeKind::Distance(from.clone().boxed(), next.boxed()), Ty::USIZE, at);
    Node::binary(Op::Sub, gone, Node::total(Total::Plus, position, Node::usize(1, at)))
}
