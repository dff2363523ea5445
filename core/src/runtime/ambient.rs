//! The current context of a thread.

use super::context::Context;
use super::helpers::helped;
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

/// Makes `context` the current one of the calling thread. Dropping the guard restores the previous one.
#[must_use = "the context is in force only while the guard lives"]
pub fn install(context: Context) -> Installed {
    let context = Rc::new(context);
    let stall = set_stall(context.settings().stall);
    let before = CURRENT.replace(Some(context.clone()));
    Installed { context, before, stall }
}

/// An installed context: see [`install`].
#[derive(Debug)]
pub struct Installed {
    context: Rc<Context>,
    before: Option<Rc<Context>>,
    /// The previous stall limit.
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

/// Calls `f` with the current context. If there is none, `starter` creates it.
///
/// Costs a few nanoseconds.
#[inline]
pub fn with_current<R>(starter: fn() -> Context, f: impl FnOnce(&Context) -> R) -> R {
    f(&current_or(starter))
}

/// The current context. If there is none, `starter` creates it.
pub fn current_or(starter: fn() -> Context) -> Rc<Context> {
    current().unwrap_or_else(|| keep(starter()))
}

#[cold]
fn keep(context: Context) -> Rc<Context> {
    let context = Rc::new(context);
    CURRENT.set(Some(context.clone()));
    context
}

/// The current context, if there is one.
pub fn current() -> Option<Rc<Context>> {
    if in_loop() { Some(inner()) } else { CURRENT.with_borrow(Clone::clone) }
}

/// The context inside a loop's body.
#[cold]
fn inner() -> Rc<Context> {
    if let Some(context) = helped() {
        return context;
    }
    let make = || Rc::new(Context::new(Box::new(Solo), Arc::new(Serial), Settings::default()));
    INNER.with_borrow_mut(|inner| inner.get_or_insert_with(make).clone())
}

/// Calls `f` with the current communicator, or with a single rank.
pub fn with_comm<R>(f: impl FnOnce(&dyn Comm) -> R) -> R {
    match current() {
        Some(context) => f(context.comm()),
        None => f(Solo::comm()),
    }
}

/// Calls `f` on this rank alone: annotated calls in it run on this rank's workers and do not communicate.
pub fn on_this_rank<R>(context: &Context, f: impl FnOnce() -> R) -> R {
    if in_loop() || context.this_rank().ranks == 1 {
        return f();
    }
    let (mut f, mut result) = (Some(f), None);
    alone(context, &mut || result = f.take().map(|f| f()));
    result.expect("the function was called")
}

/// Not generic, so that it is compiled here and not in each crate that calls it.
#[inline(never)]
fn alone(context: &Context, f: &mut dyn FnMut()) {
    let _alone = install(context.alone());
    f();
}

/// The rank and the number of ranks. Inside a loop's body, on all threads, this is the rank that runs the loop.
#[inline]
pub fn this_rank() -> Rank {
    let current =
        || CURRENT.try_with(|current| current.borrow().as_ref().map(|context| context.this_rank())).ok().flatten();
    rank_in_loop().or_else(current).unwrap_or(Rank::SOLO)
}

/// The rank of the calling thread; 0 before the program is started.
#[inline]
pub fn rank() -> usize {
    this_rank().rank
}

/// The number of ranks; 1 before the program is started.
#[inline]
pub fn ranks() -> usize {
    this_rank().ranks
}

/// The backend of the calling thread's rank: `serial`, `threads`, `gpu`; `serial` before the program is started.
pub fn backend() -> &'static str {
    current().map_or("serial", |context| context.node().name())
}
