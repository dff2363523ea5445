//! Maps and sets with a fast hash. Their keys are numbers, names and addresses of the compiler, which nobody chooses to collide.

use std::collections;
use std::hash::{BuildHasherDefault, Hasher};

pub type HashMap<K, V> = collections::HashMap<K, V, BuildHasherDefault<Fast>>;
pub type HashSet<T> = collections::HashSet<T, BuildHasherDefault<Fast>>;

/// The constructor that std has for its own hash alone.
pub trait New {
    fn new() -> Self;
}

impl<K, V> New for HashMap<K, V> {
    fn new() -> Self {
        Self::default()
    }
}

impl<T> New for HashSet<T> {
    fn new() -> Self {
        Self::default()
    }
}

/// Multiplies and rotates, as the hash of rustc does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fast(u64);

impl Hasher for Fast {
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.wrapping_add(value)).wrapping_mul(0xf135_7aea_2e62_a9c5);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
