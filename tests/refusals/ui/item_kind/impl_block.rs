// FA001: an `impl` block is no function; its methods can be annotated one by one.

use forall::foreach;

struct Field {
    values: Vec<f64>,
}

#[foreach]
impl Field {
    fn double(&mut self) {
        for v in self.values.iter_mut() {
            *v *= 2.0;
        }
    }
}

fn main() {}
