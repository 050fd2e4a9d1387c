//! What held at a place of a recording: a keyframe, and the entries behind it.

use crate::{
    ids::Seq,
    limits::Limits,
    port::Snapshot,
    recording::RecordingSet,
    tap::{EntryRef, entry::What, injected_traces::InjectedTraces},
    time::Now,
};

/// What became of the state by an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::station) enum Carried {
    /// It has the entry.
    Known,
    /// It was there before: entries that come again are left out.
    Repeated,
    /// From here on only the next keyframe says what holds.
    Unknown,
}

/// The state at a place.
#[derive(Clone, Debug)]
pub(in crate::station) struct ReplayState {
    snapshot: Snapshot,
    injected: InjectedTraces,
    /// The entry that came last.
    last: Option<Seq>,
    /// When that was; before it, when the keyframe was taken.
    at: Now,
    /// Entries that were lost until there.
    lost: u64,
    /// Whether entries may be missing that were not lost: see [`RecordingSet::is_sparse`].
    is_sparse: bool,
}

impl ReplayState {
    /// That of the keyframe in a chunk.
    pub(super) fn in_chunk(snapshot: Snapshot, set: &RecordingSet, chunk: usize) -> Self {
        Self { lost: set.lost_until(chunk), is_sparse: set.is_sparse(), ..Self::of(snapshot) }
    }

    /// That of a keyframe.
    pub(in crate::station) fn of(snapshot: Snapshot) -> Self {
        let mut injected = InjectedTraces::default();
        injected.restore(snapshot.station.known_injected());
        Self { at: snapshot.at, snapshot, injected, last: None, lost: 0, is_sparse: false }
    }

    /// Carries it on by the next entry. Where entries are missing before it, or were lost, or a host began
    /// again, the state is that of before until it is [renewed](Self::renew). Where some were left out, the
    /// others carry it on as far as they tell.
    pub(in crate::station) fn take(&mut self, entry: EntryRef<'_>, limits: &Limits) -> Carried {
        let (seq, at) = (entry.entry.seq, entry.entry.at);
        if self.last.is_some_and(|last| seq <= last) {
            return Carried::Repeated;
        }
        let is_missing = !self.is_sparse && self.last.is_some_and(|last| last.next() != seq);
        self.last = Some(seq);
        self.at = at;
        self.injected.fold(entry.entry);
        let lost = if let What::Loss { count } = entry.entry.what { count } else { 0 };
        self.lost = self.lost.saturating_add(lost);
        let is_lost = lost > 0;
        let is_void = self.snapshot.carry(entry, limits);
        if is_missing || is_lost || is_void { Carried::Unknown } else { Carried::Known }
    }

    /// Takes the state of a keyframe, which may have later entries.
    pub(super) fn renew(&mut self, snapshot: Snapshot) {
        self.injected.restore(snapshot.station.known_injected());
        self.snapshot = snapshot;
    }

    /// Passes a keyframe. Where entries were left out it says what they changed; whether it does.
    pub(super) fn pass(&mut self, keyframe: &[u8]) -> bool {
        let Some(snapshot) = self.is_sparse.then(|| Snapshot::decode(keyframe).ok()).flatten() else {
            return false;
        };
        let (known, noted) = (self.snapshot.as_of.0, snapshot.as_of.0);
        let is_later = noted != known && noted.iter().zip(&known).all(|(noted, known)| noted >= known);
        if is_later {
            self.renew(snapshot);
        }
        is_later
    }

    /// Whether it has entries behind the one that came last.
    pub(super) fn is_ahead(&self) -> bool {
        let last = self.last.unwrap_or_default();
        self.snapshot.as_of.0.iter().any(|seq| *seq > last)
    }

    /// The entry that came last.
    pub(in crate::station) const fn last(&self) -> Option<Seq> {
        self.last
    }

    /// Entries that were lost until there, as far as that is known: what is missing in front of the keyframe
    /// that it began with is not.
    pub(super) const fn lost(&self) -> u64 {
        self.lost
    }

    /// When that was.
    pub(super) const fn at(&self) -> Now {
        self.at
    }

    /// What holds.
    pub(super) const fn state(&self) -> &Snapshot {
        &self.snapshot
    }

    /// What holds, as whoever begins here has it.
    pub(in crate::station) fn snapshot(&self) -> Snapshot {
        let Snapshot { as_of, station, .. } = self.snapshot.clone();
        let station = station.with_injected(self.injected.collect().sorted());
        Snapshot { as_of, at: self.at, station, ..self.snapshot.clone() }
    }
}
