//! Loops as scientists write them, each with a check that the annotated function does what the plain one does.
//!
//! The loops follow RAJAPerf, PolyBench, the NAS benchmarks, the Parallel Research Kernels and the usual steps of
//! visualisation. A case builds the inputs of size `n`, calls `f::sequential`, and compares it with `f` on `DistVec`s,
//! on shares cut at odd places and, on one rank, on plain `Vec`s. The runner repeats every case on every plan.

// The corpus shows loops as they are found in the wild, so that lints about style do not apply to it.
#![allow(
    clippy::assign_op_pattern,
    clippy::collapsible_if,
    clippy::excessive_precision,
    clippy::explicit_counter_loop,
    clippy::identity_op,
    clippy::implicit_saturating_add,
    clippy::implicit_saturating_sub,
    clippy::let_and_return,
    clippy::manual_clamp,
    clippy::manual_is_multiple_of,
    clippy::manual_memcpy,
    clippy::manual_slice_fill,
    clippy::manual_swap,
    clippy::many_single_char_names,
    clippy::needless_range_loop,
    clippy::needless_return,
    clippy::ptr_arg,
    clippy::redundant_closure_call,
    clippy::too_many_arguments,
    clippy::type_complexity
)]

#[macro_use]
mod support;
#[macro_use]
mod planes;

mod accumulators;
mod algorithm;
mod apps;
mod basic;
mod blocks;
mod bodies;
mod chains;
mod collections;
mod dependences;
pub mod device;
mod fields;
mod frames;
mod gather;
mod halves;
mod headers;
mod idioms;
mod lcals;
mod levels;
mod miniapps;
mod nas;
mod natural;
mod numbered;
mod oracle;
mod pictures;
mod places;
mod polybench;
mod privates;
mod prk;
mod repeated;
mod rows;
mod scatter;
mod shares;
mod signatures;
mod sorts;
mod states;
mod stream;
mod strides;
mod systems;
mod tsvc;
mod views;

pub use oracle::Oracle;
pub use support::Case;

/// All cases: the name, and the check for a given size.
pub fn cases() -> impl Iterator<Item = Case> {
    let modules = [
        accumulators::CASES,
        algorithm::CASES,
        apps::CASES,
        basic::CASES,
        blocks::CASES,
        bodies::CASES,
        chains::CASES,
        collections::CASES,
        dependences::CASES,
        fields::CASES,
        frames::CASES,
        gather::CASES,
        halves::CASES,
        headers::CASES,
        idioms::CASES,
        lcals::CASES,
        levels::CASES,
        miniapps::CASES,
        nas::CASES,
        natural::CASES,
        numbered::CASES,
        pictures::CASES,
        places::CASES,
        polybench::CASES,
        privates::CASES,
        prk::CASES,
        repeated::CASES,
        rows::CASES,
        scatter::CASES,
        signatures::CASES,
        sorts::CASES,
        states::CASES,
        stream::CASES,
        strides::CASES,
        systems::CASES,
        tsvc::CASES,
        views::CASES,
    ];
    modules.into_iter().flatten().copied()
}

/// The bits of reductions and scans of `n` floats in `DistVec`s: the same on any number of threads, and of ranks where
/// `n` is large enough for shares to be cut at chunks.
pub fn float_bits(n: usize) -> Vec<u64> {
    algorithm::float_bits(n)
}

/// The sizes that every case runs at: none, one, fewer than ranks, powers of two and their neighbours, primes.
pub const SIZES: &[usize] = &[0, 1, 2, 3, 7, 64, 1000, 1023, 1024, 1025, 4099, 10007];
