//! Loops and their translations, which a compiler of WGSL must accept.

use super::contract::{Table, Translation, Type};
use super::infer::types::Types;
use super::translate;
use super::tree::{Obstacle, Ty};
use crate::testing::{functions_in, plans};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The translations of all loops of a function.
fn translations(item: &syn::ImplItemFn) -> Vec<Result<Translation, Vec<Obstacle>>> {
    let Ok((function, loops)) = plans(item.clone()) else { return Vec::new() };
    loops.iter().map(|found| translate(&function, found)).collect()
}

/// The translation of a function with one loop.
fn wgsl(text: &str) -> String {
    let all = translations(&syn::parse_str(text).unwrap());
    let [one] = &all[..] else { panic!("{} loops: {text}", all.len()) };
    match one {
        Ok(translation) => {
            accepted(translation).unwrap();
            translation.source.clone()
        }
        Err(obstacles) => panic!("{:?}", obstacles.iter().map(|o| &o.what).collect::<Vec<_>>()),
    }
}

/// The obstacle in a function with one loop.
fn obstacles(text: &str) -> Vec<String> {
    let all = translations(&syn::parse_str(text).unwrap());
    let [one] = &all[..] else { panic!("{} loops: {text}", all.len()) };
    match one {
        Ok(translation) => panic!("{}", translation.source),
        Err(obstacles) => obstacles.iter().map(|o| o.what.clone()).collect(),
    }
}

/// Whether naga takes the text, after declarations of what a device defines.
fn accepted(translation: &Translation) -> Result<(), String> {
    accepted_text(&format!("{}\n{}", declarations(translation), without_arrays(&translation.source)))
}

/// A text whose calls do not name the arrays whose parts they pass: a device gets one function for each.
fn without_arrays(source: &str) -> String {
    let mut pieces = source.split("fa_call_");
    let mut text = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (number, rest) = piece.split_at(piece.find(|c: char| !c.is_ascii_digit()).unwrap());
        let rest = rest.strip_prefix('<').map_or(rest, |rest| rest.split_once('>').unwrap().1);
        text.push_str(&format!("fa_call_{number}{rest}"));
    }
    text
}

fn accepted_text(text: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| format!("{}\n{text}", e.emit_to_string(text)))?;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let capabilities = Capabilities::FLOAT64 | Capabilities::SHADER_INT64;
    Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|e| format!("{}\n{text}", e.emit_to_string(text)))?;
    Ok(())
}

/// Functions with the signatures of those that a device defines, which do nothing.
fn declarations(translation: &Translation) -> String {
    let mut text =
        String::from("const fa_proved = false;\nfn fa_raise(cause: u32) {}\nfn fa_trip() -> bool { return false; }\n");
    let mut structs = String::new();
    let mut function = |name: &str, parameters: &[&str], result: &str| {
        let parameters: Vec<String> = parameters.iter().enumerate().map(|(k, ty)| format!("p{k}: {ty}")).collect();
        text.push_str(&match result {
            "" => format!("fn {name}({}) {{}}\n", parameters.join(", ")),
            ty => format!("fn {name}({}) -> {ty} {{ var x: {ty}; return x; }}\n", parameters.join(", ")),
        });
    };
    for (k, ty) in translation.arrays.iter().enumerate() {
        function(&format!("fa_load_{k}"), &["u32"], &ty.wgsl());
        function(&format!("fa_store_{k}"), &["u32", &ty.wgsl()], "");
        function(&format!("fa_len_{k}"), &[], "u32");
    }
    for (k, (_, ty)) in translation.values.iter().enumerate() {
        function(&format!("fa_value_{k}"), &[], &ty.wgsl());
    }
    for (k, Table { ty, .. }) in translation.tables.iter().enumerate() {
        function(&format!("fa_table_{k}"), &["u32"], &ty.wgsl());
        function(&format!("fa_table_len_{k}"), &[], "u32");
    }
    for (k, call) in translation.calls.iter().enumerate() {
        let signature: syn::TypeFnPtr = syn::parse_str(&call.signature).unwrap();
        let mut types = Types::default();
        let mut parts = |ty: &syn::Type| {
            match types.written(ty, &|_| None) {
                // A part of an array.
                Ty::Slice(_) => vec!["u32".to_owned(); 2],
                ty => types.parts(&ty).unwrap().iter().map(|ty| ty.wgsl()).collect::<Vec<_>>(),
            }
        };
        let parameters: Vec<String> = signature.inputs.iter().flat_map(|input| parts(&input.ty)).collect();
        let syn::ReturnType::Type(_, result) = &signature.output else { panic!("{}", call.signature) };
        let mut results = parts(result);
        for input in &signature.inputs {
            if matches!(&input.ty, syn::Type::Reference(reference) if reference.mutability.is_some()) {
                results.extend(parts(&input.ty));
            }
        }
        let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let result = match &results[..] {
            [] => String::new(),
            [one] => one.clone(),
            several => {
                let fields = several.iter().enumerate().map(|(f, ty)| format!("f{f}: {ty}")).collect::<Vec<_>>();
                structs.push_str(&format!("struct fa_given_{k} {{ {} }}\n", fields.join(", ")));
                format!("fa_given_{k}")
            }
        };
        function(&format!("fa_call_{k}"), &parameters, &result);
    }
    for (k, ty) in translation.pushes.iter().enumerate() {
        function(&format!("fa_push_{k}"), &[&ty.wgsl()], "");
    }
    for (k, bins) in translation.bins.iter().enumerate() {
        function(&format!("fa_bin_{k}"), &["u32", &bins.each.element.wgsl()], "");
        function(&format!("fa_bins_len_{k}"), &[], "u32");
    }
    let names: BTreeSet<&str> = translation
        .source
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("fa_"))
        .collect();
    const OWN: [&str; 13] =
        ["call", "load", "store", "len", "value", "table", "push", "raise", "trip", "at", "steps", "bin", "bins"];
    for name in names {
        let parts: Vec<&str> = name[3..].split('_').collect();
        if OWN.contains(&parts[0])
            || parts[0] == "distance"
            || parts[0] == "total" && parts[1..].iter().all(|part| part.parse::<usize>().is_ok())
            || matches!(&name[3..], "identity" | "merge" | "advance" | "iteration" | "total")
        {
            continue;
        }
        let ty = |name: &str| Type::named(name).map(|ty| ty.wgsl());
        const PAIR: &str = "vec2<u32>";
        match parts[..] {
            ["pair", _] => function(name, &[PAIR, PAIR], PAIR),
            ["narrow", of] => function(name, &[PAIR], &ty(of).unwrap()),
            ["widen", of] => function(name, &[&*ty(of).unwrap()], PAIR),
            ["wraps", _, "usize" | "isize"] => function(name, &[PAIR, PAIR], "i32"),
            ["wraps", _, of] => function(name, &[&*ty(of).unwrap(), &*ty(of).unwrap()], "i32"),
            _ => {}
        }
        if matches!(parts[0], "pair" | "narrow" | "widen" | "wraps") {
            continue;
        }
        if let ["cast", from, to] = parts[..] {
            function(name, &[&*ty(from).unwrap()], &ty(to).unwrap());
            continue;
        }
        let Some((operation, last)) = name[3..].rsplit_once('_') else { continue };
        let Some(of) = Type::named(last) else { continue };
        let held = of.wgsl();
        let unsigned = match &*held {
            "i64" => "u64",
            "i32" => "u32",
            other => other,
        };
        let (more, result): (&[&str], &str) = match operation {
            "add" | "sub" | "mul" | "div" | "rem" | "wrapping_add" | "wrapping_sub" | "wrapping_mul"
            | "saturating_add" | "saturating_sub" | "saturating_mul" | "min" | "max" | "div_euclid" | "rem_euclid"
            | "copysign" | "powf" | "log" | "atan2" | "hypot" | "abs_sub" | "div_ceil" | "next_multiple_of"
            | "quotient" | "remainder" | "index_add" | "index_sub" | "index_mul" => (&[&held], &held),
            "cmp" | "total_cmp" => (&[&held], "i32"),
            "comparable" | "overflows_add" | "overflows_sub" | "overflows_mul" | "overflows_div" => (&[&held], "bool"),
            "overflows_neg" => (&[], "bool"),
            "shl" | "shr" | "pow" | "wrapping_shl" | "wrapping_shr" | "rotate_left" | "rotate_right"
            | "wrapping_pow" | "saturating_pow" => (&["u32"], &held),
            "overflows_pow" => (&["u32"], "bool"),
            "clamp" | "mul_add" => (&[&held, &held], &held),
            "powi" => (&["i32"], &held),
            "is_nan" | "is_finite" | "is_infinite" | "is_sign_negative" | "is_sign_positive" | "is_power_of_two" => {
                (&[], "bool")
            }
            "count_ones" | "count_zeros" | "leading_zeros" | "trailing_zeros" | "ilog2" => (&[], "u32"),
            "abs_diff" => (&[&held], unsigned),
            "unsigned_abs" => (&[], unsigned),
            "to_bits" => (&[], if last == "f64" { "u64" } else { "u32" }),
            "from_bits" => {
                function(name, &[if last == "f64" { "u64" } else { "u32" }], &held);
                continue;
            }
            _ => (&[], &held),
        };
        let mut all = vec![&*held];
        all.extend(more);
        function(name, &all, result);
    }
    structs + &text
}

/// Loops as people write them, and the text that devices get.
macro_rules! texts {
    ($($name:ident: $loop:literal;)*) => {$(
        #[test]
        fn $name() {
            let written: String = $loop.lines().map(|line| line.strip_prefix("        ").unwrap_or(line).to_owned() + "\n").collect();
            insta::with_settings!({ description => written, omit_expression => true }, {
                insta::assert_snapshot!(wgsl($loop));
            });
        }
    )*};
}

mod slices;
mod tasks;

/// Every loop of the corpus is translated into what a compiler of WGSL accepts, or there is a reason. `SHOW=name` shows one.
#[test]
fn the_corpus_is_translated_or_refused() {
    let (mut loops, mut translated, mut asking, mut wrong) = (0, 0, 0, Vec::new());
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut alone: BTreeMap<String, usize> = BTreeMap::new();
    let show = std::env::var("SHOW").ok();
    for (name, item) in functions_in("tests/corpus") {
        for translation in translations(&item) {
            loops += 1;
            let shown = show.as_ref().is_some_and(|show| name.contains(show));
            match translation {
                Ok(translation) => {
                    translated += 1;
                    if shown {
                        println!("==== {name}\n{}", translation.source);
                    }
                    // What asks for types is seen by a compiler of WGSL once they are known: the tests of the gpu node run it.
                    if !translation.queries.is_empty() {
                        asking += 1;
                        assert_eq!(translation.source.matches('$').count() % 2, 0, "{name}");
                    } else if let Err(error) = accepted(&translation) {
                        wrong.push(format!("{name}: {error}"));
                    }
                }
                Err(obstacles) => {
                    assert!(!obstacles.is_empty(), "{name} has no reason");
                    let blank = |what: &str| what.split('`').step_by(2).collect::<Vec<_>>().join("_");
                    if let [one] = &obstacles[..] {
                        *alone.entry(blank(&one.what)).or_default() += 1;
                    }
                    for obstacle in obstacles {
                        if shown {
                            println!("{name}: {}", obstacle.what);
                        }
                        reasons.entry(blank(&obstacle.what)).or_default().push(format!("{name}: {}", obstacle.what));
                    }
                }
            }
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, all)| std::cmp::Reverse(all.len()));
    for (reason, all) in &reasons {
        let shown = if show.as_deref() == Some("all") { all.join("\n        ") } else { all[0].clone() };
        println!("{:4} ({:3} alone) {reason}\n        {shown}", all.len(), alone.get(reason).unwrap_or(&0));
    }
    println!("{translated} of {loops} loops are translated, {asking} of them ask for types");
    assert!(wrong.is_empty(), "{} are not accepted, the first is\n{}", wrong.len(), wrong.join("\n=====\n"));
    assert!(translated > 300, "only {translated} of {loops} loops are translated");
}

/// Loops that ask for types: what they ask, and the text.
macro_rules! asking {
    ($($name:ident: $loop:literal;)*) => {$(
        #[test]
        fn $name() {
            let written: String = $loop.lines().map(|line| line.strip_prefix("        ").unwrap_or(line).to_owned() + "\n").collect();
            let item: syn::ImplItemFn = syn::parse_str($loop).unwrap();
            let [Ok(translation)] = &translations(&item)[..] else { panic!("it is not translated") };
            let queries = translation.queries.iter().enumerate().map(|(number, query)| format!("// {number}: {}\n", crate::wgsl::contract::shown(query)));
            insta::with_settings!({ description => written, omit_expression => true }, {
                insta::assert_snapshot!(queries.collect::<String>() + &translation.source);
            });
        }
    )*};
}

mod idioms;

asking! {
    fields_of_structs: "
        #[foreach]
        fn moved(ps: &mut [Particle], dt: f32) {
            for i in 0..ps.len() {
                if ps[i].mass > 0.0 {
                    ps[i].pos[0] += dt * ps[i].vel[0];
                    ps[i] = Particle { kind: LIGHT, ..ps[i] };
                }
            }
        }";
    methods_of_structs: "
        #[kary_reduce(combine = Map::then)]
        fn all(maps: &[Map], weights: &[f32]) -> Map {
            let mut all = Map::IDENTITY;
            for i in 0..maps.len() {
                all = Map::then(all, maps[i].scaled(2.0 * weights[i]));
            }
            all
        }";
}

texts! {
    histogram: "
        #[kary_reduce]
        fn histogram(x: &[f32], counts: &mut [u32], most: &mut [[f32; 2]; 8]) {
            for i in 0..x.len() {
                let k = (x[i] * counts.len() as f32) as usize;
                counts[k] += 1;
                most[k % 8][i % 2] = most[k % 8][i % 2].max(x[i]);
            }
        }";
    recurrence: "
        #[distributed_scan]
        fn recurrence(a: &[f32], x: &mut [f32]) {
            for i in 1..x.len() {
                x[i] = a[i] * x[i - 1] + x[i];
            }
        }";
    sums_of_sums: "
        #[distributed_scan]
        fn sums_of_sums(x: &[u32], out: &mut [u32]) {
            let (mut sum, mut of_sums) = (0, 0);
            for i in 0..x.len() {
                sum += x[i];
                of_sums += sum;
                out[i] = of_sums;
            }
        }";
    buffer: "
        #[foreach]
        fn buffer(x: &[f32], out: &mut [f32]) {
            let mut row = [0.0; 4];
            for i in 0..out.len() {
                for k in 0..4 {
                    row[k] = x[i] * k as f32;
                }
                out[i] = row[3] - row[1];
            }
        }";
    counted_sums: "
        #[kary_reduce]
        fn counted_sums(x: &[i32]) -> (i32, usize) {
            let (mut sum, mut places) = (0, 0);
            for i in 0..x.len() {
                sum += x[i];
                if x[i] > 0 {
                    places += i;
                }
            }
            (sum, places)
        }";
    saxpy: "
        #[foreach]
        fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
            for i in 0..x.len() {
                y[i] = a * x[i] + y[i];
            }
        }";
    saxpy_by_iterators: "
        #[foreach]
        fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
            for (y, x) in y.iter_mut().zip(x) {
                *y += a * x;
            }
        }";
    stencil: "
        #[foreach]
        fn stencil(old: &[f64], new: &mut [f64], nx: usize) {
            let ny = old.len() / nx;
            for y in 1..ny - 1 {
                for x in 1..nx - 1 {
                    let c = y * nx + x;
                    new[c] = 0.25 * (old[c - 1] + old[c + 1] + old[c - nx] + old[c + nx]);
                }
            }
        }";
    dot: "
        #[kary_reduce]
        fn dot(x: &[f32], y: &[f32]) -> f32 {
            let mut sum = 0.0;
            for i in 0..x.len() {
                sum += x[i] * y[i];
            }
            sum
        }";
    running_total: "
        #[distributed_scan]
        fn running_total(x: &[u64], out: &mut [u64]) {
            let mut sum = 0;
            for i in 0..x.len() {
                sum += x[i];
                out[i] = sum;
            }
        }";
    segmented_total: "
        #[distributed_scan]
        fn segmented_total(x: &[i32], first: &[bool], out: &mut [i32]) {
            let mut sum = 0;
            for i in 0..x.len() {
                if first[i] {
                    sum = 0;
                }
                sum += x[i];
                out[i] = sum;
            }
        }";
    smoothed: "
        #[distributed_scan]
        fn smoothed(x: &[f32], out: &mut [f32], a: f32) {
            let mut y = 0.0;
            for i in 0..x.len() {
                y = a * y + x[i];
                out[i] = y;
            }
        }";
    place_of_the_largest: "
        #[kary_reduce]
        fn place_of_the_largest(x: &[f32]) -> (f32, usize) {
            let (mut best, mut at) = (f32::NEG_INFINITY, 0);
            for (i, &v) in x.iter().enumerate() {
                if v > best {
                    best = v;
                    at = i;
                }
            }
            (best, at)
        }";
    extent: "
        #[kary_reduce]
        fn extent(x: &[i64]) -> (i64, i64) {
            let mut least = i64::MAX;
            let mut most = i64::MIN;
            for &v in x {
                least = least.min(v);
                if v > most {
                    most = v;
                }
            }
            (least, most)
        }";
    kept: "
        #[foreach_tls]
        fn kept(x: &[f32], limit: f32, out: &mut Vec<u32>) {
            for i in 0..x.len() {
                if x[i].abs() < limit {
                    continue;
                }
                out.push(i as u32);
            }
        }";
    mandelbrot: "
        #[foreach]
        fn mandelbrot(image: &mut [u32], width: usize, height: usize, limit: u32) {
            for row in 0..height {
                for col in 0..width {
                    let c = (3.0 * col as f32 / width as f32 - 2.0, 2.0 * row as f32 / height as f32 - 1.0);
                    let (mut x, mut y) = (0.0, 0.0);
                    let mut steps = 0;
                    while x * x + y * y <= 4.0 && steps < limit {
                        (x, y) = (x * x - y * y + c.0, 2.0 * x * y + c.1);
                        steps += 1;
                    }
                    image[row * width + col] = steps;
                }
            }
        }";
    forces: "
        #[foreach]
        fn forces(#[replicated] place: &[[f32; 3]], force: &mut [[f32; 3]], soft: f32) {
            for i in 0..force.len() {
                let mut sum = [0.0; 3];
                for other in place {
                    let mut d = [0.0; 3];
                    let mut square = soft * soft;
                    for k in 0..3 {
                        d[k] = other[k] - place[i][k];
                        square += d[k] * d[k];
                    }
                    let scale = 1.0 / (square * square.sqrt());
                    for k in 0..3 {
                        sum[k] += scale * d[k];
                    }
                }
                force[i] = sum;
                force[i][2] -= 9.81;
            }
        }";
    rows_times_columns: "
        #[foreach]
        fn multiply(a: &[f64], #[replicated] b: &[f64], c: &mut [f64], n: usize) {
            for i in 0..n {
                for j in 0..n {
                    let row = &a[i * n..(i + 1) * n];
                    let mut sum = 0.0;
                    for (k, v) in row.iter().enumerate() {
                        sum += v * b[k * n + j];
                    }
                    c[i * n + j] = sum;
                }
            }
        }";
    quotients: "
        #[foreach]
        fn quotients(x: &[f32], y: &mut [f64]) {
            for i in 0..x.len() {
                y[i] = f64::from(x[i] / 4.0 + 1.0 / x[i]) / 3.0;
                y[i] /= 0.5;
            }
        }";
    named_ranges: "
        #[foreach]
        fn rows(#[replicated] row: &[usize], #[replicated] val: &[f32], #[replicated] col: &[usize], out: &mut [f32]) {
            for i in 0..out.len() {
                let r = row[i]..row[i + 1];
                let (left, right) = val[r.clone()].split_at(1);
                out[i] = left[0] + right.len() as f32;
                for (v, c) in val[r.clone()].iter().zip(&col[r]) {
                    out[i] += v * *c as f32;
                }
            }
        }";
    nearest_of_some: "
        #[foreach]
        fn nearest(x: &[f32], #[replicated] sites: &[f32], out: &mut [u32]) {
            for i in 0..x.len() {
                let mut best = None;
                for (k, site) in sites.iter().enumerate() {
                    let d = (site - x[i]).abs();
                    if best.is_none_or(|(least, _)| d < least) {
                        best = Some((d, k));
                    }
                }
                let Some((_, k)) = best else { continue };
                out[i] = k as u32;
            }
        }";
    chosen_by_match: "
        #[foreach]
        fn chosen(kind: &[u8], x: &[i32], out: &mut [i32]) {
            for i in 0..x.len() {
                out[i] = match kind[i] {
                    0 => x[i],
                    1 | 2 => -x[i],
                    k @ 3..=9 if x[i] > 0 => x[i] << k,
                    10.. => x[i].pow(2),
                    _ => unreachable!(),
                };
            }
        }";
    labels: "
        #[foreach]
        fn primes(out: &mut [bool]) {
            'numbers: for n in 0..out.len() {
                out[n] = false;
                let found = 'search: {
                    for d in (2..n).rev() {
                        if n % d == 0 {
                            continue 'numbers;
                        }
                        for e in (2..=d).step_by(3) {
                            if e * d > 1000 {
                                break 'search false;
                            }
                        }
                    }
                    n > 1
                };
                out[n] = found;
            }
        }";
    shadows: "
        #[foreach]
        fn shadows(x: &[f32], out: &mut [f32]) {
            let scale = 2.0;
            let twice = |v: f32| v * scale;
            fn clipped(v: f32, most: f32) -> f32 {
                if v > most {
                    return most;
                }
                v
            }
            for (o, x) in out.iter_mut().zip(x) {
                let x = twice(*x);
                let x = { let x = x + 1.0; x * x };
                *o = clipped(x, scale);
            }
        }";
    threshold: "
        #[foreach]
        fn threshold(image: &mut [u8], limit: u8) {
            for pixel in image {
                *pixel = if *pixel > limit { 255 } else { pixel.saturating_sub(limit / 2) };
            }
        }";
    laplace: "
        #[foreach]
        fn laplace(a: &Array2<f32>, out: &mut Array2<f32>) {
            let (ny, nx) = a.dim();
            for y in 1..ny - 1 {
                for x in 1..nx - 1 {
                    out[[y, x]] = a[[y - 1, x]] + a[[y + 1, x]] + a[[y, x - 1]] + a[[y, x + 1]] - 4.0 * a[[y, x]];
                }
            }
        }";
    rows_of_an_array: "
        #[foreach]
        fn norms(a: &Array2<f64>, out: &mut [f64]) {
            for (row, o) in a.outer_iter().zip(out) {
                let mut sum = 0.0;
                for k in 0..row.len() {
                    sum += row[k] * row[k];
                }
                *o = sum.sqrt() + row.iter().copied().fold(f64::MIN, f64::max);
            }
        }";
    sums_of_chunks: "
        #[foreach]
        fn sums(x: &[i32], out: &mut [i32]) {
            for (o, c) in out.iter_mut().zip(x.chunks_exact(4)) {
                *o = c.iter().map(|v| v * v).sum::<i32>() + c[c.len() - 1];
            }
        }";
}

#[test]
fn what_is_in_the_way_is_said() {
    let reasons = [
        (
            "#[foreach] fn f(x: &mut [f32]) { for i in 0..x.len() { x[i] = Rc::new(x[i]).abs(); } }",
            "calls `Rc::new`, which is not seen here",
        ),
        (
            "#[foreach] fn f(x: &mut [f32]) { for i in 0..x.len() { let e = [x[i]; 2].to_vec(); x[i] = e[0]; } }",
            "`.to_vec()` gives what a device does not have",
        ),
        (
            "#[foreach] fn f(x: &mut [f32], most: Option<f32>) { for i in 0..x.len() { x[i] = most.unwrap_or(x[i]); } }",
            "`most` is of the type `Option<f32>`",
        ),
        (
            "#[foreach] fn f(x: &mut [u32]) { for row in x.chunks_mut(8) { row.sort_unstable_by_key(|v| v % 3); } }",
            "puts elements that compare as equal in any order",
        ),
        (
            "#[foreach] fn f(#[replicated] x: &[u32], y: &mut [u32]) {
                for i in 0..y.len() { let mut all = x.iter(); y[i] = *all.next().unwrap(); }
            }",
            "an iterator has a name or steps by itself",
        ),
        (
            "#[foreach] fn f(x: &mut [f32]) {
                for i in 0..x.len() { let mut r = 0..3; let _ = r.next(); x[i] = r.len() as f32; }
            }",
            "a range that is stepped through by itself",
        ),
        (
            "#[foreach] fn f(x: &[Vector], y: &mut [Vector]) { for i in 0..x.len() { y[i] = Default::default(); } }",
            "the default of a type that is not known here",
        ),
        (
            "#[kary_reduce] fn f(x: &[Particle]) -> Particle { let mut all = x[0]; for p in x { all.mass += p.mass; } all }",
            "the type of the sum `all.mass` is not known here",
        ),
        (
            "#[foreach] fn f(x: &mut [f64]) { for i in 0..x.len() { x[i] = x[i].sin(); } }",
            "`f64::sin` is not computed on devices",
        ),
        ("#[foreach] fn f<T: Copy>(x: &[T], y: &mut [T]) { for i in 0..x.len() { y[i] = x[i]; } }", "of the type `T`"),
        (
            "#[foreach] fn f(x: &mut [u8]) { for i in 0..x.len() { println!(\"{i}\"); x[i] = 1; } }",
            "`println!` does what a device cannot do",
        ),
    ];
    for (text, reason) in reasons {
        let found = obstacles(text);
        assert!(found.iter().any(|what| what.contains(reason)), "{found:?} has no {reason:?}");
    }
}

#[test]
fn arrays_are_copied_only_where_they_change() {
    let with = |header: &str, body: &str| {
        wgsl(&format!(
            "#[foreach] fn f(x: &[u32], out: &mut [u32]) {{ for i in 0..x.len() {{ \
             let mut a = [x[i], 2, 3]; a[1] += x[i]; let mut s = 0u32; for v in {header} {{ {body} }} out[i] = s; }} }}"
        ))
    };
    assert_eq!(with("a", "s += v;"), with("&a", "s += v;"));
    assert!(!with("a", "s += v;").contains("copy"));
    assert!(with("a", "s += v; a[2] = 1;").contains("copy"));
}

#[test]
fn a_private_variable_has_the_type_of_the_one_outside() {
    let with = |declared: &str| {
        wgsl(&format!(
            "#[foreach] fn f(x: &[u32], out: &mut [u32]) {{ {declared} for i in 0..x.len() {{ \
             t = 200; t = t.wrapping_add(100); out[i] = x[i].wrapping_add(t.leading_zeros()); }} }}"
        ))
    };
    for declared in ["let mut t = 0u8;", "let mut t: u8;", "let (mut t, _) = (0u8, 1);"] {
        assert!(with(declared).contains("fa_wrapping_add_u8(t_1, 100u)"), "{declared}");
    }
    assert!(with("let mut t = 0;").contains("fa_wrapping_add_i32(t_1, 100i)"));
}

#[test]
fn what_may_merge_in_any_order() {
    let commutative = |start: &str, update: &str| {
        let text = format!(
            "#[kary_reduce(combine = later)] fn f(x: &[i32], y: &[f32]) {{
                {start}
                for i in 0..x.len() {{ {update} }}
                {}
            }}",
            if update.contains("at = i") { "let found = (most, at);" } else { "" }
        );
        let text = if update.contains("later") { text } else { text.replace("(combine = later)", "") };
        let item: syn::ImplItemFn = syn::parse_str(&text).unwrap();
        match &translations(&item)[..] {
            [Ok(translation)] => translation.commutative,
            other => panic!("{text}: {other:?}"),
        }
    };
    assert!(commutative("let mut sum = 0;", "sum += x[i];"));
    assert!(commutative("let mut sum = 0.0f32;", "sum += y[i];"));
    assert!(commutative("let mut most = i32::MIN;", "if x[i] > most { most = x[i]; }"));
    assert!(commutative("let mut hash = 0i32;", "hash = hash.wrapping_add(x[i]);"));
    assert!(commutative("let (mut a, mut b) = (0, true);", "a ^= x[i]; b &= x[i] > 3;"));
    // Of 0.0 and -0.0 the first stays.
    assert!(!commutative("let mut most = f32::MIN;", "if y[i] > most { most = y[i]; }"));
    assert!(!commutative("let (mut most, mut at) = (0, 0);", "if x[i] > most { most = x[i]; at = i; }"));
    assert!(!commutative(
        "let mut sum = 0; let (mut most, mut at) = (0, 0);",
        "sum += x[i]; if x[i] > most { most = x[i]; at = i; }"
    ));
}
