//! A method of the author's that has the name of one that reads, and changes what it is called on.

struct Counter(i64);

impl Counter {
    fn count(&mut self) -> i64 {
        self.0 += 1;
        self.0
    }
}

#[forall::distributed_scan]
fn totals(x: &[i64], out: &mut [i64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        let mut counter = Counter(x[i]);
        counter.count();
        sum += counter.0;
        out[i] = sum;
    }
}

fn main() {}
