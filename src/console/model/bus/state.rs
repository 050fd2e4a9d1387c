//! What of the bus no snapshot has: how fast it goes, and what was dropped in the last minute.

use super::journal;
use crate::{
    console::model::{
        bridge::windowed_rates::{METRICS, RatesByKey, WindowedRates},
        journal::{NoticeDraft, Origin},
        station::StationState,
        systems::{Folding, NODE_BYTES, Resync, SystemModel},
    },
    dissect::rmp::peer_label,
    ids::{ConnectionId, TopicName},
    limits,
    rmp::{self, DropView, PeerView, TopicView, broker::STATION},
    tap::{
        EntryRef,
        entry::{
            Direction, Entry, Frame, Head, Link, Transition as Any, Verdict as AnyVerdict, What,
            rmp::{Transition, Verdict},
            station::Level,
        },
    },
    time::{Mono, Now, Wall},
};

/// Subscriptions and peers whose rates are kept, each.
const RATE_KEYS_MAX: u64 = 4_096;
const SECOND_NS: u64 = 1_000_000_000;
/// Seconds that are kept of what was dropped before.
const SPREAD_SECONDS: u64 = 80;

/// The figures of a topic's flow, and of all topics together.
pub(crate) const MESSAGES: usize = 0;
/// Bytes as they were on the wire.
pub(crate) const BYTES: usize = 1;
/// Messages given to subscriptions; of a subscription, those that left to it.
pub(crate) const DELIVERED: usize = 2;

/// What went over the bus lately.
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    /// By topic, at most `limits.rmp.shown_topics_max`.
    pub(crate) topics: RatesByKey<TopicName>,
    /// What left to each subscription.
    pub(crate) subs: RatesByKey<(ConnectionId, u64)>,
    /// What came from each peer.
    pub(crate) peers: RatesByKey<ConnectionId>,
    /// Everything that peers published.
    pub(crate) all: WindowedRates,
    /// What was dropped, by reason.
    pub(crate) drops: WindowedRates,
    /// Drop notices that came since the console came up.
    pub(crate) notices: u64,
    limits: limits::Rmp,
}

impl Bus {
    pub(crate) fn with_limits(limits: &limits::Rmp) -> Self {
        Self {
            topics: RatesByKey::new(limits.shown_topics_max),
            subs: RatesByKey::new(RATE_KEYS_MAX),
            peers: RatesByKey::new(RATE_KEYS_MAX),
            all: WindowedRates::default(),
            drops: WindowedRates::default(),
            notices: 0,
            limits: *limits,
        }
    }

    /// Takes what an entry says by itself. What was dropped is in the snapshot that the entry lies before,
    /// where it lies before one.
    fn count(&mut self, entry: &Entry, is_in_snapshot: bool) {
        match &entry.what {
            What::Frame(Frame {
                direction: Direction::Inbound,
                head: Head::Rmp(head),
                verdict: AnyVerdict::Rmp(Verdict::Published { subscribers, .. }),
                wire_bytes,
                ..
            }) => {
                let mut figures = [0; METRICS];
                (figures[MESSAGES], figures[BYTES], figures[DELIVERED]) =
                    (1, u64::from(*wire_bytes), u64::from(*subscribers));
                if head.session != Some(STATION) {
                    self.all.add(entry.at, figures);
                }
                if let Some(topic) = &head.topic {
                    self.topics.add(topic, entry.at, figures);
                }
            }
            What::Transition(Any::Rmp(Transition::Dropped { reason, count, .. })) if !is_in_snapshot => {
                let mut figures = [0; METRICS];
                figures[reason.index()] = *count;
                self.drops.add(entry.at, figures);
                self.notices = self.notices.saturating_add(1);
            }
            _ => {}
        }
    }

    /// Takes what an entry says in view of what was known before it.
    fn compare(&mut self, entry: &Entry, before: &rmp::Snapshot) {
        let What::Transition(Any::Rmp(transition)) = &entry.what else { return };
        match transition {
            Transition::QueueStats { session, sub, gauge } => {
                let known = before.peers.get(session).and_then(|peer| peer.subs.get(sub));
                let more = known.map_or(0, |known| gauge.delivered.saturating_sub(known.gauge.delivered));
                let mut figures = [0; METRICS];
                figures[DELIVERED] = more;
                self.subs.add(&(*session, *sub), entry.at, figures);
            }
            Transition::SessionStats { session, published, .. } => {
                let known = before.peers.get(session).map_or(0, |peer| peer.published);
                let mut figures = [0; METRICS];
                figures[MESSAGES] = published.saturating_sub(known);
                self.peers.add(session, entry.at, figures);
            }
            Transition::Unsubscribed { session, sub } => self.subs.remove(&(*session, *sub)),
            Transition::Disconnected { session, .. } => {
                self.subs.retain(|(of, _)| of != session);
                self.peers.retain(|of| of != session);
            }
            _ => {}
        }
    }

    /// Takes from a new snapshot what was dropped while entries were lost, or before this console came up.
    /// `known` is the bus up to there. Between the first and the last notice of it, it is taken to have
    /// come evenly.
    pub(crate) fn seed(&mut self, snapshot: &rmp::Snapshot, known: Option<&rmp::Snapshot>, at: Now) {
        for drop in &snapshot.drops {
            let before = known.and_then(|known| known.drops.iter().find(|known| known.is_like(drop)));
            let missed = drop.count.saturating_sub(before.map_or(0, |before| before.count));
            // An earlier start of the station left the wall clock's time alone.
            if missed == 0 || drop.at.mono == Mono(0) {
                continue;
            }
            let from = before.map_or(drop.first_at, |before| before.at).mono.max(drop.first_at.mono);
            self.spread(drop, missed, from, at);
        }
    }

    fn spread(&mut self, drop: &DropView, missed: u64, from: Mono, now: Now) {
        let last_s = drop.at.mono.0 / SECOND_NS;
        let spans = last_s.saturating_sub(from.0 / SECOND_NS) + 1;
        let first_s = last_s.saturating_sub(spans.min(SPREAD_SECONDS) - 1);
        for second in first_s..=last_s {
            // The last moment of a second, but no later than the last of them.
            let back_ns = drop.at.mono.0.saturating_sub(((second + 1) * SECOND_NS - 1).min(drop.at.mono.0));
            let moment = Now {
                mono: Mono(drop.at.mono.0 - back_ns),
                wall: Wall(drop.at.wall.0.saturating_sub(back_ns / 1_000_000)),
            };
            let share = if second == last_s { missed / spans + missed % spans } else { missed / spans };
            if moment.mono <= now.mono && share > 0 {
                let mut figures = [0; METRICS];
                figures[drop.reason.index()] = share;
                self.drops.insert(moment, figures);
            }
        }
    }

    /// The limits of the bus.
    pub(crate) const fn limits(&self) -> &limits::Rmp {
        &self.limits
    }

    /// What of an entry a person should read, the bus being as it was.
    fn notice(entry: EntryRef<'_>, before: Option<&rmp::Snapshot>) -> Option<NoticeDraft> {
        match &entry.entry.what {
            What::Transition(Any::Rmp(transition)) => journal::describe(transition, &entry.text(), before),
            What::Frame(Frame {
                direction: Direction::Inbound,
                peer,
                head: Head::Rmp(head),
                verdict: AnyVerdict::Rmp(Verdict::Refused(refusal)),
                ..
            }) => Some(journal::describe_refusal(&peer_label(peer, head.session, before), *refusal)),
            // Who left the bus of its own wants it no more.
            What::Unsent { frames, bytes } => {
                Some(NoticeDraft::unsent(Level::Info, Origin::System(Link::Rmp), *frames, *bytes))
            }
            _ => None,
        }
    }
}

impl SystemModel for Bus {
    const STATION_LOG: Option<Level> = None;

    fn new(limits: &limits::Limits) -> Self {
        Self::with_limits(&limits.rmp)
    }

    fn reset(&mut self) {
        *self = Self::with_limits(&self.limits);
    }

    fn resync(&mut self, to: &mut Resync<'_>) {
        self.seed(&to.snapshot.rmp, to.known.map(|known| &known.rmp), to.snapshot.at);
    }

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>) {
        self.count(entry.entry, cx.is_in_snapshot);
        let before = cx.known().map(|state| &state.rmp);
        let notice = Self::notice(entry, before);
        cx.note(entry, notice);
        if let Some(StationState { rmp, .. }) = cx.carried() {
            self.compare(entry.entry, rmp);
            // What lies beside a frame is not read.
            match &entry.entry.what {
                What::Transition(_) => rmp.apply(entry.entry, &entry.text(), &self.limits),
                _ => rmp.apply(entry.entry, "", &self.limits),
            }
        }
    }

    fn memory_bytes(&self, state: Option<&StationState>) -> usize {
        let state = state.map_or(0, |StationState { rmp, .. }| {
            let subs: usize = rmp.peers.values().map(|peer| peer.subs.len()).sum();
            rmp.topics.len() * (size_of::<TopicView>() + NODE_BYTES)
                + rmp.drops.len() * size_of::<DropView>()
                + (rmp.peers.len() + subs) * (size_of::<PeerView>() + NODE_BYTES)
        });
        state + (self.topics.len() + self.subs.len() + self.peers.len()) * 896
    }
}
