//! Scalars that loops accumulate, in the spellings in which they are found.

use crate::support::*;
use forall::{distributed_scan, kary_reduce};

/// How deep brackets are nested: no chunk of the text knows how deep it begins.
#[distributed_scan]
fn bracket_depth(text: &[u8], out: &mut [usize]) -> usize {
    let mut depth = 0;
    for i in 0..text.len() {
        let c = text[i];
        if c == b'(' {
            depth += 1
        } else if c == b')' {
            depth -= 1
        }
        out[i] = depth;
    }
    depth
}

/// What is open in the end.
#[kary_reduce]
fn open_files(events: &[u8]) -> u32 {
    let mut open = 0u32;
    for e in events {
        if *e == b'(' {
            open += 1;
        } else {
            open -= 1;
        }
    }
    open
}

#[kary_reduce]
fn balance(amounts: &[u32], start: u32) -> u32 {
    let mut balance = start;
    for (i, amount) in amounts.iter().enumerate() {
        if i % 2 == 0 {
            balance += amount;
        } else {
            balance -= amount;
        }
    }
    balance
}

/// The stock of each article after all sales.
#[kary_reduce]
fn stock_left(sold: &[u8], stock: &mut [u32; 4]) {
    for article in sold {
        stock[(*article % 4) as usize] -= 1;
    }
}

#[kary_reduce]
fn returned_too(sold: &[u8], back: &[bool], mut stock: [u32; 4]) -> [u32; 4] {
    for i in 0..sold.len() {
        let article = (sold[i] % 4) as usize;
        stock[article] = stock[article] - 2;
        if back[i] {
            stock[article] += 1;
        }
    }
    stock
}

#[kary_reduce]
fn paid_twice(prices: &[u8], budget: u64) -> u64 {
    let mut left = budget;
    for price in prices {
        left = left - *price as u64 - 1;
    }
    left
}

/// A tank that is filled up now and then.
#[distributed_scan]
fn tank(used: &[u32], left: &mut [u32]) {
    let mut tank = 5000u32;
    for i in 0..used.len() {
        if used[i] % 7 == 0 {
            tank = 5000;
        }
        tank -= used[i] % 8;
        left[i] = tank;
    }
}

cases! {
    bracket_depth(n) {
        let (pairs, out) = (n / 2, vec![0; n / 2 * 2]);
        let text: Vec<u8> = (0..pairs * 2).map(|i| if i < pairs { b'(' } else { b')' }).collect();
        check!(bracket_depth(&text, &mut out); shares text; writes out);
        let text: Vec<u8> = (0..pairs * 2).map(|i| b"()"[i % 2]).collect();
        check!(bracket_depth(&text, &mut out); shares text; writes out);
    }
    open_files(n) {
        let events: Vec<u8> = (0..n / 2 * 2).map(|i| if i < n / 2 { b'(' } else { b')' }).collect();
        check!(open_files(&events); shares events);
    }
    balance(n) {
        let amounts = naturals(n, 1, 1000);
        check!(balance(&amounts, u32::MAX / 2); shares amounts);
    }
    stock_left(n) {
        let (sold, stock) = (made(n, 1, |bits| bits as u8), [n as u32; 4]);
        check!(stock_left(&sold, &mut stock); shares sold; keeps stock);
    }
    returned_too(n) {
        let (sold, back) = (made(n, 1, |bits| bits as u8), flags(n, 2, 3));
        check!(returned_too(&sold, &back, [2 * n as u32; 4]); shares sold, back);
    }
    paid_twice(n) {
        let prices = made(n, 1, |bits| bits as u8);
        check!(paid_twice(&prices, 256 * n as u64); shares prices);
    }
    tank(n) {
        let (used, left) = (naturals(n, 1, 50), vec![0; n]);
        check!(tank(&used, &mut left); shares used; writes left);
    }
}
