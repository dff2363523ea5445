//! Chooses the node. Only this module knows which backends are built in.

use forall_core::error::Error;
use forall_core::node::{Node, Serial};
use forall_core::settings::{Backend, Settings};
use std::sync::{Arc, LazyLock};

/// The node for these settings, on a rank with this number of cores.
///
/// # Errors
/// If the backend is not built in, or the operating system refuses to create threads.
pub(crate) fn node(settings: &Settings, cores: usize) -> Result<Arc<dyn Node>, Error> {
    let count = settings.threads.map_or(cores, usize::from);
    match settings.backend {
        Backend::Serial => Ok(Arc::new(Serial)),
        Backend::Threads => threads(count),
        Backend::Auto => auto(settings, count),
        Backend::Gpu => gpu(settings, count),
    }
}

/// The threads if they are built in, otherwise the calling thread.
fn processor(count: usize) -> Result<Arc<dyn Node>, Error> {
    if cfg!(feature = "threads") { threads(count) } else { Ok(Arc::new(Serial)) }
}

#[cfg(not(feature = "gpu"))]
fn auto(settings: &Settings, count: usize) -> Result<Arc<dyn Node>, Error> {
    if settings.require_gpu { gpu(settings, count) } else { processor(count) }
}

/// The processor's cores, and a GPU, which is opened when the first loop needs it.
#[cfg(feature = "gpu")]
fn auto(settings: &Settings, count: usize) -> Result<Arc<dyn Node>, Error> {
    use forall_core::device::Device;
    use std::sync::OnceLock;

    struct Auto {
        cpu: Arc<dyn Node>,
        settings: Settings,
        count: usize,
        gpu: OnceLock<Option<Arc<dyn Node>>>,
    }

    impl Node for Auto {
        fn name(&self) -> &'static str {
            self.cpu.name()
        }

        fn workers(&self) -> usize {
            self.cpu.workers()
        }

        fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
            self.cpu.run(workers, work);
        }

        fn may_have_device(&self) -> bool {
            self.gpu.get().is_none_or(Option::is_some)
        }

        /// A GPU that the processor emulates is not faster, so the settings must request it by name.
        fn device(&self) -> Option<&dyn Device> {
            let asked = self.settings.gpu.is_some();
            let open = || match gpu(&self.settings, self.count) {
                Ok(node) if asked || node.device().is_some_and(|gpu| !gpu.simulated()) => Some(node),
                Ok(_) => None,
                Err(error) => {
                    tracing::info!(%error, "loops run on the processor's cores");
                    None
                }
            };
            self.gpu.get_or_init(open).as_ref()?.device()
        }
    }

    if settings.require_gpu {
        // On a machine without a GPU, the error occurs here and not later.
        gpu(settings, count)?;
    }
    let cpu = processor(count)?;
    Ok(Arc::new(Auto { cpu, settings: settings.clone(), count, gpu: OnceLock::new() }))
}

/// The GPU, and the threads for loops that it does not run.
#[cfg(feature = "gpu")]
fn gpu(settings: &Settings, count: usize) -> Result<Arc<dyn Node>, Error> {
    use forall_core::runtime::launch::local_rank;
    use forall_gpu::{Choice, Gpu};
    use std::sync::{Mutex, PoisonError};
    type Opened = (Choice, usize, Arc<Gpu>);
    static NODES: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

    let choice = match &settings.gpu {
        Some(text) => Choice::parse(text),
        None => Choice::LocalRank(local_rank().unwrap_or(0)),
    };
    // Opening a GPU takes long, so all ranks of a process share it, also in later runs.
    let mut nodes = NODES.lock().unwrap_or_else(PoisonError::into_inner);
    // A program that the driver cannot compile may lose the device. Later runs get another one.
    nodes.retain(|(.., node)| !node.is_lost());
    if let Some((.., node)) = nodes.iter().find(|(known, threads, _)| (known, *threads) == (&choice, count)) {
        return Ok(node.clone());
    }
    let cpu = processor(count)?;
    let node = Gpu::open(Box::new(cpu), &choice).map_err(|error| Error::Gpu { reason: error.to_string() })?;
    let node = Arc::new(node);
    nodes.push((choice, count, node.clone()));
    Ok(node)
}

#[cfg(not(feature = "gpu"))]
fn gpu(_: &Settings, _: usize) -> Result<Arc<dyn Node>, Error> {
    Err(Error::NoBackend { backend: "gpu", remedy: "it needs the feature `gpu`; choose serial or threads".to_owned() })
}

/// The number of cores that the operating system gives this process. The query reads files, so the result is cached.
pub(crate) fn cores() -> usize {
    static CORES: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    *CORES
}

/// Nodes of the same size share their threads: tests run many ranks one after the other, and also on several threads at once.
#[cfg(feature = "threads")]
fn threads(count: usize) -> Result<Arc<dyn Node>, Error> {
    use forall_threads::Threads;
    use std::collections::BTreeMap;
    use std::sync::{Mutex, PoisonError};
    static NODES: Mutex<BTreeMap<usize, Arc<Threads>>> = Mutex::new(BTreeMap::new());

    let mut nodes = NODES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(node) = nodes.get(&count) {
        return Ok(node.clone());
    }
    let node = Threads::new(count).map_err(|error| Error::Threads { threads: count, reason: error.to_string() })?;
    let node = Arc::new(node);
    nodes.insert(count, node.clone());
    Ok(node)
}

#[cfg(not(feature = "threads"))]
fn threads(_: usize) -> Result<Arc<dyn Node>, Error> {
    Err(Error::NoBackend { backend: "threads", remedy: "it needs the feature `threads`; choose serial".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(backend: Backend, threads: usize) -> Result<(&'static str, usize), String> {
        let settings = Settings { backend, threads: std::num::NonZeroUsize::new(threads), ..Settings::default() };
        node(&settings, 3).map(|node| (node.name(), node.workers())).map_err(|error| error.to_string())
    }

    #[test]
    fn the_settings_choose() {
        assert_eq!(chosen(Backend::Serial, 4), Ok(("serial", 1)));
        #[cfg(not(feature = "gpu"))]
        {
            let lacks =
                "this build of the program has no backend `gpu`: it needs the feature `gpu`; choose serial or threads";
            assert_eq!(chosen(Backend::Gpu, 0).unwrap_err(), lacks);
            let required = Settings { require_gpu: true, ..Settings::default() };
            assert_eq!(node(&required, 1).err().map(|error| error.to_string()).as_deref(), Some(lacks));
        }
    }

    #[test]
    #[cfg(feature = "gpu")]
    fn what_is_required_and_missing_is_an_error() {
        for backend in [Backend::Gpu, Backend::Auto] {
            let gpu = Some("no such processor".to_owned());
            let required = Settings { require_gpu: true, backend, gpu, ..Settings::default() };
            let reason = node(&required, 1).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(reason.contains("no such processor") || reason.contains("no graphics"), "{reason}");
        }
    }

    #[test]
    #[cfg(feature = "threads")]
    fn threads_are_the_cores_unless_told() {
        assert_eq!(chosen(Backend::Auto, 0), Ok(("threads", 3)));
        assert_eq!(chosen(Backend::Threads, 2), Ok(("threads", 2)));
    }
}
