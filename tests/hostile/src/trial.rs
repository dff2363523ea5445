//! Programs on trial: compiled many at once, run, and compared with their twins.

use crate::program::{Program, Refusal};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The fate of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Without the attribute it does not compile, or does not come to an end: the generator's mistake.
    IllTyped(String),
    /// The macro refuses it, with these codes.
    Refused(Vec<String>),
    /// The expansion does not compile, and the message has a code of ours.
    RefusedByTypes(String),
    /// The expansion does not compile, with a message that is rustc's alone.
    Ugly(String),
    /// Each call gives what the twin gives, or ends with a code.
    RefusedInCall(String),
    /// Each call gives what the twin gives.
    Right,
    /// Something else: what kind of mistake, and where.
    Wrong(String, String),
}

/// How long a program may take without saying anything.
const PATIENCE: Duration = Duration::from_secs(240);

/// The same without overflow checks: some programs then count through all numbers, with the attribute and without.
const PATIENCE_WITHOUT_CHECKS: Duration = Duration::from_secs(10);

/// The kind of mistake of a program that takes longer.
pub const HANGS: &str = "it hangs";

/// Where programs are compiled and run.
pub struct Court {
    folder: tempfile::TempDir,
    forall: PathBuf,
    hostile: PathBuf,
    checks: Checks,
    gpu: bool,
}

/// The checks of programs while they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checks {
    /// The checks of builds without optimisation.
    Debug,
    /// The checks of optimised builds.
    Release,
    /// The same, with canaries around each block of memory; nothing is optimised, as that takes longer than to run.
    Canaries,
}

impl Court {
    /// Finds the libraries that programs are linked with; cargo builds them if need be, as this program was built. Where that was
    /// together with other packages, which changes what features the libraries have, the variable `COMPILED_BY` tells cargo's arguments,
    /// such as `test --no-run --workspace`.
    pub fn new(gpu: bool) -> io::Result<Court> {
        Court::with(if cfg!(debug_assertions) { Checks::Debug } else { Checks::Release }, gpu)
    }

    /// The same for programs that check no more than optimised builds do, with canaries around each block of memory.
    pub fn with_canaries() -> io::Result<Court> {
        Court::with(Checks::Canaries, false)
    }

    fn with(checks: Checks, gpu: bool) -> io::Result<Court> {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        match std::env::var("COMPILED_BY") {
            _ if checks == Checks::Canaries => {
                cargo.args(["build", "--lib", "--no-default-features"]);
                // Macros stay as they are compiled already.
                for (setting, value) in [("", false), ("build-override.", true)] {
                    for check in ["debug-assertions", "overflow-checks"] {
                        cargo.arg("--config").arg(format!("profile.dev.{setting}{check}={value}"));
                    }
                }
                &mut cargo
            }
            Ok(arguments) => cargo.args(arguments.split_whitespace()),
            Err(_) => {
                let features = if cfg!(feature = "gpu") { &["--features", "gpu"][..] } else { &[] };
                cargo.args(["build", "--lib", "--profile", &profile()?]).args(features)
            }
        };
        cargo.args(["--message-format=json", "--manifest-path"]);
        cargo.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
        let output = cargo.stderr(Stdio::inherit()).output()?;
        let library = |name: &str| {
            let messages = output.stdout.lines().map_while(Result::ok);
            let artifact = messages
                .filter_map(|line| serde_json::from_str::<Value>(&line).ok())
                .filter(|message| message["reason"] == "compiler-artifact" && message["target"]["name"] == name)
                .flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default())
                .find_map(|file| file.as_str().filter(|file| file.ends_with(".rlib")).map(PathBuf::from));
            artifact.ok_or_else(|| io::Error::other(format!("cargo did not build the library `{name}`")))
        };
        let (forall, hostile) = (library("forall")?, library("forall_hostile")?);
        Ok(Court { folder: tempfile::tempdir()?, forall, hostile, checks, gpu })
    }

    /// The verdict on each program.
    pub fn try_all(&self, programs: &[Program]) -> io::Result<Vec<Verdict>> {
        let mut verdicts: Vec<Option<Verdict>> = programs
            .iter()
            .map(|program| match program.refused() {
                Some(Refusal::Codes(codes)) => Some(Verdict::Refused(codes)),
                Some(Refusal::Panic) => Some(Verdict::Wrong("the macro panics".into(), String::new())),
                None => None,
            })
            .collect();
        self.compile(programs, &mut verdicts, true)?;
        self.compile(programs, &mut verdicts, false)?;
        self.run(&mut verdicts)?;
        Ok(verdicts.into_iter().map(|verdict| verdict.expect("every program was tried")).collect())
    }

    /// Compiles those that have no verdict; those that do not compile get one. The binary of the rest is built unless they are plain.
    fn compile(&self, programs: &[Program], verdicts: &mut [Option<Verdict>], plain: bool) -> io::Result<()> {
        loop {
            let (mut text, mut ends, mut cases) = (String::new(), Vec::new(), String::new());
            for (number, program) in programs.iter().enumerate().filter(|(number, _)| verdicts[*number].is_none()) {
                writeln!(text, "{}", program.modules(number, plain)).expect("text takes all");
                ends.push((text.lines().count(), number));
                let (exact, alone) = (program.exact(), program.has_statics());
                writeln!(
                    cases,
                    "forall_hostile::world::Case {{ exact: {exact}, alone: {alone}, call: h{number}::call }},"
                )
                .expect("text takes all");
            }
            if ends.is_empty() {
                return Ok(());
            }
            let cases = if plain { "" } else { &cases };
            if self.checks == Checks::Canaries {
                text += "#[global_allocator] static MEMORY: forall_hostile::world::Canaries = forall_hostile::world::Canaries;\n";
            }
            write!(text, "fn main() {{ forall_hostile::world::main(&[{cases}]) }}").expect("text takes all");
            let mistakes = self.rustc(&text, if plain { &["--emit=metadata"] } else { &[] })?;
            if mistakes.is_empty() {
                return Ok(());
            }
            for (line, message) in mistakes {
                let Some((_, number)) = ends.iter().find(|(end, _)| line <= *end) else {
                    return Err(io::Error::other(format!("the table of programs does not compile: {}", message.text)));
                };
                let verdict = match (plain, code_in(&message.shown)) {
                    (true, _) => Verdict::IllTyped(message.text),
                    (false, Some(code)) => Verdict::RefusedByTypes(code),
                    (false, None) => Verdict::Ugly(message.text),
                };
                // A message of ours says it all; those of rustc beside it are its consequences.
                let slot = &mut verdicts[*number];
                if slot.is_none() || matches!(verdict, Verdict::RefusedByTypes(_)) {
                    *slot = Some(verdict);
                }
            }
        }
    }

    /// Compiles a text as `batch`; the line and the message of each error.
    fn rustc(&self, text: &str, options: &[&str]) -> io::Result<Vec<(usize, Message)>> {
        let source = self.folder.path().join("batch.rs");
        std::fs::write(&source, text)?;
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition=2024", "--cap-lints=allow", "--error-format=json", "--crate-name=batch"]);
        let flag = match self.checks {
            Checks::Debug => "debug-assertions=on",
            Checks::Release => "opt-level=2",
            Checks::Canaries => "debug-assertions=off",
        };
        rustc.args(["-C", "debuginfo=0", "-C", flag]);
        for (name, library) in [("forall", &self.forall), ("forall_hostile", &self.hostile)] {
            rustc.arg("--extern").arg(format!("{name}={}", library.display()));
        }
        let folder = self.forall.parent().expect("a library is in a folder");
        for folder in [folder.join("deps"), folder.to_owned()] {
            rustc.arg("-L").arg(format!("dependency={}", folder.display()));
        }
        let output = rustc.args(options).arg("--out-dir").arg(self.folder.path()).arg(&source).output()?;
        let messages = output.stderr.lines().map_while(Result::ok);
        let mut mistakes: Vec<(usize, Message)> = messages
            .filter_map(|line| serde_json::from_str::<Value>(&line).ok())
            .filter(|message| message["level"].as_str().is_some_and(|level| level.starts_with("error")))
            .filter_map(|message| Some((line_of(&message, &source)?, Message::of(&message)?)))
            .collect();
        mistakes.sort();
        if mistakes.is_empty() && !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(io::Error::other(format!("rustc failed: {}", said.chars().take(2000).collect::<String>())));
        }
        Ok(mistakes)
    }

    /// Runs the batch over those without a verdict, from program to program, and starts it again after each that ends it.
    fn run(&self, verdicts: &mut [Option<Verdict>]) -> io::Result<()> {
        let cases: Vec<usize> = (0..verdicts.len()).filter(|number| verdicts[*number].is_none()).collect();
        let mut first = 0;
        while first < cases.len() {
            let (mut child, lines) = self.start(first)?;
            // What ends the process, or stops it, is the work of the program that has begun, or of its twin.
            let mut twin = false;
            let died = loop {
                let patience = if self.checks == Checks::Canaries { PATIENCE_WITHOUT_CHECKS } else { PATIENCE };
                let Ok(line) = lines.recv_timeout(patience) else {
                    let status = child.try_wait()?;
                    child.kill()?;
                    break status.map_or(HANGS.to_owned(), |status| format!("the process ends: {status}"));
                };
                let words: Vec<&str> = line.split('\t').collect();
                let verdict = match words[..] {
                    ["right", _] => Verdict::Right,
                    ["refused", _, code] => Verdict::RefusedInCall(code.to_owned()),
                    ["wrong", _, kind, detail] => Verdict::Wrong(kind.to_owned(), detail.to_owned()),
                    ["end"] => return child.wait().map(drop),
                    ["twin"] => {
                        twin = true;
                        continue;
                    }
                    ["twin ends"] => {
                        twin = false;
                        continue;
                    }
                    _ => continue,
                };
                verdicts[cases[first]] = Some(verdict);
                first += 1;
            };
            child.wait()?;
            if first < cases.len() {
                let by_itself = format!("without the attribute: {died}");
                let wrong = Verdict::Wrong(died, String::new());
                verdicts[cases[first]] = Some(if twin { Verdict::IllTyped(by_itself) } else { wrong });
                first += 1;
            }
        }
        Ok(())
    }

    /// Starts the batch, and reads what it says.
    fn start(&self, first: usize) -> io::Result<(Child, Receiver<String>)> {
        let mut child = Command::new(self.folder.path().join("batch"))
            .arg(first.to_string())
            .args(self.gpu.then_some("gpu"))
            // It ends when this does.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = child.stdout.take().expect("it was asked for");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        Ok((child, lines))
    }
}

/// The profile that this program was built with: cargo names the folder after it.
fn profile() -> io::Result<String> {
    let program = std::env::current_exe()?;
    let folders = program.ancestors().skip(1).filter_map(|folder| folder.file_name()?.to_str());
    let profile = folders.into_iter().find(|name| *name != "deps");
    Ok(profile.map_or("dev", |name| if name == "debug" { "dev" } else { name }).to_owned())
}

/// The message of rustc about a mistake.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    text: String,
    /// With the code that it is about, and all notes.
    shown: String,
}

impl Message {
    fn of(message: &Value) -> Option<Message> {
        let text = |field: &str| Some(message[field].as_str()?.to_owned());
        Some(Message { text: text("message")?, shown: text("rendered")? })
    }
}

/// The code of ours that a message has: `FA032`, in words or in the name of the function that asks (`fa032_..`).
fn code_in(message: &str) -> Option<String> {
    let message = message.to_uppercase();
    let is_code = |at: &usize| message[at + 2..].chars().take(3).filter(char::is_ascii_digit).count() == 3;
    let (at, _) = message.match_indices("FA0").find(|(at, _)| is_code(at))?;
    message.get(at..at + 5).map(str::to_owned)
}

/// The line of the batch that an error is about: where its first place, or the macro that led there, was written.
fn line_of(message: &Value, source: &Path) -> Option<usize> {
    fn find(span: &Value, source: &str) -> Option<usize> {
        if span["file_name"] == source {
            return Some(span["line_start"].as_u64()? as usize);
        }
        let inner = &span["expansion"]["span"];
        if inner.is_object() { find(inner, source) } else { None }
    }
    let spans = message["spans"].as_array()?;
    let primary = spans.iter().filter(|span| span["is_primary"] == true);
    primary.chain(spans).find_map(|span| find(span, source.to_str()?))
}

/// How many programs had each verdict, for a table.
#[derive(Default)]
pub struct Tally(BTreeMap<String, usize>);

impl Tally {
    /// Counts one.
    pub fn count(&mut self, program: &Program, verdict: &Verdict) {
        let share = if program.natural { "natural" } else { "hostile" };
        let mut add = |name: String| *self.0.entry(name).or_default() += 1;
        add(format!("{share}: tried"));
        match verdict {
            Verdict::IllTyped(_) => add(format!("{share}: ill-typed")),
            Verdict::Refused(codes) => {
                add(format!("{share}: refused by the macro"));
                add(format!("{share}: refused by the macro, {}", codes[0]));
            }
            Verdict::RefusedByTypes(code) => add(format!("{share}: refused by rustc, {code}")),
            Verdict::Ugly(_) => add(format!("{share}: refused by rustc alone")),
            Verdict::RefusedInCall(code) => add(format!("{share}: refused in a call, {code}")),
            Verdict::Right => add(format!("{share}: right")),
            Verdict::Wrong(kind, _) => {
                add(format!("{share}: WRONG"));
                add(format!("{share}: WRONG, {kind}"));
            }
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|(name, count)| writeln!(formatter, "{count:8}  {name}"))
    }
}
