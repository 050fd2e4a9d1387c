//! The frames that the gate holds, as entries tell of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    dissect::{foreseen_verdict, frame_line, gate::expires_at, kind_of},
    ids::{Peer, Seq},
    port::{InterceptedRow, Way},
    tap::{
        EntryRef,
        entry::{Direction, Frame, Link, What, gate::Intercepted},
    },
    time::Wall,
    words::format,
};

/// Frames that are kept, and numbers of those that went while the station was asked.
const FRAMES_MAX: usize = 4_096;
/// What is held so long after its time went with its connection: no entry tells of that.
const OVERDUE_MS: u64 = 2_000;

/// A frame that the gate holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HeldFrame {
    pub(crate) number: u64,
    pub(crate) rule: u64,
    pub(crate) link: Link,
    pub(crate) way: Way,
    pub(crate) peer: Peer,
    pub(crate) kind: Arc<str>,
    /// What it is, without what peers wrote.
    pub(crate) line: Arc<str>,
    /// What its core would have made of it when it was stopped.
    pub(crate) verdict: Arc<str>,
    pub(crate) clause: Option<Arc<str>>,
    /// When it goes by itself.
    pub(crate) until: Wall,
    /// When the message in it expires.
    pub(crate) expires_at: Option<Wall>,
    /// The entry that says it was stopped, where that came.
    pub(crate) seq: Option<Seq>,
    /// The frame itself, where its entry came.
    pub(crate) frame: Option<Arc<Frame>>,
}

impl HeldFrame {
    fn of_entry(EntryRef { entry, bytes }: EntryRef<'_>, it: &Intercepted, hold_ms: u64) -> Self {
        let verdict = foreseen_verdict(entry, &it.frame);
        Self {
            number: it.number,
            rule: it.rule,
            link: entry.link,
            way: match it.frame.direction {
                Direction::Inbound => Way::In,
                Direction::Outbound => Way::Out,
            },
            peer: it.frame.peer.clone(),
            kind: kind_of(&it.frame.head).into(),
            line: frame_line(&it.frame).into(),
            verdict: verdict.word.into(),
            clause: verdict.clause.map(Arc::from),
            until: Wall(entry.at.wall.0.saturating_add(hold_ms)),
            expires_at: expires_at(entry.link, bytes),
            seq: Some(entry.seq),
            frame: Some(Arc::new(it.frame.clone())),
        }
    }

    fn of_row(row: InterceptedRow) -> Self {
        Self {
            number: row.frame,
            rule: row.rule,
            link: row.link,
            way: row.way,
            peer: row.peer,
            kind: row.kind.into(),
            line: row.line.into(),
            verdict: row.verdict.into(),
            clause: row.clause.map(Arc::from),
            until: row.until_ms,
            expires_at: row.expires_at_ms,
            seq: None,
            frame: None,
        }
    }

    /// How long the message in it lives still, as people write it; nothing of what has no such time.
    pub(crate) fn ttl(&self, now: Wall) -> Option<String> {
        self.expires_at.map(|at| format::ttl(at.0.saturating_sub(now.0)))
    }

    /// Seconds until it goes by itself, the one that has begun counted.
    pub(crate) const fn left_s(&self, now: Wall) -> u64 {
        self.until.0.saturating_sub(now.0).div_ceil(1_000)
    }

    /// That, as people write it.
    pub(crate) fn left(&self, now: Wall) -> String {
        let left = self.left_s(now);
        format!("{}:{:02}", left / 60, left % 60)
    }

    const fn is_overdue(&self, now: Wall) -> bool {
        self.until.0.saturating_add(OVERDUE_MS) < now.0
    }
}

/// The frames that are held, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct InterceptedFrames {
    held: BTreeMap<u64, HeldFrame>,
    /// Those that went while the station is asked for what is held: its answer may be older.
    gone: Option<BTreeSet<u64>>,
}

impl InterceptedFrames {
    /// Forgets them: the station is asked for what it holds.
    pub(super) fn resync(&mut self) {
        self.held.clear();
        self.gone = Some(BTreeSet::new());
    }

    /// Takes what the station holds; nothing where it did not answer.
    pub(in crate::console::model) fn set(&mut self, rows: Vec<InterceptedRow>) {
        let gone = self.gone.take().unwrap_or_default();
        for row in rows.into_iter().filter(|row| !gone.contains(&row.frame)).take(FRAMES_MAX) {
            self.held.entry(row.frame).or_insert_with(|| HeldFrame::of_row(row));
        }
    }

    /// Takes an entry, of whichever link.
    pub(in crate::console::model) fn fold(&mut self, entry: EntryRef<'_>) {
        match &entry.entry.what {
            What::Intercepted(it) => {
                let Some(hold_ms) = it.hold_ms else { return };
                let now = entry.entry.at.wall;
                self.held.retain(|_, held| !held.is_overdue(now));
                if self.held.len() < FRAMES_MAX {
                    self.held.insert(it.number, HeldFrame::of_entry(entry, it, hold_ms));
                }
            }
            What::Passed(it) => {
                self.held.remove(&it.number);
                if let Some(gone) = self.gone.as_mut().filter(|gone| gone.len() < FRAMES_MAX) {
                    gone.insert(it.number);
                }
            }
            _ => {}
        }
    }

    /// Takes those of this console as well, which knows less of the same ones: what it was told of them is
    /// no entry.
    pub(super) fn keep_present(&mut self, live: Self) {
        for (number, held) in live.held {
            self.held.entry(number).or_insert(held);
        }
        self.gone = live.gone;
    }

    /// Those that are held at a moment, the first one stopped first.
    pub(crate) fn at(&self, now: Wall) -> impl Iterator<Item = &HeldFrame> {
        self.held.values().filter(move |held| !held.is_overdue(now))
    }

    /// One of them.
    pub(crate) fn get(&self, number: u64) -> Option<&HeldFrame> {
        self.held.get(&number)
    }

    /// Whether one is held as far as is known: not all are while the station is asked, or where there are
    /// too many.
    pub(crate) fn may_hold(&self, number: u64) -> bool {
        let is_asked = self.gone.as_ref().is_some_and(|gone| !gone.contains(&number));
        is_asked || self.held.len() >= FRAMES_MAX || self.held.contains_key(&number)
    }

    /// Takes one as it is.
    #[cfg(test)]
    pub(crate) fn put(&mut self, held: HeldFrame) {
        self.held.insert(held.number, held);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let text = |held: &HeldFrame| held.kind.len() + held.line.len() + held.verdict.len();
        self.held.values().map(|held| size_of::<HeldFrame>() + text(held)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::TraceId,
        tap::entry::{
            Entry, Head, Redaction, Verdict,
            gate::{Passed, Passing},
            mpp,
        },
        time::Now,
    };

    fn intercepted(number: u64, hold_ms: Option<u64>) -> What {
        let frame = Frame {
            direction: Direction::Inbound,
            peer: "127.0.0.1:1".into(),
            head: Head::Mpp(mpp::Head::default()),
            verdict: Verdict::Mpp(mpp::Verdict::Accepted),
            wire_bytes: 2,
            redaction: Redaction::None,
            origin: None,
        };
        What::Intercepted(Box::new(Intercepted { number, rule: 1, hold_ms, frame }))
    }

    fn passed(number: u64) -> What {
        What::Passed(Passed { number, how: Passing::AsItWas, by: None })
    }

    fn fold(frames: &mut InterceptedFrames, at_ms: u64, what: What) {
        let at = Now::at_ms(at_ms);
        let trace: Option<TraceId> = None;
        let entry = Entry { seq: Seq(at_ms), at, link: Link::Mpp, trace, cause: None, what };
        frames.fold(EntryRef { entry: &entry, bytes: b"{}" });
    }

    fn row(frame: u64, until_ms: u64) -> InterceptedRow {
        InterceptedRow {
            frame,
            rule: 1,
            link: Link::Mpp,
            way: Way::In,
            peer: "127.0.0.1:1".into(),
            kind: "pull".to_owned(),
            line: "pull".to_owned(),
            bytes: 2,
            verdict: "accepted".to_owned(),
            clause: None,
            since_ms: Wall(0),
            until_ms: Wall(until_ms),
            on_timeout: crate::port::OnTimeout::Pass,
            expires_at_ms: None,
            ttl_in_ms: None,
        }
    }

    fn numbers(frames: &InterceptedFrames, now_ms: u64) -> Vec<u64> {
        frames.at(Now::at_ms(now_ms).wall).map(|held| held.number).collect()
    }

    #[test]
    fn what_is_stopped_is_held_until_an_entry_says_that_it_passed() {
        let mut frames = InterceptedFrames::default();
        fold(&mut frames, 1, intercepted(1, Some(60_000)));
        fold(&mut frames, 2, intercepted(2, None));
        fold(&mut frames, 3, intercepted(3, Some(30_000)));
        assert_eq!(numbers(&frames, 4), [1, 3], "what goes on at once is never held");
        let held = frames.get(1).unwrap();
        assert_eq!(held.left(Now::at_ms(1).wall), "1:00");
        assert_eq!(held.left(Now::at_ms(48_500).wall), "0:12");
        fold(&mut frames, 5, passed(1));
        assert_eq!(numbers(&frames, 6), [3]);
        assert!(numbers(&frames, 40_000).is_empty(), "its connection is gone, and no entry says so");
    }

    #[test]
    fn an_answer_that_is_older_than_an_entry_brings_nothing_back() {
        let mut frames = InterceptedFrames::default();
        fold(&mut frames, 1, intercepted(1, Some(60_000)));
        frames.resync();
        assert!(numbers(&frames, 1).is_empty() && frames.may_hold(1), "the station is asked");
        fold(&mut frames, 2, passed(7));
        fold(&mut frames, 3, intercepted(9, Some(60_000)));
        let until = Now::at_ms(60_000).wall.0;
        frames.set(vec![row(7, until), row(8, until), row(9, until)]);
        assert_eq!(numbers(&frames, 4), [8, 9]);
        assert!(frames.may_hold(8) && !frames.may_hold(7) && !frames.may_hold(1));
        assert!(frames.get(9).unwrap().seq.is_some(), "the entry says more than the answer");
    }

    #[test]
    fn no_more_than_so_many_are_kept() {
        let mut frames = InterceptedFrames::default();
        for number in 0..=FRAMES_MAX as u64 {
            fold(&mut frames, 1, intercepted(number, Some(60_000)));
        }
        assert_eq!(numbers(&frames, 1).len(), FRAMES_MAX);
    }
}
