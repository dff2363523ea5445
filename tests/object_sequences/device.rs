//! A device for some of the steps, whose memory is sometimes full.

use forall_core::device::{Costs, Device, Launch, Outcome, Refusal};
use forall_core::node::{Node, Serial};
use forall_gpu::{Choice, Gpu, Room};
use forall_threads::Threads;
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The device of a rank in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Cores,
    Device,
    /// The device often has no memory for boxes that stay there.
    Full,
    /// The device refuses some tasks.
    Choosy,
}

thread_local! {
    static ACCESS: Cell<Access> = const { Cell::new(Access::Cores) };
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

static LAUNCHES: AtomicUsize = AtomicUsize::new(0);

/// The number of launches so far.
pub fn launches() -> usize {
    LAUNCHES.load(Ordering::Relaxed)
}

/// The calling rank uses the device in this way.
pub fn choose(access: Access) {
    ACCESS.set(access);
}

/// Workers, and a device.
pub struct Switched {
    workers: Box<dyn Node>,
    gpu: &'static Gpu,
}

impl Switched {
    /// `None` without a device. `small`: allocations of more than 1024 bytes do not fit into its memory.
    pub fn new(threads: usize, small: bool) -> Option<Switched> {
        let gpu = gpu(small)?;
        let workers: Box<dyn Node> = match threads {
            1 => Box::new(Serial),
            threads => Box::new(Threads::new(threads).expect("threads start")),
        };
        Some(Switched { workers, gpu })
    }
}

fn gpu(small: bool) -> Option<&'static Gpu> {
    static GPUS: [OnceLock<Option<Gpu>>; 2] = [const { OnceLock::new() }; 2];
    let memory = if small { 1024 } else { u64::MAX };
    let choice = std::env::var("FORALL_GPU").map_or(Choice::LocalRank(0), |text| Choice::parse(&text));
    let open = || match Gpu::open_within(Box::new(Serial), &choice, Room { memory, ..Room::default() }) {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var("FORALL_REQUIRE_GPU").as_deref() == Ok("1") => panic!("{error}"),
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            None
        }
    };
    GPUS[usize::from(small)].get_or_init(open).as_ref()
}

impl Node for Switched {
    fn name(&self) -> &'static str {
        "switched"
    }

    fn workers(&self) -> usize {
        self.workers.workers()
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        self.workers.run(workers, work);
    }

    fn may_have_device(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn Device> {
        (ACCESS.get() != Access::Cores).then_some(self)
    }
}

// SAFETY: the device runs the launches.
unsafe impl Device for Switched {
    fn name(&self) -> &str {
        Device::name(self.gpu)
    }

    fn costs(&self) -> Costs {
        Costs { launch: 0, byte: 0 }
    }

    fn holds(&self, bytes: usize) -> bool {
        self.gpu.holds(bytes)
    }

    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Outcome, Refusal> {
        let stays = launch.arrays.iter().any(|part| part.share.is_some());
        let count = ASKED.get();
        ASKED.set(count + 1);
        match ACCESS.get() {
            Access::Full if stays && !count.is_multiple_of(3) => {
                return Err(Refusal::Failed("there is no memory left".to_owned()));
            }
            Access::Choosy if count.is_multiple_of(4) => {
                return Err(Refusal::Cannot("every fourth task is too much".to_owned()));
            }
            _ => {}
        }
        LAUNCHES.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { Device::run(self.gpu, launch) }
    }
}
