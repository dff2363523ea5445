//! A type of one's own, whose `clear` leaves something.

use forall::foreach;

#[derive(Clone)]
struct Sums {
    now: i64,
    ever: i64,
}

impl Sums {
    fn clear(&mut self) {
        self.now = 0;
    }

    fn add(&mut self, value: i64) {
        self.now += value;
        self.ever += value;
    }
}

#[foreach]
fn sums(x: &[i64], out: &mut [i64]) {
    let mut sums = Sums { now: 0, ever: 0 };
    for i in 0..x.len() {
        sums.clear();
        sums.add(x[i]);
        out[i] = sums.ever;
    }
}

fn main() {}
