//! Many frames through one connection, one behind the other: what became of each, read from the tap.

use std::time::Duration;

use super::{door::Door, told::row};
use crate::{
    dissect::EntryRecord,
    ids::Seq,
    port::{PageBytes, SentFrame, is_refusal},
    tap::{
        EntryRef, Reader,
        entry::{Direction, Frame, What},
    },
};

/// How long it is looked for more once the last frame has its verdict.
const SETTLE: Duration = Duration::from_millis(40);
/// Entries that are listed of one frame.
const ENTRIES_MAX: usize = 64;
/// Entries whose effects are looked for.
const CAUSES_MAX: usize = 65_536;

/// What the tap tells of frames that are sent one behind the other.
pub(super) struct Batch<'a> {
    reader: Reader,
    door: &'a Door,
    direction: Direction,
    /// How long each frame is: what is not one frame is not told apart from the next.
    lengths: &'a [usize],
    bytes_left: u64,
    /// Entries whose effects belong to a frame, and to which; their places rise.
    causes: Vec<(Seq, usize)>,
    /// Answers that the last frame waits for.
    wanted: Option<u64>,
    answers: u64,
    /// Why the connection was ended.
    ended: Option<String>,
    lost: u64,
    /// Those that have their verdict, or were stopped at the gate, in their order, and their bytes.
    frames: Vec<SentFrame>,
    own_bytes: u64,
}

impl<'a> Batch<'a> {
    pub(super) fn new(reader: Reader, door: &'a Door, lengths: &'a [usize], bytes_max: u64) -> Self {
        Self {
            reader,
            door,
            direction: door.direction(),
            lengths,
            bytes_left: bytes_max,
            causes: Vec::new(),
            wanted: None,
            answers: 0,
            ended: None,
            lost: 0,
            frames: Vec::new(),
            own_bytes: 0,
        }
    }

    /// Nothing more is waited for once the last frame has so many answers, where a number is given.
    pub(super) fn for_answers(self, wanted: Option<u64>) -> Self {
        Self { wanted, ..self }
    }

    /// Whether the last frame has its verdict and all answers that are waited for.
    fn is_complete(&self) -> bool {
        let last = self.frames.last().filter(|_| self.frames.len() >= self.lengths.len());
        let verdict = last.and_then(SentFrame::own).and_then(|own| own.verdict.as_deref());
        let is_unforeseen = self.answers == 0 && verdict.is_some_and(is_refusal);
        verdict.is_some() && !is_unforeseen && self.wanted.is_some_and(|wanted| self.answers >= wanted)
    }

    /// Reads until the last frame has its verdict and its answers, the connection is ended, or nothing has
    /// come of them for so long.
    pub(super) async fn until(&mut self, within: Duration) {
        loop {
            if self.lost > 0 || self.is_complete() {
                return;
            }
            // One that waits at the gate has no verdict yet.
            let last = self.frames.last().filter(|_| self.frames.len() >= self.lengths.len());
            let has_all = last.is_some_and(|last| last.own().is_some());
            let is_settling = has_all || self.ended.is_some() || self.door.closed().is_some();
            let pause = if is_settling { SETTLE.min(within) } else { within };
            let next = async {
                loop {
                    self.reader.ready().await;
                    if self.read() {
                        return;
                    }
                }
            };
            // Others are busy: what is its own comes at once after it.
            if tokio::time::timeout(pause, next).await.is_err() {
                return;
            }
        }
    }

    /// What became of the frames that have a verdict or were stopped at the gate; the last of them says that
    /// the connection is closed.
    pub(super) fn finish(self) -> Vec<SentFrame> {
        let Self { door, mut frames, ended, lost, .. } = self;
        if let Some(last) = frames.last_mut() {
            last.closed = door.closed().or(ended);
            last.lost = lost;
        }
        frames
    }

    /// Why the connection was ended over one of them.
    pub(super) fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// Bytes that became frames.
    pub(super) const fn own_bytes(&self) -> u64 {
        self.own_bytes
    }

    /// Takes what has come; whether any of it was of these frames.
    fn read(&mut self) -> bool {
        let before = self.causes.len();
        while let Some(batch) = self.reader.read() {
            self.lost += batch.lost;
            for entry in batch.iter() {
                self.take(entry);
            }
        }
        self.causes.len() > before || self.lost > 0
    }

    fn take(&mut self, entry: EntryRef<'_>) {
        let of = entry.entry;
        let is_of_it = |frame: &&Frame| frame.origin.as_ref().is_some_and(|origin| self.door.is_of(origin));
        // What the gate stops is no frame yet, but it was taken off what was sent.
        let taken_off = match &of.what {
            What::Frame(frame) => Some(frame),
            What::Intercepted(it) => Some(&it.frame),
            _ => None,
        };
        let direction = EntryRecord(entry).direction();
        let taken_off = taken_off.filter(is_of_it).filter(|_| direction == Some(self.direction));
        let is_own = taken_off.is_some() && matches!(of.what, What::Frame(_));
        // What goes on from the gate has a cause, and was counted when it was stopped.
        let begins = taken_off.filter(|_| of.cause.is_none());
        let caused = of.cause.and_then(|cause| {
            let at = self.causes.binary_search_by_key(&cause, |(seq, _)| *seq).ok()?;
            self.causes.get(at).map(|(_, frame)| *frame)
        });
        let index = if begins.is_some() { self.frames.len() } else { caused.unwrap_or(usize::MAX) };
        // What is behind the end of the connection has no effect.
        if index >= self.lengths.len() || (begins.is_some() && self.ended.is_some()) {
            return;
        }
        if self.causes.len() < CAUSES_MAX {
            self.causes.push((of.seq, index));
        }
        let mut row = row(entry, direction, is_own);
        if direction.is_none() && row.kind == "disconnected" {
            self.ended.get_or_insert_with(|| row.line.clone());
        }
        self.bytes_left = self.bytes_left.saturating_sub(entry.bytes.len() as u64);
        if self.bytes_left == 0 {
            row.payload = PageBytes::default();
        }
        if let Some(frame) = begins {
            self.answers = 0;
            self.own_bytes += u64::from(frame.wire_bytes);
            let bytes = self.lengths.get(index).map_or(0, |length| *length as u64);
            self.frames.push(SentFrame { door: self.door.number, bytes, ..SentFrame::default() });
        }
        let is_last = index + 1 == self.frames.len();
        let Some(frame) = self.frames.get_mut(index) else { return };
        let own_peer = frame.own().and_then(|own| own.peer.as_ref());
        let is_answer = own_peer.is_some() && row.peer.as_ref() == own_peer;
        if !is_own && is_last && direction.is_some() && is_answer {
            self.answers += 1;
        }
        if frame.told.len() < ENTRIES_MAX {
            frame.told.push(row);
        } else {
            frame.more += 1;
        }
    }
}
