//! What a method that traverses may be called on: nodes, and std's pointers to them.

use std::cell::Ref;
use std::rc::Rc;
use std::sync::Arc;

/// A node, or what leads to one by std's pointers alone: then a call of the node's method on it calls that very method. A type of the
/// author's own may have another method of that name.
#[diagnostic::on_unimplemented(
    message = "FA034: the method may be another one here: `{Self}` is neither `{N}` nor one of std's pointers to it",
    label = "it is called on this",
    note = "name the node itself, as in `child.0.walk(out)`"
)]
pub trait LeadsTo<N: ?Sized, How> {}

/// It is the node.
#[derive(Debug)]
pub struct Itself;

impl<N: ?Sized> LeadsTo<N, Itself> for N {}

macro_rules! pointers {
    ($($pointer:ty),*) => {
        $(impl<N: ?Sized, P: LeadsTo<N, How> + ?Sized, How> LeadsTo<N, (How,)> for $pointer {})*
    };
}

pointers!(&P, &mut P, Box<P>, Rc<P>, Arc<P>, Ref<'_, P>);

/// Asks it of what the method is called on.
pub fn fa034_the_method_is_the_nodes<N: ?Sized, How>(_called_on: &(impl LeadsTo<N, How> + ?Sized)) {}
