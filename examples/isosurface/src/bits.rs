//! Rows of points as bits, 64 to a word.

/// Each bit of 32.
const BITS: [u32; 32] = {
    let mut bits = [1; 32];
    let mut k = 1;
    while k < 32 {
        bits[k] = bits[k - 1] << 1;
        k += 1;
    }
    bits
};

/// On which side of the isovalue up to 64 values lie, as bits: those that are above it, and those that are not missing.
#[forall::device]
#[inline]
pub fn sides(values: &[f32], iso: f32) -> (u64, u64) {
    let (mut inside, mut valid) = (0, 0);
    // Bits that are as wide as the values, and taken from a table: the loop becomes vector instructions.
    for (k, half) in values.chunks(32).enumerate() {
        let (mut above, mut there) = (0, 0);
        for (value, bit) in half.iter().zip(&BITS) {
            above |= if *value > iso { *bit } else { 0 };
            there |= if value.is_nan() { 0 } else { *bit };
        }
        inside |= u64::from(above) << (32 * k);
        valid |= u64::from(there) << (32 * k);
    }
    (inside, valid)
}

/// The word whose bit `k` is the bit `k + 1` of a row, from the row's word and the following one.
#[forall::device]
#[inline]
pub fn next(word: u64, following: u64) -> u64 {
    word >> 1 | following << 63
}

/// The word whose bit `k` is the bit `k - 1` of a row, from the row's word and the one before.
#[forall::device]
#[inline]
pub fn previous(word: u64, before: u64) -> u64 {
    word << 1 | before >> 63
}

/// Bit `k` of a word.
#[forall::device]
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
