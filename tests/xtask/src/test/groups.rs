//! Which steps run, and which of them side by side.

use super::steps::{self, Step};
use anyhow::{Result, anyhow};

/// The steps that run by default. Those of one group run side by side. Steps that start ranks are the last of a group: see `side_by_side`.
const ALL: [&str; 5] = ["install", "format", "package", "build", "refusals docs unit gpu corpus ranks examples"];
/// The steps that need no MPI.
const QUICK: [&str; 4] = ["format", "package", "build", "refusals docs unit gpu corpus"];

/// The steps of the command line: each argument is a group.
pub fn of(arguments: &[String]) -> Result<Vec<Vec<&'static Step>>> {
    let arguments = arguments.iter().map(|argument| &**argument);
    let groups: Vec<_> = if arguments.len() == 0 {
        ALL.to_vec()
    } else {
        arguments.flat_map(|argument| if argument == "quick" { QUICK.to_vec() } else { vec![argument] }).collect()
    };
    groups.into_iter().map(|group| group.split_whitespace().map(known).collect()).collect()
}

fn known(name: &str) -> Result<&'static Step> {
    let names = || steps::all().map(|step| step.name).collect::<Vec<_>>().join(" ");
    let step = steps::all().find(|step| step.name == name);
    step.ok_or_else(|| anyhow!("there is no step `{name}`; the steps are: {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let joined = |group: Vec<&Step>| group.iter().map(|step| step.name).collect::<Vec<_>>().join(" ");
        of(&arguments).unwrap().into_iter().map(joined).collect()
    }

    #[test]
    fn without_a_step_all_steps_run_but_those_on_request() {
        let all: Vec<_> = steps::STEPS.iter().map(|step| step.name).collect();
        assert_eq!(names(&[]).join(" ").split(' ').collect::<Vec<_>>(), all);
    }

    #[test]
    fn words_of_one_argument_run_side_by_side() {
        assert_eq!(names(&["unit docs", "gpu"]), ["unit docs", "gpu"]);
        assert_eq!(names(&["quick", "ranks"])[..2], ["format", "package"]);
        assert_eq!(names(&["quick", "ranks"])[4], "ranks");
    }

    #[test]
    fn an_unknown_step_is_an_error() {
        let error = of(&["unti".to_owned()]).err().unwrap().to_string();
        assert!(error.contains("`unti`") && error.contains("install format"), "{error}");
    }
}
