//! Image compositing: each rank has a picture of its part of a scene, and all of them become one.
//!
//! The loop goes over pictures, front to back, and blends each into a frame, pixel by pixel. The attribute above it says how the frames
//! of the ranks merge; there is one function for each algorithm, to compare them.

pub mod paper;
pub mod pixel;
pub mod simulate;
pub mod workload;

/// A function for each algorithm, of layers that merge by an operator.
macro_rules! composites {
    ($pixel:ty, $operator:ident, $identity:ident) => {
        composites! { $pixel, $operator, $identity;
            /// The algorithm that should be done first.
            auto(algorithm = auto);
            /// Direct send in groups, then trees.
            tod_tree(algorithm = tod_tree, regions = 4, k = 4);
            /// Halves, then halves of halves.
            binary_swap(algorithm = binary_swap);
            /// Groups of four, then of four.
            radix_k(algorithm = radix_k, radices = [4, 4, 4]);
            /// All to all.
            direct_send(algorithm = direct_send);
            /// All to one.
            serial_direct_send(algorithm = serial_direct_send);
            /// A tree of arity two.
            tree(algorithm = tree, k = 2);
            /// A row, through which slices pass.
            pipeline(algorithm = pipeline, slices = 16);
        }
    };
    ($pixel:ty, $operator:ident, $identity:ident; $(#[doc = $doc:literal] $name:ident($($how:tt)*);)*) => {
        $(
            #[doc = $doc]
            #[forall::kary_reduce(combine = $operator, identity = $identity, root = 0, $($how)*)]
            pub fn $name(layers: &[$pixel], #[replicated] frame: &mut [$pixel]) {
                for layer in layers.chunks(frame.len()) {
                    for (d, s) in frame.iter_mut().zip(layer) {
                        *d = $operator(*d, *s);
                    }
                }
            }
        )*

        /// Each with its name.
        pub const ALL: &[(&str, fn(&forall::DistVec<$pixel>, &mut [$pixel]))] =
            &[$((stringify!($name), |layers, frame| $name(layers, frame))),*];
    };
}

/// Layers that shine through, front to back.
pub mod blend {
    use crate::pixel::{CLEAR, Rgba, over};

    composites!(Rgba, over, CLEAR);
}

/// Layers with a depth for each pixel: the nearest counts.
pub mod depth {
    use crate::pixel::{FAR, Fragment, nearer};

    composites!(Fragment, nearer, FAR);
}
