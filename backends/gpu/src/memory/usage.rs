//! The purposes of buffers.

use wgpu::BufferUsages;

/// The purpose of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Kernels read and write it.
    Work,
    /// The same, a window at a time: it holds a share that stays, or what is too long to be looked at as a whole.
    Stay,
    /// The host reads it.
    Read,
}

impl Use {
    pub(crate) fn usages(self) -> BufferUsages {
        match self {
            Use::Work | Use::Stay => {
                BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::COPY_SRC | BufferUsages::COPY_DST
            }
            Use::Read => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        }
    }
}
