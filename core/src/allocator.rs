//! Settings of the C library's allocator, so that it keeps freed memory for reuse.
//!
//! Each call of a loop allocates the same buffers again: bins, messages, pushed elements. By default the GNU C library returns freed memory
//! to the system after a few megabytes. The next call then takes page faults, and the kernel clears the pages: a histogram of 2 MB on two
//! ranks takes 1.4 times as long. Two settings of the library prevent this.

/// Larger blocks are mapped and unmapped one by one. The library accepts no larger value on 64-bit machines.
const LARGEST: i32 = 32 << 20;

/// The freed memory that each arena of the library keeps at most.
const RETAINED: i32 = 256 << 20;

/// The C library's own variables. They take precedence.
const SETTINGS: [&str; 4] = ["MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES"];

/// Lets the allocator keep up to 256 MiB of freed memory for reuse. Does nothing if the environment configures the allocator, or if the C
/// library is not GNU's.
pub fn keep_freed_memory() {
    if SETTINGS.iter().all(|name| std::env::var_os(name).is_none()) {
        set();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64", not(miri)))]
fn set() {
    // SAFETY: it changes two numbers of the allocator, under its lock. If the library refuses one of them, nothing changes.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST);
        libc::mallopt(libc::M_TRIM_THRESHOLD, RETAINED);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64", not(miri))))]
fn set() {
    // Other allocators have no such setting.
    let _ = (LARGEST, RETAINED);
}

#[cfg(all(test, target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod tests {
    use super::*;

    /// The page faults of this thread so far.
    fn faults() -> i64 {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the call initialises the whole struct; if it fails, the struct is zero.
        unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
            usage.assume_init().ru_minflt
        }
    }

    /// Runs in a process of its own: threads share arenas, so the blocks of other tests would change the result.
    #[test]
    #[cfg_attr(miri, ignore)]
    fn the_allocator_reuses_freed_memory() {
        let program = std::env::current_exe().expect("this program has a path");
        let test = "allocator::tests::allocates_and_frees";
        let mut command = std::process::Command::new(program);
        command.args(["--exact", test, "--ignored", "--test-threads=1"]);
        for name in SETTINGS {
            command.env_remove(name);
        }
        let output = command.output().expect("this program starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
    }

    #[test]
    #[ignore = "the_allocator_reuses_freed_memory runs it alone"]
    fn allocates_and_frees() {
        keep_freed_memory();
        // As many bytes as the library returns to the system by default.
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
