//! Rust's `as`.

use super::numbers::{Int, Storage};
use forall_core::device::Cause;

/// From one type to another.
pub(super) fn function(from: &str, to: &str) -> Option<String> {
    let (held_from, held_to) = (held(from)?, held(to)?);
    let body = match (Int::of(from), Int::of(to)) {
        _ if from == to => "return a;".to_owned(),
        (_, Some(_)) if from == "bool" => format!("return {held_to}(a);"),
        (Some(_), Some(_)) => format!("return fa_narrow_{to}(fa_widen_{from}(a));"),
        // Those that `half` has: all are among the floats.
        (Some(_), None) if to == "f16" && matches!(from, "i8" | "u8") => "return f32(a);".to_owned(),
        (Some(from), None) if is_float(to) && to != "f16" => from_integer(from, held_to),
        (None, Some(to)) if is_float(from) && from != "f16" => to_integer(held_from, to),
        (None, None) if (from, to) == ("f32", "f16") => "return fa_nearest_f16(a);".to_owned(),
        // From `f64` it depends on the processor whether `half` rounds once.
        (None, None) if is_float(from) && is_float(to) && to != "f16" => format!("return {held_to}(a);"),
        _ => return None,
    };
    Some(format!("fn fa_cast_{from}_{to}(a: {held_from}) -> {held_to} {{ {body} }}"))
}

fn is_float(name: &str) -> bool {
    matches!(name, "f16" | "f32" | "f64")
}

fn held(name: &str) -> Option<&'static str> {
    match name {
        "f16" | "f32" => Some("f32"),
        "f64" => Some("f64"),
        "bool" => Some("bool"),
        _ => Int::of(name).map(|of| of.held),
    }
}

fn from_integer(from: Int, to: &str) -> String {
    let suffix = if to == "f32" { "f" } else { "lf" };
    match (from.storage, from.signed) {
        (Storage::Wide, false) => {
            format!("return select({to}(a), 18446744073709551616.0{suffix}, a == 0xffffffffu);")
        }
        _ => format!("return {to}(a);"),
    }
}

/// Numbers out of range give the nearest that there is; those that are none give zero.
fn to_integer(from: &str, to: Int) -> String {
    let suffix = if from == "f32" { "f" } else { "lf" };
    let wide = format!("fa_raise({}u)", Cause::Wide as u32);
    let zero = format!("if (fa_is_nan_{from}(a)) {{ return 0{}; }}", to.suffix);
    match (to.storage, to.signed) {
        (Storage::Wide, true) => {
            // The nearest numbers beyond the range; the lower one differs with the precision.
            let below = if from == "f32" { "-2147483904.0f" } else { "-2147483649.0lf" };
            format!("{zero} if (a <= {below} || a >= 2147483648.0{suffix}) {{ {wide}; return 0i; }} return i32(a);")
        }
        (Storage::Wide, false) => {
            let above = if from == "f32" { "4294967296.0f" } else { "4294967295.0lf" };
            format!(
                "{zero} if (a <= 0.0{suffix}) {{ return 0u; }}
  if (a >= 18446744073709551616.0{suffix}) {{ return 0xffffffffu; }}
  if (a >= {above}) {{ {wide}; return 0u; }} return u32(a);"
            )
        }
        (storage, signed) => {
            let bits = match storage {
                Storage::Narrow(bits) => bits,
                Storage::Word => 32,
                _ => 64,
            };
            // From here on, all are beyond the range, and the limit is a power of two, which each float type has.
            let above = 2_f64.powi(if signed { bits as i32 - 1 } else { bits as i32 });
            let below = if signed { -above } else { 0.0 };
            to.fill(&format!(
                "{zero} if (a <= {below:.1}{suffix}) {{ return $LEAST; }}
  if (a >= {above:.1}{suffix}) {{ return $MOST; }} return $T(a);"
            ))
        }
    }
}
