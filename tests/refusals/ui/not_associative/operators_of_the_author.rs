//! Functions, methods and types of the author's that have the names of the standard library's.

#[derive(Clone, Copy, PartialEq, Eq)]
struct Tens(i64);

impl PartialOrd for Tens {
    fn partial_cmp(&self, other: &Tens) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Tens {
    fn cmp(&self, other: &Tens) -> std::cmp::Ordering {
        (self.0 / 10).cmp(&(other.0 / 10))
    }
}

fn max(a: i64, b: i64) -> i64 {
    a - b
}

impl std::ops::BitXorAssign<Tens> for i64 {
    fn bitxor_assign(&mut self, other: Tens) {
        *self = other.0 - *self;
    }
}

#[forall::kary_reduce]
fn by_a_function(x: &[i64]) -> i64 {
    let mut most = 0;
    for i in 0..x.len() {
        most = max(most, x[i]);
    }
    most
}

#[forall::kary_reduce]
fn by_a_method(x: &[i64]) -> i64 {
    let mut most = Tens(0);
    for i in 0..x.len() {
        most = most.max(Tens(x[i]));
    }
    most.0
}

#[forall::kary_reduce]
fn by_a_comparison(x: &[i64]) -> i64 {
    let mut most = Tens(0);
    for i in 0..x.len() {
        if Tens(x[i]) > most {
            most = Tens(x[i]);
        }
    }
    most.0
}

#[forall::kary_reduce]
fn by_an_operand(x: &[i64]) -> i64 {
    let mut turned = 0i64;
    for i in 0..x.len() {
        turned ^= Tens(x[i]);
    }
    turned
}

fn main() {}
