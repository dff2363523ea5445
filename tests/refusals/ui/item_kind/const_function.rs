// FA001: a `const fn` runs when the program is compiled.

use forall::kary_reduce;

#[kary_reduce]
const fn triangle(n: u64) -> u64 {
    let mut sum = 0;
    let mut i = 0;
    while i < n {
        sum += i;
        i += 1;
    }
    sum
}

fn main() {}
