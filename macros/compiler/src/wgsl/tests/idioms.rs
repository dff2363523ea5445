//! Common spellings: literals without types, tuples, patterns, methods.

use super::*;

asking! {
    literals_of_arguments: "
        #[foreach]
        fn fibonacci(n: &[u32], out: &mut [u64]) {
            for i in 0..n.len() {
                let mut m = [1, 0, 0, 1];
                for _ in 0..n[i] {
                    m = multiplied(m, [1, 1, 1, 0]);
                }
                let (most, on) = limits((7, 0.5), -1);
                out[i] = if on { m[1] } else { most };
            }
        }";
}

texts! {
    arrays_of_tuples: "
        #[foreach]
        fn arrays_of_tuples(#[replicated] x: &[f32], width: i64, out: &mut [f32]) {
            for i in 0..out.len() {
                let mut best = [(f32::INFINITY, 0); 2];
                for (k, (dx, dy)) in [(-1i64, 0), (1, 0), (0, 1)].into_iter().enumerate() {
                    let v = x[(i as i64 + dy * width + dx) as usize];
                    if (v, k) < best[0] {
                        best[1] = best[0];
                        best[0] = (v, k);
                    }
                    best[k % 2].0 += 1.0;
                }
                out[i] = best[1].0 + best[i % 2].1 as f32;
            }
        }";
    patterns_of_slices: "
        #[foreach]
        fn patterns_of_slices(x: &[f32], n: usize, out: &mut [f32]) {
            for i in 0..out.len() {
                out[i] = match &x[i * n..(i + 1) * n] {
                    [] => -1.0,
                    [a, b] if a > b => a - b,
                    [first, rest @ .., last] => first * last + rest.len() as f32,
                    [one] => *one,
                };
            }
        }";
    several_cases: "
        #[foreach]
        fn several_cases(x: &[i32], y: &[i32], out: &mut [i32]) {
            for i in 0..x.len() {
                out[i] = match (x[i], y[i]) {
                    (0, v) | (v, 0) => v,
                    (a, ..=-1) => a,
                    _ => 9,
                };
                if let Some(d) = x[i].checked_sub(y[i])
                    && d > 3
                {
                    out[i] += d;
                }
            }
        }";
    changed_through_patterns: "
        #[foreach]
        fn changed_through_patterns(x: &mut [f32]) {
            for row in x.chunks_mut(4) {
                let [a, b, ..] = row else { continue };
                let kept = *a;
                *a = *b;
                *b = kept + 1.0;
            }
        }";
    best_of_pairs: "
        #[kary_reduce]
        fn best_of_pairs(x: &[f32], y: f32) -> (f32, usize) {
            let mut best = (f32::INFINITY, 0usize);
            for i in 0..x.len() {
                let d = (x[i] - y).abs();
                if d < best.0 {
                    best = (d, i);
                }
            }
            best
        }";
}

asking! {
    constants_of_tuples: "
        #[foreach]
        fn constants_of_tuples(x: &[f32], out: &mut [f32]) {
            for i in 0..x.len() {
                let mut sum = x[i];
                for (k, w) in STEPS {
                    sum += w * k as f32;
                }
                out[i] = sum + OFFSETS[i % 4].1;
            }
        }";
}

texts! {
    searched: "
        #[foreach]
        fn searched(x: &[i32], #[replicated] sorted: &[i32], out: &mut [usize]) {
            for i in 0..x.len() {
                out[i] = sorted.partition_point(|v| *v < x[i]);
                if let Ok(k) = sorted.binary_search(&x[i]) {
                    out[i] += k;
                }
            }
        }";
    sorted: "
        #[foreach]
        fn sorted(x: &[f32], out: &mut [f32]) {
            for i in 1..x.len() - 1 {
                let mut near = [x[i - 1], x[i], x[i + 1]];
                near.sort_by(|a, b| a.total_cmp(b));
                out[i] = near[1];
            }
        }";
    bytes_and_parts: "
        #[foreach]
        fn bytes_and_parts(x: &[u32], out: &mut [u32]) {
            for i in 0..x.len() {
                let mut hash = 2_166_136_261;
                for byte in x[i].to_le_bytes() {
                    hash = (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
                }
                let small = u8::try_from(x[i]).map_or(0, u32::from);
                out[i] = hash ^ u32::from_be_bytes([1, 2, 3, small as u8]) ^ x[i].checked_pow(3).unwrap_or(7);
            }
        }";
}

texts! {
    nested_generic_functions: "
        #[foreach]
        fn nested_generic_functions(x: &[f32], out: &mut [f32]) {
            const COUNT: usize = 2 * 2 - 1;
            fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T {
                if a > b { a } else { b }
            }
            for i in 0..x.len() {
                let all = [x[i]; COUNT];
                out[i] = larger(all[COUNT - 1], 0.5) + larger(i, 3) as f32;
            }
        }";
    labels_and_values: "
        #[foreach]
        fn labels_and_values(x: &[u32], n: usize, out: &mut [u32]) {
            for i in 0..out.len() {
                let mut v = x[i] | 1;
                let steps = 'outer: loop {
                    for k in 0..n {
                        if v % 7 == 3 {
                            continue 'outer;
                        }
                        if v % 5 == k as u32 {
                            break 'outer v;
                        }
                        v = v.wrapping_mul(5);
                    }
                    v /= 3;
                };
                out[i] = steps;
            }
        }";
}

asking! {
    lengths_that_are_constants: "
        #[foreach]
        fn lengths_that_are_constants<const K: usize>(x: &[f32], w: &[f32; K], out: &mut [f32]) {
            for i in 0..x.len() {
                let mut all = [0f32; K];
                for k in 0..K {
                    all[k] = x[i] * w[k];
                }
                out[i] = all.iter().sum();
            }
        }";
    orders_of_enums: "
        #[foreach]
        fn orders_of_enums(x: &[Level], least: Level, out: &mut [bool]) {
            for i in 0..x.len() {
                out[i] = x[i].max(Level::Low) < least || x[i] == Level::High;
            }
        }";
}
