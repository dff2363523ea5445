//! From a volume to its picture, step by step.

use crate::brick::{Brick, front_to_back, rooms};
use crate::pixel::{CLEAR, Rgba};
use crate::ray::Slope;
use crate::scene::Scene;
use crate::transfer::{Table, Transfer};
use crate::{composite, draw, extremes, mark, range, shade, slopes, spread};
use forall::DistVec;
use std::ops::Range;

/// A volume in bricks, front to back, one for each rank.
#[derive(Debug)]
pub struct Bricks {
    bricks: Vec<Brick>,
    /// Points and blocks that there is room for in each.
    room: usize,
    blocks: usize,
    values: DistVec<f32>,
}

impl Bricks {
    /// Cuts a volume of so many points for an eye at a place, in cells. Each rank reads the points of one brick.
    ///
    /// # Errors
    /// As `read`.
    pub fn read<E>(
        shape: [usize; 3],
        eye: [f32; 3],
        read: impl FnOnce([Range<usize>; 3]) -> Result<Vec<f32>, E>,
    ) -> Result<Self, E> {
        let bricks = front_to_back(shape, forall::ranks(), eye);
        let (room, blocks) = rooms(&bricks);
        let mut values = read(bricks[forall::rank()].stored())?;
        values.resize(room, f32::NAN);
        Ok(Bricks { bricks, room, blocks, values: DistVec::from_local(values) })
    }

    /// The least and the greatest value, if there is any.
    pub fn range(&self) -> Option<[f32; 2]> {
        Some(range(&self.values)).filter(|[least, most]| least <= most)
    }

    /// Makes the volume ready to be drawn: its gradients, and where there is nothing to be seen. `values` are the least and the greatest,
    /// and `step` is that of the scene.
    pub fn prepare(self, scene: Scene, transfer: &Transfer, values: [f32; 2], step: f32) -> Prepared {
        let table = transfer.table(values, step);
        let Bricks { bricks, room, blocks, values } = self;
        let mut gradients = DistVec::from_local(vec![[0.0; 4]; room]);
        slopes(&values, &bricks, room, scene.cells, &mut gradients);
        let mut least_and_most = DistVec::from_local(vec![[0.0; 2]; blocks]);
        extremes(&values, &bricks, room, blocks, &mut least_and_most);
        let (mut leaps, mut near) = (DistVec::zeroed_like(&least_and_most), DistVec::zeroed_like(&least_and_most));
        mark(&least_and_most, &table.seen, table.least, table.scale, &mut leaps);
        for axis in 0..3 {
            std::mem::swap(&mut leaps, &mut near);
            spread(&near, &bricks, blocks, axis, &mut leaps);
        }
        // Each rank knows what is seen of its own brick.
        let own = bricks[forall::rank()].trimmed(leaps.local());
        let bricks = DistVec::from_local(vec![own]).to_all();
        // Across three hundredths of the range from point to point, a surface is half there.
        let finest = scene.cells.iter().fold(0.0, |most: f32, cells| most.max(cells.abs()));
        let steep = 0.03 * (transfer.range[1] - transfer.range[0]) * finest;
        let layers = DistVec::from_local(vec![CLEAR; (scene.size[0] * scene.size[1]) as usize]);
        Prepared { bricks, room, blocks, scene, table, steep, values, slopes: gradients, leaps, layers }
    }
}

/// A volume that is ready to be drawn.
#[derive(Debug)]
pub struct Prepared {
    bricks: Vec<Brick>,
    room: usize,
    blocks: usize,
    scene: Scene,
    table: Table,
    steep: f32,
    values: DistVec<f32>,
    slopes: DistVec<Slope>,
    leaps: DistVec<u8>,
    layers: DistVec<Rgba>,
}

impl Prepared {
    /// Draws the layers, each rank that of its brick.
    pub fn draw(&mut self) {
        let Prepared { bricks, room, blocks, scene, table, steep, values, slopes, leaps, layers } = self;
        let scale = [table.least, table.scale, *steep];
        draw(values, slopes, leaps, bricks, *room, *blocks, *scene, &table.entries, scale, layers);
    }

    /// This rank's layer.
    pub fn layers(&self) -> Vec<Rgba> {
        self.layers.local().to_vec()
    }

    /// One picture of the layers: light, on all ranks.
    pub fn composite(&self) -> Vec<Rgba> {
        let mut frame = vec![CLEAR; (self.scene.size[0] * self.scene.size[1]) as usize];
        composite(&self.layers, &mut frame);
        frame
    }
}

/// The bytes of a picture in front of a wall, on the first rank.
pub fn bytes(frame: &[Rgba], size: [usize; 2], wall: [f32; 3]) -> Option<Vec<[u8; 3]>> {
    let mut image = DistVec::from_fn_in_planes(size[0] * size[1], size[0], |_| [0; 3]);
    shade(frame, wall, &mut image);
    image.to_root()
}
