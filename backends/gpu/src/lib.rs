//! The gpu node: loops that were translated run on a graphics processor, all others on the node that it wraps.
//!
//! # Operations that are the same as in Rust Integers, casts, and the operations on floats that IEEE 754 defines (additions, products,
//! remainders, roundings, comparisons) give what Rust gives, or a panic. So do quotients and square roots that the library computes: where the
//! device does not round them to the nearest, which Vulkan does not demand, by integers (see `probe`). Elementary functions (sines, powers, ..)
//! are off by some units in the last place. Floats that are added up over iterations are added in another order than on the host, the same one
//! each time.
//!
//! # The files, each naming only those before it
//!
//! | file | is |
//! |---|---|
//! | `error`, `sync`, `ways` | what goes wrong, how to wait, and ways to run kernels |
//! | `layout`, `bins` | how values and histograms lie in the memory of the device |
//! | `text`, `library` | the text around a program, and the operators that WGSL lacks |
//! | `processor` | an opened graphics processor |
//! | `shader` | programs made ready to run |
//! | `memory` | buffers, and the shares that stay in them |
//! | `sort::kernels` | what sorts numbers |
//! | `gpu` | the processor beside another node, and what it keeps |
//! | `probe` | what the device computes as Rust does, by trial |
//! | `launch` | one loop: up, through its passes, and back |
//! | `sort` | numbers sorted by their digits |
//! | `node` | the seams to `forall-core`: `Node` and `Device` |

mod bins;
mod error;
mod gpu;
mod launch;
mod layout;
mod library;
mod memory;
mod node;
mod probe;
mod processor;
mod shader;
mod sort;
mod sync;
mod text;
mod ways;

pub use error::GpuError;
pub use gpu::Gpu;
pub use processor::adapter::Choice;
pub use ways::{LookBack, Room, Ways};
