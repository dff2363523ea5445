// FA004: an empty function has no loop.

use forall::foreach;

#[foreach]
fn nothing(_x: &[f64], _out: &mut [f64]) {}

fn main() {}
