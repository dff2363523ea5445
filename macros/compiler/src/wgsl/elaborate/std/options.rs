//! `Option`: whether there is a value, and the value, which means nothing where there is none. And `Ordering`, a number.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::infer::types::Types;
use crate::wgsl::infer::written::of_option;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Ty};

/// Methods that nothing but an `Option` has (nor a `Result`, which devices do not have).
pub const OWN: [&str; 17] = [
    "is_ok",
    "is_err",
    "ok",
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "is_some",
    "is_none",
    "is_some_and",
    "is_none_or",
    "map_or",
    "map_or_else",
    "and_then",
    "or_else",
    "ok_or",
];

/// Methods that iterators, arrays or numbers have too.
const SHARED: [&str; 4] = ["map", "filter", "or", "and"];

/// Methods that give an `Option`.
pub const GIVING: [&str; 40] = [
    "split_first",
    "split_last",
    "checked_add",
    "checked_sub",
    "checked_mul",
    "checked_div",
    "checked_rem",
    "checked_neg",
    "get",
    "first",
    "last",
    "max",
    "min",
    "max_by",
    "min_by",
    "max_by_key",
    "min_by_key",
    "position",
    "find",
    "find_map",
    "reduce",
    "then",
    "then_some",
    "partial_cmp",
    "checked_pow",
    "checked_ilog2",
    "checked_ilog10",
    "checked_abs",
    "checked_div_euclid",
    "checked_rem_euclid",
    "checked_next_multiple_of",
    "checked_add_signed",
    "try_into",
    "binary_search",
    "binary_search_by",
    "binary_search_by_key",
    "ok",
    "nth",
    "checked_shl",
    "checked_shr",
];

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
        let some = Node::some(value);
        self.if_else(condition, some, none, at)
    }

    /// Whether what an expression gives is seen to be an `Option`.
    fn gives_option(&self, e: &Expr) -> bool {
        let is_option = |ty: &Ty| matches!(self.types.shallow(ty), Ty::Option(_));
        match &e.bare().kind {
            ir::Kind::Method(inner, name, ..) => {
                GIVING.contains(&name.as_str())
                    || (SHARED.contains(&name.as_str())
                        || matches!(name.as_str(), "and_then" | "or_else" | "copied" | "cloned" | "as_ref"))
                        && self.gives_option(inner)
            }
            ir::Kind::Call(function, _) => match function.name().map(|name| (name, self.names.get(name))) {
                Some((_, Some(Binding::Function(function)))) => match &function.sig.output {
                    syn::ReturnType::Type(_, ty) => {
                        matches!(&**ty, syn::Type::Path(path) if of_option(&path.path).is_some())
                    }
                    syn::ReturnType::Default => false,
                },
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

    /// A method of an `Option`.
    pub fn option_method(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let is_own = OWN.contains(&name);
        if !(is_own || SHARED.contains(&name) && self.gives_option(receiver)) {
            return None;
        }
        let option = self.expr(receiver);
        let mut before = Vec::new();
        let option = if matches!(option.kind, NodeKind::Tuple(_)) {
            option
        } else {
            self.locals.hold("option", option, &mut before)
        };
        let Some((is_some, value)) = opened(&mut self.types, &option) else {
            return Some(self.stuck(
                at,
                format!("`.{name}()` is of what a device does not have: it has `Option`, and no `Result`"),
            ));
        };
        let node = match (name, args) {
            ("is_some" | "is_ok", []) => is_some,
            // What is there in place of an error has been found in its place.
            ("ok", []) => option,
            ("is_none" | "is_err", []) => Node::not(is_some),
            ("unwrap", []) | ("expect", [_]) => {
                let fails = Node::not(is_some);
                let (panics, nothing) = (self.panics(at), Node::unit(at));
                let check = self.if_else(fails, panics, nothing, at);
                before.push(Statement::Do(check));
                value
            }
            ("unwrap_or", [other]) => {
                let other = self.expr(other);
                let other = self.locals.hold("other", other, &mut before);
                self.if_else(is_some, value, other, at)
            }
            ("unwrap_or_else", [closure]) => {
                let error = match &closure.bare().kind {
                    ir::Kind::Closure(patterns, ..) if patterns.len() == 1 => vec![Item::Value(value.clone())],
                    _ => Vec::new(),
                };
                let other = self.apply(closure, error, at);
                self.if_else(is_some, value, other, at)
            }
            ("unwrap_or_default", []) => {
                let other = Node::new(NodeKind::Default, value.ty.clone(), at);
                self.if_else(is_some, value, other, at)
            }
            ("is_some_and", [closure]) => {
                let holds = self.apply(closure, vec![Item::Value(value)], at);
                self.operation(Op::AndAnd, is_some, holds, at)
            }
            ("is_none_or", [closure]) => {
                let holds = self.apply(closure, vec![Item::Value(value)], at);
                let none = Node::not(is_some);
                self.operation(Op::OrOr, none, holds, at)
            }
            ("map", [closure]) => {
                let mapped = self.apply(closure, vec![Item::Value(value)], at);
                self.some_if(is_some, mapped, at)
            }
            ("map_or", [other, closure]) => {
                let other = self.expr(other);
                let other = self.locals.hold("other", other, &mut before);
                let mapped = self.apply(closure, vec![Item::Value(value)], at);
                self.if_else(is_some, mapped, other, at)
            }
            ("map_or_else", [otherwise, closure]) => {
                let other = self.apply(otherwise, Vec::new(), at);
                let mapped = self.apply(closure, vec![Item::Value(value)], at);
                self.if_else(is_some, mapped, other, at)
            }
            ("and_then", [closure]) => {
                let next = self.apply(closure, vec![Item::Value(value)], at);
                let (_, inner) = opened(&mut self.types, &next)?;
                let none = Node::none(inner.ty, at);
                self.if_else(is_some, next, none, at)
            }
            ("filter", [closure]) => {
                let holds = self.apply(closure, vec![Item::Value(value.clone())], at);
                let condition = self.operation(Op::AndAnd, is_some, holds, at);
                self.some_if(condition, value, at)
            }
            ("or", [other]) => {
                let other = self.expr(other);
                let other = self.locals.hold("other", other, &mut before);
                self.if_else(is_some, option, other, at)
            }
            ("or_else", [closure]) => {
                let other = self.apply(closure, Vec::new(), at);
                self.if_else(is_some, option, other, at)
            }
            _ => self.stuck(at, format!("`.{name}()` of an `Option` is not translated")),
        };
        Some(node.after(before))
    }

    /// A method that gives an `Option`, or an `Ordering`.
    pub fn giving_option(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        if let Some(node) = self.element_if_there(receiver, name, args, at) {
            return Some(node);
        }
        if let Some(node) = self.checked(receiver, name, args, at) {
            return Some(node);
        }
        if let Some(node) = self.of_condition(receiver, name, args, at) {
            return Some(node);
        }
        self.order(receiver, name, args, at)
    }

    /// `condition.then(..)`.
    fn of_condition(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let node = match (name, args) {
            ("then_some", [value]) => {
                let condition = self.expr(receiver);
                let condition = self.locals.hold("condition", condition, &mut before);
                let value = self.expr(value);
                let value = self.locals.hold("value", value, &mut before);
                self.some_if(condition, value, at)
            }
            ("then", [closure]) if matches!(closure.bare().kind, ir::Kind::Closure(..)) => {
                let condition = self.expr(receiver);
                let value = self.apply(closure, Vec::new(), at);
                self.some_if(condition, value, at)
            }
            _ => return None,
        };
        Some(node.after(before))
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
                let none = Node::none(inner, at);
                let leave = Node::new(NodeKind::Break(target, none.boxed()), Ty::Never, at);
                let fails = Node::not(is_some);
                let nothing = Node::unit(at);
                let check = self.if_else(fails, leave, nothing, at);
                before.push(Statement::Do(check));
                value.after(before)
            }
            _ => self.stuck(at, "`?` leaves the loop"),
        }
    }

    /// Whether two `Option`s are equal.
    pub fn equal_options(&mut self, op: Op, a: Node, b: Node, at: Location) -> Option<Node> {
        let is_option = |this: &Self, node: &Node| matches!(this.types.shallow(&node.ty), Ty::Option(_));
        if !matches!(op, Op::Eq | Op::Ne) || !(is_option(self, &a) || is_option(self, &b)) {
            return None;
        }
        self.same(&a.ty, &b.ty, at);
        let mut before = Vec::new();
        let (a, b) = (self.locals.hold("one", a, &mut before), self.locals.hold("other", b, &mut before));
        let ((a_is, a), (b_is, b)) = (opened(&mut self.types, &a)?, opened(&mut self.types, &b)?);
        let alike = self.operation(Op::Eq, a_is.clone(), b_is, at);
        let none = Node::not(a_is);
        let equal = self.operation(Op::Eq, a, b, at);
        let equal = self.operation(Op::OrOr, none, equal, at);
        let mut equal = self.operation(Op::AndAnd, alike, equal, at);
        if op == Op::Ne {
            equal = Node::not(equal);
        }
        Some(equal.after(before))
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
        _ => {
            let member = |number, ty| Node::new(NodeKind::Member(option.clone().boxed(), number), ty, at);
            Some((member(0, Ty::BOOL), member(1, inner)))
        }
    }
}
