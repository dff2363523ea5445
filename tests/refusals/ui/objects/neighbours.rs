// FA024: the task above writes what this one reads.

use forall::{Object, foreach};

#[foreach]
fn relaxed(plane: &mut Object<f64, 2>) {
    for tile in plane.tiles([64, 64]) {
        let [rows, columns] = tile.inside([1, 1]);
        for y in rows {
            for x in columns.clone() {
                plane[[y, x]] = 0.5 * (plane[[y - 1, x]] + plane[[y + 1, x]]);
            }
        }
    }
}

#[foreach]
fn twice(plane: &mut Object<u64, 2>) {
    for tile in plane.tiles([8, 8]) {
        for y in tile.rows() {
            for x in tile.columns() {
                plane[[y, x]] += 1;
                plane[[y + 1, x]] += 1;
            }
        }
    }
}

// A barrier in a branch.
#[foreach]
fn halved(line: &mut Object<u64, 1>) {
    for tile in line.tiles([8]) {
        let first = line[[tile.indices().start]];
        if first > 0 {
            forall::barrier();
        }
        for i in tile.indices() {
            line[[i]] = first;
        }
    }
}

fn main() {}
