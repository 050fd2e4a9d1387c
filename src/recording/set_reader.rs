//! Reads recordings at any place, a chunk at a time.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use mcap::records::op;

use super::{
    channels::Channels,
    chunk::{self, Items},
    format::loss_before,
    read_ahead::ReadAhead,
    reader::{Damage, OpenError, RecordedItem},
    records::Records,
    set::RecordingSet,
};
use crate::{
    ids::Seq,
    tap::{entry::What, recorded::OwnedEntry},
};

/// The numbers of first entries that are remembered.
const KNOWN_MAX: usize = 65_536;

/// One thing in a recording, with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedItem {
    /// Its `log_time` in nanoseconds: later than that of what is in front of it. A loss of what is missing in
    /// the file has that of the entry behind it.
    pub log_ns: u64,
    /// What it is.
    pub item: RecordedItem,
}

/// Reads the chunks of a set.
#[derive(Debug)]
pub struct SetReader {
    set: Arc<RecordingSet>,
    /// The file that is open.
    open: Option<(usize, Records, Channels)>,
    /// The number of the first entry of chunks; none where there is none in it.
    firsts: BTreeMap<usize, Option<Seq>>,
    ahead: Option<ReadAhead>,
    /// The chunk that was read last.
    last: Option<usize>,
}

impl SetReader {
    /// Has no file open yet.
    #[must_use]
    pub fn new(set: Arc<RecordingSet>) -> Self {
        Self { set, open: None, firsts: BTreeMap::new(), ahead: None, last: None }
    }

    /// Reads the chunk behind one that was read in its turn meanwhile, on a thread of its own.
    #[must_use]
    pub fn reading_ahead(self) -> Self {
        // Without such a thread it takes longer.
        Self { ahead: ReadAhead::new(&self.set).ok(), ..self }
    }

    /// What is read.
    #[must_use]
    pub fn set(&self) -> &Arc<RecordingSet> {
        &self.set
    }

    /// Reads a chunk, and hands on what is in it and what cannot be read: of one that is damaged, the damage
    /// alone.
    pub fn chunk(&mut self, number: usize) -> Items {
        let is_in_turn = number.checked_sub(1).is_some_and(|before| self.last == Some(before));
        self.last = Some(number);
        let ready = self.ahead.as_mut().and_then(|ahead| ahead.take(number));
        if let Some(ahead) = self.ahead.as_mut().filter(|_| is_in_turn && number + 1 < self.set.len()) {
            ahead.ask(number + 1);
        }
        let items = ready.unwrap_or_else(|| self.sound(number));
        if self.firsts.len() < KNOWN_MAX {
            self.firsts.insert(number, items.iter().find_map(entry_seq));
        }
        items
    }

    fn sound(&mut self, number: usize) -> Items {
        let read = self.read(number);
        let mut items = read.unwrap_or_else(|damage| VecDeque::from([Err(damage)]));
        if self.set.chunk(number).is_some_and(|chunk| chunk.may_repeat) {
            let last = self.last_before(number);
            // A state between them is older than what is in front of the chunk.
            items.retain(|item| item.is_err() || entry_seq(item) > last);
        }
        items
    }

    fn read(&mut self, number: usize) -> Result<Items, Damage> {
        let missing = Damage::Truncated { at: 0 };
        let (Some(chunk), Some(file)) = (self.set.chunk(number).copied(), self.set.file_of(number)) else {
            return Err(missing);
        };
        if self.open.as_ref().is_none_or(|(open, ..)| *open != chunk.file) {
            let unreadable = |why: OpenError| Damage::Unreadable { at: chunk.place.at, why: why.to_string() };
            let records = Records::open(&file.path).map_err(unreadable)?;
            self.open = Some((chunk.file, records, Channels(file.index.channels.clone())));
        }
        let Some((_, records, channels)) = &mut self.open else { return Err(missing) };
        let (head, _) = records.record_at(chunk.place.at, 0)?;
        if head.op != op::CHUNK || head.end() - head.at != chunk.place.len {
            let why = "no chunk is where the index has one".to_owned();
            return Err(Damage::Part { at: head.at, why });
        }
        chunk::items(records, head, chunk.place.has_keyframe, channels)
    }

    /// The number of the last entry in front of a chunk, of the same start of the station.
    fn last_before(&mut self, number: usize) -> Option<Seq> {
        let begin = self.set.start_of(number).start;
        (begin..number).rev().find_map(|at| self.read(at).ok()?.iter().filter_map(entry_seq).max())
    }

    /// The number of the first entry in a chunk or, where it has none, behind it; none at the end of its
    /// start of the station.
    fn first_seq(&mut self, number: usize) -> Option<Seq> {
        for at in number..self.set.start_of(number).end {
            let first = match self.firsts.get(&at) {
                Some(first) => *first,
                None => self.chunk(at).iter().find_map(entry_seq),
            };
            if first.is_some() {
                return first;
            }
        }
        None
    }

    /// The last chunk whose first entry is not behind this one, among those of one start of the station with
    /// `near`; the first of them where none is.
    pub fn chunk_of(&mut self, seq: Seq, near: usize) -> usize {
        let start = self.set.start_of(near);
        let (mut low, mut high) = (start.start, start.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.first_seq(middle).is_some_and(|first| first <= seq) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.saturating_sub(1).max(start.start)
    }
}

/// The number of an entry.
fn entry_seq(item: &Result<PlacedItem, Damage>) -> Option<Seq> {
    match item {
        Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) => Some(entry.entry.seq),
        _ => None,
    }
}

/// The loss of the entries between one and the next, where any are missing. A loss that was recorded has the
/// number of the last of them.
fn loss_between(last: Seq, next: &OwnedEntry) -> Option<OwnedEntry> {
    let count = next.entry.seq.0.checked_sub(last.next().0).filter(|count| *count > 0)?;
    let is_noted = matches!(next.entry.what, What::Loss { .. });
    (!is_noted).then(|| OwnedEntry { entry: loss_before(&next.entry, count), bytes: Vec::new() })
}

/// A place in a set from which it is read in its order, until the end of one start of the station.
///
/// Where entries are missing, whose part of the file is damaged or is not there, a loss of them comes before
/// the next entry.
#[derive(Debug)]
pub struct SetCursor {
    /// The chunk that is read next.
    next: usize,
    end: usize,
    items: Items,
    /// The last entry that came, and the last chunk behind it.
    last: Option<(usize, Seq)>,
    /// Whether it was said that the numbers of a file restart.
    is_restarted: bool,
}

impl SetCursor {
    /// At the beginning of a chunk.
    #[must_use]
    pub fn at(set: &RecordingSet, chunk: usize) -> Self {
        let (items, end) = (VecDeque::new(), set.start_of(chunk).end);
        Self { next: chunk, end, items, last: None, is_restarted: false }
    }

    /// The chunk that is read next: that behind the last item.
    #[must_use]
    pub const fn chunk(&self) -> usize {
        self.next
    }

    /// What comes next, without going there.
    pub fn peek(&mut self, reader: &mut SetReader) -> Option<&Result<PlacedItem, Damage>> {
        while self.items.is_empty() && self.next < self.end {
            let items = reader.chunk(self.next);
            self.items = self.with_losses(reader.set(), items);
            self.next += 1;
        }
        self.items.front()
    }

    /// The items of the next chunk, with a loss where entries are missing, and damage where the numbers of a
    /// file restart.
    fn with_losses(&mut self, set: &RecordingSet, items: Items) -> Items {
        let number = self.next;
        let is_of_file = |before: &usize| {
            let of = |number| set.chunk(number).map(|chunk| chunk.file);
            of(*before) == of(number)
        };
        let before = self.last.take();
        let before = before.filter(|(before, _)| is_of_file(before) || set.is_continued(*before, number));
        let is_continued = set.is_continued(number, number);
        let mut last = before.map(|(_, seq)| seq);
        let mut all = VecDeque::with_capacity(items.len());
        for item in items {
            if let Ok(PlacedItem { log_ns, item: RecordedItem::Entry(entry) }) = &item {
                let seq = entry.entry.seq;
                if let Some(last) = last.filter(|last| seq <= *last && !self.is_restarted) {
                    self.is_restarted = true;
                    all.push_back(Err(Damage::Restarted { seq, last }));
                }
                let loss = last.filter(|_| is_continued).and_then(|last| loss_between(last, entry));
                let placed = |entry| Ok(PlacedItem { log_ns: *log_ns, item: RecordedItem::Entry(entry) });
                all.extend(loss.map(placed));
                last = last.max(Some(seq));
            }
            all.push_back(item);
        }
        self.last = last.map(|seq| (number, seq));
        all
    }

    /// What comes next.
    pub fn next(&mut self, reader: &mut SetReader) -> Option<Result<PlacedItem, Damage>> {
        self.peek(reader)?;
        self.items.pop_front()
    }
}
