//! Histograms whose updates all apply one function to an element: saturating counters, counters in turns, states that go on.

use crate::support::*;
use forall::{foreach, kary_reduce};

#[kary_reduce]
fn saturating(key: &[usize], h: &mut [u8; 7]) {
    for i in 0..key.len() {
        if h[key[i]] < 255 {
            h[key[i]] += 1;
        }
    }
}

#[kary_reduce]
fn at_most(key: &[usize], most: u16) -> Vec<u16> {
    let mut h = vec![0u16; 7];
    for i in 0..key.len() {
        let k = key[i];
        h[k] = (h[k] + 1).min(most);
    }
    h
}

#[kary_reduce]
fn by_a_method(key: &[usize]) -> Vec<u8> {
    let mut h = vec![250u8; 7];
    for &k in key {
        h[k] = h[k].saturating_add(1);
    }
    h
}

#[kary_reduce]
fn by_a_function(key: &[usize]) -> Vec<u32> {
    let mut h = vec![0; 7];
    for &k in key {
        h[k] = std::cmp::min(h[k] + 3, 200);
    }
    h
}

/// Tokens that are taken while there are some.
#[kary_reduce]
fn taken(key: &[usize], left: &mut [u32]) {
    for i in 0..key.len() {
        if left[key[i]] > 0 {
            left[key[i]] -= 1;
        }
    }
}

/// Each key goes around, and only every third iteration counts.
#[kary_reduce]
fn in_turns(key: &[usize], turn: &mut [i64], length: i64) {
    for i in 0..key.len() {
        if i % 3 != 0 {
            if turn[key[i]] == length - 1 {
                turn[key[i]] = 0;
            } else {
                turn[key[i]] += 1;
            }
        }
    }
}

/// A generator for each key: the function has no form that the compiler knows.
#[kary_reduce]
fn generators(key: &[usize]) -> [u64; 7] {
    let mut states = [88172645463325252u64; 7];
    for &k in key {
        states[k] = {
            let a = states[k] ^ (states[k] << 13);
            let b = a ^ (a >> 7);
            b ^ (b << 17)
        };
    }
    states
}

/// Floats: the additions are those of the sequential loop, in the same order.
#[kary_reduce]
fn filled(key: &[usize], step: f32) -> Vec<f32> {
    let mut level = vec![0.0f32; 7];
    for i in 0..key.len() {
        for j in 0..2 {
            let k = (key[i] + j) % 7;
            level[k] = (level[k] + step).min(1.0);
        }
    }
    level
}

#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Phase {
    age: u32,
    rounds: u32,
}
same_fields!(Phase { age, rounds });

/// Two fields change together.
#[kary_reduce]
fn phases(key: &[usize], phases: &mut [Phase; 7]) {
    for i in 0..key.len() {
        match phases[key[i]].age {
            4 => {
                phases[key[i]].age = 0;
                phases[key[i]].rounds += 1;
            }
            _ => phases[key[i]].age += 1,
        }
    }
}

/// The elements are on the ranks of their shares.
#[foreach]
fn scattered(at: &[usize], #[scatter] h: &mut [u8]) {
    for i in 0..at.len() {
        if h[at[i]] < 3 {
            h[at[i]] += 1;
        }
    }
}

#[foreach]
fn scattered_in_turns(at: &[usize], #[scatter] turn: &mut [i64]) {
    for i in 0..at.len() {
        turn[at[i]] = (turn[at[i]] + 1) % 5;
    }
}

/// Keys; one of them is frequent.
fn keys(n: usize) -> Vec<usize> {
    made(n, 71, |bits| if bits % 3 == 0 { 4 } else { (bits % 7) as usize })
}

cases! {
    guarded(n) {
        let (key, h) = (keys(n), [0u8, 1, 254, 255, 3, 200, 7]);
        check!(saturating(&key, &mut h); shares key; keeps h);
        for most in [0, 1, 5, 1000] {
            check!(at_most(&key, most); shares key);
        }
        check!(by_a_method(&key); shares key);
        check!(by_a_function(&key); shares key);
    }
    taken_in_shares(n) {
        let (key, left) = (keys(n), made(7, 72, |bits| (bits % 50) as u32));
        check!(taken(&key, &mut left); shares key; writes left);
    }
    goes_around(n) {
        let (key, turn) = (keys(n), vec![0i64; 7]);
        check!(in_turns(&key, &mut turn, 11); shares key; writes turn);
        check!(generators(&key); shares key);
        for step in [0.3f32, 0.0625, 0.0, f32::NAN] {
            check!(filled(&key, step); shares key);
        }
        let phases_of = [Phase::default(); 7];
        check!(phases(&key, &mut phases_of); shares key; keeps phases_of);
    }
    to_owners(n) {
        let at = made(n, 73, |bits| (bits % (n / 2 + 1) as u64) as usize);
        let (h, turn) = (vec![0u8; n / 2 + 1], vec![0i64; n / 2 + 1]);
        check!(scattered(&at, &mut h); shares at; writes h);
        check!(scattered_in_turns(&at, &mut turn); shares at; writes turn);
    }
}
