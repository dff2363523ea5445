//! A library whose users write `forall-facade` into their `Cargo.toml`, and not `forall`.

pub use forall;
