//! Runs an annotated loop on the node of this example: `cargo run -p minimal_backend`, or on ranks of it with `--features mpi` and
//! `mpirun`.

use forall::{DistVec, Settings, distributed_scan};
use minimal_backend::Scoped;
use std::error::Error;
use std::process::ExitCode;
use std::thread;

/// Sums of the elements up to each, and with it.
#[distributed_scan]
fn running_total(x: &[u64], out: &mut [u64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let workers = thread::available_parallelism()?.get();
    Ok(forall::run_on(Scoped { workers }, Settings::from_env()?, || {
        let x = DistVec::from_fn(1_000_000, |i| i as u64);
        let mut out = DistVec::zeroed_like(&x);
        running_total(&x, &mut out);
        let last = out.to_all().pop();
        if forall::rank() == 0 {
            println!("{} ranks with {workers} workers on the node `{}`: {last:?}", forall::ranks(), forall::backend());
        }
    }))
}
