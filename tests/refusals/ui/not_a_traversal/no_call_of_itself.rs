use forall::traverse;

#[traverse]
fn leaves(#[replicated] first: &[usize], at: usize, out: &mut Vec<usize>) {
    if first[at] == 0 {
        out.push(at);
    }
}

fn main() {}
