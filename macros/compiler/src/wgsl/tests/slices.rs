//! Parts of arrays: chosen, held, and handed to functions.

use super::*;
use crate::ir::report::Report;
use crate::resolve::{Writer, resolve_alone};
use crate::wgsl::translate_function;

/// The text of a marked function.
fn marked(text: &str) -> String {
    match translated(&syn::parse_str(text).unwrap()) {
        Ok(text) => text,
        Err(reasons) => panic!("{reasons:?}"),
    }
}

/// The text of a marked function, which a compiler takes, or what is in the way.
fn translated(item: &syn::ItemFn) -> Result<String, Vec<String>> {
    let (item, _) = resolve_alone(item.clone(), Writer::User, &mut Report::default());
    let marked =
        translate_function(&item).map_err(|obstacles| obstacles.iter().map(|o| o.what.clone()).collect::<Vec<_>>())?;
    let source = format!("{}{}", marked.helpers.concat(), marked.source);
    let translation = Translation {
        source: source.clone(),
        arrays: Vec::new(),
        values: marked.values,
        tables: marked.tables,
        state: Vec::new(),
        told: Vec::new(),
        levels: Vec::new(),
        counted: 0,
        pushes: Vec::new(),
        bins: Vec::new(),
        calls: marked.calls,
        queries: marked.queries,
        running: false,
        commutative: false,
        touched: Vec::new(),
        loops: marked.loops,
    };
    let open = |text: &str| text.contains('$');
    if open(&source) || open(&marked.signature) || translation.calls.iter().any(|call| open(&call.signature)) {
        return Ok(source);
    }
    // The arrays that it is given parts of.
    let signature: syn::TypeFnPtr = syn::parse_str(&marked.signature).unwrap();
    let mut given = String::new();
    let slices = signature.inputs.iter().filter_map(|input| match &input.ty {
        syn::Type::Slice(slice) => Some(&slice.elem),
        _ => None,
    });
    for (k, element) in slices.enumerate() {
        let mut types = Types::default();
        let element = types.written(element, &|_| None);
        let element = types.known(&element).unwrap().wgsl();
        given.push_str(&format!("fn fa_load_given_{k}(i: u32) -> {element} {{ var x: {element}; return x; }}\n"));
        given.push_str(&format!("fn fa_store_given_{k}(i: u32, v: {element}) {{}}\n"));
    }
    accepted_text(&format!("{}{given}{}", declarations(&translation), without_arrays(&source))).unwrap();
    Ok(source)
}

/// Functions as people write them, and the text that devices get.
macro_rules! functions {
    ($($name:ident: $function:literal;)*) => {$(
        #[test]
        fn $name() {
            let written: String = $function.lines().map(|line| line.strip_prefix("        ").unwrap_or(line).to_owned() + "\n").collect();
            insta::with_settings!({ description => written, omit_expression => true }, {
                insta::assert_snapshot!(marked($function));
            });
        }
    )*};
}

texts! {
    chosen_rows: "
        #[foreach]
        fn chosen_rows(x: &[f32], n: usize, out: &mut [f32]) {
            for r in 0..out.len() {
                let (has_south, has_north) = (r > 0, r + 1 < out.len());
                let here = &x[r * n..(r + 1) * n];
                let south = if has_south { &x[(r - 1) * n..r * n] } else { here };
                let beside = match (has_south, has_north) {
                    (_, true) => &x[(r + 1) * n..(r + 2) * n],
                    (true, false) => south,
                    _ => &here[1..],
                };
                let mut sum = 0.0;
                for (k, v) in south.iter().enumerate() {
                    sum += v * beside[k];
                }
                out[r] = sum;
            }
        }";
    rows_that_move: "
        #[foreach]
        fn rows_that_move(x: &[u32], n: usize, m: usize, out: &mut [u32]) {
            for r in 0..out.len() {
                let mut row = &x[r * n * m..r * n * m + n];
                for k in 1..m {
                    let next = &x[(r * m + k) * n..(r * m + k + 1) * n];
                    if next[0] > row[0] {
                        row = next;
                    }
                }
                out[r] = row[n - 1] + row.len() as u32;
            }
        }";
    handed_to_functions: "
        #[foreach]
        fn handed(x: &[f32], #[replicated] weights: &[f32], n: usize, out: &mut [f32]) {
            for r in 0..out.len() {
                let row = &x[r * n..(r + 1) * n];
                let whole: f32 = dot(row, weights);
                let shifted: f32 = dot(&row[1..], &row[..n - 1]);
                out[r] = whole - shifted;
            }
        }";
    mapped_arrays: "
        #[foreach]
        fn mapped(a: &[[f32; 3]], b: &[[f32; 3]], out: &mut [[f32; 3]], same: &mut [bool]) {
            for i in 0..out.len() {
                let (p, q) = (a[i], b[i]);
                let scale = |axis: usize| (axis + 1) as f32;
                out[i] = [0, 1, 2].map(|axis| (q[axis] - p[axis]) * scale(axis)).map(|v| v.abs());
                same[i] = p == q || a[i] != [0.0, 1.0, 2.0];
            }
        }";
    words_of_bits: "
        #[foreach]
        fn words_of_bits(field: &[f32], n: usize, iso: f32, inside: &mut [u64], valid: &mut [u64]) {
            let words = n.div_ceil(64);
            for r in 0..field.len() / n {
                let inside = &mut inside[r * words..(r + 1) * words];
                let valid = &mut valid[r * words..(r + 1) * words];
                for ((values, inside), valid) in field[r * n..(r + 1) * n].chunks(64).zip(inside).zip(valid) {
                    (*inside, *valid) = sides(values, iso);
                }
            }
        }";
}

functions! {
    weighted: "
        fn dot(values: &[f32], weights: &[f32]) -> f32 {
            let mut sum = 0.0;
            for (v, w) in values.iter().zip(weights) {
                sum += v * w;
            }
            sum + half(&values[..values.len() / 2])
        }";
    above: "
        fn sides(values: &[f32], iso: f32) -> (u64, u64) {
            let (mut inside, mut valid) = (0, 0);
            for (k, v) in values.iter().enumerate() {
                inside |= u64::from(*v > iso) << k;
                valid |= u64::from(!v.is_nan()) << k;
            }
            (inside, valid)
        }";
    doubled_in_place: "
        fn double(row: &mut [i64], by: usize) -> usize {
            for v in row.iter_mut() {
                *v *= 2;
            }
            row[by] = 1;
            row.len()
        }";
}

#[test]
fn isosurface_is_translated() {
    for (name, item) in functions_in("examples/isosurface/src") {
        for translation in translations(&item) {
            match translation {
                // What it asks for is known when it runs.
                Ok(translation) if translation.source.contains('$') => {}
                Ok(translation) => accepted(&translation).unwrap(),
                Err(obstacles) => panic!("{name}: {:#?}", obstacles.iter().map(|o| &o.what).collect::<Vec<_>>()),
            }
        }
    }
}
/// The functions of the isosurface that are marked.
#[test]
fn the_functions_of_the_isosurface_are_translated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/isosurface/src");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        for item in syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap().items {
            if let syn::Item::Fn(item) = item
                && item.attrs.iter().any(|a| a.path().segments.last().is_some_and(|s| s.ident == "device"))
            {
                translated(&item).unwrap_or_else(|reasons| panic!("{}: {reasons:?}", item.sig.ident));
            }
        }
    }
}
