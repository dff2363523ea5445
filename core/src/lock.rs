//! Locks whose holder may have panicked. Their data are valid after a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock's value. A panic of another thread while it held the lock makes no difference.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
