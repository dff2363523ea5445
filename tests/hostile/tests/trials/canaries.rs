//! The written programs as an optimised build runs them, with canaries around each block of memory: none writes outside of its slices,
//! and none ends the process. Programs that count through all numbers there are left out.

use super::written::programs;
use forall_hostile::trial::{Court, HANGS, Verdict};

#[test]
fn no_program_writes_outside_of_its_slices() {
    let programs = programs();
    let verdicts = Court::with_canaries().and_then(|court| court.try_all(&programs)).expect("cargo and rustc run");
    let wrong: Vec<String> = (programs.iter().zip(verdicts))
        .filter(|(_, verdict)| matches!(verdict, Verdict::Wrong(kind, _) if kind != HANGS))
        .map(|(program, verdict)| format!("{}: {verdict:?}", program.kinds[0]))
        .collect();
    assert!(wrong.is_empty(), "{} programs are wrong: {}", wrong.len(), wrong.join("\n"));
}
