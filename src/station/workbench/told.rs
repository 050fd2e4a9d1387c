//! What became of an injected frame, read from the tap: its own entry, what answers it, what it caused.

use std::time::Duration;

use super::door::Door;
use crate::{
    dissect::{EntryRecord, EntrySummary, differing, frame_verdict, summary_line},
    ids::Seq,
    port::{AnswerRow, PageBytes, ToldEntry, is_refusal},
    rmp::{self, json::unhex},
    tap::{
        EntryRef, Reader,
        entry::{Direction, Entry, Frame, Head, Verdict, What},
    },
};

/// How long it is looked for more once the frame has its verdict.
const SETTLE: Duration = Duration::from_millis(40);
/// Entries that are listed.
const ENTRIES_MAX: usize = 256;

/// What the tap tells of one door, from the moment at which it was made.
pub(super) struct Watch<'a> {
    reader: Reader,
    door: &'a Door,
    direction: Direction,
    bytes_max: usize,
    bytes: usize,
    /// Entries whose effects belong to it.
    causes: Vec<Seq>,
    has_own: bool,
    /// Answers after which nothing more is waited for.
    wanted: Option<u64>,
    answers: u64,
    /// Those that were foreseen and have not come.
    foreseen: Vec<AnswerRow>,
    /// To whom they go: who sent the frame.
    own_peer: Option<String>,
    is_refused: bool,
    /// Bytes of the frames that were made of what was sent.
    pub(super) own_bytes: u64,
    /// Why the connection was ended over it.
    pub(super) ended: Option<String>,
    pub(super) told: Vec<ToldEntry>,
    pub(super) more: u64,
    pub(super) lost: u64,
}

impl<'a> Watch<'a> {
    pub(super) fn new(reader: Reader, door: &'a Door, bytes_max: u64) -> Self {
        let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
        let direction = door.direction();
        let (causes, told) = (Vec::new(), Vec::new());
        Self {
            reader,
            door,
            direction,
            bytes_max,
            bytes: 0,
            causes,
            has_own: false,
            wanted: None,
            answers: 0,
            foreseen: Vec::new(),
            own_peer: None,
            is_refused: false,
            own_bytes: 0,
            ended: None,
            told,
            more: 0,
            lost: 0,
        }
    }

    /// It ends once the frame has its verdict and so many answers, where a number is given.
    pub(super) fn for_answers(self, wanted: Option<u64>) -> Self {
        Self { wanted, ..self }
    }

    /// Answers are compared with these.
    pub(super) fn compared_with(self, foreseen: Vec<AnswerRow>) -> Self {
        Self { foreseen, ..self }
    }

    /// In which values an answer is not as was foreseen: the first of its type that has not come.
    fn differing(&mut self, answer: EntryRef<'_>, kind: &str) -> Vec<String> {
        let Some(at) = self.foreseen.iter().position(|foreseen| foreseen.kind == kind) else {
            return Vec::new();
        };
        let foreseen = self.foreseen.remove(at);
        unhex(&foreseen.hex).map_or_else(Vec::new, |bytes| differing(answer, &bytes))
    }

    /// Whether all is there that is waited for.
    fn is_complete(&self) -> bool {
        let is_unforeseen = self.is_refused && self.answers == 0;
        self.has_own && !is_unforeseen && self.wanted.is_some_and(|wanted| self.answers >= wanted)
    }

    /// Reads until the frame has its verdict and nothing more comes of it, the door is closed, or the time is
    /// up.
    pub(super) async fn until(&mut self, within: Duration) {
        let all = async {
            loop {
                let is_settling = self.has_own;
                let pause = if is_settling || self.door.closed().is_some() { SETTLE } else { within };
                let news = tokio::time::timeout(pause, self.reader.ready()).await;
                if news.is_err() {
                    return;
                }
                let has_news = self.read();
                if self.is_complete() {
                    return;
                }
                if !has_news && is_settling && self.reader.lag() == 0 {
                    // Others are busy: what is its own comes at once after it.
                    tokio::time::sleep(SETTLE).await;
                    self.read();
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(within, all).await;
    }

    /// Takes what has come; whether any of it was the door's.
    fn read(&mut self) -> bool {
        let before = (self.told.len(), self.more);
        while let Some(batch) = self.reader.read() {
            self.lost += batch.lost;
            for entry in batch.iter() {
                self.take(entry);
            }
        }
        before != (self.told.len(), self.more)
    }

    fn take(&mut self, entry: EntryRef<'_>) {
        let of = entry.entry;
        let is_of_it = |frame: &Frame| frame.origin.as_ref().is_some_and(|origin| self.door.is_of(origin));
        // What the gate stops is no frame yet, but it was taken off what was sent.
        let (is_by_hand, taken_off) = match &of.what {
            What::Frame(frame) => (is_of_it(frame), Some(frame)),
            What::Intercepted(it) => (is_of_it(&it.frame), Some(&it.frame)),
            _ => (false, None),
        };
        // They rise.
        let is_caused = of.cause.is_some_and(|cause| self.causes.binary_search(&cause).is_ok());
        if !is_by_hand && !is_caused {
            return;
        }
        let direction = EntryRecord(entry).direction();
        let is_this_way = is_by_hand && direction == Some(self.direction);
        if let Some(frame) = taken_off.filter(|_| is_this_way && !is_caused) {
            self.own_bytes += u64::from(frame.wire_bytes);
        }
        let is_own = is_this_way && matches!(of.what, What::Frame(_));
        self.has_own |= is_own;
        if self.causes.len() < ENTRIES_MAX {
            self.causes.push(of.seq);
        }
        let mut row = row(entry, direction, is_own);
        if is_own {
            self.is_refused |= row.verdict.as_deref().is_some_and(is_refusal);
            self.own_peer.clone_from(&row.peer);
        } else if row.peer.is_some() && row.peer == self.own_peer {
            self.answers += 1;
            row.differs = self.differing(entry, &row.kind);
        }
        if row.direction.is_none() && row.kind == "disconnected" {
            self.ended.get_or_insert_with(|| row.line.clone());
        }
        self.bytes += entry.bytes.len();
        if self.bytes > self.bytes_max {
            // What it is and how it went is said all the same.
            row.payload = PageBytes::default();
        }
        if self.told.len() < ENTRIES_MAX {
            self.told.push(row);
        } else {
            self.more += 1;
        }
    }
}

pub(super) fn row(entry: EntryRef<'_>, direction: Option<Direction>, is_own: bool) -> ToldEntry {
    let of = entry.entry;
    let summary = EntrySummary::of(of);
    let verdict = frame_verdict(of);
    let way = |direction| match direction {
        Direction::Inbound => "in".to_owned(),
        Direction::Outbound => "out".to_owned(),
    };
    ToldEntry {
        seq: of.seq,
        at_ms: of.at.wall,
        is_own,
        is_status: is_status(of),
        direction: direction.map(way),
        kind: EntryRecord(entry).kind().to_owned(),
        outcome: summary.outcome.name().map(str::to_owned),
        session: session(of),
        peer: peer(of),
        verdict: verdict.as_ref().map(|it| it.word.to_owned()),
        text: verdict.as_ref().and_then(|it| it.text.clone()),
        // Of an answer that is an error, that of the error.
        code: verdict.as_ref().and_then(|it| it.code.or(summary.code.filter(|_| !is_own))).map(str::to_owned),
        clause: verdict.as_ref().and_then(|it| it.clause).map(str::to_owned),
        subscribers: subscribers(of),
        differs: Vec::new(),
        line: summary_line(of).into_owned(),
        trace: of.trace,
        payload: PageBytes(entry.bytes.to_vec()),
    }
}

fn subscribers(of: &Entry) -> Option<u64> {
    match &of.what {
        What::Frame(Frame { verdict: Verdict::Rmp(rmp::Verdict::Published { subscribers, .. }), .. }) => {
            Some((*subscribers).into())
        }
        _ => None,
    }
}

/// The runtime answers with a message, or with a status that has no bytes.
fn is_status(of: &Entry) -> bool {
    matches!(
        &of.what,
        What::Frame(Frame { head: Head::Macp(_), direction: Direction::Outbound, wire_bytes: 0, .. })
    ) && EntrySummary::of(of).code.is_some()
}

fn session(of: &Entry) -> Option<String> {
    match &of.what {
        What::Frame(Frame { head: Head::Macp(head), .. }) => head.session.as_ref().map(ToString::to_string),
        _ => None,
    }
}

fn peer(of: &Entry) -> Option<String> {
    match &of.what {
        What::Frame(frame) => Some(frame.peer.to_string()),
        _ => None,
    }
}
