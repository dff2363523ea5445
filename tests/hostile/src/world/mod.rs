//! The world of compiled programs: their inputs, the plans, and the comparison with the sequential function.
//!
//! A batch of programs is a crate whose `main` calls [`main`] with a table of [`Case`]s. It is a process of its own, so that a
//! program that crashes or hangs ends the process and not the search; what it finds goes to its standard output.

mod canary;
mod compare;
mod inputs;

pub use canary::Canaries;
pub use compare::{Leave, Left};
pub use inputs::{Scalar, made, scalar, share};

use forall::{Backend, Settings};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A compiled program.
pub struct Case {
    /// Whether floats must have the bits of the sequential loop: nothing is added up in another order.
    pub exact: bool,
    /// Whether it is run on one rank alone: ranks in one process would share what those of MPI have each of their own.
    pub alone: bool,
    /// Calls the function, or its twin, with inputs of a size made from a seed, and returns all that it left.
    pub call: fn(twin: bool, n: usize, seed: u64) -> Left,
}

/// One way to run a loop.
#[derive(Debug, Clone, Copy)]
struct Plan {
    backend: Backend,
    ranks: usize,
    threads: usize,
    grain: usize,
    /// How often, since races do not show each time.
    times: usize,
}

const fn plan(backend: Backend, ranks: usize, threads: usize, grain: usize, times: usize) -> Plan {
    Plan { backend, ranks, threads, grain, times }
}

const PLANS: &[Plan] = &[
    plan(Backend::Serial, 1, 1, 0, 1),
    plan(Backend::Serial, 1, 1, 1, 1),
    plan(Backend::Serial, 1, 1, 7, 1),
    plan(Backend::Threads, 1, 3, 1, 3),
    plan(Backend::Threads, 1, 2, 13, 2),
    plan(Backend::Serial, 2, 1, 1, 1),
    plan(Backend::Serial, 3, 1, 0, 1),
    plan(Backend::Threads, 3, 2, 5, 1),
];

const ON_GPU: &[Plan] = &[plan(Backend::Gpu, 1, 2, 0, 1), plan(Backend::Gpu, 2, 1, 1, 1)];

/// Sizes, and seeds of the inputs.
const INPUTS: &[(usize, u64)] = &[(0, 0), (1, 1), (2, 2), (9, 0), (97, 1), (97, 2), (613, 0), (613, 1)];

/// The findings about a program.
enum Verdict {
    Right,
    /// A call ended with a message of `forall`'s own: its code.
    Refused(String),
    /// Another result: what kind of mistake, and where.
    Wrong(&'static str, String),
}

/// Runs the cases from the one that the first argument numbers; `gpu` as the second one runs them there as well.
///
/// Prints a line when a program begins, one before and after its twin runs, and one with its verdict.
pub fn main(cases: &[Case]) {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(0);
    let gpu = arguments.next().is_some_and(|word| word == "gpu");
    // Who has started this holds its input open, and reads its output: a program that hangs must not outlive that.
    std::thread::spawn(|| {
        let ended = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(i32::from(ended.is_err()));
    });
    // Panics are results here, and are compared.
    std::panic::set_hook(Box::new(|_| {}));
    for (number, case) in cases.iter().enumerate().skip(first) {
        println!("begin\t{number}");
        let verdict = verdict(case, gpu);
        // A program that was compiled with canaries has left them alone.
        let verdict = match canary::changed() {
            0 => verdict,
            blocks => Verdict::Wrong("a write outside of a slice", format!("canaries of {blocks} blocks have changed")),
        };
        match verdict {
            Verdict::Right => println!("right\t{number}"),
            Verdict::Refused(code) => println!("refused\t{number}\t{code}"),
            Verdict::Wrong(kind, detail) => println!("wrong\t{number}\t{kind}\t{}", detail.replace(['\n', '\t'], " ")),
        }
    }
    println!("end");
}

fn verdict(case: &Case, gpu: bool) -> Verdict {
    let mut refused = None;
    let plans = PLANS.iter().chain(if gpu { ON_GPU } else { &[] });
    let plans: Vec<Plan> = plans.filter(|plan| plan.ranks == 1 || !case.alone).copied().collect();
    for &(n, seed) in INPUTS {
        println!("twin");
        let expected = caught(|| (case.call)(true, n, seed));
        println!("twin ends");
        for plan in &plans {
            for _ in 0..plan.times {
                let place = || format!("n = {n}, seed {seed}, {plan:?}");
                match outcome(case, plan, n, seed, &expected) {
                    Ok(()) => {}
                    Err((_, detail)) if code(&detail).is_some() => refused = code(&detail),
                    Err((kind, detail)) => return Verdict::Wrong(kind, format!("{}: {detail}", place())),
                }
            }
        }
    }
    refused.map_or(Verdict::Right, Verdict::Refused)
}

/// Runs a program once and compares; what kind of difference, and which.
fn outcome(
    case: &Case,
    plan: &Plan,
    n: usize,
    seed: u64,
    expected: &Result<Left, String>,
) -> Result<(), (&'static str, String)> {
    let settings = Settings {
        backend: plan.backend,
        threads: NonZeroUsize::new(plan.threads),
        grain: NonZeroUsize::new(plan.grain),
        // The elements of short loops go past the caches, too.
        cache: (plan.threads > 1).then_some(0),
        ..Settings::default()
    };
    let builder = forall::Runtime::builder().settings(settings).ranks(plan.ranks);
    let found = caught(|| builder.run(|| (case.call)(false, n, seed)));
    // A GPU may round divisions, functions and products that it adds at once in its own way.
    let exact = case.exact && plan.backend != Backend::Gpu;
    match (expected, found) {
        (Ok(expected), Ok(found)) => match found.iter().find_map(|left| expected.difference(left, exact, n)) {
            Some(difference) => Err(("another result", difference)),
            None => Ok(()),
        },
        (Ok(_), Err(message)) => Err(("a panic of its own", message)),
        (Err(message), Ok(_)) => Err(("no panic", message.clone())),
        (Err(expected), Err(found)) if *expected == found => Ok(()),
        // A message may tell a sum.
        (Err(expected), Err(found)) if !exact && say_the_same(expected, &found) => Ok(()),
        (Err(expected), Err(found)) => Err(("another panic", format!("expected {expected:?}, found {found:?}"))),
    }
}

/// Whether two messages differ in the last digits of their numbers alone: from the fourth behind the point on, or by four millionths.
fn say_the_same(one: &str, other: &str) -> bool {
    let in_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let words = |text: &str| text.split(in_number).filter(|word| !word.is_empty()).collect::<String>();
    let numbers = |text: &'_ str| -> Vec<String> {
        text.split(|letter| !in_number(letter)).filter(|number| !number.is_empty()).map(str::to_owned).collect()
    };
    let alike = |(one, other): (&String, &String)| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(a), Ok(b)) if one.contains('.') && other.contains('.') => (a - b).abs() < 1e-3_f64.max(4e-6 * a.abs()),
        _ => one == other,
    };
    let (these, those) = (numbers(one), numbers(other));
    words(one) == words(other) && these.len() == those.len() && these.iter().zip(&those).all(alike)
}

/// A message of `forall`'s own begins with a code.
fn code(message: &str) -> Option<String> {
    let start = message.find("FA0")?;
    message.get(start..start + 5).map(str::to_owned)
}

/// The result of a function, or the message of its panic.
fn caught<R>(run: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref().copied());
        text.unwrap_or("a panic without a message").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::say_the_same;

    #[test]
    fn numbers_in_messages_may_differ_in_their_last_digits() {
        assert!(say_the_same("300.53696 at 337", "300.537 at 337"));
        assert!(say_the_same("(1.25, 0.1234)", "(1.25, 0.12341)"));
        for other in ["300.539 at 337", "300.537 at 338", "300.537 at", "301 at 337", "300.537 in 337"] {
            assert!(!say_the_same("300.53696 at 337", other), "{other}");
        }
    }
}
