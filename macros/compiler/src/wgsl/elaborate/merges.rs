//! The merge of two chunks of an accumulator.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local, Op};
use crate::plan::{self, Accumulator, Better, Class, Key, Missing, Operator, accessor_of};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::tree::{Merge, Node, Total, Ty};
use proc_macro2::Span;
use quote::{format_ident, quote};

/// The merge of two chunks of an accumulator.
pub fn merge(this: &mut Elaborate<'_>, number: usize, accumulator: &Accumulator) -> Option<Merge> {
    let at = Location::from(accumulator.at);
    let types: Vec<Ty> = this.outputs.accumulators[number].variables.iter().map(|(_, ty)| ty.clone()).collect();
    let ty = match (&accumulator.class, types.as_slice()) {
        (Class::Best { .. }, _) => Ty::Tuple(types),
        (_, [ty]) => ty.clone(),
        _ => return None,
    };
    let (earlier, later) = (this.locals.add("earlier", ty.clone(), false), this.locals.add("later", ty.clone(), false));
    let (a, b) = (this.locals.read(earlier, at), this.locals.read(later, at));
    let both = match &accumulator.class {
        Class::Sum { wraps, .. } | Class::Difference { wraps, .. } => match wraps {
            true => Node::total(Total::Plus, a.clone(), b.clone()),
            false => this.operation(Op::Add, a.clone(), b.clone(), at),
        },
        Class::Product => Node::total(Total::Times, a.clone(), b.clone()),
        Class::Parity => this.operation(Op::Xor, a.clone(), b.clone(), at),
        Class::Idempotent { merge } | Class::Combine { merge } | Class::Segmented { merge, .. } => {
            let both = this.merged(merge, a.clone(), b, at);
            this.same(&both.ty, &a.ty, at);
            both
        }
        Class::Best { better, .. } => this.better(better, b, a, at),
        _ => return None,
    };
    Some(Merge { earlier, later, both })
}

impl Elaborate<'_> {
    /// The merge of two values, the earlier one first.
    pub fn merged(&mut self, merge: &plan::Merge, a: Node, b: Node, at: Location) -> Node {
        match merge {
            plan::Merge::Last => b,
            plan::Merge::Combine(path) => {
                let kind = match path.to_string() {
                    name if syn::parse_str::<syn::Ident>(&name).is_ok() => ir::Kind::Name(Local::named(&name)),
                    _ => ir::Kind::Path,
                };
                let function = self.input.lower.node(kind, Span::call_site(), path.clone());
                self.of_named(a, b, |this, args| this.call(&function, args, at))
            }
            plan::Merge::By(operator) | plan::Merge::Written(operator, _) => match operator {
                Operator::Add => Node::total(Total::Plus, a, b),
                Operator::Mul => Node::total(Total::Times, a, b),
                Operator::Xor => self.operation(Op::Xor, a, b, at),
                Operator::Logical(op) => self.operation(*op, a, b, at),
                Operator::Keep(op) => {
                    let better = self.operation(*op, b.clone(), a.clone(), at);
                    self.if_else(better, b, a, at)
                }
                Operator::Follow(op) => {
                    let better = self.operation(*op, a.clone(), b.clone(), at);
                    self.if_else(better, a, b, at)
                }
                Operator::InOption(_) => {
                    self.stuck(at, "the best value so far stands in an `Option`: begin with a value instead of `None`")
                }
                Operator::Repeated(_) => self.stuck(at, "each update applies the same function"),
                Operator::Max
                | Operator::Min
                | Operator::WrappingAdd
                | Operator::WrappingMul
                | Operator::SaturatingAdd
                | Operator::SaturatingMul
                | Operator::Combine => {
                    let name = operator.text();
                    let method = format_ident!("{name}");
                    self.of_named(a, b, |this, args| this.method(&args[0], name, &args[1..], &quote!(.#method), at))
                }
            },
        }
    }

    /// An expression of two values that have names.
    fn of_named(&mut self, a: Node, b: Node, run: impl FnOnce(&mut Self, &[Expr]) -> Node) -> Node {
        let scope = self.names.environment.clone();
        let args = [("__a", a), ("__b", b)].map(|(name, node)| {
            let ident = format_ident!("{name}");
            self.names.bind(ir::Local::named(name), Binding::Place(node));
            self.input.lower.node(ir::Kind::Name(ir::Local::named(name)), ident.span(), quote!(#ident))
        });
        let node = run(self, &args);
        self.names.environment = scope;
        node
    }

    /// The key of a value.
    fn key(&mut self, key: &Key, value: Node, at: Location) -> Node {
        if let Some(fields) = accessor_of(&key.of, &key.place) {
            return fields.iter().fold(value, |value, field| self.member(value, field, at));
        }
        let Some(variable) = key.place.variable() else {
            return self
                .stuck(at, "the best value so far is compared by a key, and is a part of a variable: use a variable");
        };
        let scope = self.names.environment.clone();
        self.names.bind(variable, Binding::Place(value));
        let node = self.expr(&key.of);
        self.names.environment = scope;
        node
    }

    /// Whether the later one of two best values is better.
    fn better(&mut self, better: &Better, later: Node, earlier: Node, at: Location) -> Node {
        let [new, old] = [later, earlier].map(|whole| {
            let ty = match self.types.shallow(&whole.ty) {
                Ty::Tuple(parts) if !parts.is_empty() => parts[0].clone(),
                _ => self.types.unknown(),
            };
            whole.member(0, ty, at)
        });
        match better {
            Better::Than { by: Some(by), .. } if by.is_total() => {
                self.stuck(at, "the best value so far is compared by `total_cmp`: write `>` or `<`")
            }
            Better::Than { total: true, .. } => self.stuck(
                at,
                "the best value so far may be replaced by one that compares with nothing: write `if new > best { best = new; .. }`",
            ),
            Better::Than { flag: Some((_, Missing::Where(_))), .. } | Better::First(Missing::Where(_)) => self.stuck(
                at,
                "a special value says that there is no best value yet: use a `bool`",
            ),
            Better::Than { tie: Some(_), .. } => {
                self.stuck(at, "the best values are compared by two keys: compare one, such as a pair of numbers in one")
            }
            Better::Than { key, op, .. } => {
                let [new, old] = [new, old].map(|value| self.key(key, value, at));
                self.operation(*op, new, old, at)
            }
            Better::ThanSome { .. } => {
                self.stuck(at, "the best value so far stands in an `Option`: begin with a value instead of `None`")
            }
            Better::First(missing @ (Missing::False | Missing::True)) => {
                self.same(&old.ty, &Ty::BOOL, at);
                if *missing == Missing::True { old } else { Node { at, ..Node::not(old) } }
            }
            Better::First(Missing::None) => {
                self.of_named(old, new, |this, args| this.method(&args[0], "is_none", &[], &quote!(.is_none), at))
            }
        }
    }
}
