//! What captured values are made of, as far as the function shows it: what a closure uses, what a reference leads to, and what stands in a
//! box of which only a trait is known.

use crate::front::function::Function;
use crate::ir::names::{each_let, names_of_closure};
use crate::ir::{Expr, Kind, Local, Pattern};
use proc_macro2::{Span, TokenStream};
use std::collections::{HashMap, HashSet};

/// What is to be asked whether iterations could change it for each other.
pub(super) struct Parts<'f> {
    /// Variables, and parts of them.
    pub places: Vec<&'f Expr>,
    /// Values that are made of no variable.
    pub values: Vec<&'f Expr>,
}

/// What the values are made of that a loop captures.
pub(super) fn parts<'f>(function: &'f Function, captures: &[(Local, Span)]) -> Parts<'f> {
    let mut made: HashMap<_, Vec<_>> = HashMap::new();
    each_let(&function.body, &mut |pattern, value| {
        if let Some(binding) = pattern.single() {
            made.entry(binding.name).or_default().push((pattern, value));
        }
    });
    let parts = Parts { places: Vec::new(), values: Vec::new() };
    let mut making = Making { function, made, seen: HashSet::new(), around: Vec::new(), parts };
    captures.iter().for_each(|(name, _)| making.variable(*name, None, true));
    making.parts
}

struct Making<'f> {
    function: &'f Function,
    /// What each variable begins as, and what those of its name began as before it.
    made: HashMap<Local, Vec<(&'f Pattern, &'f Expr)>>,
    /// Which of them were looked at, and which are being looked at.
    seen: HashSet<(Local, usize, Option<&'f str>)>,
    around: Vec<(Local, usize)>,
    parts: Parts<'f>,
}

/// How a value is held.
#[derive(Clone, Copy, Default)]
struct Held {
    /// By a reference: then it is still there.
    lent: bool,
    /// Where only a trait is known of it.
    hidden: bool,
    /// Whether its type is asked anyhow.
    asked: bool,
}

impl<'f> Making<'f> {
    /// Whether a name is that of one variable alone, which is no distributed slice.
    fn is_known(&self, name: Local) -> bool {
        self.function.declared.contains_key(&name) && self.function.shares.iter().all(|share| share.name != name)
    }

    /// What a variable is made of, or one field of it.
    fn variable(&mut self, name: Local, field: Option<&'f str>, asked: bool) {
        let Some(made) = self.made.get(&name) else { return };
        // In `let c = &c;` it is the one before.
        let inside = self.around.iter().rev().find(|(around, _)| *around == name);
        let Some(number) = inside.map_or(made.len(), |(_, number)| *number).checked_sub(1) else { return };
        let (pattern, value) = made[number];
        if self.seen.insert((name, number, field)) {
            let hidden = pattern.ty.as_deref().is_some_and(is_of_a_trait);
            let of_field = |fields: &'f [(TokenStream, Expr)]| {
                fields.iter().find(|(name, _)| field.is_some_and(|field| name.to_string() == field))
            };
            let value = match &value.bare().kind {
                Kind::Struct(_, fields, None) => of_field(fields).map_or(value, |(_, value)| value),
                _ => value,
            };
            self.around.push((name, number));
            self.value(value, Held { lent: false, hidden, asked });
            self.around.pop();
        }
    }

    fn value(&mut self, e: &'f Expr, held: Held) {
        let e = e.bare();
        let part = Held { lent: false, asked: false, ..held };
        match &e.kind {
            Kind::Name(_) | Kind::Field(..) => {
                let Some(root) = e.root() else { return };
                let asked = held.lent && self.is_known(root);
                if asked {
                    self.parts.places.push(e);
                }
                self.variable(root, first_field(e), asked);
            }
            Kind::Ref(mutable, inner) => {
                if held.hidden && self.stands_alone(inner) {
                    self.parts.values.push(inner);
                }
                // What is borrowed as mutable cannot be borrowed here once more.
                self.value(inner, Held { lent: !mutable, ..held });
            }
            Kind::Unary('*', inner) => self.value(inner, held),
            Kind::Cast(inner, ty, _) => self.value(inner, Held { hidden: held.hidden || is_of_a_trait(ty), ..held }),
            Kind::Closure(patterns, head, body) => {
                self.used_by(patterns, body, head.moves);
            }
            Kind::Tuple(all) | Kind::Array(all) => all.iter().for_each(|e| self.value(e, part)),
            Kind::Macro(name, all, _) if name == "vec" => all.iter().for_each(|e| self.value(e, part)),
            Kind::Repeat(one, _) => self.value(one, part),
            Kind::Struct(_, fields, rest) => {
                fields.iter().for_each(|(_, e)| self.value(e, part));
                rest.iter().for_each(|e| self.value(e, part));
            }
            Kind::Call(function, arguments) => {
                let path: String = function.text().split_whitespace().collect();
                if (held.hidden && is_box(&path) || is_shared_state(&path) && !held.asked) && self.stands_alone(e) {
                    self.parts.values.push(e);
                }
                if holds_its_arguments(&path) {
                    arguments.iter().for_each(|e| self.value(e, part));
                }
            }
            Kind::Method(receiver, name, arguments, _) if name == "clone" && arguments.is_empty() => {
                self.value(receiver, Held { lent: true, ..held });
            }
            _ => {}
        }
    }

    /// What a closure uses of the function: by reference, unless it moves.
    fn used_by(&mut self, patterns: &'f [Pattern], body: &'f Expr, moves: bool) {
        let own = names_of_closure(patterns, body);
        body.walk(&mut |e| {
            let place = is_path(e);
            if let Some(root) = e.root().filter(|root| place && !own.contains(root)) {
                let asked = !moves && self.is_known(root);
                if asked {
                    self.parts.places.push(e);
                }
                self.variable(root, first_field(e), asked);
            }
            !place
        });
    }

    /// Whether a value can be made once more anywhere: it mentions no variable, and no closure whose types come from elsewhere.
    fn stands_alone(&self, e: &Expr) -> bool {
        let mut alone = true;
        let declared = |name: Local| name == "self" || self.function.declared.contains_key(&name);
        e.walk(&mut |e| {
            alone &= match &e.kind {
                Kind::Name(name) => !declared(*name),
                Kind::Closure(..) | Kind::Try(_) | Kind::Return(_) | Kind::Break(..) | Kind::Continue(_) => false,
                Kind::Opaque(..) => false,
                _ => true,
            };
            alone
        });
        alone
    }
}

/// Whether an expression is a variable or a part of it that is known by its fields.
fn is_path(e: &Expr) -> bool {
    match &e.kind {
        Kind::Name(_) => true,
        Kind::Field(inner, _) => is_path(inner),
        _ => false,
    }
}

/// `a` of `v.a.b`.
fn first_field(e: &Expr) -> Option<&str> {
    match &e.kind {
        Kind::Field(of, name) => first_field(of).or(Some(name)),
        Kind::Paren(of) => first_field(of),
        _ => None,
    }
}

fn is_of_a_trait(ty: &str) -> bool {
    ty.split(|c: char| !c.is_alphanumeric()).any(|word| word == "dyn")
}

/// `Box::new`.
fn is_box(path: &str) -> bool {
    ["Box::new", "Arc::new", "Rc::new"].iter().any(|name| path.ends_with(name))
}

/// `AtomicU64::new`.
fn is_shared_state(path: &str) -> bool {
    let mut words = path.rsplit("::");
    words.next();
    words.next().is_some_and(|ty| {
        let known = ["Mutex", "RwLock", "Cell", "RefCell", "OnceCell", "OnceLock", "Condvar", "Barrier"];
        known.contains(&ty) || ty.starts_with("Atomic")
    })
}

/// Whether what a path names holds its arguments: `Some`, `Counter`, `Box::new`, `Arc::clone`.
fn holds_its_arguments(path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or_default();
    name.starts_with(char::is_uppercase) || matches!(name, "new" | "from" | "clone")
}
