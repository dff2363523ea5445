//! Methods of floats.
//!
//! Compilers of shaders assume that there are no NaN and no infinities, so that these are found by their bits.

use super::elementary;
use super::numbers::Native;
use forall_core::device::Cause;

/// A function on floats of a type.
pub(super) fn function(op: &str, of: &str, native: Native) -> Option<String> {
    let of = Float::of(of)?;
    let native = if of.name == "f32" { native.single } else { native.double };
    let text = both(op, native).or_else(|| if of.name == "f32" { elementary::function(op) } else { None })?;
    Some(of.fill(&text))
}

/// A type of floats.
struct Float {
    name: &'static str,
    /// The suffix of literals.
    suffix: &'static str,
    /// The type that holds the bits, and what its literals end with.
    bits: &'static str,
    bits_suffix: &'static str,
    /// Bits of the fraction, and the greatest exponent.
    fraction: u32,
    bias: u32,
    /// Bits to which a remainder can be moved up before it is too large.
    room: u32,
    degrees: &'static str,
    radians: &'static str,
}

impl Float {
    fn of(name: &str) -> Option<Float> {
        match name {
            "f32" => Some(Float {
                name: "f32",
                suffix: "f",
                bits: "u32",
                bits_suffix: "u",
                fraction: 23,
                bias: 127,
                room: 8,
                degrees: "57.29578f",
                radians: "0.017453292f",
            }),
            "f64" => Some(Float {
                name: "f64",
                suffix: "lf",
                bits: "u64",
                bits_suffix: "lu",
                fraction: 52,
                bias: 1023,
                room: 11,
                degrees: "57.29577951308232lf",
                radians: "0.017453292519943295lf",
            }),
            _ => None,
        }
    }

    /// Replaces, in a text: `$T` the type, `$f` the suffix, `$U` the type of the bits, `$u` its suffix, and constants.
    fn fill(&self, text: &str) -> String {
        let bits = self.bits_suffix;
        let sign = 1_u64 << (self.fraction + if self.name == "f32" { 8 } else { 11 });
        let infinite = u64::from(2 * self.bias + 1) << self.fraction;
        let lower = "if (fa_square_above_$U(s, whole)) { s -= 1$u; }\n  ";
        let higher = "if (!fa_square_above_$U(s + 1$u, whole)) { s += 1$u; }\n  ";
        text.replace("$LOWER", &lower.repeat(4))
            .replace("$HIGHER", &higher.repeat(4))
            .replace("$SCALE", &format!("{}.0$f", 1_u64 << self.fraction))
            .replace("$SIGN", &format!("{sign}{bits}"))
            .replace("$REST", &format!("{}{bits}", sign - 1))
            .replace("$INF", &format!("{infinite}{bits}"))
            .replace("$DOWN", &format!("{}{bits}", sign | infinite))
            .replace("$QUIET", &format!("{}{bits}", infinite | (1 << (self.fraction - 1))))
            .replace("$HIDDEN", &format!("{}{bits}", 1_u64 << self.fraction))
            .replace("$FRACTION", &format!("{}{bits}", (1_u64 << self.fraction) - 1))
            .replace("$WIDTH", &format!("{}u", self.fraction))
            .replace("$SIZE", if self.name == "f32" { "32u" } else { "64u" })
            .replace("$BIAS", &format!("{}u", self.bias))
            .replace("$ROOM", &format!("{}", self.room))
            .replace("$ABOVE", &format!("{}u", self.room))
            .replace("$DEGREES", self.degrees)
            .replace("$RADIANS", self.radians)
            .replace("$EXPLICIT", &format!("fa_raise({}u)", Cause::Explicit as u32))
            .replace("$T", self.name)
            .replace("$f", self.suffix)
            .replace("$U", self.bits)
            .replace("$I", if self.name == "f32" { "i32" } else { "i64" })
            .replace("$u", bits)
    }
}

/// The functions of both types: a table, with an arm for each function.
fn both(op: &str, native: bool) -> Option<String> {
    let unary = |result: &str, body: &str| Some(format!("fn fa_{op}_$T(a: $T) -> {result} {{ {body} }}"));
    let binary = |body: &str| Some(format!("fn fa_{op}_$T(a: $T, b: $T) -> $T {{ {body} }}"));
    match op {
        // Where the type is not known before, the text names these too.
        "add" | "wrapping_add" => binary("return a + b;"),
        "sub" | "wrapping_sub" => binary("return a - b;"),
        "mul" | "wrapping_mul" => binary("return a * b;"),
        "neg" => unary("$T", "return -a;"),
        "to_bits" => unary("$U", "return bitcast<$U>(a);"),
        "cmp" => Some("fn fa_cmp_$T(a: $T, b: $T) -> i32 { return select(select(0, 1, a > b), -1, a < b); }".into()),
        "comparable" => {
            Some("fn fa_comparable_$T(a: $T, b: $T) -> bool { return !(fa_is_nan_$T(a) || fa_is_nan_$T(b)); }".into())
        }
        // By the bits, of which those of negative numbers go the other way.
        "total_cmp" => Some(
            "fn fa_total_cmp_$T(a: $T, b: $T) -> i32 {
  let x = fa_to_bits_$T(a); let y = fa_to_bits_$T(b);
  let p = select(x | $SIGN, ~x, (x & $SIGN) != 0$u); let q = select(y | $SIGN, ~y, (y & $SIGN) != 0$u);
  return select(select(0, 1, p > q), -1, p < q);
}"
            .into(),
        ),
        "from_bits" => Some("fn fa_from_bits_$T(a: $U) -> $T { return bitcast<$T>(a); }".into()),
        // Constants that are none are errors, so the bits come from a variable.
        "inf" | "neg_inf" | "nan" => {
            let bits = match op {
                "inf" => "$INF",
                "neg_inf" => "$DOWN",
                _ => "$QUIET",
            };
            Some(format!(
                "var<private> fa_bits_of_{op}_$T: $U = {bits};
fn fa_{op}_$T() -> $T {{ return bitcast<$T>(fa_bits_of_{op}_$T); }}"
            ))
        }
        // The bits without the sign.
        "size" => unary("$U", "return fa_to_bits_$T(a) & $REST;"),
        "is_nan" => unary("bool", "return fa_size_$T(a) > $INF;"),
        "is_infinite" => unary("bool", "return fa_size_$T(a) == $INF;"),
        "is_finite" => unary("bool", "return fa_size_$T(a) < $INF;"),
        "is_sign_negative" => unary("bool", "return (fa_to_bits_$T(a) & $SIGN) != 0$u;"),
        "is_sign_positive" => unary("bool", "return (fa_to_bits_$T(a) & $SIGN) == 0$u;"),
        "abs" => unary("$T", "return fa_from_bits_$T(fa_size_$T(a));"),
        "copysign" => binary("return fa_from_bits_$T(fa_size_$T(a) | (fa_to_bits_$T(b) & $SIGN));"),
        "signum" => unary("$T", "if (fa_is_nan_$T(a)) { return a; } return fa_copysign_$T(1.0$f, a);"),
        "recip" => unary("$T", "return fa_div_$T(1.0$f, a);"),
        "div" if native => binary("return a / b;"),
        "sqrt" if native => unary("$T", "return sqrt(a);"),
        // The device's quotient of the fractions, and as much more or less as what is left of the dividend says: modulo the
        // bits that there are, since it is little.
        "div" => binary(
            "let sa = fa_size_$T(a); let sb = fa_size_$T(b); let sign = (fa_to_bits_$T(a) ^ fa_to_bits_$T(b)) & $SIGN;
  if (sa > $INF || sb > $INF || (sa == $INF && sb == $INF) || (sa == 0$u && sb == 0$u)) { return fa_nan_$T(); }
  if (sa == $INF || sb == 0$u) { return fa_from_bits_$T(sign | $INF); }
  if (sb == $INF || sa == 0$u) { return fa_from_bits_$T(sign); }
  var fa = fa_fraction_$T(sa); var fb = fa_fraction_$T(sb);
  let up = fa_leading_zeros_$U(fa) - $ABOVE; let down = fa_leading_zeros_$U(fb) - $ABOVE;
  fa = fa << up; fb = fb << down;
  var exponent = max(i32(sa >> $WIDTH), 1) - i32(up) - max(i32(sb >> $WIDTH), 1) + i32(down) + i32($BIAS);
  if (fa < fb) { fa = fa << 1u; exponent -= 1; }
  var q = $U($T(fa) / $T(fb) * (2.0$f * $SCALE));
  var rest = (fa << ($WIDTH + 1u)) - q * fb;
  let more = $U($I(floor($T(bitcast<$I>(rest)) / $T(fb))));
  q += more; rest -= more * fb;
  if (bitcast<$I>(rest) < 0) { q -= 1$u; rest += fb; }
  if (rest >= fb) { q += 1$u; rest -= fb; }
  let over = 1u + u32(clamp(1 - exponent, 0, i32($WIDTH) + 2));
  let half = 1$u << (over - 1u);
  let lost = q & (half * 2$u - 1$u);
  var bits = q >> over;
  let odd = (bits & 1$u) != 0$u;
  if (exponent > 2 * i32($BIAS)) { return fa_from_bits_$T(sign | $INF); }
  bits += $U(max(exponent, 1) - 1) << $WIDTH;
  if (lost > half || (lost == half && (rest != 0$u || odd))) { bits += 1$u; }
  return fa_from_bits_$T(sign | bits);",
        ),
        // The device's root of the fraction, and as much more or less as its square is off.
        "sqrt" => unary(
            "$T",
            "let size = fa_size_$T(a);
  if (size == 0$u) { return a; }
  if (size > $INF || fa_is_sign_negative_$T(a)) { return fa_nan_$T(); }
  if (size == $INF) { return a; }
  var f = fa_fraction_$T(size);
  let up = fa_leading_zeros_$U(f) - $ABOVE;
  f = f << up;
  var exponent = max(i32(size >> $WIDTH), 1) - i32(up) - i32($BIAS);
  if ((exponent & 1) != 0) { f = f << 1u; exponent -= 1; }
  let whole = vec2<$U>(f << $WIDTH, f >> ($SIZE - $WIDTH));
  var s = $U(sqrt($T(f) * $SCALE));
  $LOWER
  $HIGHER
  if (whole.x - s * s > s) { s += 1$u; }
  return fa_from_bits_$T(s + ($U(exponent / 2 + i32($BIAS) - 1) << $WIDTH));",
        ),
        "min" => binary("if (fa_is_nan_$T(a)) { return b; } if (fa_is_nan_$T(b)) { return a; } return select(a, b, b < a);"),
        "max" => binary("if (fa_is_nan_$T(a)) { return b; } if (fa_is_nan_$T(b)) { return a; } return select(a, b, b > a);"),
        "clamp" => Some(
            "fn fa_clamp_$T(a: $T, low: $T, high: $T) -> $T {
  if (fa_is_nan_$T(low) || fa_is_nan_$T(high) || low > high) { $EXPLICIT; return a; }
  if (fa_is_nan_$T(a)) { return a; }
  return select(select(a, high, a > high), low, a < low);
}"
            .into(),
        ),
        // Whether `fma` rounds once is the device's choice, so this is done on the fractions, in a window of twice their bits.
        "mul_add" => Some(
            "fn fa_mul_add_$T(a: $T, b: $T, c: $T) -> $T {
  let sa = fa_size_$T(a); let sb = fa_size_$T(b); let sc = fa_size_$T(c);
  let sign = (fa_to_bits_$T(a) ^ fa_to_bits_$T(b)) & $SIGN; let other = fa_to_bits_$T(c) & $SIGN;
  if (sa > $INF || sb > $INF || sc > $INF) { return fa_nan_$T(); }
  if (sa == $INF || sb == $INF) {
    if (sa == 0$u || sb == 0$u || (sc == $INF && sign != other)) { return fa_nan_$T(); }
    return fa_from_bits_$T(sign | $INF);
  }
  if (sc == $INF) { return c; }
  if (sa == 0$u || sb == 0$u) {
    if (sc == 0$u && sign != other) { return 0.0$f; }
    return c;
  }
  let fa = fa_fraction_$T(sa); let fb = fa_fraction_$T(sb);
  var product = vec2<$U>(fa * fb, fa_high_$U(fa, fb));
  let up = fa_both_leading_$U(product) - 2u;
  product = fa_both_shl_$U(product, up);
  // The exponent of the window's third bit.
  var exponent = max(i32(sa >> $WIDTH), 1) + max(i32(sb >> $WIDTH), 1) - i32($BIAS) + 2 * i32($ABOVE) - 1 - i32(up);
  var negative = sign;
  if (sc != 0$u) {
    let fc = fa_fraction_$T(sc);
    let above = fa_leading_zeros_$U(fc) - 2u;
    var term = vec2<$U>(0$u, fc << above);
    let place = max(i32(sc >> $WIDTH), 1) + i32($ABOVE) - 2 - i32(above);
    if (exponent >= place) {
      term = fa_both_jam_$U(term, u32(exponent - place));
    } else {
      product = fa_both_jam_$U(product, u32(place - exponent));
      exponent = place;
    }
    if (sign == other) {
      product = fa_both_add_$U(product, term);
    } else if (product.y < term.y || (product.y == term.y && product.x < term.x)) {
      product = fa_both_sub_$U(term, product);
      negative = other;
    } else {
      product = fa_both_sub_$U(product, term);
    }
  }
  if (product.x == 0$u && product.y == 0$u) { return 0.0$f; }
  let over = fa_both_leading_$U(product);
  product = fa_both_shl_$U(product, over);
  exponent += 2 - i32(over);
  if (exponent > 2 * i32($BIAS)) { return fa_from_bits_$T(negative | $INF); }
  if (exponent < 1) { product = fa_both_jam_$U(product, u32(1 - exponent)); exponent = 1; }
  let half = 1$u << ($ABOVE - 1u);
  let rest = product.y & (half * 2$u - 1$u);
  var bits = product.y >> $ABOVE;
  let even = (bits & 1$u) == 0$u;
  bits += $U(exponent - 1) << $WIDTH;
  if (rest > half || (rest == half && (product.x != 0$u || !even))) { bits += 1$u; }
  return fa_from_bits_$T(negative | bits);
}"
            .into(),
        ),
        // The fraction of a size, with the bit that is not written.
        "fraction" => Some(
            "fn fa_fraction_$T(size: $U) -> $U {
  return (size & $FRACTION) | select(0$u, $HIDDEN, (size >> $WIDTH) != 0$u);
}"
            .into(),
        ),
        "to_degrees" => unary("$T", "return a * $DEGREES;"),
        "to_radians" => unary("$T", "return a * $RADIANS;"),
        "abs_sub" => binary("if (fa_is_nan_$T(a)) { return a; } if (fa_is_nan_$T(b)) { return b; } return select(0.0$f, a - b, a > b);"),
        // By the bits, so that a zero keeps its sign.
        "trunc" => unary(
            "$T",
            "let size = fa_size_$T(a); let exponent = u32(size >> $WIDTH);
  if (exponent < $BIAS) { return fa_from_bits_$T(fa_to_bits_$T(a) & $SIGN); }
  if (exponent >= $BIAS + $WIDTH) { return a; }
  return fa_from_bits_$T(fa_to_bits_$T(a) & ~($FRACTION >> (exponent - $BIAS)));",
        ),
        "floor" => unary(
            "$T",
            "let t = fa_trunc_$T(a);
  if (fa_is_whole_$T(a) || a >= t) { return t; }
  return t - 1.0$f;",
        ),
        "ceil" => unary(
            "$T",
            "let t = fa_trunc_$T(a);
  if (fa_is_whole_$T(a) || a <= t) { return t; }
  return t + 1.0$f;",
        ),
        "round" => unary(
            "$T",
            "let t = fa_trunc_$T(a);
  if (fa_is_whole_$T(a) || fa_abs_$T(a - t) < 0.5$f) { return t; }
  return t + fa_copysign_$T(1.0$f, a);",
        ),
        "round_ties_even" => unary(
            "$T",
            "let t = fa_trunc_$T(a); let off = fa_abs_$T(a - t);
  if (fa_is_whole_$T(a) || off < 0.5$f || (off == 0.5$f && fa_trunc_$T(t * 0.5$f) * 2.0$f == t)) { return t; }
  return t + fa_copysign_$T(1.0$f, a);",
        ),
        "is_normal" => unary("bool", "let size = fa_size_$T(a); return size < $INF && (size >> $WIDTH) != 0$u;"),
        "is_subnormal" => unary("bool", "let size = fa_size_$T(a); return size != 0$u && (size >> $WIDTH) == 0$u;"),
        "fract" => unary(
            "$T",
            "if (!fa_is_finite_$T(a)) { return fa_nan_$T(); }
  if (fa_is_whole_$T(a)) { return 0.0$f; }
  return a - fa_trunc_$T(a);",
        ),
        // Too large for a fraction, or no number at all.
        "is_whole" => unary("bool", "return u32(fa_size_$T(a) >> $WIDTH) >= $BIAS + $WIDTH;"),
        "rem_euclid" => binary("let r = fa_rem_$T(a, b); if (r < 0.0$f) { return r + fa_abs_$T(b); } return r;"),
        "div_euclid" => binary(
            "let q = fa_trunc_$T(fa_div_$T(a, b));
  if (fa_rem_$T(a, b) < 0.0$f) { return select(q + 1.0$f, q - 1.0$f, b > 0.0$f); }
  return q;",
        ),
        "powi" => Some(
            "fn fa_powi_$T(a: $T, n: i32) -> $T {
  var base = a; var acc = 1.0$f; var rest = select(u32(n), 0u - u32(n), n < 0);
  while (true) {
    if (fa_trip()) { break; }
    if ((rest & 1u) == 1u) { acc = acc * base; }
    rest = rest >> 1u;
    if (rest == 0u) { break; }
    base = base * base;
  }
  if (n < 0) { return fa_div_$T(1.0$f, acc); }
  return acc;
}"
            .into(),
        ),
        // A long division of the fractions, some bits at a time: exact, as Rust's.
        "rem" => Some(
            "fn fa_rem_$T(a: $T, b: $T) -> $T {
  let sa = fa_size_$T(a); let sb = fa_size_$T(b); let sign = fa_to_bits_$T(a) & $SIGN;
  if (sb == 0$u || sa >= $INF || sb > $INF) { return fa_nan_$T(); }
  if (sa < sb) { return a; }
  var ea = i32(sa >> $WIDTH); var fa = sa & $FRACTION;
  if (ea == 0) { let up = fa_leading_zeros_$U(fa) - $ABOVE; fa = fa << up; ea = 1 - i32(up); } else { fa = fa | $HIDDEN; }
  var eb = i32(sb >> $WIDTH); var fb = sb & $FRACTION;
  if (eb == 0) { let up = fa_leading_zeros_$U(fb) - $ABOVE; fb = fb << up; eb = 1 - i32(up); } else { fb = fb | $HIDDEN; }
  fa = fa % fb;
  var rest = ea - eb;
  while (rest > 0 && fa != 0$u) {
    if (fa_trip()) { break; }
    let step = min(rest, $ROOM);
    fa = (fa << u32(step)) % fb;
    rest -= step;
  }
  if (fa == 0$u) { return fa_from_bits_$T(sign); }
  let up = fa_leading_zeros_$U(fa) - $ABOVE;
  fa = fa << up;
  eb -= i32(up);
  if (eb > 0) { return fa_from_bits_$T(sign | (fa & $FRACTION) | ($U(eb) << $WIDTH)); }
  return fa_from_bits_$T(sign | (fa >> u32(1 - eb)));
}"
            .into(),
        ),
        _ => None,
    }
}

/// Integers of twice the bits, as two that hold the bits of a float, the lower first.
pub(super) fn window(op: &str, bits: &str) -> Option<String> {
    let of = [Float::of("f32")?, Float::of("f64")?].into_iter().find(|of| of.bits == bits)?;
    let text = match op {
        "both_add" => {
            "fn fa_both_add_$U(a: vec2<$U>, b: vec2<$U>) -> vec2<$U> {
  let low = a.x + b.x;
  return vec2<$U>(low, a.y + b.y + select(0$u, 1$u, low < a.x));
}"
        }
        "both_sub" => {
            "fn fa_both_sub_$U(a: vec2<$U>, b: vec2<$U>) -> vec2<$U> {
  return vec2<$U>(a.x - b.x, a.y - b.y - select(0$u, 1$u, a.x < b.x));
}"
        }
        "both_leading" => {
            "fn fa_both_leading_$U(a: vec2<$U>) -> u32 {
  if (a.y != 0$u) { return fa_leading_zeros_$U(a.y); }
  return $SIZE + fa_leading_zeros_$U(a.x);
}"
        }
        "both_shl" => {
            "fn fa_both_shl_$U(a: vec2<$U>, n: u32) -> vec2<$U> {
  if (n == 0u) { return a; }
  if (n >= $SIZE) { return vec2<$U>(0$u, a.x << (n - $SIZE)); }
  return vec2<$U>(a.x << n, (a.y << n) | (a.x >> ($SIZE - n)));
}"
        }
        // Whether the square is more.
        "square_above" => {
            "fn fa_square_above_$U(a: $U, b: vec2<$U>) -> bool {
  let high = fa_high_$U(a, a);
  return high > b.y || (high == b.y && a * a > b.x);
}"
        }
        // To the right; the last bit says whether any bit was lost.
        "both_jam" => {
            "fn fa_both_jam_$U(a: vec2<$U>, n: u32) -> vec2<$U> {
  if (n == 0u) { return a; }
  var r = vec2<$U>(0$u, 0$u);
  var lost = (a.x | a.y) != 0$u;
  if (n < $SIZE) {
    r = vec2<$U>((a.x >> n) | (a.y << ($SIZE - n)), a.y >> n);
    lost = (a.x << ($SIZE - n)) != 0$u;
  } else if (n == $SIZE) {
    r.x = a.y;
    lost = a.x != 0$u;
  } else if (n < 2u * $SIZE) {
    r.x = a.y >> (n - $SIZE);
    lost = a.x != 0$u || (a.y << (2u * $SIZE - n)) != 0$u;
  }
  r.x |= select(0$u, 1$u, lost);
  return r;
}"
        }
        _ => return None,
    };
    Some(of.fill(text))
}
