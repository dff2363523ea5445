//! The receivers of a traversing method: nodes, and std's pointers to nodes.

use std::cell::Ref;
use std::rc::Rc;
use std::sync::Arc;

/// A node, or a pointer of std to one. A method call on it calls the node's method. Other types may have another method with this name.
#[diagnostic::on_unimplemented(
    message = "FA034: the method may be another one here: `{Self}` is neither `{N}` nor one of std's pointers to it",
    label = "it is called on this",
    note = "name the node itself, as in `child.0.walk(out)`"
)]
pub trait LeadsTo<N: ?Sized, How> {}

/// The type is the node itself.
#[derive(Debug)]
pub struct Itself;

impl<N: ?Sized> LeadsTo<N, Itself> for N {}

macro_rules! pointers {
    ($($pointer:ty),*) => {
        $(impl<N: ?Sized, P: LeadsTo<N, How> + ?Sized, How> LeadsTo<N, (How,)> for $pointer {})*
    };
}

pointers!(&P, &mut P, Box<P>, Rc<P>, Arc<P>, Ref<'_, P>);

/// Checks the receiver of a recursive call.
pub fn fa034_the_method_is_the_nodes<N: ?Sized, How>(_called_on: &(impl LeadsTo<N, How> + ?Sized)) {}
