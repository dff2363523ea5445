// FA020: blocks behind the end may have been visited, and would have counted.

use forall::{Blocks, kary_reduce};
use std::sync::atomic::{AtomicU64, Ordering};

#[kary_reduce]
fn first_empty(blocks: &Blocks<(AtomicU64, Vec<f64>)>) -> Option<usize> {
    for block in blocks.iter() {
        block.0.fetch_add(1, Ordering::Relaxed);
        if block.1.is_empty() {
            return Some(block.number());
        }
    }
    None
}

fn main() {}
