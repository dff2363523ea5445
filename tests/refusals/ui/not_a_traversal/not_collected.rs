use forall::traverse;

#[traverse]
fn last(#[replicated] first: &[usize], at: usize, seen: &mut usize, sum: &mut u64) {
    *sum += 1;
    *seen = at;
    if first[at] > 0 {
        last(first, first[at], seen, sum);
    }
}

#[traverse]
fn ways(#[replicated] first: &[usize], at: usize, path: &mut Vec<usize>, sum: &mut u64) {
    path.push(at);
    *sum += path.len() as u64;
    if first[at] > 0 {
        ways(first, first[at], path, sum);
    }
    path.pop();
}

#[traverse]
fn only_lent(#[replicated] first: &[usize], at: usize, buffer: &mut [u8; 4], sum: &mut u64) {
    *sum += u64::from(buffer[0]);
    if first[at] > 0 {
        only_lent(first, first[at], buffer, sum);
    }
}

fn main() {}
