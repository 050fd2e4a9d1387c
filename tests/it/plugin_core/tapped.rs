//! The tap of a station: its entries, the snapshot that they make, and that both are one.

use rl_console::{
    ids::{Peer, Seq, TraceId},
    limits,
    plugin::{Head, Snapshot, Transition, Verdict},
    port,
    tap::{
        Draft, Reader, Tap,
        entry::{self, Direction, Frame, Link, Redaction, What},
        recorded::{OwnedEntry, decode, encode},
    },
    time::Now,
    words,
};

use crate::recorded_snapshot::bare;

pub(super) struct Tapped {
    pub(super) tap: Tap,
    reader: Reader,
    pub(super) entries: Vec<OwnedEntry>,
    pub(super) live: Snapshot,
    cause: Option<Seq>,
    limits: limits::Plugin,
    /// Encoded snapshots, with the number of entries before them.
    moments: Vec<(usize, Vec<u8>)>,
}

impl Tapped {
    pub(super) fn new(limits: limits::Plugin) -> Self {
        let tap = Tap::new(limits::Tap::default());
        let reader = tap.reader().unwrap();
        let (entries, live, moments) = (Vec::new(), Snapshot::default(), Vec::new());
        Self { tap, reader, entries, live, cause: None, limits, moments }
    }

    pub(super) const fn begin(&mut self) {
        self.cause = None;
    }

    pub(super) fn frame(&mut self, at: Now, head: Head, verdict: Option<Verdict>, wire: &[u8]) {
        let wire_bytes = u32::try_from(wire.len()).unwrap();
        let direction = if verdict.is_some() { Direction::Inbound } else { Direction::Outbound };
        self.live.record_frame(direction, &head, verdict, u64::from(wire_bytes));
        let what = What::Frame(Frame {
            direction,
            peer: Peer::new(head.plugin.as_str()),
            head: entry::Head::Plugin(head),
            verdict: verdict.map_or(entry::Verdict::Sent, entry::Verdict::Plugin),
            wire_bytes,
            redaction: Redaction::None,
            origin: None,
        });
        let cause = self.cause;
        let seq = self.tap.emit(Draft { at, link: Link::Plugin, trace: None, cause, what, bytes: wire });
        if verdict.is_some() {
            self.cause = Some(seq);
        }
    }

    pub(super) fn transition(&mut self, at: Now, it: Transition, text: &str, trace: Option<TraceId>) {
        let text = words::cut(text, self.limits.shown_text_bytes_max);
        self.live.follow(&it, trace, at, text, &self.limits);
        let what = What::Transition(entry::Transition::Plugin(it));
        let (cause, bytes) = (self.cause, text.as_bytes());
        self.tap.emit(Draft { at, link: Link::Plugin, trace, cause, what, bytes });
    }

    /// Takes what was emitted.
    pub(super) fn read(&mut self) {
        while let Some(batch) = self.reader.read() {
            let owned = |it: rl_console::tap::EntryRef<'_>| OwnedEntry {
                entry: it.entry.clone(),
                bytes: it.bytes.to_vec(),
            };
            self.entries.extend(batch.iter().map(owned));
        }
    }

    /// A snapshot as somebody who comes now is sent it.
    pub(super) fn encoded(&self) -> Vec<u8> {
        port::Snapshot { plugin: self.live.clone(), ..bare() }.encode()
    }

    pub(super) fn keep_moment(&mut self) {
        self.moments.push((self.entries.len(), self.encoded()));
    }

    /// Holds each kept snapshot with the entries behind it against the fold of all; then all begins anew.
    pub(super) fn check(&mut self) {
        self.read();
        let entries: Vec<_> = self.entries.iter().map(|it| decode(&encode(it.as_ref())).unwrap()).collect();
        assert!(entries == self.entries, "entries read back as they were");
        self.moments.push((0, port::Snapshot { plugin: Snapshot::default(), ..bare() }.encode()));
        for (from, bytes) in self.moments.drain(..) {
            let snapshot = port::Snapshot::decode(&bytes).unwrap().plugin;
            assert_eq!(fold(snapshot, &entries[from..], &self.limits), self.live, "from {from} on");
        }
        self.entries.clear();
        self.live = Snapshot::default();
    }
}

pub(super) fn fold(mut snapshot: Snapshot, entries: &[OwnedEntry], limits: &limits::Plugin) -> Snapshot {
    for entry in entries {
        snapshot.apply(&entry.entry, &entry.as_ref().text(), limits);
    }
    snapshot
}
