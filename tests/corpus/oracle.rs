//! What the authors' own functions give, found once for all plans and ranks.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The place of a check in the sources, and how often the case came by before.
type Key = (&'static str, usize);
type Answer = Arc<OnceLock<Arc<dyn Any + Send + Sync>>>;

/// The answers to the checks of one case at one size. The inputs depend on the size alone, and so do the answers: every
/// plan, and every rank of this process, compares with the same ones.
#[derive(Clone, Default)]
pub struct Oracle {
    answers: Arc<Mutex<HashMap<Key, Answer>>>,
}

thread_local! {
    /// The oracle that the case on this thread asks, and how often it came by each check.
    static ASKED: RefCell<Option<(Oracle, HashMap<&'static str, usize>)>> = const { RefCell::new(None) };
}

impl Oracle {
    /// Runs a case that asks this oracle.
    pub fn answer<R>(&self, case: impl FnOnce() -> R) -> R {
        ASKED.set(Some((self.clone(), HashMap::new())));
        let result = case();
        ASKED.set(None);
        result
    }

    fn slot(&self, key: Key) -> Answer {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone()
    }
}

/// What the plain function gives, which is called where no plan has asked for it yet.
pub(crate) fn once<T: Send + Sync + 'static>(check: &'static str, plain: impl FnOnce() -> T) -> Arc<T> {
    let slot = ASKED.with_borrow_mut(|asked| {
        let (oracle, counts) = asked.as_mut()?;
        let count = counts.entry(check).or_default();
        *count += 1;
        Some(oracle.slot((check, *count)))
    });
    let Some(slot) = slot else { return Arc::new(plain()) };
    let answer = slot.get_or_init(|| Arc::new(plain())).clone();
    answer.downcast().unwrap_or_else(|_| panic!("the check at {check} asks for another type than before"))
}
