//! Values whose destructors are compiled once, in this crate.
//!
//! rustc compiles the destructor of a value in each crate that owns one, with those of all its fields. The expansions own calls, arrays
//! and kernels, and so their destructors would take a quarter of the code that rustc compiles for a user's first loop.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// A type with a function of this crate that drops a value.
pub trait DropHere {
    /// Drops the value where it is.
    ///
    /// # Safety
    /// Nobody uses the value afterwards.
    unsafe fn drop_here(value: &mut ManuallyDrop<Self>);
}

/// A value that [`DropHere::drop_here`] drops.
#[derive(Debug)]
pub struct OutOfLine<T: DropHere>(ManuallyDrop<T>);

impl<T: DropHere> OutOfLine<T> {
    #[inline]
    pub(crate) fn new(value: T) -> Self {
        OutOfLine(ManuallyDrop::new(value))
    }
}

impl<T: DropHere> Drop for OutOfLine<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: nobody uses the value after its destructor, and this is the only place that drops it.
        unsafe { T::drop_here(&mut self.0) };
    }
}

impl<T: DropHere> Deref for OutOfLine<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DropHere> DerefMut for OutOfLine<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// Implements [`DropHere`] for types that are not generic.
macro_rules! drop_here {
    ($($type:ty),*) => {$(
        impl $crate::out_of_line::DropHere for $type {
            #[inline(never)]
            unsafe fn drop_here(value: &mut std::mem::ManuallyDrop<Self>) {
                // SAFETY: the caller guarantees it.
                unsafe { std::mem::ManuallyDrop::drop(value) };
            }
        }
    )*};
}
pub(crate) use drop_here;

#[cfg(test)]
mod tests {
    use super::OutOfLine;
    use std::rc::Rc;

    /// A value whose owners can be counted.
    struct Counted(Rc<()>);

    drop_here!(Counted);

    #[test]
    fn a_value_is_dropped_once() {
        let count = Rc::new(());
        let value = OutOfLine::new(Counted(count.clone()));
        assert_eq!(Rc::strong_count(&value.0.0), 2);
        drop(value);
        assert_eq!(Rc::strong_count(&count), 1);
    }
}
