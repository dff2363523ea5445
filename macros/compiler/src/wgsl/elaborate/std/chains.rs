//! What an iterator comes to: `.sum()`, `.fold(..)`, `.min_by(..)` and their kin, as a loop.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::exits::Frame;
use crate::wgsl::elaborate::iterators::Iter;
use crate::wgsl::elaborate::std::options::opened;
use crate::wgsl::tree::{Count, Item, Node, NodeKind, Statement, Target, Ty};
use proc_macro2::TokenStream;

/// Ends that give an `Option`.
const FINDING: [(&str, usize); 13] = [
    ("last", 0),
    ("nth", 1),
    ("rposition", 1),
    ("max", 0),
    ("min", 0),
    ("max_by", 1),
    ("min_by", 1),
    ("max_by_key", 1),
    ("min_by_key", 1),
    ("position", 1),
    ("find", 1),
    ("find_map", 1),
    ("reduce", 1),
];

/// What stands between the items that are gone over and the end.
struct Adaptor {
    name: String,
    closure: Expr,
}

/// An adaptor that ends an item, or all.
pub struct Filter {
    /// How many statements are before it.
    after: usize,
    holds: Node,
    /// What is done where it does not hold, beside leaving out the item.
    ends: bool,
}

/// The end of a chain: what all items come to.
struct End<'e> {
    name: &'e str,
    args: &'e [Expr],
    total: Node,
    /// What leaves the loop.
    target: Target,
    at: Location,
}

/// What stands between the items that are gone over and the end, from the first on, and what gives the items.
fn adaptors_of(receiver: &Expr) -> (Vec<Adaptor>, &Expr) {
    let mut adaptors = Vec::new();
    let mut inner = receiver.bare();
    while let ir::Kind::Method(next, name, args, _) = &inner.kind {
        match (name.as_str(), args.as_slice()) {
            ("map" | "filter" | "take_while" | "filter_map" | "skip_while" | "inspect", [closure]) => {
                adaptors.push(Adaptor { name: name.clone(), closure: closure.clone() });
            }
            // Items are seen through references.
            ("copied" | "cloned", []) if !adaptors.is_empty() || is_adapted(next) => {}
            _ => break,
        }
        inner = next.bare();
    }
    adaptors.reverse();
    (adaptors, inner)
}

impl Elaborate<'_> {
    pub fn chain(
        &mut self,
        receiver: &Expr,
        name: &str,
        args: &[Expr],
        call: &TokenStream,
        at: Location,
    ) -> Option<Node> {
        let finds = FINDING.contains(&(name, args.len()));
        let ends = matches!(
            (name, args.len()),
            ("sum" | "product" | "count", 0) | ("any" | "all" | "for_each", 1) | ("fold", 2)
        );
        if !(ends || finds) {
            return None;
        }
        let (adaptors, source) = adaptors_of(receiver);
        // Positions are counted before anything is left out.
        let leaves_out = |adaptor: &Adaptor| matches!(adaptor.name.as_str(), "filter" | "filter_map" | "skip_while");
        if matches!(name, "position" | "rposition") && adaptors.iter().any(leaves_out) {
            return None;
        }
        let mut before = Vec::new();
        let copies = self.copies.len();
        let mut iter = self.iterator(source, &mut before)?;
        for adaptor in &adaptors {
            self.take_closure(&adaptor.closure, &mut before);
        }
        let start = self.start(name, args, call, at);
        let total = self.locals.add(name, start.ty.clone(), true);
        before.push(Statement::Let(total, Some(start)));
        for closure in args {
            self.take_closure(closure, &mut before);
        }
        let end = End { name, args, target: self.exits.target(), total: self.locals.read(total, at), at };
        let mut length = self.turns(&iter, at, &mut before);
        let variable = self.locals.add("k", Ty::USIZE, false);
        let mut position = self.locals.read(variable, at);
        let mut statements = Vec::new();
        // From the end on, and what it gives counts from the beginning.
        if name == "rposition" {
            length = self.locals.hold("length", length, &mut before);
            iter = Iter::Rev(Box::new(iter), length.clone());
        }
        let mut item = self.at(&iter, position.clone(), &mut statements);
        if name == "rposition" {
            let last = Node::binary(Op::Sub, length.clone(), Node::usize(1, at));
            position = Node::binary(Op::Sub, last, position);
        }
        let filters = self.adapted(&adaptors, &mut item, &mut before, &mut statements, at)?;
        match name {
            "nth" => self.nth(&end, item, &mut before, &mut statements)?,
            _ if finds => self.found(&end, item, position, &mut statements)?,
            _ => {
                let last = self.taken(&end, item)?;
                statements.push(last);
            }
        }
        let body = self.filtered(filters, statements, end.target, at);
        let from = Node::usize(0, at);
        let count = Count { target: end.target, variable, from, to: length, inclusive: false, down: false, body };
        before.push(Statement::Do(Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at)));
        self.leave_out_copies(copies, &mut before);
        let result = self.result_of(name, end.total, at)?;
        Some(result.after(before))
    }

    /// `for item in items.map(..).filter(..) { .. }`; none where nothing stands between the items and the loop.
    pub fn adapted_loop(&mut self, f: &ir::For, at: Location) -> Option<Node> {
        let (adaptors, source) = adaptors_of(&f.source);
        if adaptors.is_empty() {
            return None;
        }
        let (mut before, mut statements) = (Vec::new(), Vec::new());
        let copies = self.copies.len();
        let iter = self.iterator(source, &mut before)?;
        for adaptor in &adaptors {
            self.take_closure(&adaptor.closure, &mut before);
        }
        let (target, length) = (self.exits.target(), self.turns(&iter, at, &mut before));
        let variable = self.locals.add("k", Ty::USIZE, false);
        let position = self.locals.read(variable, at);
        let mut item = self.at(&iter, position, &mut statements);
        let filters = self.adapted(&adaptors, &mut item, &mut before, &mut statements, at)?;
        self.bind_tokens(&f.pattern.tokens, item, &mut statements);
        self.exits.frames.push(Frame { label: f.label.name.clone(), target, is_loop: true, ty: Ty::unit() });
        let body = self.block(&f.body, at);
        self.exits.frames.pop();
        statements.push(Statement::Do(body));
        let (from, body) = (Node::usize(0, at), self.filtered(filters, statements, target, at));
        let count = Count { target, variable, from, to: length, inclusive: false, down: false, body };
        before.push(Statement::Do(Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at)));
        self.leave_out_copies(copies, &mut before);
        Some(Node::unit(at).after(before))
    }

    /// What is done with an item, where filters may leave it out.
    fn filtered(&mut self, filters: Vec<Filter>, mut of: Vec<Statement>, target: Target, at: Location) -> Node {
        let unit = Node::unit(at);
        for Filter { after, holds, ends } in filters.into_iter().rev() {
            let rest = of.split_off(after);
            let rest = unit.clone().after(rest);
            let otherwise = if ends { Node::leave(target, at) } else { unit.clone() };
            let choice = self.if_else(holds, rest, otherwise, at);
            of.push(Statement::Do(choice));
        }
        unit.after(of)
    }

    /// What adaptors make of an item. From the innermost out, each may leave the item out.
    fn adapted(
        &mut self,
        adaptors: &[Adaptor],
        item: &mut Item,
        before: &mut Vec<Statement>,
        to: &mut Vec<Statement>,
        at: Location,
    ) -> Option<Vec<Filter>> {
        let mut filters = Vec::new();
        for Adaptor { name, closure } in adaptors {
            let node = self.apply(closure, vec![item.clone()], at);
            match name.as_str() {
                "map" => *item = Item::Value(self.locals.hold("item", node, to)),
                "inspect" => to.push(Statement::Do(node)),
                "filter_map" => {
                    let option = self.locals.hold("option", node, to);
                    let (holds, value) = opened(&mut self.types, &option)?;
                    filters.push(Filter { after: to.len(), holds, ends: false });
                    *item = Item::Value(self.locals.hold("item", value, to));
                }
                "skip_while" => {
                    let yes = Node::bool(true, at);
                    let skips = self.locals.add("skips", Ty::BOOL, true);
                    before.push(Statement::Let(skips, Some(yes)));
                    let skips = self.locals.read(skips, at);
                    let still = self.operation(Op::AndAnd, skips.clone(), node, at);
                    to.push(Statement::set(skips.clone(), still));
                    let holds = Node::not(skips);
                    filters.push(Filter { after: to.len(), holds, ends: false });
                }
                name => filters.push(Filter { after: to.len(), holds: node, ends: name == "take_while" }),
            }
        }
        Some(filters)
    }

    /// The item that has so many before it.
    fn nth(&mut self, end: &End<'_>, item: Item, before: &mut Vec<Statement>, to: &mut Vec<Statement>) -> Option<()> {
        let at = end.at;
        // How many items are before it.
        let wanted = self.index(&end.args[0]);
        let wanted = self.locals.hold("wanted", wanted, before);
        let (none, one) = (Node::usize(0, at), Node::usize(1, at));
        let seen = self.locals.add("seen", Ty::USIZE, true);
        before.push(Statement::Let(seen, Some(none)));
        let seen = self.locals.read(seen, at);
        let here = self.operation(Op::Eq, seen.clone(), wanted, at);
        let value = self.item_as_value(item, at)?;
        let some = Node::some(value);
        self.same(&end.total.ty.clone(), &some.ty, at);
        let set = Statement::set(end.total.clone(), some);
        let leave = Node::leave(end.target, at).after(vec![set]);
        let nothing = Node::unit(at);
        let choice = self.if_else(here, leave, nothing, at);
        to.push(Statement::Do(choice));
        to.push(Statement::set(seen.clone(), Node::binary(Op::Add, seen, one)));
        Some(())
    }

    /// What the total stands for.
    fn result_of(&mut self, name: &str, total: Node, at: Location) -> Option<Node> {
        Some(match name {
            "for_each" => Node::unit(at),
            "sum" | "product" => {
                let ty = total.ty.clone();
                Node::new(NodeKind::Rounded(total.boxed()), ty, at)
            }
            // The key is beside the item.
            "max_by_key" | "min_by_key" => {
                let (is_some, best) = opened(&mut self.types, &total)?;
                let item = self.types.unknown();
                let key = self.types.unknown();
                self.same(&best.ty, &Ty::Tuple(vec![key, item.clone()]), at);
                let item = Node::new(NodeKind::Member(best.boxed(), 1), item.clone(), at);
                let ty = Ty::Option(Box::new(item.ty.clone()));
                Node::new(NodeKind::Tuple(vec![is_some, item]), ty, at)
            }
            _ => total,
        })
    }

    /// What there is before the first item.
    pub fn start(&mut self, name: &str, args: &[Expr], call: &TokenStream, at: Location) -> Node {
        // `.sum::<f64>()`.
        let text: String = call.to_string().split_whitespace().collect();
        let given = text.split_once("::<").and_then(|(_, rest)| Type::named(rest.trim_end_matches('>')));
        let total = |this: &mut Self| given.map_or_else(|| this.types.unknown(), Ty::Scalar);
        match name {
            "sum" => {
                let ty = total(self);
                Node::new(NodeKind::Zero, ty, at)
            }
            "product" => {
                let ty = total(self);
                Node::new(NodeKind::One, ty, at)
            }
            "count" => Node::usize(0, at),
            "any" | "all" => Node::bool(name == "all", at),
            "fold" => self.expr(&args[0]),
            "for_each" => Node::unit(at),
            _ => {
                let inner = self.types.unknown();
                Node::none(inner, at)
            }
        }
    }

    fn item_as_value(&mut self, item: Item, at: Location) -> Option<Node> {
        match item {
            Item::Value(node) | Item::Place(node) => Some(node),
            Item::Tuple(items) => Some(self.tuple(items, at)),
            _ => {
                self.obstacle(at, "items that are no numbers are put together");
                None
            }
        }
    }

    /// What is done with an item where the end is no search.
    fn taken(&mut self, end: &End<'_>, item: Item) -> Option<Statement> {
        let End { name, args, ref total, target, at } = *end;
        Some(match name {
            "sum" | "product" => {
                let node = self.item_as_value(item, at)?;
                self.same(&node.ty.clone(), &total.ty, at);
                let op = if name == "sum" { Op::Add } else { Op::Mul };
                let step = NodeKind::Step(op, total.clone().boxed(), node.boxed());
                Statement::set(total.clone(), Node::new(step, total.ty.clone(), at))
            }
            "count" => {
                let one = Node::usize(1, at);
                Statement::set(total.clone(), Node::binary(Op::Add, total.clone(), one))
            }
            "for_each" => Statement::Do(self.apply(&args[0], vec![item], at)),
            "fold" => {
                let node = self.apply(&args[1], vec![Item::Value(total.clone()), item], at);
                self.same(&node.ty.clone(), &total.ty, at);
                Statement::set(total.clone(), node)
            }
            _ => {
                let node = self.apply(&args[0], vec![item], at);
                let found = if name == "any" { node } else { Node::not(node) };
                let answer = Node::bool(name == "any", at);
                let set = Statement::set(total.clone(), answer);
                let leave = Node::leave(target, at).after(vec![set]);
                let nothing = Node::unit(at);
                Statement::Do(self.if_else(found, leave, nothing, at))
            }
        })
    }

    /// What is done with an item where the end is a search: the total is an `Option`.
    fn found(&mut self, end: &End<'_>, item: Item, position: Node, to: &mut Vec<Statement>) -> Option<()> {
        let End { name, args, ref total, target, at } = *end;
        let nothing = Node::unit(at);
        // The first one that fits.
        let first = match name {
            "position" | "rposition" => Some((self.apply(&args[0], vec![item.clone()], at), position.clone())),
            "find" => {
                let holds = self.apply(&args[0], vec![item.clone()], at);
                Some((holds, self.item_as_value(item.clone(), at)?))
            }
            "find_map" => {
                let option = self.apply(&args[0], vec![item.clone()], at);
                let option = self.locals.hold("option", option, to);
                Some(opened(&mut self.types, &option)?)
            }
            _ => None,
        };
        if let Some((holds, value)) = first {
            let some = Node::some(value);
            self.same(&total.ty.clone(), &some.ty, at);
            let set = Statement::set(total.clone(), some);
            let leave = Node::leave(target, at).after(vec![set]);
            let choice = self.if_else(holds, leave, nothing, at);
            to.push(Statement::Do(choice));
            return Some(());
        }
        if name == "last" {
            let value = self.item_as_value(item, at)?;
            let some = Node::some(value);
            self.same(&total.ty.clone(), &some.ty, at);
            to.push(Statement::set(total.clone(), some));
            return Some(());
        }
        let value = self.item_as_value(item, at)?;
        let value = self.locals.hold("item", value, to);
        let (is_some, best) = opened(&mut self.types, total)?;
        if name == "reduce" {
            self.same(&best.ty, &value.ty, at);
            let both = self.apply(&args[0], vec![Item::Value(best.clone()), Item::Value(value.clone())], at);
            self.same(&best.ty, &both.ty, at);
            let (both, alone) = (Node::some(both), Node::some(value));
            let next = self.if_else(is_some, both, alone, at);
            to.push(Statement::set(total.clone(), next));
            return Some(());
        }
        // Of equal ones the last is the greatest, and the first the least, as in Rust.
        let least = name.starts_with("min");
        let zero = Node::integer(0, Ty::ORDERING, at);
        let (next, replaces) = match name {
            "max_by" | "min_by" => {
                self.same(&best.ty, &value.ty, at);
                let order = self.apply(&args[0], vec![Item::Value(best), Item::Value(value.clone())], at);
                self.same(&order.ty.clone(), &Ty::ORDERING, at);
                let op = if least { Op::Gt } else { Op::Le };
                (value, self.operation(op, order, zero, at))
            }
            _ => {
                let (key, next) = match args {
                    [closure] => {
                        let key = self.apply(closure, vec![Item::Value(value.clone())], at);
                        let key = self.locals.hold("key", key, to);
                        let ty = Ty::Tuple(vec![key.ty.clone(), value.ty.clone()]);
                        (key.clone(), Node::new(NodeKind::Tuple(vec![key, value]), ty, at))
                    }
                    _ => (value.clone(), value),
                };
                self.same(&best.ty, &next.ty, at);
                let known = match args {
                    [] => best,
                    _ => Node::new(NodeKind::Member(best.boxed(), 0), key.ty.clone(), at),
                };
                (next, self.operation(if least { Op::Gt } else { Op::Le }, known, key, at))
            }
        };
        let none = Node::not(is_some);
        let replaces = self.operation(Op::OrOr, none, replaces, at);
        let some = Node::some(next);
        let set = Statement::set(total.clone(), some);
        let set = nothing.clone().after(vec![set]);
        let choice = self.if_else(replaces, set, nothing, at);
        to.push(Statement::Do(choice));
        Some(())
    }
}

/// Whether an expression is an iterator that changes or leaves out items.
fn is_adapted(e: &Expr) -> bool {
    matches!(&e.bare().kind, ir::Kind::Method(_, name, ..) if matches!(name.as_str(), "map" | "filter" | "take_while" | "filter_map" | "skip_while" | "inspect"))
}
