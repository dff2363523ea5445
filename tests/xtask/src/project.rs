//! The packages of the workspace, as `cargo metadata` describes them.

use crate::shell::Shell;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The features that all steps enable, in each package that has them. One set for all steps, so that nothing is compiled twice.
const FEATURES: [&str; 3] = ["gpu", "half", "ndarray"];
/// The feature that needs a machine with MPI.
const MPI: &str = "mpi";
/// The package that does not compile without MPI.
const NEEDS_MPI: &str = "forall-mpi";

/// The workspace.
#[derive(Debug, Deserialize)]
pub struct Project {
    packages: Vec<Package>,
    target_directory: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    /// The registries to which it may be published: all if there is no list.
    publish: Option<Vec<String>>,
    features: BTreeMap<String, Vec<String>>,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    rename: Option<String>,
    optional: bool,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// The packages that a command of cargo is about.
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    project: &'a Project,
    /// All if it is empty.
    names: &'a [String],
    mpi: bool,
}

impl Project {
    /// Reads the workspace.
    pub fn read(shell: &Shell) -> Result<Project> {
        let mut command = shell.cargo();
        command.args(["metadata", "--no-deps", "--format-version", "1"]);
        Project::parse(&shell.read(command)?)
    }

    fn parse(metadata: &str) -> Result<Project> {
        serde_json::from_str(metadata).context("the output of `cargo metadata`")
    }

    /// The folder in which cargo puts programs without optimisation.
    pub fn programs(&self) -> PathBuf {
        self.target_directory.join("debug")
    }

    /// A folder for code that is compiled in another way.
    pub fn compiled(&self, way: &str) -> PathBuf {
        self.target_directory.join(way)
    }

    /// The packages that users get from a registry.
    pub fn published(&self) -> impl Iterator<Item = &str> {
        self.packages.iter().filter(|package| package.publish.is_none()).map(|package| &*package.name)
    }

    /// The packages with these names, or all. Features that need MPI are on if `mpi`.
    ///
    /// # Errors
    /// If there is no package with such a name.
    pub fn select<'a>(&'a self, names: &'a [String], mpi: bool) -> Result<Selection<'a>> {
        for name in names {
            ensure!(self.packages.iter().any(|package| package.name == *name), "there is no package `{name}`");
        }
        Ok(Selection { project: self, names, mpi })
    }

    /// The names of all integration tests.
    #[cfg(test)]
    pub fn tests(&self) -> Vec<&str> {
        self.packages.iter().flat_map(|package| package.named("test")).collect()
    }
}

impl Package {
    fn named(&self, kind: &str) -> impl Iterator<Item = &str> {
        let of_kind = move |target: &&Target| target.kind.iter().any(|other| other == kind);
        self.targets.iter().filter(of_kind).map(|target| &*target.name)
    }
}

impl Selection<'_> {
    fn packages(&self) -> impl Iterator<Item = &Package> {
        self.project.packages.iter().filter(|package| match self.names {
            [] => self.mpi || package.name != NEEDS_MPI,
            names => names.contains(&package.name),
        })
    }

    /// The packages and their features, as arguments of cargo.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        match self.names {
            [] => arguments.push("--workspace".to_owned()),
            names => names.iter().for_each(|name| arguments.extend(["--package".to_owned(), name.clone()])),
        }
        if self.names.is_empty() && !self.mpi {
            arguments.extend(["--exclude".to_owned(), NEEDS_MPI.to_owned()]);
        }
        let features = self.features();
        if !features.is_empty() {
            arguments.extend(["--features".to_owned(), features.join(",")]);
        }
        arguments
    }

    /// The features of the packages, and of those that they depend on.
    fn features(&self) -> Vec<String> {
        let enabled = |feature: &&String| FEATURES.contains(&&***feature) || (self.mpi && *feature == MPI);
        let of_package = |package: &Package| {
            let features = package.features.keys().filter(enabled);
            features.map(|feature| format!("{}/{feature}", package.name)).collect::<Vec<_>>()
        };
        let plain = |dependency: &&Dependency| dependency.rename.is_none() && !dependency.optional;
        let dependencies = |package: &Package| {
            let names = package.dependencies.iter().filter(plain).map(|dependency| dependency.name.clone());
            names.collect::<Vec<_>>()
        };
        let reached: BTreeSet<_> = self.packages().flat_map(dependencies).collect();
        let is_selected = |name: &str| self.packages().any(|package| package.name == name);
        let packages = self.project.packages.iter();
        packages
            .filter(|package| is_selected(&package.name) || reached.contains(&package.name))
            .flat_map(of_package)
            .collect()
    }

    /// Arguments of cargo that select those targets of a kind that the selected packages have.
    pub fn targets(&self, kind: &str, names: &[&str]) -> Vec<String> {
        let has = |name: &&&str| self.packages().any(|package| package.named(kind).any(|other| other == **name));
        names.iter().filter(has).flat_map(|name| [format!("--{kind}"), (*name).to_owned()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = r#"{"target_directory": "/t", "packages": [
        {"name": "forall", "publish": null, "features": {"gpu": [], "mpi": [], "threads": []}, "targets": [],
         "dependencies": [{"name": "forall-mpi", "rename": null, "optional": true}]},
        {"name": "forall-mpi", "publish": null, "features": {}, "dependencies": [],
         "targets": [{"name": "ranks", "kind": ["test"]}]},
        {"name": "volume", "publish": [], "features": {"mpi": [], "default": []},
         "dependencies": [{"name": "forall", "rename": null, "optional": false}, {"name": "serde", "rename": null, "optional": false}],
         "targets": [{"name": "volume", "kind": ["bin"]}, {"name": "renders", "kind": ["test"]}]}]}"#;

    #[test]
    fn all_packages_with_the_features_of_each() {
        let project = Project::parse(METADATA).unwrap();
        let arguments = |names: &[String], mpi| project.select(names, mpi).unwrap().arguments().join(" ");
        assert_eq!(arguments(&[], true), "--workspace --features forall/gpu,forall/mpi,volume/mpi");
        assert_eq!(arguments(&[], false), "--workspace --exclude forall-mpi --features forall/gpu");
        assert_eq!(arguments(&["volume".into()], true), "--package volume --features forall/gpu,forall/mpi,volume/mpi");
        assert_eq!(arguments(&["volume".into()], false), "--package volume --features forall/gpu");
        assert!(project.select(&["vloume".into()], true).is_err());
    }

    #[test]
    fn targets_of_the_selected_packages() {
        let project = Project::parse(METADATA).unwrap();
        let names = ["volume".to_owned()];
        let volume = project.select(&names, true).unwrap();
        assert_eq!(volume.targets("test", &["ranks", "renders"]), ["--test", "renders"]);
        assert_eq!(volume.targets("bin", &["volume"]), ["--bin", "volume"]);
        let without_mpi = project.select(&[], false).unwrap();
        assert_eq!(without_mpi.targets("test", &["ranks", "renders"]), ["--test", "renders"]);
    }

    #[test]
    fn published_packages() {
        assert_eq!(Project::parse(METADATA).unwrap().published().collect::<Vec<_>>(), ["forall", "forall-mpi"]);
    }
}
