//! One call of [`Node::run`](forall_core::node::Node::run): work that other threads may help with while it lasts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Thread;

/// Work that is shared with threads that may come too late.
pub(crate) struct Job {
    /// The work, on the stack of the thread that owns the job. Valid while the job is open or somebody helps.
    work: *const (dyn Fn(usize) + Sync),
    /// How many threads help, and [`CLOSED`].
    helpers: AtomicUsize,
    owner: Thread,
}

/// The owner has finished its own part: nobody may begin to help.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// How often the owner looks for the last helper before it goes to sleep.
const SPINS: u32 = 2_000;

// SAFETY: the work may be called from any thread, because it is `Sync`; the pointer to it is used only as the field says.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// Runs `work(0)` on this thread after `call` has told others of the job, and returns when nobody runs it any more.
    pub(crate) fn run(work: &(dyn Fn(usize) + Sync), call: impl FnOnce(&Arc<Job>)) {
        // SAFETY: this only forgets the lifetime. `Close` ends every use before this function returns or unwinds.
        let erased = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(work) };
        let job = Arc::new(Job { work: erased, helpers: AtomicUsize::new(0), owner: std::thread::current() });
        let close = Close(&job);
        call(&job);
        work(0);
        drop(close);
    }

    /// Runs `work(worker)` on this thread, unless the job is closed already.
    pub(crate) fn help(&self, worker: usize) {
        let join = |helpers: usize| (helpers & CLOSED == 0).then_some(helpers + 1);
        if self.helpers.fetch_update(Ordering::Acquire, Ordering::Relaxed, join).is_err() {
            return;
        }
        let _leave = Leave(self);
        // SAFETY: this thread is counted as a helper, so the owner waits for it before the work goes away.
        unsafe { (*self.work)(worker) }
    }
}

/// Ends the help of one thread, also when the work panics.
struct Leave<'a>(&'a Job);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        // The owner's stack may be gone after the count is down, but not its handle, which the job holds.
        if self.0.helpers.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            self.0.owner.unpark();
        }
    }
}

/// Ends the job, also when the owner's part of the work panics.
struct Close<'a>(&'a Job);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        let helpers = &self.0.helpers;
        helpers.fetch_or(CLOSED, Ordering::Relaxed);
        let mut spins = 0;
        while helpers.load(Ordering::Acquire) != CLOSED {
            if spins < SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                std::thread::park();
            }
        }
    }
}
