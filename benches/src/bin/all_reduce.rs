//! Sums an array over all ranks, so that each has the sums: an annotated loop and `MPI_Allreduce`, in turn.
//!
//! Usage: `mpirun -n RANKS all_reduce [MEGABYTES] [REPETITIONS]`.

use forall::{DistVec, kary_reduce};
use forall_examples::say;
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::CommunicatorCollectives;
use primitives::measure::median;
use std::process::ExitCode;
use std::time::Instant;

/// Adds all rows.
#[kary_reduce(algorithm = auto)]
fn sums(rows: &[f32], #[replicated] totals: &mut [f32]) {
    for row in rows.chunks(totals.len()) {
        for (total, x) in totals.iter_mut().zip(row) {
            *total += *x;
        }
    }
}

/// Adds all rows, in bins.
#[kary_reduce]
fn binned(rows: &[f32], columns: usize, #[replicated] totals: &mut [f32]) {
    for i in 0..rows.len() / columns {
        for j in 0..columns {
            totals[j] += rows[i * columns + j];
        }
    }
}

#[forall::main]
fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>().ok().filter(|number| *number > 0));
    let (Some(megabytes), Some(repetitions)) = (numbers.next().unwrap_or(Some(16)), numbers.next().unwrap_or(Some(11)))
    else {
        eprintln!("usage: all_reduce [MEGABYTES] [REPETITIONS], both whole and from 1 on");
        return ExitCode::from(2);
    };
    let length = megabytes * (1 << 20) / size_of::<f32>();
    let (rank, ranks) = (forall::rank(), forall::ranks());
    let row: Vec<f32> = (0..length).map(|k| ((k * 7 + rank) % 13) as f32).collect();
    let rows = DistVec::from_local(row.clone());
    let (mut ours, mut bins, mut theirs) = (vec![0.0_f32; length], vec![0.0_f32; length], vec![0.0_f32; length]);
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..=repetitions {
        let world = SimpleCommunicator::world();
        ours.fill(0.0);
        world.barrier();
        let start = Instant::now();
        sums(&rows, &mut ours);
        world.barrier();
        times[0].push(start.elapsed().as_secs_f64());
        bins.fill(0.0);
        world.barrier();
        let start = Instant::now();
        binned(&rows, length, &mut bins);
        world.barrier();
        times[1].push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        world.all_reduce_into(&row[..], &mut theirs[..], SystemOperation::sum());
        world.barrier();
        times[2].push(start.elapsed().as_secs_f64());
    }
    assert!(ours == theirs && bins == theirs, "all sum small whole numbers");
    let [ours, bins, theirs] = times.map(|mut times| {
        // The first one makes connections.
        times.remove(0);
        times.sort_unstable_by(f64::total_cmp);
        median(&times) * 1e3
    });
    say!(
        "{megabytes} MB of f32 on {ranks} ranks: annotated {ours:.2} ms, in bins {bins:.2} ms, MPI_Allreduce {theirs:.2} ms, \
         {:.2} and {:.2} times as fast",
        theirs / ours,
        theirs / bins
    );
    ExitCode::SUCCESS
}
