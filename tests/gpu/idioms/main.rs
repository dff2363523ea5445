//! Common spellings: literals without types, tuples, patterns, methods, names of their own, and ways out of loops. A GPU gives
//! what Rust gives.
// One thing is written in many ways here.
#![allow(clippy::all)]

#[path = "../common/mod.rs"]
mod common;

use common::annotated::on_ranks;

/// Each call changes its last argument as the sequential loop does. All that do not are told.
macro_rules! alike {
    ($($function:ident($($input:expr),* $(,)?) => $out:expr;)*) => {{
        let mut others: Vec<String> = Vec::new();
        $({
            let mut expected = $out;
            $function::sequential($($input,)* &mut expected);
            let run = || {
                let mut out = $out;
                $function($($input,)* &mut out);
                out
            };
            others.extend(crate::told(stringify!($function), &expected, run));
        })*
        assert!(others.is_empty(), "{}", others.join("\n"));
    }};
}

/// The message about a program with another result than the expected one.
fn told<R: Send + PartialEq + std::fmt::Debug>(
    name: &str,
    expected: &R,
    program: impl Fn() -> R + Sync,
) -> Option<String> {
    match on_ranks(1, program)? {
        Ok(result) if result == *expected => None,
        Ok(result) => Some(format!("{name} gives {result:?}, not {expected:?}")),
        Err(reason) => Some(format!("{name}: {reason}")),
    }
}

mod leaving;
mod literals;
mod methods;
mod names;
mod patterns;
mod tuples;

const N: usize = 60;

/// Numbers around zero.
fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 37 + 11) % 101) as f32 * 0.125 - 6.0).collect()
}

fn integers(n: usize) -> Vec<i32> {
    (0..n as i32).map(|i| (i * 37 + 11) % 101 - 50).collect()
}

fn words(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> (i % 30)).collect()
}
