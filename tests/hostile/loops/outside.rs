//! The slices of the function as statements outside of the loops see them.

mod right {
    mod blanket_trait_outside {
        trait Width {
            fn width(&self) -> i64;
        }
        impl<T: ?Sized> Width for T {
            fn width(&self) -> i64 {
                std::mem::size_of_val(self) as i64
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let bytes = x.width();
            for i in 0..out.len().min(x.len()) {
                out[i] = x[i] + bytes;
            }
        }
    }
    mod blanket_trait_inside {
        trait Width {
            fn width(&self) -> i64;
        }
        impl<T: ?Sized> Width for T {
            fn width(&self) -> i64 {
                std::mem::size_of_val(self) as i64
            }
        }
        #[forall::foreach]
        pub fn program(#[replicated] x: &[i64], out: &mut [i64]) {
            for i in 0..out.len().min(x.len()) {
                out[i] = x[i] + x.width();
            }
        }
    }
    mod debug_outside {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let text = format!("{x:?}").len() as i64;
            for i in 0..out.len().min(x.len()) {
                out[i] = x[i] + text;
            }
        }
    }
    mod debug_inside {
        #[forall::foreach]
        pub fn program(#[replicated] x: &[i64], out: &mut [i64]) {
            for i in 0..out.len().min(x.len()) {
                out[i] = format!("{:?}", x).len() as i64;
            }
        }
    }
    mod trait_for_references {
        trait Width {
            fn width(self) -> i64;
        }
        impl<T> Width for &[T] {
            fn width(self) -> i64 {
                self.len() as i64
            }
        }
        impl<T> Width for &Vec<T> {
            fn width(self) -> i64 {
                7
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let bytes = x.width();
            for i in 0..out.len().min(x.len()) {
                out[i] = x[i] + bytes;
            }
        }
    }
}

mod refused {
    mod size_of_val_outside {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let bytes = std::mem::size_of_val(x) as i64;
            for i in 0..out.len().min(x.len()) {
                out[i] = x[i] + bytes;
            }
        }
    }
    mod type_name_outside {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let bytes = std::any::type_name_of_val(x).len() as i64;
            for i in 0..out.len().min(x.len()) {
                out[i] = x[i] + bytes;
            }
        }
    }
}
