// FA040: the element derives nothing, and has padding.

use forall::foreach;

#[derive(Clone, Copy)]
struct Cell {
    kind: u8,
    value: f64,
}

#[foreach]
fn values(cells: &[Cell], out: &mut [f64]) {
    for i in 0..cells.len() {
        out[i] = if cells[i].kind == 0 { cells[i].value } else { 0.0 };
    }
}

fn main() {}
