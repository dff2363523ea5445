//! Programs on trial: random ones, and beside them those that were written.

mod canaries;
mod random;
mod remedies;
mod written;
