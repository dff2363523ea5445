//! The code of values, and keys: functions of the values before. Equal code is an equal value.

use super::run::{Ran, Run, Stop};
use super::value::{CONTENT, HELD, Value, joined, with};
use crate::ir::place::Place;
use crate::ir::print::{self, Edit};
use crate::ir::{Expr, Id, Kind, Local, Op};
use crate::language::methods;
use crate::maps::{HashMap, HashSet};
use proc_macro2::TokenStream;
use quote::quote;

impl Run<'_> {
    /// The code of a value. Equal code is an equal value: what may not give the same value again has its number.
    pub(super) fn code(&self, e: &Expr) -> String {
        let again = e.nodes().all(|e| match &e.kind {
            Kind::Name(_) | Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Paren(_) | Kind::Cast(..) => true,
            Kind::Unary(..) | Kind::Binary(..) | Kind::Index(..) | Kind::Field(..) | Kind::Ref(false, _) => true,
            Kind::Tuple(_) | Kind::Array(_) | Kind::Range(..) => true,
            Kind::Call(..) => !(self.setting.changes)(e, self.setting.bound),
            Kind::Method(_, method, ..) => methods::only_reads(method) || methods::is_of_numbers(method),
            _ => false,
        });
        if !again {
            return format!("# {}", e.id);
        }
        let known = |name: &Local| match self.locals.get(name) {
            Some(Value::New(code)) => Some(code),
            _ => None,
        };
        let mut code = joined(&print::expr(e.bare(), &Plain { known: &|name| known(&name).is_some() }));
        let names: HashSet<Local> = e.variables().collect();
        for (name, other) in names.iter().filter_map(|name| Some((name, known(name)?))) {
            code = with(&code, &named(*name), other);
        }
        let mut changed: Vec<(Local, u32)> = names
            .into_iter()
            .filter(|name| known(name).is_none())
            .filter_map(|name| Some((name, *self.versions.get(&name)?)))
            .collect();
        changed.sort_unstable();
        changed.dedup();
        for (name, version) in changed {
            code.push_str(&format!(" @ {name} {version}"));
        }
        code
    }

    /// Whether a method computes a key of a part of a variable.
    pub(super) fn is_key(&mut self, receiver: &Expr, method: &str, arguments: &[Expr]) -> bool {
        let number = |e: &Expr| {
            e.nodes().all(|e| matches!(e.kind, Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Unary('-', _)))
        };
        match method {
            "unwrap_or" => arguments.iter().all(number) && matches!(self.place(receiver), Ok(Some(Value::Old(..)))),
            method => {
                let reads = methods::is_of_numbers(method) || methods::only_reads(method);
                reads && !methods::chooses(method) && self.involves(receiver)
            }
        }
    }

    /// A function of a part of one of the variables, which is the same in all iterations.
    pub(super) fn key(&mut self, e: &Expr) -> Ran<Value> {
        if (self.setting.changes)(e, self.setting.bound) {
            return Err(Stop::Unknown);
        }
        let (mut parts, mut fits) = (Vec::new(), true);
        e.walk(&mut |e| {
            let part = match (&e.bare().kind, self.involves(e)) {
                (Kind::Name(_) | Kind::Field(..) | Kind::Unary('*', _), true) => self.value(e).ok(),
                _ => None,
            };
            if let Some(Value::Old(member, path)) = part {
                fits &= path.iter().all(|step| step != CONTENT && !step.contains(HELD));
                parts.push((e, member, path));
                return false;
            }
            fits &= match &e.kind {
                Kind::Name(name) => !self.setting.varying.contains(name) && !self.depend.contains(name),
                Kind::Method(_, method, ..) => methods::only_reads(method) || methods::is_of_numbers(method),
                Kind::Binary(op, ..) => !op.is_comparison() && !matches!(op, Op::AndAnd | Op::OrOr),
                Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Paren(_) | Kind::Cast(..) | Kind::Call(..) => true,
                Kind::Unary(op, _) => *op != '!',
                Kind::Ref(mutable, _) => !mutable,
                _ => false,
            };
            fits
        });
        let Some((_, member, _)) = parts.first().filter(|_| fits) else { return Err(Stop::Unknown) };
        let member = *member;
        if parts.iter().any(|(_, other, _)| *other != member) {
            return Err(Stop::Unknown);
        }
        let put = |of: &Place, parentheses: bool| {
            let nodes = parts.iter().map(|(e, _, path)| {
                let part = of.part(path).tokens();
                (e.id, if parentheses && matches!(e.kind, Kind::Paren(_)) { quote!((#part)) } else { part })
            });
            print::expr(e.bare(), &Put(nodes.collect()))
        };
        // A name needs no parentheses.
        let step = joined(&put(&Place::from(Local::named(HELD)), false));
        self.keys.insert(step.clone(), put(&self.setting.places[member], true));
        self.reads += 1;
        Ok(Value::Old(member, vec![step]))
    }
}

/// Replaces nodes.
struct Put(HashMap<Id, TokenStream>);

impl Edit for Put {
    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        self.0.get(&e.id).cloned()
    }
}

/// Drops dereferences of names, and marks those with a known value.
struct Plain<'a> {
    known: &'a dyn Fn(Local) -> bool,
}

impl Edit for Plain<'_> {
    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        let name = match &e.kind {
            Kind::Paren(inner) if matches!(inner.kind, Kind::Unary('*', _) | Kind::Name(_)) => return self.expr(inner),
            Kind::Unary('*', inner) => inner.name()?,
            Kind::Name(name) => *name,
            _ => return None,
        };
        Some(if (self.known)(name) { ident(&named(name)) } else { ident(name.text()) })
    }
}

/// The mark of a name with a known value.
fn named(name: Local) -> String {
    format!("__of_{name}_")
}

fn ident(name: &str) -> TokenStream {
    name.parse().unwrap_or_default()
}
