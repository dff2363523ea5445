//! Loops over the tiles of two objects of one shape, in one to three dimensions, each with an equal meaning in the model.

use forall::{Object, barrier, foreach, kary_reduce};

/// All values are less than this.
pub const LIMIT: i64 = 1009;

type Between<const D: usize> = fn(&Object<i64, D>, &mut Object<i64, D>, [usize; D]);
type Within<const D: usize> = fn(&mut Object<i64, D>, [usize; D]);

/// The loops of one number of dimensions.
pub struct Loops<const D: usize> {
    pub between: [Between<D>; 7],
    pub within: [Within<D>; 4],
    pub scaled: fn(&mut Object<i64, D>, [usize; D], usize, usize),
    pub sums: fn(&Object<i64, D>, [usize; D]) -> (i64, i64),
    pub changed: fn(&mut Object<i64, D>, [usize; D]) -> i64,
}

pub mod line {
    use super::*;

    #[foreach]
    pub fn stencil(now: &Object<i64, 1>, next: &mut Object<i64, 1>, size: [usize; 1]) {
        let [nx] = next.shape();
        for tile in next.tiles(size) {
            for x in tile.indices() {
                next[[x]] = (now[[x]] + 3 * now[[x.saturating_sub(1)]] + now[[(x + 1).min(nx - 1)]]) % LIMIT;
            }
        }
    }

    #[foreach]
    pub fn mirrored(now: &Object<i64, 1>, next: &mut Object<i64, 1>, size: [usize; 1]) {
        let [nx] = next.shape();
        for tile in next.tiles(size) {
            for x in tile.indices() {
                next[[x]] = (now[[nx - 1 - x]] + 1) % LIMIT;
            }
        }
    }

    #[foreach]
    pub fn written_out(now: &Object<i64, 1>, next: &mut Object<i64, 1>, size: [usize; 1]) {
        let [nx] = next.shape();
        for tx in 0..nx.div_ceil(size[0]) {
            for x in tx * size[0]..((tx + 1) * size[0]).min(nx) {
                next[[x]] = (2 * now[[x]] + now[[(x + 1).min(nx - 1)]]) % LIMIT;
            }
        }
    }

    #[foreach]
    pub fn scaled(a: &mut Object<i64, 1>, size: [usize; 1], skip: usize, take: usize) {
        for tile in a.tiles(size).skip(skip).take(take) {
            for x in tile.indices() {
                a[[x]] = 7 * a[[x]] % LIMIT;
            }
        }
    }

    #[kary_reduce]
    pub fn sums(a: &Object<i64, 1>, size: [usize; 1]) -> (i64, i64) {
        let (mut sum, mut most) = (0, 0);
        for tile in a.tiles(size) {
            for x in tile.indices() {
                sum += a[[x]];
                most = most.max(a[[x]]);
            }
        }
        (sum, most)
    }

    #[foreach]
    pub fn turned(a: &mut Object<i64, 1>, size: [usize; 1]) {
        let [nx] = a.shape();
        for tile in a.tiles(size) {
            let mut others = Vec::new();
            for x in tile.indices() {
                others.push(a[[nx - 1 - x]]);
            }
            let mut other = others.into_iter();
            barrier();
            for x in tile.indices() {
                a[[x]] = (a[[x]] + 10 * other.next().unwrap_or(0)) % LIMIT;
            }
        }
    }

    #[foreach]
    pub fn near(now: &Object<i64, 1>, next: &mut Object<i64, 1>, size: [usize; 1]) {
        for tile in next.tiles(size) {
            let near = now.get(tile.grown([1]));
            let ends = near.elements()[0] + near.elements()[near.elements().len() - 1];
            for x in tile.indices() {
                next[[x]] = (near[[x]] + ends) % LIMIT;
            }
        }
    }

    #[foreach]
    pub fn chosen(now: &Object<i64, 1>, next: &mut Object<i64, 1>, size: [usize; 1]) {
        let [nx] = next.shape();
        for tile in next.tiles(size) {
            let at = now[[tile.indices().start]] as usize % nx;
            let view = now.get(at..at + 1);
            for x in tile.indices() {
                next[[x]] = (view[[at]] + x as i64) % LIMIT;
            }
        }
    }

    #[foreach]
    pub fn fetched(now: &Object<i64, 1>, next: &mut Object<i64, 1>, size: [usize; 1]) {
        let [nx] = next.shape();
        for tile in next.tiles(size) {
            let mut wanted = Vec::new();
            for x in tile.indices() {
                if x % 3 == 0 {
                    let value = now[[x]] as usize;
                    wanted.push(now.fetch(value % nx..value % nx + 1));
                }
            }
            let sum = wanted.into_iter().map(|wanted| wanted.wait().elements()[0]).sum::<i64>();
            for x in tile.indices() {
                next[[x]] = (sum + now[[x]]) % LIMIT;
            }
        }
    }

    #[foreach]
    pub fn doubled(a: &mut Object<i64, 1>, size: [usize; 1]) {
        for tile in a.tiles(size) {
            let mut own = a.get_mut(tile.ranges());
            own.elements_mut().iter_mut().for_each(|value| *value = (2 * *value + 1) % LIMIT);
            drop(own);
            a.modified(tile.ranges());
        }
    }

    #[foreach]
    pub fn exchanged(a: &mut Object<i64, 1>, size: [usize; 1]) {
        let [nx] = a.shape();
        for tile in a.tiles(size) {
            let mut own = a.get_mut(tile.ranges());
            for x in tile.indices() {
                own[[x]] = (a[[nx - 1 - x]] + 5) % LIMIT;
            }
            drop(own);
            barrier();
            a.modified(tile.ranges());
        }
    }

    #[foreach]
    pub fn halves(a: &mut Object<i64, 1>, size: [usize; 1]) {
        for tile in a.tiles(size) {
            let [indices] = tile.ranges();
            let middle = indices.start + indices.len() / 2;
            let mut own = a.get_mut(indices.start..middle);
            own.elements_mut().iter_mut().for_each(|value| *value = (*value + 77) % LIMIT);
            drop(own);
            a.modified(indices.start..middle);
        }
    }

    #[foreach]
    pub fn several(now: &Object<i64, 1>, next: &mut Object<i64, 1>, size: [usize; 1]) {
        let [nx] = next.shape();
        for tile in next.tiles(size) {
            let mut factor = 2;
            factor += tile.number() as i64 % 3;
            for x in tile.indices() {
                next[[x]] = factor * now[[x]] % LIMIT;
            }
            if tile.number() % 2 == 0 {
                factor = 7;
                for x in tile.indices() {
                    next[[x]] = (next[[x]] + factor) % LIMIT;
                }
            }
            for _ in 0..2 {
                for x in tile.indices() {
                    next[[x]] = (3 * next[[x]] + now[[nx - 1 - x]]) % LIMIT;
                }
            }
        }
    }

    #[kary_reduce]
    pub fn changed(a: &mut Object<i64, 1>, size: [usize; 1]) -> i64 {
        let mut sum = 0;
        for tile in a.tiles(size) {
            for x in tile.indices() {
                a[[x]] = (5 * a[[x]] + 1) % LIMIT;
                sum += a[[x]];
            }
        }
        sum
    }

    pub const LOOPS: Loops<1> = Loops {
        between: [stencil, mirrored, written_out, near, chosen, fetched, several],
        within: [turned, doubled, exchanged, halves],
        scaled,
        sums,
        changed,
    };
}

pub mod plane {
    use super::*;

    #[foreach]
    pub fn stencil(now: &Object<i64, 2>, next: &mut Object<i64, 2>, size: [usize; 2]) {
        let [ny, nx] = next.shape();
        for tile in next.tiles(size) {
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = (now[[y, x]]
                        + 3 * now[[y.saturating_sub(1), x]]
                        + now[[(y + 1).min(ny - 1), x]]
                        + 3 * now[[y, x.saturating_sub(1)]]
                        + now[[y, (x + 1).min(nx - 1)]])
                        % LIMIT;
                }
            }
        }
    }

    #[foreach]
    pub fn mirrored(now: &Object<i64, 2>, next: &mut Object<i64, 2>, size: [usize; 2]) {
        let [ny, nx] = next.shape();
        for tile in next.tiles(size) {
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = (now[[ny - 1 - y, nx - 1 - x]] + 1) % LIMIT;
                }
            }
        }
    }

    #[foreach]
    pub fn written_out(now: &Object<i64, 2>, next: &mut Object<i64, 2>, size: [usize; 2]) {
        let [ny, nx] = next.shape();
        for ty in 0..ny.div_ceil(size[0]) {
            for tx in 0..nx.div_ceil(size[1]) {
                for y in ty * size[0]..((ty + 1) * size[0]).min(ny) {
                    for x in tx * size[1]..((tx + 1) * size[1]).min(nx) {
                        next[[y, x]] = (2 * now[[y, x]] + now[[y, (x + 1).min(nx - 1)]]) % LIMIT;
                    }
                }
            }
        }
    }

    #[foreach]
    pub fn scaled(a: &mut Object<i64, 2>, size: [usize; 2], skip: usize, take: usize) {
        for tile in a.tiles(size).skip(skip).take(take) {
            for y in tile.rows() {
                for x in tile.columns() {
                    a[[y, x]] = 7 * a[[y, x]] % LIMIT;
                }
            }
        }
    }

    #[kary_reduce]
    pub fn sums(a: &Object<i64, 2>, size: [usize; 2]) -> (i64, i64) {
        let (mut sum, mut most) = (0, 0);
        for tile in a.tiles(size) {
            for y in tile.rows() {
                for x in tile.columns() {
                    sum += a[[y, x]];
                    most = most.max(a[[y, x]]);
                }
            }
        }
        (sum, most)
    }

    #[foreach]
    pub fn turned(a: &mut Object<i64, 2>, size: [usize; 2]) {
        let [ny, nx] = a.shape();
        for tile in a.tiles(size) {
            let mut others = Vec::new();
            for y in tile.rows() {
                for x in tile.columns() {
                    others.push(a[[ny - 1 - y, nx - 1 - x]]);
                }
            }
            let mut other = others.into_iter();
            barrier();
            for y in tile.rows() {
                for x in tile.columns() {
                    a[[y, x]] = (a[[y, x]] + 10 * other.next().unwrap_or(0)) % LIMIT;
                }
            }
        }
    }

    #[foreach]
    pub fn near(now: &Object<i64, 2>, next: &mut Object<i64, 2>, size: [usize; 2]) {
        for tile in next.tiles(size) {
            let near = now.get(tile.grown([1, 1]));
            let ends = near.elements()[0] + near.elements()[near.elements().len() - 1];
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = (near[[y, x]] + ends) % LIMIT;
                }
            }
        }
    }

    #[foreach]
    pub fn chosen(now: &Object<i64, 2>, next: &mut Object<i64, 2>, size: [usize; 2]) {
        let [ny, nx] = next.shape();
        for tile in next.tiles(size) {
            let at = now[[tile.rows().start, tile.columns().start]] as usize % ny;
            let view = now.get([at..at + 1, 0..nx]);
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = (view[[at, x]] + y as i64) % LIMIT;
                }
            }
        }
    }

    #[foreach]
    pub fn fetched(now: &Object<i64, 2>, next: &mut Object<i64, 2>, size: [usize; 2]) {
        let [ny, nx] = next.shape();
        for tile in next.tiles(size) {
            let mut wanted = Vec::new();
            for y in tile.rows() {
                for x in tile.columns() {
                    if x % 3 == 0 {
                        let value = now[[y, x]] as usize;
                        wanted.push(now.fetch([value % ny..value % ny + 1, value % nx..value % nx + 1]));
                    }
                }
            }
            let sum = wanted.into_iter().map(|wanted| wanted.wait().elements()[0]).sum::<i64>();
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = (sum + now[[y, x]]) % LIMIT;
                }
            }
        }
    }

    #[foreach]
    pub fn doubled(a: &mut Object<i64, 2>, size: [usize; 2]) {
        for tile in a.tiles(size) {
            let mut own = a.get_mut(tile.ranges());
            own.elements_mut().iter_mut().for_each(|value| *value = (2 * *value + 1) % LIMIT);
            drop(own);
            a.modified(tile.ranges());
        }
    }

    #[foreach]
    pub fn exchanged(a: &mut Object<i64, 2>, size: [usize; 2]) {
        let [ny, nx] = a.shape();
        for tile in a.tiles(size) {
            let mut own = a.get_mut(tile.ranges());
            for y in tile.rows() {
                for x in tile.columns() {
                    own[[y, x]] = (a[[ny - 1 - y, nx - 1 - x]] + 5) % LIMIT;
                }
            }
            drop(own);
            barrier();
            a.modified(tile.ranges());
        }
    }

    #[foreach]
    pub fn halves(a: &mut Object<i64, 2>, size: [usize; 2]) {
        for tile in a.tiles(size) {
            let [rows, columns] = tile.ranges();
            let middle = rows.start + rows.len() / 2;
            let mut own = a.get_mut([rows.start..middle, columns.clone()]);
            own.elements_mut().iter_mut().for_each(|value| *value = (*value + 77) % LIMIT);
            drop(own);
            a.modified([rows.start..middle, columns.clone()]);
        }
    }

    #[foreach]
    pub fn several(now: &Object<i64, 2>, next: &mut Object<i64, 2>, size: [usize; 2]) {
        let [ny, nx] = next.shape();
        for tile in next.tiles(size) {
            let mut factor = 2;
            factor += tile.number() as i64 % 3;
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = factor * now[[y, x]] % LIMIT;
                }
            }
            if tile.number() % 2 == 0 {
                factor = 7;
                for y in tile.rows() {
                    for x in tile.columns() {
                        next[[y, x]] = (next[[y, x]] + factor) % LIMIT;
                    }
                }
            }
            for _ in 0..2 {
                for y in tile.rows() {
                    for x in tile.columns() {
                        next[[y, x]] = (3 * next[[y, x]] + now[[ny - 1 - y, nx - 1 - x]]) % LIMIT;
                    }
                }
            }
        }
    }

    #[kary_reduce]
    pub fn changed(a: &mut Object<i64, 2>, size: [usize; 2]) -> i64 {
        let mut sum = 0;
        for tile in a.tiles(size) {
            for y in tile.rows() {
                for x in tile.columns() {
                    a[[y, x]] = (5 * a[[y, x]] + 1) % LIMIT;
                    sum += a[[y, x]];
                }
            }
        }
        sum
    }

    pub const LOOPS: Loops<2> = Loops {
        between: [stencil, mirrored, written_out, near, chosen, fetched, several],
        within: [turned, doubled, exchanged, halves],
        scaled,
        sums,
        changed,
    };
}

pub mod volume {
    use super::*;

    #[foreach]
    pub fn stencil(now: &Object<i64, 3>, next: &mut Object<i64, 3>, size: [usize; 3]) {
        let [nz, ny, nx] = next.shape();
        for tile in next.tiles(size) {
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        next[[z, y, x]] = (now[[z, y, x]]
                            + 3 * now[[z.saturating_sub(1), y, x]]
                            + now[[(z + 1).min(nz - 1), y, x]]
                            + 3 * now[[z, y.saturating_sub(1), x]]
                            + now[[z, (y + 1).min(ny - 1), x]]
                            + 3 * now[[z, y, x.saturating_sub(1)]]
                            + now[[z, y, (x + 1).min(nx - 1)]])
                            % LIMIT;
                    }
                }
            }
        }
    }

    #[foreach]
    pub fn mirrored(now: &Object<i64, 3>, next: &mut Object<i64, 3>, size: [usize; 3]) {
        let [nz, ny, nx] = next.shape();
        for tile in next.tiles(size) {
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        next[[z, y, x]] = (now[[nz - 1 - z, ny - 1 - y, nx - 1 - x]] + 1) % LIMIT;
                    }
                }
            }
        }
    }

    #[foreach]
    pub fn written_out(now: &Object<i64, 3>, next: &mut Object<i64, 3>, size: [usize; 3]) {
        let [nz, ny, nx] = next.shape();
        for tz in 0..nz.div_ceil(size[0]) {
            for ty in 0..ny.div_ceil(size[1]) {
                for tx in 0..nx.div_ceil(size[2]) {
                    for z in tz * size[0]..((tz + 1) * size[0]).min(nz) {
                        for y in ty * size[1]..((ty + 1) * size[1]).min(ny) {
                            for x in tx * size[2]..((tx + 1) * size[2]).min(nx) {
                                next[[z, y, x]] = (2 * now[[z, y, x]] + now[[z, y, (x + 1).min(nx - 1)]]) % LIMIT;
                            }
                        }
                    }
                }
            }
        }
    }

    #[foreach]
    pub fn scaled(a: &mut Object<i64, 3>, size: [usize; 3], skip: usize, take: usize) {
        for tile in a.tiles(size).skip(skip).take(take) {
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        a[[z, y, x]] = 7 * a[[z, y, x]] % LIMIT;
                    }
                }
            }
        }
    }

    #[kary_reduce]
    pub fn sums(a: &Object<i64, 3>, size: [usize; 3]) -> (i64, i64) {
        let (mut sum, mut most) = (0, 0);
        for tile in a.tiles(size) {
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        sum += a[[z, y, x]];
                        most = most.max(a[[z, y, x]]);
                    }
                }
            }
        }
        (sum, most)
    }

    #[foreach]
    pub fn turned(a: &mut Object<i64, 3>, size: [usize; 3]) {
        let [nz, ny, nx] = a.shape();
        for tile in a.tiles(size) {
            let mut others = Vec::new();
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        others.push(a[[nz - 1 - z, ny - 1 - y, nx - 1 - x]]);
                    }
                }
            }
            let mut other = others.into_iter();
            barrier();
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        a[[z, y, x]] = (a[[z, y, x]] + 10 * other.next().unwrap_or(0)) % LIMIT;
                    }
                }
            }
        }
    }

    #[foreach]
    pub fn near(now: &Object<i64, 3>, next: &mut Object<i64, 3>, size: [usize; 3]) {
        for tile in next.tiles(size) {
            let near = now.get(tile.grown([1, 1, 1]));
            let ends = near.elements()[0] + near.elements()[near.elements().len() - 1];
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        next[[z, y, x]] = (near[[z, y, x]] + ends) % LIMIT;
                    }
                }
            }
        }
    }

    #[foreach]
    pub fn chosen(now: &Object<i64, 3>, next: &mut Object<i64, 3>, size: [usize; 3]) {
        let [nz, ny, nx] = next.shape();
        for tile in next.tiles(size) {
            let at = now[[tile.planes().start, tile.rows().start, tile.columns().start]] as usize % nz;
            let view = now.get([at..at + 1, 0..ny, 0..nx]);
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        next[[z, y, x]] = (view[[at, y, x]] + z as i64) % LIMIT;
                    }
                }
            }
        }
    }

    #[foreach]
    pub fn fetched(now: &Object<i64, 3>, next: &mut Object<i64, 3>, size: [usize; 3]) {
        let [nz, ny, nx] = next.shape();
        for tile in next.tiles(size) {
            let mut wanted = Vec::new();
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        if x % 3 == 0 {
                            let value = now[[z, y, x]] as usize;
                            wanted.push(now.fetch([
                                value % nz..value % nz + 1,
                                value % ny..value % ny + 1,
                                value % nx..value % nx + 1,
                            ]));
                        }
                    }
                }
            }
            let sum = wanted.into_iter().map(|wanted| wanted.wait().elements()[0]).sum::<i64>();
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        next[[z, y, x]] = (sum + now[[z, y, x]]) % LIMIT;
                    }
                }
            }
        }
    }

    #[foreach]
    pub fn doubled(a: &mut Object<i64, 3>, size: [usize; 3]) {
        for tile in a.tiles(size) {
            let mut own = a.get_mut(tile.ranges());
            own.elements_mut().iter_mut().for_each(|value| *value = (2 * *value + 1) % LIMIT);
            drop(own);
            a.modified(tile.ranges());
        }
    }

    #[foreach]
    pub fn exchanged(a: &mut Object<i64, 3>, size: [usize; 3]) {
        let [nz, ny, nx] = a.shape();
        for tile in a.tiles(size) {
            let mut own = a.get_mut(tile.ranges());
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        own[[z, y, x]] = (a[[nz - 1 - z, ny - 1 - y, nx - 1 - x]] + 5) % LIMIT;
                    }
                }
            }
            drop(own);
            barrier();
            a.modified(tile.ranges());
        }
    }

    #[foreach]
    pub fn halves(a: &mut Object<i64, 3>, size: [usize; 3]) {
        for tile in a.tiles(size) {
            let [planes, rows, columns] = tile.ranges();
            let middle = planes.start + planes.len() / 2;
            let mut own = a.get_mut([planes.start..middle, rows.clone(), columns.clone()]);
            own.elements_mut().iter_mut().for_each(|value| *value = (*value + 77) % LIMIT);
            drop(own);
            a.modified([planes.start..middle, rows.clone(), columns.clone()]);
        }
    }

    #[foreach]
    pub fn several(now: &Object<i64, 3>, next: &mut Object<i64, 3>, size: [usize; 3]) {
        let [nz, ny, nx] = next.shape();
        for tile in next.tiles(size) {
            let mut factor = 2;
            factor += tile.number() as i64 % 3;
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        next[[z, y, x]] = factor * now[[z, y, x]] % LIMIT;
                    }
                }
            }
            if tile.number() % 2 == 0 {
                factor = 7;
                for z in tile.planes() {
                    for y in tile.rows() {
                        for x in tile.columns() {
                            next[[z, y, x]] = (next[[z, y, x]] + factor) % LIMIT;
                        }
                    }
                }
            }
            for _ in 0..2 {
                for z in tile.planes() {
                    for y in tile.rows() {
                        for x in tile.columns() {
                            next[[z, y, x]] = (3 * next[[z, y, x]] + now[[nz - 1 - z, ny - 1 - y, nx - 1 - x]]) % LIMIT;
                        }
                    }
                }
            }
        }
    }

    #[kary_reduce]
    pub fn changed(a: &mut Object<i64, 3>, size: [usize; 3]) -> i64 {
        let mut sum = 0;
        for tile in a.tiles(size) {
            for z in tile.planes() {
                for y in tile.rows() {
                    for x in tile.columns() {
                        a[[z, y, x]] = (5 * a[[z, y, x]] + 1) % LIMIT;
                        sum += a[[z, y, x]];
                    }
                }
            }
        }
        sum
    }

    pub const LOOPS: Loops<3> = Loops {
        between: [stencil, mirrored, written_out, near, chosen, fetched, several],
        within: [turned, doubled, exchanged, halves],
        scaled,
        sums,
        changed,
    };
}
