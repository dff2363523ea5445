//! The attributes of programs and tests that run on several ranks.

/// Starts the runtime of annotated functions, runs the program on every rank, and ends it.
///
/// ```no_run
/// #[forall::main]
/// fn main() -> Result<(), std::io::Error> {
///     let x = forall::DistVec::from_fn(1_000_000, |i| i as f64);
///     if forall::rank() == 0 {
///         println!("{} elements on {} ranks", x.len(), forall::ranks());
///     }
///     Ok(())
/// }
/// ```
///
/// It is placed above `fn main()`, which may return the same types as a plain `main`. With the feature `mpi` and a launcher (`mpirun`), the
/// program runs on the launcher's ranks; without a launcher it is one rank. Settings are the [variables](crate#settings) `FORALL_*`.
/// Programs with their own options for them use [`run`](crate::run) instead.
///
/// Every rank runs all of `main`, so each rank prints its output. Test [`rank`](crate::rank) first, as above, or print common results from
/// one rank. Output in a loop's body comes from the rank and the thread that run the iteration, in no specified order. `FORALL_EXPLAIN` and
/// errors are printed once.
///
/// Without this attribute, annotated functions work too, on one rank.
///
/// # Errors
/// An error that `main` returns is printed once and gives an exit status other than 0. An invalid setting, or a launcher without the
/// feature `mpi`, is printed and gives exit status 2 before the program runs.
///
/// # Panics
/// A panic on one rank ends all ranks, with one message that names the rank, and for a panic in a loop the function and the iteration. If
/// ranks make different calls, or different numbers of calls, that also ends all ranks.
pub use forall_macros::main;

/// A test that runs on every rank.
///
/// ```
/// #[forall::test(ranks = 3)]
/// fn all_ranks_see_the_same() {
///     let x = forall::DistVec::from_fn(100, |i| i as u64);
///     assert_eq!(x.to_all()[99], 99);
/// }
/// # fn main() {}
/// ```
///
/// If a launcher started the test binary, each test runs on the launcher's ranks, one test at a time and in the same order everywhere, and
/// is reported once:
/// ```sh
/// CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="mpirun -n 3" cargo test --features mpi
/// ```
/// Without a launcher, the test runs on `ranks` threads of the process as ranks, or on one rank.
///
/// # Panics
/// The test fails if it panics or returns an error on any rank; the others do not wait for it.
pub use forall_macros::test;
