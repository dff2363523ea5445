use forall::traverse;

#[traverse]
fn visit(#[replicated] next: &[Option<usize>], at: usize, sum: &mut u64) {
    *sum += 1;
    for _ in 0..2 {
        let _child = (|| Some(next[at]? + 1))();
        visit(next, next[at]?, sum);
    }
}

fn main() {}
