//! Loops that set elements of an array, and others that look alike but leave some of them, read them, or end.

mod right {
    mod the_other_array_of_a_header {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64], z: &mut [f64]) {
            for ((a, _), v) in y.iter_mut().zip(z.iter_mut()).zip(x) {
                *a = *v * 2.0;
            }
        }
    }
    mod two_places_that_are_one {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64], n: usize) {
            let k = 2 * (n % 2);
            for i in 0..y.len().min(x.len()) / 3 {
                y[3 * i] = x[i] + 1.0;
                y[3 * i + 2] = x[i] + 2.0;
                y[3 * i + k] = x[i] + 3.0;
            }
        }
    }
    mod every_second_element {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64]) {
            for (o, v) in y.iter_mut().step_by(2).zip(x) {
                *o = v.abs() + 0.5;
            }
        }
    }
    mod set_unless_it_goes_on {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64]) {
            for (o, v) in y.iter_mut().zip(x) {
                *o = if *v < 0.0 { continue } else { v.sqrt() };
            }
        }
    }
    mod read_through_another_name {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64]) {
            for (o, v) in y.iter_mut().zip(x) {
                let same = &mut *o;
                let before = *same;
                *o = before * 0.5 + *v;
            }
        }
    }
    mod own_operator_that_updates {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64]) {
            for i in 0..x.len().min(y.len()) {
                std::ops::AddAssign::add_assign(&mut y[i], x[i] * 2.0);
            }
        }
    }
    mod a_panic_in_the_middle {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            for i in 0..x.len().min(y.len()) {
                y[i] = 1000 / (x[i] - 7);
            }
        }
    }
}

mod refused {
    mod an_old_element_under_another_name {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64]) {
            let n = x.len().min(y.len());
            let z = &mut *y;
            for i in 1..n {
                z[i] = z[i - 1] * 0.5 + x[i];
            }
        }
    }
    mod own_swap {
        trait Swaps {
            fn exchange(&mut self, one: usize, other: usize);
        }
        impl Swaps for [f64] {
            fn exchange(&mut self, one: usize, other: usize) {
                self.swap(one, other);
            }
        }
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64]) {
            for i in 0..x.len().min(y.len()) {
                y[i] = x[i] * 2.0;
                y.exchange(i, 0);
            }
        }
    }
    mod an_early_return {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64]) {
            for i in 0..x.len().min(y.len()) {
                y[i] = x[i] * 2.0;
                if x[i] > 1.0 {
                    return;
                }
            }
        }
    }
}
