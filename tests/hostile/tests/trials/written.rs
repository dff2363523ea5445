//! Programs that were written to slip through. Each is refused, or gives what its sequential twin gives, as the module says that it
//! stands in.

use forall_hostile::program::Program;
use forall_hostile::trial::{Court, Verdict};
use std::path::Path;

#[test]
fn written_programs_are_refused_or_right() {
    let programs = programs();
    let verdicts = Court::new(false).and_then(|court| court.try_all(&programs)).expect("cargo and rustc run");
    let mut others = Vec::new();
    for (program, verdict) in programs.iter().zip(verdicts) {
        let right = program.kinds[0].contains(": right: ");
        let as_said = match verdict {
            Verdict::Right => right,
            Verdict::IllTyped(_) | Verdict::Wrong(..) => false,
            _ => !right,
        };
        if !as_said {
            others.push(format!("{}: {verdict:?}", program.kinds[0]));
        }
    }
    assert!(others.is_empty(), "{} of {} programs: {}", others.len(), programs.len(), others.join("\n"));
}

/// All programs that were written.
pub(super) fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("loops");
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let source = std::fs::read_to_string(&path).expect("it is a text");
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        programs.extend(Program::read(&source, &name).unwrap_or_else(|error| panic!("{name}: {error}")));
    }
    programs
}
