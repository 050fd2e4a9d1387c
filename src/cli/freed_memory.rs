//! Gives the memory that this process has freed back to the system, however much it once needed.
//!
//! The C library's own allocator keeps it: 331 of 331 MiB ten seconds after 30 subscribers of the bus that
//! read nothing have gone. The program is built with jemalloc instead, which keeps freed pages for a time and
//! then returns them, here by a thread of its own, so that a process that has nothing to do returns them too.
//! `_RJEM_MALLOC_CONF` in the environment sets what jemalloc documents.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use tikv_jemalloc_ctl::{Access as _, AsName as _, Result, background_thread};

/// How long freed pages are kept: long enough that steady work takes the same ones again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_MS: isize = 1_000;

/// The arena that there is, and those that are made for threads later.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_MS_NAMES: [&str; 2] = ["arena.0.dirty_decay_ms\0", "arenas.dirty_decay_ms\0"];

/// From now on freed memory is given back. Where the program has another allocator, nothing is changed.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if let Err(error) = set_up() {
        super::report::print_note(&format!(
            "warning: cannot limit memory retained by the allocator: {error}"
        ));
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn set_up() -> Result<()> {
    for name in KEPT_MS_NAMES {
        name.name().write(KEPT_MS)?;
    }
    background_thread::write(true)
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn freed_pages_are_kept_for_a_second_and_returned_by_a_thread() {
        give_back();
        assert_eq!(background_thread::read(), Ok(true));
        for name in KEPT_MS_NAMES {
            let kept_ms: Result<isize> = name.name().read();
            assert_eq!(kept_ms, Ok(KEPT_MS), "{name}");
        }
    }
}
