//! The types that an annotated function accepts for vectors to which its loops push.

/// The arguments that an annotated function accepts for a parameter `&mut Vec<T>` to which its loop pushes: `Vec` and [`DistVec`](super::DistVec).
///
/// On several ranks, each rank's target receives what the rank's iterations pushed, so that the shares in rank order
/// are the sequence that the sequential loop pushes.
pub trait PushTarget<T> {
    /// Appends this rank's part. It begins with the elements from [`PushTarget::take`], if any. All ranks call it.
    fn append(&mut self, part: Vec<T>);

    /// Takes the vector out of the target to push to it directly, if possible.
    fn take(&mut self) -> Option<Vec<T>> {
        None
    }

    /// Removes all elements. All ranks call it.
    fn clear(&mut self);

    /// The global length; for a plain vector, the length on this rank.
    fn len(&self) -> usize;

    /// Whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reserves capacity for this many more elements, if the target has a capacity.
    fn reserve(&mut self, _additional: usize) {}
}

impl<T> PushTarget<T> for Vec<T> {
    fn append(&mut self, mut part: Vec<T>) {
        if self.is_empty() {
            *self = part;
        } else {
            Vec::append(self, &mut part);
        }
    }

    fn take(&mut self) -> Option<Vec<T>> {
        Some(std::mem::take(self))
    }

    fn clear(&mut self) {
        Vec::clear(self);
    }

    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn reserve(&mut self, additional: usize) {
        Vec::reserve(self, additional);
    }
}

impl<T, P: PushTarget<T> + ?Sized> PushTarget<T> for &mut P {
    fn append(&mut self, part: Vec<T>) {
        (**self).append(part);
    }

    fn take(&mut self) -> Option<Vec<T>> {
        (**self).take()
    }

    fn clear(&mut self) {
        (**self).clear();
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn reserve(&mut self, additional: usize) {
        (**self).reserve(additional);
    }
}
