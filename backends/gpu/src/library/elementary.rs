//! Elementary functions of `f32`.
//!
//! Devices may be off by much more than Rust is (a sine of Vulkan by 2^-11), and differ from each other. So these functions
//! compute as mathematical libraries do. Results are off by some units in the last place, on every device alike. The
//! polynomials are those of Cephes (sines, exponentials) and of FreeBSD's libm (logarithms, powers).

/// A function of the library, with `$EXPLICIT` and such left to the caller: a table, with an arm for each.
pub(super) fn function(op: &str) -> Option<String> {
    let unary = |body: &str| Some(format!("fn fa_{op}_f32(a: f32) -> f32 {{\n  {body}\n}}"));
    let binary = |body: &str| Some(format!("fn fa_{op}_f32(a: f32, b: f32) -> f32 {{\n  {body}\n}}"));
    match op {
        // a * 2^n, also where 2^n has no room; n is in -300..=300.
        "scaled" => Some(
            "fn fa_scaled_f32(a: f32, n: i32) -> f32 {
  let half = n / 2; let rest = n - half;
  return a * bitcast<f32>(u32(half + 127) << 23u) * bitcast<f32>(u32(rest + 127) << 23u);
}"
            .into(),
        ),
        // What is left of a without its lower bits: products of two such are exact.
        "upper" => unary("return bitcast<f32>(bitcast<u32>(a) & 0xfffff000u);"),
        // e^r - 1 for r up to half of ln(2).
        "exp_small" => unary(
            "let p = ((((1.9875691500e-4f * a + 1.3981999507e-3f) * a + 8.3334519073e-3f) * a + 4.1665795894e-2f) * a
    + 1.6666665459e-1f) * a + 5.0000001201e-1f;
  return p * a * a + a;",
        ),
        // How many ln(2) there are, and what is left.
        "exp_reduced" => Some(
            "fn fa_exp_reduced_f32(a: f32) -> vec2<f32> {
  let n = fa_floor_f32(1.44269504f * a + 0.5f);
  return vec2<f32>(n, (a - n * 0.693359375f) + n * 2.12194440e-4f);
}"
            .into(),
        ),
        "exp" => unary(
            "if (fa_is_nan_f32(a)) { return a; }
  if (a > 88.8f) { return fa_inf_f32(); }
  if (a < -104.0f) { return 0.0f; }
  let r = fa_exp_reduced_f32(a);
  return fa_scaled_f32(1.0f + fa_exp_small_f32(r.y), i32(r.x));",
        ),
        "exp_m1" => unary(
            "if (fa_is_nan_f32(a) || a == 0.0f) { return a; }
  if (a > 88.8f) { return fa_inf_f32(); }
  if (a < -18.0f) { return -1.0f; }
  let r = fa_exp_reduced_f32(a); let n = i32(r.x);
  if (n == 0) { return fa_exp_small_f32(a); }
  if (n > 24) { return fa_scaled_f32(1.0f + fa_exp_small_f32(r.y), n); }
  let one = bitcast<f32>(u32(n + 127) << 23u);
  return one * fa_exp_small_f32(r.y) + (one - 1.0f);",
        ),
        "exp2" => unary(
            "if (fa_is_nan_f32(a)) { return a; }
  if (a >= 128.0f) { return fa_inf_f32(); }
  if (a < -150.0f) { return 0.0f; }
  let n = fa_floor_f32(a + 0.5f); let r = a - n;
  let p = ((((1.535336188319500e-4f * r + 1.339887440266574e-3f) * r + 9.618437357674640e-3f) * r
    + 5.550332471162809e-2f) * r + 2.402264791363012e-1f) * r + 6.931472028550421e-1f;
  return fa_scaled_f32(1.0f + p * r, i32(n));",
        ),
        // The exponent, the fraction less one from -0.3 to 0.42, half of its square, and the rest of the series.
        "ln_parts" => Some(
            "fn fa_ln_parts_f32(a: f32) -> vec4<f32> {
  var bits = bitcast<u32>(a); var n = 0;
  if (bits < 0x00800000u) {
    let up = countLeadingZeros(bits) - 8u;
    bits = ((bits << up) & 0x7fffffu) | 0x00800000u;
    n = -i32(up);
  }
  bits += 0x3f800000u - 0x3f3504f3u;
  n += i32(bits >> 23u) - 127;
  let f = bitcast<f32>((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  let half = 0.5f * f * f;
  return vec4<f32>(f32(n), f, half, fa_ln_series_f32(f, half));
}"
            .into(),
        ),
        "ln_series" => Some(
            "fn fa_ln_series_f32(f: f32, half: f32) -> f32 {
  let s = f / (2.0f + f); let z = s * s; let w = z * z;
  let r = z * (0.66666662693f + w * 0.28498786688f) + w * (0.40000972152f + w * 0.24279078841f);
  return s * (half + r);
}"
            .into(),
        ),
        "ln" => unary(&format!(
            "{LOGARITHM}
  let v = fa_ln_parts_f32(a);
  return v.w + v.x * 9.0580006145e-06f - v.z + v.y + v.x * 6.9313812256e-01f;"
        )),
        "log2" => unary(&format!(
            "{LOGARITHM}
  let v = fa_ln_parts_f32(a);
  let high = fa_upper_f32(v.y - v.z); let low = v.y - high - v.z + v.w;
  return (low + high) * -1.7605285393e-04f + low * 1.4428710938e+00f + high * 1.4428710938e+00f + v.x;"
        )),
        "log10" => unary(&format!(
            "{LOGARITHM}
  let v = fa_ln_parts_f32(a);
  let high = fa_upper_f32(v.y - v.z); let low = v.y - high - v.z + v.w;
  return v.x * 7.9034151668e-07f + (low + high) * -3.1689971365e-05f + low * 4.3432617188e-01f
    + high * 4.3432617188e-01f + v.x * 3.0102920532e-01f;"
        )),
        "log" => binary("return fa_ln_f32(a) / fa_ln_f32(b);"),
        // Near to zero the sum with one would lose what matters.
        "ln_1p" => unary(
            "if (fa_is_nan_f32(a) || a == 0.0f || (fa_is_infinite_f32(a) && a > 0.0f)) { return a; }
  if (a < -0.29f || a > 0.41f) { return fa_ln_f32(1.0f + a); }
  let half = 0.5f * a * a;
  return a - (half - fa_ln_series_f32(a, half));",
        ),
        "sinh" => unary(
            "let x = fa_abs_f32(a);
  if (!fa_is_finite_f32(a)) { return a; }
  var r = 0.0f;
  if (x < 88.0f) {
    let t = fa_exp_m1_f32(x);
    r = select(0.5f * (t + t / (t + 1.0f)), 0.5f * (2.0f * t - t * t / (t + 1.0f)), x < 1.0f);
  } else {
    let e = fa_exp_f32(0.5f * x);
    r = (0.5f * e) * e;
  }
  return fa_copysign_f32(r, a);",
        ),
        "cosh" => unary(
            "let x = fa_abs_f32(a);
  if (!fa_is_finite_f32(x)) { return x; }
  if (x < 88.0f) { let e = fa_exp_f32(x); return 0.5f * (e + 1.0f / e); }
  let e = fa_exp_f32(0.5f * x);
  return (0.5f * e) * e;",
        ),
        "tanh" => unary(
            "if (fa_is_nan_f32(a)) { return a; }
  let x = fa_abs_f32(a); var r = 1.0f;
  if (x > 10.0f) {
    r = 1.0f;
  } else if (x > 0.5493061f) {
    r = 1.0f - 2.0f / (fa_exp_m1_f32(2.0f * x) + 2.0f);
  } else {
    let t = fa_exp_m1_f32(-2.0f * x);
    r = -t / (t + 2.0f);
  }
  return fa_copysign_f32(r, a);",
        ),
        // The quarter turn, and what is left of it, from -pi/4 to pi/4: by the bits of 2/pi that matter, so that no angle is too
        // large. The sign is the caller's.
        "quarter" => Some(
            "var<private> fa_bits_of_quarter: array<u32, 7> =
  array<u32, 7>(0x28be60dbu, 0x9391054au, 0x7f09d5f4u, 0x7d4d3770u, 0x36d8a566u, 0x4f10e410u, 0x7f9458eau);
struct fa_Quarter { turn: u32, rest: f32 }
fn fa_quarter_f32(size: f32) -> fa_Quarter {
  if (size <= 0.7853981f) { return fa_Quarter(0u, size); }
  let bits = bitcast<u32>(size);
  let fraction = (bits << 8u) | 0x80000000u;
  let place = (bits >> 23u) - 126u;
  let word = place >> 5u; let shift = place & 31u;
  var high = 0u;
  if (word > 0u) { high = fa_bits_of_quarter[word - 1u]; }
  var mid = fa_bits_of_quarter[word]; var low = fa_bits_of_quarter[word + 1u];
  if (shift > 0u) {
    high = (high << shift) | (mid >> (32u - shift));
    mid = (mid << shift) | (low >> (32u - shift));
    low = (low << shift) | (fa_bits_of_quarter[min(word + 2u, 6u)] >> (32u - shift));
  }
  var p = fa_pair_add(vec2<u32>(fraction * mid, fa_high_u32(fraction, mid)), vec2<u32>(fa_high_u32(fraction, low), 0u));
  p.y += fraction * high;
  var turn = p.y >> 30u;
  p.y = p.y & 0x3fffffffu;
  var below = false;
  if (p.y >= 0x20000000u) {
    p = fa_pair_sub(vec2<u32>(0u, 0x40000000u), p);
    turn += 1u;
    below = true;
  }
  let up = fa_pair_leading(p);
  if (up >= 64u) { return fa_Quarter(turn & 3u, 0.0f); }
  // The leading bits, by pi/2, of which the first word has 31 bits behind the point.
  let product = f32(fa_high_u32(fa_pair_shl(p, up).y, 0xc90fdaa2u));
  let rest = fa_scaled_f32(product, -i32(up) - 29);
  return fa_Quarter(turn & 3u, select(rest, -rest, below));
}"
            .into(),
        ),
        "sin_small" => unary(
            "let z = a * a; return ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * a + a;",
        ),
        "cos_small" => unary(
            "let z = a * a;
  return ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;",
        ),
        "sin" => unary(
            "if (!fa_is_finite_f32(a)) { return fa_nan_f32(); }
  let q = fa_quarter_f32(fa_abs_f32(a));
  var r = 0.0f;
  if ((q.turn & 1u) == 0u) { r = fa_sin_small_f32(q.rest); } else { r = fa_cos_small_f32(q.rest); }
  return select(r, -r, (q.turn >= 2u) != fa_is_sign_negative_f32(a));",
        ),
        "cos" => unary(
            "if (!fa_is_finite_f32(a)) { return fa_nan_f32(); }
  let q = fa_quarter_f32(fa_abs_f32(a));
  var r = 0.0f;
  if ((q.turn & 1u) == 0u) { r = fa_cos_small_f32(q.rest); } else { r = fa_sin_small_f32(q.rest); }
  return select(r, -r, q.turn == 1u || q.turn == 2u);",
        ),
        "tan" => unary(
            "if (!fa_is_finite_f32(a)) { return fa_nan_f32(); }
  let q = fa_quarter_f32(fa_abs_f32(a));
  let x = q.rest; let z = x * x;
  var r = (((((9.38540185543e-3f * z + 3.11992232697e-3f) * z + 2.44301354525e-2f) * z + 5.34112807005e-2f) * z
    + 1.33387994085e-1f) * z + 3.33331568548e-1f) * z * x + x;
  if ((q.turn & 1u) == 1u) { r = -1.0f / r; }
  return select(r, -r, fa_is_sign_negative_f32(a));",
        ),
        // For numbers up to one half, with their square, which may be known better.
        "asin_small" => Some(
            "fn fa_asin_small_f32(a: f32, z: f32) -> f32 {
  return ((((4.2163199048e-2f * z + 2.4181311049e-2f) * z + 4.5470025998e-2f) * z + 7.4953002686e-2f) * z
    + 1.6666752422e-1f) * z * a + a;
}"
            .into(),
        ),
        "asin" => unary(
            "let x = fa_abs_f32(a);
  if (fa_is_nan_f32(a) || x > 1.0f) { return fa_nan_f32(); }
  if (x <= 0.5f) { return fa_asin_small_f32(a, a * a); }
  let z = 0.5f * (1.0f - x);
  return fa_copysign_f32(1.5707963f - 2.0f * fa_asin_small_f32(sqrt(z), z), a);",
        ),
        "acos" => unary(
            "let x = fa_abs_f32(a);
  if (fa_is_nan_f32(a) || x > 1.0f) { return fa_nan_f32(); }
  if (x <= 0.5f) { return 1.5707963f - (fa_asin_small_f32(a, a * a) + 4.3711388e-8f); }
  let z = 0.5f * (1.0f - x);
  let r = 2.0f * fa_asin_small_f32(sqrt(z), z);
  return select(r, 3.1415927f - (r + 8.742278e-8f), a < 0.0f);",
        ),
        "atan" => unary(
            "if (fa_is_nan_f32(a)) { return a; }
  if (fa_is_infinite_f32(a)) { return fa_copysign_f32(1.5707963f, a); }
  var x = fa_abs_f32(a); var base = 0.0f; var low = 0.0f;
  if (x > 2.4142135f) {
    base = 1.5707963f; low = -4.3711388e-8f; x = -1.0f / x;
  } else if (x > 0.41421357f) {
    base = 0.7853982f; low = -2.1855694e-8f; x = (x - 1.0f) / (x + 1.0f);
  }
  let z = x * x;
  let p = (((8.05374449538e-2f * z - 1.38776856032e-1f) * z + 1.99777106478e-1f) * z - 3.33329491539e-1f) * z * x;
  return fa_copysign_f32(base + (low + p + x), a);",
        ),
        "atan2" => binary(
            "if (fa_is_nan_f32(a) || fa_is_nan_f32(b)) { return fa_nan_f32(); }
  let y = fa_abs_f32(a); let x = fa_abs_f32(b);
  var r = 0.0f;
  if (fa_is_infinite_f32(x)) {
    r = select(0.0f, 0.7853982f, fa_is_infinite_f32(y));
  } else if (fa_is_infinite_f32(y) || (x == 0.0f && y != 0.0f)) {
    r = 1.5707963f;
  } else if (y != 0.0f) {
    // A quotient without room is found by the exponents.
    let gap = i32(bitcast<u32>(y) >> 23u) - i32(bitcast<u32>(x) >> 23u);
    if (gap > 60) { r = 1.5707963f; } else if (gap < -60 && fa_is_sign_negative_f32(b)) { r = 0.0f; }
    else { r = fa_atan_f32(y / x); }
  }
  if (fa_is_sign_negative_f32(b)) { r = 3.1415927f - (r + 8.742278e-8f); }
  return fa_copysign_f32(r, a);",
        ),
        // Of powers of two that bring the larger one near to one.
        "hypot" => binary(
            "if (fa_is_infinite_f32(a) || fa_is_infinite_f32(b)) { return fa_inf_f32(); }
  if (fa_is_nan_f32(a) || fa_is_nan_f32(b)) { return fa_nan_f32(); }
  let x = fa_abs_f32(a); let y = fa_abs_f32(b); let most = max(x, y);
  if (most == 0.0f) { return 0.0f; }
  let n = i32(bitcast<u32>(most) >> 23u) - 127;
  let u = fa_scaled_f32(x, -n); let v = fa_scaled_f32(y, -n);
  return fa_scaled_f32(sqrt(u * u + v * v), n);",
        ),
        "cbrt" => unary(
            "if (a == 0.0f || !fa_is_finite_f32(a)) { return a; }
  var x = fa_abs_f32(a); var n = 0;
  if (x < 1.1754944e-38f) { x = x * 16777216.0f; n = -8; }
  if (x > 1.0e30f) { x = x * 5.9604645e-8f; n = 8; }
  var t = bitcast<f32>(bitcast<u32>(x) / 3u + 709958130u);
  var r = t * t * t; t = t * ((x + x + r) / (x + r + r));
  r = t * t * t; t = t * ((x + x + r) / (x + r + r));
  r = t * t * t; t = t + t * ((x - r) / (x + r + r));
  return fa_copysign_f32(fa_scaled_f32(t, n), a);",
        ),
        "powf" => Some(POWER.into()),
        _ => None,
    }
}

/// The logarithm of a NaN is NaN.
const LOGARITHM: &str = "if (fa_is_nan_f32(a) || (a < 0.0f)) { return fa_nan_f32(); }
  if (a == 0.0f) { return fa_neg_inf_f32(); }
  if (fa_is_infinite_f32(a)) { return a; }";

/// FreeBSD's: the logarithm has more bits than a float, in two of them.
const POWER: &str = "fn fa_powf_f32(a: f32, b: f32) -> f32 {
  let ia = fa_size_f32(a); let ib = fa_size_f32(b);
  if (ib == 0u || bitcast<u32>(a) == 0x3f800000u) { return 1.0f; }
  if (ia > 0x7f800000u || ib > 0x7f800000u) { return fa_nan_f32(); }
  let below = fa_is_sign_negative_f32(a); let down = fa_is_sign_negative_f32(b);
  // Whether b is no whole number (0), an odd (1) or an even one (2).
  var whole = 0u;
  if (ib >= 0x4b800000u) {
    whole = 2u;
  } else if (ib >= 0x3f800000u) {
    let gap = 150u - (ib >> 23u); let m = (ib & 0x7fffffu) | 0x800000u;
    if (((m >> gap) << gap) == m) { whole = 2u - ((m >> gap) & 1u); }
  }
  let sign = select(1.0f, -1.0f, below && whole == 1u);
  if (ib == 0x7f800000u) {
    if (ia == 0x3f800000u) { return 1.0f; }
    if ((ia > 0x3f800000u) == down) { return 0.0f; }
    return fa_inf_f32();
  }
  if (ia == 0u || ia == 0x7f800000u) {
    if ((ia == 0u) == down) { return sign * fa_inf_f32(); }
    return sign * 0.0f;
  }
  if (below && whole == 0u) { return fa_nan_f32(); }
  if (ia == 0x3f800000u) { return sign; }
  var n = 0; var ix = ia;
  if (ix < 0x00800000u) { let up = countLeadingZeros(ix) - 8u; ix = (ix << up); n = 1 - i32(up); } else { n = i32(ix >> 23u); }
  n -= 127;
  let m = ix & 0x7fffffu;
  ix = m | 0x3f800000u;
  var near = 1.0f; var log_high = 0.0f; var log_low = 0.0f; var k = 0u;
  if (m > 0x1cc471u && m < 0x5db3d7u) {
    k = 1u; near = 1.5f; log_high = 5.84960938e-01f; log_low = 1.56322085e-06f;
  } else if (m >= 0x5db3d7u) {
    n += 1; ix -= 0x00800000u;
  }
  let x = bitcast<f32>(ix);
  var u = x - near; var v = 1.0f / (x + near);
  let s = u * v; let s_high = fa_upper_f32(s);
  var t_high = bitcast<f32>((((ix >> 1u) & 0xfffff000u) | 0x20000000u) + 0x00400000u + (k << 21u));
  var t_low = x - (t_high - near);
  let s_low = v * ((u - s_high * t_high) - s_high * t_low);
  var s2 = s * s;
  var r = s2 * s2 * (6.0000002384e-01f + s2 * (4.2857143283e-01f + s2 * (3.3333334327e-01f + s2 * (2.7272811532e-01f
    + s2 * (2.3066075146e-01f + s2 * 2.0697501302e-01f)))));
  r += s_low * (s_high + s);
  s2 = s_high * s_high;
  t_high = fa_upper_f32(3.0f + s2 + r);
  t_low = r - ((t_high - 3.0f) - s2);
  u = s_high * t_high; v = s_low * t_high + t_low * s;
  var p_high = fa_upper_f32(u + v); var p_low = v - (p_high - u);
  let z_high = 9.6191406250e-01f * p_high;
  let z_low = -1.1736857402e-04f * p_high + p_low * 9.6179670095e-01f + log_low;
  let whole_log = f32(n);
  let t1 = fa_upper_f32(((z_high + z_low) + log_high) + whole_log);
  let t2 = z_low - (((t1 - whole_log) - log_high) - z_high);
  let b_high = fa_upper_f32(b);
  p_low = (b - b_high) * t1 + b * t2;
  p_high = b_high * t1;
  var z = p_low + p_high;
  if (z > 128.0f || (z == 128.0f && p_low + 4.2995665694e-08f > z - p_high)) { return sign * fa_inf_f32(); }
  if (z < -150.0f || (z == -150.0f && p_low <= z - p_high)) { return sign * 0.0f; }
  let turns = fa_round_f32(z);
  p_high -= turns;
  let t = bitcast<f32>(bitcast<u32>(p_low + p_high) & 0xffff8000u);
  u = t * 6.93145752e-01f;
  v = (p_low - (t - p_high)) * 6.9314718246e-01f + t * 1.42860654e-06f;
  z = u + v;
  let w = v - (z - u);
  let q = z * z;
  let e = z - q * (1.6666667163e-01f + q * (-2.7777778450e-03f + q * (6.6137559770e-05f + q * (-1.6533901999e-06f
    + q * 4.1381369442e-08f))));
  r = (z * e) / (e - 2.0f) - (w + z * w);
  return sign * fa_scaled_f32(1.0f - (r - z), i32(turns));
}";
