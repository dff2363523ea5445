//! Obligations on type parameters. rustc checks them when it compiles a function for a caller, which names the type.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Types larger than this are not checked.
const SIZE: usize = 1 << 16;
const ALIGNMENT: usize = 4096;

#[repr(align(4096))]
struct Room(#[expect(dead_code, reason = "only its address is used")] [u8; SIZE]);

static ROOM: Room = Room([0; SIZE]);

struct Shared<'a, T>(PhantomData<&'a T>);

impl<'a, T> Shared<'a, T> {
    /// A reference to memory that never changes. rustc rejects the constant if values of the type change behind a shared reference: such
    /// a value cannot be in this memory.
    const FA017_ITERATIONS_SHARE_NOTHING: Option<&'a MaybeUninit<T>> = {
        if size_of::<T>() <= SIZE && align_of::<T>() <= ALIGNMENT {
            // SAFETY: the room is as large and as aligned, lives as long as the program, and any bytes are a `MaybeUninit`.
            Some(unsafe { &*(&raw const ROOM).cast::<MaybeUninit<T>>() })
        } else {
            None
        }
    };
}

/// Refuses types whose values change behind a shared reference.
#[inline(always)]
pub(super) fn no_instance_shares<T>() {
    const { _ = Shared::<'_, T>::FA017_ITERATIONS_SHARE_NOTHING }
}
