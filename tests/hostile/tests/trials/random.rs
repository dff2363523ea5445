//! The same few hundred random programs each time: each is refused, or gives what its sequential twin gives.

use forall_hostile::grammar;
use forall_hostile::program::Program;
use forall_hostile::trial::{Court, Tally, Verdict};

const SEEDS: std::ops::Range<u64> = 0..240;

#[test]
fn random_programs_are_refused_or_right() {
    let seeds: Vec<u64> = SEEDS.collect();
    let programs: Vec<Program> = seeds.iter().map(|seed| grammar::program(*seed)).collect();
    let verdicts = Court::new(false).and_then(|court| court.try_all(&programs)).expect("cargo and rustc run");
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for ((seed, program), verdict) in seeds.iter().zip(&programs).zip(&verdicts) {
        tally.count(program, verdict);
        if let Verdict::Wrong(kind, detail) = verdict {
            wrong.push(format!("{seed}: {kind}: {detail}\n{}", program.text()));
        }
    }
    println!("{tally}");
    assert!(wrong.is_empty(), "{} programs are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
