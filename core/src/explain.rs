//! What is done for each annotated loop, printed when `FORALL_EXPLAIN` asks for it.

use crate::meta::Meta;
use crate::runtime::Context;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

static SHOWN: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

/// Prints what was decided when a function was called, once in the process.
#[cold]
pub(crate) fn decided(what: String) {
    static TOLD: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let told = told.get_or_insert_default();
    if !told.contains(&what) {
        eprintln!("  {what}");
        told.insert(what);
    }
}

/// Prints what was measured where something happens for the first time in the process: of which function, and where in it.
#[cold]
pub(crate) fn measured(meta: &'static Meta, place: (usize, usize), what: impl FnOnce() -> String) {
    type Places = HashSet<(usize, (usize, usize))>;
    static MEASURED: Mutex<Option<Places>> = Mutex::new(None);
    let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    if measured.get_or_insert_default().insert((std::ptr::from_ref(meta).addr(), place)) {
        eprintln!("`{}`{}", meta.name, what());
    }
}

/// Prints what the macro found in a function, and who runs it, at its first call in the process.
#[cold]
pub(crate) fn once(meta: &'static Meta, context: &Context) {
    if context.this_rank().rank != 0 {
        return;
    }
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if shown.get_or_insert_default().insert(std::ptr::from_ref(meta).addr()) {
        let (node, comm) = (context.node(), context.comm());
        eprintln!(
            "{}  here: {} on {} worker{}, {} of {} rank{}",
            meta.explain,
            node.name(),
            node.workers(),
            if node.workers() == 1 { "" } else { "s" },
            comm.name(),
            comm.ranks(),
            if comm.ranks() == 1 { "" } else { "s" },
        );
    }
}
