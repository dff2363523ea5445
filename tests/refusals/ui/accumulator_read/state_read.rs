// FA014: a state is looked at, by the value of a method, or in a part.

use forall::foreach_tls;

#[derive(Clone, Default)]
struct Sum {
    all: u64,
}

impl Sum {
    fn add(&mut self) -> u64 {
        self.all += 1;
        self.all
    }

    fn get(&mut self) -> u64 {
        self.all
    }
}

impl forall::Merge for Sum {
    fn fresh() -> Self {
        Sum::default()
    }

    fn merge(&mut self, later: Self) {
        self.all += later.all;
    }
}

#[foreach_tls]
fn of_the_update(o: &mut [u64]) {
    let mut s = Sum::default();
    for i in 0..o.len() {
        o[i] = s.add();
    }
}

#[foreach_tls]
fn after_the_update(o: &mut [u64]) {
    let mut s = Sum::default();
    for i in 0..o.len() {
        s.add();
        o[i] = s.get();
    }
}

#[foreach_tls]
fn of_a_part(o: &mut [u64]) {
    let mut s = Sum::default();
    for i in 0..o.len() {
        s.add();
        o[i] = s.all;
    }
}

struct Rng(u64);

impl Rng {
    fn seeded() -> Self {
        Rng(1)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
        self.0
    }

    fn join(&mut self, later: Self) {
        self.0 ^= later.0;
    }
}

#[foreach_tls(init = Rng::seeded, merge = Rng::join)]
fn noise(o: &mut [u64]) {
    let mut rng = Rng::seeded();
    for i in 0..o.len() {
        o[i] = rng.next();
    }
}

fn main() {}
