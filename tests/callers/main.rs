//! Callers of a function keep compiling when it gets an attribute: the same calls are compiled with and without it.

/// Calls of functions without an attribute.
#[allow(clippy::all)]
mod plain {
    pub fn double(x: &[f64], out: &mut [f64]) {
        for i in 0..x.len() {
            out[i] = 2.0 * x[i];
        }
    }

    pub fn sum(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i];
        }
        sum
    }

    pub fn copy<T: bytemuck::Pod>(x: &[T], out: &mut [T]) {
        for i in 0..x.len() {
            out[i] = x[i];
        }
    }

    include!("calls.rs");
}

/// The same calls of the same functions.
#[allow(clippy::all)]
mod annotated {
    #[forall::foreach]
    pub fn double(x: &[f64], out: &mut [f64]) {
        for i in 0..x.len() {
            out[i] = 2.0 * x[i];
        }
    }

    #[forall::kary_reduce]
    pub fn sum(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i];
        }
        sum
    }

    #[forall::foreach]
    pub fn copy<T: bytemuck::Pod>(x: &[T], out: &mut [T]) {
        for i in 0..x.len() {
            out[i] = x[i];
        }
    }

    include!("calls.rs");
}

#[test]
fn callers_compile_with_and_without_the_attribute() {
    assert_eq!(plain::calls(), annotated::calls());
}

/// Pointers to data of `forall` and of `ndarray`.
#[test]
fn pointers_to_vectors_and_arrays() {
    use forall::DistVec;
    use ndarray::{Array2, ArrayView2, ArrayViewMut2};
    use std::rc::Rc;

    #[forall::foreach]
    fn copied(x: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
        let (ny, nx) = x.dim();
        for y in 0..ny {
            for i in 0..nx {
                out[[y, i]] = x[[y, i]];
            }
        }
    }

    let x = Rc::new(DistVec::from_fn(7, |i| i as f64));
    let mut out = Box::new(DistVec::zeroed_like(&x));
    annotated::double(&x, &mut out);
    assert_eq!(annotated::sum(&out), 42.0);

    let x = std::sync::Arc::new(Array2::from_elem((3, 5), 1.0));
    let out = std::sync::Mutex::new(Array2::zeros((3, 5)));
    copied(x.clone(), out.lock().unwrap());
    assert_eq!(out.into_inner().unwrap(), *x);
}
