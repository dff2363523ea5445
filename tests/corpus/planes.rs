//! Checks of functions on `ndarray` arrays whose planes are distributed over the ranks.

use crate::support::{cube, odd_share, square};
use forall::{DistVec, Element};
use ndarray::{Array, Array2, Array3, Axis, RemoveAxis, Slice};

/// This rank's planes of an array, cut evenly or at places that fit nothing else.
pub(crate) fn part<T: Clone, D: RemoveAxis>(whole: &Array<T, D>, salt: u64) -> Array<T, D> {
    let (n, rank, ranks) = (whole.shape()[0], forall::rank(), forall::ranks());
    let even: Vec<usize> = (rank * n / ranks..(rank + 1) * n / ranks).collect();
    let planes = if salt == 0 { even } else { odd_share(&(0..n).collect::<Vec<_>>(), salt) };
    let first = planes.first().copied().unwrap_or(0);
    whole.slice_axis(Axis(0), Slice::from(first..first + planes.len())).to_owned()
}

/// The elements of all ranks' parts.
pub(crate) fn together<T: Element, D: RemoveAxis>(part: Array<T, D>) -> Vec<T> {
    DistVec::from_local(part.into_raw_vec_and_offset().0).to_all()
}

/// Calls a function as its author wrote it on whole arrays, and as annotated on parts, and compares what it returns and
/// writes. `slices` and `written` are vectors with a share on each rank, `rows` and `out` arrays.
macro_rules! arrays {
    ($f:ident($($argument:expr),*) like $plain:ident $($rest:tt)*) => {
        arrays!(@ (stringify!($f)) ($plain($($argument),*)) ($f($($argument),*)) $($rest)*)
    };
    ($f:ident($($argument:expr),*) $($rest:tt)*) => {
        arrays!(@ (stringify!($f)) ($f::sequential($($argument),*)) ($f($($argument),*)) $($rest)*)
    };
    ($object:ident . $f:ident($($argument:expr),*) like $plain:ident $($rest:tt)*) => {
        arrays!(@ (stringify!($f)) ($object.$plain($($argument),*)) ($object.$f($($argument),*)) $($rest)*)
    };
    (@ ($name:expr) ($plain:expr) ($annotated:expr)
        $(; arrays $($a:ident),+)? $(; out $($o:ident),+)? $(; slices $($s:ident),+)? $(; written $($w:ident),+)?
    ) => {{
        #[allow(clippy::let_unit_value, unused_mut)]
        let expected = {
            $($(let mut $o = $o.clone();)+)?
            $($(let mut $w = $w.clone();)+)?
            let result = $plain;
            (result, ($($($o.into_raw_vec_and_offset().0,)+)?), ($($($w,)+)?))
        };
        for odd in [0, 1] {
            #[allow(clippy::let_unit_value, unused_mut)]
            let found = {
                let mut _salt = 0;
                $($(_salt += odd; let $a = $crate::planes::part(&$a, _salt);)+)?
                $($(_salt += odd; let mut $o = $crate::planes::part(&$o, _salt);)+)?
                $($(_salt += 1; let $s = $crate::support::odd_share(&$s, _salt);)+)?
                $($(_salt += 1; let mut $w = $crate::support::odd_share(&$w, _salt);)+)?
                let result = $annotated;
                (result, ($($($crate::planes::together($o),)+)?), ($($(forall::DistVec::from_local($w).to_all(),)+)?))
            };
            $crate::support::compare($name, if odd == 0 { "even planes" } else { "odd planes" }, &expected, &found, 0.0);
        }
    }};
}

/// An array of about `n` elements, with one row more than columns.
pub(crate) fn table<T>(n: usize, seed: u64, values: impl Fn(usize, u64) -> Vec<T>) -> Array2<T> {
    let nx = square(n).max(2);
    Array2::from_shape_vec((nx + 1, nx), values((nx + 1) * nx, seed)).unwrap()
}

/// A volume of about `n` elements, of three different lengths.
pub(crate) fn volume<T>(n: usize, seed: u64, values: impl Fn(usize, u64) -> Vec<T>) -> Array3<T> {
    let nx = cube(n).max(2);
    Array3::from_shape_vec((nx + 2, nx + 1, nx), values((nx + 2) * (nx + 1) * nx, seed)).unwrap()
}
