//! Faults by a seeded generator: each is a clear error, nothing is lost, and nothing is left behind.
//!
//! A program on blocks out of core saves its state at each third step. It is killed, interrupted, gets a full disk, a removed folder or a panic in
//! a block, or its checkpoints are cut short or changed. Then it is started again on another number of ranks, and must end with the same bits.
//!
//! The program is this binary with `FAULT_PATH` set. Without it, the binary tries `FAULTS` faults, 24 by default, from the seed `FAULT_SEED`.

use forall::blocks::{Blocks, Link};
use forall::{CheckpointError, DistVec, Runtime, Settings, checkpoint, foreach, restart};
use serde::{Deserialize, Serialize};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    if env::var_os("FAULT_PATH").is_some() {
        return program();
    }
    // As a test of the usual kind, it has a name that may be asked for.
    let asked: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if !cfg!(unix) || !(asked.is_empty() || asked.iter().any(|name| "faults".contains(&**name))) {
        return ExitCode::SUCCESS;
    }
    try_faults();
    ExitCode::SUCCESS
}

/// The number of steps, and of those between two checkpoints.
const STEPS: usize = 12;
const EVERY: usize = 3;
const BLOCKS: usize = 9;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Cell {
    values: Vec<u64>,
    name: String,
}

fn variable(name: &str) -> Option<usize> {
    env::var(name).ok()?.parse().ok()
}

/// Panics in one block.
fn fail(block: usize, step: usize, [at, when]: [usize; 2]) {
    assert!(block != at || step != when, "the fault of block {block}");
}

#[foreach]
fn advance(blocks: &mut Blocks<Cell>, step: usize, fault: [usize; 2]) {
    for mut block in blocks.iter_mut() {
        let number = block.number();
        for message in block.inbox() {
            let values = message.read::<Vec<u64>>();
            for (own, value) in block.values.iter_mut().zip(values) {
                *own = own.wrapping_mul(31).wrapping_add(value);
            }
        }
        fail(number, step, fault);
        for link in block.links() {
            block.send(link, &block.values[..if step.is_multiple_of(2) { 1500 } else { 3 }].to_vec());
        }
    }
}

#[foreach]
fn decay(x: &mut [f64], step: usize) {
    for i in 0..x.len() {
        x[i] = x[i] * 0.75 + step as f64 / (i + 1) as f64;
    }
}

type State = (Blocks<Cell>, DistVec<f64>);

fn begin() -> (usize, State) {
    let blocks = Blocks::linked(BLOCKS, |number| {
        let values = (0..2000).map(|i| (i * 7 + number) as u64).collect();
        let links = vec![Link::to((number + 1) % BLOCKS), Link::to(number * 2 % BLOCKS)];
        (Cell { values, name: format!("cell {number}") }, links)
    });
    (0, (blocks, DistVec::from_fn(1001, |i| 1.0 / (i + 1) as f64)))
}

fn run() -> Result<u64, CheckpointError> {
    let path = PathBuf::from(env::var_os("FAULT_PATH").unwrap());
    let end = variable("FAULT_END").unwrap_or(STEPS);
    let fault = [variable("FAULT_BLOCK"), variable("FAULT_STEP")].map(|value| value.unwrap_or(usize::MAX));
    let folder = path.parent().and_then(Path::parent).unwrap();
    fs::write(folder.join(format!("rank.{}", forall::rank())), std::process::id().to_string()).unwrap();
    let (mut step, (mut blocks, mut vector)): (usize, State) = restart(&path)?.unwrap_or_else(begin);
    while step < end {
        if forall::rank() == 0 {
            println!("step {step}");
            if variable("FAULT_PAUSE") == Some(step) {
                println!("paused");
                // Until the file is there.
                while !folder.join("go").exists() {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
        }
        advance(&mut blocks, step, fault);
        decay(&mut vector, step);
        step += 1;
        checkpoint(EVERY, &path, step, &(&blocks, &vector))?;
    }
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |value: u64| digest = (digest ^ value).wrapping_mul(0x0100_0000_01b3).rotate_left(7);
    for cell in blocks.to_all() {
        cell.values.iter().for_each(|value| add(*value));
        cell.name.bytes().for_each(|byte| add(u64::from(byte)));
    }
    vector.to_all().iter().for_each(|value| add(value.to_bits()));
    Ok(digest)
}

/// The program on ranks of a launcher, or on `FAULT_RANKS` ranks of this process.
fn program() -> ExitCode {
    let finish = |result: Result<u64, CheckpointError>| match result {
        Ok(digest) if forall::rank() == 0 => println!("digest {digest:x}"),
        Ok(_) => {}
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(3);
        }
    };
    match variable("FAULT_RANKS") {
        None => forall::run(Settings::from_env().unwrap(), || finish(run())),
        Some(ranks) => {
            let mut results = Runtime::builder().ranks(ranks).threads(1).run(run);
            assert!(results.windows(2).all(|two| two[0] == two[1]), "all ranks have the same result: {results:?}");
            finish(results.remove(0));
            ExitCode::SUCCESS
        }
    }
}

/// The folders of one trial.
struct Trial {
    folder: tempfile::TempDir,
    expected: String,
}

/// The end of a run.
struct Ended {
    status: ExitStatus,
    said: String,
    complained: String,
}

impl Ended {
    fn of(mut child: Child, mut said: String) -> Ended {
        let mut complained = String::new();
        if let Some(mut out) = child.stdout.take() {
            out.read_to_string(&mut said).unwrap();
        }
        child.stderr.take().unwrap().read_to_string(&mut complained).unwrap();
        Ended { status: child.wait().unwrap(), said, complained }
    }

    fn digest(&self) -> Option<String> {
        self.said.lines().find_map(|line| Some(line.strip_prefix("digest ")?.to_owned()))
    }

    #[track_caller]
    fn must_fail(&self, with: &[&str]) {
        assert!(!self.status.success(), "the run ends with an error: {} {}", self.said, self.complained);
        for text in with {
            assert!(self.complained.contains(text), "`{text}` is in the message: {}", self.complained);
        }
    }
}

impl Trial {
    fn new(expected: &str) -> Trial {
        let folder = tempfile::tempdir().unwrap();
        ["store", "saves"].iter().for_each(|name| fs::create_dir(folder.path().join(name)).unwrap());
        Trial { folder, expected: expected.to_owned() }
    }

    fn saves(&self) -> PathBuf {
        self.folder.path().join("saves")
    }

    /// The program with these variables, started by this command.
    fn command(&self, starter: &[&str], variables: &[(&str, String)]) -> Command {
        let this = env::current_exe().unwrap();
        let mut words = starter.iter().map(std::ffi::OsStr::new).chain([this.as_os_str()]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).env("FAULT_PATH", self.saves().join("run")).env("FORALL_BLOCKS", "2");
        command.env("FORALL_STORE", self.folder.path().join("store")).env("RUST_BACKTRACE", "0");
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
        command
    }

    fn run(&self, ranks: usize, variables: &[(&str, String)]) -> Ended {
        let mut all = variables.to_vec();
        all.push(("FAULT_RANKS", ranks.to_string()));
        Ended::of(self.command(&[], &all).spawn().unwrap(), String::new())
    }

    /// Starts the program and reads its output up to this line.
    fn started(&self, starter: &[&str], variables: &[(&str, String)], line: &str) -> (Child, String) {
        let mut child = self.command(starter, variables).spawn().unwrap();
        let mut said = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        while !said.lines().any(|known| known == line) {
            if out.read_line(&mut said).unwrap() == 0 {
                let ended = Ended::of(child, said);
                panic!("the program ended before `{line}`: {}{}", ended.said, ended.complained);
            }
        }
        // The program goes on writing to the pipe.
        std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        (child, said)
    }

    /// Nothing but whole checkpoints is left.
    fn check_left(&self) {
        let names = |folder: &str| -> Vec<String> {
            let entries = fs::read_dir(self.folder.path().join(folder)).into_iter().flatten();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        assert_eq!(names("store"), [""; 0], "nothing is left of the store");
        let saves = names("saves");
        let is_save = |name: &String| name.strip_prefix("run.").is_some_and(|step| step.parse::<usize>().is_ok());
        assert!(saves.iter().all(is_save) && saves.len() <= 3, "only checkpoints are left: {saves:?}");
    }

    /// The program goes on without faults and ends with the same bits.
    fn check_restart(&self, ranks: usize) -> Ended {
        self.check_left();
        let ended = self.run(ranks, &[]);
        assert_eq!(ended.digest().as_ref(), Some(&self.expected), "{}{}", ended.said, ended.complained);
        self.check_left();
        ended
    }
}

/// A generator of faults: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % n as u64) as usize
    }

    fn ranks(&mut self) -> usize {
        [1, 2, 3, 4, 7][self.below(5)]
    }
}

type Fault = fn(&Trial, &mut Random);

const FAULTS: [(&str, Fault); 10] = [
    ("a file that is cut short", cut_short),
    ("a flipped bit", flipped),
    ("all checkpoints damaged", all_damaged),
    ("a panic in a block", panicked),
    ("a full disk", full_disk),
    ("no folder for the store", no_store),
    ("a removed folder of checkpoints", removed),
    ("a signal in a pause", interrupted),
    ("a signal at any time", killed),
    ("a removed folder of the store", store_removed),
];

fn try_faults() {
    let count = variable("FAULTS").unwrap_or(24);
    let mut random = Random(variable("FAULT_SEED").unwrap_or(37) as u64);
    let clean = Trial::new("");
    let expected = clean.run(1, &[]).digest().expect("the program ends without faults");
    let mut done = [0; FAULTS.len()];
    for number in 0..count {
        let (name, fault) = FAULTS[number % FAULTS.len()];
        let start = Instant::now();
        let trial = Trial::new(&expected);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fault(&trial, &mut random)));
        assert!(result.is_ok(), "fault {number}: {name}");
        assert!(start.elapsed() < Duration::from_secs(60), "fault {number}, {name}, took {:?}", start.elapsed());
        done[number % FAULTS.len()] += 1;
    }
    FAULTS.iter().zip(done).for_each(|((name, _), done)| println!("{done} times {name}: ok"));
    killed_ranks(&expected, &mut random, count.div_ceil(24));
}

/// Runs up to step 10, so that there are the checkpoints of steps 6 and 9.
fn two_saves(trial: &Trial, random: &mut Random) -> [PathBuf; 2] {
    let ended = trial.run(random.ranks(), &[("FAULT_END", "10".to_owned())]);
    assert!(ended.status.success(), "{}", ended.complained);
    [6, 9].map(|step| trial.saves().join(format!("run.{step}")))
}

fn cut(path: &Path, random: &mut Random) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..random.below(bytes.len())]).unwrap();
}

fn flip(path: &Path, random: &mut Random) {
    let mut bytes = fs::read(path).unwrap();
    let bit = random.below(8 * bytes.len());
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}

fn cut_short(trial: &Trial, random: &mut Random) {
    let [_, newest] = two_saves(trial, random);
    cut(&newest, random);
    let ended = trial.check_restart(random.ranks());
    assert!(ended.complained.contains("note: ") && ended.complained.contains("run.9"), "{}", ended.complained);
}

fn flipped(trial: &Trial, random: &mut Random) {
    let [_, newest] = two_saves(trial, random);
    flip(&newest, random);
    let ended = trial.check_restart(random.ranks());
    assert!(ended.complained.contains("note: ") && ended.complained.contains("run.9"), "{}", ended.complained);
}

fn all_damaged(trial: &Trial, random: &mut Random) {
    let saves = two_saves(trial, random);
    cut(&saves[0], random);
    flip(&saves[1], random);
    let before = saves.each_ref().map(|save| fs::read(save).unwrap());
    trial.run(random.ranks(), &[]).must_fail(&["error: ", "run.9"]);
    assert_eq!(saves.each_ref().map(|save| fs::read(save).unwrap()), before, "the files stay as they are");
    trial.check_left();
}

fn panicked(trial: &Trial, random: &mut Random) {
    let (block, step) = (random.below(BLOCKS), random.below(STEPS));
    let fault = [("FAULT_BLOCK", block.to_string()), ("FAULT_STEP", step.to_string())];
    trial.run(random.ranks(), &fault).must_fail(&[&format!("the fault of block {block}")]);
    trial.check_restart(random.ranks());
}

/// A limit of the size of files stands for a full disk: the system returns an error in the middle of a write.
fn full_disk(trial: &Trial, random: &mut Random) {
    let limit = 1 + random.below(400);
    let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\"");
    let child = trial.command(&["sh", "-c", &script], &[("FAULT_RANKS", random.ranks().to_string())]).spawn().unwrap();
    let ended = Ended::of(child, String::new());
    if !ended.status.success() {
        let of_store =
            ended.complained.contains("cannot be written to the folder") && ended.complained.contains("block");
        let of_save = ended.complained.contains("cannot write the checkpoint");
        assert!((of_store || of_save) && ended.complained.contains("File too large"), "{}", ended.complained);
    }
    trial.check_restart(random.ranks());
}

fn no_store(trial: &Trial, random: &mut Random) {
    let missing = trial.folder.path().join("missing").display().to_string();
    let ended = trial.run(random.ranks().min(4), &[("FORALL_STORE", missing.clone())]);
    ended.must_fail(&["cannot be written to the folder", &missing, "FORALL_STORE", "block"]);
    trial.check_restart(random.ranks());
}

fn removed(trial: &Trial, random: &mut Random) {
    let pause = random.below(STEPS);
    let variables = [("FAULT_RANKS", random.ranks().to_string()), ("FAULT_PAUSE", pause.to_string())];
    let (child, said) = trial.started(&[], &variables, "paused");
    let aside = trial.folder.path().join("aside");
    fs::rename(trial.saves(), &aside).unwrap();
    fs::write(trial.folder.path().join("go"), "").unwrap();
    Ended::of(child, said).must_fail(&["cannot write the checkpoint", "No such file or directory"]);
    assert!(!trial.saves().exists(), "nothing is made in place of the folder");
    fs::rename(&aside, trial.saves()).unwrap();
    trial.check_restart(random.ranks());
}

fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args([format!("-{name}"), process.to_string()]).status().unwrap().success());
}

fn any_signal(random: &mut Random) -> &'static str {
    ["INT", "TERM", "KILL"][random.below(3)]
}

fn interrupted(trial: &Trial, random: &mut Random) {
    let pause = random.below(STEPS);
    let variables = [("FAULT_RANKS", random.ranks().to_string()), ("FAULT_PAUSE", pause.to_string())];
    let (child, said) = trial.started(&[], &variables, "paused");
    signal(any_signal(random), child.id());
    Ended::of(child, said).must_fail(&[]);
    trial.check_restart(random.ranks());
}

fn killed(trial: &Trial, random: &mut Random) {
    let variables = [("FAULT_RANKS", random.ranks().to_string())];
    let (child, said) = trial.started(&[], &variables, &format!("step {}", random.below(STEPS)));
    std::thread::sleep(Duration::from_micros(random.below(20_000) as u64));
    signal(any_signal(random), child.id());
    // It may have ended before.
    drop(Ended::of(child, said));
    trial.check_restart(random.ranks());
}

/// The file of the store has no name, so the program does not need its folder any more.
fn store_removed(trial: &Trial, random: &mut Random) {
    let pause = random.below(STEPS);
    let ranks = random.ranks().min(4);
    let variables = [("FAULT_RANKS", ranks.to_string()), ("FAULT_PAUSE", pause.to_string())];
    let (child, said) = trial.started(&[], &variables, "paused");
    fs::remove_dir(trial.folder.path().join("store")).expect("the folder looks empty while the program uses it");
    fs::write(trial.folder.path().join("go"), "").unwrap();
    let ended = Ended::of(child, said);
    assert!(ended.status.success(), "{}", ended.complained);
    fs::create_dir(trial.folder.path().join("store")).unwrap();
    trial.check_restart(random.ranks());
}

/// The command that starts ranks.
const MPIRUN: [&str; 6] = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n"];

/// One of several ranks is killed. The others end soon, and the program goes on with another number of ranks. Left out without MPI.
fn killed_ranks(expected: &str, random: &mut Random, count: usize) {
    let with_mpi = |trial: &Trial, ranks: usize| {
        let ranks = ranks.to_string();
        let starter: Vec<&str> = MPIRUN.into_iter().chain([&*ranks]).collect();
        trial.command(&starter, &[]).output()
    };
    let probe = Trial::new(expected);
    match with_mpi(&probe, 2) {
        Ok(output) if output.status.success() => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(
                said.contains(&format!("digest {expected}")) && probe.folder.path().join("rank.1").exists(),
                "two ranks: {said}"
            );
            probe.check_left();
        }
        other => {
            let reason = other
                .map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stderr).into_owned());
            println!(
                "ranks that are killed: left out, because there is no MPI: {}",
                reason.lines().next().unwrap_or("")
            );
            return;
        }
    }
    for number in 0..count {
        let trial = Trial::new(expected);
        let (ranks, pause) = ([2, 3, 4][number % 3], random.below(STEPS));
        let text = ranks.to_string();
        let starter: Vec<&str> = MPIRUN.into_iter().chain([&*text]).collect();
        let variables = [("FAULT_PAUSE", pause.to_string())];
        let (child, said) = trial.started(&starter, &variables, "paused");
        let process = fs::read_to_string(trial.folder.path().join(format!("rank.{}", random.below(ranks)))).unwrap();
        let start = Instant::now();
        signal("KILL", process.parse().unwrap());
        Ended::of(child, said).must_fail(&[]);
        assert!(start.elapsed() < Duration::from_secs(10), "the others end after {:?}", start.elapsed());
        trial.check_restart([1, 3, 7, 2][number % 4]);
    }
    println!("{count} times a rank that is killed: ok");
}
