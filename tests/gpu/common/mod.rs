//! The shared parts of the tests: the graphics processor, and programs written by hand.
#![allow(dead_code, unused_macros, missing_docs)]

#[macro_use]
pub mod annotated;
pub mod number;

use forall_core::device::{Array, Launch, Outcome, Part, Program, Refusal, Touched, Type};
use forall_core::node::{Node, Serial};
pub use forall_gpu::Room;
use forall_gpu::{Choice, Gpu, GpuError, LookBack, Ways};
use std::sync::{Arc, OnceLock};

fn open() -> Result<Gpu, GpuError> {
    let choice = std::env::var("FORALL_GPU").map_or(Choice::LocalRank(0), |text| Choice::parse(&text));
    Gpu::open(Box::new(Serial), &choice)
}

/// The machine's graphics processor. Where there is none, tests are skipped, unless `FORALL_REQUIRE_GPU=1`.
pub fn gpu() -> Option<&'static Gpu> {
    static GPU: OnceLock<Option<Gpu>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| match open() {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var("FORALL_REQUIRE_GPU").as_deref() == Ok("1") => panic!("{error}"),
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            None
        }
    });
    gpu.as_ref()
}

/// It in all ways to run kernels that it has, with their names.
pub fn gpu_in_all_ways() -> &'static [(&'static str, Gpu)] {
    static GPUS: OnceLock<Vec<(&'static str, Gpu)>> = OnceLock::new();
    GPUS.get_or_init(|| {
        let Some(gpu) = gpu() else { return Vec::new() };
        let all = [
            ("runs", Ways { tiles: false, ..Ways::ALL }),
            ("tiles", Ways::ALL),
            ("subgroups", Ways { subgroups: true, ..Ways::ALL }),
            ("look-back", Ways { look_back: LookBack::Yes, ..Ways::ALL }),
            ("look-back with help", Ways { look_back: LookBack::Shy, ..Ways::ALL }),
            ("look-back with help, and subgroups", Ways { look_back: LookBack::Shy, subgroups: true, ..Ways::ALL }),
            ("runs and subgroups", Ways { tiles: false, subgroups: true, ..Ways::ALL }),
        ];
        let (has, lacks): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, ways)| gpu.has(*ways));
        lacks.iter().for_each(|(name, _)| eprintln!("SKIPPED: {name}, which {gpu:?} does not have"));
        has.into_iter().map(|(name, ways)| (name, open().unwrap().in_ways(ways))).collect()
    })
}

/// A graphics processor of a test's own, with as much room as it is given.
pub fn gpu_within(room: Room) -> Option<Arc<Gpu>> {
    gpu()?;
    let choice = std::env::var("FORALL_GPU").map_or(Choice::LocalRank(0), |text| Choice::parse(&text));
    Some(Arc::new(Gpu::open_within(Box::new(Serial), &choice, room).unwrap()))
}

/// One that the tests of a file share.
pub fn own_gpu() -> Option<Arc<Gpu>> {
    static GPU: OnceLock<Option<Arc<Gpu>>> = OnceLock::new();
    GPU.get_or_init(|| gpu_within(Room::default())).clone()
}

/// A program, for as long as the process runs.
pub fn program(source: impl Into<String>) -> Program {
    Program { name: "test", source: source.into().leak(), ..Program::EMPTY }
}

/// Keeps a list of types, as programs want it.
pub fn keep<T: Clone>(list: &[T]) -> &'static [T] {
    list.to_vec().leak()
}

/// A `static` program, which tells what its text does.
pub fn leak(program: Program) -> &'static Program {
    let body = |name: String| {
        let (_, rest) = program.source.split_once(&format!("fn {name}(")).unwrap_or_default();
        let text = rest.split("\nfn ").next().unwrap_or_default();
        let calls =
            |stem| (0..program.arrays.len()).filter(|k| text.contains(&format!("fa_{stem}_{k}("))).collect::<Vec<_>>();
        Touched { loads: calls("load").leak(), stores: calls("store").leak() }
    };
    let totals = (0..program.depth()).filter(|_| program.running).map(|level| match level {
        0 => body("fa_total".to_owned()),
        level => body(format!("fa_total_{level}")),
    });
    let touched = totals.chain([body("fa_iteration".to_owned())]).collect::<Vec<_>>().leak();
    Box::leak(Box::new(Program { touched, loops: program.source.contains("fa_trip("), ..program }))
}

pub fn reads(element: Type) -> Array {
    Array { element, writes: false }
}

pub fn writes(element: Type) -> Array {
    Array { element, writes: true }
}

/// All of an array.
pub fn part<T: Copy>(all: &mut [T]) -> Part<'static> {
    Part {
        address: all.as_mut_ptr().cast(),
        first: 0,
        count: all.len(),
        len: all.len(),
        share: None,
        sparse: None,
        whole: false,
    }
}

/// A launch that says nothing beside its positions.
pub fn launch(program: &'static Program, count: usize) -> Launch<'static> {
    Launch {
        program,
        positions: 0..count,
        arrays: &[],
        proved: false,
        overflow: true,
        values: &[],
        tables: &[],
        bins: &[],
        state: None,
        totals: None,
        timed: false,
    }
}

pub fn try_run(gpu: &Gpu, launch: &Launch<'_>) -> Result<Outcome, Refusal> {
    // SAFETY: the parts are slices of the test, which nothing else touches.
    unsafe { gpu.device().unwrap().run(launch) }
}

pub fn run(gpu: &Gpu, launch: &Launch<'_>) -> Outcome {
    try_run(gpu, launch).unwrap()
}

/// Values as Rust holds them.
pub fn bytes<T: Copy>(values: &[T]) -> Vec<u8> {
    let size = size_of_val(values);
    // SAFETY: numbers have no padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size) }.to_vec()
}

/// Values of bytes.
pub fn values<T: Copy>(bytes: &[u8]) -> Vec<T> {
    assert_eq!(bytes.len() % size_of::<T>(), 0);
    let count = bytes.len() / size_of::<T>();
    // SAFETY: tests ask for numbers, of which all bits are values.
    (0..count).map(|index| unsafe { bytes.as_ptr().cast::<T>().add(index).read_unaligned() }).collect()
}
