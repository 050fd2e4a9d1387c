//! Faults of a system that has no room at the moment: what met one may do better a little later.

use std::io;

use rustix::io::Errno;

/// No memory, descriptors, processes or reads now, or a file that is still being written.
const PASSING: [Errno; 7] =
    [Errno::NOMEM, Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::TXTBSY, Errno::IO, Errno::INTR];

/// Whether an error passes.
pub(super) fn is_passing(errno: Errno) -> bool {
    PASSING.contains(&errno)
}

/// Whether an error of the standard library passes.
pub(super) fn is_passing_error(error: &io::Error) -> bool {
    Errno::from_io_error(error).is_some_and(is_passing)
}
