//! The shared parts of the cases: inputs made from a seed, and the comparison with the sequential function.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A name, and a check that takes a size and panics when a result is wrong.
pub type Case = (&'static str, fn(usize));

/// The table of a module's cases, `CASES`.
macro_rules! cases {
    ($($name:ident($n:ident) $body:block)*) => {
        pub(crate) const CASES: &[$crate::support::Case] =
            &[$((concat!(module_path!(), "::", stringify!($name)), |$n: usize| $body)),*];
    };
}

/// Calls a function as its author wrote it and as annotated, and compares all that it returns and writes.
///
/// `check!(f(arguments) within 1e-9; shares a, b; writes c; keeps d)`: `a` and `b` are vectors that the function reads,
/// and `c` is one that it writes or pushes to. The plain function gets each of them as a whole, and the annotated one
/// gets shares. `d` is written too, but whole on every rank. Without `within`, floats must have the same bits. For
/// methods: `check!(object.method(arguments) like plain_method; ..)`.
macro_rules! check {
    ($object:ident . $f:ident $arguments:tt like $plain:ident $($rest:tt)*) => {
        check!(@ (stringify!($f)) ($object.$plain $arguments) ($object.$f $arguments) $($rest)*)
    };
    ($f:ident $arguments:tt $($rest:tt)*) => {
        check!(@ (stringify!($f)) ($f::sequential $arguments) ($f $arguments) $($rest)*)
    };
    (@ ($name:expr) ($plain:expr) ($annotated:expr)
        $(within $within:expr)?
        $(; shares $($s:ident),+)?
        $(; vectors $($v:ident),+)?
        $(; writes $($w:ident),+)?
        $(; keeps $($k:ident),+)?
    ) => {{
        #[allow(unused_mut, unused_assignments)]
        let mut within = 0.0f64;
        $(within = $within;)?
        // The author's own function, on whole vectors.
        #[allow(clippy::unit_arg, clippy::let_unit_value, unused_mut)]
        let expected = $crate::oracle::once(concat!(file!(), line!(), ":", column!()), || {
            $($(let mut $w = $w.clone();)+)?
            $($(let mut $k = $k.clone();)+)?
            let result = $plain;
            (result, ($($($w,)+)?), ($($($k,)+)?))
        });
        // The shares that `DistVec` cuts by itself, and plain vectors: the whole on one rank, and on several ranks shares of odd and
        // different lengths.
        for form in $crate::shares::Form::ALL {
            #[allow(clippy::unit_arg, clippy::let_unit_value, unused_mut)]
            let found = {
                let mut _salt = 0;
                $($(_salt += 1; let $s = form.shares(&$s, _salt);)+)?
                // A vector that each iteration reads as a whole is no plain slice on several ranks.
                $($(let $v = $crate::shares::Form::DistVec.shares(&$v, 0);)+)?
                $($(_salt += 1; let mut $w = form.shares(&$w, _salt);)+)?
                $($(let mut $k = $k.clone();)+)?
                let result = $annotated;
                (result, ($($($w.to_all(),)+)?), ($($($k,)+)?))
            };
            $crate::support::compare($name, form.name(), &*expected, &found, within);
        }
    }};
}

/// A number that looks random and depends on nothing but the seed and the place.
pub(crate) fn mix(seed: u64, place: usize) -> u64 {
    let mut z = (seed << 32).wrapping_add(place as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A vector of values made from numbers that look random.
pub(crate) fn made<T>(n: usize, seed: u64, value: impl Fn(u64) -> T) -> Vec<T> {
    let mut all = Vec::with_capacity(n);
    for place in 0..n {
        all.push(value(mix(seed, place)));
    }
    all
}

/// Uniform in `0..1`.
pub(crate) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// In `-1..1`.
pub(crate) fn reals(n: usize, seed: u64) -> Vec<f64> {
    made(n, seed, |bits| 2.0 * unit(bits) - 1.0)
}

/// In `0.1..1.1`, so that dividing by them is safe.
pub(crate) fn positives(n: usize, seed: u64) -> Vec<f64> {
    made(n, seed, |bits| unit(bits) + 0.1)
}

/// In `-1..1`.
pub(crate) fn singles(n: usize, seed: u64) -> Vec<f32> {
    made(n, seed, |bits| (2.0 * unit(bits) - 1.0) as f32)
}

/// In `-1000..=1000`.
pub(crate) fn integers(n: usize, seed: u64) -> Vec<i64> {
    made(n, seed, |bits| (bits % 2001) as i64 - 1000)
}

/// In `-1000..=1000`.
pub(crate) fn integers32(n: usize, seed: u64) -> Vec<i32> {
    made(n, seed, |bits| (bits % 2001) as i32 - 1000)
}

/// In `0..below`.
pub(crate) fn naturals(n: usize, seed: u64, below: usize) -> Vec<u32> {
    made(n, seed, |bits| (bits % below.max(1) as u64) as u32)
}

/// In `0..below`.
pub(crate) fn indices(n: usize, seed: u64, below: usize) -> Vec<usize> {
    made(n, seed, |bits| (bits % below.max(1) as u64) as usize)
}

/// True at about one place in `one_in`.
pub(crate) fn flags(n: usize, seed: u64, one_in: u64) -> Vec<bool> {
    made(n, seed, |bits| bits.is_multiple_of(one_in))
}

/// The side of a square of about `n` elements.
pub(crate) fn square(n: usize) -> usize {
    (n as f64).sqrt() as usize
}

/// The side of a cube of about `n` elements.
pub(crate) fn cube(n: usize) -> usize {
    (n as f64).cbrt() as usize
}

/// This rank's part of a vector cut at places that fit nothing else, with empty parts among them.
pub(crate) fn odd_share<T: Clone>(whole: &[T], salt: u64) -> Vec<T> {
    let (rank, ranks) = (forall::rank(), forall::ranks());
    let mut cuts: Vec<usize> =
        (1..ranks).map(|cut| (mix(salt, cut / 2 * 2) % (whole.len() as u64 + 1)) as usize).collect();
    cuts.sort_unstable();
    cuts.insert(0, 0);
    cuts.push(whole.len());
    whole[cuts[rank]..cuts[rank + 1]].to_vec()
}

/// Panics with the function's name and the first difference, if there is one.
pub(crate) fn compare<T: Same>(name: &str, form: &str, expected: &T, found: &T, within: f64) {
    if let Some(difference) = expected.difference(found, within) {
        panic!("`{name}` on {form}: {difference} (result, then what it writes)");
    }
}

/// Equality that allows floats a relative error, and says where the first difference is.
pub(crate) trait Same {
    /// The first difference, in words.
    fn difference(&self, found: &Self, within: f64) -> Option<String>;

    /// Whether two slices are seen at one look to be the same: most are.
    fn plainly_same(_: &[Self], _: &[Self]) -> bool
    where
        Self: Sized,
    {
        false
    }
}

/// Numbers are the same where their bytes are.
fn same_bytes<T: bytemuck::NoUninit>(one: &[T], other: &[T]) -> bool {
    bytemuck::cast_slice::<T, u8>(one) == bytemuck::cast_slice::<T, u8>(other)
}

macro_rules! same_exactly {
    ($look:expr; $($type:ty),*) => {$(
        impl Same for $type {
            fn difference(&self, found: &Self, _: f64) -> Option<String> {
                (self != found).then(|| format!("expected {self:?}, found {found:?}"))
            }

            fn plainly_same(one: &[Self], other: &[Self]) -> bool {
                $look(one, other)
            }
        }
    )*};
}
same_exactly!(<[_]>::eq; (), String);
same_exactly!(same_bytes; bool, char, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

macro_rules! same_nearly {
    ($($type:ty: $on_gpu:expr),*) => {$(
        impl Same for $type {
            fn difference(&self, found: &Self, within: f64) -> Option<String> {
                // Mostly they are the same, and asking for the backend takes longer than comparing.
                if self.to_bits() == found.to_bits() {
                    return None;
                }
                // A GPU may round divisions, functions and products that it adds at once in its own way.
                let within = if forall::backend() == "gpu" { within.max($on_gpu) } else { within };
                let (a, b) = (f64::from(*self), f64::from(*found));
                let same = (a.is_nan() && b.is_nan())
                    || (within > 0.0 && (a == b || (a - b).abs() <= within * a.abs().max(b.abs()).max(1.0)));
                (!same).then(|| format!("expected {self:?}, found {found:?}"))
            }

            fn plainly_same(one: &[Self], other: &[Self]) -> bool {
                same_bytes(one, other)
            }
        }
    )*};
}
same_nearly!(half::f16: 0.0, half::bf16: 0.0, f32: 1e-4, f64: 1e-11);

impl<T: Same> Same for [T] {
    fn difference(&self, found: &Self, within: f64) -> Option<String> {
        if self.len() != found.len() {
            return Some(format!("expected {} elements, found {}", self.len(), found.len()));
        }
        if T::plainly_same(self, found) {
            return None;
        }
        self.iter()
            .zip(found)
            .enumerate()
            .find_map(|(i, (a, b))| a.difference(b, within).map(|difference| format!("[{i}]: {difference}")))
    }
}

impl<T: Same> Same for Vec<T> {
    fn difference(&self, found: &Self, within: f64) -> Option<String> {
        self.as_slice().difference(found, within)
    }
}

impl<T: Same, const N: usize> Same for [T; N] {
    fn difference(&self, found: &Self, within: f64) -> Option<String> {
        self.as_slice().difference(found, within)
    }
}

impl<K: Same + Clone, V: Same + Clone> Same for BTreeMap<K, V> {
    fn difference(&self, found: &Self, within: f64) -> Option<String> {
        let entries = |map: &Self| map.iter().map(|(k, v)| (k.clone(), v.clone())).collect::<Vec<_>>();
        entries(self).difference(&entries(found), within)
    }
}

impl<K: Same + Clone + Ord, V: Same + Clone> Same for HashMap<K, V> {
    fn difference(&self, found: &Self, within: f64) -> Option<String> {
        let sorted = |map: &Self| map.iter().map(|(k, v)| (k.clone(), v.clone())).collect::<BTreeMap<_, _>>();
        sorted(self).difference(&sorted(found), within)
    }
}

impl<K: Same + Clone> Same for BTreeSet<K> {
    fn difference(&self, found: &Self, within: f64) -> Option<String> {
        self.iter().cloned().collect::<Vec<_>>().difference(&found.iter().cloned().collect(), within)
    }
}

impl<T: Same> Same for Option<T> {
    fn difference(&self, found: &Self, within: f64) -> Option<String> {
        match (self, found) {
            (Some(a), Some(b)) => a.difference(b, within),
            (None, None) => None,
            (Some(_), None) => Some("expected Some, found None".into()),
            (None, Some(_)) => Some("expected None, found Some".into()),
        }
    }
}

/// The first difference of a value's parts, and the part.
pub(crate) fn first_of(parts: &mut [(&str, Option<String>)]) -> Option<String> {
    parts.iter_mut().find_map(|(name, difference)| difference.take().map(|difference| format!(".{name} {difference}")))
}

macro_rules! same_tuples {
    ($(($($name:ident $at:tt)+))*) => {$(
        impl<$($name: Same),+> Same for ($($name,)+) {
            fn difference(&self, found: &Self, within: f64) -> Option<String> {
                first_of(&mut [$((stringify!($at), self.$at.difference(&found.$at, within))),+])
            }
        }
    )*};
}
same_tuples! {
    (A 0)
    (A 0 B 1)
    (A 0 B 1 C 2)
    (A 0 B 1 C 2 D 3)
    (A 0 B 1 C 2 D 3 E 4)
    (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
}

/// `same_fields!(Struct { field, field })`: a struct is the same when its fields are.
macro_rules! same_fields {
    ($type:ty { $($field:ident),+ }) => {
        impl $crate::support::Same for $type {
            fn difference(&self, found: &Self, within: f64) -> Option<String> {
                $crate::support::first_of(&mut [$((
                    stringify!($field),
                    $crate::support::Same::difference(&self.$field, &found.$field, within),
                )),+])
            }
        }
    };
}
