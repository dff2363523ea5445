//! One report of a test run on several ranks.
//!
//! Every rank runs the whole test binary, whose harness prints a report. That of rank 0 is shown. The standard output of
//! the others goes to a buffer from before `main` on, and is dropped, unless a test fails there that does not fail on rank
//! 0 as well.

use forall_core::runtime::launch::{Launches, is_doc_test, is_test_binary};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::{Mutex, OnceLock, PoisonError};

static BUFFER: OnceLock<File> = OnceLock::new();
static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Says that rank 0 reports the failure of this test, so that the other ranks need not.
pub fn reported_elsewhere(test: &str) {
    REPORTED.lock().unwrap_or_else(PoisonError::into_inner).push(test.to_owned());
}

// SAFETY: the loader calls the functions of this section once, on the only thread, with the C library ready; this one uses
// nothing that the standard library makes ready in `main`.
#[used]
#[cfg(target_os = "linux")]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

#[cfg(target_os = "linux")]
extern "C" fn before_main() {
    let launches = Launches::of_variables();
    let alone = std::env::var("FORALL_RANKS").is_ok_and(|ranks| ranks.trim() == "1");
    if alone || launches.innermost().is_none_or(|launch| launch.rank == 0) || !(is_doc_test() || is_test_binary()) {
        return;
    }
    // SAFETY: the name is a C string; the descriptor, if there is one, belongs to nobody else.
    let buffer = unsafe {
        let descriptor = libc::memfd_create(c"forall-report".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return;
        }
        File::from_raw_fd(descriptor)
    };
    // SAFETY: both descriptors are open.
    if unsafe { libc::dup2(buffer.as_raw_fd(), libc::STDOUT_FILENO) } >= 0 && BUFFER.set(buffer).is_ok() {
        crate::at_exit(tell);
    }
}

/// Shows the failures that only this rank knows of.
extern "C" fn tell() {
    let Some(mut buffer) = BUFFER.get() else { return };
    let mut report = String::new();
    if buffer.rewind().and_then(|()| buffer.read_to_string(&mut report)).is_err() {
        return;
    }
    let reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(failures) = unreported(&report, &reported) {
        let rank = Launches::of_variables().innermost().map_or(0, |launch| launch.rank);
        let _ = writeln!(std::io::stderr(), "tests that failed on rank {rank}:\n{failures}");
    }
}

/// The text of a report about its failures, if a test failed that is not in the list.
fn unreported<'a>(report: &'a str, reported: &[String]) -> Option<&'a str> {
    let failed = report.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    // The harness leaves out the crate's name.
    let known = |test: &str| reported.iter().any(|name| name.split_once("::").is_some_and(|(_, name)| name == test));
    let some = failed.map(|test| test.trim_end_matches(" - should panic")).any(|test| !known(test));
    let from = report.find("\nfailures:\n")?;
    some.then(|| report[from..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_rank_0_does_not_report_is_shown() {
        let report = "test a::b ... ok\ntest a::c ... FAILED\n\nfailures:\n\n---- a::c stdout ----\nno\n";
        assert_eq!(unreported(report, &["app::a::c".to_owned()]), None);
        assert_eq!(unreported(report, &["app::a::b".to_owned()]), Some("failures:\n\n---- a::c stdout ----\nno"));
        assert_eq!(unreported("test a::b ... ok\n", &[]), None);
    }
}
