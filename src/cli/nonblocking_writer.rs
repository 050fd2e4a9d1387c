//! Stdout from a thread of its own, so that whoever reads it slowly, or not at all, holds nothing up.

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    time::Duration,
};

/// Flushed pieces that wait for the reader at most.
const PIECES_MAX: usize = 1_024;

/// How long the end waits for what was flushed to leave.
const DRAIN_MAX: Duration = Duration::from_millis(300);

/// A writer whose flush hands what was written to a thread, whole. A flush that finds no room gives
/// [`io::ErrorKind::WouldBlock`], and what was written is dropped; one whose reader is gone gives
/// [`io::ErrorKind::BrokenPipe`].
#[derive(Debug)]
pub(super) struct NonblockingWriter {
    piece: Vec<u8>,
    pieces: Option<SyncSender<Vec<u8>>>,
    is_gone: Arc<AtomicBool>,
    ended: Receiver<()>,
}

impl NonblockingWriter {
    /// A relay to a sink.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn to(mut sink: impl Write + Send + 'static) -> io::Result<Self> {
        let (pieces, incoming) = sync_channel::<Vec<u8>>(PIECES_MAX);
        let (end, ended) = sync_channel(1);
        let is_gone = Arc::new(AtomicBool::new(false));
        let gone = Arc::clone(&is_gone);
        std::thread::Builder::new().name("stdout".to_owned()).spawn(move || {
            for piece in incoming {
                if sink.write_all(&piece).and_then(|()| sink.flush()).is_err() {
                    gone.store(true, Ordering::Relaxed);
                    break;
                }
            }
            let _ = end.try_send(());
        })?;
        Ok(Self { piece: Vec::new(), pieces: Some(pieces), is_gone, ended })
    }
}

impl Write for NonblockingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::take(&mut self.piece);
        let Some(pieces) = self.pieces.as_ref().filter(|_| !self.is_gone.load(Ordering::Relaxed)) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        pieces.try_send(piece).map_err(|error| match error {
            TrySendError::Full(_) => io::ErrorKind::WouldBlock.into(),
            TrySendError::Disconnected(_) => io::ErrorKind::BrokenPipe.into(),
        })
    }
}

impl Drop for NonblockingWriter {
    fn drop(&mut self) {
        self.pieces = None;
        let _ = self.ended.recv_timeout(DRAIN_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sink that takes nothing until it is told to.
    struct Shut(Receiver<()>);

    impl Write for Shut {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_stands_still_holds_nothing_up() {
        let (_open, shut) = sync_channel(0);
        let mut relay = NonblockingWriter::to(Shut(shut)).unwrap();
        let refused =
            (0..2 * PIECES_MAX).find_map(|_| relay.write_all(b"line\n").and_then(|()| relay.flush()).err());
        assert_eq!(refused.unwrap().kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn a_reader_that_is_gone_is_said_so() {
        let (open, shut) = sync_channel::<()>(0);
        drop(open);
        let mut relay = NonblockingWriter::to(Shut(shut)).unwrap();
        relay.write_all(b"line\n").unwrap();
        let _ = relay.flush();
        while !relay.is_gone.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        relay.write_all(b"line\n").unwrap();
        assert_eq!(relay.flush().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
