//! `f16` of the crate `half`, held as the `f32` of the same value.
//!
//! That crate computes with `f32` and rounds to the nearest, and so does this. No device has to have such floats.

use super::numbers::Native;

/// A function on them.
pub(super) fn function(op: &str) -> Option<String> {
    let rounded = |op: &str| {
        Some(format!("fn fa_{op}_f16(a: f32, b: f32) -> f32 {{ return fa_nearest_f16(fa_{op}_f32(a, b)); }}"))
    };
    match op {
        "add" | "sub" | "mul" | "div" | "rem" | "wrapping_add" | "wrapping_sub" | "wrapping_mul" => rounded(op),
        "nearest" => Some(NEAREST.to_owned()),
        "to_bits" => Some(TO_BITS.to_owned()),
        "from_bits" => Some(FROM_BITS.to_owned()),
        // What is exact. Neither type has the methods that the other one lacks, but for these.
        "neg" | "abs" | "signum" | "copysign" | "min" | "max" | "clamp" | "is_nan" | "is_finite" | "is_infinite"
        | "is_sign_negative" | "is_sign_positive" => {
            let native = Native { single: true, double: true, zero: true, long: true };
            let single = super::float::function(op, "f32", native)?;
            Some(single.split_once('{').map(|(head, _)| alike(op, head)).unwrap_or_default())
        }
        _ => None,
    }
}

/// The function for `f32`, under the name of the one for `f16`. `head` is its text up to the body.
fn alike(op: &str, head: &str) -> String {
    let names = ["a", "b", "low", "high"].into_iter().filter(|name| head.contains(&format!("{name}: f32")));
    let arguments = names.collect::<Vec<_>>().join(", ");
    format!("{} {{ return fa_{op}_f32({arguments}); }}", head.trim_end().replace("_f32(", "_f16("))
}

/// A NaN becomes a quiet one, as in the crate. The bits of values that are held as `f16` stay.
const NEAREST: &str = "fn fa_nearest_f16(a: f32) -> f32 {
  let bits = bitcast<u32>(a);
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return bitcast<f32>((bits | 0x400000u) & 0xffffe000u); }
  return fa_from_bits_f16(fa_to_bits_f16(a));
}";

/// To the nearest, and of two that are as near to the even one.
const TO_BITS: &str = "fn fa_to_bits_f16(a: f32) -> u32 {
  let bits = bitcast<u32>(a); let sign = (bits >> 16u) & 0x8000u; let size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) { return sign | 0x7c00u | ((size >> 13u) & 0x3ffu); }
  if (size >= 0x477ff000u) { return sign | 0x7c00u; }
  if (size >= 0x38800000u) { return sign | ((size - 0x38000000u + 0xfffu + ((size >> 13u) & 1u)) >> 13u); }
  let down = 126u - (size >> 23u);
  if (down > 24u) { return sign; }
  let fraction = (size & 0x7fffffu) | 0x800000u; let whole = fraction >> down; let half = 1u << (down - 1u);
  let lost = fraction & (half * 2u - 1u);
  return sign | (whole + select(0u, 1u, lost > half || (lost == half && (whole & 1u) == 1u)));
}";

const FROM_BITS: &str = "fn fa_from_bits_f16(word: u32) -> f32 {
  let sign = (word & 0x8000u) << 16u; let size = word & 0x7fffu;
  if (size >= 0x7c00u) { return bitcast<f32>(sign | 0x7f800000u | ((size & 0x3ffu) << 13u)); }
  if (size >= 0x400u) { return bitcast<f32>(sign | ((size << 13u) + 0x38000000u)); }
  return bitcast<f32>(sign | bitcast<u32>(f32(size) * 5.9604645e-8f));
}";
