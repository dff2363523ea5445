use forall::traverse;

#[traverse]
fn visit(#[replicated] children: &[Vec<usize>], at: usize, out: &mut Vec<usize>, sum: &mut u64) {
    out.push(at);
    *sum += 1;
    let mut below = Vec::new();
    for &child in &children[at] {
        visit(children, child, &mut below, sum);
    }
}

fn main() {}
