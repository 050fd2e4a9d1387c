//! The way to a recording's file.

use std::{
    io::{self, Seek, SeekFrom, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// How many bytes went into a file; clones count the same one.
#[derive(Clone, Debug, Default)]
pub(super) struct ByteCounter(Arc<AtomicU64>);

impl ByteCounter {
    pub(super) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::Relaxed);
    }
}

/// Counts what is written. It knows its place and goes nowhere else, and writes nothing more once it has
/// failed: the rest of a part that was cut is missing.
pub(super) struct CountingWriter<W> {
    inner: W,
    written: ByteCounter,
    failed: Option<io::ErrorKind>,
}

impl<W> CountingWriter<W> {
    pub(super) const fn new(inner: W, written: ByteCounter) -> Self {
        Self { inner, written, failed: None }
    }
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(failed) = self.failed {
            return Err(io::Error::from(failed));
        }
        let taken = self.inner.write(bytes);
        match &taken {
            Ok(taken) => self.written.add(*taken),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.failed = Some(error.kind()),
        }
        taken
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W> Seek for CountingWriter<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Current(0) => Ok(self.written.bytes()),
            _ => Err(io::Error::from(io::ErrorKind::Unsupported)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes nothing once.
    struct Disk {
        taken: Vec<u8>,
        is_full: bool,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if std::mem::take(&mut self.is_full) {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            self.taken.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_has_failed_takes_nothing_though_there_is_room_again() {
        let written = ByteCounter::default();
        let mut disk = Disk { taken: Vec::new(), is_full: false };
        let mut writer = CountingWriter::new(&mut disk, written.clone());
        writer.write_all(b"one").unwrap();
        writer.inner.is_full = true;
        for _ in 0..2 {
            assert_eq!(writer.write_all(b"two").unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
        assert_eq!((written.bytes(), disk.taken.as_slice()), (3, b"one".as_slice()));
    }
}
