//! Values of disjoint boxes.

use super::area::Area;

/// Disjoint boxes, each with a value. Adjacent boxes of equal values are one box, as far as joining two of them at a time finds it.
#[derive(Debug, Clone)]
pub(crate) struct Map<V>(Vec<(Area, V)>);

/// A set of indices, as disjoint boxes.
pub(crate) type Areas = Map<()>;

impl<V> Default for Map<V> {
    fn default() -> Self {
        Map(Vec::new())
    }
}

impl<V: Clone + PartialEq> Map<V> {
    /// One value everywhere in a box.
    pub fn filled(area: Area, value: V) -> Self {
        let mut map = Map::default();
        map.set(area, value);
        map
    }

    /// All boxes with their values.
    pub fn iter(&self) -> impl Iterator<Item = (Area, &V)> + '_ {
        self.0.iter().map(|(area, value)| (*area, value))
    }

    /// The parts of a box that have a value.
    pub fn within(&self, area: Area) -> impl Iterator<Item = (Area, &V)> + '_ {
        self.0.iter().map(move |(other, value)| (other.common(&area), value)).filter(|(part, _)| !part.is_empty())
    }

    /// The parts of a box without a value.
    pub fn missing(&self, area: Area) -> Vec<Area> {
        let mut left = vec![area];
        left.retain(|area| !area.is_empty());
        for (other, _) in &self.0 {
            if left.iter().any(|part| part.meets(other)) {
                left = left.iter().flat_map(|part| part.without(other)).collect();
            }
        }
        left
    }

    /// Whether each index of a box has a value.
    #[cfg(test)]
    pub fn covers(&self, area: Area) -> bool {
        self.count_within(area) == area.len()
    }

    /// The number of indices of a box that have a value.
    pub fn count_within(&self, area: Area) -> usize {
        self.within(area).map(|(part, _)| part.len()).sum()
    }

    /// The number of indices that have a value.
    pub fn count(&self) -> usize {
        self.0.iter().map(|(area, _)| area.len()).sum()
    }

    /// Removes the values of a box: boxes that overlap it are split.
    pub fn cut(&mut self, area: Area) {
        if !self.0.iter().any(|(other, _)| other.meets(&area)) {
            return;
        }
        let mut kept = Vec::with_capacity(self.0.len() + 4);
        for (other, value) in self.0.drain(..) {
            if other.meets(&area) {
                kept.extend(other.without(&area).into_iter().map(|part| (part, value.clone())));
            } else {
                kept.push((other, value));
            }
        }
        self.0 = kept;
    }

    /// Sets the value of a box.
    pub fn set(&mut self, area: Area, value: V) {
        if area.is_empty() {
            return;
        }
        self.cut(area);
        let mut area = area;
        while let Some((at, joined)) = self.0.iter().enumerate().find_map(|(at, (other, of_other))| {
            let joined = area.joined(other)?;
            (*of_other == value).then_some((at, joined))
        }) {
            self.0.swap_remove(at);
            area = joined;
        }
        self.0.push((area, value));
    }
}

impl Areas {
    /// The union of boxes, which may overlap.
    pub fn of(areas: impl IntoIterator<Item = Area>) -> Self {
        let mut all = Areas::default();
        areas.into_iter().for_each(|area| all.add(area));
        all
    }

    /// Adds the indices of a box. Boxes that are there stay whole, so that a set that grows by overlapping boxes has few of them.
    pub fn add(&mut self, area: Area) {
        if !self.0.iter().any(|(other, ())| other.contains(&area)) {
            self.set(area, ());
        }
    }

    /// The boxes.
    pub fn areas(&self) -> impl Iterator<Item = Area> + '_ {
        self.0.iter().map(|(area, ())| *area)
    }

    /// Boxes that depend on the set alone, and not on the way in which it came about: equal sets give equal boxes in one order.
    pub fn canonical(&self) -> Vec<Area> {
        canonical(&self.areas().collect::<Vec<_>>(), 0)
    }
}

/// The longest ranges along an axis in which the parts along the later axes are the same.
fn canonical(areas: &[Area], axis: usize) -> Vec<Area> {
    if axis == 3 {
        return areas.first().map(|area| vec![*area]).unwrap_or_default();
    }
    let mut cuts: Vec<usize> = areas.iter().flat_map(|area| [area.start[axis], area.end[axis]]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    // The end of the last range, and its parts, which have the range 0..1 along the axis.
    let (mut all, mut last): (Vec<Area>, Vec<Area>) = (Vec::new(), Vec::new());
    for range in cuts.windows(2) {
        let (start, end) = (range[0], range[1]);
        let flat = |area: &Area| {
            let mut flat = *area;
            (flat.start[axis], flat.end[axis]) = (0, 1);
            flat
        };
        let here = areas.iter().filter(|area| area.start[axis] <= start && end <= area.end[axis]);
        let parts = canonical(&here.map(flat).collect::<Vec<_>>(), axis + 1);
        if !parts.is_empty() && parts == last {
            let before = all.len() - parts.len();
            all[before..].iter_mut().for_each(|area| area.end[axis] = end);
        } else {
            all.extend(parts.iter().map(|part| {
                let mut area = *part;
                (area.start[axis], area.end[axis]) = (start, end);
                area
            }));
        }
        last = parts;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(y: std::ops::Range<usize>, x: std::ops::Range<usize>) -> Area {
        Area::of(&[y, x])
    }

    #[test]
    fn adjacent_boxes_of_one_value_are_joined_and_overlaps_are_split() {
        let mut map = Map::default();
        for y in 0..4 {
            for x in 0..4 {
                map.set(flat(2 * y..2 * y + 2, 2 * x..2 * x + 2), 7);
            }
        }
        assert_eq!(map.0, [(flat(0..8, 0..8), 7)]);
        map.set(flat(3..5, 3..5), 8);
        assert_eq!((map.count(), map.iter().filter(|(_, value)| **value == 8).count()), (64, 1));
        assert_eq!(
            map.within(flat(4..5, 0..8)).filter(|(_, value)| **value == 7).map(|(part, _)| part.len()).sum::<usize>(),
            6
        );
        map.cut(flat(0..8, 0..4));
        assert_eq!((map.count(), map.missing(flat(0..8, 0..8)).iter().map(Area::len).sum::<usize>()), (32, 32));
        assert!(map.covers(flat(2..6, 4..8)) && !map.covers(flat(2..6, 3..8)) && map.covers(flat(2..2, 0..8)));
    }

    #[test]
    fn equal_sets_have_equal_canonical_boxes() {
        let mut seed = 11_u64;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for _ in 0..100 {
            let boxes: Vec<Area> = (0..next(7))
                .map(|_| {
                    let mut range = || {
                        let start = next(6);
                        start..start + next(4)
                    };
                    Area::of(&[range(), range(), range()])
                })
                .collect();
            let one = Areas::of(boxes.iter().copied());
            let two = Areas::of(boxes.iter().rev().flat_map(|area| {
                let [z, y, x] = area.ranges::<3>();
                x.map(move |x| Area::of(&[z.clone(), y.clone(), x..x + 1]))
            }));
            let canonical = one.canonical();
            assert_eq!(canonical, two.canonical());
            assert_eq!(canonical.iter().map(Area::len).sum::<usize>(), one.count());
            assert!(canonical.iter().all(|area| one.covers(*area)) && Areas::of(canonical).count() == one.count());
        }
        assert_eq!(Areas::of([flat(0..2, 0..4), flat(2..4, 0..4)]).canonical(), [flat(0..4, 0..4)]);
        assert_eq!(Areas::default().canonical(), []);
    }

    /// The map agrees with an array, for pseudorandom operations.
    #[test]
    fn a_map_is_an_array() {
        let mut seed = 3_u64;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for _ in 0..50 {
            let (mut map, mut array) = (Map::default(), [[None; 9]; 9]);
            for _ in 0..40 {
                let mut range = || {
                    let start = next(9);
                    start..start + next(10 - start)
                };
                let (y, x) = (range(), range());
                let value = (next(4) > 0).then(|| next(3));
                match value {
                    Some(value) => map.set(flat(y.clone(), x.clone()), value),
                    None => map.cut(flat(y.clone(), x.clone())),
                }
                array[y].iter_mut().for_each(|row| row[x.clone()].fill(value));
                for (y, row) in array.iter().enumerate() {
                    for (x, expected) in row.iter().enumerate() {
                        let found: Vec<usize> = map.within(flat(y..y + 1, x..x + 1)).map(|(_, value)| *value).collect();
                        assert_eq!(found, expected.iter().copied().collect::<Vec<_>>());
                    }
                }
            }
        }
    }
}
