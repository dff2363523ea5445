//! The end of the process.

/// Calls `hook` when the process ends by returning from `main` or by `std::process::exit`, before what was registered
/// earlier. The thread's locals with destructors are gone by then. The hook must not panic.
pub fn at_exit(hook: extern "C" fn()) {
    // SAFETY: `atexit` takes any function that lives as long as the process. It fails only when it cannot allocate; then
    // MPI stays without its end, which the launcher reports.
    unsafe { libc::atexit(hook) };
}
