//! The step `examples`: the tests of the examples on ranks, and the programs. Their output and files must not depend on the ranks.

use super::Job;
use super::ranks::{need_mpi, program_on, test_on};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Tests that run as they are. Those named `ranks_*` start ranks in one process.
const PLAIN: [&str; 4] = ["surfaces", "loops", "verified", "renders"];
/// The tests with parts that run on the ranks of a launcher.
const LAUNCHED: [&str; 7] = ["unique", "distances", "cells", "heat", "corpora", "flocks", "traces"];
/// Tests that run in the step `unit` alone. With their packages come the programs.
const COMPILED: [&str; 5] = ["clouds", "trees", "pictures", "options", "transform"];
/// All lists of tests in this file.
#[cfg(test)]
pub const NAMED: [&[&str]; 3] = [&PLAIN, &LAUNCHED, &COMPILED];

/// A surface with several parts, on tetrahedra.
const TANGLE: &str = "--field tangle --size 13 --tetrahedra";

/// Runs the step.
pub fn run(job: &Job) -> Result<()> {
    need_mpi()?;
    // With the tests come the programs, as the step `unit` has compiled them.
    if let Some(mut build) = job.cargo_test_of(&[&PLAIN[..], &LAUNCHED, &COMPILED].concat()) {
        build.arg("--no-run");
        job.shell.run(build)?;
    }
    let folder = job.tests.scratch.join("examples");
    fs::create_dir(&folder)?;
    let mut programs = Programs { job, folder, ranks: 1, mesh: None, files: None, sum: None, heat: None, mass: None };
    for &ranks in &job.tests.ranks {
        programs.ranks = ranks;
        programs.run_all()?;
    }
    if job.is_whole() {
        programs.scaling()?;
    }
    Ok(())
}

/// The programs, and their results on the first number of ranks.
struct Programs<'a> {
    job: &'a Job<'a>,
    folder: PathBuf,
    ranks: usize,
    /// The counts of `isosurface`.
    mesh: Option<String>,
    /// The folder with the files.
    files: Option<PathBuf>,
    /// The sum of `volume`.
    sum: Option<String>,
    /// The checksum of `stencil`.
    heat: Option<String>,
    /// The mass of `advection`.
    mass: Option<String>,
}

impl Programs<'_> {
    fn run_all(&mut self) -> Result<()> {
        let whole = self.job.is_whole();
        if whole {
            self.isosurface()?;
        }
        self.say("the examples' tests");
        test_on(self.job, self.ranks, &PLAIN, &["--skip", "ranks_"])?;
        if whole {
            self.files()?;
        }
        test_on(self.job, self.ranks, &LAUNCHED, &["on_this_launch"])?;
        if whole {
            self.pictures()?;
        }
        Ok(())
    }

    fn say(&self, subject: &str) {
        self.job.shell.say(&format!("{subject} on {} ranks", self.ranks));
    }

    /// Runs a program on ranks. Each `@` in its arguments stands for the folder.
    fn launch(&self, program: &str, arguments: &str, folder: &Path) -> Result<String> {
        let mut command = program_on(self.job, self.ranks, program);
        let folder = format!("{}/", folder.display());
        command.args(arguments.split_whitespace().map(|argument| argument.replace('@', &folder)));
        self.job.shell.output(command)
    }

    fn is_written(&self, name: &str) -> bool {
        self.job.shell.dry_run || fs::metadata(self.folder.join(name)).is_ok_and(|file| file.len() > 0)
    }

    fn isosurface(&mut self) -> Result<()> {
        self.say("isosurface");
        let files = "--output @mesh.vtp --image @picture.png --report @report.json";
        self.launch("isosurface", files, &self.folder)?;
        if self.job.shell.dry_run {
            return Ok(());
        }
        let report = fs::read_to_string(self.folder.join("report.json")).context("the report of isosurface")?;
        let counts = counts(&serde_json::from_str(&report).context("the report of isosurface")?);
        let written = !counts.is_empty() && self.is_written("mesh.vtp") && self.is_written("picture.png");
        ensure!(written, "isosurface left nothing on {} ranks", self.ranks);
        is_first(&mut self.mesh, counts.join(" "), "the mesh of isosurface", self.ranks)
    }

    /// Programs that write files, and the files of other ranks.
    fn files(&mut self) -> Result<()> {
        self.say("kdtree");
        self.launch("kdtree", "--random 20000 --image @kdtree.png", &self.folder)?;
        self.say("transform");
        self.launch("transform", "--random 20000 --rotate 0,0,1,30 --chain", &self.folder)?;
        self.say("contour, distance, tessellation, particles, transform and locators");
        let folder = self.folder.join(self.ranks.to_string());
        self.meshes(&folder)?;
        self.say("documents");
        let files = "--output @clusters.tsv --vectors @vectors.svm --image @flock.png";
        self.launch("documents", &format!("--input core/src --steps 40 {files}"), &folder)?;
        if let Some(first) = &self.files {
            let mut compare = self.job.shell.command("diff");
            compare.arg("-rq").args([first, &folder]);
            let differ = || format!("on {} ranks other files are written than in {}", self.ranks, first.display());
            self.job.shell.run(compare).with_context(differ)?;
        } else {
            self.files = Some(folder);
        }
        Ok(())
    }

    /// Makes meshes from meshes, in a folder.
    fn meshes(&self, folder: &Path) -> Result<()> {
        fs::create_dir(folder)?;
        let launch = |program, arguments: &str| self.launch(program, arguments, folder);
        let lines = "--iso 0.2 --iso 1.5 --normals";
        launch("contour", &format!("{TANGLE} {lines} --output @contours.vtp"))?;
        launch("contour", &format!("{TANGLE} {lines} --tree --output @tree.vtp"))?;
        if !self.job.shell.dry_run {
            let [cells, tree] = ["contours.vtp", "tree.vtp"].map(|name| fs::read(folder.join(name)));
            ensure!(cells? == tree?, "on {} ranks the tree gives another contour", self.ranks);
        }
        launch("contour", &format!("{TANGLE} --threshold :1.5 --boundary --output @boundary.vtu"))?;
        launch("contour", &format!("{TANGLE} --probe @boundary.vtu --output @probed.vtp"))?;
        launch("distance", "--field tangle --size 20 --unit --image @distance.png --output @distance.vti")?;
        let cells = "--image @cells.png --output @density.vti --cells @cells.csv";
        launch("tessellation", &format!("--random 2000 --periodic --points 24 {cells}"))?;
        let lines = "--save @state --save-every 30 --image @lines.png --output @lines.vtp";
        launch("particles", &format!("--size 16 --particles 300 --steps 80 --step 0.1 --blocks 12 {lines}"))?;
        for state in glob::glob(&folder.join("state.*").to_string_lossy())? {
            fs::remove_file(state?)?;
        }
        launch("transform", "--input @contours.vtp --rotate 0,0,1,30 --output @turned.vtp")?;
        Ok(())
    }

    /// Programs whose pictures or sums must be equal.
    fn pictures(&mut self) -> Result<()> {
        let folder = self.folder.clone();
        self.say("compositing");
        self.launch("compositing", "97 61 0.5 2 blend 1", &folder)?;
        self.launch("compositing", "97 61 0.5 2 depth 1", &folder)?;
        self.say("volume");
        self.launch("volume", "--field waves --size 24 --pixels 80x60 --image @volume.png", &folder)?;
        let output = self.launch("volume", "--field waves --size 24 --mip z --image @volume.png", &folder)?;
        ensure!(self.is_written("volume.png"), "volume left nothing on {} ranks", self.ranks);
        is_first(&mut self.sum, lines_with(&output, "sum"), "the sum of volume", self.ranks)?;
        self.say("stencil");
        let output = self.launch("stencil", "--size 256 --tile 48 --steps 9 --image @heat.png", &folder)?;
        is_first(&mut self.heat, lines_with(&output, "checksum"), "the checksum of stencil", self.ranks)?;
        self.say("advection");
        let output = self.launch("advection", "--size 16 --blocks 4 --steps 9 --image @cloud.png", &folder)?;
        is_first(&mut self.mass, lines_with(&output, "mass"), "the mass of advection", self.ranks)?;
        self.say("primitives");
        self.launch("primitives", "--n 100000 --reps 2", &folder)?;
        Ok(())
    }

    fn scaling(&self) -> Result<()> {
        self.job.shell.say("primitives on more and more threads and ranks");
        let mut command = self.job.shell.command(self.job.tests.project.programs().join("primitives"));
        command
            .args("--scaling --threads 2 --n 20000 --reps 1 --image".split(' '))
            .arg(self.folder.join("scaling.svg"));
        self.job.shell.run(command)?;
        ensure!(self.is_written("scaling.svg"), "primitives drew no chart");
        Ok(())
    }
}

/// Fails if a result differs from the one on the first number of ranks.
fn is_first(first: &mut Option<String>, result: String, name: &str, ranks: usize) -> Result<()> {
    let first = first.get_or_insert_with(|| result.clone());
    ensure!(*first == result, "on {ranks} ranks {name} is `{result}`, and before `{first}`");
    Ok(())
}

/// The lines that contain a word.
fn lines_with(output: &str, word: &str) -> String {
    output.lines().filter(|line| line.contains(word)).collect::<Vec<_>>().join("\n")
}

/// The numbers of points, triangles, cells and edges anywhere in a report, in order.
fn counts(report: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = vec![report];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(values) => rest.extend(values),
            Value::Object(entries) => {
                rest.extend(entries.values());
                let counted = |name: &str| ["points", "triangles", "active_cells", "crossing_edges"].contains(&name);
                let numbers = entries.iter().filter(|(name, value)| counted(name) && value.is_u64());
                found.extend(numbers.map(|(name, value)| format!("{name}: {value}")));
            }
            _ => {}
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_report() {
        let report =
            r#"{"surfaces": [{"points": 3, "seconds": 1}, {"points": 2, "triangles": 1}], "points": {"x": 1}}"#;
        assert_eq!(counts(&serde_json::from_str(report).unwrap()), ["points: 2", "points: 3", "triangles: 1"]);
    }

    #[test]
    fn a_result_that_differs_from_the_first_is_an_error() {
        let mut first = None;
        assert!(is_first(&mut first, lines_with("a\nsum 1\n", "sum"), "the sum", 1).is_ok());
        assert!(is_first(&mut first, "sum 1".into(), "the sum", 2).is_ok());
        assert!(is_first(&mut first, "sum 2".into(), "the sum", 3).is_err());
    }
}
