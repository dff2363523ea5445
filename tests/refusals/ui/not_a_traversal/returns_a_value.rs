use forall::traverse;

#[traverse]
fn size(#[replicated] children: &[Vec<usize>], at: usize) -> u64 {
    let mut sum = 1;
    for &child in &children[at] {
        sum += size(children, child);
    }
    sum
}

fn main() {}
