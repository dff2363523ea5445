//! Every code has a page, and a case that shows it.

use forall::{DistVec, foreach, kary_reduce};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Codes that no file under `refusals/` can show, because they come from a call. The tests below show them, but for FA067: no program is known
/// that leads to it, and `core/src/computed.rs` tests it.
const AT_RUN_TIME: [&str; 9] = ["FA041", "FA060", "FA061", "FA062", "FA063", "FA064", "FA065", "FA066", "FA067"];

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The codes of the pages, with their titles.
fn pages() -> BTreeMap<String, String> {
    let page = |line: &str| {
        let (name, title) = line.strip_prefix("pub const ")?.split_once(": &str = \"")?;
        Some((name.to_owned(), title.strip_suffix("\";")?.to_owned()))
    };
    read("../src/codes.rs").lines().filter_map(page).collect()
}

/// The codes that the files below a folder mention.
fn mentioned(folder: &Path, extension: &str, to: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            mentioned(&path, extension, to);
        } else if path.extension().is_some_and(|e| e == extension) {
            to.extend(codes_in(&std::fs::read_to_string(&path).unwrap()));
        }
    }
}

fn codes_in(text: &str) -> impl Iterator<Item = String> {
    let code = |(at, _)| text.get(at..at + 5).filter(|code| code[2..].chars().all(|c| c.is_ascii_digit()));
    text.match_indices("FA").filter_map(code).map(str::to_owned)
}

#[test]
fn every_code_of_the_compiler_has_a_page_with_its_title() {
    let (pages, report) = (pages(), read("../macros/compiler/src/ir/report.rs"));
    let table = report.split_once("\ncodes! {").unwrap().1.split_once("\n}").unwrap().0;
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (code, title) = line.split_once(' ').unwrap();
        assert_eq!(pages.get(code).map(String::as_str), Some(title.trim_matches(['"', ';'])), "the page of {code}");
    }
}

#[test]
fn every_code_in_a_message_has_a_page() {
    let (pages, mut codes) = (pages(), BTreeSet::new());
    for folder in ["../core/src", "../macros", "../src", "../backends"] {
        mentioned(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "rs", &mut codes);
    }
    let without: Vec<_> = codes.iter().filter(|code| !pages.contains_key(*code)).collect();
    assert!(without.is_empty(), "no page in src/codes.rs for {without:?}");
}

#[test]
fn every_code_has_a_case() {
    let mut shown = BTreeSet::new();
    mentioned(&Path::new(env!("CARGO_MANIFEST_DIR")).join("refusals"), "stderr", &mut shown);
    shown.extend(AT_RUN_TIME.map(str::to_owned));
    let without: Vec<_> = pages().into_keys().filter(|code| !shown.contains(code)).collect();
    assert!(without.is_empty(), "no case under refusals/ for {without:?}");
}

/// The message of the call's panic.
fn message(call: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("it should have panicked");
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or_default().to_owned()
}

#[derive(Clone)]
struct Longest(String);

fn longer(a: Longest, b: Longest) -> Longest {
    if b.0.len() > a.0.len() { b } else { a }
}

#[kary_reduce(combine = longer)]
fn longest(x: &[u32]) -> String {
    let mut longest = Longest(String::new());
    for i in 0..x.len() {
        longest = longer(longest, Longest(x[i].to_string()));
    }
    longest.0
}

#[test]
fn fa041_a_state_that_cannot_travel() {
    let numbers: Vec<u32> = (0..1000).collect();
    assert_eq!(longest(&numbers), "100", "on one rank, nothing travels");
    let said = message(|| {
        forall::Runtime::builder().ranks(2).run(|| longest(&DistVec::from_fn(1000, |i| i as u32)));
    });
    assert!(said.contains("FA041") && said.contains("Longest"), "{said}");
}

#[foreach]
fn shifted(#[halo(1)] x: &[f64], by: &[usize], out: &mut [f64]) {
    for i in 0..out.len() - 10 {
        out[i] = x[i + by[i]];
    }
}

#[test]
fn fa060_a_halo_that_is_too_small() {
    let said = message(|| {
        forall::Runtime::builder().ranks(2).run(|| {
            let x = DistVec::from_fn(1000, |i| i as f64);
            let by = DistVec::from_fn(1000, |_| 10);
            shifted(&x, &by, &mut DistVec::zeroed_like(&x));
        });
    });
    assert!(said.contains("FA060") && said.contains("#[halo(..)]"), "{said}");
}

#[foreach]
fn rows(n: usize, stride: usize, width: usize, out: &mut [f64]) {
    for i in 0..n {
        for j in 0..width {
            out[i * stride + j] = i as f64;
        }
    }
}

#[test]
fn fa061_rows_that_overlap() {
    rows(10, 3, 3, &mut [0.0; 30]);
    let said = message(|| rows(10, 2, 3, &mut [0.0; 30]));
    assert!(said.contains("FA061") && said.contains("`rows`") && said.contains("`out`"), "{said}");
}

#[foreach]
fn shifted_in_place(x: &mut [f64], m: usize) {
    for i in 0..x.len() - m {
        x[i] = 0.5 * x[i + m];
    }
}

#[test]
fn fa061_names_the_loop_and_the_accesses_and_says_what_to_write() {
    forall_core::runtime::record_panics();
    for ranks in [1, 2] {
        let call = || shifted_in_place(&mut DistVec::from_fn(20, |i| i as f64), 3);
        let said = message(|| drop(forall::Runtime::builder().ranks(ranks).run(call)));
        let line = line!() - 10;
        for part in [
            "FA061",
            "`shifted_in_place`",
            &format!("`x[i]` (tests/codes.rs:{line})"),
            &format!("`x[i + m]` (tests/codes.rs:{line})"),
            "write `old[i + m]` in place of `x[i + m]`",
        ] {
            assert!(said.contains(part), "{part} in: {said}");
        }
        if ranks == 1 {
            let note = forall_core::runtime::panic_note(&said).expect("it was noted");
            assert!(note.place.contains("tests/codes.rs"), "{}", note.place);
        }
    }
}

fn halve(a: f64, b: f64) -> f64 {
    (a + b) / 2.0
}

#[kary_reduce(combine = halve)]
fn mean(x: &[f64]) -> f64 {
    let mut m = 0.0;
    for i in 0..x.len() {
        m = halve(m, x[i]);
    }
    m
}

#[test]
fn fa062_a_combine_that_is_not_associative() {
    let settings = forall::Settings { verify: true, ..forall::Settings::default() };
    let said = message(|| {
        forall::Runtime::builder().settings(settings).run(|| mean(&DistVec::from_fn(100_000, |i| i as f64)));
    });
    assert!(said.contains("FA062") && said.contains("`mean`"), "{said}");
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Complex {
    re: f64,
    im: f64,
}

fn add(a: Complex, b: Complex) -> Complex {
    Complex { re: a.re + b.re, im: a.im + b.im }
}

#[kary_reduce(combine = add)]
fn turned(x: &[f64]) -> Complex {
    let mut sum = Complex { re: 0.0, im: 0.0 };
    for &angle in x {
        sum = add(sum, Complex { re: angle.cos(), im: angle.sin() });
    }
    sum
}

/// Sums in another order are no alarm, be they parts of a struct that nothing is known of.
#[test]
fn fa062_sums_in_structs_are_rounded() {
    let settings = forall::Settings { verify: true, ..forall::Settings::default() };
    forall::Runtime::builder().settings(settings).threads(2).run(|| {
        // They all but cancel.
        let sum = turned(&DistVec::from_fn(100_000, |i| i as f64 * std::f64::consts::TAU / 1e5));
        assert!(sum.re.abs() < 1e-6 && sum.im.abs() < 1e-6);
    });
}

/// Nothing is known of it but what it prints.
#[derive(Clone, Debug, PartialEq)]
struct Moments {
    sum: f64,
    squares: f64,
    count: u64,
}

fn joined(a: Moments, b: Moments) -> Moments {
    Moments { sum: a.sum + b.sum, squares: a.squares + b.squares, count: a.count + b.count }
}

#[kary_reduce(combine = joined)]
fn moments(x: &[f64]) -> Moments {
    let mut all = Moments { sum: 0.0, squares: 0.0, count: 0 };
    for &x in x {
        all = joined(all, Moments { sum: x, squares: x * x.signum(), count: 1 });
    }
    all
}

fn joined_twice(a: Moments, b: Moments) -> Moments {
    Moments { sum: a.sum + b.sum, squares: 0.0, count: a.count.wrapping_mul(3).wrapping_add(b.count) }
}

#[kary_reduce(combine = joined_twice)]
fn wrong_count(x: &[f64]) -> Moments {
    let mut all = Moments { sum: 0.0, squares: 0.0, count: 0 };
    for &x in x {
        all = joined_twice(all, Moments { sum: x, squares: 0.0, count: 1 });
    }
    all
}

/// Terms that cancel may be large in a struct that can only be printed; the integers beside it are the same to the bit.
#[test]
fn fa062_in_structs_floats_are_rounded_and_integers_are_not() {
    let settings = forall::Settings { verify: true, ..forall::Settings::default() };
    let x = |i: usize| (i as f64 * 0.7).sin() * 1e9 + 1e-3;
    forall::Runtime::builder().settings(settings.clone()).threads(2).run(|| {
        let half = 50_000;
        let all = moments(&DistVec::from_fn(2 * half, |i| if i < half { x(i) } else { -x(i - half) }));
        assert!(all.sum.abs() < 1.0 && all.count == 2 * half as u64, "{all:?}");
    });
    let said = message(|| {
        let run = || wrong_count(&DistVec::from_fn(100_000, |i| i as f64));
        forall::Runtime::builder().settings(settings).threads(2).run(run);
    });
    assert!(said.contains("FA062") && said.contains("`wrong_count`"), "{said}");
}

fn next() -> usize {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

#[foreach]
fn drawn(#[gather] x: &[f64], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = x[next()];
    }
}

#[test]
fn fa063_a_place_that_changes() {
    let said = message(|| {
        forall::Runtime::builder().ranks(2).run(|| {
            let x = DistVec::from_fn(1_000_000, |i| i as f64);
            drawn(&x, &mut DistVec::zeroed(200_000));
        });
    });
    assert!(said.contains("FA063") && said.contains("#[gather]"), "{said}");
}

macro_rules! stop_if {
    ($condition:expr) => {
        if $condition {
            break;
        }
    };
}

#[kary_reduce]
fn until_zero(x: &[u32]) -> u32 {
    let mut sum = 0;
    for v in x {
        stop_if!(*v == 0);
        sum += v;
    }
    sum
}

/// The effect of a macro is unknown before it is expanded, but no loop ends early without a word.
#[test]
fn fa020_a_break_in_a_macro() {
    assert_eq!(until_zero(&[1, 2, 3]), 6);
    for x in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
        let said = message(move || _ = until_zero(&x));
        assert!(said.contains("FA020") && said.contains("macro"), "{said}");
    }
}
