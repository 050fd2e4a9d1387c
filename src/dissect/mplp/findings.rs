//! Findings of MPLP messages, folded from the entries of the tap: by rule, schema and path.
//!
//! ```text
//! entry ─▶ fold ─▶ pending (bounded) ─▶ judge_next, one message a call ─▶ groups (bounded)
//! ```
//!
//! Folding an entry notes its bytes and no more, so that a slice of folding stays short however much is
//! published; whoever folds judges what is pending with the time that is left. What is pending is judged in
//! its order, so that the groups are the same whenever it happens. A message that finds no room there, one
//! that the tap cut, and an object over a limit are counted as not judged, under a rule each.

use std::{collections::VecDeque, sync::Arc};

use super::{
    group::{FindingGroup, FindingKey, Publication},
    message::{body, input_limits, is_whole, message},
};
use crate::{
    dissect::rmp::peer_label,
    limits,
    mplp::{
        Finding, InputLimits, Path,
        lint::{BUS_MESSAGE, lint},
    },
    rmp::{self, broker::STATION},
    tap::EntryRef,
};

/// What a station's own messages are by.
const OWN: &str = "station";
/// Memory that a pending message takes, with its bytes.
const PENDING_BYTES: usize = 256;

/// How much is judged, and held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FindingLimits {
    input: InputLimits,
    groups_max: usize,
    pending_bytes_max: usize,
}

impl FindingLimits {
    /// As they are configured.
    pub(crate) fn new(limits: &limits::Mplp) -> Self {
        let size = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            input: input_limits(limits),
            groups_max: size(limits.bus_findings_max),
            pending_bytes_max: size(limits.bus_bytes_max),
        }
    }
}

/// Why something was not judged, as the rule that it is counted under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unjudged {
    /// The tap did not keep all of the frame.
    Cut,
    /// Too much was pending.
    Overflow,
    /// An object is over a limit of `limits.mplp`, or behind the last finding of its message.
    Limit,
}

impl Unjudged {
    pub(super) const ALL: [Self; 3] = [Self::Cut, Self::Overflow, Self::Limit];

    pub(super) const fn rule(self) -> &'static str {
        match self {
            Self::Cut => "not_judged_cut",
            Self::Overflow => "not_judged_overflow",
            Self::Limit => "not_judged_limit",
        }
    }

    const fn requires(self) -> &'static str {
        match self {
            Self::Cut => "a frame of at most limits.tap.frame_bytes_max, without secrets",
            Self::Overflow => "at most limits.mplp.bus_bytes_max not judged yet",
            Self::Limit => "objects within limits.mplp",
        }
    }

    fn finding(self) -> Finding {
        Finding {
            schema: BUS_MESSAGE.into(),
            path: Path::of("payload"),
            rule: self.rule().into(),
            requires: self.requires().to_owned(),
            received: None,
        }
    }
}

/// A message that was not judged yet.
#[derive(Clone, Debug)]
struct Pending {
    bytes: Arc<[u8]>,
    by: Publication,
}

/// Findings in the entries that were taken.
#[derive(Clone, Debug)]
pub(crate) struct MplpFindings {
    limits: FindingLimits,
    /// By rule, schema, path.
    groups: Vec<FindingGroup>,
    pending: VecDeque<Pending>,
    pending_bytes: usize,
    /// Findings that were made; those that were not judged are none.
    pub(crate) count: u64,
    /// Groups that made room for others: those whose last finding was the oldest.
    pub(crate) evicted: u64,
    /// Messages that were judged.
    pub(crate) judged: u64,
}

impl MplpFindings {
    /// Of no entry.
    pub(crate) const fn new(limits: FindingLimits) -> Self {
        Self {
            limits,
            groups: Vec::new(),
            pending: VecDeque::new(),
            pending_bytes: 0,
            count: 0,
            evicted: 0,
            judged: 0,
        }
    }

    /// The groups, by rule, schema and path.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &FindingGroup> {
        self.groups.iter()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.limits);
    }

    /// Notes an entry that is a message of MPLP, the bus being as it was before it. Whether it was one.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>, bus: Option<&rmp::Snapshot>) -> bool {
        let Some((frame, head)) = message(entry) else { return false };
        let who = match head.session {
            Some(STATION) => OWN.to_owned(),
            session => peer_label(&frame.peer, session, bus),
        };
        let by = Publication {
            at: entry.entry.at,
            seq: entry.entry.seq,
            peer: frame.peer.clone(),
            who: who.into(),
            session: head.session.filter(|it| *it != STATION),
        };
        let bytes = entry.bytes;
        if !is_whole(frame, bytes) {
            self.record_unjudged(Unjudged::Cut, 1, &by);
        } else if self.pending_bytes + bytes.len() + PENDING_BYTES > self.limits.pending_bytes_max {
            self.record_unjudged(Unjudged::Overflow, 1, &by);
        } else {
            self.pending_bytes += bytes.len() + PENDING_BYTES;
            self.pending.push_back(Pending { bytes: bytes.into(), by });
        }
        true
    }

    /// Judges the message that is pending for the longest. Whether there was one.
    pub(crate) fn judge_next(&mut self) -> bool {
        let Some(Pending { bytes, by }) = self.pending.pop_front() else { return false };
        self.pending_bytes = self.pending_bytes.saturating_sub(bytes.len() + PENDING_BYTES);
        self.judged = self.judged.saturating_add(1);
        // What the broker took is a message; of what is none, its lint says so.
        let body = body(&bytes).unwrap_or_default();
        let found = lint(&body, self.limits.input);
        for found in &found.findings {
            self.count = self.count.saturating_add(1);
            self.record(1, found.item, &found.finding, &by);
        }
        if found.not_judged > 0 {
            self.record_unjudged(Unjudged::Limit, found.not_judged, &by);
        }
        true
    }

    /// Judges all messages that are pending.
    pub(crate) fn judge_all(&mut self) {
        while self.judge_next() {}
    }

    /// Whether a message waits to be judged.
    pub(crate) fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    fn record_unjudged(&mut self, why: Unjudged, count: u64, by: &Publication) {
        self.record(count, None, &why.finding(), by);
    }

    fn record(&mut self, count: u64, item: Option<usize>, finding: &Finding, by: &Publication) {
        let key = FindingKey::of(finding);
        let found = |groups: &[FindingGroup]| groups.binary_search_by(|group| group.key.cmp(&key));
        if found(&self.groups).is_err() && self.groups.len() >= self.limits.groups_max {
            self.evict();
        }
        let place = found(&self.groups).unwrap_or_else(|place| {
            self.groups.insert(place, FindingGroup::new(key.clone(), by));
            place
        });
        if let Some(group) = self.groups.get_mut(place) {
            group.add(count, item, finding, by);
        }
    }

    /// Drops the group whose last finding is the oldest.
    fn evict(&mut self) {
        let oldest = self.groups.iter().enumerate().min_by_key(|(_, group)| group.seq);
        if let Some(place) = oldest.map(|(place, _)| place) {
            self.groups.remove(place);
            self.evicted = self.evicted.saturating_add(1);
        }
    }

    /// What it takes in memory, in bytes, at most.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.groups.iter().map(FindingGroup::memory_bytes).sum::<usize>() + self.pending_bytes
    }
}
