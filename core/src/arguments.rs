//! Calls of closures with references as arguments. A compiler knows that such arguments do not overlap; of captured references it does not.

macro_rules! with {
    ([$($before:ident $type_before:ident)*]) => {};
    ([$($before:ident $type_before:ident)*] $name:ident $value:ident $type:ident, $($rest:tt)*) => {
        /// Calls a closure with these arguments. Their types are known before the closure's body is checked.
        #[inline(always)]
        #[allow(clippy::too_many_arguments)]
        pub fn $name<$($type_before,)* $type, Result>(
            $($before: $type_before,)*
            $value: $type,
            body: impl FnOnce($($type_before,)* $type) -> Result,
        ) -> Result {
            body($($before,)* $value)
        }
        with!([$($before $type_before)* $value $type] $($rest)*);
    };
}

// Two arguments for each array, and one for each captured value that is not a number.
with!([]
    with_1 p1 P1,
    with_2 p2 P2,
    with_3 p3 P3,
    with_4 p4 P4,
    with_5 p5 P5,
    with_6 p6 P6,
    with_7 p7 P7,
    with_8 p8 P8,
    with_9 p9 P9,
    with_10 p10 P10,
    with_11 p11 P11,
    with_12 p12 P12,
    with_13 p13 P13,
    with_14 p14 P14,
    with_15 p15 P15,
    with_16 p16 P16,
    with_17 p17 P17,
    with_18 p18 P18,
    with_19 p19 P19,
    with_20 p20 P20,
    with_21 p21 P21,
    with_22 p22 P22,
    with_23 p23 P23,
    with_24 p24 P24,
    with_25 p25 P25,
    with_26 p26 P26,
    with_27 p27 P27,
    with_28 p28 P28,
    with_29 p29 P29,
    with_30 p30 P30,
    with_31 p31 P31,
    with_32 p32 P32,
);
