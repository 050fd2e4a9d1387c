//! Faults of peers, grouped by what was broken.

use std::sync::Arc;

use super::{breach::Breach, mpp, plugin, rmp};
use crate::{
    ids::{ConnectionId, Peer, Seq},
    rmp::Snapshot,
    tap::{
        EntryRef,
        entry::{Entry, What},
    },
    time::Now,
};

/// Breaches that are counted apart: more than there are of them.
const GROUPS_MAX: usize = 1_024;
/// Peers that are named of one breach.
const OFFENDERS_MAX: usize = 16;
/// Characters of a frame that are kept.
pub(super) const FRAME_CHARS_MAX: usize = 200;

/// One thing that was broken, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultGroup {
    pub(crate) breach: Breach,
    pub(crate) count: u64,
    /// By whom and when the last time.
    pub(crate) peer: Peer,
    /// What whoever it was calls itself, or the peer.
    pub(crate) offender: Arc<str>,
    /// The session of the bus, where it was one.
    pub(crate) session: Option<ConnectionId>,
    pub(crate) at: Now,
    /// The entry that told of it.
    pub(crate) seq: Seq,
    /// Whether the frame was made by hand.
    pub(crate) is_by_hand: bool,
    /// The type of the frame, where it could be read.
    pub(crate) frame: Option<&'static str>,
    /// How the frame begins.
    pub(crate) excerpt: Option<Arc<str>>,
    /// The whole of it as the tap has it, which is at most `limits.tap.frame_bytes_max`; none where it was
    /// withheld.
    pub(crate) full_frame: Option<Arc<[u8]>>,
    /// What the peer was told.
    pub(crate) reply: Option<Arc<str>>,
    /// How often by whom, the first that was seen first; those beyond a bound are not named.
    pub(crate) offenders: Vec<(Arc<str>, u64)>,
}

/// Faults of peers in the entries that were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// By clause, then the first seen first.
    groups: Vec<FaultGroup>,
    /// All of them.
    pub(crate) count: u64,
    latest: Option<Breach>,
}

impl FaultGroup {
    /// The clause.
    pub(crate) const fn clause(&self) -> &'static str {
        self.breach.clause()
    }
}

/// A breach that was not counted yet.
pub(super) struct FaultDraft {
    pub(super) breach: Breach,
    pub(super) peer: Peer,
    /// What whoever it was calls itself, or the peer.
    pub(super) offender: Arc<str>,
    /// The session of the bus, where it was one.
    pub(super) session: Option<ConnectionId>,
    /// The type of the frame, where it could be read.
    pub(super) frame: Option<&'static str>,
    /// How the frame begins.
    pub(super) excerpt: Option<Arc<str>>,
    /// The whole of it as the tap has it, unless it was withheld.
    pub(super) full_frame: Option<Arc<[u8]>>,
}

impl FaultDraft {
    /// A breach that no frame brought.
    pub(super) fn new(breach: Breach, peer: Peer) -> Self {
        let offender = Arc::from(peer.as_str());
        Self { breach, peer, offender, session: None, frame: None, excerpt: None, full_frame: None }
    }
}

impl Faults {
    /// The groups, by clause.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &FaultGroup> {
        self.groups.iter()
    }

    /// The group of a breach.
    #[cfg(test)]
    pub(crate) fn group(&self, breach: Breach) -> Option<&FaultGroup> {
        self.groups.iter().find(|group| group.breach == breach)
    }

    /// Takes what an entry tells of a breach, the bus being as it was before it.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>, bus: Option<&Snapshot>) {
        if let Some(draft) =
            mpp::fault_of(entry).or_else(|| rmp::fault_of(entry, bus)).or_else(|| plugin::fault_of(entry))
        {
            self.record(entry.entry, draft);
        }
        if let Some((peer, words)) = mpp::reply_of(entry).or_else(|| rmp::reply_of(entry)) {
            self.record_reply(peer, &words);
        }
    }

    /// Counts a breach that an entry tells of.
    fn record(&mut self, entry: &Entry, draft: FaultDraft) {
        let FaultDraft { breach, peer, offender, session, frame, excerpt, full_frame } = draft;
        let (at, seq) = (entry.at, entry.seq);
        let is_by_hand = matches!(&entry.what, What::Frame(frame) if frame.origin.is_some());
        self.count = self.count.saturating_add(1);
        self.latest = Some(breach);
        if let Some(group) = self.groups.iter_mut().find(|group| group.breach == breach) {
            group.count = group.count.saturating_add(1);
            (group.peer, group.offender, group.session) = (peer, Arc::clone(&offender), session);
            (group.at, group.seq, group.frame, group.is_by_hand) = (at, seq, frame, is_by_hand);
            (group.excerpt, group.full_frame, group.reply) = (excerpt, full_frame, None);
            group.count_offender(offender);
            return;
        }
        if self.groups.len() >= GROUPS_MAX {
            return;
        }
        let offenders = vec![(Arc::clone(&offender), 1)];
        let (count, reply) = (1, None);
        let group = FaultGroup {
            breach,
            count,
            peer,
            offender,
            session,
            at,
            seq,
            is_by_hand,
            frame,
            excerpt,
            full_frame,
            reply,
            offenders,
        };
        let place = self.groups.partition_point(|known| known.clause() <= breach.clause());
        self.groups.insert(place, group);
    }

    /// What a peer was told on its last breach.
    fn record_reply(&mut self, peer: &Peer, words: &Arc<str>) {
        let Some(latest) = self.latest else { return };
        if let Some(group) =
            self.groups.iter_mut().find(|group| group.breach == latest && group.peer == *peer)
        {
            group.reply = Some(Arc::clone(words));
        }
    }
}

impl FaultGroup {
    fn count_offender(&mut self, who: Arc<str>) {
        if let Some((_, count)) = self.offenders.iter_mut().find(|(known, _)| *known == who) {
            *count = count.saturating_add(1);
        } else if self.offenders.len() < OFFENDERS_MAX {
            self.offenders.push((who, 1));
        }
    }
}
