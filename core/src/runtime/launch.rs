//! Whether an MPI launcher started this process, told from its environment.

/// What a launcher says before MPI is initialised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// This process's rank.
    pub rank: usize,
    /// How many there are, if the launcher says so.
    pub ranks: Option<usize>,
}

/// What the launcher says, if there is one that this process is to take part with.
///
/// Doc tests never are: they run in an order, and perhaps in processes, that differ between ranks.
pub fn launched() -> Option<Launch> {
    if is_doc_test() { None } else { launcher() }
}

/// What the launcher says, if there is one: Open MPI, those that speak PMI (MPICH, Intel MPI, Slurm) or PMIx.
pub fn launcher() -> Option<Launch> {
    from_variables(|name| std::env::var(name).ok())
}

/// This process's number among those on its machine, from 0, if the launcher says so: Open MPI, MPICH, Intel MPI, Slurm.
pub fn local_rank() -> Option<usize> {
    ["OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"]
        .iter()
        .find_map(|name| std::env::var(name).ok()?.parse().ok())
}

/// Whether this process is a doc test, all of which have one name.
pub fn is_doc_test() -> bool {
    std::env::current_exe().is_ok_and(|exe| exe.file_name() == Some("rust_out".as_ref()))
}

fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Option<Launch> {
    let number = |name: &str| variable(name)?.parse::<usize>().ok();
    let sources = [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"), ("PMIX_RANK", "")];
    sources.into_iter().find_map(|(rank, ranks)| Some(Launch { rank: number(rank)?, ranks: number(ranks) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &[(&str, &str)]) -> Option<Launch> {
        from_variables(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn launchers_are_recognised() {
        assert_eq!(launch(&[]), None);
        let open_mpi = [("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "3"), ("PMIX_RANK", "2")];
        assert_eq!(launch(&open_mpi), Some(Launch { rank: 2, ranks: Some(3) }));
        assert_eq!(launch(&[("PMI_RANK", "0"), ("PMI_SIZE", "8")]), Some(Launch { rank: 0, ranks: Some(8) }));
        assert_eq!(launch(&[("PMIX_RANK", "1")]), Some(Launch { rank: 1, ranks: None }));
    }
}
