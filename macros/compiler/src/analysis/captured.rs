//! The values inside captured variables, as far as the function shows them: the variables that a closure uses, the target of a reference,
//! and a value in a box with the type of a trait.

use crate::front::function::Function;
use crate::ir::names::{each_let, names_of_closure};
use crate::ir::{Expr, Kind, Local, Pattern};
use crate::maps::{HashMap, HashSet, New as _};
use proc_macro2::Span;

/// The parts of captured values. Iterations may change each of them for other iterations.
pub struct Parts<'f> {
    /// Variables, and parts of them.
    pub places: Vec<&'f Expr>,
    /// Values that mention no variable.
    pub values: Vec<&'f Expr>,
}

impl<'f> Parts<'f> {
    /// The parts of the values that a loop captures.
    pub fn of(function: &'f Function, captures: &[(Local, Span)]) -> Self {
        let mut made = HashMap::new();
        each_let(&function.body, &mut |pattern, value| {
            if let Some(binding) = pattern.single() {
                made.insert(binding.name, (pattern, value));
            }
        });
        let parts = Parts { places: Vec::new(), values: Vec::new() };
        let mut making = Making { function, made, seen: HashSet::new(), parts };
        captures.iter().for_each(|(name, _)| making.variable(*name, None, true));
        making.parts
    }
}

struct Making<'f> {
    function: &'f Function,
    /// The first value of each variable.
    made: HashMap<Local, (&'f Pattern, &'f Expr)>,
    /// The variables, or fields of them, that were visited.
    seen: HashSet<(Local, Option<&'f str>)>,
    parts: Parts<'f>,
}

/// How a captured value holds another one.
#[derive(Clone, Copy, Default)]
struct Held {
    /// By a reference: then the other one is still there.
    by_reference: bool,
    /// As a value with the type of a trait.
    hidden: bool,
    /// The type of the captured value shows its type.
    checked: bool,
}

impl<'f> Making<'f> {
    /// A variable or one field of it.
    fn variable(&mut self, name: Local, field: Option<&'f str>, checked: bool) {
        let Some(&(pattern, value)) = self.made.get(&name).filter(|_| self.seen.insert((name, field))) else { return };
        let hidden = pattern.ty.as_deref().is_some_and(is_of_a_trait);
        let value = match &value.bare().kind {
            Kind::Struct(_, fields, None) => {
                let of_field = fields.iter().find(|(name, _)| field.is_some_and(|field| name.to_string() == field));
                of_field.map_or(value, |(_, value)| value)
            }
            _ => value,
        };
        self.value(value, Held { by_reference: false, hidden, checked });
    }

    fn place(&mut self, e: &'f Expr, by_reference: bool) {
        let Some(root) = e.root() else { return };
        let is_share = self.function.shares.iter().any(|share| share.name == root);
        let checked = by_reference && self.function.declared.contains_key(&root) && !is_share;
        if checked {
            self.parts.places.push(e);
        }
        self.variable(root, first_field(e), checked);
    }

    fn value(&mut self, e: &'f Expr, held: Held) {
        let e = e.bare();
        let part = Held { by_reference: false, checked: false, ..held };
        match &e.kind {
            Kind::Name(_) | Kind::Field(..) => self.place(e, held.by_reference),
            Kind::Ref(mutable, inner) => {
                if held.hidden && self.stands_alone(inner) {
                    self.parts.values.push(inner);
                }
                // A mutable borrow excludes another one for the check.
                self.value(inner, Held { by_reference: !mutable, ..held });
            }
            Kind::Unary('*', inner) => self.value(inner, held),
            Kind::Cast(inner, ty, _) => self.value(inner, Held { hidden: held.hidden || is_of_a_trait(ty), ..held }),
            Kind::Closure(patterns, head, body) => {
                self.used_by(patterns, body, head.moves);
            }
            Kind::Call(function, arguments) => {
                let path: String = function.text().split_whitespace().collect();
                if (held.hidden && is_box(&path) || is_shared_state(&path) && !held.checked) && self.stands_alone(e) {
                    self.parts.values.push(e);
                }
                if holds_its_arguments(&path) {
                    arguments.iter().for_each(|e| self.value(e, part));
                }
            }
            Kind::Method(receiver, name, arguments, _) if name == "clone" && arguments.is_empty() => {
                self.value(receiver, Held { by_reference: true, ..held });
            }
            Kind::Tuple(all) | Kind::Array(all) => all.iter().for_each(|e| self.value(e, part)),
            Kind::Macro(name, all, _) if name == "vec" => all.iter().for_each(|e| self.value(e, part)),
            Kind::Repeat(one, _) => self.value(one, part),
            Kind::Struct(_, fields, rest) => {
                fields.iter().map(|(_, e)| e).chain(rest.as_deref()).for_each(|e| self.value(e, part));
            }
            _ => {}
        }
    }

    /// The variables that a closure uses, by reference unless it moves them.
    fn used_by(&mut self, patterns: &'f [Pattern], body: &'f Expr, moves: bool) {
        let own = names_of_closure(patterns, body);
        body.walk(&mut |e| {
            let place = is_path(e);
            if place && e.root().is_some_and(|root| !own.contains(&root)) {
                self.place(e, !moves);
            }
            !place
        });
    }

    /// Whether a value can be computed anywhere: it mentions no variable, and no closure whose types depend on the code around it.
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

/// Whether an expression is a variable or a part of it that fields lead to.
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

/// Whether the result of a function holds its arguments: `Some`, `Counter`, `Box::new`, `Arc::clone`.
fn holds_its_arguments(path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or_default();
    name.starts_with(char::is_uppercase) || matches!(name, "new" | "from" | "clone")
}
