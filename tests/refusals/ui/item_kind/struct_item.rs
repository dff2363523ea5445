// FA001: a struct is no function.

use forall::foreach;

#[foreach]
struct Field {
    _values: Vec<f64>,
}

fn main() {}
