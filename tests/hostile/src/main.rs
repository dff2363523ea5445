//! Tries random programs for as long as it is told to.

use clap::Parser;
use forall_hostile::program::Program;
use forall_hostile::trial::{Court, Tally, Verdict};
use forall_hostile::{grammar, shrink};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Tries random programs: each is refused, or gives what its sequential twin gives.
#[derive(Parser)]
struct Options {
    /// Programs to try instead of random ones: files that end with an annotated function, or have many as `loops` does.
    files: Vec<PathBuf>,
    /// How long to try.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The first program; the others follow it.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many programs at most.
    #[arg(long)]
    programs: Option<u64>,
    /// How many are compiled at once.
    #[arg(long, default_value_t = 1000)]
    batch: u64,
    /// Runs them on the graphics processor as well.
    #[arg(long)]
    gpu: bool,
    /// Where wrong programs are written.
    #[arg(long, default_value = "target/hostile")]
    folder: PathBuf,
    /// How many wrong programs are made small.
    #[arg(long, default_value_t = 10)]
    shrink: usize,
    /// Prints each program with its verdict.
    #[arg(long)]
    show: bool,
    /// Tries the programs of the files that are rejected after the changes that their messages offer.
    #[arg(long)]
    remedies: bool,
}

fn main() -> io::Result<()> {
    let options = Options::parse();
    let court = Court::new(options.gpu)?;
    if !options.files.is_empty() {
        return try_files(&court, &options.files, options.remedies);
    }
    let (begin, patience) = (Instant::now(), Duration::from_secs(options.seconds));
    let (mut tally, mut next, mut wrong) = (Tally::default(), options.seed, Vec::new());
    let end = options.programs.map_or(u64::MAX, |programs| options.seed + programs);
    while begin.elapsed() < patience && next < end {
        let seeds = next..(next + options.batch).min(end);
        next = seeds.end;
        let programs: Vec<Program> = seeds.clone().map(grammar::program).collect();
        let verdicts = court.try_all(&programs)?;
        for ((seed, program), verdict) in seeds.zip(&programs).zip(&verdicts) {
            tally.count(program, verdict);
            if options.show && !matches!(verdict, Verdict::Refused(_)) {
                println!("// {seed} {:?} {verdict:?}\n{}", program.kinds, program.text());
            }
            if let Verdict::Wrong(kind, detail) = verdict {
                println!("WRONG: {seed}: {kind}: {detail}");
                wrong.push((seed, program.clone(), verdict.clone()));
            }
        }
        println!("{} programs, {} s\n{tally}", next - options.seed, begin.elapsed().as_secs());
    }
    for (seed, program, verdict) in wrong.iter().take(options.shrink) {
        let (program, verdict) = shrink::shrink(&court, program, verdict)?;
        write(&options.folder, *seed, &program, &verdict)?;
    }
    for (seed, program, verdict) in wrong.iter().skip(options.shrink) {
        write(&options.folder, *seed, program, verdict)?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(io::Error::other(format!("{} programs are wrong", wrong.len()))) }
}

/// Tries the programs of files, and prints each with its verdict.
fn try_files(court: &Court, files: &[PathBuf], remedies: bool) -> io::Result<()> {
    let mut programs = Vec::new();
    for file in files {
        let name = file.display().to_string();
        let read = Program::read(&std::fs::read_to_string(file)?, &name);
        programs.extend(read.map_err(|error| io::Error::other(format!("{name}: {error}")))?);
    }
    if remedies {
        programs = programs.iter().filter_map(Program::remedied).collect();
    }
    for (program, verdict) in programs.iter().zip(court.try_all(&programs)?) {
        println!("{}: {verdict:?}", program.kinds[0]);
    }
    Ok(())
}

/// Writes a wrong program to a file of its own.
fn write(folder: &Path, seed: u64, program: &Program, verdict: &Verdict) -> io::Result<()> {
    let Verdict::Wrong(kind, detail) = verdict else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    let file = folder.join(format!("{seed}.rs"));
    let text = format!("// {kind}: {detail}\n// {}\n{}", program.kinds.join(", "), program.text());
    println!("{}:\n{text}", file.display());
    std::fs::write(file, text)
}
