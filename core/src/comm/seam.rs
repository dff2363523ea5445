//! The seam to what connects the ranks.

/// Connects the ranks of one program run.
///
/// All ranks make the same sequence of calls. A communicator is used only from the thread that made it.
pub trait Comm {
    /// `solo`, `local`, `mpi`.
    fn name(&self) -> &'static str;

    /// This rank, `0..ranks()`.
    fn rank(&self) -> usize;

    /// How many ranks there are, at least one.
    fn ranks(&self) -> usize;

    /// How many ranks of this run share this machine (for the number of threads by default).
    fn ranks_on_this_machine(&self) -> usize {
        self.ranks()
    }

    /// Sends and receives, all posted at once and all complete on return, so that no order of calls can deadlock.
    ///
    /// Each entry names the other rank. The receiver knows the length beforehand; messages between one pair of ranks
    /// arrive in the order of the entries. Any length works, also above 2 GiB. Neither list names this rank.
    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]);

    /// Ends all ranks: the message is printed once, and the process exits with a non-zero status
    /// (in-process ranks unwind instead).
    fn abort(&self, message: &str) -> !;
}
