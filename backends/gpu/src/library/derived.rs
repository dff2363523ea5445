//! Methods of integers that are made of the others: powers, roots, logarithms, and what wraps or saturates where others raise.

use super::numbers::{Int, Storage};

/// A function of one value.
fn unary(op: &str, result: &str, body: &str) -> Option<String> {
    Some(format!("fn fa_{op}_$n(a: $T) -> {result} {{ {body} }}"))
}

/// A function of two values.
fn binary(op: &str, result: &str, body: &str) -> Option<String> {
    Some(format!("fn fa_{op}_$n(a: $T, b: $T) -> {result} {{ {body} }}"))
}

/// A function of a value and an exponent.
fn power(op: &str, result: &str, body: &str) -> Option<String> {
    Some(format!("fn fa_{op}_$n(a: $T, n: u32) -> {result} {{\n  {body}\n}}"))
}

/// A function of the library, where it follows from others: a table, with an arm for each.
pub(super) fn function(op: &str, of: Int) -> Option<String> {
    let wide = of.storage == Storage::Wide;
    let signed = of.signed;
    // Powers by squares, as Rust does them, so that they overflow where Rust's do.
    let by_squares = |multiply: &str| {
        format!(
            "if (n == 0u) {{ return END1; }}
  var base = a; var acc: $T = 1$s; var rest = n; var over = false;
  while (rest > 1u) {{
    if (fa_trip()) {{ break; }}
    if ((rest & 1u) == 1u) {{ {} }}
    rest = rest >> 1u;
    {}
  }}
  {}
  return END;",
            multiply.replace("TO", "acc"),
            multiply.replace("TO", "base"),
            multiply.replace("TO", "acc"),
        )
    };
    match op {
        "wrapping_pow" => power(
            op,
            "$T",
            &by_squares("TO = fa_wrapping_mul_$n(TO, base);").replace("END1", "1$s").replace("END", "acc"),
        ),
        // What is out of range is not used any more.
        "overflows_pow" => power(
            op,
            "bool",
            &by_squares("if (fa_overflows_mul_$n(TO, base)) { return true; } TO = fa_wrapping_mul_$n(TO, base);")
                .replace("END1", "false")
                .replace("END", "over"),
        ),
        "saturating_pow" => {
            let limit = if signed { "select($MOST, $LEAST, a < 0$s && (n & 1u) == 1u)" } else { "$MOST" };
            power(
                op,
                "$T",
                &format!("if (fa_overflows_pow_$n(a, n)) {{ return {limit}; }}\n  return fa_wrapping_pow_$n(a, n);"),
            )
        }
        "isqrt" => {
            let refused = match (signed, wide) {
                (true, _) => "if (a < 0$s) { $EXPLICIT; return 0$s; }",
                (_, true) => "if (a == $MOST) { $WIDE; return 0$s; }",
                _ => "",
            };
            let top = if of.storage == Storage::Long { 62 } else { 30 };
            unary(
                op,
                "$T",
                &format!(
                    "{refused}
  var rest = a; var root = 0$s; var bit = 1$s << {top}u;
  while (bit > rest) {{ if (fa_trip()) {{ break; }} bit = bit >> 2u; }}
  while (bit != 0$s) {{
    if (fa_trip()) {{ break; }}
    if (rest >= root + bit) {{ rest -= root + bit; root = (root >> 1u) + bit; }} else {{ root = root >> 1u; }}
    bit = bit >> 2u;
  }}
  return root;"
                ),
            )
        }
        "ilog10" => {
            let least = if signed { "a <= 0$s" } else { "a == 0$s" };
            let most = if wide && !signed { "if (a == $MOST) { return 19u; }" } else { "" };
            unary(
                op,
                "u32",
                &format!(
                    "if ({least}) {{ $EXPLICIT; return 0u; }} {most}
  var count = 0u; var rest = a;
  while (rest >= 10$s) {{ if (fa_trip()) {{ break; }} rest = rest / 10$s; count += 1u; }}
  return count;"
                ),
            )
        }
        "ilog" => {
            let least = if signed { "a <= 0$s" } else { "a == 0$s" };
            let most = if wide && !signed { "if (a == $MOST) { $WIDE; return 0u; }" } else { "" };
            binary(
                op,
                "u32",
                &format!(
                    "if ({least} || b < 2$s) {{ $EXPLICIT; return 0u; }} {most}
  var count = 0u; var rest = a;
  while (rest >= b) {{ if (fa_trip()) {{ break; }} rest = rest / b; count += 1u; }}
  return count;"
                ),
            )
        }
        // Towards zero.
        "midpoint" if signed => binary(
            op,
            "$T",
            "let low = (a & b) + ((a ^ b) >> 1u); return select(low, low + 1$s, low < 0$s && ((a ^ b) & 1$s) != 0$s);",
        ),
        "midpoint" if wide => binary(
            op,
            "$T",
            "if (a == $MOST && b == $MOST) { return a; } if (a == $MOST || b == $MOST) { $WIDE; return 0$s; }
  return (a & b) + ((a ^ b) >> 1u);",
        ),
        "midpoint" => binary(op, "$T", "return (a & b) + ((a ^ b) >> 1u);"),
        "trailing_ones" | "leading_ones" => {
            let way = op.trim_end_matches("_ones");
            unary(
                op,
                "u32",
                &match of.storage {
                    Storage::Narrow(_) | Storage::Word if way == "trailing" => {
                        "return min(countTrailingZeros(~fa_bits_$n(a)), $BITS);".to_owned()
                    }
                    Storage::Narrow(_) | Storage::Word => {
                        "return countLeadingZeros(~(fa_bits_$n(a) << (32u - $BITS)));".to_owned()
                    }
                    _ => format!("return fa_pair_{way}(~fa_widen_$n(a));"),
                },
            )
        }
        "is_multiple_of" if !signed => {
            binary(op, "bool", "if (b == 0$s) { return a == 0$s; } return fa_rem_$n(a, b) == 0$s;")
        }
        // Of all quotients one is out of range.
        "wrapping_div" | "wrapping_div_euclid" if signed => {
            let plain = op.trim_start_matches("wrapping_");
            binary(op, "$T", &format!("if (b == -1$s) {{ return fa_wrapping_neg_$n(a); }} return fa_{plain}_$n(a, b);"))
        }
        "wrapping_rem" | "wrapping_rem_euclid" if signed => {
            let plain = op.trim_start_matches("wrapping_");
            binary(op, "$T", &format!("if (b == -1$s) {{ return 0$s; }} return fa_{plain}_$n(a, b);"))
        }
        "saturating_div" if signed => {
            binary(op, "$T", "if (b == -1$s) { return fa_saturating_neg_$n(a); } return fa_div_$n(a, b);")
        }
        "wrapping_div" | "wrapping_rem" | "wrapping_div_euclid" | "wrapping_rem_euclid" | "saturating_div" => {
            let plain = op.trim_start_matches("wrapping_").trim_start_matches("saturating_");
            binary(op, "$T", &format!("return fa_{plain}_$n(a, b);"))
        }
        "saturating_neg" if signed && wide => unary(op, "$T", "return fa_neg_$n(a);"),
        "saturating_neg" if signed => {
            unary(op, "$T", "if (a == $LEAST) { return $MOST; } return fa_wrapping_neg_$n(a);")
        }
        "saturating_abs" if signed => unary(op, "$T", "if (a < 0$s) { return fa_saturating_neg_$n(a); } return a;"),
        "overflows_abs" if signed => unary(op, "bool", "return a < 0$s && fa_overflows_neg_$n(a);"),
        _ => None,
    }
}
