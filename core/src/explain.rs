//! The reports of `FORALL_EXPLAIN`: the plan of each annotated loop.

use crate::meta::Meta;
use crate::runtime::Context;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

static SHOWN: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

/// Prints a decision of a call, once in the process.
#[cold]
pub(crate) fn decided(what: String) {
    static PRINTED: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let printed = printed.get_or_insert_default();
    if !printed.contains(&what) {
        eprintln!("  {what}");
        printed.insert(what);
    }
}

/// Prints a measurement at its first occurrence in the process, by function and position in it.
#[cold]
pub(crate) fn measured(meta: &'static Meta, place: (usize, usize), what: impl FnOnce() -> String) {
    type Places = HashSet<(usize, (usize, usize))>;
    static MEASURED: Mutex<Option<Places>> = Mutex::new(None);
    let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    if measured.get_or_insert_default().insert((std::ptr::from_ref(meta).addr(), place)) {
        eprintln!("`{}`{}", meta.name, what());
    }
}

/// Prints the macro's report on a function, and the node and the communicator that run it, at its first call in the process.
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
