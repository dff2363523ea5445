//! The results of a call, taken apart into values that can be compared.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// One value of what a call leaves.
#[derive(Debug, Clone, PartialEq)]
enum Leaf {
    Whole(i128),
    /// With the part by which another order of additions may change it.
    Float(f64, f64),
    Text(String),
}

/// The results of a call: its value and its writes, by name.
#[derive(Debug, Default)]
pub struct Left(Vec<(&'static str, Vec<Leaf>)>);

impl Left {
    /// Adds a result or an array.
    pub fn with(mut self, name: &'static str, value: &impl Leave) -> Left {
        let mut leaves = Leaves(Vec::new());
        value.leave(&mut leaves);
        self.0.push((name, leaves.0));
        self
    }

    /// The first difference, in words. Unless they must be exact, floats may differ by a part of the largest value beside them, or of
    /// the total of so many inputs, because a sum may have cancelled as much. If sums and products leave their range, each way of
    /// adding them up has its own infinities.
    pub(super) fn difference(&self, found: &Left, exact: bool, inputs: usize) -> Option<String> {
        self.0.iter().zip(&found.0).find_map(|((name, expected), (_, found))| {
            if expected.len() != found.len() {
                return Some(format!("`{name}` has {} values, not {}", found.len(), expected.len()));
            }
            let most = expected.iter().fold(inputs.max(1) as f64, |most, leaf| match leaf {
                Leaf::Float(value, _) if value.is_finite() => most.max(value.abs()),
                _ => most,
            });
            let place = expected.iter().zip(found).position(|(a, b)| !same(a, b, (!exact).then_some(most)))?;
            Some(format!("`{name}`[{place}] is {:?}, not {:?}", found[place], expected[place]))
        })
    }
}

fn same(a: &Leaf, b: &Leaf, most: Option<f64>) -> bool {
    match (a, b) {
        (Leaf::Float(a, part), Leaf::Float(b, _)) => {
            a.to_bits() == b.to_bits()
                || (a.is_nan() && b.is_nan())
                || (most.is_some() && !a.is_finite() && !b.is_finite())
                || most.is_some_and(|most| a == b || (a - b).abs() <= most * part)
        }
        _ => a == b,
    }
}

/// The values of one result, in order.
pub struct Leaves(Vec<Leaf>);

/// The values that can be compared.
pub trait Leave {
    /// Adds the values.
    fn leave(&self, leaves: &mut Leaves);
}

macro_rules! leave_whole {
    ($($type:ty),*) => {$(
        impl Leave for $type {
            fn leave(&self, leaves: &mut Leaves) {
                leaves.0.push(Leaf::Whole(*self as i128));
            }
        }
    )*};
}
leave_whole!(bool, char, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, usize);

macro_rules! leave_float {
    ($($type:ty: $part:literal),*) => {$(
        impl Leave for $type {
            fn leave(&self, leaves: &mut Leaves) {
                leaves.0.push(Leaf::Float(f64::from(*self), $part));
            }
        }
    )*};
}
leave_float!(f32: 1e-4, f64: 1e-10);

impl Leave for String {
    fn leave(&self, leaves: &mut Leaves) {
        leaves.0.push(Leaf::Text(self.clone()));
    }
}

impl<T: Leave> Leave for Option<T> {
    fn leave(&self, leaves: &mut Leaves) {
        self.is_some().leave(leaves);
        self.iter().for_each(|value| value.leave(leaves));
    }
}

impl<K: Leave + Ord, V: Leave> Leave for HashMap<K, V> {
    fn leave(&self, leaves: &mut Leaves) {
        let sorted: BTreeMap<&K, &V> = self.iter().collect();
        sorted.iter().for_each(|(key, value)| {
            key.leave(leaves);
            value.leave(leaves);
        });
    }
}

impl<K: Leave, V: Leave> Leave for BTreeMap<K, V> {
    fn leave(&self, leaves: &mut Leaves) {
        self.iter().for_each(|(key, value)| {
            key.leave(leaves);
            value.leave(leaves);
        });
    }
}

macro_rules! leave_each {
    ($(($($generic:tt)*) $type:ty;)*) => {$(
        impl<T: Leave, $($generic)*> Leave for $type {
            fn leave(&self, leaves: &mut Leaves) {
                self.iter().for_each(|value| value.leave(leaves));
            }
        }
    )*};
}
leave_each! {
    () Vec<T>;
    () VecDeque<T>;
    () BTreeSet<T>;
    (const N: usize) [T; N];
}

macro_rules! leave_tuples {
    ($(($($name:ident $at:tt)*))*) => {$(
        impl<$($name: Leave),*> Leave for ($($name,)*) {
            fn leave(&self, _leaves: &mut Leaves) {
                $(self.$at.leave(_leaves);)*
            }
        }
    )*};
}
leave_tuples! {
    ()
    (A 0)
    (A 0 B 1)
    (A 0 B 1 C 2)
    (A 0 B 1 C 2 D 3)
    (A 0 B 1 C 2 D 3 E 4)
    (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11)
}
