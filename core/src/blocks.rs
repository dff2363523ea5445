//! Block-structured data: blocks move as a whole, and exchange messages.
//!
//! Irregular data, such as the regions of a mesh, the bricks of a volume or the particles of a box, are no long vector. They are divided into
//! blocks, more than there are ranks: [`Blocks`] is the distributed set of them. An annotated loop over blocks is a loop over an array of
//! tokens, one for each block. So it runs as all loops do, including reductions and pushes. There are two differences: iterations stay on
//! the rank that has the block, and messages between blocks arrive between two loops.
//!
//! After Morozov and Peterka, "Block-parallel data analysis with DIY2", LDAV 2016. The concepts of DIY2 in this module:
//!
//! | DIY2 | here |
//! |---|---|
//! | `Master::foreach` | a loop over [`Blocks::iter_mut`] |
//! | `Master::exchange` | the beginning of the next such loop |
//! | `enqueue`, `dequeue` | [`BlockMut::send`], [`BlockMut::inbox`] |
//! | `Master::iexchange` | a loop whose body calls [`BlockMut::receive`] |
//! | a skip functor | `if block.inbox().is_empty() { continue; }`: a block whose data are not accessed stays on disk |
//! | deferred execution, swap elision | consecutive loops over the same blocks in one function are [one pass](#loads) |
//! | `Link`, `RegularDecomposer` | [`Link`], [`Decomposition`] |
//! | `AMRLink` | [`AdaptiveMesh`], [`MeshLink`] |
//! | `kdtree` | [`Blocks::distribute`], [`KdTree`] |
//! | blocks in memory | `FORALL_BLOCKS`, and `FORALL_STORE` for the folder of the rest |
//! | queues that leave memory with their block | long messages are spilled if blocks are |
//! | `ContiguousAssigner` | [`Blocks::from_fn`]; [`Blocks::by_weights`] and [`Blocks::balance_by`] for blocks with unequal work |
//! | `RoundRobinAssigner`, other static ones | [`Blocks::assigned`] and [`Blocks::assign`], by an [`Assigner`] |
//! | `DynamicAssigner` | [`Blocks::rank_of`], after blocks have moved too |
//! | saving and loading of blocks | serde; [`Blocks::save`] and [`Blocks::load`] for all blocks with their links and messages |
//! | `RegularMergePartners`, `RegularSwapPartners`, `RegularAllReducePartners` | [`Partners`](crate::partners::Partners), whose ranks are blocks |
//!
//! # Loops that receive
//!
//! A loop whose body calls [`BlockMut::receive`] goes on until no block has messages and none is in transit. It is for particles that go
//! from block to block, and for all work whose number of rounds the data decide. It runs in waves. The first one visits all blocks, and each
//! later one the blocks to which messages have come. So the sequential program has a definite order, and the result is the same on any
//! number of threads and ranks.
//!
//! If the work on a message changes no block, an annotated loop has no waves: blocks process messages [as they arrive](BlockMut::receive), and
//! no worker and no rank waits for a round. The results are put in the order of the waves.
//!
//! ```
//! use forall_core::blocks::{Blocks, Link};
//!
//! // #[kary_reduce] runs it on all ranks and threads.
//! fn hops(blocks: &mut Blocks<()>) -> usize {
//!     let mut hops = 0;
//!     for block in blocks.iter_mut() {
//!         if block.is_first_visit() {
//!             block.send(block.number(), &5_u32);
//!         }
//!         while let Some(message) = block.receive() {
//!             let left: u32 = message.read();
//!             for link in block.links().filter(|_| left > 0) {
//!                 hops += 1;
//!                 block.send(link, &(left - 1));
//!             }
//!         }
//!     }
//!     hops
//! }
//!
//! let mut ring = Blocks::linked(4, |number| ((), vec![Link::to((number + 1) % 4)]));
//! assert_eq!(hops(&mut ring), 20);
//! ```
//!
//! # Memory
//!
//! `FORALL_BLOCKS` limits the blocks that a rank keeps in memory: their number, or the sum of their sizes. The size of a block is that of its
//! numbers and texts in memory, as serde writes them, and 24 bytes for each list. A block that is larger than the limit is in memory alone.
//! The other blocks are in a file without a name in the folder `FORALL_STORE`.
//!
//! # Loads
//!
//! A block is loaded when an iteration first uses its data. A guard that looks only at the inbox, the links, the number or captured values
//! leaves it on the disk: `if block.inbox().is_empty() { continue; }`, `if block.number() % 2 == round { .. }`. The line `loads:` of `EXPLAIN` names the
//! guards.
//!
//! Consecutive loops over the same blocks in an annotated function are one pass over them, so that each block is loaded once. Only declarations of
//! constants (`let mut sum = 0;`) are between such loops. They stay apart if the first one sends messages and the second one sends or takes some, or
//! if one of them receives. They also stay apart if both use a variable or an array that one of them changes, or if other code gets a block as a
//! whole (`f(&block)`; `f(&*block)` gives it the data). The lines `fused:` and `not fused:` tell. If both loops would panic, the panic of the earlier
//! block is reported.
//!
//! # Annotated calls in a block
//!
//! The body of a loop over blocks may call annotated functions on the data of its block. Each call runs on the worker of the block. If a rank
//! has fewer blocks than workers, or fewer fit into memory, these calls run on all workers of the rank, and have the same results.
//!
//! # Loops that end early
//!
//! A loop over [`Blocks::iter`] may end early (`return Some(block.number())`). Workers then may have visited later blocks, so the methods that it
//! calls do not change blocks through `&` (locks, atomics).
//!
//! # Scans
//!
//! A loop over blocks may have a scan state, for example the number of elements in the blocks before. It visits each block once, in the order of their
//! numbers, and its floats have the bits of the sequential program. So its blocks run one after the other, over all ranks. If the work on
//! a block takes long, compute its contribution first (`for (block, n) in blocks.iter().zip(n.iter_mut())`), scan these numbers, and then go through
//! blocks and numbers side by side: these loops run in parallel.
//!
//! # Merge, swap, all-reduce
//!
//! The data of all blocks merge in rounds of [partners](crate::partners), on any number of blocks. In each round a block merges the received
//! pieces, and sends its own:
//!
//! ```
//! use forall_core::blocks::Blocks;
//! use forall_core::partners::{Algorithm, Does, Partners, Whither};
//!
//! // #[foreach] runs it on all ranks and threads.
//! fn summed(blocks: &mut Blocks<Vec<f32>>, partners: &Partners, round: usize) {
//!     for mut block in blocks.iter_mut() {
//!         if let Some(before) = round.checked_sub(1).and_then(|before| partners.round(block.number(), before)) {
//!             for (piece, message) in block.inbox().pieces(&before) {
//!                 for (sum, value) in block[piece.region].iter_mut().zip(&*message.elements::<f32>()) {
//!                     *sum = if before.does == Does::Merge { *sum + value } else { *value };
//!                 }
//!             }
//!         }
//!         for piece in partners.round(block.number(), round).into_iter().flat_map(|round| round.sends) {
//!             block.send_elements(piece.rank, &block[piece.region]);
//!         }
//!     }
//! }
//!
//! let mut blocks = Blocks::from_fn(5, |number| vec![number as f32; 3]);
//! let partners = Partners::of_all(Algorithm::Tree { k: 2 }, blocks.len(), 3, Whither::All);
//! (0..=partners.count()).for_each(|round| summed(&mut blocks, &partners, round));
//! assert_eq!(blocks.to_all(), vec![vec![10.0; 3]; 5]);
//! ```
//!
//! A merge ([`Tree`](crate::partners::Algorithm::Tree)) ends on one block, a swap ([`RadixK`](crate::partners::Algorithm::RadixK)) with a part
//! on each; [`Whither`](crate::partners::Whither) says whether all get the result. A value that all ranks need is a plain reduction over
//! blocks, without partners.

mod adaptive;
mod arrivals;
mod balance;
mod block;
mod collection;
mod copied;
mod decomposition;
mod ending;
mod kd_tree;
mod leading;
mod link;
mod mail;
mod parts;
mod placement;
mod saved;
mod set;
mod size;
mod store;
mod trail;
mod visits;
mod waves;
mod weights;
mod written;

pub use adaptive::{AdaptiveMesh, Border, BoxProblem, LevelBox, MeshError, MeshLink, Overlap, Patch};
pub use arrivals::Arrivals;
pub(crate) use arrivals::Visit;
pub use block::{Block, BlockMut, Links};
pub use collection::{BlockData, Moved};
pub use decomposition::{Cells, Decomposition, Part};
pub use kd_tree::{Bounds, KdTree, Misplaced};
pub use link::Link;
pub use mail::{Inbox, Message, Receiver};
pub use parts::Parts;
pub use placement::Assigner;
pub use set::{Blocks, Inside, Iter, IterMut, Token};
pub(crate) use trail::{Trail, in_order};
pub(crate) use written::Written;
