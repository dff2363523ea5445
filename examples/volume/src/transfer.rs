//! Transfer functions: which colour and opacity a value has.

use crate::pixel::Rgba;
use forall_examples::colours::{Map, ramp};

/// Entries of a table.
pub const ENTRIES: usize = 1024;

/// The colour and opacity of each value.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    /// The colours, from the least value to the greatest.
    pub colours: Map,
    /// The opacities of a layer as thick as the least distance of two points, at values that rise.
    pub opacity: Vec<(f32, f32)>,
    /// The values of the first colour and of the last.
    pub range: [f32; 2],
}

/// A transfer function for one length of steps: colours multiplied by opacities, from the least value of the range to the greatest.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The colour and opacity of a sample.
    pub entries: Vec<Rgba>,
    /// How many entries before each are not clear.
    pub seen: Vec<u32>,
    /// The value of the first entry.
    pub least: f32,
    /// Entries in each unit of value.
    pub scale: f32,
}

impl Transfer {
    /// The table of values between these two, for samples that are apart by this part of the least distance of two points.
    pub fn table(&self, values: [f32; 2], step: f32) -> Table {
        let points = self.opacity.iter().map(|(value, _)| *value);
        let [low, high] = points.fold(self.range, |[low, high], value| [low.min(value), high.max(value)]);
        // Beyond these, colours and opacities stay as they are.
        let [least, most] = values.map(|value| value.clamp(low, high));
        let width = if most > least { most - least } else { 1.0 };
        let entry = |k: usize| {
            let value = least + k as f32 / (ENTRIES - 1) as f32 * width;
            let opaque = 1.0 - (1.0 - self.opacity_of(value)).powf(step);
            let colour = (value - self.range[0]) / (self.range[1] - self.range[0]).max(f32::MIN_POSITIVE);
            let [r, g, b] = ramp(colour, &self.colours);
            [r * opaque, g * opaque, b * opaque, opaque]
        };
        let entries: Vec<Rgba> = (0..ENTRIES).map(entry).collect();
        let mut seen = vec![0; ENTRIES + 1];
        for (k, entry) in entries.iter().enumerate() {
            seen[k + 1] = seen[k] + u32::from(entry[3] > 0.0);
        }
        Table { entries, seen, least, scale: (ENTRIES - 1) as f32 / width }
    }

    /// The opacity of a value: beyond the first and the last of the points, theirs.
    fn opacity_of(&self, value: f32) -> f32 {
        let after = self.opacity.partition_point(|(at, _)| *at <= value);
        match (after.checked_sub(1).map(|k| self.opacity[k]), self.opacity.get(after).copied()) {
            (Some((from, low)), Some((to, high))) => low + (value - from) / (to - from) * (high - low),
            (Some((_, only)), None) | (None, Some((_, only))) => only,
            (None, None) => 0.0,
        }
    }
}

/// The entry of a value.
#[forall::device]
#[inline]
pub fn entry(value: f32, least: f32, scale: f32) -> usize {
    let place = ((value - least) * scale + 0.5) as i32;
    place.clamp(0, ENTRIES as i32 - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use forall_examples::colours::GREY;

    #[test]
    fn opacities_lie_between_points_and_stay_beyond_them() {
        let transfer =
            Transfer { colours: GREY, opacity: vec![(2.0, 0.0), (4.0, 0.5), (8.0, 0.25)], range: [0.0, 10.0] };
        for (value, opacity) in [(-1.0, 0.0), (2.0, 0.0), (3.0, 0.25), (4.0, 0.5), (6.0, 0.375), (9.0, 0.25)] {
            assert_eq!(transfer.opacity_of(value), opacity);
        }
        let table = transfer.table(transfer.range, 1.0);
        assert_eq!((table.seen[205], table.seen[ENTRIES]), (0, 819));
        assert_eq!(table.entries[entry(4.0, table.least, table.scale)][3], transfer.opacity_of(409.0 * 10.0 / 1023.0));
        assert_eq!(entry(-7.0, table.least, table.scale), 0);
        assert_eq!(entry(f32::INFINITY, table.least, table.scale), ENTRIES - 1);
    }

    #[test]
    fn values_beyond_the_colours_have_opacities_of_their_own() {
        let opacity = vec![(90.0, 0.0), (100.0, 0.5)];
        let transfer = Transfer { colours: GREY, opacity, range: [0.0, 10.0] };
        let table = transfer.table([-50.0, 1e9], 1.0);
        let of = |value: f32| table.entries[entry(value, table.least, table.scale)];
        assert_eq!((of(-50.0), of(50.0)[3], of(1e9)), ([0.0; 4], 0.0, [0.5; 4]));
    }

    #[test]
    fn two_half_steps_are_as_opaque_as_one() {
        let transfer = Transfer { colours: GREY, opacity: vec![(0.0, 0.0), (1.0, 0.9)], range: [0.0, 1.0] };
        let (whole, half) = (transfer.table(transfer.range, 1.0), transfer.table(transfer.range, 0.5));
        for (whole, half) in whole.entries.iter().zip(&half.entries) {
            assert!(((1.0 - half[3]) * (1.0 - half[3]) - (1.0 - whole[3])).abs() < 1e-6);
        }
    }

    #[test]
    fn a_range_without_width_has_a_table() {
        let transfer = Transfer { colours: GREY, opacity: vec![(5.0, 0.3)], range: [5.0, 5.0] };
        assert!(transfer.table(transfer.range, 1.0).entries.as_flattened().iter().all(|x| x.is_finite()));
    }
}
