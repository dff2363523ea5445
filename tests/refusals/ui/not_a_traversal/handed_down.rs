use forall::traverse;

#[traverse]
fn without_a_name(#[replicated] first: &[usize], at: usize, (low, high): (f64, f64), sum: &mut f64) {
    *sum += high - low;
    if first[at] > 0 {
        without_a_name(first, first[at], (low, (low + high) / 2.0), sum);
    }
}

struct Tree(Vec<usize>);

impl Tree {
    #[traverse]
    fn by_value(self, at: usize, sum: &mut u64) {
        *sum += 1;
        if self.0[at] > 0 {
            self.by_value(at + 1, sum);
        }
    }
}

fn main() {}
