//! Slices that are in order, or are put into it.

use crate::ir::{Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::elaborate::std::Words;
use crate::wgsl::elaborate::std::orderings::equal;
use crate::wgsl::tree::{Base, Count, Item, Node, NodeKind, Statement, Ty, View};

/// The greatest length at which Rust's unstable sort keeps equal elements in their order, which it does not promise.
const STABLE: usize = 20;

/// The methods, by the number of their arguments.
const METHODS: [Words; 3] = [
    Words("sort sort_unstable is_sorted"),
    Words(
        "partition_point binary_search binary_search_by rotate_left rotate_right sort_by sort_unstable_by sort_by_key \
         sort_unstable_by_key sort_by_cached_key",
    ),
    Words("binary_search_by_key"),
];

/// The slice of a method, and its length.
struct Slice<'s> {
    view: &'s View,
    length: Node,
}

impl MethodCall<'_> {
    pub fn slice_method(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        if !METHODS.get(args.len())?.contain(name) {
            return None;
        }
        let mut before = Vec::new();
        let view = walk.view(receiver, &mut before).filter(|view| view.shape.is_none())?;
        let slice = Slice { view: &view, length: walk.locals.hold("length", view.length(at), &mut before) };
        let node = match name {
            "partition_point" => self.partition_point(walk, slice, &args[0], &mut before),
            "is_sorted" => self.is_sorted(walk, slice, &mut before),
            "rotate_left" | "rotate_right" => self.rotate(walk, slice, &args[0], name == "rotate_left", &mut before),
            _ if name.starts_with("binary_search") => self.binary_search(walk, slice, &mut before),
            _ => {
                let fixed = matches!(view.base, Base::Local(_, length) if length <= STABLE);
                if name.starts_with("sort_unstable_") && !fixed {
                    return Some(walk.stuck(
                        at,
                        format!("`.{name}(..)` puts elements that compare as equal in any order: take `sort_by` or `sort_by_key`"),
                    ));
                }
                self.sort(walk, slice, args.first(), name.ends_with("key"))
            }
        };
        Some(node.after(before))
    }

    fn repeat_while(&self, walk: &mut Elaborate<'_>, condition: Node, body: Vec<Statement>) -> Statement {
        let (at, target) = (condition.at, walk.exits.target());
        let body = Node::unit(at).after(body);
        Statement::Do(Node::new(NodeKind::While(target, condition.boxed(), body.boxed()), Ty::unit(), at))
    }

    fn partition_point(
        &self,
        walk: &mut Elaborate<'_>,
        slice: Slice<'_>,
        holds: &Expr,
        to: &mut Vec<Statement>,
    ) -> Node {
        let (Slice { view, length }, at) = (slice, self.at);
        let low = walk.locals.changing("low", Node::usize(0, at), to);
        let high = walk.locals.changing("high", length, to);
        let mut body = Vec::new();
        let middle = low.clone() + (high.clone() - low.clone()) / 2;
        let middle = walk.locals.hold("middle", middle, &mut body);
        let element = walk.locals.hold("element", view.element(middle.clone(), true), &mut body);
        let before = walk.apply_to(holds, &element, at);
        let up = Node::unit(at).after(vec![Statement::set(low.clone(), middle.clone() + 1)]);
        let down = Node::unit(at).after(vec![Statement::set(high.clone(), middle)]);
        let step = walk.if_else(before, up, down, at);
        body.push(Statement::Do(step));
        let goes_on = walk.operation(Op::Lt, low.clone(), high, at);
        to.push(self.repeat_while(walk, goes_on, body));
        low
    }

    /// As Rust does it since 1.82, so that of several fitting elements the same is found.
    fn binary_search(&self, walk: &mut Elaborate<'_>, slice: Slice<'_>, to: &mut Vec<Statement>) -> Node {
        let MethodCall { args, .. } = *self;
        let (Slice { view, length }, at) = (slice, self.at);
        let closure = args.last().filter(|_| args.len() == 2 || walk.names.is_function(&args[0]));
        let wanted = args.first().filter(|_| closure.is_none() || args.len() == 2).map(|wanted| {
            let wanted = walk.expr(wanted);
            walk.locals.hold("wanted", wanted, to)
        });
        let order = |this: &mut Elaborate<'_>, index: Node, to: &mut Vec<Statement>| {
            let mut element = this.locals.hold("element", view.element(index, true), to);
            if let Some(closure) = closure {
                element = this.apply_to(closure, &element, at);
            }
            let order = match wanted.clone() {
                Some(wanted) => {
                    this.same(&element.ty, &wanted.ty, at);
                    Node::method("cmp", vec![element, wanted], Ty::ORDERING, at)
                }
                None => element,
            };
            this.same(&order.ty, &Ty::ORDERING, at);
            this.locals.hold("order", order, to)
        };
        let set = |place: &Node, value: Node| Node::unit(at).after(vec![Statement::set(place.clone(), value)]);
        let size = walk.locals.changing("size", length.clone(), to);
        let base = walk.locals.changing("base", Node::usize(0, at), to);
        let mut body = Vec::new();
        let half = walk.locals.hold("half", size.clone() / 2, &mut body);
        let middle = walk.locals.hold("middle", base.clone() + half.clone(), &mut body);
        let found = order(walk, middle.clone(), &mut body);
        let fits = walk.operation(Op::Le, found, equal(at), at);
        body.push(Statement::Do(walk.if_else(fits, set(&base, middle), Node::unit(at), at)));
        body.push(Statement::set(size.clone(), size.clone() - half));
        let goes_on = walk.operation(Op::Gt, size, Node::usize(1, at), at);
        to.push(self.repeat_while(walk, goes_on, body));
        // Whether it is there, and where it is or would be.
        let there = walk.locals.changing("there", Node::bool(false, at), to);
        let mut last = Vec::new();
        let found = order(walk, base.clone(), &mut last);
        let is_equal = walk.operation(Op::Eq, found.clone(), equal(at), at);
        last.push(Statement::set(there.clone(), is_equal));
        let less = walk.operation(Op::Lt, found, equal(at), at);
        last.push(Statement::Do(walk.if_else(less, set(&base, base.clone() + 1), Node::unit(at), at)));
        let any = walk.operation(Op::Gt, length, Node::usize(0, at), at);
        to.push(Statement::Do(walk.if_else(any, Node::unit(at).after(last), Node::unit(at), at)));
        Node::new(NodeKind::Tuple(vec![there, base]), Ty::Option(Box::new(Ty::USIZE)), at)
    }

    /// By insertion: elements that compare as equal stay in their order.
    fn sort(&self, walk: &mut Elaborate<'_>, slice: Slice<'_>, by: Option<&Expr>, of_keys: bool) -> Node {
        let (Slice { view, length }, at) = (slice, self.at);
        let (target, variable) = (walk.exits.target(), walk.locals.add("sorted", Ty::USIZE, false));
        let sorted = walk.locals.read(variable, at);
        let mut body = Vec::new();
        let moved = view.element(sorted.clone(), true);
        walk.check_place(&moved);
        let moved = walk.locals.hold("moved", moved, &mut body);
        let place = walk.locals.changing("place", sorted, &mut body);
        let there = view.element(place.clone(), true);
        let mut turn = Vec::new();
        let before = walk.locals.hold("before", place.clone() - 1, &mut turn);
        let earlier = walk.locals.hold("earlier", view.element(before.clone(), true), &mut turn);
        let less = match (by, of_keys) {
            (Some(key), true) => {
                let [a, b] = [&moved, &earlier].map(|element| walk.apply_to(key, element, at));
                walk.operation(Op::Lt, a, b, at)
            }
            (Some(compare), false) => {
                let order = walk.apply(compare, vec![Item::Value(moved.clone()), Item::Value(earlier.clone())], at);
                walk.same(&order.ty, &Ty::ORDERING, at);
                walk.operation(Op::Lt, order, equal(at), at)
            }
            (None, _) => walk.operation(Op::Lt, moved.clone(), earlier.clone(), at),
        };
        let inner = walk.exits.target();
        let stop = walk.if_else(Node::not(less), Node::leave(inner, at), Node::unit(at), at);
        turn.push(Statement::Do(stop));
        turn.push(Statement::set(there.clone(), earlier));
        turn.push(Statement::set(place.clone(), before));
        let turn = Node::unit(at).after(turn);
        let goes_on = walk.operation(Op::Gt, place, Node::usize(0, at), at);
        let shift = NodeKind::While(inner, goes_on.boxed(), turn.boxed());
        body.push(Statement::Do(Node::new(shift, Ty::unit(), at)));
        body.push(Statement::set(there, moved));
        let (from, body) = (Node::usize(1, at), Node::unit(at).after(body));
        let count = Count { target, variable, from, to: length, inclusive: false, down: false, body };
        Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at)
    }

    fn is_sorted(&self, walk: &mut Elaborate<'_>, slice: Slice<'_>, to: &mut Vec<Statement>) -> Node {
        let (Slice { view, length }, at) = (slice, self.at);
        let sorted = walk.locals.changing("sorted", Node::bool(true, at), to);
        let node = walk.positions([Node::usize(1, at), length], |this, k, _| {
            let fits = this.operation(Op::Le, view.element(k.clone() - 1, true), view.element(k, true), at);
            let both = this.operation(Op::AndAnd, sorted.clone(), fits, at);
            vec![Statement::set(sorted.clone(), both)]
        });
        to.push(Statement::Do(node));
        sorted
    }

    /// Reverses both parts, and then the whole.
    fn rotate(
        &self,
        walk: &mut Elaborate<'_>,
        slice: Slice<'_>,
        by: &Expr,
        left: bool,
        to: &mut Vec<Statement>,
    ) -> Node {
        let (Slice { view, length }, at) = (slice, self.at);
        let by = walk.index(by).within(length.clone() + 1);
        let by = walk.locals.hold("by", by, to);
        let rest = walk.locals.hold("rest", length - by.clone(), to);
        let (first, second) = if left { (by, rest) } else { (rest, by) };
        let one = walk.locals.piece(view, Node::usize(0, at), first.clone(), to);
        let two = walk.locals.piece(view, first, second, to);
        for part in [&one, &two, view] {
            let turned = walk.turned(part, to, at);
            to.push(Statement::Do(turned));
        }
        Node::unit(at)
    }
}
