//! The commands, called as cargo calls them.

use cargo_forall::explain::{functions, in_source};
use std::path::Path;
use std::process::{Command, Output};

fn cargo_forall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-forall")).arg("forall").args(arguments).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const LOOPS: &str = "//! Two functions.

mod inner {
    #[forall::foreach(grain = 64)]
    #[inline]
    pub fn smooth(x: &[f64], out: &mut [f64]) {
        for i in 1..x.len() - 1 {
            out[i] = x[i - 1] + x[i + 1];
        }
    }
}

struct Cells {
    values: Vec<f64>,
}

impl Cells {
    #[kary_reduce]
    fn greatest(&self) -> f64 {
        let mut most = f64::MIN;
        for i in 0..self.values.len() {
            most = most.max(self.values[i]);
        }
        most
    }
}

#[foreach]
fn previous(x: &mut [f64]) {
    for i in 1..x.len() {
        x[i] += x[i - 1];
    }
}
";

#[test]
fn each_annotated_function_is_explained_or_rejected() {
    let found = in_source(Path::new("loops.rs"), LOOPS).unwrap();
    let named: Vec<_> = found.iter().map(|found| (found.name.as_str(), found.line)).collect();
    assert_eq!(named, [("smooth", 6), ("greatest", 19), ("previous", 29)]);
    let smooth = found[0].report.as_ref().unwrap();
    for line in ["`smooth` is annotated with #[foreach]", "loop 1 (line 7):", "  halo: 1 element before", "  gpu: yes"]
    {
        assert!(smooth.contains(line), "{smooth}");
    }
    assert!(found[1].report.as_ref().is_ok_and(|report| report.contains("reduce")), "{}", found[1]);
    assert!(found[2].report.as_ref().is_err_and(|messages| messages[0].starts_with("FA0")), "{}", found[2]);
    assert!(found[2].to_string().starts_with("loops.rs:29\n`previous` is rejected\n  FA0"), "{}", found[2]);
}

#[test]
fn a_syntax_error_has_its_place() {
    let error = in_source(Path::new("loops.rs"), "fn f( {\n").unwrap_err().to_string();
    assert!(error.starts_with("loops.rs:"), "{error}");
}

#[test]
fn a_file_a_folder_and_a_package() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path();
    for (file, content) in [("src/a.rs", LOOPS), ("tests/b.rs", LOOPS), ("target/c.rs", LOOPS), ("Cargo.toml", "")] {
        std::fs::create_dir_all(package.join(file).parent().unwrap()).unwrap();
        std::fs::write(package.join(file), content).unwrap();
    }
    assert_eq!(functions(package).unwrap().len(), 6);
    assert_eq!(functions(&package.join("src")).unwrap().len(), 3);
    assert_eq!(functions(&package.join("target/c.rs")).unwrap().len(), 3);

    let path = package.join("src").display().to_string();
    let all = cargo_forall(&["explain", &path]);
    assert_eq!(all.status.code(), Some(1));
    assert!(text(&all.stdout).contains("src/a.rs:29\n`previous` is rejected"), "{}", text(&all.stdout));
    assert!(text(&all.stderr).contains("the compiler rejects 1 of 3 functions"), "{}", text(&all.stderr));
    let one = cargo_forall(&["explain", &path, "--function", "smooth"]);
    assert!(one.status.success() && text(&one.stdout).contains("src/a.rs:6\n`smooth`"));
    let none = cargo_forall(&["explain", &format!("{path}/none")]);
    assert!(text(&none.stderr).contains("there is no file or folder"), "{}", text(&none.stderr));
}

/// The program is compiled by hand after changes of the template: that takes minutes.
#[test]
fn a_new_program_is_whole_and_its_loops_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hot-rod");
    let forall = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let made = cargo_forall(&["new", path.to_str().unwrap(), "--forall", forall]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let found = functions(&path).unwrap();
    assert_eq!(found.iter().map(|found| &*found.name).collect::<Vec<_>>(), ["step", "total"]);
    assert!(found.iter().all(|found| found.report.is_ok()));

    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(&path);
    let metadata = metadata.output().unwrap();
    let shown = text(&metadata.stdout);
    assert!(metadata.status.success() && shown.contains("\"hot-rod\"") && shown.contains("forall/mpi"), "{shown}");
    assert!(std::fs::read_to_string(path.join("src/main.rs")).unwrap().contains("use hot_rod::{step, total};"));
    let job = std::fs::read_to_string(path.join("job.sh")).unwrap();
    let guide = include_str!("../../../src/guide/job.sh");
    assert_eq!(job, guide.replace("target/release/app", "target/release/hot-rod"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let again = cargo_forall(&["new", path.to_str().unwrap()]);
    assert!(text(&again.stderr).contains("exists already"), "{}", text(&again.stderr));
}

#[test]
fn bad_names_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    for (name, says) in
        [("Hot", "is no name of a package"), ("1d", "is no name"), ("match", "is reserved"), ("forall", "is reserved")]
    {
        let made = cargo_forall(&["new", folder.path().join(name).to_str().unwrap()]);
        assert!(!made.status.success() && text(&made.stderr).contains(says), "{name}: {}", text(&made.stderr));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
