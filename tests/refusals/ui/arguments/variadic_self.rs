// FA030: iterations of a method read what they count in `self`.

use forall::foreach;

struct Counter {
    count: usize,
}

impl Counter {
    #[foreach]
    fn run(&mut self, x: &mut [f64]) {
        for i in 0..x.len() {
            self.count += 1;
            x[i] += self.count as f64;
        }
    }
}

fn main() {}
