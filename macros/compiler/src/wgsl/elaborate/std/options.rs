//! `Option`: whether there is a value, and the value, which is arbitrary if there is none.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::elaborate::std::Words;
use crate::wgsl::infer::types::Types;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Ty};

/// Methods that only an `Option` has, or a `Result`, which devices have of searches and conversions alone.
const OWN: Words = Words(
    "is_ok is_err ok unwrap expect unwrap_or unwrap_or_else unwrap_or_default is_some is_none is_some_and is_none_or map_or map_or_else \
     and_then or_else ok_or",
);

/// Methods that iterators, arrays or numbers have too.
const SHARED: Words = Words("map filter or and");

/// Methods that give an `Option`.
pub const GIVING: Words = Words(
    "split_first split_last get first last max min max_by min_by max_by_key min_by_key position find find_map reduce nth then then_some \
     partial_cmp try_into binary_search binary_search_by binary_search_by_key ok checked_add checked_sub checked_mul checked_div \
     checked_rem checked_neg checked_pow checked_ilog2 checked_ilog10 checked_abs checked_div_euclid checked_rem_euclid \
     checked_next_multiple_of checked_add_signed checked_shl checked_shr",
);

impl MethodCall<'_> {
    /// A method of an `Option`.
    pub fn option_method(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        let is_own = OWN.contain(name);
        if !(is_own || SHARED.contain(name) && walk.gives_option(receiver)) {
            return None;
        }
        let option = walk.expr(receiver);
        let mut before = Vec::new();
        let option = match option.kind {
            NodeKind::Tuple(_) => option,
            _ => walk.locals.hold("option", option, &mut before),
        };
        let Some((is_some, value)) = opened(&mut walk.types, &option) else {
            let what = format!("`.{name}()` is of what a device does not have: it has `Option`, and no `Result`");
            return Some(walk.stuck(at, what));
        };
        let node = match (name, args) {
            ("is_some" | "is_ok", []) => is_some,
            // A value stands in the place of an error.
            ("ok", []) => option,
            ("is_none" | "is_err", []) => Node::not(is_some),
            ("unwrap", []) | ("expect", [_]) => {
                let panics = walk.panics(at);
                let check = walk.if_else(Node::not(is_some), panics, Node::unit(at), at);
                before.push(Statement::Do(check));
                value
            }
            ("unwrap_or", [other]) => {
                let other = self.other(walk, other, &mut before);
                walk.if_else(is_some, value, other, at)
            }
            ("unwrap_or_else", [closure]) => {
                let error = match &closure.bare().kind {
                    ir::Kind::Closure(patterns, ..) if patterns.len() == 1 => vec![Item::Value(value.clone())],
                    _ => Vec::new(),
                };
                let other = walk.apply(closure, error, at);
                walk.if_else(is_some, value, other, at)
            }
            ("unwrap_or_default", []) => {
                let other = Node::new(NodeKind::Default, value.ty.clone(), at);
                walk.if_else(is_some, value, other, at)
            }
            ("is_some_and", [closure]) => {
                let holds = walk.apply_to(closure, &value, at);
                walk.operation(Op::AndAnd, is_some, holds, at)
            }
            ("is_none_or", [closure]) => {
                let holds = walk.apply_to(closure, &value, at);
                walk.operation(Op::OrOr, Node::not(is_some), holds, at)
            }
            ("map", [closure]) => {
                let mapped = walk.apply_to(closure, &value, at);
                walk.some_if(is_some, mapped, at)
            }
            ("map_or", [other, closure]) => {
                let other = self.other(walk, other, &mut before);
                let mapped = walk.apply_to(closure, &value, at);
                walk.if_else(is_some, mapped, other, at)
            }
            ("map_or_else", [otherwise, closure]) => {
                let other = walk.apply(otherwise, Vec::new(), at);
                let mapped = walk.apply_to(closure, &value, at);
                walk.if_else(is_some, mapped, other, at)
            }
            ("and_then", [closure]) => {
                let next = walk.apply_to(closure, &value, at);
                let (_, inner) = opened(&mut walk.types, &next)?;
                walk.if_else(is_some, next, Node::none(inner.ty, at), at)
            }
            ("filter", [closure]) => {
                let holds = walk.apply_to(closure, &value, at);
                let condition = walk.operation(Op::AndAnd, is_some, holds, at);
                walk.some_if(condition, value, at)
            }
            ("or", [other]) => {
                let other = self.other(walk, other, &mut before);
                walk.if_else(is_some, option, other, at)
            }
            ("or_else", [closure]) => {
                let other = walk.apply(closure, Vec::new(), at);
                walk.if_else(is_some, option, other, at)
            }
            _ => walk.stuck(at, format!("`.{name}()` of an `Option` is not translated")),
        };
        Some(node.after(before))
    }

    fn other(&self, walk: &mut Elaborate<'_>, other: &Expr, to: &mut Vec<Statement>) -> Node {
        let other = walk.expr(other);
        walk.locals.hold("other", other, to)
    }

    /// `condition.then(..)`.
    pub fn of_condition(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        let mut before = Vec::new();
        let node = match (name, args) {
            ("then_some", [value]) => {
                let condition = walk.expr(receiver);
                let condition = walk.locals.hold("condition", condition, &mut before);
                let value = walk.expr(value);
                let value = walk.locals.hold("value", value, &mut before);
                walk.some_if(condition, value, at)
            }
            ("then", [closure]) if matches!(closure.bare().kind, ir::Kind::Closure(..)) => {
                let condition = walk.expr(receiver);
                let value = walk.apply(closure, Vec::new(), at);
                walk.some_if(condition, value, at)
            }
            _ => return None,
        };
        Some(node.after(before))
    }
}

impl Elaborate<'_> {
    /// `None` where it has no other meaning.
    pub fn is_none_name(&self, e: &Expr) -> bool {
        let text: String = e.bare().tokens.to_string().split_whitespace().collect();
        match text.as_str() {
            "None" => self.names.get(Local::named("None")).is_none(),
            text => text.ends_with("Option::None"),
        }
    }

    /// A value where a condition holds. It is evaluated there alone.
    pub fn some_if(&mut self, condition: Node, value: Node, at: Location) -> Node {
        let none = Node::none(value.ty.clone(), at);
        self.if_else(condition, Node::some(value), none, at)
    }

    /// Whether what an expression gives is seen to be an `Option`.
    fn gives_option(&self, e: &Expr) -> bool {
        let is_option = |ty: &Ty| matches!(self.types.shallow(ty), Ty::Option(_));
        match &e.bare().kind {
            ir::Kind::Method(inner, name, ..) => {
                GIVING.contain(name)
                    || (SHARED.contain(name)
                        || matches!(name.as_str(), "and_then" | "or_else" | "copied" | "cloned" | "as_ref"))
                        && self.gives_option(inner)
            }
            ir::Kind::Call(function, _) => match function.name().map(|name| (name, self.names.get(name))) {
                Some((_, Some(Binding::Function(function)))) => {
                    let path = function.output.as_ref().and_then(|ty| ty.split_once('<'));
                    path.is_some_and(|(path, _)| path.rsplit("::").next().map(str::trim) == Some("Option"))
                }
                Some((name, None)) => name == "Some" || !name.starts_with(char::is_uppercase),
                _ => false,
            },
            ir::Kind::Name(name) => match self.names.get(*name) {
                Some(Binding::Local(variable)) => is_option(&self.locals.all[*variable].ty),
                Some(Binding::Place(node)) => is_option(&node.ty),
                Some(_) => false,
                None => name == "None",
            },
            _ => false,
        }
    }

    /// `e?` in a function that gives an `Option`.
    pub fn tried(&mut self, inner: &Expr, at: Location) -> Node {
        let option = self.expr(inner);
        let frame = self.exits.returns();
        let mut before = Vec::new();
        let option = if self.quiet { option } else { self.locals.hold("option", option, &mut before) };
        match (frame, opened(&mut self.types, &option)) {
            (Some((target, ty)), Some((is_some, value))) if !self.quiet => {
                let inner = self.types.unknown();
                self.same(&ty, &Ty::Option(Box::new(inner.clone())), at);
                let leave = Node::new(NodeKind::Break(target, Node::none(inner, at).boxed()), Ty::Never, at);
                let check = self.if_else(Node::not(is_some), leave, Node::unit(at), at);
                before.push(Statement::Do(check));
                value.after(before)
            }
            _ => self.stuck(at, "`?` leaves the loop"),
        }
    }

    /// Whether two `Option`s are equal.
    pub fn equal_options(&mut self, op: Op, a: Node, b: Node, at: Location) -> Option<Node> {
        let is_option = |node: &Node| matches!(self.types.shallow(&node.ty), Ty::Option(_));
        if !matches!(op, Op::Eq | Op::Ne) || !(is_option(&a) || is_option(&b)) {
            return None;
        }
        self.same(&a.ty, &b.ty, at);
        let mut before = Vec::new();
        let (a, b) = (self.locals.hold("one", a, &mut before), self.locals.hold("other", b, &mut before));
        let ((a_is, a), (b_is, b)) = (opened(&mut self.types, &a)?, opened(&mut self.types, &b)?);
        let alike = self.operation(Op::Eq, a_is.clone(), b_is, at);
        let equal = self.operation(Op::Eq, a, b, at);
        let equal = self.operation(Op::OrOr, Node::not(a_is), equal, at);
        let equal = self.operation(Op::AndAnd, alike, equal, at);
        Some(if op == Op::Ne { Node::not(equal) } else { equal }.after(before))
    }
}

/// Whether there is a value, and the value.
pub fn opened(types: &mut Types, option: &Node) -> Option<(Node, Node)> {
    let at = option.at;
    let inner = match types.shallow(&option.ty) {
        Ty::Option(inner) => *inner,
        Ty::Unknown(_) => {
            let inner = types.unknown();
            if !types.same(&option.ty, &Ty::Option(Box::new(inner.clone()))) {
                return None;
            }
            inner
        }
        _ => return None,
    };
    match &option.kind {
        NodeKind::Tuple(parts) if parts.len() == 2 => Some((parts[0].clone(), parts[1].clone())),
        _ => Some((option.member(0, Ty::BOOL, at), option.member(1, inner, at))),
    }
}
