//! Reads the next chunk of a set on a thread of its own, while the one before it is used.

use std::{
    io,
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};

use super::{chunk::Items, set::RecordingSet, set_reader::SetReader};

/// At most one chunk is read ahead. The thread ends with this.
#[derive(Debug)]
pub(super) struct ReadAhead {
    wanted: SyncSender<usize>,
    read: Receiver<Items>,
    /// The chunk that is read or was.
    next: Option<usize>,
}

impl ReadAhead {
    pub(super) fn new(set: &Arc<RecordingSet>) -> io::Result<Self> {
        let (wanted, asked) = sync_channel(1);
        let (answer, read) = sync_channel(1);
        let mut reader = SetReader::new(Arc::clone(set));
        thread::Builder::new().name("read-ahead".to_owned()).spawn(move || {
            while let Ok(number) = asked.recv() {
                if answer.send(reader.chunk(number)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { wanted, read, next: None })
    }

    /// A chunk, where it is the one that was asked for.
    pub(super) fn take(&mut self, number: usize) -> Option<Items> {
        self.next.take_if(|next| *next == number)?;
        self.read.recv().ok()
    }

    /// Has a chunk read, unless another one is read still.
    pub(super) fn ask(&mut self, number: usize) {
        if self.next.is_some() && self.read.try_recv().is_err() {
            return;
        }
        self.next = self.wanted.try_send(number).is_ok().then_some(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_that_is_read_ahead_is_the_same_and_others_are_not_taken_for_it() {
        let calm = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/bad.mcap");
        let set = Arc::new(RecordingSet::open(&[calm.into()]).unwrap());
        let mut reader = SetReader::new(Arc::clone(&set));
        let mut ahead = ReadAhead::new(&set).unwrap();
        assert!(set.len() > 2 && ahead.take(0).is_none());
        ahead.ask(1);
        assert!(ahead.take(2).is_none());
        assert_eq!(ahead.take(1), Some(reader.chunk(1)));
        assert!(ahead.take(1).is_none());
        // What nobody took gives way.
        for number in 0..set.len() {
            while ahead.next != Some(number) {
                ahead.ask(number);
            }
        }
        assert_eq!(ahead.take(set.len() - 1), Some(reader.chunk(set.len() - 1)));
    }
}
