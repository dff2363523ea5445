//! The ends of iterators, as loops: `.sum()`, `.fold(..)`, `.min_by(..)` and their kin.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::iterators::Iter;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::elaborate::std::Words;
use crate::wgsl::elaborate::std::options::opened;
use crate::wgsl::elaborate::std::orderings::equal;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Target, Ty};

/// Ends that give an `Option`, by the number of their arguments.
const FINDING: [Words; 2] =
    [Words("last max min"), Words("nth rposition max_by min_by max_by_key min_by_key position find find_map reduce")];

/// Other ends.
const ENDS: [Words; 3] = [Words("sum product count"), Words("any all for_each"), Words("fold")];

/// Adaptors that change or leave out items.
const ADAPTORS: Words = Words("map filter take_while filter_map skip_while inspect");

/// An adaptor between the source and the end of an iterator.
struct Adaptor<'e> {
    name: &'e str,
    closure: &'e Expr,
}

/// An adaptor that ends an item, or all.
struct Filter {
    /// How many statements are before it.
    after: usize,
    holds: Node,
    /// Whether the loop ends if it does not hold.
    ends: bool,
}

/// The end of a chain.
struct End {
    /// The result so far.
    total: Node,
    /// The loop.
    target: Target,
}

/// The adaptors of an iterator from the first on, and its source.
fn adaptors_of(receiver: &Expr) -> (Vec<Adaptor<'_>>, &Expr) {
    let mut adaptors = Vec::new();
    let mut inner = receiver.bare();
    while let ir::Kind::Method(next, name, args, _) = &inner.kind {
        match (name.as_str(), args.as_slice()) {
            (name, [closure]) if ADAPTORS.contain(name) => {
                adaptors.push(Adaptor { name, closure });
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

impl MethodCall<'_> {
    pub fn chain(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        let is_in = |ends: &[Words]| ends.get(args.len()).is_some_and(|names| names.contain(name));
        let finds = is_in(&FINDING);
        if !(finds || is_in(&ENDS)) {
            return None;
        }
        let (adaptors, source) = adaptors_of(receiver);
        // Positions are counted before items are left out.
        let leaves_out = |adaptor: &Adaptor<'_>| matches!(adaptor.name, "filter" | "filter_map" | "skip_while");
        if matches!(name, "position" | "rposition") && adaptors.iter().any(leaves_out) {
            return None;
        }
        let mut before = Vec::new();
        let copies = walk.locals.copies.len();
        let mut iter = walk.iterator(source, &mut before)?;
        adaptors.iter().for_each(|adaptor| walk.take_closure(adaptor.closure, &mut before));
        let start = self.start(walk);
        let total = walk.locals.changing(name, start, &mut before);
        args.iter().for_each(|closure| walk.take_closure(closure, &mut before));
        let mut length = walk.turns(&iter, at, &mut before);
        // From the end on, and the result counts from the beginning.
        if name == "rposition" {
            length = walk.locals.hold("length", length, &mut before);
            iter = Iter::Rev(Box::new(iter), length.clone());
        }
        let (mut filtered, result) = (Some(()), total.clone());
        let node = walk.positions([Node::usize(0, at), length.clone()], |this, position, target| {
            let mut statements = Vec::new();
            let end = End { target, total };
            let mut item = this.at(&iter, position.clone(), &mut statements);
            let position = if name == "rposition" { length - 1 - position } else { position };
            let filters = this.adapted(&adaptors, &mut item, &mut before, &mut statements, at);
            let done = filters.is_some().then(|| match name {
                "nth" => self.nth(this, &end, item, &mut before, &mut statements),
                _ if finds => self.found(this, &end, item, position, &mut statements),
                _ => self.taken(this, &end, item, &mut statements),
            });
            filtered = done.flatten();
            this.filtered(filters.unwrap_or_default(), statements, target, at)
        });
        filtered?;
        before.push(Statement::Do(node));
        walk.locals.leave_out_copies(copies, &mut before);
        let result = self.result_of(walk, result)?;
        Some(result.after(before))
    }

    /// The item that has so many before it.
    fn nth(
        &self,
        walk: &mut Elaborate<'_>,
        end: &End,
        item: Item,
        before: &mut Vec<Statement>,
        to: &mut Vec<Statement>,
    ) -> Option<()> {
        let at = self.at;
        let wanted = walk.index(&self.args[0]);
        let wanted = walk.locals.hold("wanted", wanted, before);
        let seen = walk.locals.changing("seen", Node::usize(0, at), before);
        let here = walk.operation(Op::Eq, seen.clone(), wanted, at);
        let value = walk.item_as_value(item, at)?;
        self.leave_with(walk, end, here, value, to);
        to.push(Statement::set(seen.clone(), seen + 1));
        Some(())
    }

    /// Leaves the loop with `Some(value)` if a condition holds.
    fn leave_with(&self, walk: &mut Elaborate<'_>, end: &End, condition: Node, value: Node, to: &mut Vec<Statement>) {
        let some = Node::some(value);
        walk.same(&end.total.ty, &some.ty, self.at);
        let leave = Node::leave(end.target, self.at).after(vec![Statement::set(end.total.clone(), some)]);
        to.push(Statement::Do(walk.if_else(condition, leave, Node::unit(self.at), self.at)));
    }

    /// The result of the end.
    fn result_of(&self, walk: &mut Elaborate<'_>, total: Node) -> Option<Node> {
        let MethodCall { name, at, .. } = *self;
        Some(match name {
            "for_each" => Node::unit(at),
            "sum" | "product" => {
                let ty = total.ty.clone();
                Node::new(NodeKind::Rounded(total.boxed()), ty, at)
            }
            // The total holds the key and the item.
            "max_by_key" | "min_by_key" => {
                let (is_some, best) = opened(&mut walk.types, &total)?;
                let (key, item) = (walk.types.unknown(), walk.types.unknown());
                walk.same(&best.ty, &Ty::Tuple(vec![key, item.clone()]), at);
                let ty = Ty::Option(Box::new(item.clone()));
                Node::new(NodeKind::Tuple(vec![is_some, best.member(1, item, at)]), ty, at)
            }
            _ => total,
        })
    }

    /// The result without items.
    fn start(&self, walk: &mut Elaborate<'_>) -> Node {
        let MethodCall { name, args, at, .. } = *self;
        match name {
            "sum" | "product" => {
                // `.sum::<f64>()`.
                let text: String = self.tokens.to_string().split_whitespace().collect();
                let given = text.split_once("::<").and_then(|(_, rest)| Type::named(rest.trim_end_matches('>')));
                let ty = given.map_or_else(|| walk.types.unknown(), Ty::Scalar);
                Node::new(if name == "sum" { NodeKind::Zero } else { NodeKind::One }, ty, at)
            }
            "count" => Node::usize(0, at),
            "any" | "all" => Node::bool(name == "all", at),
            "fold" => walk.expr(&args[0]),
            "for_each" => Node::unit(at),
            _ => Node::none(walk.types.unknown(), at),
        }
    }

    /// Takes an item if the end is no search.
    fn taken(&self, walk: &mut Elaborate<'_>, end: &End, item: Item, to: &mut Vec<Statement>) -> Option<()> {
        let (MethodCall { name, args, at, .. }, End { total, target }) = (*self, end);
        let next = match name {
            "sum" | "product" => {
                let node = walk.item_as_value(item, at)?;
                walk.same(&node.ty, &total.ty, at);
                let op = if name == "sum" { Op::Add } else { Op::Mul };
                Node::new(NodeKind::Step(op, total.clone().boxed(), node.boxed()), total.ty.clone(), at)
            }
            "count" => total.clone() + 1,
            "fold" => {
                let node = walk.apply(&args[1], vec![Item::Value(total.clone()), item], at);
                walk.same(&node.ty, &total.ty, at);
                node
            }
            _ => {
                let mut node = walk.apply(&args[0], vec![item], at);
                if name != "for_each" {
                    let found = if name == "any" { node } else { Node::not(node) };
                    let set = Statement::set(total.clone(), Node::bool(name == "any", at));
                    node = walk.if_else(found, Node::leave(*target, at).after(vec![set]), Node::unit(at), at);
                }
                to.push(Statement::Do(node));
                return Some(());
            }
        };
        to.push(Statement::set(total.clone(), next));
        Some(())
    }

    /// Takes an item if the end is a search: the total is an `Option`.
    fn found(
        &self,
        walk: &mut Elaborate<'_>,
        end: &End,
        item: Item,
        position: Node,
        to: &mut Vec<Statement>,
    ) -> Option<()> {
        let (MethodCall { name, args, at, .. }, total) = (*self, &end.total);
        // The first one that fits.
        if matches!(name, "position" | "rposition" | "find" | "find_map") {
            let test = walk.apply(&args[0], vec![item.clone()], at);
            let (holds, value) = match name {
                "find" => (test, walk.item_as_value(item, at)?),
                "find_map" => {
                    let option = walk.locals.hold("option", test, to);
                    opened(&mut walk.types, &option)?
                }
                _ => (test, position),
            };
            self.leave_with(walk, end, holds, value, to);
            return Some(());
        }
        let value = walk.item_as_value(item, at)?;
        if name == "last" {
            let some = Node::some(value);
            walk.same(&total.ty, &some.ty, at);
            to.push(Statement::set(total.clone(), some));
            return Some(());
        }
        let value = walk.locals.hold("item", value, to);
        let (is_some, best) = opened(&mut walk.types, total)?;
        if name == "reduce" {
            walk.same(&best.ty, &value.ty, at);
            let both = walk.apply(&args[0], vec![Item::Value(best.clone()), Item::Value(value.clone())], at);
            walk.same(&best.ty, &both.ty, at);
            let next = walk.if_else(is_some, Node::some(both), Node::some(value), at);
            to.push(Statement::set(total.clone(), next));
            return Some(());
        }
        // Of equal ones the last is the greatest, and the first the least, as in Rust.
        let op = if name.starts_with("min") { Op::Gt } else { Op::Le };
        let (next, replaces) = match name {
            "max_by" | "min_by" => {
                walk.same(&best.ty, &value.ty, at);
                let order = walk.apply(&args[0], vec![Item::Value(best), Item::Value(value.clone())], at);
                walk.same(&order.ty, &Ty::ORDERING, at);
                (value, walk.operation(op, order, equal(at), at))
            }
            _ => {
                let (key, next) = match args {
                    [closure] => {
                        let key = walk.apply_to(closure, &value, at);
                        let key = walk.locals.hold("key", key, to);
                        (key.clone(), Node::tuple(vec![key, value], at))
                    }
                    _ => (value.clone(), value),
                };
                walk.same(&best.ty, &next.ty, at);
                let known = if args.is_empty() { best } else { best.member(0, key.ty.clone(), at) };
                (next, walk.operation(op, known, key, at))
            }
        };
        let replaces = walk.operation(Op::OrOr, Node::not(is_some), replaces, at);
        let set = Node::unit(at).after(vec![Statement::set(total.clone(), Node::some(next))]);
        to.push(Statement::Do(walk.if_else(replaces, set, Node::unit(at), at)));
        Some(())
    }
}

impl Elaborate<'_> {
    /// `for item in items.map(..).filter(..) { .. }`; none if there are no adaptors.
    pub fn adapted_loop(&mut self, f: &ir::For, at: Location) -> Option<Node> {
        let (adaptors, source) = adaptors_of(&f.source);
        if adaptors.is_empty() {
            return None;
        }
        let mut before = Vec::new();
        let copies = self.locals.copies.len();
        let iter = self.iterator(source, &mut before)?;
        adaptors.iter().for_each(|adaptor| self.take_closure(adaptor.closure, &mut before));
        let (length, mut adapted) = (self.turns(&iter, at, &mut before), Some(()));
        let node = self.positions([Node::usize(0, at), length], |this, position, target| {
            let mut statements = Vec::new();
            let mut item = this.at(&iter, position, &mut statements);
            let Some(filters) = this.adapted(&adaptors, &mut item, &mut before, &mut statements, at) else {
                adapted = None;
                return statements;
            };
            this.bind(&f.pattern, item, &mut statements);
            statements.push(Statement::Do(this.body_of(f, target, at)));
            this.filtered(filters, statements, target, at)
        });
        adapted?;
        before.push(Statement::Do(node));
        self.locals.leave_out_copies(copies, &mut before);
        Some(Node::unit(at).after(before))
    }

    /// The statements for an item, which filters may leave out.
    fn filtered(
        &mut self,
        filters: Vec<Filter>,
        mut of: Vec<Statement>,
        target: Target,
        at: Location,
    ) -> Vec<Statement> {
        for Filter { after, holds, ends } in filters.into_iter().rev() {
            let rest = Node::unit(at).after(of.split_off(after));
            let otherwise = if ends { Node::leave(target, at) } else { Node::unit(at) };
            of.push(Statement::Do(self.if_else(holds, rest, otherwise, at)));
        }
        of
    }

    /// Applies the adaptors to an item, from the innermost out. Each may leave the item out.
    fn adapted(
        &mut self,
        adaptors: &[Adaptor<'_>],
        item: &mut Item,
        before: &mut Vec<Statement>,
        to: &mut Vec<Statement>,
        at: Location,
    ) -> Option<Vec<Filter>> {
        let mut filters = Vec::new();
        for Adaptor { name, closure } in adaptors {
            let node = self.apply(closure, vec![item.clone()], at);
            match *name {
                "map" => *item = Item::Value(self.locals.hold("item", node, to)),
                "inspect" => to.push(Statement::Do(node)),
                "filter_map" => {
                    let option = self.locals.hold("option", node, to);
                    let (holds, value) = opened(&mut self.types, &option)?;
                    filters.push(Filter { after: to.len(), holds, ends: false });
                    *item = Item::Value(self.locals.hold("item", value, to));
                }
                "skip_while" => {
                    let skips = self.locals.changing("skips", Node::bool(true, at), before);
                    let still = self.operation(Op::AndAnd, skips.clone(), node, at);
                    to.push(Statement::set(skips.clone(), still));
                    filters.push(Filter { after: to.len(), holds: Node::not(skips), ends: false });
                }
                name => filters.push(Filter { after: to.len(), holds: node, ends: name == "take_while" }),
            }
        }
        Some(filters)
    }

    fn item_as_value(&mut self, item: Item, at: Location) -> Option<Node> {
        match item {
            Item::Value(node) | Item::Place(node) => Some(node),
            Item::Tuple(items) => Some(self.tuple(items, at)),
            _ => {
                self.obstacle(at, "items that are no numbers are combined");
                None
            }
        }
    }
}

/// Whether an expression is an iterator that changes or leaves out items.
fn is_adapted(e: &Expr) -> bool {
    matches!(&e.bare().kind, ir::Kind::Method(_, name, ..) if ADAPTORS.contain(name))
}
