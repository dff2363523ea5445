//! Numbers as footprints take them.

/// An integer that an index expression reads from outside the loop.
pub trait Scalar {
    /// The value if it is an integer that fits, the largest value of the type, and whether the type is signed.
    fn scalar(&self) -> (Option<i64>, i64, bool);
}

macro_rules! scalars {
    ($($type:ty)*) => {$(
        impl Scalar for $type {
            fn scalar(&self) -> (Option<i64>, i64, bool) {
                (i64::try_from(*self).ok(), i64::try_from(<$type>::MAX).unwrap_or(i64::MAX), <$type>::MIN != 0)
            }
        }
    )*};
}

scalars!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl<S: Scalar + ?Sized> Scalar for &S {
    fn scalar(&self) -> (Option<i64>, i64, bool) {
        (**self).scalar()
    }
}

impl<S: Scalar + ?Sized> Scalar for &mut S {
    fn scalar(&self) -> (Option<i64>, i64, bool) {
        (**self).scalar()
    }
}

macro_rules! not_integers {
    ($($type:ty)*) => {$(
        impl Scalar for $type {
            fn scalar(&self) -> (Option<i64>, i64, bool) {
                (None, i64::MAX, true)
            }
        }
    )*};
}

not_integers!(f32 f64 bool char);
