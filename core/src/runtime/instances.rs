//! Static values for each instance of generic code.
//!
//! All instances of a generic function share its `static`s. This type has a separate value for each instance.

use std::any::TypeId;
use std::sync::OnceLock;

/// A value for each instance of generic code, created on first use. It lives as long as the process.
///
/// The type of a closure identifies the instance: it depends on all generic parameters of the function and of the `impl` or trait around it,
/// even if the body does not mention them. The address of a function is not enough, because the linker may merge equal functions.
#[derive(Debug)]
pub struct PerInstance<V>(OnceLock<Box<Entry<V>>>);

#[derive(Debug)]
struct Entry<V> {
    instance: TypeId,
    value: V,
    others: PerInstance<V>,
}

impl<V> PerInstance<V> {
    /// No values yet.
    #[allow(clippy::new_without_default, reason = "it is made in statics alone")]
    pub const fn new() -> Self {
        PerInstance(OnceLock::new())
    }

    /// The value of the instance whose closure has this type, by [`typeid::of`].
    pub(crate) fn of(&'static self, instance: TypeId, make: &dyn Fn() -> V) -> &'static V {
        let mut rest = self;
        loop {
            let entry = rest.0.get_or_init(|| Box::new(Entry { instance, value: make(), others: Self::new() }));
            if entry.instance == instance {
                return &entry.value;
            }
            rest = &entry.others;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static CALLS: PerInstance<AtomicUsize> = PerInstance::new();

    fn of<F>(values: &'static PerInstance<AtomicUsize>, _: &F) -> &'static AtomicUsize {
        values.of(typeid::of::<F>(), &AtomicUsize::default)
    }

    trait Named {
        const NAME: usize;
    }

    impl Named for u8 {
        const NAME: usize = 1;
    }

    impl Named for &str {
        const NAME: usize = 1;
    }

    /// How often this instance was called. The closure mentions no parameter.
    fn calls<const N: usize, T: Default>() -> usize {
        let _ = T::default();
        of(&CALLS, &|| ()).fetch_add(1, Ordering::Relaxed) + 1
    }

    struct Of<T>(T);

    impl<T: Named> Of<T> {
        fn calls(&self) -> usize {
            let _ = &self.0;
            of(&CALLS, &|| T::NAME).fetch_add(1, Ordering::Relaxed) + 1
        }
    }

    #[test]
    fn each_instance_has_a_value_of_its_own() {
        for round in 1..4 {
            assert_eq!([calls::<1, u8>(), calls::<2, u8>(), calls::<1, u16>()], [round; 3]);
            // Instances also differ by the parameters of an `impl` with equal closures, and by types that borrow.
            let text = String::from("text");
            assert_eq!([Of(1_u8).calls(), Of(&*text).calls()], [round; 2]);
        }
    }

    #[test]
    fn threads_that_ask_at_once_get_the_same() {
        static VALUES: PerInstance<AtomicUsize> = PerInstance::new();
        fn add<const N: usize>() {
            of(&VALUES, &|| ()).fetch_add(N, Ordering::Relaxed);
        }
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| [add::<1>, add::<2>, add::<3>].iter().for_each(|add| add())));
            }
        });
        let (mut all, mut rest) = (Vec::new(), &VALUES);
        while let Some(entry) = rest.0.get() {
            all.push(entry.value.load(Ordering::Relaxed));
            rest = &entry.others;
        }
        all.sort_unstable();
        assert_eq!(all, [400, 800, 1200]);
    }
}
