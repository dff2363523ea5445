// FA017: setting one field leaves the others as another iteration had them.

use forall::foreach;

#[derive(Clone, Default)]
struct Walker {
    step: i64,
    place: i64,
}

impl Walker {
    fn go(&mut self) {
        self.place += self.step;
    }
}

#[foreach]
fn walk(x: &[i64], out: &mut [i64]) {
    let mut walker = Walker::default();
    for i in 0..out.len() {
        walker.step = x[i];
        walker.go();
        out[i] = walker.place;
    }
}

fn main() {}
