use forall::traverse;

#[traverse]
fn unmarked(children: &[Vec<usize>], at: usize, sum: &mut u64) {
    *sum += 1;
    for &child in &children[at] {
        unmarked(children, child, sum);
    }
}

#[traverse]
fn written(#[replicated] first: &[usize], at: usize, depth: u32, depths: &mut [u32]) {
    depths[at] = depth;
    if first[at] > 0 {
        written(first, first[at], depth + 1, depths);
    }
}

#[traverse(local)]
fn written_by_each_rank(first: &[usize], at: usize, depth: u32, depths: &mut [u32]) {
    depths[at] = depth;
    if first[at] > 0 {
        written_by_each_rank(first, first[at], depth + 1, depths);
    }
}

fn main() {}
