//! Side effects of expressions.
//!
//! The parallel loop may evaluate an expression twice, at another time or not at all. Then it must be free of side effects.

use super::walk::Names;
use crate::front::function::Function;
use crate::ir::names::each_let;
use crate::ir::{Block, Expr, Kind, Local};
use crate::language::methods;
use crate::maps::{HashSet, New as _};

/// The depth to which calls of closures by closures are analysed.
const DEPTH: usize = 8;

/// Types of std whose values change behind a shared reference.
const CELLS: &[&str] = &["Cell", "Mutex", "RwLock", "Atomic", "Once"];

/// A change of variables of a function.
pub struct Effects<'f> {
    function: &'f Function,
    /// Variables that are references to write by: what they are handed to may change something.
    references: HashSet<Local>,
}

impl<'f> Effects<'f> {
    pub fn of(function: &'f Function) -> Self {
        let mut references = HashSet::new();
        each_let(&function.body, &mut |pattern, value| {
            let Some(binding) = pattern.single() else { return };
            let mut writes = false;
            value.walk(&mut |e| {
                writes |= match &e.kind {
                    Kind::Ref(mutable, _) => *mutable,
                    Kind::Method(_, method, ..) => method.ends_with("_mut"),
                    Kind::Name(name) => references.contains(name),
                    _ => false,
                };
                // What is computed of what it refers to is a value.
                !writes && matches!(e.kind, Kind::Ref(..) | Kind::Method(..) | Kind::Name(_) | Kind::Paren(_))
            });
            if writes {
                references.insert(binding.name);
            }
        });
        Effects { function, references }
    }

    /// The first part of an expression that may change a variable which the expression does not declare itself.
    pub fn first<'e>(&self, e: &'e Expr) -> Option<&'e Expr> {
        self.first_besides(e, &HashSet::new())
    }

    /// The same, but assignments of these variables are no changes.
    pub fn first_besides<'e>(&self, e: &'e Expr, locals: &HashSet<Local>) -> Option<&'e Expr> {
        let mut own = HashSet::new();
        let mut add = |names: &[crate::ir::Binding]| own.extend(names.iter().map(|binding| binding.name));
        e.walk(&mut |e| {
            if let Kind::Closure(patterns, ..) = &e.kind {
                patterns.iter().for_each(|pattern| add(&pattern.names));
            }
            if let Kind::Block(block) = &e.kind {
                declared_in(block, &mut add);
            }
            true
        });
        let is_local = |place: &Expr| place.name().is_some_and(|name| locals.contains(&name));
        self.first_but_of(e, &own, &is_local, DEPTH)
    }

    fn first_but_of<'e>(
        &self,
        e: &'e Expr,
        own: &HashSet<Local>,
        is_local: &dyn Fn(&Expr) -> bool,
        depth: usize,
    ) -> Option<&'e Expr> {
        let writes = |e: &Expr| e.name().is_some_and(|name| self.references.contains(&name) && !own.contains(&name));
        let changeable = |place: &Expr| {
            let root = place.root().filter(|name| !own.contains(name));
            root.is_some_and(|name| self.function.mutable(name) || self.references.contains(&name))
        };
        let mut found = None;
        e.walk(&mut |e| {
            let changes = match &e.kind {
                Kind::Assign(place, ..) if is_local(place) => false,
                Kind::Assign(place, ..) | Kind::Ref(true, place) => changeable(place),
                Kind::Method(receiver, method, args, _) => {
                    methods::changes_shared_state(method)
                        || !methods::only_reads(method) && (changeable(receiver) || self.is_cell(receiver))
                        || args.iter().any(writes)
                }
                Kind::Call(called, args) => args.iter().any(writes) || self.calls_what_changes(called, own, depth),
                Kind::Opaque(opaque) => {
                    let ours = |name: Local| self.function.mutable(name) || self.references.contains(&name);
                    opaque.received().into_iter().filter_map(Expr::name).any(|name| ours(name) && !own.contains(&name))
                }
                _ => false,
            };
            if changes && found.is_none() {
                found = Some(e);
            }
            // A closure is analysed where it is written: the method that takes it may call it.
            found.is_none()
        });
        found
    }

    /// Whether a closure of the function changes something when it is called.
    fn calls_what_changes(&self, called: &Expr, own: &HashSet<Local>, depth: usize) -> bool {
        let Some((patterns, body)) = called.name().and_then(|name| self.function.closures.get(&name)) else {
            return false;
        };
        let Some(depth) = depth.checked_sub(1) else { return true };
        let mut own = own.clone();
        own.extend(patterns.iter().flat_map(|pattern| &pattern.names).map(|binding| binding.name));
        self.first_but_of(body, &own, &|_| false, depth).is_some()
    }

    /// Whether a variable was made as a cell, a lock or an atomic.
    fn is_cell(&self, receiver: &Expr) -> bool {
        let declared = receiver.root().and_then(|name| self.function.declared.get(&name));
        let made_by = declared.and_then(|declared| declared.made_by.as_deref());
        made_by.is_some_and(|path| path.split("::").any(|part| CELLS.iter().any(|cell| part.contains(cell))))
    }
}

fn declared_in(block: &Block, add: &mut dyn FnMut(&[crate::ir::Binding])) {
    block.lets().for_each(|(pattern, _)| add(&pattern.names));
}
