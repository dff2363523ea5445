//! The written programs that the macro rejects, after the changes that its messages offer: each gives what the function gave before.

use super::written::programs;
use forall_hostile::program::Program;
use forall_hostile::trial::{Court, Verdict};

#[test]
fn remedies_are_accepted_and_keep_the_result() {
    // The compiler does not see what the user's macros and traits do.
    let written = programs().into_iter().filter(|program| !program.items.iter().any(unseen));
    let programs: Vec<Program> = written.filter_map(|program| program.remedied()).collect();
    assert!(programs.len() > 100, "only {} programs have a remedy", programs.len());
    let verdicts = Court::new(false).and_then(|court| court.try_all(&programs)).expect("cargo and rustc run");
    let others: Vec<String> = (programs.iter().zip(verdicts))
        // rustc knows types, and a call knows sizes, which the compiler does not.
        .filter(|(_, v)| !matches!(v, Verdict::Right | Verdict::RefusedByTypes(_) | Verdict::RefusedInCall(_)))
        .map(|(program, verdict)| format!("{}: {verdict:?}\n{}", program.kinds[0], program.text()))
        .collect();
    assert!(others.is_empty(), "{} of {} programs: {}", others.len(), programs.len(), others.join("\n"));
}

/// Whether an item may change the meaning of a word in a function: a macro, or a trait with methods of std's names.
fn unseen(item: &syn::Item) -> bool {
    matches!(item, syn::Item::Macro(_) | syn::Item::Trait(_))
}
