//! Loops that receive: they visit blocks again, until no block has a message.
//!
//! The first wave visits all blocks. Messages sent in a wave arrive before the next one, which visits the blocks to which messages have come,
//! and those that have left messages after they took some.

use super::mail::{Mailbox, Post};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The loop that runs over the blocks of a rank.
#[derive(Debug, Default)]
pub(super) struct Waves {
    /// Whether the loop visits each block once, because its body is compiled without `receive`.
    once: AtomicBool,
    /// Whether a block has asked for messages.
    listens: AtomicBool,
}

impl Waves {
    /// Begins the first wave of a loop: it visits all blocks. Messages have been delivered.
    pub(super) fn begin(&self, mailboxes: &[Arc<Mailbox>], once: bool) {
        self.once.store(once, Ordering::Relaxed);
        self.listens.store(false, Ordering::Relaxed);
        mailboxes.iter().for_each(|mailbox| mailbox.visits.begin(true, false));
    }

    /// Begins the next wave. Messages have been delivered. Returns whether it visits any block.
    pub(super) fn next(&self, mailboxes: &[Arc<Mailbox>]) -> bool {
        let mut any = false;
        for mailbox in mailboxes {
            let is_due = mailbox.visits.are_due_again(|| mailbox.is_waited_for());
            mailbox.visits.begin(is_due, true);
            any |= is_due;
        }
        any
    }

    /// The next wave on one rank, as the positions of its blocks. Empty if the loop ends.
    pub(super) fn next_here(&self, post: &Post<'_>) -> Vec<usize> {
        if !self.listen() {
            return Vec::new();
        }
        post.deliver_here();
        self.next(post.mailboxes);
        (0..post.mailboxes.len()).filter(|at| post.mailboxes[*at].visits.are_due()).collect()
    }

    /// Whether a block has asked for messages.
    pub(super) fn listen(&self) -> bool {
        self.listens.load(Ordering::Relaxed)
    }

    /// A block asks for messages.
    ///
    /// # Panics
    /// If the loop visits each block once.
    #[track_caller]
    pub(super) fn ask(&self) {
        assert!(
            !self.once.load(Ordering::Relaxed),
            "a function or a macro in the body of an annotated loop calls `receive` or `is_first_visit` of a block, so that the compiler \
             cannot see that the loop visits blocks again: call them in the body itself, and pass on the messages"
        );
        self.listens.store(true, Ordering::Relaxed);
    }
}
