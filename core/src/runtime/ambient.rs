//! The context that is in force on a thread.

use super::context::Context;
use super::thread::{Rank, in_loop, rank_in_loop};
use crate::comm::{Comm, Solo, Stall, set_stall};
use crate::node::Serial;
use crate::settings::Settings;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
    static INNER: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
}

/// Makes `context` the calling thread's until the guard is dropped, which restores the one before.
#[must_use = "the context is in force only while the guard lives"]
pub fn install(context: Context) -> Installed {
    let context = Rc::new(context);
    let stall = set_stall(context.settings().stall);
    let before = CURRENT.replace(Some(context.clone()));
    Installed { context, before, stall }
}

/// A context in force: see [`install`].
#[derive(Debug)]
pub struct Installed {
    context: Rc<Context>,
    before: Option<Rc<Context>>,
    /// How long the rank waited before.
    stall: Stall,
}

impl std::ops::Deref for Installed {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
        set_stall(self.stall);
    }
}

/// Calls `f` with the context in force. A thread that has none keeps the one that `starter` makes.
///
/// Costs a few nanoseconds.
#[inline]
pub fn with_current<R>(starter: fn() -> Context, f: impl FnOnce(&Context) -> R) -> R {
    f(&current_or(starter))
}

/// The context in force. A thread that has none keeps the one that `starter` makes.
#[inline]
pub fn current_or(starter: fn() -> Context) -> Rc<Context> {
    current().unwrap_or_else(|| keep(starter()))
}

#[cold]
fn keep(context: Context) -> Rc<Context> {
    let context = Rc::new(context);
    CURRENT.set(Some(context.clone()));
    context
}

/// The context in force, if the thread has one.
#[inline]
pub fn current() -> Option<Rc<Context>> {
    if in_loop() { Some(inner()) } else { CURRENT.with_borrow(Clone::clone) }
}

/// The context in force inside a loop's body.
#[cold]
fn inner() -> Rc<Context> {
    let make = || Rc::new(Context::new(Box::new(Solo), Arc::new(Serial), Settings::default()));
    INNER.with_borrow_mut(|inner| inner.get_or_insert_with(make).clone())
}

/// Calls `f` with the ranks of the context in force, or with a single rank.
pub fn with_comm<R>(f: impl FnOnce(&dyn Comm) -> R) -> R {
    match current() {
        Some(context) => f(context.comm()),
        None => f(&Solo),
    }
}

/// Calls `f` on this rank alone: annotated calls in it run on the workers of this rank, and no other rank hears of them.
pub fn on_this_rank<R>(context: &Context, f: impl FnOnce() -> R) -> R {
    if in_loop() || context.this_rank().ranks == 1 {
        return f();
    }
    let _alone = install(context.alone());
    f()
}

/// Both at once. Inside a loop's body this is the rank that runs the loop, on all of its threads.
#[inline]
pub fn this_rank() -> Rank {
    let current =
        || CURRENT.try_with(|current| current.borrow().as_ref().map(|context| context.this_rank())).ok().flatten();
    rank_in_loop().or_else(current).unwrap_or(Rank::SOLO)
}

/// The rank of the program that the calling thread works for; 0 where nothing was started.
#[inline]
pub fn rank() -> usize {
    this_rank().rank
}

/// How many ranks run the program; 1 where nothing was started.
#[inline]
pub fn ranks() -> usize {
    this_rank().ranks
}

/// Who runs the loops of the calling thread's rank: `serial`, `threads`, `gpu`; `serial` where nothing was started.
pub fn backend() -> &'static str {
    current().map_or("serial", |context| context.node().name())
}
