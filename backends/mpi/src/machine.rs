//! Who shares this machine and these cores.

use mpi::collective::CommunicatorCollectives;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

#[derive(Debug, Clone, Copy)]
struct Machine {
    ranks: usize,
    on_these_cores: usize,
    crowded: bool,
}

static MACHINE: OnceLock<Machine> = OnceLock::new();

/// Looks once, when all ranks start.
pub(crate) fn look(world: &SimpleCommunicator) {
    let here = world.split_shared(world.rank());
    let mine = binding();
    let mut all = vec![0; here.size() as usize];
    here.all_gather_into(&mine, &mut all[..]);
    let on_these_cores = all.iter().filter(|other| **other == mine).count();
    let crowded = on_these_cores > cores();
    MACHINE.get_or_init(|| Machine { ranks: all.len(), on_these_cores: on_these_cores.max(1), crowded });
}

pub(crate) fn ranks_here() -> usize {
    MACHINE.get().map_or(1, |machine| machine.ranks)
}

pub(crate) fn ranks_on_these_cores() -> usize {
    MACHINE.get().map_or(1, |machine| machine.on_these_cores)
}

/// How many cores this rank may use, which others may share with it.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether more ranks may run on this one's cores than there are cores.
pub(crate) fn is_crowded() -> bool {
    MACHINE.get().is_some_and(|machine| machine.crowded)
}

/// A number that is the same for ranks of one machine that may run on the same cores. Where the system does not tell,
/// all ranks count as sharing all cores.
fn binding() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    status.lines().find(|line| line.starts_with("Cpus_allowed:")).hash(&mut hasher);
    hasher.finish()
}
