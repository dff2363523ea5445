// FA010 and FA020: the mistakes of a method are reported, and the rest of the `impl` stays as it was.

use forall::foreach;

struct Scale {
    by: f64,
}

impl Scale {
    #[foreach]
    fn run(&self, x: &mut [f64]) {
        for i in 1..x.len() {
            if x[i].is_nan() {
                break;
            }
            x[i] = x[i - 1].sin() * self.by;
        }
    }

    fn twice(&self, x: &mut [f64]) {
        self.run(x);
        self.run(x);
    }
}

pub fn both(x: &mut [f64]) {
    Scale { by: 2.0 }.twice(x);
}

fn main() {}
