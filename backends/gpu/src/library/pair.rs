//! Integers of 64 bits as two words, the lower first.

/// A function on pairs.
pub(super) fn function(name: &str) -> Option<String> {
    let text = match name {
        "high_u32" => {
            "fn fa_high_u32(a: u32, b: u32) -> u32 {
  let al = a & 0xffffu; let ah = a >> 16u; let bl = b & 0xffffu; let bh = b >> 16u;
  let low = al * bl;
  let mid = ah * bl + (low >> 16u);
  let other = al * bh + (mid & 0xffffu);
  return ah * bh + (mid >> 16u) + (other >> 16u);
}"
        }
        "high_u64" => {
            "fn fa_high_u64(a: u64, b: u64) -> u64 {
  let al = a & 0xfffffffflu; let ah = a >> 32u; let bl = b & 0xfffffffflu; let bh = b >> 32u;
  let low = al * bl;
  let mid = ah * bl + (low >> 32u);
  let other = al * bh + (mid & 0xfffffffflu);
  return ah * bh + (mid >> 32u) + (other >> 32u);
}"
        }
        "pair_less" => {
            "fn fa_pair_less(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}"
        }
        "pair_add" => {
            "fn fa_pair_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}"
        }
        "pair_sub" => {
            "fn fa_pair_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}"
        }
        "pair_mul" => {
            "fn fa_pair_mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x * b.x, fa_high_u32(a.x, b.x) + a.x * b.y + a.y * b.x);
}"
        }
        "pair_shl" => {
            "fn fa_pair_shl(a: vec2<u32>, n: u32) -> vec2<u32> {
  if (n == 0u) { return a; }
  if (n >= 32u) { return vec2<u32>(0u, a.x << (n - 32u)); }
  return vec2<u32>(a.x << n, (a.y << n) | (a.x >> (32u - n)));
}"
        }
        "pair_shr" => {
            "fn fa_pair_shr(a: vec2<u32>, n: u32) -> vec2<u32> {
  if (n == 0u) { return a; }
  if (n >= 32u) { return vec2<u32>(a.y >> (n - 32u), 0u); }
  return vec2<u32>((a.x >> n) | (a.y << (32u - n)), a.y >> n);
}"
        }
        "pair_rotate" => {
            "fn fa_pair_rotate(a: vec2<u32>, n: u32) -> vec2<u32> {
  if (n == 0u) { return a; }
  return fa_pair_shl(a, n) | fa_pair_shr(a, 64u - n);
}"
        }
        "pair_swap" => {
            "fn fa_pair_swap(a: vec2<u32>) -> vec2<u32> { return vec2<u32>(fa_swap_bytes_u32(a.y), fa_swap_bytes_u32(a.x)); }"
        }
        "pair_reverse" => {
            "fn fa_pair_reverse(a: vec2<u32>) -> vec2<u32> { return vec2<u32>(reverseBits(a.y), reverseBits(a.x)); }"
        }
        "pair_ones" => "fn fa_pair_ones(a: vec2<u32>) -> u32 { return countOneBits(a.x) + countOneBits(a.y); }",
        "pair_leading" => {
            "fn fa_pair_leading(a: vec2<u32>) -> u32 {
  if (a.y != 0u) { return countLeadingZeros(a.y); }
  return 32u + countLeadingZeros(a.x);
}"
        }
        "pair_trailing" => {
            "fn fa_pair_trailing(a: vec2<u32>) -> u32 {
  if (a.x != 0u) { return countTrailingZeros(a.x); }
  return 32u + countTrailingZeros(a.y);
}"
        }
        _ => return None,
    };
    Some(text.to_owned())
}
