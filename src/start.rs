//! Starts and ends the program on every rank.

use crate::backend;
use crate::outcome::Outcome;
use forall_core::allocator::keep_freed_memory;
use forall_core::comm::{Comm, Solo, collective};
use forall_core::error::{AnotherRankFailed, Error, panic_message};
use forall_core::node::Node;
#[cfg(feature = "mpi")]
use forall_core::runtime::launch::Launch;
use forall_core::runtime::launch::{Launches, is_test_binary};
use forall_core::runtime::{Context, End, OnFailure, Rank, close, install, panic_note, watch_panics};
use forall_core::settings::Settings;
use forall_core::trace::Recorder;
use std::any::Any;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use std::time::Duration;

/// Runs `program` with these settings on every rank that the launcher started, or on one. `#[forall::main]` does the same with
/// the settings of the environment.
///
/// ```
/// # use std::process::ExitCode;
/// fn main() -> ExitCode {
///     let settings = forall::Settings { backend: forall::Backend::Serial, ..Default::default() };
///     forall::run(settings, || println!("rank {} of {}", forall::rank(), forall::ranks()))
/// }
/// ```
///
/// The result is the return value of `main`. With several ranks, an error that `program` returns on some of them is printed
/// once, and gives those an exit status other than 0. A panic on any rank is printed once, with the rank, and ends all ranks.
/// All ranks must make the same annotated calls.
///
/// As with `MALLOC_TRIM_THRESHOLD_`, the allocator keeps up to 256 MiB of freed memory for reuse, because loops allocate the
/// same amount again at each call. If the environment configures the GNU C library's allocator, that setting applies instead.
///
/// Unavailable settings, such as a backend that is not built in, are printed and give exit status 2; `program` does not run
/// then.
pub fn run<R: Outcome>(settings: Settings, program: impl FnOnce() -> R) -> ExitCode {
    start(Ok(settings), None, program)
}

/// Like [`run`], but runs the loops of each rank on this node, in place of the backends of the settings: see
/// [`Builder::node`](crate::Builder::node), and `examples/minimal_backend` for a whole program.
pub fn run_on<R: Outcome>(node: impl Node + 'static, settings: Settings, program: impl FnOnce() -> R) -> ExitCode {
    start(Ok(settings), Some(Arc::new(node)), program)
}

/// The entry point of `#[forall::main]`: [`run`] with the settings of the environment.
pub fn run_main<R: Outcome>(program: impl FnOnce() -> R) -> ExitCode {
    start(Settings::from_env(), None, program)
}

fn start<R: Outcome>(
    settings: Result<Settings, Error>,
    node: Option<Arc<dyn Node>>,
    program: impl FnOnce() -> R,
) -> ExitCode {
    keep_freed_memory();
    CONNECTED.store(true, Ordering::Relaxed);
    let (comm, cores) = match connect(settings.as_ref().ok().and_then(|settings| settings.ranks)) {
        Ok(connected) => connected,
        Err(error) => return refuse_once(&error),
    };
    let Some((settings, node, trace)) = prepare(&*comm, settings, node, cores) else {
        return ExitCode::from(REFUSED);
    };
    let place = Rank { rank: comm.rank(), ranks: comm.ranks() };
    if place.ranks > 1 {
        watch_panics();
    }
    let context = install(Context::new(comm, node, settings));
    let code = if place.ranks == 1 { run_alone(&context, program) } else { run_rank(&context, program) };
    trace.finish(context.comm());
    code
}

/// Runs the program on a single rank. A panic is an ordinary one, with the iteration added.
fn run_alone<R: Outcome>(context: &Context, program: impl FnOnce() -> R) -> ExitCode {
    match catch_unwind(AssertUnwindSafe(program)) {
        Ok(outcome) => outcome.report(),
        Err(payload) => {
            if let Some(location) = context.location() {
                eprintln!("the panic came from {location}");
            }
            resume_unwind(payload)
        }
    }
}

/// Runs the program on one of several ranks, which always end together.
fn run_rank<R: Outcome>(context: &Context, program: impl FnOnce() -> R) -> ExitCode {
    let (comm, place) = (context.comm(), context.this_rank());
    let outcome = match catch_unwind(AssertUnwindSafe(program)) {
        Ok(outcome) => outcome,
        Err(payload) if payload.is::<AnotherRankFailed>() => comm.abort(""),
        Err(payload) => comm.abort_at(context.panicked_at(), &report_panic(context, &*payload)),
    };
    context.pass();
    let failed = outcome.error().is_some();
    match close(comm, "main", context.calls(), if failed { End::Failed } else { End::Finished }) {
        Ok(ends) if failed => {
            let first = ends.iter().position(|end| *end == End::Failed);
            let all = ends.iter().all(|end| *end == End::Failed);
            match first {
                Some(rank) if rank != place.rank => ExitCode::FAILURE,
                _ => {
                    if !all {
                        eprint!("{place}: ");
                    }
                    outcome.report()
                }
            }
        }
        Ok(_) => outcome.report(),
        Err(broken) if broken.failed == Some(place.rank) => {
            eprint!("{place}: ");
            outcome.report();
            comm.abort(&format!("{place} returned an error from main, which ends all ranks"))
        }
        Err(broken) if broken.failed.is_none() && place.rank == 0 => comm.abort(&broken.message),
        Err(_) => comm.abort(""),
    }
}

/// The message for a panic: rank, function, iteration, payload, location.
pub(crate) fn report_panic(context: &Context, payload: &(dyn Any + Send)) -> String {
    let message = panic_message(payload);
    let mut report = format!("{} panicked", context.this_rank());
    if let Some(location) = context.location() {
        report += &format!(" in {location}");
    }
    report += &format!(": {message}");
    if let Some(note) = panic_note(message) {
        report += &format!(" ({})", note.place);
        if let Some(backtrace) = note.backtrace {
            report += &format!("\n{backtrace}");
        }
    }
    report
}

/// The exit status for unavailable settings.
const REFUSED: u8 = 2;

fn complain(error: &Error) {
    eprintln!("error: {error}");
}

/// The time that a rank other than the first waits before it ends with an error that all ranks have.
const FIRST_SPEAKS: Duration = Duration::from_secs(1);

/// Ends a rank that cannot communicate with the others. They end for the same reason, and rank 0 reports it. A launcher ends
/// all ranks when the first of them ends, so the other ranks wait until rank 0 has printed its message.
fn refuse_once(error: &Error) -> ExitCode {
    let launches = Launches::of_environment();
    match launches.innermost() {
        Some(launch) if launch.rank > 0 && launch.ranks.is_some() => std::thread::sleep(FIRST_SPEAKS),
        _ => complain(error),
    }
    ExitCode::from(REFUSED)
}

/// The settings of the environment. If they are invalid, the process ends.
pub(crate) fn settings_or_exit() -> Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    let read = || {
        Settings::from_env().unwrap_or_else(|error| {
            complain(&error);
            std::process::exit(REFUSED.into())
        })
    };
    SETTINGS.get_or_init(read).clone()
}

/// Whether this process has asked its launcher for the other ranks.
pub(crate) static CONNECTED: AtomicBool = AtomicBool::new(false);

/// The context of a thread without one: a single rank with the settings of the environment.
///
/// If a launcher started several ranks, and no `#[forall::main]` or `#[forall::test]` connects them, each process would run the
/// whole program, so the process ends with an error. If the program is connected, a separate thread may run annotated functions
/// on its own.
pub fn ambient() -> Context {
    static NOTE: Once = Once::new();
    let settings = settings_or_exit();
    let alone = settings.ranks.is_some_and(|ranks| ranks.get() == 1);
    let launches = Launches::of_environment();
    if let Some(launch) = launches.of_several().filter(|_| !alone) {
        // The thread of a test has the name of the test.
        let may_be_test = is_test_binary() && std::thread::current().name() != Some("main");
        if !CONNECTED.load(Ordering::Relaxed) && !may_be_test {
            let _ = refuse_once(&Error::NoMain { launch: launch.to_string() });
            std::process::exit(REFUSED.into());
        }
        if launch.rank == 0 {
            NOTE.call_once(|| {
                eprintln!(
                    "note: an annotated function was called on a thread that #[forall::main] or #[forall::test] did not \
                     start: it runs as a single rank"
                );
            });
        }
    }
    let node = backend::node(&settings, backend::cores()).unwrap_or_else(|error| {
        complain(&error);
        std::process::exit(REFUSED.into())
    });
    Context::new(Box::new(Solo), node, settings).on_failure(OnFailure::Unwind)
}

/// The ranks that the launcher started, or a single one; and the number of cores of this rank.
fn connect(wanted: Option<NonZeroUsize>) -> Result<(Box<dyn Comm>, usize), Error> {
    let wanted = wanted.map(usize::from);
    let launches = Launches::of_environment();
    if wanted == Some(1) || !launches.need_mpi() {
        return match wanted {
            Some(wanted) if wanted > 1 => Err(Error::OtherRanks { wanted, found: 1 }),
            _ => Ok((Box::new(Solo), backend::cores())),
        };
    }
    connect_launched(&launches, wanted)
}

#[cfg(not(feature = "mpi"))]
pub(crate) fn connect_launched(launches: &Launches, _: Option<usize>) -> Result<(Box<dyn Comm>, usize), Error> {
    Err(Error::NoMpi {
        launch: launches.of_several().or(launches.innermost()).map(ToString::to_string).unwrap_or_default(),
    })
}

#[cfg(feature = "mpi")]
fn connect_launched(launches: &Launches, wanted: Option<usize>) -> Result<(Box<dyn Comm>, usize), Error> {
    static LEAVE: Once = Once::new();
    let comm = start_mpi(forall_mpi::Callers::OneThread, launches, wanted)?;
    LEAVE.call_once(|| forall_mpi::at_exit(leave));
    let cores = comm.cores();
    Ok((Box::new(comm), cores))
}

/// Starts MPI, and compares its ranks with those that launchers started.
#[cfg(feature = "mpi")]
pub(crate) fn start_mpi(
    callers: forall_mpi::Callers,
    launches: &Launches,
    wanted: Option<usize>,
) -> Result<forall_mpi::Mpi, Error> {
    let other = |launch: &Launch, ranks: String| Error::OtherLauncher {
        launch: launch.to_string(),
        library: forall_mpi::library(),
        ranks,
    };
    // Open MPI would end the process: it finds other ranks only through PMI or PMIx.
    if let Some(launch) = launches.of_several()
        && launches.are_without_mpi()
        && forall_mpi::library().starts_with("Open MPI")
    {
        return Err(other(launch, "no other rank".to_owned()));
    }
    let comm = forall_mpi::start(callers).map_err(|refused| Error::Mpi { reason: refused.to_string() })?;
    let found = comm.ranks();
    let error = match wanted {
        Some(wanted) => (wanted != found).then_some(Error::OtherRanks { wanted, found }),
        None => launches.disagreement(found).map(|launch| {
            other(launch, if found == 1 { "no other rank".to_owned() } else { format!("{found} ranks") })
        }),
    };
    match error {
        Some(error) => {
            forall_mpi::finish();
            Err(error)
        }
        None => Ok(comm),
    }
}

/// Ends the process on one of several ranks, for any kind of exit. Ranks that all arrive here end MPI together. A rank that
/// arrives alone, through `std::process::exit`, notifies the others, which would otherwise wait for it.
#[cfg(feature = "mpi")]
extern "C" fn leave() {
    // During a call, the others wait for another message. The launcher ends them when this process has ended.
    if !forall_mpi::usable() || forall_core::runtime::in_call() {
        return;
    }
    let comm = forall_mpi::Mpi::world();
    match close(&comm, "main", 0, End::Left) {
        Ok(_) => forall_mpi::finish(),
        Err(broken) if broken.failed.is_none() && comm.rank() == 0 => comm.abort(&broken.message),
        Err(_) => comm.abort(""),
    }
}

/// Determines on every rank whether all ranks can provide the settings of rank 0. If not, one of the ranks has printed the
/// reason.
fn prepare(
    comm: &dyn Comm,
    settings: Result<Settings, Error>,
    node: Option<Arc<dyn Node>>,
    cores: usize,
) -> Option<(Settings, Arc<dyn Node>, Trace)> {
    if let (0, Err(error)) = (comm.rank(), &settings) {
        complain(error);
    }
    let settings = Settings::of_rank_0(comm, settings.ok().as_ref())?;
    let trace = Trace::begin(comm, settings.trace.clone());
    let node = node.map_or_else(|| backend::node(&settings, cores), Ok);
    let ready = trace.and_then(|trace| Ok((node?, trace)));
    let failed = collective::allgather(comm, &[ready.is_err()]);
    let first = failed.iter().position(|failed| *failed);
    match ready {
        Ok((node, trace)) if first.is_none() => {
            if let Some(recorder) = &trace.recorder {
                recorder.begin(comm);
            }
            Some((settings, node, trace))
        }
        Err(error) if first == Some(comm.rank()) => {
            complain(&error);
            None
        }
        _ => None,
    }
}

/// The trace of a run, if there is one.
struct Trace {
    recorder: Option<Recorder>,
    path: PathBuf,
}

impl Trace {
    fn begin(comm: &dyn Comm, path: Option<PathBuf>) -> Result<Trace, Error> {
        // A process has one recorder, also if it runs several programs one after the other.
        static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);
        let Some(path) = path else {
            return Ok(Trace { recorder: None, path: PathBuf::new() });
        };
        if comm.rank() == 0 {
            Recorder::check(&path)?;
        }
        let mut recorder = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
        if recorder.is_none() {
            *recorder = Some(Recorder::install(&path)?);
        }
        Ok(Trace { recorder: recorder.clone(), path })
    }

    fn finish(&self, comm: &dyn Comm) {
        if let Some(recorder) = &self.recorder
            && let Err(error) = recorder.finish(comm, &self.path)
        {
            complain(&error);
        }
    }
}
