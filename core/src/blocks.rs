//! Blocks: data that move as a whole, and talk to each other by messages.
//!
//! Irregular data, such as the regions of a mesh, the bricks of a volume or the particles of a box, are no long vector. They are cut into
//! blocks, more than there are ranks: [`Blocks`] is all of them. An annotated loop over blocks is an ordinary loop over an array, each element
//! of which stands for a block; so it runs as all loops do, reductions and pushes included, and only two things are its own. Iterations stay
//! on the rank that has the block, and what blocks send to each other arrives between two loops.
//!
//! After Morozov and Peterka, "Block-parallel data analysis with DIY2", LDAV 2016. What DIY asks its users to say is seen in the loop here:
//!
//! | DIY2 | is here |
//! |---|---|
//! | `Master::foreach` | a loop over [`Blocks::iter_mut`] |
//! | `Master::exchange` | the beginning of the next such loop |
//! | `enqueue`, `dequeue` | [`BlockMut::send`], [`BlockMut::inbox`] |
//! | a skip functor | `if block.inbox().is_empty() { continue; }`: what touches no data of a block leaves it on the disk |
//! | `Link`, `RegularDecomposer` | [`Link`], [`Decomposition`] |
//! | blocks in memory | `FORALL_BLOCKS`, and `FORALL_STORE` for the folder of the rest |
//! | queues that leave memory with their block | long messages lie on the disk where blocks do |
//! | saving and loading of blocks | serde |

mod block;
mod collection;
mod decomposition;
mod link;
mod mail;
mod set;
mod store;

pub use block::{Block, BlockMut, Links};
pub use collection::{BlockData, Moved};
pub use decomposition::{Cells, Decomposition, Part};
pub use link::Link;
pub use mail::{Inbox, Message, Receiver};
pub use set::{Blocks, Inside, Iter, IterMut, Token};
