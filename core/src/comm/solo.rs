//! One rank.

use super::seam::Comm;

/// One rank alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Solo;

impl Solo {
    /// The one rank as a communicator. Not inline, so that its table of methods is compiled here and not in each crate that asks for it.
    #[inline(never)]
    pub fn comm() -> &'static dyn Comm {
        &Solo
    }
}

impl Comm for Solo {
    fn name(&self) -> &'static str {
        "solo"
    }

    fn rank(&self) -> usize {
        0
    }

    fn ranks(&self) -> usize {
        1
    }

    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]) {
        assert!(sends.is_empty() && receives.is_empty(), "there is no other rank to exchange messages with");
    }

    /// Panics: no other rank waits for this one.
    fn abort(&self, message: &str) -> ! {
        panic!("{message}")
    }
}
