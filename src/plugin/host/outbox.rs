//! Frames that wait to be written to one process, in order.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::plugin::session::Lane;

/// Bytes that are written at one time; a longer frame is written from where it lies.
const BATCH_BYTES_MAX: usize = 65_536;

/// What was written of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) messages: u64,
    pub(super) bytes: u64,
}

/// The frames of one process that were not written whole.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    frames: VecDeque<(Bytes, Option<Lane>)>,
    bytes: u64,
    /// Bytes of the first frames that are being written, and how many of them were taken.
    batch: Bytes,
    /// Bytes of the first frame that were taken.
    taken: usize,
}

impl Outbox {
    /// Queues a frame; one without a lane counts in none.
    pub(super) fn push(&mut self, frame: Bytes, lane: Option<Lane>) {
        self.bytes += frame.len() as u64;
        self.frames.push_back((frame, lane));
    }

    /// Frames and bytes that were not taken.
    pub(super) fn left(&self) -> (u64, u64) {
        (self.frames.len() as u64, self.bytes)
    }

    /// What is to be written next; nothing where nothing waits.
    pub(super) fn next(&mut self) -> Option<Bytes> {
        if !self.batch.is_empty() {
            return Some(self.batch.clone());
        }
        let (first, _) = self.frames.front()?;
        let is_alone = self.frames.len() == 1 || first.len() >= BATCH_BYTES_MAX / 2;
        self.batch = if is_alone { first.clone() } else { self.gather() };
        Some(self.batch.clone())
    }

    fn gather(&self) -> Bytes {
        let mut batch = Vec::with_capacity(BATCH_BYTES_MAX);
        for (frame, _) in &self.frames {
            if batch.len() + frame.len() > BATCH_BYTES_MAX {
                break;
            }
            batch.extend_from_slice(frame);
        }
        batch.into()
    }

    /// So many bytes of [`next`](Self::next) were taken: what that is of events and of answers.
    pub(super) fn on_taken(&mut self, bytes: usize) -> [(Lane, Taken); 2] {
        let mut of = [(Lane::Event, Taken::default()), (Lane::Answer, Taken::default())];
        let _ = self.batch.split_to(bytes.min(self.batch.len()));
        self.bytes = self.bytes.saturating_sub(bytes as u64);
        let mut left = bytes;
        while left > 0 {
            let Some((frame, lane)) = self.frames.front() else { break };
            let step = left.min(frame.len() - self.taken);
            left -= step;
            self.taken += step;
            let is_whole = self.taken == frame.len();
            if let Some(lane) = lane {
                let taken = &mut of[usize::from(*lane == Lane::Answer)].1;
                taken.bytes += step as u64;
                taken.messages += u64::from(is_whole);
            }
            if is_whole {
                self.taken = 0;
                self.frames.pop_front();
            }
        }
        of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_frames_go_together_and_what_is_taken_of_them_is_told_by_lane() {
        let mut outbox = Outbox::default();
        outbox.push(Bytes::from_static(b"event"), Some(Lane::Event));
        outbox.push(Bytes::from_static(b"answer"), Some(Lane::Answer));
        assert_eq!(outbox.next().unwrap(), "eventanswer");
        assert_eq!(outbox.on_taken(7)[0], (Lane::Event, Taken { messages: 1, bytes: 5 }));
        assert_eq!(outbox.next().unwrap(), "swer");
        outbox.push(Bytes::from_static(b"more"), Some(Lane::Event));
        assert_eq!(outbox.next().unwrap(), "swer", "what is being written stays as it is");
        assert_eq!(outbox.on_taken(4)[1], (Lane::Answer, Taken { messages: 1, bytes: 4 }));
        assert_eq!((outbox.next().unwrap().as_ref(), outbox.left()), (&b"more"[..], (1, 4)));
    }

    #[test]
    fn a_long_frame_is_written_from_where_it_lies() {
        let mut outbox = Outbox::default();
        let long = Bytes::from(vec![b'x'; 200_000]);
        outbox.push(long.clone(), Some(Lane::Answer));
        outbox.push(Bytes::from_static(b"y"), Some(Lane::Event));
        assert_eq!(outbox.next().unwrap().as_ptr(), long.as_ptr());
        outbox.on_taken(150_000);
        assert_eq!(outbox.next().unwrap().len(), 50_000);
        outbox.on_taken(50_000);
        assert_eq!(outbox.next().unwrap(), "y");
    }
}
