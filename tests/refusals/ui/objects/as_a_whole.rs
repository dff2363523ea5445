// FA024: tasks access elements of objects.

use forall::{Object, foreach, kary_reduce};

fn mean(plane: &Object<f64, 2>, y: usize, x: usize) -> f64 {
    0.5 * (plane[[y, x]] + plane[[y, x + 1]])
}

#[foreach]
fn smoothed(now: &Object<f64, 2>, next: &mut Object<f64, 2>) {
    for tile in next.tiles([8, 8]) {
        for y in tile.rows() {
            for x in tile.columns() {
                next[[y, x]] = mean(now, y, x);
            }
        }
    }
}

#[kary_reduce]
fn total(plane: &Object<f64, 2>) -> f64 {
    let mut sum = 0.0;
    for tile in plane.tiles([8, 8]) {
        sum += plane.to_all().elements()[tile.number()];
    }
    sum
}

macro_rules! set {
    ($plane:ident, $y:expr, $x:expr) => {
        $plane[[$y, $x]] = 0.0
    };
}

#[foreach]
fn cleared(plane: &mut Object<f64, 2>) {
    for tile in plane.tiles([8, 8]) {
        for y in tile.rows() {
            for x in tile.columns() {
                set!(plane, y, x);
            }
        }
    }
}

#[foreach]
fn doubled(plane: &mut Object<u64, 2>) {
    let [ny, nx] = plane.shape();
    for y in 0..ny {
        for x in 0..nx {
            plane[[y, x]] *= 2;
        }
    }
}

fn main() {}

#[foreach]
fn raised(plane: &mut Object<u64, 2>) {
    for tile in plane.tiles([8, 8]) {
        let mut own = plane.get_mut(tile.ranges());
        own.elements_mut().fill(1);
        drop(own);
        plane.modified(tile.ranges());
        for y in tile.rows() {
            plane[[y, 0]] += 1;
        }
    }
}

#[foreach]
fn scratch(plane: &mut Object<u64, 2>, out: &mut Object<u64, 2>) {
    for tile in out.tiles([8, 8]) {
        let mut own = plane.get_mut(tile.ranges());
        own.elements_mut().fill(1);
        drop(own);
        let seen = plane.get(tile.ranges());
        for y in tile.rows() {
            for x in tile.columns() {
                out[[y, x]] = seen[[y, x]];
            }
        }
    }
}

#[foreach]
fn waits(plane: &mut Object<u64, 2>, out: &mut Object<u64, 2>) {
    for tile in out.tiles([8, 8]) {
        let mut own = plane.get_mut(tile.ranges());
        own.elements_mut().fill(1);
        drop(own);
        forall::barrier();
        for y in tile.rows() {
            for x in tile.columns() {
                out[[y, x]] = 1;
            }
        }
    }
}
