//! Slices that are in order, or are put into it.

use crate::ir::report::Location;
use crate::ir::{Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{Base, Count, Item, Node, NodeKind, Statement, Ty, View};

/// Up to how many elements Rust's sort keeps those in their order that compare as equal, also where it does not promise to.
const STABLE: usize = 20;

impl Elaborate<'_> {
    pub fn slice_method(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let known = matches!(
            (name, args.len()),
            ("partition_point" | "binary_search" | "binary_search_by" | "rotate_left" | "rotate_right", 1)
                | ("sort_by" | "sort_unstable_by" | "sort_by_key" | "sort_unstable_by_key" | "sort_by_cached_key", 1)
                | ("binary_search_by_key", 2)
                | ("sort" | "sort_unstable" | "is_sorted", 0)
        );
        if !known {
            return None;
        }
        let mut before = Vec::new();
        let view = self.view(receiver, &mut before).filter(|view| view.shape.is_none())?;
        let length = view.length(at);
        let length = self.locals.hold("length", length, &mut before);
        let node = match name {
            "partition_point" => self.partition_point(&view, length, &args[0], &mut before, at),
            "is_sorted" => self.is_sorted(&view, length, &mut before, at),
            "rotate_left" | "rotate_right" => {
                self.rotate(&view, length, &args[0], name == "rotate_left", &mut before, at)
            }
            _ if name.starts_with("binary_search") => self.binary_search(&view, length, args, &mut before, at)?,
            _ => {
                let fixed = match &view.base {
                    Base::Local(_, length) => *length <= STABLE,
                    Base::Array(_) => false,
                };
                if name.starts_with("sort_unstable_") && !fixed {
                    return Some(self.stuck(
                        at,
                        format!("`.{name}(..)` puts elements that compare as equal in any order: take `sort_by` or `sort_by_key`"),
                    ));
                }
                self.sort(&view, length, args.first(), name.ends_with("key"), at)
            }
        };
        Some(node.after(before))
    }

    fn while_true(&mut self, condition: Node, body: Vec<Statement>, at: Location) -> Statement {
        let unit = Node::unit(at);
        let (target, body) = (self.exits.target(), unit.after(body));
        Statement::Do(Node::new(NodeKind::While(target, condition.boxed(), body.boxed()), Ty::unit(), at))
    }

    pub fn partition_point(
        &mut self,
        view: &View,
        length: Node,
        holds: &Expr,
        to: &mut Vec<Statement>,
        at: Location,
    ) -> Node {
        let none = Node::usize(0, at);
        let (low, high) = (self.locals.counter("low", none, to), self.locals.counter("high", length, to));
        let mut body = Vec::new();
        let distance = Node::binary(Op::Sub, high.clone(), low.clone());
        let half = half(distance);
        let middle = Node::binary(Op::Add, low.clone(), half);
        let middle = self.locals.hold("middle", middle, &mut body);
        let element = view.element(middle.clone(), true);
        let element = self.locals.hold("element", element, &mut body);
        let before = self.apply(holds, vec![Item::Value(element)], at);
        let one = Node::usize(1, at);
        let next = Node::binary(Op::Add, middle.clone(), one);
        let unit = Node::unit(at);
        let up = unit.clone().after(vec![Statement::set(low.clone(), next)]);
        let down = unit.after(vec![Statement::set(high.clone(), middle)]);
        let step = self.if_else(before, up, down, at);
        body.push(Statement::Do(step));
        let goes_on = self.operation(Op::Lt, low.clone(), high, at);
        let search = self.while_true(goes_on, body, at);
        to.push(search);
        low
    }

    /// As Rust does it since 1.82, so that of several fitting elements the same is found.
    pub fn binary_search(
        &mut self,
        view: &View,
        length: Node,
        args: &[Expr],
        to: &mut Vec<Statement>,
        at: Location,
    ) -> Option<Node> {
        let closure = args.last().filter(|_| args.len() == 2 || self.names.is_function(&args[0]));
        let wanted = match (args, closure) {
            ([wanted], None) | ([wanted, _], _) => {
                let wanted = self.expr(wanted);
                Some(self.locals.hold("wanted", wanted, to))
            }
            _ => None,
        };
        let order = |this: &mut Self, index: Node, to: &mut Vec<Statement>| {
            let element = view.element(index, true);
            let mut element = this.locals.hold("element", element, to);
            if let Some(closure) = closure {
                element = this.apply(closure, vec![Item::Value(element)], at);
            }
            let order = match wanted.clone() {
                Some(wanted) => {
                    this.same(&element.ty, &wanted.ty, at);
                    Node::method("cmp", vec![element, wanted], Ty::ORDERING, at)
                }
                None => element,
            };
            this.same(&order.ty.clone(), &Ty::ORDERING, at);
            this.locals.hold("order", order, to)
        };
        let (none, one) = (Node::usize(0, at), Node::usize(1, at));
        let zero = Node::integer(0, Ty::ORDERING, at);
        let (size, base) =
            (self.locals.counter("size", length.clone(), to), self.locals.counter("base", none.clone(), to));
        let mut body = Vec::new();
        let half = half(size.clone());
        let half = self.locals.hold("half", half, &mut body);
        let middle = Node::binary(Op::Add, base.clone(), half.clone());
        let middle = self.locals.hold("middle", middle, &mut body);
        let found = order(self, middle.clone(), &mut body);
        let fits = self.operation(Op::Le, found, zero.clone(), at);
        let unit = Node::unit(at);
        let up = unit.clone().after(vec![Statement::set(base.clone(), middle)]);
        let step = self.if_else(fits, up, unit.clone(), at);
        body.push(Statement::Do(step));
        let rest = Node::binary(Op::Sub, size.clone(), half);
        body.push(Statement::set(size.clone(), rest));
        let goes_on = self.operation(Op::Gt, size, one.clone(), at);
        let search = self.while_true(goes_on, body, at);
        to.push(search);
        // Whether it is there, and where it is or would be.
        let there = self.locals.add("there", Ty::BOOL, true);
        let no = Node::bool(false, at);
        to.push(Statement::Let(there, Some(no)));
        let there = self.locals.read(there, at);
        let mut last = Vec::new();
        let found = order(self, base.clone(), &mut last);
        let equal = self.operation(Op::Eq, found.clone(), zero.clone(), at);
        last.push(Statement::set(there.clone(), equal));
        let less = self.operation(Op::Lt, found, zero, at);
        let next = Node::binary(Op::Add, base.clone(), one);
        let next = unit.clone().after(vec![Statement::set(base.clone(), next)]);
        let step = self.if_else(less, next, unit.clone(), at);
        last.push(Statement::Do(step));
        let last = unit.clone().after(last);
        let any = self.operation(Op::Gt, length, none, at);
        let look = self.if_else(any, last, unit, at);
        to.push(Statement::Do(look));
        let ty = Ty::Option(Box::new(Ty::USIZE));
        Some(Node::new(NodeKind::Tuple(vec![there, base]), ty, at))
    }

    /// By insertion: elements that compare as equal stay in their order.
    pub fn sort(&mut self, view: &View, length: Node, by: Option<&Expr>, of_keys: bool, at: Location) -> Node {
        let unit = Node::unit(at);
        let (none, one) = (Node::usize(0, at), Node::usize(1, at));
        let (target, variable) = (self.exits.target(), self.locals.add("sorted", Ty::USIZE, false));
        let sorted = self.locals.read(variable, at);
        let mut body = Vec::new();
        let moved = view.element(sorted.clone(), true);
        self.check_place(&moved);
        let moved = self.locals.hold("moved", moved, &mut body);
        let place = self.locals.counter("place", sorted, &mut body);
        let there = view.element(place.clone(), true);
        let mut turn = Vec::new();
        let before = Node::binary(Op::Sub, place.clone(), one.clone());
        let before = self.locals.hold("before", before, &mut turn);
        let earlier = view.element(before.clone(), true);
        let earlier = self.locals.hold("earlier", earlier, &mut turn);
        let less = match (by, of_keys) {
            (Some(key), true) => {
                let [a, b] = [&moved, &earlier].map(|element| self.apply(key, vec![Item::Value(element.clone())], at));
                self.operation(Op::Lt, a, b, at)
            }
            (Some(compare), false) => {
                let order = self.apply(compare, vec![Item::Value(moved.clone()), Item::Value(earlier.clone())], at);
                self.same(&order.ty, &Ty::ORDERING, at);
                let zero = Node::integer(0, Ty::ORDERING, at);
                self.operation(Op::Lt, order, zero, at)
            }
            (None, _) => self.operation(Op::Lt, moved.clone(), earlier.clone(), at),
        };
        let inner = self.exits.target();
        let leave = Node::new(NodeKind::Break(inner, unit.clone().boxed()), Ty::Never, at);
        let stays = Node::not(less);
        let stop = self.if_else(stays, leave, unit.clone(), at);
        turn.push(Statement::Do(stop));
        turn.push(Statement::set(there.clone(), earlier));
        turn.push(Statement::set(place.clone(), before));
        let turn = unit.clone().after(turn);
        let goes_on = self.operation(Op::Gt, place, none, at);
        let shift = Node::new(NodeKind::While(inner, goes_on.boxed(), turn.boxed()), Ty::unit(), at);
        body.push(Statement::Do(shift));
        body.push(Statement::set(there, moved));
        let body = unit.after(body);
        let count = Count { target, variable, from: one, to: length, inclusive: false, down: false, body };
        Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at)
    }

    fn is_sorted(&mut self, view: &View, length: Node, to: &mut Vec<Statement>, at: Location) -> Node {
        let yes = Node::bool(true, at);
        let sorted = self.locals.add("sorted", Ty::BOOL, true);
        to.push(Statement::Let(sorted, Some(yes)));
        let sorted = self.locals.read(sorted, at);
        let (target, variable) = (self.exits.target(), self.locals.add("k", Ty::USIZE, false));
        let k = self.locals.read(variable, at);
        let one = Node::usize(1, at);
        let before = Node::binary(Op::Sub, k.clone(), one.clone());
        let (a, b) = (view.element(before, true), view.element(k, true));
        let fits = self.operation(Op::Le, a, b, at);
        let both = self.operation(Op::AndAnd, sorted.clone(), fits, at);
        let unit = Node::unit(at);
        let body = unit.after(vec![Statement::set(sorted.clone(), both)]);
        let count = Count { target, variable, from: one, to: length, inclusive: false, down: false, body };
        to.push(Statement::Do(Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at)));
        sorted
    }

    /// Both parts are turned around, and then the whole.
    fn rotate(
        &mut self,
        view: &View,
        length: Node,
        by: &Expr,
        left: bool,
        to: &mut Vec<Statement>,
        at: Location,
    ) -> Node {
        let (none, one) = (Node::usize(0, at), Node::usize(1, at));
        let by = self.index(by);
        let beyond = Node::binary(Op::Add, length.clone(), one);
        let by = by.within(beyond);
        let by = self.locals.hold("by", by, to);
        let rest = Node::binary(Op::Sub, length, by.clone());
        let rest = self.locals.hold("rest", rest, to);
        let (first, second) = if left { (by, rest) } else { (rest, by) };
        let one = self.locals.piece(view, none, first.clone(), to);
        let two = self.locals.piece(view, first, second, to);
        for part in [&one, &two, view] {
            let turned = self.turned(part, to, at);
            to.push(Statement::Do(turned));
        }
        Node::unit(at)
    }
}

pub fn half(of: Node) -> Node {
    let two = Node::usize(2, of.at);
    Node::binary(Op::Div, of, two)
}
