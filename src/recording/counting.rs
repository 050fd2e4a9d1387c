//! How much went into a file.

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

/// Counts what is written. It knows its place and goes nowhere else.
pub(super) struct CountingWriter<W> {
    inner: W,
    written: ByteCounter,
}

impl<W> CountingWriter<W> {
    /// Counts there what is written here.
    pub(super) const fn new(inner: W, written: ByteCounter) -> Self {
        Self { inner, written }
    }
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.inner.write(bytes)?;
        self.written.add(taken);
        Ok(taken)
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
