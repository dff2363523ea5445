//! Remedies for rejected functions: changes of the attribute, of markers and of the code that keep what the sequential function computes.
//! Each is applied and checked before a message offers it.

mod edit;
mod find;
mod place;
mod program;

use crate::front::attribute::Attribute;
use crate::ir::report::{Code, Diagnostic, Report};
use edit::Edit;
use find::{attributes, of_diagnostic, sequential};
pub use program::Program;
use std::collections::VecDeque;

/// Checks a function: the report on its mistakes, which is empty for a function with a parallel loop.
type Examine<'e> = &'e dyn Fn(&Program) -> Option<Report>;

/// How many changed functions the compiler checks at most.
const TRIES: usize = 24;
/// How many steps a remedy takes at most.
const STEPS: usize = 3;

/// A function after the changes that its diagnostics offer, if there are any that keep the attribute.
pub fn remedied(program: &Program, report: &Report, examine: Examine<'_>) -> Option<Program> {
    edit::applied(program, &search(program, report, examine)?)
}

/// Writes a remedy into each diagnostic.
pub fn offer(program: &Program, report: &mut Report, examine: Examine<'_>) {
    let found = search(program, report, examine);
    let own = |d: &Diagnostic| of_diagnostic(program, d).concat().into_iter().chain(sequential(program, d));
    let own: Vec<Vec<Edit>> = report.diagnostics().map(|d| own(d).collect()).collect();
    for (number, diagnostic) in report.diagnostics_mut().enumerate() {
        match &found {
            Some(edits) => {
                // The others are for other diagnostics.
                let others = |edit: &Edit| own.iter().any(|own| own.contains(edit)) && !own[number].contains(edit);
                let mine: Vec<&Edit> = edits.iter().filter(|edit| !others(edit)).collect();
                diagnostic.help = edit::text(program, &if mine.is_empty() { edits.iter().collect() } else { mine });
            }
            None if diagnostic.help.is_empty() => diagnostic.help = as_written(program),
            None => {}
        }
    }
}

/// The remedy that is left: the function without its attribute.
fn as_written(program: &Program) -> String {
    let markers = if edit::has_markers(&program.item) { " and the markers" } else { "" };
    let (name, code) =
        (program.attribute.name(), if program.attribute == Attribute::Traverse { "traversal" } else { "loop" });
    format!("this {code} is sequential as written: remove `#[{name}]`{markers}, and the function keeps its result")
}

/// The changes after which the compiler accepts a function; the fewest that it finds.
fn search(program: &Program, report: &Report, examine: Examine<'_>) -> Option<Vec<Edit>> {
    // No change helps against these.
    let hopeless = [Code::FA001, Code::FA003, Code::FA022, Code::FA023, Code::FA025, Code::FA052, Code::FA053];
    if report.has(&hopeless) {
        return None;
    }
    let mut tries = 0;
    let mut examined = |edits: &[Edit]| {
        tries += 1;
        let changed = edit::applied(program, edits)?;
        if tries <= TRIES { Some((examine(&changed)?, changed)) } else { None }
    };
    let mut queue = VecDeque::from([(Vec::new(), program.clone(), report.clone())]);
    while let Some((edits, program, report)) = queue.pop_front() {
        let changed = |edit: &&Edit| matches!(edit, Edit::Attribute(_));
        let attribute_is_new = edits.iter().any(|edit| changed(&edit));
        for step in steps(&program, &report) {
            if step.iter().any(|edit| edits.contains(edit) || attribute_is_new && changed(&edit)) {
                continue;
            }
            let all: Vec<Edit> = edits.iter().cloned().chain(step).collect();
            let Some((found, changed)) = examined(&all) else { continue };
            if found.is_empty() {
                return Some(fewest(all, &mut |edits| examined(edits).is_some_and(|(report, _)| report.is_empty())));
            }
            if edits.len() < STEPS && !found.has(&hopeless) && found.places() != report.places() {
                queue.push_back((all, changed, found));
            }
        }
    }
    None
}

/// Leaves out each change without which the compiler accepts the function too.
fn fewest(mut edits: Vec<Edit>, accepted: &mut dyn FnMut(&[Edit]) -> bool) -> Vec<Edit> {
    let mut at = 0;
    while at < edits.len() && edits.len() > 1 {
        let mut others = edits.clone();
        others.remove(at);
        if accepted(&others) {
            edits = others;
        } else {
            at += 1;
        }
    }
    edits
}

/// The next changes to try, each with its parts.
fn steps(program: &Program, report: &Report) -> Vec<Vec<Edit>> {
    let mut steps: Vec<Vec<Edit>> = attributes(program, report).into_iter().map(|edit| vec![edit]).collect();
    let own: Vec<Vec<Vec<Edit>>> = report.diagnostics().map(|d| of_diagnostic(program, d)).collect();
    let mut merged = |number: usize| {
        let mut all = Vec::new();
        for edit in own.iter().filter_map(|choices| choices.get(number).or(choices.last())).flatten() {
            if !all.contains(edit) {
                all.push(edit.clone());
            }
        }
        steps.push(all);
    };
    (0..own.iter().map(Vec::len).max().unwrap_or(0)).for_each(&mut merged);
    steps.extend(own.iter().flatten().cloned());
    steps.extend(report.diagnostics().flat_map(|d| sequential(program, d)).map(|edit| vec![edit]));
    let mut distinct: Vec<Vec<Edit>> = Vec::new();
    for step in steps {
        if !step.is_empty() && !distinct.contains(&step) {
            distinct.push(step);
        }
    }
    distinct
}
