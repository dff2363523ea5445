//! Memory that is freed stays with the process.
//!
//! Loops allocate the same again at each call: bins, messages, what is pushed. The GNU C library gives some megabytes of freed memory
//! back to the system, so that each call faults at new pages, and the system clears them: a histogram of 2 MB on two ranks takes 1.4
//! times as long then. The library has two settings for it, as programs for large machines usually have set.

/// The largest block that comes from the memory that stays; the most that the library accepts on 64-bit machines.
const LARGEST: i32 = 32 << 20;

/// How much freed memory stays at most, in each of the places where the library has it.
const KEPT: i32 = 256 << 20;

/// The C library's own settings, which come first.
const SETTINGS: [&str; 4] = ["MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES"];

/// Lets freed memory stay with the process, up to 256 MiB of it, for what is allocated next. Does nothing where the environment says
/// how the C library allocates, and where that is another one than GNU's.
pub fn keep_freed_memory() {
    if SETTINGS.iter().all(|name| std::env::var_os(name).is_none()) {
        set();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64", not(miri)))]
fn set() {
    // SAFETY: it changes two numbers of the allocator, under its lock. That one of them is refused makes no difference.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64", not(miri))))]
fn set() {
    // Nothing is known to say.
    let _ = (LARGEST, KEPT);
}

#[cfg(all(test, target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod tests {
    use super::*;

    /// Pages of this process that were faults so far.
    fn faults() -> i64 {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the whole of it is written where this succeeds, and zero where it does not.
        unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
            usage.assume_init().ru_minflt
        }
    }

    /// In a process of its own: threads share the allocator's arenas, and what other tests hold there decides where blocks of this one lie.
    #[test]
    #[cfg_attr(miri, ignore)]
    fn what_is_allocated_again_is_no_new_memory() {
        let program = std::env::current_exe().expect("this program has a path");
        let test = "freed::tests::writes_to_what_was_freed";
        let mut command = std::process::Command::new(program);
        command.args(["--exact", test, "--ignored", "--test-threads=1"]);
        for name in SETTINGS {
            command.env_remove(name);
        }
        let output = command.output().expect("this program starts");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{told}");
    }

    #[test]
    #[ignore = "what_is_allocated_again_is_no_new_memory runs it alone"]
    fn writes_to_what_was_freed() {
        keep_freed_memory();
        // As many bytes as the library would give back by itself.
        const PAGES: usize = 4096;
        let write = || {
            let blocks = [1_u8, 2, 3].map(|value| vec![value; PAGES * 4096]);
            std::hint::black_box(&blocks);
        };
        write();
        let before = faults();
        (0..4).for_each(|_| write());
        let new = faults() - before;
        assert!(new < PAGES as i64, "{new} faults");
    }
}
