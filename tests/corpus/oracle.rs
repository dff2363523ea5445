//! The results of the authors' own functions, computed once for all plans and ranks.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The place of a check in the sources, and how often the case came by before.
type Key = (&'static str, usize);
type Found = Arc<dyn Any + Send + Sync>;
type Answer = Arc<OnceLock<Found>>;

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

/// The result of the plain function, which is called at its first use.
pub(crate) fn once<T: Send + Sync + 'static>(check: &'static str, plain: impl FnOnce() -> T) -> Arc<T> {
    let mut plain = Some(plain);
    let answer = answer(check, &mut || match plain.take() {
        Some(plain) => Arc::new(plain()),
        None => unreachable!("an answer is asked for once"),
    });
    answer.downcast().unwrap_or_else(|_| panic!("the check at {check} asks for another type than before"))
}

/// The answer to a check. It is compiled once, and not for each check.
fn answer(check: &'static str, plain: &mut dyn FnMut() -> Found) -> Found {
    let slot = ASKED.with_borrow_mut(|asked| {
        let (oracle, counts) = asked.as_mut()?;
        let count = counts.entry(check).or_default();
        *count += 1;
        Some(oracle.slot((check, *count)))
    });
    match slot {
        Some(slot) => slot.get_or_init(plain).clone(),
        None => plain(),
    }
}
