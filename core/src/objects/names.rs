//! The names of objects.

use crate::runtime;
use std::any::{Any, type_name};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// An object with a name.
struct Named {
    /// The object, of a type that the user of the name has to know.
    object: Rc<dyn Any>,
    element: &'static str,
    shape: Vec<usize>,
}

/// The objects of a program.
#[derive(Default)]
struct Registry {
    made: u64,
    names: HashMap<String, Named>,
}

thread_local! {
    /// Before the program is started.
    static ALONE: RefCell<Registry> = RefCell::default();
}

/// The registry of the current context.
fn with<R>(f: impl FnOnce(&mut Registry) -> R) -> R {
    match runtime::current() {
        Some(context) => f(&mut context.cache().get::<Registry>()),
        None => ALONE.with_borrow_mut(f),
    }
}

/// The number of a new object. Ranks make the same objects in the same order, so that they give the same numbers.
pub(super) fn number() -> u64 {
    with(|registry| {
        registry.made += 1;
        registry.made
    })
}

/// The object of this name, if there is one.
///
/// # Panics
/// If its elements or its dimensions are of another type, its shape is another one than `shape`, or it has a handle.
#[track_caller]
pub(super) fn find<O: Any, T>(name: &str, dimensions: usize, shape: Option<&[usize]>) -> Option<Rc<O>> {
    with(|registry| {
        let named = registry.names.get(name)?;
        let object = named.object.clone();
        let same_shape = named.shape.len() == dimensions && shape.is_none_or(|shape| shape == named.shape);
        let wanted = match shape {
            Some(shape) => format!("{shape:?}"),
            None => format!("of {dimensions} dimensions"),
        };
        match object.downcast::<O>() {
            Ok(object) if same_shape => {
                let count = Rc::strong_count(&object);
                assert!(count == 2, "the object `{name}` has a handle already: use that one, or drop it first");
                Some(object)
            }
            _ => panic!(
                "the name `{name}` belongs to an object of shape {:?} with elements of type `{}`, and is used for one of shape \
                 {wanted} with elements of type `{}`: give one of them another name",
                named.shape,
                named.element,
                type_name::<T>()
            ),
        }
    })
}

/// Gives an object a name.
pub(super) fn give<O: Any, T>(name: &str, object: &Rc<O>, shape: &[usize]) {
    let named = Named { object: object.clone(), element: type_name::<T>(), shape: shape.to_vec() };
    with(|registry| registry.names.insert(name.to_owned(), named));
}

/// Takes the name of an object.
pub(super) fn forget<O: Any>(object: &Rc<O>) {
    let is_this = |named: &Named| std::ptr::addr_eq(Rc::as_ptr(&named.object), Rc::as_ptr(object));
    with(|registry| registry.names.retain(|_, named| !is_this(named)));
}
