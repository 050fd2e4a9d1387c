//! The state of the bus as a reader of the tap starts from it, with bounded windows.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use super::{Dialect, DropReason, Kind};
use crate::{
    ids::{ConnectionId, Peer, TopicName, TraceId},
    tap::entry::rmp::Gauge,
    time::Now,
};

/// What holds on the bus at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Whether the socket answers.
    pub listener: Listener,
    /// Every connection.
    pub peers: BTreeMap<ConnectionId, PeerView>,
    /// Topics that were published on, at most `limits.rmp.shown_topics_max`. One that is new takes the place
    /// of an eighth of them: those go first that have neither subscriptions nor drops, and of those the
    /// ones used least recently.
    pub topics: BTreeMap<TopicName, TopicView>,
    /// What did not reach its subscribers, one of each reason, topic, publisher and subscription, the one
    /// told of last at the end; at most `limits.rmp.shown_drops_max`.
    pub drops: VecDeque<DropView>,
    /// What was dropped lately, by spans of 5 s, the latest at the end: a minute of them.
    pub recent_drops: VecDeque<DropSpan>,
    /// When a key was last forgotten before its time, so that a duplicate of it would not be known.
    pub forgot_at: Option<Now>,
    /// When keys of what subscribers lost were last forgotten before their time.
    pub forgot_lost_at: Option<Now>,
    /// Counts since the broker started.
    pub totals: Totals,
}

/// The state of the socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Listener {
    /// Not bound yet.
    #[default]
    Starting,
    /// It answers at this path.
    Listening(Arc<str>),
    /// It does not.
    Down(Arc<str>),
}

/// One connection.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerView {
    /// Who, as the operating system names the process.
    pub peer: Peer,
    /// Since when.
    pub connected_at: Now,
    /// What its `Hello` said, once it came.
    pub greeting: Option<Greeting>,
    /// Messages taken from it.
    pub published: u64,
    /// Frames of its that were refused.
    pub refused: u64,
    /// Its subscriptions.
    pub subs: BTreeMap<u64, SubView>,
}

/// Who a peer says it is, and what it may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The name that it gave itself.
    pub client: Arc<str>,
    /// What it may do.
    pub kind: Kind,
    /// In what it speaks.
    pub dialect: Dialect,
}

/// One subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct SubView {
    /// The topic or pattern.
    pub topic: TopicName,
    /// Since when.
    pub since: Now,
    /// Its figures as they were told last.
    pub gauge: Gauge,
}

/// One topic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopicView {
    /// Messages taken on it.
    pub published: u64,
    /// Bytes of those, as they were on the wire.
    pub bytes: u64,
    /// Messages given to subscriptions.
    pub delivered: u64,
    /// Messages that did not reach a subscription, by [`DropReason::index`].
    pub dropped: [u64; DropReason::ALL.len()],
    /// Subscriptions that a message like the last one would be for now.
    pub subscribers: u32,
    /// The schema of the last message.
    pub schema_id: Option<u16>,
    /// When the last message was taken.
    pub last_at: Now,
}

/// Messages that did not reach a subscription, as the last notice tells of them.
#[derive(Clone, Debug, PartialEq)]
pub struct DropView {
    /// When it was told first.
    pub first_at: Now,
    /// When it was told last.
    pub at: Now,
    /// Why.
    pub reason: DropReason,
    /// On which topic.
    pub topic: TopicName,
    /// Whose subscription it was; none for a message that was expired when it came.
    pub to: Option<(ConnectionId, u64)>,
    /// The name of whose it was.
    pub to_client: Option<Arc<str>>,
    /// Who published it.
    pub from: Option<ConnectionId>,
    /// The name of who published it.
    pub from_client: Option<Arc<str>>,
    /// Notices that told of it.
    pub notices: u64,
    /// How many, of all notices together.
    pub count: u64,
    /// The trace of the last of them.
    pub trace: Option<TraceId>,
    /// The number of the last.
    pub msg_id: u64,
    /// When it expired or would have, in Unix milliseconds.
    pub expires_at_ms: u64,
}

/// What was dropped in one span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DropSpan {
    /// When the first of it was told.
    pub at: Now,
    /// How many, by [`DropReason::index`].
    pub dropped: [u64; DropReason::ALL.len()],
}

/// How long drops are counted in one place.
const DROP_SPAN: Duration = Duration::from_secs(5);
/// For how long a drop, and a key that was forgotten early, is told of.
const RECENT: Duration = Duration::from_secs(60);

/// Counts since the broker started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Messages taken.
    pub published: u64,
    /// Bytes of those, as they were on the wire.
    pub published_bytes: u64,
    /// Messages given to subscriptions.
    pub delivered: u64,
    /// Frames refused.
    pub refused: u64,
    /// Messages that did not reach a subscription, by [`DropReason::index`].
    pub dropped: [u64; DropReason::ALL.len()],
    /// Keys remembered against duplicates.
    pub keys: u64,
    /// Keys that were let go before the longest TTL was over.
    pub evicted_young: u64,
    /// Keys that subscribers lost to back-pressure and that were let go before that: a retry is taken for a
    /// duplicate.
    pub lost_evicted_young: u64,
    /// Topics that were used; one that was let go and came again is counted again.
    pub topics: u64,
}

impl Snapshot {
    /// The topics on which somebody answers: an agent, subscribed to that topic alone. Whoever takes more
    /// than one topic by a pattern watches (rmp-v0 §9.1).
    #[must_use]
    pub fn topics_with_agents(&self) -> HashSet<&str> {
        let is_agent =
            |peer: &&PeerView| peer.greeting.as_ref().is_some_and(|greeting| greeting.kind == Kind::Agent);
        let subs = self.peers.values().filter(is_agent).flat_map(|peer| peer.subs.values());
        subs.map(|sub| sub.topic.as_str()).collect()
    }
}

impl Snapshot {
    /// Messages that did not reach somebody in the last minute, by [`DropReason::index`].
    #[must_use]
    pub fn dropped_last_minute(&self, now: Now) -> [u64; DropReason::ALL.len()] {
        let mut dropped = [0; DropReason::ALL.len()];
        for span in self.recent_drops.iter().filter(|span| now.mono.since(span.at.mono) < RECENT) {
            add_counts(&mut dropped, span.dropped);
        }
        dropped
    }

    /// Whether keys were forgotten early in the last minute, and whether keys of what subscribers lost were.
    #[must_use]
    pub fn forgets_early(&self, now: Now) -> [bool; 2] {
        let is_recent = |at: Option<Now>| at.is_some_and(|at| now.mono.since(at.mono) < RECENT);
        [self.forgot_at, self.forgot_lost_at].map(is_recent)
    }
}

fn add_counts(counts: &mut [u64; DropReason::ALL.len()], more: [u64; DropReason::ALL.len()]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count = count.saturating_add(more);
    }
}

/// Counts what was dropped among what was dropped lately.
pub(super) fn note_recent_drop(recent: &mut VecDeque<DropSpan>, at: Now, reason: DropReason, count: u64) {
    let mut dropped = [0; DropReason::ALL.len()];
    dropped[reason.index()] = count;
    match recent.back_mut() {
        Some(last) if at.mono.since(last.at.mono) < DROP_SPAN => add_counts(&mut last.dropped, dropped),
        _ => recent.push_back(DropSpan { at, dropped }),
    }
    while recent.front().is_some_and(|first| at.mono.since(first.at.mono) >= RECENT) {
        recent.pop_front();
    }
}

impl TopicView {
    /// In which order topics make room for others, the first to go first.
    #[must_use]
    pub fn rank(&self) -> impl Ord + use<> {
        (self.subscribers > 0 || self.dropped != [0; DropReason::ALL.len()], self.last_at.mono)
    }
}

/// Which topics make room for others: an eighth of them, at least one, by [`TopicView::rank`] and then by
/// name.
pub(super) fn evictable<R: Ord>(mut ranked: Vec<(R, TopicName)>) -> impl Iterator<Item = TopicName> {
    let gone = (ranked.len() / 8).max(1).min(ranked.len());
    if gone < ranked.len() {
        ranked.select_nth_unstable(gone);
    }
    ranked.truncate(gone);
    ranked.into_iter().map(|(_, name)| name)
}

impl DropView {
    /// Whether it tells of the same reason, topic, publisher and subscription.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.reason, self.to, self.from) == (other.reason, other.to, other.from) && self.topic == other.topic
    }
}

impl Totals {
    /// Takes in what is remembered now, and tells whether anything of it is new: keys, those let go early,
    /// lost ones let go early, topics.
    pub(super) fn update_dedupe(
        &mut self,
        [keys, evicted_young, lost_evicted_young, topics]: [u64; 4],
    ) -> bool {
        let fresh = Self { keys, evicted_young, lost_evicted_young, topics, ..*self };
        std::mem::replace(self, fresh) != fresh
    }
}

/// Adds what a notice tells to what was told of its like before, so that a stream of them is counted whole in
/// one place.
pub(super) fn note_drop(drops: &mut VecDeque<DropView>, mut view: DropView, shown_max: u64) {
    if let Some(before) =
        drops.iter().rposition(|drop| drop.is_like(&view)).and_then(|place| drops.remove(place))
    {
        view.count = view.count.saturating_add(before.count);
        view.notices = view.notices.saturating_add(before.notices);
        view.first_at = before.first_at;
    }
    drops.push_back(view);
    while drops.len() as u64 > shown_max {
        drops.pop_front();
    }
}
