//! Descriptors that are held for the moment at which the limit of open files is reached.

use std::{fs::File, io};

use rustix::io::Errno;

/// Descriptors that are held and serve nothing: each is given up for one that is needed when there is no
/// other, and taken again afterwards.
#[derive(Debug)]
pub(crate) struct SpareDescriptors {
    held: Vec<File>,
    count: usize,
}

impl SpareDescriptors {
    /// So many, or as many as the system gives.
    #[must_use]
    pub(crate) fn new(count: usize) -> Self {
        let mut spares = Self { held: Vec::new(), count };
        spares.refill();
        spares
    }

    /// Takes again those that were given up; false where there is none left for one of them.
    pub(crate) fn refill(&mut self) -> bool {
        while self.held.len() < self.count {
            match File::open("/dev/null") {
                Ok(file) => self.held.push(file),
                Err(error) => return !is_none_left(&error),
            }
        }
        true
    }

    /// Gives one up, if a failure is for want of it; whether to try again.
    pub(crate) fn give_up_for(&mut self, error: &io::Error) -> bool {
        is_none_left(error) && self.held.pop().is_some()
    }

    /// Does what needs a descriptor, again with each that is given up where there is no other.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn open<T>(&mut self, mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        loop {
            match open() {
                Err(error) if self.give_up_for(&error) => {}
                opened => {
                    self.refill();
                    return opened;
                }
            }
        }
    }
}

fn is_none_left(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_descriptor_is_tried_again_with_each_that_is_given_up() {
        let mut spares = SpareDescriptors::new(3);
        for (failures, errno, tries, is_ok) in [
            (0, Errno::MFILE, 1, true),
            (3, Errno::MFILE, 4, true),
            (9, Errno::NFILE, 4, false),
            (1, Errno::NOENT, 1, false),
        ] {
            let mut tried = 0;
            let opened = spares.open(|| {
                tried += 1;
                if tried <= failures { Err(io::Error::from(errno)) } else { Ok(()) }
            });
            assert_eq!((tried, opened.is_ok()), (tries, is_ok), "{failures} {errno}");
            assert_eq!(spares.held.len(), 3, "they are taken again");
        }
    }
}
