//! Operators and methods of integers.

use super::numbers::{Int, Storage};
use forall_core::device::Cause;

/// A function on integers of a type.
pub(super) fn function(op: &str, of: Int) -> Option<String> {
    let text = match of.storage {
        Storage::Wide => wide(op, of.signed),
        _ => plain(op, of),
    };
    let text = text.or_else(|| common(op, of)).or_else(|| super::derived::function(op, of))?;
    let text = text
        .replace("$OVERFLOW", &format!("fa_raise({}u)", Cause::Overflow as u32))
        .replace("$ZERO", &format!("fa_raise({}u)", Cause::DivisionByZero as u32))
        .replace("$WIDE", &format!("fa_raise({}u)", Cause::Wide as u32))
        .replace("$EXPLICIT", &format!("fa_raise({}u)", Cause::Explicit as u32));
    Some(of.fill(&text))
}

/// A function of one value.
fn unary(op: &str, result: &str, body: &str) -> Option<String> {
    Some(format!("fn fa_{op}_$n(a: $T) -> {result} {{ {body} }}"))
}

/// A function of two values.
fn binary(op: &str, body: &str) -> Option<String> {
    Some(format!("fn fa_{op}_$n(a: $T, b: $T) -> $T {{ {body} }}"))
}

/// A function of a value and a `u32`.
fn shift(op: &str, body: &str) -> Option<String> {
    Some(format!("fn fa_{op}_$n(a: $T, n: u32) -> $T {{ {body} }}"))
}

/// The functions that are the same for all types, once the others are there.
fn common(op: &str, of: Int) -> Option<String> {
    let signed = of.signed;
    match op {
        "min" => binary(op, "return select(a, b, b < a);"),
        "max" => binary(op, "return select(a, b, b > a);"),
        "clamp" => Some(
            "fn fa_clamp_$n(a: $T, low: $T, high: $T) -> $T {
  if (low > high) { $EXPLICIT; }
  return select(select(a, high, a > high), low, a < low);
}"
            .into(),
        ),
        "cmp" => Some("fn fa_cmp_$n(a: $T, b: $T) -> i32 { return select(select(0, 1, a > b), -1, a < b); }".into()),
        "comparable" => Some("fn fa_comparable_$n(a: $T, b: $T) -> bool { return true; }".into()),
        // The divisor is not zero.
        "quotient" => binary(op, "return a / max(b, 1$s);"),
        "remainder" => binary(op, "return a % max(b, 1$s);"),
        // Of quotients and remainders.
        "overflows_div" => {
            let least = if signed && of.storage != Storage::Wide { "|| (a == $LEAST && b == -1$s)" } else { "" };
            Some(format!("fn fa_overflows_div_$n(a: $T, b: $T) -> bool {{ return b == 0$s {least}; }}"))
        }
        "div_ceil" if !signed => binary(op, "let q = fa_div_$n(a, b); if (q * b == a) { return q; } return q + 1$s;"),
        "next_multiple_of" if !signed => {
            binary(op, "let r = fa_rem_$n(a, b); if (r == 0$s) { return a; } return fa_add_$n(a, b - r);")
        }
        "ilog2" => {
            let least = if signed { "a <= 0$s" } else { "a == 0$s" };
            unary(
                op,
                "u32",
                &format!("if ({least}) {{ $EXPLICIT; return 0u; }} return $BITS - 1u - fa_leading_zeros_$n(a);"),
            )
        }
        "next_power_of_two" if !signed => unary(
            op,
            "$T",
            "if (a <= 1$s) { return 1$s; }
  let bits = $BITS - fa_leading_zeros_$n(a - 1$s);
  if (bits == $BITS) { if (fa_checked) { $OVERFLOW; } return 0$s; }
  return fa_shl_$n(1$s, bits);",
        ),
        "signum" if signed => unary(op, "$T", "return select(select(0$s, 1$s, a > 0$s), -1$s, a < 0$s);"),
        "abs" if signed => unary(op, "$T", "if (a < 0$s) { return fa_neg_$n(a); } return a;"),
        "wrapping_abs" if signed => unary(op, "$T", "if (a < 0$s) { return fa_wrapping_neg_$n(a); } return a;"),
        "unsigned_abs" if signed => unary(op, "$U", "let u = $U(a); return select(u, 0$u - u, a < 0$s);")
            .map(|text| text.replace("0$u", if of.storage == Storage::Long { "0lu" } else { "0u" })),
        // A remainder of values that both have room has room, and so has the quotient but for one.
        "div_euclid" if signed => binary(
            op,
            "let q = fa_div_$n(a, b); let r = a - q * b;
  return select(q, select(q + 1$s, q - 1$s, b > 0$s), r < 0$s);",
        ),
        "rem_euclid" if signed => {
            binary(op, "let r = fa_rem_$n(a, b); return select(r, select(r - b, r + b, b > 0$s), r < 0$s);")
        }
        "div_euclid" => binary(op, "return fa_div_$n(a, b);"),
        "rem_euclid" => binary(op, "return fa_rem_$n(a, b);"),
        "is_power_of_two" if !signed => unary(op, "bool", "return a != 0$s && (a & (a - 1$s)) == 0$s;"),
        "count_zeros" => unary(op, "u32", "return $BITS - fa_count_ones_$n(a);"),
        "rotate_right" => shift(op, "return fa_rotate_left_$n(a, ($BITS - (n % $BITS)) % $BITS);"),
        "wrapping_shl" => shift(op, "return fa_shl_$n(a, n & ($BITS - 1u));"),
        "wrapping_shr" => shift(op, "return fa_shr_$n(a, n & ($BITS - 1u));"),
        // As Rust does it, so that it overflows where Rust's overflows.
        "pow" => shift(
            op,
            "var base = a; var acc: $T = 1$s; var rest = n;
  while (rest > 0u) {
    if (fa_trip()) { break; }
    if ((rest & 1u) == 1u) { acc = fa_mul_$n(acc, base); }
    rest = rest >> 1u;
    if (rest > 0u) { base = fa_mul_$n(base, base); }
  }
  return acc;",
        ),
        _ => None,
    }
}

/// The functions of types that are held as they are in Rust: a table, with an arm for each function.
fn plain(op: &str, of: Int) -> Option<String> {
    let signed = of.signed;
    let narrow = matches!(of.storage, Storage::Narrow(_));
    let long = of.storage == Storage::Long;
    // The sum, difference or product, and whether it is out of range.
    let outcome = |op: &str| -> Option<&'static str> {
        Some(match (op, narrow, signed) {
            ("add", true, _) => "let e = a + b; let r = fa_wrap_$n(e); let over = r != e;",
            ("sub", true, _) => "let e = a - b; let r = fa_wrap_$n(e); let over = r != e;",
            ("mul", true, _) => "let e = a * b; let r = fa_wrap_$n(e); let over = r != e;",
            ("add", _, false) => "let r = a + b; let over = r < a;",
            ("sub", _, false) => "let r = a - b; let over = a < b;",
            ("mul", _, false) => "let r = a * b; let over = fa_high_$n(a, b) != 0$s;",
            ("add", _, true) => "let r = a + b; let over = ((a ^ r) & (b ^ r)) < 0$s;",
            ("sub", _, true) => "let r = a - b; let over = ((a ^ b) & (a ^ r)) < 0$s;",
            ("mul", _, true) => {
                "let r = a * b; let ua = fa_unsigned_abs_$n(a); let ub = fa_unsigned_abs_$n(b);
  let most = $U($MOST) + select($U(0), $U(1), (a ^ b) < 0$s);
  let over = fa_high_$V(ua, ub) != $U(0) || ua * ub > most;"
            }
            _ => return None,
        })
    };
    match op {
        "wrap" if narrow && signed => {
            let gap = 32 - of.bits();
            unary(op, "$T", &format!("return (a << {gap}u) >> {gap}u;"))
        }
        "wrap" if narrow => unary(op, "$T", "return a & $MOST;"),
        // The bits, without a sign.
        "bits" if narrow => unary(op, "u32", "return u32(a) & MASK;")
            .map(|text| text.replace("MASK", &format!("{}u", (1_u64 << of.bits()) - 1))),
        "bits" => unary(op, "$U", "return $U(a);"),
        "unbits" if narrow => Some("fn fa_unbits_$n(a: u32) -> $T { return fa_wrap_$n($T(a)); }".into()),
        "unbits" => Some("fn fa_unbits_$n(a: $U) -> $T { return $T(a); }".into()),
        "widen" if long => {
            unary(op, "vec2<u32>", "let b = u64(a); return vec2<u32>(u32(b & 0xfffffffflu), u32(b >> 32u));")
        }
        "widen" if signed => unary(op, "vec2<u32>", "return vec2<u32>(bitcast<u32>(a), bitcast<u32>(a >> 31u));"),
        "widen" => unary(op, "vec2<u32>", "return vec2<u32>(a, 0u);"),
        "narrow" if long => {
            Some("fn fa_narrow_$n(v: vec2<u32>) -> $T { return $T(u64(v.x) | (u64(v.y) << 32u)); }".into())
        }
        "narrow" => Some("fn fa_narrow_$n(v: vec2<u32>) -> $T { return fa_unbits_$n(v.x); }".into()),
        "add" | "sub" | "mul" => {
            let outcome = outcome(op)?;
            binary(op, &format!("{outcome}\n  if (fa_checked && over) {{ $OVERFLOW; }}\n  return r;"))
        }
        "wrapping_add" | "wrapping_sub" | "wrapping_mul" => {
            let sign = match op {
                "wrapping_add" => "+",
                "wrapping_sub" => "-",
                _ => "*",
            };
            let whole = format!("a {sign} b");
            binary(op, &if narrow { format!("return fa_wrap_$n({whole});") } else { format!("return {whole};") })
        }
        // How often that wraps around: once upwards, or once downwards, which counts as minus one.
        "wraps_add" | "wraps_sub" => {
            let outcome = outcome(&op["wraps_".len()..])?;
            let way = match (op, signed) {
                ("wraps_add", false) => "1",
                (_, false) => "-1",
                ("wraps_add", true) => "select(1, -1, b < 0$s)",
                (_, true) => "select(-1, 1, b < 0$s)",
            };
            Some(format!(
                "fn fa_{op}_$n(a: $T, b: $T) -> i32 {{\n  {outcome}\n  return select(0, {way}, fa_checked && over);\n}}"
            ))
        }
        "overflows_add" | "overflows_sub" | "overflows_mul" => {
            let outcome = outcome(&op["overflows_".len()..])?;
            Some(format!("fn fa_{op}_$n(a: $T, b: $T) -> bool {{\n  {outcome}\n  return over;\n}}"))
        }
        "overflows_neg" => unary(op, "bool", if signed { "return a == $LEAST;" } else { "return a != 0$s;" }),
        "saturating_add" | "saturating_sub" | "saturating_mul" => {
            let outcome = outcome(&op["saturating_".len()..])?;
            let limit = match (op, signed) {
                ("saturating_sub", false) => "$LEAST",
                (_, false) => "$MOST",
                ("saturating_mul", true) => "select($MOST, $LEAST, (a ^ b) < 0$s)",
                (_, true) => "select($MOST, $LEAST, a < 0$s)",
            };
            binary(op, &format!("{outcome}\n  return select(r, {limit}, over);"))
        }
        "div" | "rem" => {
            let result = match (op, signed) {
                ("div", _) => "a / b",
                (_, true) => "a - (a / b) * b",
                _ => "a % b",
            };
            let least = if signed { "if (a == $LEAST && b == -1$s) { $OVERFLOW; return 0$s; }" } else { "" };
            binary(op, &format!("if (b == 0$s) {{ $ZERO; return 0$s; }}\n  {least}\n  return {result};"))
        }
        "neg" if signed => {
            unary(op, "$T", "if (fa_checked && a == $LEAST) { $OVERFLOW; } return fa_wrapping_neg_$n(a);")
        }
        "wrapping_neg" if narrow => unary(op, "$T", "return fa_wrap_$n(0$s - a);"),
        "wrapping_neg" => unary(op, "$T", "return 0$s - a;"),
        "not" if narrow => unary(op, "$T", "return fa_wrap_$n(~a);"),
        "not" => unary(op, "$T", "return ~a;"),
        "shl" | "shr" => {
            let result = match (op, narrow) {
                ("shl", true) => "fa_wrap_$n(a << m)",
                ("shl", false) => "a << m",
                _ => "a >> m",
            };
            shift(
                op,
                &format!(
                    "if (fa_checked && n >= $BITS) {{ $OVERFLOW; }}\n  let m = n & ($BITS - 1u);\n  return {result};"
                ),
            )
        }
        "abs_diff" => {
            Some("fn fa_abs_diff_$n(a: $T, b: $T) -> $U { return select($U(a) - $U(b), $U(b) - $U(a), a < b); }".into())
        }
        "count_ones" if long => unary(op, "u32", "return fa_pair_ones(fa_widen_$n(a));"),
        "count_ones" => unary(op, "u32", "return countOneBits(fa_bits_$n(a));"),
        "leading_zeros" if long => unary(op, "u32", "return fa_pair_leading(fa_widen_$n(a));"),
        "leading_zeros" => unary(op, "u32", "return countLeadingZeros(fa_bits_$n(a)) + $BITS - 32u;"),
        "trailing_zeros" if long => unary(op, "u32", "return fa_pair_trailing(fa_widen_$n(a));"),
        "trailing_zeros" => unary(op, "u32", "return min(countTrailingZeros(fa_bits_$n(a)), $BITS);"),
        "rotate_left" if long => shift(op, "return fa_narrow_$n(fa_pair_rotate(fa_widen_$n(a), n & 63u));"),
        "rotate_left" => shift(
            op,
            "let m = n & ($BITS - 1u); let b = fa_bits_$n(a);
  return fa_unbits_$n((b << m) | (b >> (($BITS - m) & ($BITS - 1u))));",
        ),
        "swap_bytes" => match of.bits() {
            8 => unary(op, "$T", "return a;"),
            16 => unary(op, "$T", "let b = fa_bits_$n(a); return fa_unbits_$n((b << 8u) | (b >> 8u));"),
            32 => unary(
                op,
                "$T",
                "let b = fa_bits_$n(a);
  return fa_unbits_$n((b << 24u) | ((b & 0xff00u) << 8u) | ((b >> 8u) & 0xff00u) | (b >> 24u));",
            ),
            _ => unary(op, "$T", "return fa_narrow_$n(fa_pair_swap(fa_widen_$n(a)));"),
        },
        "reverse_bits" if long => unary(op, "$T", "return fa_narrow_$n(fa_pair_reverse(fa_widen_$n(a)));"),
        "reverse_bits" => unary(op, "$T", "return fa_unbits_$n(reverseBits(fa_bits_$n(a)) >> (32u - $BITS));"),
        _ => None,
    }
}

/// The functions of `usize` and `isize`: results as of 64 bits, if they have space.
///
/// The short ways are for values that have room, which indices have; the others go by pairs of words.
fn wide(op: &str, signed: bool) -> Option<String> {
    match op {
        "widen" if signed => {
            return unary(op, "vec2<u32>", "return vec2<u32>(bitcast<u32>(a), bitcast<u32>(a >> 31u));");
        }
        "widen" => return unary(op, "vec2<u32>", "return vec2<u32>(a, select(0u, $MOST, a == $MOST));"),
        "narrow" if signed => {
            return Some(
                "fn fa_narrow_$n(v: vec2<u32>) -> i32 {
  let a = bitcast<i32>(v.x);
  if (bitcast<u32>(a >> 31u) != v.y) { $WIDE; }
  return a;
}"
                .into(),
            );
        }
        "narrow" => {
            return Some(
                "fn fa_narrow_$n(v: vec2<u32>) -> u32 {
  if ((v.y != 0u || v.x == $MOST) && (v.y & v.x) != $MOST) { $WIDE; return 0u; }
  return v.x;
}"
                .into(),
            );
        }
        // Of all bits.
        "wraps_add" | "wraps_sub" => {
            let (sign, way, over) = match (op, signed) {
                ("wraps_add", false) => ("add", "1", "fa_pair_less(r, a)"),
                (_, false) => ("sub", "-1", "fa_pair_less(a, b)"),
                ("wraps_add", true) => ("add", "select(1, -1, b.y > $MOSTu)", "((a.y ^ r.y) & (b.y ^ r.y)) > $MOSTu"),
                (_, true) => ("sub", "select(-1, 1, b.y > $MOSTu)", "((a.y ^ b.y) & (a.y ^ r.y)) > $MOSTu"),
            };
            let (way, over) = (way.replace("$MOSTu", "0x7fffffffu"), over.replace("$MOSTu", "0x7fffffffu"));
            return Some(format!(
                "fn fa_{op}_$n(a: vec2<u32>, b: vec2<u32>) -> i32 {{
  let r = fa_pair_{sign}(a, b);
  return select(0, {way}, fa_checked && {over});
}}"
            ));
        }
        "wrapping_add" => return binary(op, "return fa_narrow_$n(fa_pair_add(fa_widen_$n(a), fa_widen_$n(b)));"),
        "wrapping_sub" => return binary(op, "return fa_narrow_$n(fa_pair_sub(fa_widen_$n(a), fa_widen_$n(b)));"),
        "wrapping_mul" => return binary(op, "return fa_narrow_$n(fa_pair_mul(fa_widen_$n(a), fa_widen_$n(b)));"),
        "wrapping_neg" => return unary(op, "$T", "return fa_narrow_$n(fa_pair_sub(vec2<u32>(), fa_widen_$n(a)));"),
        "count_ones" => return unary(op, "u32", "return fa_pair_ones(fa_widen_$n(a));"),
        "leading_zeros" => return unary(op, "u32", "return fa_pair_leading(fa_widen_$n(a));"),
        "trailing_zeros" => return unary(op, "u32", "return fa_pair_trailing(fa_widen_$n(a));"),
        "rotate_left" => return shift(op, "return fa_narrow_$n(fa_pair_rotate(fa_widen_$n(a), n & 63u));"),
        "swap_bytes" => return unary(op, "$T", "return fa_narrow_$n(fa_pair_swap(fa_widen_$n(a)));"),
        "reverse_bits" => return unary(op, "$T", "return fa_narrow_$n(fa_pair_reverse(fa_widen_$n(a)));"),
        "shl" => {
            return shift(
                op,
                "if (fa_checked && n >= 64u) { $OVERFLOW; return 0$s; }
  return fa_narrow_$n(fa_pair_shl(fa_widen_$n(a), n & 63u));",
            );
        }
        _ => {}
    }
    if signed { isize(op) } else { usize(op) }
}

fn isize(op: &str) -> Option<String> {
    match op {
        // No 64 bits are left by what has room in 32.
        "overflows_add" | "overflows_sub" | "overflows_mul" => {
            Some(format!("fn fa_{op}_$n(a: i32, b: i32) -> bool {{ return false; }}"))
        }
        "overflows_neg" => unary(op, "bool", "return false;"),
        "add" => binary(op, "let r = a + b; if (((a ^ r) & (b ^ r)) < 0) { $WIDE; } return r;"),
        "sub" => binary(op, "let r = a - b; if (((a ^ b) & (a ^ r)) < 0) { $WIDE; } return r;"),
        "mul" => binary(op, "return fa_wrapping_mul_$n(a, b);"),
        // No 64 bits are reached by what has room in 32.
        "saturating_add" => binary(op, "return fa_add_$n(a, b);"),
        "saturating_sub" => binary(op, "return fa_sub_$n(a, b);"),
        "saturating_mul" => binary(op, "return fa_mul_$n(a, b);"),
        "div" => binary(
            op,
            "if (b == 0) { $ZERO; return 0; }
  if (b == -1) { return fa_neg_$n(a); }
  return a / b;",
        ),
        "rem" => binary(
            op,
            "if (b == 0) { $ZERO; return 0; }
  if (b == -1) { return 0; }
  return a - (a / b) * b;",
        ),
        "neg" => unary(op, "$T", "if (a == $LEAST) { $WIDE; } return 0 - a;"),
        "not" => unary(op, "$T", "return ~a;"),
        "shr" => shift(
            op,
            "if (fa_checked && n >= 64u) { $OVERFLOW; return 0; }
  return a >> min(n & 63u, 31u);",
        ),
        "abs_diff" => Some(
            "fn fa_abs_diff_$n(a: i32, b: i32) -> u32 {
  let r = select(u32(a) - u32(b), u32(b) - u32(a), a < b);
  if (r == 0xffffffffu) { $WIDE; }
  return r;
}"
            .into(),
        ),
        _ => None,
    }
}

fn usize(op: &str) -> Option<String> {
    match op {
        "overflows_add" | "overflows_sub" | "overflows_mul" => {
            let over = match op {
                "overflows_sub" => "a < b",
                "overflows_add" => "(a == $MOST && b != 0u) || (b == $MOST && a != 0u)",
                _ => "(a == $MOST && b > 1u) || (b == $MOST && a > 1u)",
            };
            Some(format!("fn fa_{op}_$n(a: u32, b: u32) -> bool {{ return {over}; }}"))
        }
        "overflows_neg" => unary(op, "bool", "return a != 0u;"),
        "add" => binary(op, "let r = a + b; if (r < a || r == $MOST) { return fa_far_add_$n(a, b); } return r;"),
        "far_add" => binary(
            op,
            "let v = fa_widen_$n(a); let r = fa_pair_add(v, fa_widen_$n(b));
  if (fa_checked && fa_pair_less(r, v)) { $OVERFLOW; return 0u; }
  return fa_narrow_$n(r);",
        ),
        "sub" => binary(op, "if (a < b || a == $MOST) { return fa_far_sub_$n(a, b); } return a - b;"),
        "far_sub" => binary(
            op,
            "if (a < b) { if (fa_checked) { $OVERFLOW; } else { $WIDE; } return 0u; }
  return fa_wrapping_sub_$n(a, b);",
        ),
        "mul" => binary(op, "if ((a | b) <= 0xffffu) { return a * b; } return fa_far_mul_$n(a, b);"),
        "far_mul" => binary(
            op,
            "if (fa_checked && ((a == $MOST && b > 1u) || (b == $MOST && a > 1u))) { $OVERFLOW; return 0u; }
  return fa_wrapping_mul_$n(a, b);",
        ),
        "saturating_add" => binary(op, "if (a == $MOST || b == $MOST) { return $MOST; } return fa_add_$n(a, b);"),
        "saturating_sub" => binary(op, "if (a < b) { return 0u; } return fa_sub_$n(a, b);"),
        "saturating_mul" => binary(
            op,
            "if ((a == $MOST && b != 0u) || (b == $MOST && a != 0u)) { return $MOST; }
  return fa_mul_$n(a, b);",
        ),
        "div" => binary(
            op,
            "if (b == 0u) { $ZERO; return 0u; }
  if (a == $MOST && b != 1u && b != $MOST) { $WIDE; return 0u; }
  return a / b;",
        ),
        "rem" => binary(
            op,
            "if (b == 0u) { $ZERO; return 0u; }
  if (a == $MOST && b != 1u && b != $MOST) { $WIDE; return 0u; }
  return a % b;",
        ),
        "not" => unary(op, "$T", "return fa_narrow_$n(~fa_widen_$n(a));"),
        "shr" => shift(
            op,
            "if (n < 32u && a != $MOST) { return a >> n; }
  if (fa_checked && n >= 64u) { $OVERFLOW; return 0u; }
  return fa_narrow_$n(fa_pair_shr(fa_widen_$n(a), n & 63u));",
        ),
        "abs_diff" => binary(op, "if (a < b) { return fa_sub_$n(b, a); } return fa_sub_$n(a, b);"),
        _ => None,
    }
}
