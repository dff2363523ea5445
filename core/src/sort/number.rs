//! Order-preserving conversion of numbers to unsigned words.

use crate::device;
use crate::element::Element;
use std::any::TypeId;
use std::marker::PhantomData;

/// The conversion of one type of numbers to words.
#[derive(Debug)]
pub(super) struct Numbers<K> {
    /// The bits that flip if the sign bit is set.
    flips: u64,
    /// The bits that always flip.
    sign: u64,
    of: PhantomData<fn(K)>,
}

/// An unsigned number whose digits are the sort key.
pub(super) trait Word: Element + Ord + 'static {
    /// The word of these bits.
    fn of(bits: u64) -> Self;
    /// Its bits.
    fn bits(self) -> u64;
}

impl Word for u32 {
    #[inline(always)]
    fn of(bits: u64) -> u32 {
        bits as u32
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

impl Word for u64 {
    #[inline(always)]
    fn of(bits: u64) -> u64 {
        bits
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }
}

impl<K> Numbers<K> {
    /// For types whose `Ord` is the order of their words.
    pub(super) fn ordered() -> Option<Self> {
        let ty = typeid::of::<K>();
        let top = 1 << (8 * size_of::<K>().clamp(1, 8) - 1);
        let any = |types: &[TypeId]| types.contains(&ty);
        let unsigned = [of::<u8>(), of::<u16>(), of::<u32>(), of::<u64>(), of::<usize>(), of::<bool>(), of::<char>()];
        let signed = [of::<i8>(), of::<i16>(), of::<i32>(), of::<i64>(), of::<isize>()];
        let sign = if any(&unsigned) {
            0
        } else if any(&signed) {
            top
        } else {
            return None;
        };
        Some(Numbers { flips: 0, sign, of: PhantomData })
    }

    /// For floats, with the order of `total_cmp`.
    pub(super) fn floats() -> Option<Self> {
        let ty = typeid::of::<K>();
        let sign = 1 << (8 * size_of::<K>().clamp(1, 8) - 1);
        let float = ty == of::<f32>() || ty == of::<f64>();
        float.then_some(Numbers { flips: sign - 1, sign, of: PhantomData })
    }

    /// The same conversion for another type of the same size.
    pub(super) fn same<U>(&self) -> Numbers<U> {
        Numbers { flips: self.flips, sign: self.sign, of: PhantomData }
    }

    /// The conversion in the form for devices.
    pub(super) fn for_device(&self) -> device::Words {
        device::Words { flips: self.flips, sign: self.sign }
    }

    /// Whether 32 bits are enough for the words.
    pub(super) const SHORT: bool = size_of::<K>() <= 4;

    /// The word of a number.
    #[inline(always)]
    pub(super) fn word<W: Word>(&self, number: &K) -> W {
        let address = std::ptr::from_ref(number);
        // SAFETY: `K` is one of the types above, which are initialised numbers of this size.
        let bits = unsafe {
            match size_of::<K>() {
                1 => u64::from(address.cast::<u8>().read()),
                2 => u64::from(address.cast::<u16>().read()),
                4 => u64::from(address.cast::<u32>().read()),
                _ => address.cast::<u64>().read(),
            }
        };
        let sign_is_set = match size_of::<K>() {
            4 => i64::from(bits as u32 as i32) >> 63,
            _ => bits as i64 >> 63,
        };
        W::of(bits ^ (self.flips & sign_is_set as u64) ^ self.sign)
    }
}

fn of<T: 'static>() -> TypeId {
    TypeId::of::<T>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same_order<K: Copy>(numbers: &Numbers<K>, sorted: &[K]) {
        let words: Vec<u64> = sorted.iter().map(|number| numbers.word::<u64>(number)).collect();
        assert!(words.is_sorted());
        if Numbers::<K>::SHORT {
            let short: Vec<u32> = sorted.iter().map(|number| numbers.word::<u32>(number)).collect();
            assert!(short.iter().zip(&words).all(|(short, word)| u64::from(*short) == *word));
        }
    }

    #[test]
    fn words_have_the_order_of_their_numbers() {
        same_order(&Numbers::ordered().unwrap(), &[i8::MIN, -1, 0, 1, i8::MAX]);
        same_order(&Numbers::ordered().unwrap(), &[i32::MIN, -1, 0, 1, i32::MAX]);
        same_order(&Numbers::ordered().unwrap(), &[i64::MIN, -1, 0, 1, i64::MAX]);
        same_order(&Numbers::ordered().unwrap(), &[0, 1, u16::MAX]);
        same_order(&Numbers::ordered().unwrap(), &[false, true]);
        same_order(&Numbers::ordered().unwrap(), &['a', 'z', char::MAX]);
        let floats = [-f32::NAN, f32::NEG_INFINITY, -1.5, -0.0, 0.0, f32::MIN_POSITIVE, 2.0, f32::INFINITY, f32::NAN];
        same_order(&Numbers::floats().unwrap(), &floats);
        same_order(&Numbers::floats().unwrap(), &floats.map(f64::from));
        assert!(Numbers::<f32>::ordered().is_none() && Numbers::<u32>::floats().is_none());
        assert!(Numbers::<(u32, u32)>::ordered().is_none() && Numbers::<u128>::ordered().is_none());
    }
}
