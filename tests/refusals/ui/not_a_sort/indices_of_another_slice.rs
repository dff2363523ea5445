// FA031: the indices are those of a slice that is sorted or compared, whose length is compared with the others.

use forall::distributed_sort;

#[distributed_sort]
fn by_another_length(x: &mut Vec<u32>, z: &[u32]) {
    let mut order: Vec<usize> = (0..z.len()).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn by_the_length_of_a_variable(x: &mut Vec<u32>) {
    let z = vec![1, 2, 3];
    let mut order: Vec<usize> = (0..z.len()).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn by_a_number(x: &mut Vec<u32>, n: usize) {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn by_a_length_declared_again(x: &mut Vec<u32>) {
    let n = x.len();
    let n = 3;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn by_a_length_in_a_pattern(x: &mut Vec<u32>) {
    let n = x.len();
    let (n, _) = (3, n);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn by_a_length_that_changes(x: &mut Vec<u32>) {
    let mut n = x.len();
    n -= 1;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn by_the_length_of_a_shadow(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = {
        let x = [1, 2];
        (0..x.len()).collect()
    };
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn collected_otherwise(x: &mut [u32]) {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by_key(|&i| x[i]);
    x.copy_from_slice(&order.iter().map(|&i| x[i]).collect::<Reversed<_>>());
}

struct Reversed<T>(Vec<T>);

impl<T> FromIterator<T> for Reversed<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut all: Vec<T> = items.into_iter().collect();
        all.reverse();
        Reversed(all)
    }
}

impl<T> std::ops::Deref for Reversed<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

fn main() {}
