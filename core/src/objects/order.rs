//! The tasks of a region in the order of the ranks that run them, as an array that a loop goes through.

use crate::data::{Cuts, Local, Room, Share, Shared};
use crate::runtime;
use bytemuck::NoUninit;

/// The tasks in the order of their ranks.
#[derive(Debug)]
pub(super) struct Ordered {
    pub tasks: Vec<usize>,
    pub cuts: Cuts,
    /// This rank's tasks, as the elements of an array that the loop goes through.
    tokens: Vec<Token>,
}

/// A task in the array of the loop.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, NoUninit)]
#[repr(transparent)]
pub struct Token(usize);

impl Ordered {
    pub fn new(placed: &[usize], ranks: usize) -> Self {
        let mut tasks: Vec<usize> = (0..placed.len()).collect();
        tasks.sort_by_key(|task| placed[*task]);
        let mut lengths = vec![0; ranks];
        placed.iter().for_each(|rank| lengths[*rank] += 1);
        let cuts = Cuts::from_lengths(&lengths);
        let rank = runtime::current().map_or(0, |context| context.rank());
        let tokens = tasks[cuts.range(rank)].iter().map(|task| Token(*task)).collect();
        Ordered { tasks, cuts, tokens }
    }

    /// The tasks of a rank.
    pub fn of(&self, rank: usize) -> &[usize] {
        &self.tasks[self.cuts.range(rank)]
    }
}

// SAFETY: tokens have no space around them.
unsafe impl Shared<Token> for Ordered {
    fn share(&self) -> Share<'_, Token> {
        Share { local: Local::from(&self.tokens[..]), cuts: Some(&self.cuts), room: Room::default(), plain: false }
    }
}
