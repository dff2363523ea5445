//! Settings from the environment.
//!
//! | variable | values | default | is |
//! |---|---|---|---|
//! | `FORALL_BACKEND` | `auto`, `serial`, `threads`, `gpu` | `auto` | the backend that runs the loops of each rank; `auto` is `threads` if it is built in, and with the feature `gpu` the graphics processor for loops that are expected to run faster there |
//! | `FORALL_THREADS` | 1, 2, 3, .. | the cores given to the rank | threads of each rank |
//! | `FORALL_GPU` | a number from 0, or part of a name | by the rank's number on its machine | the graphics processor |
//! | `FORALL_REQUIRE_GPU` | `0`, `1` | `0` | with `gpu`, a loop that the GPU cannot run is an error; with `gpu` and `auto`, so is a machine without one |
//! | `FORALL_GRAIN` | 1, 2, 3, .. | from the loop | iterations in a chunk; results of floating-point sums depend on it |
//! | `FORALL_SCHEDULE` | `steal`, `static`, `guided` | `steal` | the division of a loop's iterations among the workers: see [`Schedule`]; no result depends on it |
//! | `FORALL_CACHE` | 0, or a size: `512KiB`, `32MiB` | the last cache of the processor | written elements go past the caches if a loop sets more bytes of them than this, without reading them; no result depends on it |
//! | `FORALL_STRATEGY` | `device`, `arrivals`, `overlapped`, `speculative`, `chunks`, `one-piece` or `in-order`. Several need commas and a `-` each: `-device,-chunks` | all | the [strategy](Strategy) of all loops. With a `-`, no loop has it. |
//! | `FORALL_BLOCKS` | 1, 2, 3, ..; or a size: `512MiB`, `4GiB`, `10GB` | all | the number of blocks of each [`Blocks`](crate::blocks::Blocks) that a rank keeps in memory, or their [size](crate::blocks#memory). A number also limits the workers on them. |
//! | `FORALL_STORE` | a folder | the system's for temporary files | the folder for spilled blocks: an unnamed file for each rank |
//! | `FORALL_DIRECTORY` | `hashed`, `root` | `hashed` | the ranks that keep the owners of the boxes of [objects](crate::objects): all, by a hash of the box, or rank 0 |
//! | `FORALL_PLACEMENT` | `locality`, `round-robin`, `stealing`, or some of `earlier`, `load`, `input`, `intersection` with commas | `locality` | the [criteria](Criteria) that place tasks on [objects](crate::objects): `locality` is all of them. `stealing` moves tasks to ranks that have none left |
//! | `FORALL_EXPLAIN` | `0`, `1` | `0` | print the plan of each annotated loop with its reasons, at its first call, and the bytes of each array that moved between ranks |
//! | `FORALL_VERIFY` | `0`, `1` | `0` | compare every call with the sequential function and stop at the first difference |
//! | `FORALL_RANKS` | 1, 2, 3, .. | those of the launcher | the number of ranks. If the launcher started another number, the program ends with an error. With 1, each process is a separate program, under any launcher, and MPI is not used: for many independent runs by one `srun` or `mpirun` |
//! | `FORALL_STALL` | seconds; `,abort` after them | `60` | the time for which a rank waits for another before it reports the call, the other rank and the message; with `,abort` the report ends the program |
//! | `FORALL_TRACE` | a file name | none | write a trace of all ranks and threads that <https://ui.perfetto.dev> opens |
//!
//! An empty variable counts as not set. Another variable that begins with `FORALL_` is an error, which names the nearest setting: names with this
//! prefix are reserved. An invalid value is an error that names the variable and the valid values; the program then ends with
//! status 2 before it does anything. On several ranks, the settings of rank 0 hold for all, because launchers do not pass the environment to
//! other machines by default.

use crate::comm::{Comm, Stall, collective};
use crate::error::Error;
use crate::streaming::last_cache;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The settings of one run: see the [table](self).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// `FORALL_BACKEND`: the backend that runs the loops of each rank.
    pub backend: Backend,
    /// `FORALL_THREADS`: threads of each rank; by default the cores that the launcher gave the rank.
    pub threads: Option<NonZeroUsize>,
    /// `FORALL_GPU`: the graphics processor, by its number or a part of its name; by default by the rank's number.
    pub gpu: Option<String>,
    /// `FORALL_REQUIRE_GPU`: with [`Backend::Gpu`], a loop that the GPU cannot run is an error; with that and
    /// [`Backend::Auto`], so is a machine without one.
    pub require_gpu: bool,
    /// `FORALL_GRAIN`: iterations in a chunk; by default the loop's own.
    pub grain: Option<NonZeroUsize>,
    /// `FORALL_SCHEDULE`: the division of a loop's iterations among the workers.
    pub schedule: Schedule,
    /// `FORALL_CACHE`: the bytes from which on elements that a loop sets go past the caches; by default the size of the last cache.
    pub cache: Option<usize>,
    /// `FORALL_STRATEGY`: the strategies by which loops may run.
    pub strategies: Strategies,
    /// `FORALL_BLOCKS`: the number of blocks that a rank keeps in memory; all of them by default.
    pub blocks: Option<NonZeroUsize>,
    /// `FORALL_BLOCKS` with a unit: the bytes of the blocks that a rank keeps in memory; all of them by default.
    pub block_bytes: Option<NonZeroU64>,
    /// `FORALL_STORE`: the folder for spilled blocks; a name in UTF-8.
    pub store: Option<PathBuf>,
    /// `FORALL_DIRECTORY`: the ranks that keep the owners of the boxes of objects.
    pub directory: Directory,
    /// `FORALL_PLACEMENT`: where tasks on objects run.
    pub placement: Placement,
    /// `FORALL_EXPLAIN`: print the plan of each loop.
    pub explain: bool,
    /// `FORALL_VERIFY`: compare every call with the sequential function.
    pub verify: bool,
    /// `FORALL_RANKS`: the number of ranks of the program; by default the launcher's. Ranks in one process (`Runtime`) have their own
    /// number.
    pub ranks: Option<NonZeroUsize>,
    /// `FORALL_STALL`: the time for which a rank waits for another before it reports that, and whether the report ends the program.
    pub stall: Stall,
    /// `FORALL_TRACE`: the file for the trace; a name in UTF-8.
    pub trace: Option<PathBuf>,
}

/// The backend that runs the loops of each rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Backend {
    /// The processor's cores, and a graphics processor for loops that are expected to run faster there.
    #[default]
    Auto,
    /// The calling thread alone.
    Serial,
    /// All cores of the rank.
    Threads,
    /// The graphics processor of the rank.
    Gpu,
}

impl Backend {
    /// All backends, in the order in which messages list them.
    pub const ALL: [Backend; 4] = [Backend::Auto, Backend::Serial, Backend::Threads, Backend::Gpu];

    /// The value of the environment variable.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Serial => "serial",
            Backend::Threads => "threads",
            Backend::Gpu => "gpu",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        backend("backend", word)
    }
}

/// The division of a loop's iterations among the workers of a rank. No result depends on it.
///
/// Scans, traversals, sorts and devices divide their work in their own ways.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Schedule {
    /// A free worker takes the next iterations. If each worker has a state, it steals the later half of another worker's remaining
    /// iterations, and needs one more state.
    #[default]
    Steal,
    /// All workers have the same number of iterations, and the same ones in each call, for any cost of an iteration.
    Static,
    /// A free worker takes a part of the remaining iterations: a quarter with 2 workers. The parts become shorter towards the end.
    Guided,
}

impl Schedule {
    /// All schedules, in the order in which messages list them.
    pub const ALL: [Schedule; 3] = [Schedule::Steal, Schedule::Static, Schedule::Guided];

    /// The value of the environment variable.
    pub const fn name(self) -> &'static str {
        match self {
            Schedule::Steal => "steal",
            Schedule::Static => "static",
            Schedule::Guided => "guided",
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Schedule {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        schedule("schedule", word)
    }
}

/// The way in which the iterations of a loop run. A loop runs by the first of the strategies that are right for it and that the settings
/// allow; if they allow none of these, by the first that is right.
///
/// Traversals, sorts and tasks on objects have their own ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Strategy {
    /// The graphics processor runs the loop.
    Device,
    /// Blocks process [messages](crate::blocks::BlockMut::receive) as they arrive, and not in waves.
    Arrivals,
    /// While the elements of other ranks are in transit, iterations run that do not access them; then the others, in chunks.
    Overlapped,
    /// Chunks run as if no earlier one ended the loop or changed its way. If one of them panics, the iterations run in order.
    Speculative,
    /// The workers run chunks, whose results merge.
    Chunks,
    /// One worker of one rank runs all iterations as one range.
    OnePiece,
    /// The iterations run in their order, one rank after the other.
    InOrder,
}

impl Strategy {
    /// All strategies, in the order in which messages list them.
    pub const ALL: [Strategy; 7] = [
        Strategy::Device,
        Strategy::Arrivals,
        Strategy::Overlapped,
        Strategy::Speculative,
        Strategy::Chunks,
        Strategy::OnePiece,
        Strategy::InOrder,
    ];

    /// The word in the environment variable, in `EXPLAIN` and in traces.
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::Device => "device",
            Strategy::Arrivals => "arrivals",
            Strategy::Overlapped => "overlapped",
            Strategy::Speculative => "speculative",
            Strategy::Chunks => "chunks",
            Strategy::OnePiece => "one-piece",
            Strategy::InOrder => "in-order",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A set of strategies. By default it has all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Strategies {
    /// A bit for each strategy, from the lowest on in the order of [`Strategy::ALL`].
    bits: u8,
}

impl Default for Strategies {
    fn default() -> Self {
        Strategies { bits: (1 << Strategy::ALL.len()) - 1 }
    }
}

impl Strategies {
    /// No strategy.
    pub(crate) const NONE: Strategies = Strategies { bits: 0 };

    /// This strategy alone.
    #[inline]
    pub const fn only(strategy: Strategy) -> Strategies {
        Strategies { bits: 1 << strategy as u8 }
    }

    /// These strategies without this one.
    #[must_use]
    #[inline]
    pub const fn without(self, strategy: Strategy) -> Strategies {
        Strategies { bits: self.bits & !Strategies::only(strategy).bits }
    }

    /// Whether the set has a strategy.
    #[inline]
    pub const fn has(self, strategy: Strategy) -> bool {
        self.bits & Strategies::only(strategy).bits != 0
    }

    /// This set and a strategy, on a condition.
    pub(crate) const fn and(self, strategy: Strategy, condition: bool) -> Strategies {
        Strategies { bits: self.bits | (condition as u8) << strategy as u8 }
    }

    /// The strategies that both sets have.
    pub(crate) const fn common(self, other: Strategies) -> Strategies {
        Strategies { bits: self.bits & other.bits }
    }

    /// Their names, with commas between them.
    pub(crate) fn names(self) -> String {
        let names: Vec<&str> =
            Strategy::ALL.into_iter().filter(|strategy| self.has(*strategy)).map(Strategy::name).collect();
        names.join(", ")
    }

    /// The first strategy in the order of [`Strategy::ALL`].
    pub(crate) fn first(self) -> Option<Strategy> {
        Strategy::ALL.get(self.bits.trailing_zeros() as usize).copied()
    }
}

impl FromStr for Strategies {
    type Err = Error;

    fn from_str(words: &str) -> Result<Self, Error> {
        strategies("strategy", words)
    }
}

/// The ranks that keep the owners of the boxes of [objects](crate::objects). No result depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Directory {
    /// All ranks, by a hash of the box.
    #[default]
    Hashed,
    /// Rank 0.
    Root,
}

impl Directory {
    /// All kinds, in the order in which messages list them.
    pub const ALL: [Directory; 2] = [Directory::Hashed, Directory::Root];

    /// The value of the environment variable.
    pub const fn name(self) -> &'static str {
        match self {
            Directory::Hashed => "hashed",
            Directory::Root => "root",
        }
    }
}

impl fmt::Display for Directory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Where tasks on [objects](crate::objects) run. No result depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Placement {
    /// By these criteria.
    By(Criteria),
    /// Task 0 on rank 0, task 1 on rank 1, and so on, for comparison.
    RoundRobin,
    /// By all criteria at first. Tasks that have not begun move to ranks that run out of them. They stay in loops that are cut at barriers, that
    /// declare ranges while they run, or whose results cannot be sent: user-defined states, and pushed elements that are neither plain data nor
    /// implement serde's traits.
    Stealing,
}

/// The criteria by which tasks are placed, in their order. Each can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Criteria {
    /// Where the tasks of the last call of the same function ran.
    pub earlier: bool,
    /// Each rank has an equal part of the cost.
    pub load: bool,
    /// The rank that holds most of a task's input.
    pub input: bool,
    /// If the input is nowhere yet: tasks whose boxes overlap run on one rank.
    pub intersection: bool,
}

impl Criteria {
    /// All of them.
    pub const ALL: Criteria = Criteria { earlier: true, load: true, input: true, intersection: true };
}

impl Default for Placement {
    fn default() -> Self {
        Placement::By(Criteria::ALL)
    }
}

impl Settings {
    /// The bytes from which on elements that a loop sets go past the caches; `None` if they never do.
    pub(crate) fn cache(&self) -> Option<usize> {
        self.cache.or_else(last_cache)
    }

    /// The settings of rank 0, or `None` if it has none, on every rank. All ranks call it.
    pub fn of_rank_0(comm: &dyn Comm, settings: Option<&Settings>) -> Option<Settings> {
        if comm.ranks() == 1 {
            return settings.cloned();
        }
        let encode = || postcard::to_stdvec(&settings).expect("settings are numbers and a name in UTF-8");
        let bytes = collective::broadcast(comm, 0, (comm.rank() == 0).then(encode));
        postcard::from_bytes(&bytes).expect("all ranks run the same program")
    }

    /// The settings of the environment.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`] for a variable that begins with `FORALL_` and is no setting, and [`Error::Setting`] for the first variable with an
    /// invalid value.
    pub fn from_env() -> Result<Settings, Error> {
        Settings::from_variables(std::env::vars_os())
    }

    /// The settings of any table of variables, by their names. Variables that do not begin with `FORALL_` are ignored.
    ///
    /// # Errors
    /// As [`Settings::from_env`].
    pub fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Settings, Error> {
        let own = variables.into_iter().filter_map(|(name, value)| Some((own_name(&name)?, value)));
        let set: BTreeMap<String, OsString> = own.filter(|(_, value)| !value.is_empty()).collect();
        if let Some(name) = set.keys().find(|name| !NAMES.contains(&&***name)) {
            return Err(Error::UnknownSetting { name: name.clone(), nearest: nearest(name) });
        }
        let set = |name: &str| set.get(name).cloned();
        let (blocks, block_bytes) = read(set("FORALL_BLOCKS"), resident)?.unwrap_or_default();
        Ok(Settings {
            backend: read(set("FORALL_BACKEND"), |value| backend("FORALL_BACKEND", value))?.unwrap_or_default(),
            threads: read(set("FORALL_THREADS"), |value| count("FORALL_THREADS", value))?,
            gpu: set("FORALL_GPU").map(|name| name.to_string_lossy().trim().to_owned()),
            require_gpu: read(set("FORALL_REQUIRE_GPU"), |value| switch("FORALL_REQUIRE_GPU", value))?.unwrap_or(false),
            grain: read(set("FORALL_GRAIN"), |value| count("FORALL_GRAIN", value))?,
            schedule: read(set("FORALL_SCHEDULE"), |value| schedule("FORALL_SCHEDULE", value))?.unwrap_or_default(),
            cache: read(set("FORALL_CACHE"), cache)?,
            strategies: read(set("FORALL_STRATEGY"), |value| strategies("FORALL_STRATEGY", value))?.unwrap_or_default(),
            blocks,
            block_bytes,
            store: set("FORALL_STORE")
                .map(|name| path("FORALL_STORE", "a folder with a name in UTF-8", name))
                .transpose()?,
            directory: read(set("FORALL_DIRECTORY"), directory)?.unwrap_or_default(),
            placement: read(set("FORALL_PLACEMENT"), placement)?.unwrap_or_default(),
            explain: read(set("FORALL_EXPLAIN"), |value| switch("FORALL_EXPLAIN", value))?.unwrap_or(false),
            verify: read(set("FORALL_VERIFY"), |value| switch("FORALL_VERIFY", value))?.unwrap_or(false),
            ranks: read(set("FORALL_RANKS"), |value| count("FORALL_RANKS", value))?,
            stall: read(set("FORALL_STALL"), stall)?.unwrap_or_default(),
            trace: set("FORALL_TRACE").map(|name| path("FORALL_TRACE", "a file name in UTF-8", name)).transpose()?,
        })
    }
}

/// The names of all variables.
const NAMES: [&str; 17] = [
    "FORALL_BACKEND",
    "FORALL_THREADS",
    "FORALL_GPU",
    "FORALL_REQUIRE_GPU",
    "FORALL_GRAIN",
    "FORALL_SCHEDULE",
    "FORALL_CACHE",
    "FORALL_STRATEGY",
    "FORALL_BLOCKS",
    "FORALL_STORE",
    "FORALL_DIRECTORY",
    "FORALL_PLACEMENT",
    "FORALL_EXPLAIN",
    "FORALL_VERIFY",
    "FORALL_RANKS",
    "FORALL_STALL",
    "FORALL_TRACE",
];

/// The name of a variable that begins with `FORALL_`. Some systems do not distinguish small letters from capital ones, and users mistake them.
fn own_name(name: &OsStr) -> Option<String> {
    let name = name.to_string_lossy();
    let upper = name.to_ascii_uppercase();
    if !upper.starts_with("FORALL_") {
        return None;
    }
    Some(if cfg!(windows) { upper } else { name.into_owned() })
}

/// The setting with the name that is most like this one.
fn nearest(name: &str) -> &'static str {
    let upper = name.to_ascii_uppercase();
    let distance = |known: &&&str| strsim::damerau_levenshtein(known, &upper);
    NAMES.iter().min_by_key(distance).expect("there are settings")
}

/// Reads a variable that is set. Text that is not Unicode is shown as well as possible; it is never a valid value.
fn read<T>(value: Option<OsString>, parse: impl Fn(&str) -> Result<T, Error>) -> Result<Option<T>, Error> {
    value.as_deref().map(OsStr::to_string_lossy).map(|value| parse(value.trim())).transpose()
}

fn backend(name: &str, value: &str) -> Result<Backend, Error> {
    let known = Backend::ALL.into_iter().find(|backend| backend.name() == value);
    known.ok_or_else(|| refuse(name, value, "one of auto, serial, threads, gpu"))
}

fn schedule(name: &str, value: &str) -> Result<Schedule, Error> {
    let known = Schedule::ALL.into_iter().find(|schedule| schedule.name() == value);
    known.ok_or_else(|| refuse(name, value, "one of steal, static, guided"))
}

fn strategies(name: &str, value: &str) -> Result<Strategies, Error> {
    let known = |word: &str| Strategy::ALL.into_iter().find(|strategy| strategy.name() == word);
    let good = "one of device, arrivals, overlapped, speculative, chunks, one-piece, in-order, or some of them with a `-` before each and commas \
                between them";
    if let Some(only) = known(value) {
        return Ok(Strategies::only(only));
    }
    let forbidden = value.split(',').map(|word| known(word.trim().strip_prefix('-')?));
    let forbidden: Option<Vec<Strategy>> = forbidden.collect();
    let forbidden = forbidden.ok_or_else(|| refuse(name, value, good))?;
    Ok(forbidden.into_iter().fold(Strategies::default(), Strategies::without))
}

fn directory(value: &str) -> Result<Directory, Error> {
    let known = Directory::ALL.into_iter().find(|directory| directory.name() == value);
    known.ok_or_else(|| refuse("FORALL_DIRECTORY", value, "one of hashed, root"))
}

fn placement(value: &str) -> Result<Placement, Error> {
    match value {
        "locality" => return Ok(Placement::default()),
        "round-robin" => return Ok(Placement::RoundRobin),
        "stealing" => return Ok(Placement::Stealing),
        _ => {}
    }
    let mut criteria = Criteria { earlier: false, load: false, input: false, intersection: false };
    for word in value.split(',') {
        match word.trim() {
            "earlier" => criteria.earlier = true,
            "load" => criteria.load = true,
            "input" => criteria.input = true,
            "intersection" => criteria.intersection = true,
            _ => {
                let good = "locality, round-robin, stealing, or some of earlier, load, input, intersection, with commas between them";
                return Err(refuse("FORALL_PLACEMENT", value, good));
            }
        }
    }
    Ok(Placement::By(criteria))
}

fn count(name: &str, value: &str) -> Result<NonZeroUsize, Error> {
    value.parse().map_err(|_| refuse(name, value, "a whole number from 1 on"))
}

/// The units of sizes, in bytes.
const UNITS: [(&str, u64); 9] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

/// A number of blocks, or of bytes with a unit.
fn resident(value: &str) -> Result<(Option<NonZeroUsize>, Option<NonZeroU64>), Error> {
    let read = match bytes(value) {
        None => value.parse().ok().map(|blocks| (Some(blocks), None)),
        Some(bytes) => bytes.and_then(NonZeroU64::new).map(|bytes| (None, Some(bytes))),
    };
    read.ok_or_else(|| refuse("FORALL_BLOCKS", value, RESIDENT))
}

/// A size with a unit in bytes, if it is valid; `None` if there is no unit.
fn bytes(value: &str) -> Option<Option<u64>> {
    let (number, unit) = UNITS.iter().find_map(|(unit, bytes)| Some((value.strip_suffix(unit)?.trim_end(), bytes)))?;
    Some(number.parse::<u64>().ok().and_then(|number| number.checked_mul(*unit)))
}

fn cache(value: &str) -> Result<usize, Error> {
    let size = if value == "0" { Some(0) } else { bytes(value).flatten() };
    let size = size.and_then(|size| usize::try_from(size).ok());
    size.ok_or_else(|| refuse("FORALL_CACHE", value, CACHE))
}

const CACHE: &str = "0, or a size such as 512KiB or 32MiB";

const RESIDENT: &str = "a whole number of blocks from 1 on, or a size such as 512MiB, 4GiB or 10GB";

fn switch(name: &str, value: &str) -> Result<bool, Error> {
    match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(refuse(name, value, "0 or 1")),
    }
}

fn stall(value: &str) -> Result<Stall, Error> {
    let (seconds, abort) = match value.split_once(',') {
        Some((seconds, word)) => (seconds, word.trim() == "abort"),
        None => (value, false),
    };
    let limit = seconds.trim().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match limit.filter(|limit| !limit.is_zero() && abort == value.contains(',')) {
        Some(limit) => Ok(Stall { limit, abort }),
        None => Err(refuse("FORALL_STALL", value, "a number of seconds above 0, alone or followed by `,abort`")),
    }
}

fn path(name: &str, good: &'static str, value: OsString) -> Result<PathBuf, Error> {
    let text = value.into_string();
    text.map(PathBuf::from).map_err(|value| refuse(name, &value.to_string_lossy(), good))
}

fn refuse(name: &str, value: &str, good: &'static str) -> Error {
    Error::Setting { name: name.to_owned(), value: value.to_owned(), good }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<Settings, String> {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        Settings::from_variables(variables).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_set_is_the_default() {
        assert_eq!(settings(&[]), Ok(Settings::default()));
        assert_eq!(settings(&[("FORALL_BACKEND", ""), ("FORALL_THREADS", ""), ("FORALL_TRACE", "")]), settings(&[]));
    }

    #[test]
    fn every_variable_is_read() {
        let all = settings(&[
            ("FORALL_BACKEND", "serial"),
            ("FORALL_THREADS", "3"),
            ("FORALL_GPU", "llvmpipe"),
            ("FORALL_REQUIRE_GPU", "1"),
            ("FORALL_GRAIN", "4096"),
            ("FORALL_SCHEDULE", "guided"),
            ("FORALL_CACHE", "32MiB"),
            ("FORALL_STRATEGY", "-speculative, -overlapped"),
            ("FORALL_BLOCKS", "8"),
            ("FORALL_STORE", "/scratch"),
            ("FORALL_DIRECTORY", "root"),
            ("FORALL_PLACEMENT", "earlier, input"),
            ("FORALL_EXPLAIN", "1"),
            ("FORALL_VERIFY", "1"),
            ("FORALL_RANKS", "4"),
            ("FORALL_STALL", "2.5, abort"),
            ("FORALL_TRACE", "out/trace.json"),
        ]);
        let expected = Settings {
            backend: Backend::Serial,
            threads: NonZeroUsize::new(3),
            gpu: Some("llvmpipe".to_owned()),
            require_gpu: true,
            grain: NonZeroUsize::new(4096),
            schedule: Schedule::Guided,
            cache: Some(32 << 20),
            strategies: Strategies::default().without(Strategy::Speculative).without(Strategy::Overlapped),
            blocks: NonZeroUsize::new(8),
            block_bytes: None,
            store: Some("/scratch".into()),
            directory: Directory::Root,
            placement: Placement::By(Criteria { load: false, intersection: false, ..Criteria::ALL }),
            explain: true,
            verify: true,
            ranks: NonZeroUsize::new(4),
            stall: Stall { limit: Duration::from_millis(2500), abort: true },
            trace: Some("out/trace.json".into()),
        };
        assert_eq!(all, Ok(expected));
    }

    #[test]
    fn documentation_and_messages_know_the_same_names() {
        let rows = include_str!("settings.rs").lines().filter_map(|line| line.strip_prefix("//! | `"));
        let documented: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
        assert_eq!(documented, NAMES);
        let text = include_str!("settings.rs").split("mod tests").next().unwrap();
        for name in NAMES {
            assert!(text.matches(name).count() > 2, "{name} is not read");
        }
    }

    #[test]
    fn a_misspelt_name_is_an_error_with_the_nearest_one() {
        for (name, nearest) in [
            ("FORALL_THREAD", "FORALL_THREADS"),
            ("FORALL_THRAEDS", "FORALL_THREADS"),
            ("forall_backend", "FORALL_BACKEND"),
            ("FORALL_STALLS", "FORALL_STALL"),
        ] {
            let message = settings(&[("FORALL_THREADS", "2"), (name, "2")]).unwrap_err();
            assert!(message.starts_with(&format!("there is no setting `{name}`")), "{message}");
            assert!(message.ends_with(&format!("`{nearest}`?")), "{message}");
        }
        assert_eq!(settings(&[("FORALL_THREAD", ""), ("FORALLS", "2"), ("OMP_NUM_THREADS", "x")]), settings(&[]));
    }

    #[test]
    fn blocks_may_have_a_size() {
        for (value, bytes) in
            [("4GiB", 4 << 30), ("512 MiB", 512 << 20), ("10GB", 10_000_000_000), ("7kB", 7000), ("9B", 9)]
        {
            let expected = Settings { block_bytes: NonZeroU64::new(bytes), ..Settings::default() };
            assert_eq!(settings(&[("FORALL_BLOCKS", value)]), Ok(expected));
        }
    }

    #[test]
    fn one_strategy_or_all_but_some() {
        for strategy in Strategy::ALL {
            let only: Strategies = strategy.name().parse().unwrap();
            let without: Strategies = format!("-{strategy}").parse().unwrap();
            for other in Strategy::ALL {
                assert_eq!(only.has(other), other == strategy);
                assert_eq!(without.has(other), other != strategy);
            }
        }
        for bad in ["quick", "-quick", "chunks,device", "-chunks,device", "-", "all"] {
            assert!(bad.parse::<Strategies>().is_err(), "{bad}");
        }
    }

    #[test]
    fn rank_0_decides() {
        let results = crate::comm::Local::run(3, |comm| {
            let own = Settings { threads: NonZeroUsize::new(5 + comm.rank()), ..Settings::default() };
            Settings::of_rank_0(&comm, Some(&own)).and_then(|settings| settings.threads)
        });
        assert_eq!(results, [NonZeroUsize::new(5); 3]);
    }

    #[test]
    fn bad_values_name_the_variable_and_the_good_ones() {
        for (name, value, good) in [
            ("FORALL_BACKEND", "cuda", "one of auto, serial, threads, gpu"),
            ("FORALL_THREADS", "0", "a whole number from 1 on"),
            ("FORALL_THREADS", "-2", "a whole number from 1 on"),
            ("FORALL_GRAIN", "many", "a whole number from 1 on"),
            ("FORALL_SCHEDULE", "dynamic", "one of steal, static, guided"),
            ("FORALL_REQUIRE_GPU", "lots", "0 or 1"),
            ("FORALL_CACHE", "32", CACHE),
            ("FORALL_CACHE", "-1MiB", CACHE),
            ("FORALL_CACHE", "all", CACHE),
            ("FORALL_BLOCKS", "0", RESIDENT),
            ("FORALL_BLOCKS", "0GiB", RESIDENT),
            ("FORALL_BLOCKS", "1.5GiB", RESIDENT),
            ("FORALL_BLOCKS", "4 gigabytes", RESIDENT),
            ("FORALL_BLOCKS", "99999999999999TiB", RESIDENT),
            ("FORALL_DIRECTORY", "everywhere", "one of hashed, root"),
            (
                "FORALL_PLACEMENT",
                "load,random",
                "locality, round-robin, stealing, or some of earlier, load, input, intersection, with commas between them",
            ),
            ("FORALL_EXPLAIN", "yes", "0 or 1"),
            ("FORALL_VERIFY", "2", "0 or 1"),
            ("FORALL_RANKS", "0", "a whole number from 1 on"),
            ("FORALL_STALL", "0", "a number of seconds above 0, alone or followed by `,abort`"),
            ("FORALL_STALL", "-1", "a number of seconds above 0, alone or followed by `,abort`"),
            ("FORALL_STALL", "9,die", "a number of seconds above 0, alone or followed by `,abort`"),
        ] {
            let message = settings(&[(name, value)]).unwrap_err();
            assert_eq!(message, format!("{name}={value:?} is not understood: use {good}"));
        }
    }
}
