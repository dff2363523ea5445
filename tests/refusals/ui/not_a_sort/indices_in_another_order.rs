// FA031: the indices of a slice are `(0..x.len())` and nothing else.

use forall::distributed_sort;

#[distributed_sort]
fn reversed(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..x.len()).rev().collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn skipped(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..x.len()).skip(1).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn in_steps(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..x.len()).step_by(2).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn mapped(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..x.len()).map(|i| i ^ 1).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn filtered(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..x.len()).filter(|i| i % 2 == 0).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn with_the_last(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..=x.len() - 1).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn by_another_function(x: &mut Vec<u32>) {
    let mut order = Vec::<usize>::from_iter(0..x.len());
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn changed(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.reverse();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn declared_again(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..x.len()).collect();
    let (mut order, _) = (vec![0, 2, 1], 3);
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn twice(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by_key(|&i| x[i]);
    *x = order.iter().map(|&i| x[i]).collect();
    *x = order.iter().map(|&i| x[i]).collect();
}

#[distributed_sort]
fn thinned(x: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by_key(|&i| x[i]);
    order.dedup();
    *x = order.iter().map(|&i| x[i]).collect();
}

fn main() {}
