use forall::traverse;

#[traverse]
fn nearest(#[replicated] nodes: &[(f64, usize, usize)], at: usize, best: &mut f64) {
    let (distance, left, right) = nodes[at];
    if distance > *best {
        return;
    }
    *best = distance.min(*best);
    nearest(nodes, left, best);
    nearest(nodes, right, best);
}

#[traverse]
fn first_ten(#[replicated] children: &[Vec<usize>], at: usize, out: &mut Vec<usize>) {
    if out.len() == 10 {
        return;
    }
    out.push(at);
    for &child in &children[at] {
        first_ten(children, child, out);
    }
}

fn main() {}
