//! Calls with arrays of `ndarray` that do not fit: what a user sees, on one rank and on several.

use forall::{Runtime, Settings, foreach, kary_reduce};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, array, s};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[foreach]
fn shifted(a: ArrayView2<i64>, by: usize, mut out: ArrayViewMut2<i64>) {
    for y in 0..a.nrows() {
        for x in 0..a.ncols() {
            out[[y, x]] = a[[y, x + by]];
        }
    }
}

#[foreach]
fn shifted_to(a: ArrayView2<i64>, by: usize, mut out: ArrayViewMut2<i64>) {
    for y in 0..a.nrows() {
        for x in 0..a.ncols() {
            out[(y, x + by)] = a[(y, x)];
        }
    }
}

#[foreach]
fn below(a: ArrayView2<i64>, mut out: ArrayViewMut2<i64>) {
    for y in 0..a.nrows() {
        out[[y, 0]] = a[[y + 1, 0]];
    }
}

#[foreach]
fn rows_below(a: ArrayView2<i64>, by: usize, mut out: ArrayViewMut2<i64>) {
    for (y, mut row) in out.outer_iter_mut().enumerate() {
        row.assign(&a.row(y + by));
    }
}

#[foreach]
fn slices_from(a: ArrayView2<i64>, by: isize, mut out: ArrayViewMut2<i64>) {
    for y in 0..a.nrows() {
        out.slice_mut(s![y, 1..]).assign(&a.slice(s![y as isize + by, ..-1]));
    }
}

#[foreach]
fn windows_of(a: ArrayView2<i64>, by: usize, out: &mut [i64]) {
    for y in 0..out.len() {
        out[y] = a.slice(s![y..y + by, ..]).sum();
    }
}

/// Parts of rows that do not meet: the footprints are those of whole rows, so the call says no.
#[foreach]
fn halves_of_rows(mut out: ArrayViewMut2<i64>) {
    for y in 0..out.nrows() - 1 {
        out.slice_mut(s![y, ..2]).fill(1);
        out.slice_mut(s![y + 1, 2..]).fill(2);
    }
}

/// Runs a program with threads and small chunks.
fn run<R: Send>(ranks: usize, verify: bool, program: impl Fn() -> R + Sync) -> Vec<R> {
    let settings = Settings { verify, ..Settings::default() };
    Runtime::builder().settings(settings).backend("threads").ranks(ranks).threads(2).grain(2).run(program)
}

/// The message of the run's panic.
fn complaint<R: Send>(ranks: usize, verify: bool, program: impl Fn() -> R + Sync) -> String {
    let payload = match catch_unwind(AssertUnwindSafe(|| run(ranks, verify, program))) {
        Ok(_) => panic!("the ranks went on as if nothing was wrong"),
        Err(payload) => payload,
    };
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    text.expect("a message").to_owned()
}

/// This rank's part of twelve rows.
fn rows(ranks: usize) -> Array2<i64> {
    let n = 12 / ranks;
    Array2::from_shape_fn((n, 5), |(y, x)| ((forall::rank() * n + y) * 10 + x) as i64)
}

#[test]
fn an_index_beyond_a_row_does_not_reach_the_next_row() {
    for ranks in [1, 3] {
        let program = |by: usize| {
            let a = rows(ranks);
            let mut out = Array2::zeros(a.dim());
            shifted(a.view(), by, out.view_mut());
            (out, a)
        };
        assert!(run(ranks, false, || program(0)).iter().all(|(out, a)| out == a));
        let message = complaint(ranks, false, || program(1));
        assert!(message.contains("index out of bounds: the shape is [12, 5] but the index is ["), "{message}");
        let message = complaint(ranks, false, || {
            let a = rows(ranks);
            shifted_to(a.view(), 1, Array2::zeros(a.dim()).view_mut());
        });
        assert!(message.contains("index out of bounds: the shape is [12, 5] but the index is ["), "{message}");
    }
}

#[test]
fn an_index_beyond_the_last_row_is_out_of_bounds() {
    for ranks in [1, 3] {
        let message = complaint(ranks, false, || {
            let a = rows(ranks);
            below(a.view(), Array2::zeros(a.dim()).view_mut());
        });
        assert_eq!(message, "ndarray: index out of bounds: the shape is [12, 5] but the index is [12, 0]");
    }
}

#[test]
fn rows_that_are_not_there() {
    let message = |ranks, by: isize, sliced: bool| {
        complaint(ranks, false, || {
            let a = rows(ranks);
            let mut out = Array2::zeros(a.dim());
            if sliced {
                slices_from(a.view(), by, out.view_mut());
            } else {
                rows_below(a.view(), by as usize, out.view_mut());
            }
        })
    };
    for ranks in [1, 3] {
        let beyond = "index 12 must be less than the length 12 of axis 0 of an array of shape [12, 5]";
        assert_eq!(message(ranks, 1, false), beyond);
        assert_eq!(message(ranks, 1, true), beyond);
        for by in [2, usize::MAX / 4] {
            let beyond = complaint(ranks, false, || windows_of(rows(ranks).view(), by, &mut vec![0; 12 / ranks]));
            assert!(beyond.contains("is not inside of axis 0 of an array of shape [12, 5]"), "{beyond}");
        }
        // On an array this would be the last row.
        assert!(message(ranks, -1, true).contains("not by the negative index -1"));
        let meeting = complaint(ranks, false, || halves_of_rows(rows(ranks).view_mut()));
        assert!(meeting.contains("FA061") && meeting.contains("may write the same element of `out`"), "{meeting}");
        run(ranks, true, || {
            let a = rows(ranks);
            let mut out = Array2::zeros(a.dim());
            rows_below(a.view(), 0, out.view_mut());
            assert_eq!(out, a);
            slices_from(a.view(), 0, out.view_mut());
            assert!(out.indexed_iter().all(|((y, x), v)| *v == a[[y, x.max(1) - 1]]));
        });
    }
}

#[test]
fn ranks_with_rows_of_different_lengths() {
    for verify in [false, true] {
        let message = complaint(3, verify, || {
            let a = Array2::<i64>::zeros((3, if forall::rank() == 2 { 4 } else { 5 }));
            shifted(a.view(), 0, Array2::zeros(a.dim()).view_mut());
        });
        let expected = "the length of axis 1 of `a` is 5 on rank 0 and 4 on rank 2";
        assert!(message.contains("shifted") && message.contains(expected), "{message}");
    }
    // A rank may have no rows, but then too they have a length.
    run(3, false, || {
        let a = Array2::<i64>::ones((2 * forall::rank(), 5));
        let mut out = Array2::zeros(a.dim());
        shifted(a.view(), 0, out.view_mut());
        assert_eq!(out, a);
    });
}

#[test]
fn an_array_in_another_order_is_refused() {
    let a = Array2::<i64>::zeros((4, 4));
    let message = complaint(1, false, || shifted(a.t(), 0, Array2::zeros(a.dim()).view_mut()));
    assert!(message.contains("pass `array.as_standard_layout()` instead"), "{message}");
    run(1, false, || shifted(a.t().as_standard_layout().view(), 0, Array2::zeros(a.dim()).view_mut()));
}

fn halve(a: f64, b: f64) -> f64 {
    (a + b) / 2.0
}

#[kary_reduce(combine = halve)]
fn mean(a: ArrayView1<f64>) -> f64 {
    let mut m = 0.0;
    for v in a {
        m = halve(m, *v);
    }
    m
}

struct Scale(i64);

impl Scale {
    #[foreach]
    fn apply(&self, a: &Array2<i64>, b: &mut Array2<i64>, mut c: ArrayViewMut2<i64>) {
        for y in 0..a.nrows() {
            for x in 0..a.ncols() {
                b[[y, x]] += self.0 * a[[y, x]];
                c[[y, x]] = b[[y, x]];
            }
        }
    }
}

#[test]
fn verify_compares_with_the_sequential_twin() {
    for ranks in [1, 3] {
        run(ranks, true, || {
            let a = rows(ranks);
            let (mut b, mut c) = (a.clone(), Array2::zeros(a.dim()));
            Scale(3).apply(&a, &mut b, c.view_mut());
            assert!(b == &a * 4 && b == c);
            shifted(a.view(), 0, c.view_mut());
            assert_eq!(c, a);
        });
        let message = complaint(ranks, true, || mean(Array1::linspace(0.0, 9.0, 100).view()));
        assert!(message.contains("FA062") && message.contains("`mean`"), "{message}");
    }
    assert_eq!(run(1, true, || mean(array![4.0].view())), [2.0]);
}
