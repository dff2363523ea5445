//! Functions that are known by their path: those of std.

use crate::ir::Expr;
use crate::ir::report::Location;
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::std::options::GIVING;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Ty};

impl Elaborate<'_> {
    /// Functions that are known by their path.
    pub fn call_known(&mut self, function: &Expr, args: &[Expr], at: Location) -> Node {
        let text: String = function.text().split_whitespace().collect();
        let segments: Vec<&str> = text.split("::").collect();
        let last = segments.last().copied().unwrap_or_default();
        let owner = segments.iter().rev().nth(1).copied().unwrap_or_default();
        if self.quiet {
            return self.call_outside(Type::named(owner), last, args, at);
        }
        // `a::b::c::swap` is somebody else's.
        let near = segments.len() < 4;
        if let Some(node) = self.call_of_std(owner, last, args, near, at) {
            return node;
        }
        if let Some(ty) = Type::named(owner)
            && let Some(node) = self.call_of_number(function, ty, last, args, at)
        {
            return node;
        }
        if let (true, [value]) = (matches!(&*text, "Some" | "Option::Some"), args) {
            return Node::some(self.expr(value));
        }
        let made = self.call_marked(function, args, at).or_else(|| self.made_of_parts(function, args, at));
        made.unwrap_or_else(|| {
            args.iter().for_each(|arg| _ = self.expr(arg));
            let name = function.shown();
            self.stuck(at, match last.starts_with(char::is_uppercase) {
                true => format!("`{name}(..)` makes a value that a device does not have yet: use numbers, arrays `[T; N]` and tuples"),
                false => format!(
                    "calls `{name}`, which is not seen here: a device calls functions with `#[forall::device]` above them, by their \
                     name or through modules"
                ),
            })
        })
    }

    /// Outside of the loop, where types alone are wanted.
    fn call_outside(&mut self, owner: Option<Type>, name: &str, args: &[Expr], at: Location) -> Node {
        let args: Vec<Node> = args.iter().map(|arg| self.expr(arg)).collect();
        let node = match owner {
            Some(ty) if matches!(name, "from" | "from_f32") => Some(Node::new(NodeKind::Unit, Ty::Scalar(ty), at)),
            Some(ref ty) if args.first().is_some_and(|arg| self.types.same(&arg.ty, &Ty::Scalar(*ty))) => {
                self.of_number(name, args, at)
            }
            None if matches!(name, "min" | "max") && args.len() == 2 => self.of_number(name, args, at),
            _ => None,
        };
        node.unwrap_or_else(|| Node::new(NodeKind::Default, self.types.unknown(), at))
    }

    /// `std::mem::swap`, `std::cmp::max`, `Default::default`.
    fn call_of_std(&mut self, owner: &str, last: &str, args: &[Expr], near: bool, at: Location) -> Option<Node> {
        match (owner, last, args) {
            ("mem", "swap", [a, b]) | (_, "swap", [a, b]) if near => {
                let (a, b) = (self.expr(a), self.expr(b));
                Some(self.exchange(a, b, at))
            }
            ("mem", "replace", [place, value]) => {
                let mut statements = Vec::new();
                let (place, value) = (self.expr(place), self.expr(value));
                self.same(&place.ty, &value.ty, at);
                self.check_place(&place);
                let place = self.locals.fixed(place, &mut statements);
                let before = self.locals.set_up("before", place.clone(), false, &mut statements);
                statements.push(Statement::set(place, value));
                Some(self.locals.read(before, at).after(statements))
            }
            ("cmp" | "Ord", "min" | "max", [a, b]) | ("", "min" | "max", [a, b]) => {
                let all = vec![self.expr(a), self.expr(b)];
                self.of_number(last, all, at)
            }
            (_, "default", []) if owner == "Default" || Type::named(owner).is_some() => {
                let ty = Type::named(owner).map_or_else(|| self.types.unknown(), Ty::Scalar);
                Some(Node::new(NodeKind::Default, ty, at))
            }
            _ => None,
        }
    }

    /// `f32::max(a, b)`, `u32::checked_sub(a, b)`.
    fn call_of_number(&mut self, function: &Expr, ty: Type, last: &str, args: &[Expr], at: Location) -> Option<Node> {
        if let (Type::F16, Ok(mut path)) = (&ty, syn::parse2::<syn::Path>(function.tokens.clone())) {
            // Another type may have this name.
            path.segments.pop();
            path.segments.pop_punct();
            let path = quote::quote!(#path);
            let named = self.types.given(&path.to_string(), &path);
            self.same(&named, &Ty::Scalar(Type::F16), at);
        }
        if let Some(node) = self.number_function(&ty, last, args, at) {
            return Some(node);
        }
        // `u32::checked_sub(a, b)`.
        let whole = GIVING.contain(last) && !matches!(last, "min" | "max");
        if let ([receiver, rest @ ..], true) = (args, whole || last.starts_with("overflowing_")) {
            return Some(self.method(receiver, last, rest, &function.tokens, at));
        }
        let ty = Ty::Scalar(ty);
        let mut all: Vec<Node> = args.iter().map(|arg| self.expr(arg)).collect();
        match (last, all.len()) {
            ("from_f32", 1) if matches!(ty, Ty::Scalar(Type::F16)) => {
                self.same(&all[0].ty, &Ty::Scalar(Type::F32), at);
                return Some(all.remove(0).cast(ty));
            }
            ("from_f64", 1) if matches!(ty, Ty::Scalar(Type::F16)) => {
                return Some(self.stuck(
                    at,
                    "`f16::from_f64` is not computed on devices, since processors differ in how it rounds: write \
                     `f16::from_f32(x as f32)`",
                ));
            }
            ("from", 1) if !matches!(ty, Ty::Scalar(Type::F16)) => return Some(all.remove(0).cast(ty)),
            ("from_bits", 1) => {
                let bits = self.types.bits(&ty);
                self.same(&all[0].ty, &bits, at);
                return Some(Node::new(NodeKind::FromBits(all.remove(0).boxed()), ty, at));
            }
            _ => {}
        }
        if let Some(first) = all.first() {
            self.same(&first.ty, &ty, at);
        }
        self.of_number(last, all, at)
    }

    /// `f64::max` and its kin, handed on.
    pub fn path_of_number(&mut self, function: &Expr, items: &[Item], at: Location) -> Option<Node> {
        let text: String = function.text().split_whitespace().collect();
        let (owner, name) = text.rsplit_once("::")?;
        let values = items.iter().map(|item| match item {
            Item::Value(node) | Item::Place(node) => Some(node.clone()),
            _ => None,
        });
        let mut values = values.collect::<Option<Vec<Node>>>()?;
        if let (Some(ty), "from", 1) = (Type::named(owner), name, values.len()) {
            return Some(values.remove(0).cast(Ty::Scalar(ty)));
        }
        let owner = owner.rsplit("::").next()?;
        match Type::named(owner) {
            Some(ty) => self.same(&values.first()?.ty, &Ty::Scalar(ty), at),
            None if owner == "cmp" && matches!(name, "min" | "max") => {}
            None => return None,
        }
        self.of_number(name, values, at)
    }
}
