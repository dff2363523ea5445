// FA033: a state of each worker, and nothing says how two of them are put together.

struct Extent {
    all: Vec<f64>,
}

impl Extent {
    fn add(&mut self, v: f64) {
        self.all.push(v);
    }
}

#[forall::foreach_tls]
fn extent(x: &[f64]) -> usize {
    let mut extent = Extent { all: Vec::new() };
    for i in 0..x.len() {
        extent.add(x[i]);
    }
    extent.all.len()
}

fn main() {}
