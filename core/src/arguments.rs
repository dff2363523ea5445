//! Calls of closures with references as arguments. A compiler knows that such arguments do not overlap; of captured references it does not.

macro_rules! with {
    ($name:ident: $($value:ident $type:ident),+) => {
        /// Calls a closure with these arguments. Their types are known before the closure's body is checked.
        #[inline(always)]
        #[allow(clippy::too_many_arguments)]
        pub fn $name<$($type,)+ R>($($value: $type,)+ run: impl FnOnce($($type),+) -> R) -> R {
            run($($value),+)
        }
    };
}

with!(with_1: a A);
with!(with_2: a A, b B);
with!(with_3: a A, b B, c C);
with!(with_4: a A, b B, c C, d D);
with!(with_5: a A, b B, c C, d D, e E);
with!(with_6: a A, b B, c C, d D, e E, f F);
with!(with_7: a A, b B, c C, d D, e E, f F, g G);
with!(with_8: a A, b B, c C, d D, e E, f F, g G, h H);
