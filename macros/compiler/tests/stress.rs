//! The macros must not panic, whatever they are given: the functions of the corpus and of the wrong loops, whole and damaged.

use forall_compiler::{Attribute, annotate, codes, main, test};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;

/// A sequence of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Calls `check` with each function of the files below folders of `tests`, methods and nested ones too, and with its number;
/// all that it finds, in their order.
///
/// Tokens belong to one thread: each reads all files, and takes every so many functions.
fn for_each_function(folders: &[&str], check: impl Fn(usize, &TokenStream) -> Vec<String> + Sync) -> Vec<String> {
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get());
    let work = |first: usize| {
        let mut items = Vec::new();
        for folder in folders {
            functions(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder), &mut items);
        }
        assert!(items.len() > 200, "only {} functions found", items.len());
        let mine = items.iter().enumerate().skip(first).step_by(threads);
        mine.flat_map(|(number, item)| check(number, item)).collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (0..threads).map(|first| scope.spawn(move || work(first))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// The functions of all files below a folder.
fn functions(folder: &Path, to: &mut Vec<TokenStream>) {
    struct Find<'a>(&'a mut Vec<TokenStream>);
    impl<'ast> syn::visit::Visit<'ast> for Find<'_> {
        fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
            self.0.push(f.to_token_stream());
            syn::visit::visit_item_fn(self, f);
        }
        fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
            self.0.push(f.to_token_stream());
            syn::visit::visit_impl_item_fn(self, f);
        }
    }
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            functions(&path, to);
        } else if path.extension().is_some_and(|e| e == "rs") {
            // Some of the wrong programs are half written.
            if let Ok(file) = syn::parse_file(&std::fs::read_to_string(&path).unwrap()) {
                syn::visit::Visit::visit_file(&mut Find(to), &file);
            }
        }
    }
}

fn count(tokens: &TokenStream) -> usize {
    tokens
        .clone()
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => 1 + count(&group.stream()),
            _ => 1,
        })
        .sum()
}

/// Deletes, doubles or swaps the token with a number, at any depth.
fn damage(tokens: TokenStream, at: &mut isize, how: usize) -> TokenStream {
    let mut damaged: Vec<TokenTree> = Vec::new();
    for token in tokens {
        *at -= 1;
        let hit = *at == -1;
        let token = match token {
            TokenTree::Group(group) if !hit => {
                let mut inside = Group::new(group.delimiter(), damage(group.stream(), at, how));
                inside.set_span(group.span());
                TokenTree::Group(inside)
            }
            other => other,
        };
        match (hit, how) {
            (false, _) => damaged.push(token),
            (true, 0) => {}
            (true, 1) => damaged.extend([token.clone(), token]),
            (true, _) => {
                let before = damaged.pop();
                damaged.push(token);
                damaged.extend(before);
            }
        }
    }
    damaged.into_iter().collect()
}

/// The expansion, or the codes of the mistakes: the search for remedies, which examines a rejected function many times, is left out.
fn expansion_or_codes(attribute: Attribute, args: &TokenStream, item: &TokenStream) -> String {
    let codes = codes(attribute, args.clone(), item.clone());
    if codes.is_empty() { annotate(attribute, args.clone(), item.clone()).to_string() } else { codes.join(" ") }
}

/// The attribute and the tokens that make a macro panic. Each loop that fits is translated too.
fn panics(attribute: Attribute, args: &TokenStream, item: &TokenStream, remedies: bool) -> Option<String> {
    let run = || match remedies {
        true => _ = annotate(attribute, args.clone(), item.clone()),
        false => _ = expansion_or_codes(attribute, args, item),
    };
    catch_unwind(AssertUnwindSafe(run)).is_err().then(|| format!("#[{}({args})] {item}", attribute.name()))
}

#[test]
fn nothing_panics_on_damaged_functions() {
    let found = for_each_function(&["refusals", "corpus"], |number, item| {
        let none = TokenStream::new();
        // All attributes have their turn, each with other functions.
        let turn = |round: usize| Attribute::ALL[(number + round) % Attribute::ALL.len()];
        let mut found: Vec<_> = panics(turn(0), &none, item, true).into_iter().collect();
        let (mut numbers, tokens) = (Numbers(number as u64), count(item));
        for round in 1..5 {
            let mut damaged = item.clone();
            for _ in 0..1 + numbers.below(3) {
                damaged = damage(damaged, &mut (numbers.below(tokens) as isize), numbers.below(3));
            }
            found.extend(panics(turn(round), &none, &damaged, round == 1));
        }
        found
    });
    assert!(found.is_empty(), "{} inputs make a macro panic, the first is\n{}", found.len(), found[0]);
}

/// Builds are the same each time: no expansion has the order of a hash map.
#[test]
fn expansions_are_always_the_same() {
    let differ = for_each_function(&["."], |number, item| {
        let none = TokenStream::new();
        let expand = |attribute| match number % 8 {
            0 => annotate(attribute, none.clone(), item.clone()).to_string(),
            _ => expansion_or_codes(attribute, &none, item),
        };
        let attribute = [Attribute::Foreach, Attribute::DistributedScan][number / 8 % 2];
        let differs = expand(attribute) != expand(attribute);
        differs.then(|| format!("#[{}] {item}", attribute.name())).into_iter().collect()
    });
    assert!(differ.is_empty(), "{} functions have several expansions, the first is\n{}", differ.len(), differ[0]);
}

#[test]
fn nothing_panics_on_odd_items_and_arguments() {
    let items = [
        "",
        "fn",
        "fn f",
        "fn f();",
        "fn f() {}",
        "struct S;",
        "impl S { fn f() {} }",
        "mod m {}",
        "use a::b;",
        "42",
        "fn f(x: &[f64]) { for i in 0..x.len() {} }",
        "fn r#for(r#in: &mut [u8]) { for r#if in 0..9 { r#in[r#if] = 1; } }",
        "fn f(self: Box<Self>, x: &mut [u8]) { for i in 0..3 { x[i] = 0 } }",
        "fn f(x: &mut [u8]) { for _ in 0.. { x[0] = 1 } }",
        "fn f(x: &mut [u8]) { for (a, (b, c)) in x { } }",
        "fn f(x: &mut [u8]) { for i in 99999999999999999999..1 { x[i * 9223372036854775807 * 9223372036854775807] = 1 } }",
        "fn f(x: &mut [u8]) { for i in 0..9 { x[i - 9223372036854775807 - 9223372036854775807] = x[i % 0 / 0 << 99] } }",
        "fn f(x: &mut [u8]) { for i in 0..9 { for j in 0..=9223372036854775807 { x[-9223372036854775807 * i + j] = 1 } } }",
        "fn f(x: &mut [u8]) { for i in 0..9 { for j in -9223372036854775807..9223372036854775807 { x[2 * i + j] = 1 } } }",
        "fn f(a: (u8, u8), x: &[u8]) { let mut a = (0, 0); for v in x { a.0 += v; a.1 = a.0.max(a.1); (a.0, _) = a; } }",
        "fn f(x: &[u8]) -> u8 { let mut s = 0; for v in x { s = s } s }",
        "fn f(x: &[u8]) -> u8 { let mut s = 0; for v in x { if s < *v { } s += { s += 1; 2 }; } s }",
        "fn f<'a, T: Copy, const N: usize>(x: &'a [T; N], #[halo()] y: &[T], #[gather] #[halo(1)] z: &[T]) { for i in 0..N { } }",
        "fn f(r#type: &mut Vec<u8>) { for i in 0..9 { r#type.push(1); } }",
        "fn f(x: &mut [u8]) { let g = |i: usize| g(i); for i in 0..9 { x[g(i)] = g(i); } }",
        "fn f(x: &mut [u8]) { let g = |i: usize| h(i); let h = |i| g(i); for i in 0..9 { x[g(i)] = h(i); } }",
        "fn f(x: &mut [f64]) { for i in 1..9 { x[i] = x[i - 1]; x[i] += x[i - 1] + r#x[i]; } }",
        "fn f(mut r#a: ArrayViewMut2<f64>) { for y in 0..9 { a[[y, 9223372036854775807]] = a[(y,)]; a[[]] = a[()]; a[[y, a[[y, y]] as usize]] += 1.0; } }",
        "fn f(a: &Array2, b: &Array<f64>, c: Array<f64, Ix9>, d: &ArrayView<'_, (), Ix1>) { for y in 0..d.dim() { d[[y]]; d.dim().7; d.shape()[9]; d.len_of(Axis()); } }",
        "fn f(a: &mut Array3<u8>) { for ((x, y), v) in a.indexed_iter_mut().skip(1).rev() { *v = 1; a[(x, y, 0)] = a.dim().0 as u8; } let a = 1; a.row() }",
        "fn f(x: &mut [f64]) { fn g(v: f64) -> f64 { g(v) + g(v) + h(v) } fn h(v: f64) -> f64 { g(v) * h(v) * h(v) } for i in 0..9 { x[i] = g(1.0); } }",
        "fn f(x: &mut [u8]) { for i in 0..9 { let a = (a, b) = c; x[i] = 'a: { break 'b 1; }; let [p, q] = [1]; loop { continue 'c } } }",
        "fn f(x: &mut [u8]) { for i in 0..9 { let t = ((1, 2), [3; 99999]); x[i] = t.0.7 + t.1[5] as u128 as bool; x[i] <<= 1u64; } }",
        "async unsafe extern \"C\" fn f(x: &[u8], ...) { for i in 0..9 { yield x[i].await? } }",
    ];
    let args = [
        "",
        ",",
        "k",
        "k = 0",
        "k = 99999999999999999999999",
        "k = \"8\"",
        "combine",
        "combine = 3",
        "combine = a::<T>::b, k = 2",
        "init = a",
        "init = Vec::new, merge = m",
        "explain, explain",
        "explain = 1",
        "explain(deep)",
        "a::b = c",
        "= = =",
        "'a",
        "#![x]",
        "combine = <f64 as T>::f",
        "(())",
        "explain",
    ];
    let mut found = Vec::new();
    for item in items {
        let item: TokenStream = item.parse().unwrap();
        for args in args {
            let args: TokenStream = args.parse().unwrap();
            for attribute in Attribute::ALL {
                found.extend(panics(attribute, &args, &item, true));
            }
            for (name, entry) in [("main", main as fn(_, _) -> _), ("test", test)] {
                let quiet: Result<TokenStream, _> =
                    catch_unwind(AssertUnwindSafe(|| entry(args.clone(), item.clone())));
                if quiet.is_err() {
                    found.push(format!("#[{name}({args})] {item}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} inputs make a macro panic, the first is\n{}", found.len(), found[0]);
}

/// A division may panic in builds without overflow checks too, unless it is one of floats: a name tells that only where it has one meaning.
#[test]
fn a_name_that_was_a_float_is_none() {
    let beside = |body: &str| {
        let item = format!(
            "fn f(x: &[f64], out: &mut [i64]) {{
                let mut v = 0.0;
                for i in 0..x.len() {{ v += x[i]; {body} out[i] = (out[i] as f64 + v) as i64; }}
            }}"
        );
        let item = item.parse().expect("tokens");
        let text = annotate(Attribute::DistributedScan, TokenStream::new(), item).to_string().replace(' ', "");
        let (_, after) = text.split_once(",interleaving:").unwrap_or_else(|| panic!("{text}"));
        let (interleaving, _) = after.split_once(",totals_suffice:").expect("the next field");
        // The last one is that of builds without overflow checks.
        interleaving.rsplit("::").next().expect("a variant").trim_end_matches('}').to_owned()
    };
    assert_eq!(beside("let d = x[i]; let e = 1.0 / d;"), "Free");
    for body in [
        "let d = x[i]; let d = d as i64; let e = 1 / d;",
        "let d = x[i]; let e = { let d = 3 - i; 1 / d };",
        "let e = 1 / d; let d = x[i];",
        "let d = x[i]; if let Some(d) = Some(i) { let e = 1 / d; }",
    ] {
        assert_eq!(beside(body), "Never", "{body}");
    }
}
