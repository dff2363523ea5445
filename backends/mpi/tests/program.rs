//! How a program on several ranks ends, in every way that it can: each case runs this binary under `mpirun`.

mod common;

use common::{cannot_launch, count, launch, launch_by};
use forall::__private::ambient;
use forall_core::comm::collective;
use forall_core::runtime::{Context, Header, Value, enter_loop, with_current};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref().and_then(|argument| argument.strip_prefix("as=")) {
        Some("no main") => no_main(),
        Some("a thread of main") => forall::__private::run_main(thread_of_main),
        Some(case) => forall::__private::run_main(|| program(case)),
        None => {
            if !cannot_launch() {
                check_all();
            }
            ExitCode::SUCCESS
        }
    }
}

/// One way to end.
struct Case {
    name: &'static str,
    ranks: &'static [usize],
    /// `None` is anything but success.
    status: Option<i32>,
    /// The output, once.
    says: &'static [&'static str],
    /// How many ranks may say it before they are ended.
    speakers: usize,
    variables: &'static [(&'static str, &'static str)],
}

const DEFAULT: Case = Case { name: "", ranks: &[3], status: None, says: &[], speakers: 1, variables: &[] };

const CASES: &[Case] = &[
    Case { name: "well", ranks: &[1, 2, 3, 4, 7], status: Some(0), says: &["all is well"], ..DEFAULT },
    Case {
        name: "late",
        ranks: &[2],
        status: Some(0),
        says: &["rank 0 of 2 has waited for 0.2 s in `f` (call 2): no message came from rank 1"],
        variables: &[("FORALL_STALL", "0.2")],
        ..DEFAULT
    },
    Case {
        name: "never",
        ranks: &[2],
        says: &["rank 0 of 2 has waited for 0.5 s in `f` (call 2): no message came from rank 1"],
        variables: &[("FORALL_STALL", "0.5,abort")],
        ..DEFAULT
    },
    // Which of the two that wait says so depends on the machine: one of them, or both.
    Case {
        name: "never",
        says: &[" of 3 has waited for 0.5 s in `f` (call 2): no message came from rank 1"],
        speakers: 2,
        variables: &[("FORALL_STALL", "0.5,abort")],
        ..DEFAULT
    },
    Case {
        name: "not taken",
        ranks: &[2],
        says: &["rank 0 of 2 has waited for 0.5 s in `f` (call 2): rank 1 has not taken a message of 8388608 bytes"],
        variables: &[("FORALL_STALL", "0.5,abort")],
        ..DEFAULT
    },
    Case {
        name: "panic",
        ranks: &[2, 3, 7],
        says: &["rank 1 of ", " panicked: rank one gives up (", "program.rs"],
        ..DEFAULT
    },
    Case { name: "panics", says: &["rank 0 of 3 panicked: all give up"], ..DEFAULT },
    Case { name: "panic in a loop", says: &["rank 1 of 3 panicked in `kernel`, iteration 42: in a loop"], ..DEFAULT },
    Case {
        name: "the first panic is late",
        ranks: &[2, 3, 4],
        says: &["rank 0 of ", " panicked in `fails`, iteration 3: element 3"],
        ..DEFAULT
    },
    Case {
        name: "the first panic is late, on the last rank",
        ranks: &[2, 3],
        says: &[" panicked in `fails_backwards`, iteration 3: element 3"],
        ..DEFAULT
    },
    Case {
        name: "one panics, and the others are past the loop",
        ranks: &[2, 4],
        says: &["rank 1 of ", " panicked in `fails`, iteration 100: element 100"],
        ..DEFAULT
    },
    Case { name: "panic after a caught one", says: &["panicked: the second"], ..DEFAULT },
    Case {
        name: "one call fewer",
        ranks: &[2, 3, 4],
        says: &["rank 0 calls `f` (call 2), rank 1 reached the end of main (after 1 calls)"],
        ..DEFAULT
    },
    Case { name: "other calls", says: &["rank 0 calls `f` (call 2), rank 1 calls `g` (call 2)"], ..DEFAULT },
    Case {
        name: "other lengths",
        says: &["`f` (call 2) differently: the length of `x` is 10 on rank 0 and 11 on rank 1"],
        ..DEFAULT
    },
    Case {
        name: "exit",
        says: &["rank 0 calls `f` (call 2), rank 1 left the program by std::process::exit"],
        ..DEFAULT
    },
    Case { name: "exit in a call", status: Some(5), ..DEFAULT },
    Case { name: "exit of all", status: Some(0), ..DEFAULT },
    Case { name: "error", says: &["rank 1 of 3: Error: \"no such file\""], ..DEFAULT },
    Case { name: "error at the end", says: &["rank 1 of 3: Error: \"no such file\""], ..DEFAULT },
    Case { name: "error of all", says: &["Error: \"no such file\""], ..DEFAULT },
    Case {
        name: "well",
        status: Some(2),
        says: &["error: FORALL_THREADS=\"many\" is not understood: use a whole number from 1 on"],
        variables: &[("FORALL_THREADS", "many")],
        ..DEFAULT
    },
    Case {
        name: "well",
        status: Some(2),
        says: &["error: there is no setting `FORALL_THREAD`: did you mean `FORALL_THREADS`?"],
        variables: &[("FORALL_THREAD", "2")],
        ..DEFAULT
    },
    Case {
        name: "well",
        status: Some(2),
        // With the feature and without it.
        says: &["; choose serial or threads"],
        variables: &[("FORALL_BACKEND", "gpu"), ("FORALL_GPU", "none such")],
        ..DEFAULT
    },
];

/// A launch mostly waits: a few run side by side.
const SIDE_BY_SIDE: usize = 3;

fn check_all() {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(case) = CASES.get(next.fetch_add(1, Ordering::Relaxed)) {
            case.check();
        }
    };
    std::thread::scope(|scope| (0..SIDE_BY_SIDE).for_each(|_| drop(scope.spawn(work))));
    check_processes_that_are_alone();
    check_other_launchers();
    check_job_script();
}

/// The job script of the guide, with an `srun` that calls `mpirun` and has the arguments that the script must give.
fn check_job_script() {
    const SRUN: &str = "#!/bin/sh
[ \"$1\" = --mpi=pmix ] && [ \"$2\" = --cpus-per-task=2 ] || { echo \"srun got $*\"; exit 9; }
shift 2
exec mpirun -n \"$SLURM_NTASKS\" \"$@\"
";
    let folder = tempfile::tempdir().expect("a folder");
    let srun = folder.path().join("srun");
    std::fs::write(&srun, SRUN).expect("a script");
    let made = Command::new("chmod").arg("+x").arg(&srun).status().expect("chmod");
    assert!(made.success());
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/guide/job.sh");
    let page = include_str!("../../../src/guide/cluster.md");
    assert!(page.contains(include_str!("../../../src/guide/job.sh")), "the page shows another script");
    let run = launch_by(
        &["bash", script],
        &["as=well"],
        // `env` starts its first argument, which is this program.
        &[("PROGRAM", "env"), ("PATH", &path), ("SLURM_NTASKS", "3"), ("SLURM_CPUS_PER_TASK", "2")],
    );
    assert_eq!((run.status, count(&run.text, "all is well")), (Some(0), 1), "{}", run.text);
}

/// Variables that launchers set, in a process that has no launcher: it finds no other rank, and says who says that there are some.
fn check_processes_that_are_alone() {
    const ALONE: &str = "to run each process as a program by itself, set FORALL_RANKS=1";
    let library = format!("but the program was built for {}, which finds no other rank here", forall_mpi::library());
    for (variables, says) in [
        (&[("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_RANK", "0")][..], "`mpirun` of Open MPI started"),
        (&[("PMI_SIZE", "3"), ("PMI_RANK", "0")], "one of 3 ranks (PMI_SIZE=3)"),
        (&[("PMIX_RANK", "1")], "as rank 1 (PMIX_RANK=1)"),
        (&[("MV2_COMM_WORLD_SIZE", "2")], "`mpirun_rsh` of MVAPICH2"),
        (&[("MPI_LOCALNRANKS", "2")], "one of at least 2 ranks (MPI_LOCALNRANKS=2)"),
        (&[("SLURM_STEP_NUM_TASKS", "4"), ("SLURM_PROCID", "0")], "`srun` of Slurm"),
        (&[("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", "0"), ("SLURM_NTASKS", "4"), ("SLURM_PROCID", "0")], "`srun` of"),
    ] {
        let run = launch_by(&[], &["as=well"], variables);
        assert_eq!(run.status, Some(2), "{variables:?}:\n{}", run.text);
        for piece in [says, &library, ALONE] {
            assert_eq!(count(&run.text, piece), 1, "{variables:?}, {piece}:\n{}", run.text);
        }
        let run = launch_by(&[], &["as=well"], &[variables, &[("FORALL_RANKS", "1")]].concat());
        assert_eq!((run.status, count(&run.text, "all is well")), (Some(0), 1), "{variables:?}:\n{}", run.text);

        let run = launch_by(&[], &["as=no main"], variables);
        assert_eq!(run.status, Some(2), "{variables:?}:\n{}", run.text);
        for piece in [says, "`main` does not connect the ranks: write #[forall::main]", ALONE] {
            assert_eq!(count(&run.text, piece), 1, "{variables:?}, {piece}:\n{}", run.text);
        }
    }
    // The script of a job is one process, whatever the job is for.
    for variables in [
        &[("SLURM_JOB_ID", "7"), ("SLURM_NTASKS", "4"), ("SLURM_PROCID", "0")][..],
        &[("SLURM_STEP_NUM_TASKS", "1"), ("SLURM_NTASKS", "4"), ("SLURM_PROCID", "0")],
        &[("PMI_SIZE", "1"), ("PMI_RANK", "0")],
    ] {
        for case in ["as=well", "as=no main"] {
            let run = launch_by(&[], &[case], variables);
            assert_eq!((run.status, count(&run.text, "all is well")), (Some(0), 1), "{variables:?}:\n{}", run.text);
        }
    }
    let run = launch_by(&[], &["as=well"], &[("FORALL_RANKS", "3")]);
    assert_eq!(run.status, Some(2));
    assert_eq!(count(&run.text, "FORALL_RANKS=3, but there are 1 ranks: start the program with `mpirun -n 3`"), 1);
}

/// The same with launchers, where they are installed. Ranks that are not connected say so, once.
fn check_other_launchers() {
    let own = ["mpirun", "-n", "3"];
    let run = launch_by(&own, &["as=no main"], &[]);
    assert_eq!(run.status, Some(2), "{}", run.text);
    let says = "`mpirun` of Open MPI started this process as one of 3 ranks (OMPI_COMM_WORLD_SIZE=3), but the program's `main` does";
    if forall_mpi::library().starts_with("Open MPI") {
        assert_eq!(count(&run.text, says), 1, "{}", run.text);
    }
    let run = launch_by(&own, &["as=well"], &[("FORALL_RANKS", "1")]);
    assert_eq!((run.status, count(&run.text, "all is well")), (Some(0), 3), "{}", run.text);
    let run = launch_by(&own, &["as=well"], &[("FORALL_RANKS", "2")]);
    assert_eq!(run.status, Some(2), "{}", run.text);
    assert_eq!(count(&run.text, "FORALL_RANKS=2, but there are 3 ranks"), 1, "{}", run.text);
    let run = launch_by(&own, &["as=a thread of main"], &[]);
    assert_eq!((run.status, count(&run.text, "note: an annotated function was called on a thread")), (Some(0), 1));

    for (launcher, library) in [("mpiexec.hydra", "MPICH"), ("mpirun.openmpi", "Open MPI")] {
        let found = Command::new(launcher).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if found.is_err() || forall_mpi::library().starts_with(library) {
            println!("{launcher} is not another launcher here: skipped");
            continue;
        }
        for case in ["as=well", "as=no main"] {
            let run = launch_by(&[launcher, "-n", "3"], &[case], &[]);
            assert_eq!(run.status, Some(2), "{launcher}, {case}:\n{}", run.text);
            assert_eq!(count(&run.text, "as one of 3 ranks"), 1, "{launcher}, {case}:\n{}", run.text);
            let run = launch_by(&[launcher, "-n", "3"], &[case], &[("FORALL_RANKS", "1")]);
            assert_eq!(
                (run.status, count(&run.text, "all is well")),
                (Some(0), 3),
                "{launcher}, {case}:\n{}",
                run.text
            );
        }
    }
}

#[forall::kary_reduce]
fn sum(x: &[u64]) -> u64 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// A program that calls annotated functions, and has no `#[forall::main]`.
fn no_main() -> ExitCode {
    assert_eq!(sum(&[1, 2, 3]), 6);
    println!("all is well");
    ExitCode::SUCCESS
}

/// A thread of a rank has work of its own.
fn thread_of_main() {
    assert_eq!(std::thread::spawn(|| sum(&[1, 2, 3])).join().expect("no panic"), 6);
}

impl Case {
    fn check(&self) {
        for &ranks in self.ranks {
            let run = launch(ranks, &[&format!("as={}", self.name)], self.variables);
            let Case { name, says, .. } = self;
            println!("{name}, {ranks} ranks: status {:?} after {:.1?}", run.status, run.time);
            let status_fits = self.status.map_or(run.status != Some(0), |status| run.status == Some(status));
            assert!(status_fits && run.status != Some(124), "{name}, {ranks} ranks: {:?}\n{}", run.status, run.text);
            for piece in *says {
                let said = (1..=self.speakers).contains(&count(&run.text, piece));
                assert!(said, "{name}, {ranks} ranks, {piece}:\n{}", run.text);
            }
            assert!(run.time < Duration::from_secs(20), "{name}, {ranks} ranks: {:?}", run.time);
        }
    }
}

/// Elements that a rank has in loops that fail.
const SHARE: usize = 100;

/// Fails at elements that are not 0, so many milliseconds after it has come there.
fn fail(milliseconds: u64, element: usize) -> u64 {
    if milliseconds > 0 {
        std::thread::sleep(Duration::from_millis(milliseconds));
        panic!("element {element}");
    }
    0
}

#[forall::foreach]
fn fails(x: &[u64], out: &mut [u64]) {
    for i in 0..x.len() {
        out[i] = fail(x[i], i);
    }
}

#[forall::foreach]
fn fails_backwards(x: &[u64], out: &mut [u64]) {
    for i in 0..x.len() {
        out[x.len() - 1 - i] = fail(x[x.len() - 1 - i], i);
    }
}

/// The elements that are not 0, with their values.
fn elements(set: &[(usize, u64)]) -> forall::DistVec<u64> {
    let first = forall::rank() * SHARE;
    let value = |place: usize| set.iter().find(|(at, _)| *at == place).map_or(0, |(_, value)| *value);
    forall::DistVec::from_local((first..first + SHARE).map(value).collect())
}

fn call(function: &str, length: usize) {
    with_current(ambient, |context| {
        begin(context, function, length);
        let ranks = collective::reduce_all(context.comm(), 8, 1, |_| vec![0; 8], |bytes| bytes.len() / 8, |a, b| a + b);
        assert!(ranks >= 1);
        context.done();
    });
}

fn begin(context: &Context, function: &str, length: usize) {
    let values = [Value::same("the length of `x`", length as u64)];
    context.agree(&Header { function, number: 0, values: &values });
}

fn program(case: &str) -> Result<(), String> {
    let me = forall::rank() == 1;
    call("start", 1);
    match case {
        "well" => {
            (0..100).for_each(|length| call("f", length));
            if forall::rank() == 0 {
                println!("all is well");
            }
        }
        "late" | "never" => {
            if me {
                // So late that a busy machine does not keep rank 0 for as long.
                std::thread::sleep(Duration::from_millis(if case == "late" { 5_000 } else { 60_000 }));
            }
            call("f", 1);
        }
        "not taken" => with_current(ambient, |context| {
            begin(context, "f", 1);
            if me {
                std::thread::sleep(Duration::from_secs(60));
            }
            context.comm().exchange(&[(1, &vec![0; 1 << 23])], &mut []);
        }),
        "panic" => {
            assert!(!me, "rank one gives up");
            call("f", 1);
        }
        "panics" => panic!("all give up"),
        "panic in a loop" => with_current(ambient, |context| {
            begin(context, "kernel", 1);
            if me {
                context.set_location("kernel", 42);
                let _inside = enter_loop(context.this_rank());
                panic!("in a loop");
            }
            collective::barrier(context.comm());
        }),
        "the first panic is late" => {
            let x = elements(&[(3, 1000), (SHARE, 1), (2 * SHARE + 1, 300)]);
            fails(&x, &mut forall::DistVec::zeroed_like(&x));
        }
        "the first panic is late, on the last rank" => {
            let n = forall::ranks() * SHARE;
            let x = elements(&[(n - 1 - 3, 1000), (0, 1)]);
            fails_backwards(&x, &mut forall::DistVec::zeroed_like(&x));
        }
        "one panics, and the others are past the loop" => {
            let x = elements(&[(SHARE, 300)]);
            let mut out = forall::DistVec::zeroed_like(&x);
            fails(&x, &mut out);
            fails(&x, &mut out);
        }
        "panic after a caught one" => {
            let caught = std::panic::catch_unwind(|| panic!("the first"));
            assert!(caught.is_err());
            call("f", 1);
            assert!(!me, "the second");
            call("f", 1);
        }
        "one call fewer" if me => {}
        "other calls" if me => call("g", 1),
        "other lengths" => call("f", 10 + usize::from(me)),
        "exit" if me => std::process::exit(0),
        "exit in a call" => with_current(ambient, |context| {
            begin(context, "kernel", 1);
            if me {
                std::process::exit(5);
            }
            collective::barrier(context.comm());
        }),
        "exit of all" => std::process::exit(0),
        "error" | "error at the end" if me => return Err("no such file".to_owned()),
        "error of all" => return Err("no such file".to_owned()),
        "error at the end" => {}
        _ => call("f", 1),
    }
    Ok(())
}
