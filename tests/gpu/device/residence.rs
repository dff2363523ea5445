//! Shares that stay on the device.

use crate::common::*;
use forall_core::device::{Cause, Launch, Moved, Part, Program, Residence, Resident, Type, Valid};
use forall_gpu::Gpu;

/// Adds one to each element; raises where it finds 99.
const NEXT: &str = "fn fa_iteration(p: u32) {
  let x = fa_load_0(p);
  fa_store_0(p, x + 1u);
  if (x == 99u) { fa_raise(5u); }
}";

/// A share, with what the host has of it.
struct Share {
    residence: Residence,
    first: usize,
    host: Vec<u16>,
}

impl Share {
    fn part(&mut self, from: usize, count: usize) -> Part<'_> {
        let address: *mut u8 = self.host.as_mut_ptr().cast();
        let held = Resident { residence: &self.residence, address, first: self.first, count: self.host.len() };
        let skipped = from - self.first;
        Part {
            address: address.wrapping_add(2 * skipped),
            first: from,
            count,
            len: 1000,
            share: Some(held),
            sparse: None,
            whole: false,
        }
    }

    /// The elements of it on the device.
    fn there(&self) -> Vec<u16> {
        let mut all = vec![0; self.host.len()];
        self.residence
            .with_memory(|memory| memory.as_ref().unwrap().download(&mut [(0, bytes_mut(&mut all))]))
            .unwrap();
        all
    }
}

fn bytes_mut(all: &mut [u16]) -> &mut [u8] {
    let size = size_of_val(all);
    // SAFETY: numbers have no padding, and any bytes are some.
    unsafe { std::slice::from_raw_parts_mut(all.as_mut_ptr().cast(), size) }
}

fn next(gpu: &Gpu, share: &mut Share, from: usize, count: usize) -> Option<(usize, Cause)> {
    let program = leak(Program { arrays: keep(&[writes(Type::U16)]), ..program(NEXT) });
    let arrays = [share.part(from, count)];
    run(gpu, &Launch { positions: from..from + count, arrays: &arrays, ..launch(program, 0) }).raised
}

#[test]
fn a_share_stays_until_it_is_asked_for() {
    let Some(gpu) = gpu() else { return };
    let mut share = Share { residence: Residence::default(), first: 100, host: (0..51).collect() };
    assert_eq!(next(gpu, &mut share, 100, 51), None);
    assert_eq!(share.residence.valid(), Valid::Device);
    assert_eq!(share.host, (0..51).collect::<Vec<u16>>(), "the host's copy is as it was");
    // Some of it, with an odd beginning.
    assert_eq!(next(gpu, &mut share, 117, 20), None);
    let wanted: Vec<u16> = (0..51).map(|x| if (17..37).contains(&x) { x + 2 } else { x + 1 }).collect();
    assert_eq!(share.there(), wanted);
}

#[test]
fn a_share_is_as_it_was_where_an_iteration_raises_something() {
    let Some(gpu) = gpu() else { return };
    // The host has it too.
    let mut share = Share { residence: Residence::default(), first: 0, host: (0..120).collect() };
    assert_eq!(next(gpu, &mut share, 0, 120), Some((99, Cause::Explicit)));
    assert_ne!(share.residence.valid(), Valid::Device);
    assert_eq!(share.host, (0..120).collect::<Vec<u16>>());
    // Only the device has it.
    assert_eq!(next(gpu, &mut share, 0, 99), None);
    assert_eq!(share.residence.valid(), Valid::Device);
    let before = share.there();
    assert_eq!(before[98], 99);
    assert_eq!(next(gpu, &mut share, 0, 120), Some((98, Cause::Explicit)));
    assert_eq!(share.residence.valid(), Valid::Device);
    assert_eq!(share.there(), before);
    assert_eq!(next(gpu, &mut share, 0, 98), None);
    assert_eq!(share.there()[..3], [2, 3, 4]);
}

#[test]
fn an_index_outside_of_the_part_is_raised_within_the_share() {
    let Some(gpu) = gpu() else { return };
    let mut share = Share { residence: Residence::default(), first: 0, host: vec![0; 100] };
    let program = leak(Program { arrays: keep(&[writes(Type::U16)]), ..program(NEXT) });
    let arrays = [share.part(10, 50)];
    let outcome = run(gpu, &Launch { positions: 10..100, arrays: &arrays, ..launch(program, 0) });
    assert_eq!(outcome.raised, Some((60, Cause::Index)));
}

#[test]
fn a_share_without_elements_does_not_stay() {
    let Some(gpu) = gpu() else { return };
    let mut share = Share { residence: Residence::default(), first: 0, host: vec![] };
    assert_eq!(next(gpu, &mut share, 0, 0), None);
    assert_eq!(share.residence.valid(), Valid::Host);
}

#[test]
fn shares_that_are_read_stay_too() {
    let Some(gpu) = gpu() else { return };
    let mut share = Share { residence: Residence::default(), first: 0, host: (0..40).collect() };
    let program = leak(Program {
        arrays: keep(&[reads(Type::U16), writes(Type::U16)]),
        ..program("fn fa_iteration(p: u32) { fa_store_1(p, fa_load_0(p) * 2u); }")
    });
    for _ in 0..3 {
        let mut out = vec![0_u16; 40];
        let arrays = [share.part(0, 40), part(&mut out)];
        assert_eq!(run(gpu, &Launch { arrays: &arrays, ..launch(program, 40) }).raised, None);
        assert!(out.iter().enumerate().all(|(i, out)| usize::from(*out) == 2 * i));
        assert_eq!(share.residence.valid(), Valid::Both);
    }
}

/// Turns the bits of each element around, which nothing can be raised by.
const TURNED: &str = "fn fa_iteration(p: u32) { fa_store_0(p, fa_wrap_u16(~fa_load_0(p))); }";

#[test]
fn nobody_waits_for_what_leaves_nothing() {
    let Some(gpu) = own_gpu() else { return };
    let program = leak(Program { arrays: keep(&[writes(Type::U16)]), ..program(TURNED) });
    let mut share = Share { residence: Residence::default(), first: 0, host: (0..1000).collect() };
    let turn = |share: &mut Share, timed| {
        let launch = Launch { arrays: &[share.part(0, 1000)], proved: true, timed, ..launch(program, 1000) };
        assert_eq!(run(&gpu, &launch).raised, None);
    };
    turn(&mut share, false);
    let before = Moved::so_far();
    // More of them than may be under way at once.
    (0..100).for_each(|_| turn(&mut share, false));
    assert_eq!(Moved::since(before), Moved { up: 0, down: 0 }, "not even flags come back");
    turn(&mut share, true);
    assert_ne!(Moved::since(before), Moved { up: 0, down: 0 });
    assert_eq!(share.there(), (0..1000).collect::<Vec<u16>>());
}
