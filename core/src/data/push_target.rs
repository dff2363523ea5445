//! What an annotated function accepts for the vectors that its loops push to.

/// What an annotated function accepts for a parameter `&mut Vec<T>` that its loop pushes to: `Vec` and [`DistVec`](super::DistVec).
///
/// On several ranks, each rank's target receives what the rank's iterations pushed, so that the shares in rank order
/// are the sequence that the sequential loop pushes.
pub trait PushTarget<T> {
    /// Appends this rank's part, after what [`PushTarget::take`] gave was put in front of it. All ranks call it.
    fn append(&mut self, part: Vec<T>);

    /// The vector to push to directly, where there is one: it leaves the target empty.
    fn take(&mut self) -> Option<Vec<T>> {
        None
    }

    /// Removes all elements. All ranks call it.
    fn clear(&mut self);

    /// How many elements there are on all ranks, as far as this target knows: of a plain vector, those of this rank.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes space for this many more elements, where that means anything.
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
