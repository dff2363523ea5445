//! The end of the process.

use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;
use std::io::Write;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// The longest time for which a process waits for a launcher that reads no output.
const UNREAD: Duration = Duration::from_millis(300);

/// Waits until the launcher has read the output of this process. Launchers that end ranks may drop the rest: MPICH's does.
pub(crate) fn wait_for_output() {
    let _ = std::io::stdout().flush();
    let start = Instant::now();
    while (is_unread(std::io::stdout()) || is_unread(std::io::stderr())) && start.elapsed() < UNREAD {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether this is a pipe that holds bytes.
fn is_unread(output: impl AsFd) -> bool {
    let is_pipe = fstat(&output).is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::Fifo);
    is_pipe && ioctl_fionread(&output).is_ok_and(|bytes| bytes > 0)
}

/// Calls `hook` when the process ends by returning from `main` or by `std::process::exit`, before what was registered
/// earlier. The thread's locals with destructors are gone by then. The hook must not panic.
pub fn at_exit(hook: extern "C" fn()) {
    // SAFETY: `atexit` takes any function that lives as long as the process. It fails only when it cannot allocate; then
    // MPI stays without its end, which the launcher reports.
    unsafe { libc::atexit(hook) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_pipe_is_unread_until_its_reader_has_all_bytes() {
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        assert!(!is_unread(&writer));
        writer.write_all(b"end").unwrap();
        assert!(is_unread(&writer));
        reader.read_exact(&mut [0; 3]).unwrap();
        assert!(!is_unread(&writer));
    }

    #[test]
    fn a_file_has_no_reader() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"end").unwrap();
        assert!(!is_unread(&file));
    }
}
