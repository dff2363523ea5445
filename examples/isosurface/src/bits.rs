//! Rows of points as bits, 64 to a word.

/// On which side of the isovalue up to 64 values lie, as bits: those that are above it, and those that are not missing.
#[inline]
pub fn sides(values: &[f32], iso: f32) -> (u64, u64) {
    if let Ok(values) = <&[f32; 64]>::try_from(values) {
        // A byte for each value first: both loops become vector instructions.
        let mut inside = [0; 64];
        let mut valid = [0; 64];
        for k in 0..64 {
            inside[k] = u8::from(values[k] > iso);
            valid[k] = u8::from(!values[k].is_nan());
        }
        (pack(&inside), pack(&valid))
    } else {
        let bit = |k: usize, is: bool| u64::from(is) << k;
        let fold = |(inside, valid), (k, &v): (usize, &f32)| (inside | bit(k, v > iso), valid | bit(k, !v.is_nan()));
        values.iter().enumerate().fold((0, 0), fold)
    }
}

/// The lowest bits of 64 bytes, in one word.
#[inline]
fn pack(bytes: &[u8; 64]) -> u64 {
    let mut word = 0;
    for (k, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // The product moves the bit of byte i to bit 56 + i, and nothing else reaches the top byte.
        word |= (u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * k);
    }
    word
}

/// The word whose bit `k` is the bit `k + 1` of a row, from the row's word and the following one.
#[inline]
pub fn next(word: u64, following: u64) -> u64 {
    word >> 1 | following << 63
}

/// The word whose bit `k` is the bit `k - 1` of a row, from the row's word and the one before.
#[inline]
pub fn previous(word: u64, before: u64) -> u64 {
    word << 1 | before >> 63
}

/// Bit `k` of a word.
#[inline]
pub fn bit(word: u64, k: u32) -> u32 {
    (word >> k & 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_and_partial_words_agree_with_the_comparison() {
        for length in [1, 5, 63, 64] {
            let value = |k: usize| {
                if k.is_multiple_of(7) { f32::NAN } else { (k * 37 % 11) as f32 }
            };
            let values: Vec<f32> = (0..length).map(value).collect();
            let (inside, valid) = sides(&values, 5.0);
            for (k, v) in values.iter().enumerate() {
                assert_eq!(bit(inside, k as u32) == 1, *v > 5.0);
                assert_eq!(bit(valid, k as u32) == 0, v.is_nan());
            }
            assert_eq!(valid.checked_shr(length as u32).unwrap_or(0), 0);
        }
    }

    #[test]
    fn neighbours_cross_words() {
        assert_eq!(next(0b10, 1), 1 | 1 << 63);
        assert_eq!(previous(0b1, 1 << 63), 0b11);
    }
}
