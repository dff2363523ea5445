//! The cost of opening a device, and of launching a small loop. These say, and do not judge: run them with `--nocapture`.

use crate::common::*;
use forall_core::device::{Device, Launch, Program, Type};
use forall_core::node::Serial;
use forall_gpu::{Choice, Gpu};
use std::time::Instant;

#[test]
fn costs() {
    if gpu().is_none() {
        return;
    }
    let start = Instant::now();
    let gpu = Gpu::open(Box::new(Serial), &Choice::LocalRank(0)).unwrap();
    eprintln!("open: {:?}", start.elapsed());
    let start = Instant::now();
    let costs = gpu.costs();
    let spent = start.elapsed();
    eprintln!("{costs:?}, found in {spent:?}");
    // Within what any machine that runs tests does; the measured ones are not the guess.
    assert!((1_000..100_000_000_000).contains(&costs.launch) && (1..1_000_000).contains(&costs.byte), "{costs:?}");
    assert_eq!(gpu.costs(), costs, "measured once");
    let map = leak(Program {
        arrays: keep(&[reads(Type::F32), writes(Type::F32)]),
        ..program("fn fa_iteration(p: u32) { fa_store_1(p, 2.0f * fa_load_0(p) + fa_load_1(p)); }")
    });
    let sum = leak(Program {
        arrays: keep(&[reads(Type::F32)]),
        state: &[Type::F32],
        ..program(
            "struct State { f0: f32 }
            fn fa_identity() -> State { return State(0.0f); }
            fn fa_merge(earlier: State, later: State) -> State { return State(earlier.f0 + later.f0); }
            fn fa_iteration(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); }",
        )
    });
    for count in [100, 10_000, 1_000_000, 10_000_000] {
        let (mut x, mut y) = (vec![1.0_f32; count], vec![0.0_f32; count]);
        for (name, program, arrays) in
            [("map", map, vec![part(&mut x), part(&mut y)]), ("sum", sum, vec![part(&mut x)])]
        {
            let times: Vec<_> = (0..8)
                .map(|_| {
                    let start = Instant::now();
                    let outcome = run(&gpu, &Launch { arrays: &arrays, proved: true, ..launch(program, count) });
                    if name == "sum" {
                        assert_eq!(values::<f32>(&outcome.state), [count as f32]);
                    }
                    start.elapsed()
                })
                .collect();
            eprintln!("{name} of {count}: first {:?}, best {:?}", times[0], times.iter().min().unwrap());
        }
    }
}
