//! The elements of shares.

use std::borrow::Cow;

/// Plain data that a share may hold: primitives, arrays of them, and structs that derive [`bytemuck::NoUninit`]
/// (or `Pod`).
///
/// An element travels between ranks of the same program as its bytes, so it must have no padding, no pointers and no
/// destructor; `bool` and `char` are allowed.
///
/// The trait is implemented for all such types; there is nothing to write but the derive:
///
/// ```
/// #[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
///
/// fn is_element<T: forall_core::element::Element>() {}
/// is_element::<Particle>();
/// is_element::<[f64; 3]>();
/// ```
#[diagnostic::on_unimplemented(
    message = "FA040: `{Self}` is not plain data, so it cannot be an element of a distributed slice",
    label = "not plain data",
    note = "a struct whose fields leave no gaps derives it, after `cargo add bytemuck --features derive`: `#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)]`",
    note = "for a tuple, take such a struct, as `struct Pair(u32, f32);` for `(u32, f32)`, or an array, as `[f32; 2]` for `(f32, f32)`",
    note = "mark the parameter `#[replicated]` if every rank has all of it"
)]
pub trait Element: bytemuck::NoUninit + Send + Sync {}

impl<T: bytemuck::NoUninit + Send + Sync> Element for T {}

/// The bytes of `elements`.
pub fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    bytemuck::cast_slice(elements)
}

/// The elements whose bytes another rank of this program took with [`bytes_of`], for any alignment of `bytes`.
///
/// # Panics
/// If the length is not a multiple of the element's size.
pub fn from_bytes<T: Element>(bytes: &[u8]) -> Vec<T> {
    let mut elements = Vec::new();
    extend_from_bytes(&mut elements, bytes);
    elements
}

/// Appends the elements whose bytes another rank of this program took with [`bytes_of`].
///
/// # Panics
/// As [`from_bytes`].
pub(crate) fn extend_from_bytes<T: Element>(elements: &mut Vec<T>, bytes: &[u8]) {
    let size = size_of::<T>();
    if size == 0 {
        return;
    }
    assert!(
        bytes.len().is_multiple_of(size),
        "a message of {} bytes does not hold elements of {size} bytes",
        bytes.len()
    );
    let count = bytes.len() / size;
    elements.reserve(count);
    // SAFETY: the buffer has room for `count` more elements; the bytes come from `bytes_of::<T>` on a rank that runs the same
    // program, so they are valid values of T.
    unsafe {
        let end = elements.as_mut_ptr().add(elements.len());
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), end.cast::<u8>(), bytes.len());
        elements.set_len(elements.len() + count);
    }
}

/// The same elements without a copy, if they are aligned.
///
/// # Panics
/// As [`from_bytes`].
pub fn elements_in<T: Element>(bytes: &[u8]) -> Cow<'_, [T]> {
    let (size, start) = (size_of::<T>(), bytes.as_ptr().cast::<T>());
    if size == 0 || !start.is_aligned() || !bytes.len().is_multiple_of(size) {
        return Cow::Owned(from_bytes(bytes));
    }
    // SAFETY: there is this number of aligned elements; they are valid as in `from_bytes`.
    Cow::Borrowed(unsafe { std::slice::from_raw_parts(start, bytes.len() / size) })
}

/// The elements as bytes that may be overwritten with bytes that [`bytes_of`] gave for the same type.
///
/// # Safety
/// Only bytes of valid values of `T` may be written.
pub unsafe fn bytes_of_mut<T: Element>(elements: &mut [T]) -> &mut [u8] {
    // SAFETY: T has no padding, so every byte is initialised; the caller writes only valid values.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast::<u8>(), size_of_val(elements)) }
}
