// FA018 and FA014: `truncate`, `resize`, `fill` and `swap` leave elements or the length as an earlier iteration had them.

use forall::foreach_tls;

#[foreach_tls]
fn truncated(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        b.truncate(1);
        b.push(x[i]);
        o[i] = b[0];
    }
}

#[foreach_tls]
fn resized(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        b.resize(x[i] as usize, i as u32);
        o[i] = b.iter().sum();
    }
}

#[foreach_tls]
fn filled_and_pushed(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        b.fill(0);
        b.push(x[i]);
        o[i] = b.len() as u32;
    }
}

#[foreach_tls]
fn exchanged(x: &[u32], o: &mut [u32]) {
    let (mut a, mut b) = (vec![0], vec![0]);
    for i in 0..x.len() {
        a.clear();
        a.push(x[i]);
        o[i] = a[0] + b[0];
        std::mem::swap(&mut a, &mut b);
    }
}

fn main() {}
