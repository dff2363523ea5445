//! The environment variables of the launcher that started this process: `mpirun`, `srun` and others.
//!
//! A launcher counts its processes, and its MPI library connects them. If the program was built with another MPI library, or with none,
//! each process finds itself alone. So the launchers' numbers are compared with the ranks that the process has found.

use std::fmt;
use std::path::Path;

/// The variables of one launcher, before MPI is initialised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Its name, for messages.
    pub launcher: &'static str,
    /// This process's rank.
    pub rank: usize,
    /// The number of ranks, if the launcher gives it.
    pub ranks: Option<usize>,
    /// A lower bound of the number of ranks.
    pub least: usize,
    /// Whether the launcher starts processes of any kind, as `srun` does. It may have started another launcher.
    outer: bool,
    /// The variable with its value.
    variable: String,
}

impl Launch {
    /// Whether this process is one of several, according to the launcher.
    pub fn is_of_several(&self) -> bool {
        self.ranks.unwrap_or(self.least) > 1
    }

    /// Whether only MPI can tell the number of ranks.
    fn is_open(&self) -> bool {
        self.ranks.is_none()
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Launch { launcher, rank, ranks, least, variable, .. } = self;
        write!(formatter, "{launcher} started this process as ")?;
        match ranks {
            Some(ranks) => write!(formatter, "one of {ranks} ranks ({variable})"),
            None if *least > rank + 1 => write!(formatter, "one of at least {least} ranks ({variable})"),
            None => write!(formatter, "rank {rank} ({variable})"),
        }
    }
}

/// The launchers whose variables this process has, from the innermost one outwards, as far as the order is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launches(Vec<Launch>);

impl Launches {
    /// The launchers of the environment.
    ///
    /// A doc test has no launcher: doc tests run in an order, and perhaps in processes, that differ between ranks.
    pub fn of_environment() -> Launches {
        if is_doc_test() { Launches::default() } else { Launches::of_variables() }
    }

    /// The launchers of the environment, for doc tests too.
    pub fn of_variables() -> Launches {
        Launches::from_variables(|name| std::env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Launches {
        let environment = Environment(&variable);
        let mut launches: Vec<Launch> = MPI.iter().filter_map(|names| environment.launch(names)).collect();
        // Slurm starts the daemons of other launchers, whose processes inherit the variables of the daemon.
        if variable("PMIX_NAMESPACE").is_none_or(|namespace| is_of_slurm(&namespace)) {
            launches.extend(environment.slurm());
        }
        launches.extend(environment.launch(&FLUX));
        Launches(launches)
    }

    /// The launcher that started this process, if there is one.
    pub fn innermost(&self) -> Option<&Launch> {
        self.0.first()
    }

    /// Whether this process needs MPI: a launcher started it as one of several ranks, or does not give their number.
    pub fn need_mpi(&self) -> bool {
        let known = self.0.iter().any(|launch| launch.ranks.is_some());
        self.0.iter().any(|launch| launch.is_of_several() || (launch.is_open() && !known))
    }

    /// The launcher that started more than one rank, if there is one.
    pub fn of_several(&self) -> Option<&Launch> {
        self.0.iter().find(|launch| launch.is_of_several())
    }

    /// Whether all launchers of several ranks are of the kind of `srun`, which connect ranks only on request.
    pub fn are_without_mpi(&self) -> bool {
        self.0.iter().all(|launch| launch.outer)
    }

    /// The launcher that started another number of ranks than this process has found.
    ///
    /// A launcher inside another one has ranks of its own: a program on several ranks agrees with one of the launchers. A process that
    /// finds itself alone must be alone for all of them, because it is alone whenever its MPI library is not the launcher's.
    pub fn disagreement(&self, ranks: usize) -> Option<&Launch> {
        if ranks == 1 {
            return self.of_several();
        }
        let mut counted = self.0.iter().filter(|launch| launch.ranks.is_some() && !launch.outer).peekable();
        let first = counted.peek().copied();
        first.filter(|_| counted.all(|launch| launch.ranks != Some(ranks)))
    }
}

/// The variables of a launcher.
struct Names {
    launcher: &'static str,
    rank: &'static str,
    ranks: &'static str,
    /// The variable with the number of ranks on this machine.
    here: &'static str,
    outer: bool,
}

const HYDRA: &str = "`mpiexec` of MPICH or Intel MPI";

const MPI: [Names; 9] = [
    names("`mpirun` of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    names("`jsrun` of IBM", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_LOCAL_SIZE"),
    names("`mpirun_rsh` of MVAPICH2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"),
    names("`mpirun_rsh` of MVAPICH", "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", "MVP_COMM_WORLD_LOCAL_SIZE"),
    names("a launcher that speaks PMI", "PMI_RANK", "PMI_SIZE", "PMI_LOCAL_SIZE"),
    names(HYDRA, "", "", "MPI_LOCALNRANKS"),
    names("`mpiexec` of Cray PALS", "PALS_RANKID", "", "PALS_LOCAL_SIZE"),
    names("`aprun` of Cray ALPS", "ALPS_APP_PE", "", ""),
    names("a launcher that speaks PMIx", "PMIX_RANK", "", ""),
];

const FLUX: Names = Names { outer: true, ..names("`flux run`", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "") };

const fn names(launcher: &'static str, rank: &'static str, ranks: &'static str, here: &'static str) -> Names {
    Names { launcher, rank, ranks, here, outer: false }
}

struct Environment<'v>(&'v dyn Fn(&str) -> Option<String>);

impl Environment<'_> {
    fn number(&self, name: &str) -> Option<usize> {
        if name.is_empty() { None } else { (self.0)(name)?.trim().parse().ok() }
    }

    fn launch(&self, names: &Names) -> Option<Launch> {
        let (rank, here) = (self.number(names.rank), self.number(names.here));
        let ranks = self.number(names.ranks).filter(|ranks| *ranks > 0);
        let variables = [(names.ranks, ranks), (names.here, here), (names.rank, rank)];
        let (name, value) = variables.into_iter().find_map(|(name, value)| Some((name, value?)))?;
        let rank = rank.unwrap_or(0);
        Some(Launch {
            launcher: self.precise(names),
            rank,
            ranks,
            least: here.unwrap_or(0).max(rank + 1),
            outer: names.outer,
            variable: format!("{name}={value}"),
        })
    }

    /// The name of the launcher. Several launchers set the variables of PMI and PMIx, and also their own.
    fn precise(&self, names: &Names) -> &'static str {
        let set = |name: &str| (self.0)(name).is_some();
        let of_slurm = || (self.0)("PMIX_NAMESPACE").is_some_and(|namespace| is_of_slurm(&namespace));
        match names.rank {
            "PMI_RANK" if set("MPI_LOCALNRANKS") => HYDRA,
            "PMI_RANK" if set("PALS_RANKID") => "`mpiexec` of Cray PALS",
            "PMI_RANK" if set("SLURM_STEP_NUM_TASKS") => SRUN,
            "PMIX_RANK" if of_slurm() => SRUN,
            _ => names.launcher,
        }
    }

    /// The launch by `srun`. A script of `sbatch` and a shell of `salloc` also have the job's number of tasks, but are one process: the
    /// number is valid in a step only.
    fn slurm(&self) -> Option<Launch> {
        let rank = self.number("SLURM_PROCID").unwrap_or(0);
        // Steps that are no tasks of `srun`, such as scripts, have the highest numbers.
        let step = ["SLURM_STEP_ID", "SLURM_STEPID"].iter().find_map(|name| self.number(name));
        let is_step = step.map_or(rank > 0, |step| step < 0xffff_fff0);
        let name = match self.number("SLURM_STEP_NUM_TASKS") {
            Some(_) => "SLURM_STEP_NUM_TASKS",
            None if is_step => "SLURM_NTASKS",
            None => return None,
        };
        self.launch(&Names { outer: true, ..names(SRUN, "SLURM_PROCID", name, "") })
    }
}

fn is_of_slurm(pmix_namespace: &str) -> bool {
    pmix_namespace.starts_with("slurm.")
}

const SRUN: &str = "`srun` of Slurm";

/// The innermost launcher, if this process belongs to one.
pub fn launched() -> Option<Launch> {
    Launches::of_environment().innermost().cloned()
}

/// This process's number on its machine, from 0, if the launcher gives it: Open MPI, MPICH, Intel MPI, Slurm.
pub fn local_rank() -> Option<usize> {
    ["OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"]
        .iter()
        .find_map(|name| std::env::var(name).ok()?.parse().ok())
}

/// Whether this process is a doc test. All of them have one name.
pub fn is_doc_test() -> bool {
    std::env::current_exe().is_ok_and(|exe| exe.file_name() == Some("rust_out".as_ref()))
}

/// Whether this process is a test binary that cargo built: `target/debug/deps/name-0123456789abcdef`.
pub fn is_test_binary() -> bool {
    std::env::current_exe().is_ok_and(|exe| is_named_as_test(&exe))
}

fn is_named_as_test(exe: &Path) -> bool {
    let in_deps = exe.parent().is_some_and(|folder| folder.file_name() == Some("deps".as_ref()));
    let name = exe.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let hash = name.rsplit_once('-').map_or("", |(_, hash)| hash);
    in_deps && hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches(variables: &[(&str, &str)]) -> Launches {
        let find =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Launches::from_variables(find)
    }

    fn disagreement(variables: &[(&str, &str)], found: usize) -> Option<String> {
        launches(variables).disagreement(found).map(ToString::to_string)
    }

    const OPEN_MPI: [(&str, &str); 3] =
        [("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "3"), ("PMIX_RANK", "2")];

    #[test]
    fn launchers_are_recognised() {
        let first = |variables: &[(&str, &str)]| {
            let launches = launches(variables);
            launches.innermost().map(|launch| (launch.rank, launch.ranks))
        };
        assert_eq!(first(&[]), None);
        assert_eq!(first(&OPEN_MPI), Some((2, Some(3))));
        assert_eq!(first(&[("PMI_RANK", "0"), ("PMI_SIZE", "8")]), Some((0, Some(8))));
        assert_eq!(first(&[("PMIX_RANK", "1")]), Some((1, None)));
        assert_eq!(first(&[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "4")]), Some((1, Some(4))));
        assert_eq!(first(&[("OMPI_COMM_WORLD_SIZE", "many")]), None);
    }

    #[test]
    fn processes_that_are_alone_disagree_with_launchers_of_several() {
        for (variables, says) in [
            (&OPEN_MPI[..], "`mpirun` of Open MPI started this process as one of 3 ranks (OMPI_COMM_WORLD_SIZE=3)"),
            (&[("OMPI_COMM_WORLD_SIZE", "2")], "one of 2 ranks (OMPI_COMM_WORLD_SIZE=2)"),
            (&[("PMI_SIZE", "2")], "a launcher that speaks PMI started this process as one of 2 ranks (PMI_SIZE=2)"),
            (
                &[("PMI_SIZE", "2"), ("PMI_RANK", "0"), ("MPI_LOCALNRANKS", "2")],
                "`mpiexec` of MPICH or Intel MPI started this process as one of 2 ranks (PMI_SIZE=2)",
            ),
            (&[("MPI_LOCALNRANKS", "2")], "one of at least 2 ranks (MPI_LOCALNRANKS=2)"),
            (&[("PMI_RANK", "3")], "as rank 3 (PMI_RANK=3)"),
            (&[("PMIX_RANK", "1")], "a launcher that speaks PMIx started this process as rank 1 (PMIX_RANK=1)"),
            (&[("MV2_COMM_WORLD_SIZE", "4")], "`mpirun_rsh` of MVAPICH2"),
            (&[("PALS_RANKID", "1")], "`mpiexec` of Cray PALS"),
            (&[("FLUX_JOB_SIZE", "2")], "`flux run`"),
            (&[("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_PROCID", "0")], "`srun` of Slurm"),
            (&[("SLURM_NTASKS", "2"), ("SLURM_PROCID", "1")], "one of 2 ranks (SLURM_NTASKS=2)"),
            (&[("SLURM_NTASKS", "2"), ("SLURM_PROCID", "0"), ("SLURM_STEP_ID", "0")], "`srun` of Slurm"),
            (
                &[("PMIX_RANK", "0"), ("PMIX_NAMESPACE", "slurm.pmix.1.0"), ("SLURM_STEP_NUM_TASKS", "2")],
                "`srun` of Slurm started this process as one of 2 ranks",
            ),
            // An interactive shell of one rank, and a launcher in it.
            (&[("PMI_SIZE", "1"), ("PMI_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "4")], "Open MPI"),
            (&[("PMI_SIZE", "1"), ("PMI_RANK", "0"), ("SLURM_STEP_NUM_TASKS", "4")], "`srun` of Slurm"),
        ] {
            let message = disagreement(variables, 1).unwrap_or_default();
            assert!(message.contains(says), "{variables:?}: {message}");
            assert!(launches(variables).need_mpi(), "{variables:?}");
        }
    }

    #[test]
    fn scripts_and_shells_of_jobs_are_one_process() {
        for variables in [
            &[][..],
            &[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0"), ("SLURM_JOB_ID", "1")],
            &[("SLURM_NTASKS", "8"), ("SLURM_STEP_ID", "4294967291"), ("SLURM_PROCID", "0")],
            &[("SLURM_NTASKS", "8"), ("SLURM_STEP_NUM_TASKS", "1"), ("SLURM_PROCID", "0")],
            &[("PMI_SIZE", "1"), ("PMI_RANK", "0")],
            &[("OMPI_COMM_WORLD_SIZE", "1"), ("OMPI_COMM_WORLD_RANK", "0"), ("PMIX_RANK", "0")],
        ] {
            assert_eq!(disagreement(variables, 1), None, "{variables:?}");
            assert!(!launches(variables).need_mpi(), "{variables:?}");
        }
        // Only MPI knows the number of ranks.
        assert!(launches(&[("PMIX_RANK", "0")]).need_mpi());
        assert_eq!(disagreement(&[("PMIX_RANK", "0")], 1), None);
    }

    #[test]
    fn ranks_that_found_each_other_agree_with_one_launcher() {
        assert_eq!(disagreement(&OPEN_MPI, 3), None);
        assert_eq!(disagreement(&[("PMI_SIZE", "1"), ("OMPI_COMM_WORLD_SIZE", "4")], 4), None);
        assert_eq!(disagreement(&[("PMIX_RANK", "1")], 4), None);
        // Open MPI's daemons on other machines are steps of Slurm.
        assert_eq!(disagreement(&[("OMPI_COMM_WORLD_SIZE", "8"), ("SLURM_STEP_NUM_TASKS", "2")], 8), None);
        let prrte = [("PMIX_RANK", "0"), ("PMIX_NAMESPACE", "prterun-a-1@1"), ("SLURM_STEP_NUM_TASKS", "2")];
        assert_eq!(disagreement(&prrte, 1), None);
        // A job of several programs has one step for each.
        assert_eq!(disagreement(&[("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_PROCID", "1")], 5), None);
        assert!(disagreement(&OPEN_MPI, 2).is_some());
    }

    #[test]
    fn test_binaries_are_recognised_by_their_names() {
        assert!(is_named_as_test(Path::new("/x/target/debug/deps/app-0123456789abcdef")));
        assert!(!is_named_as_test(Path::new("/x/target/debug/app")));
        assert!(!is_named_as_test(Path::new("/x/target/debug/deps/app")));
        assert!(!is_named_as_test(Path::new("/x/target/debug/examples/app-0123456789abcdef")));
    }
}
