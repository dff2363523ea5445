// FA018: an iteration that does not come by the `clear` finds what another one has left in the buffer.

use forall::foreach_tls;

#[foreach_tls]
fn under_a_condition(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        if x[i] > 3 {
            b.clear();
        }
        b.push(x[i]);
        o[i] = b.len() as u32;
    }
}

#[foreach_tls]
fn in_one_arm(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        match x[i] {
            0 | 1 => b.clear(),
            _ => {}
        }
        b.push(x[i]);
        o[i] = b.iter().sum();
    }
}

#[foreach_tls]
fn right_of_and(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        let _ = x[i] > 2 && {
            b.clear();
            true
        };
        b.push(x[i]);
        o[i] = b[0];
    }
}

#[foreach_tls]
fn while_it_is_long(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        while b.len() > 5 {
            b.clear();
        }
        b.push(x[i]);
        o[i] = b[0];
    }
}

#[foreach_tls]
fn in_a_loop_that_may_not_run(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        for _ in 0..x[i] % 2 {
            b.clear();
        }
        b.push(x[i]);
        o[i] = b[0];
    }
}

#[foreach_tls]
fn in_a_closure(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        if x[i] > 2 {
            let mut z = || b.clear();
            z();
        }
        b.push(x[i]);
        o[i] = b[0];
    }
}

#[foreach_tls]
fn in_one_branch(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        if x[i] > 2 {
            o[i] = 1;
        } else {
            b.clear();
        }
        b.push(x[i]);
        o[i] += b[0];
    }
}

#[foreach_tls]
fn made_anew_under_a_condition(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        if x[i] > 2 {
            b = Vec::new();
        }
        b.push(1);
        o[i] = b.iter().sum();
    }
}

#[foreach_tls]
fn before_the_clear(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        if x[i] == 3 {
            o[i] = b.len() as u32;
            continue;
        }
        b.clear();
        b.push(x[i]);
        o[i] = b[0];
    }
}

#[foreach_tls]
fn cleared_at_the_end(x: &[u32], o: &mut [u32]) {
    let mut b = vec![7];
    for i in 0..x.len() {
        b.push(x[i]);
        o[i] = b.iter().sum();
        b.clear();
    }
}

#[foreach_tls]
fn in_the_second_loop(x: &[u32], o: &mut [u32]) {
    let mut b: Vec<u32> = Vec::new();
    for i in 0..x.len() {
        b.clear();
        b.push(x[i]);
        o[i] = b[0];
    }
    for i in 0..x.len() {
        b.push(1);
        o[i] += b.len() as u32;
        b.clear();
    }
}

fn main() {}
