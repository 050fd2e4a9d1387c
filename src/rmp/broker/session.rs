//! One connection as the broker knows it.
//!
//! ```text
//! New ──Hello──▶ Open ──▶ Closed: what is queued still leaves, what comes is too late
//!  └────── no Hello within 10 s, a refused one ──────▲
//! ```

use std::{sync::Arc, time::Duration};

use hashbrown::HashMap;
use slab::Slab;

use super::publish_cache::PublishCache;
use crate::{
    ids::{ConnectionId, Peer, TopicName, TraceId},
    limits,
    rmp::{
        Error,
        dedupe::Subscriber,
        outbox::{Outbox, Slot},
        snapshot::{Greeting, PeerView, SubView},
        topic::Pattern,
    },
    tap::entry::rmp::{Dialect, DropReason, Gauge, Kind, Refusal},
    time::{Mono, Now},
};

/// How long a connection may take to say `Hello` (ruling RMP 1).
pub(super) const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

/// One connection.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: ConnectionId,
    pub(super) peer: Peer,
    pub(super) connected_at: Now,
    pub(super) phase: Phase,
    pub(super) outbox: Outbox<Tag>,
    pub(super) subs: Slab<Sub>,
    /// The places of the subscriptions, by the session's numbers of them.
    pub(super) sub_indexes: HashMap<u64, usize>,
    pub(super) publish_cache: PublishCache,
    pub(super) pending: Option<Pending>,
    /// Since when nothing of its queue left, as far as that was asked for.
    pub(super) stalled: Option<NotWritten>,
    pub(super) published: u64,
    pub(super) refused: u64,
    /// `published` and `refused` as they were told last.
    pub(super) reported: (u64, u64),
    /// Its figures may have changed since they were told.
    pub(super) is_dirty: bool,
    /// It is on the list of those that have something to write.
    pub(super) is_waiting: bool,
    /// It is on the list of those that are looked at for requests that nobody read in time.
    pub(super) is_watched: bool,
    pub(super) rights: Rights,
    /// In what it speaks, where it has spoken and not said who it is.
    pub(super) speaks: Option<Dialect>,
    pub(super) place: Place,
}

/// What a token gives a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rights {
    /// Those of its token.
    OfToken,
    /// None: it is an agent whatever it shows.
    Confined,
}

/// Which part of the table a connection has its place in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The one for everybody.
    Common,
    /// The one that is held for operators.
    Operators,
}

impl Place {
    pub(super) const fn new(is_operators: bool) -> Self {
        if is_operators { Self::Operators } else { Self::Common }
    }
}

/// Where a connection stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has not said who it is.
    New,
    /// Its session is open.
    Open(Greeting),
    /// It was closed; the greeting that it had.
    Closed(Option<Greeting>),
}

/// A `Publish` whose message has not come yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// The number of the control frame: answers name it.
    pub(super) re: u64,
    pub(super) trace: TraceId,
    pub(super) ack: bool,
    /// Bytes that came before the message.
    pub(super) wire_bytes: usize,
    /// Where the message goes, or why it goes nowhere; none for a topic that is made once it is clear that
    /// it may be published on.
    pub(super) to: Result<Option<TopicRef>, Box<RefusalDetail>>,
    /// The topic as it was asked for, where it is one; a memo that recalls the place knows it too.
    pub(super) topic: Option<TopicName>,
}

/// Why something that was asked for is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefusalDetail {
    pub(super) refusal: Refusal,
    pub(super) message: String,
    /// The fault of a frame, where it is one.
    pub(super) error: Option<Error>,
}

impl RefusalDetail {
    pub(super) fn new(refusal: Refusal, message: &impl ToString) -> Self {
        Self { refusal, message: message.to_string(), error: None }
    }
}

/// A topic of the table, as long as it is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TopicRef {
    pub(super) index: usize,
    pub(super) stamp: u64,
}

/// One subscription.
#[derive(Debug)]
pub(super) struct Sub {
    pub(super) number: u64,
    pub(super) pattern: Pattern,
    pub(super) since: Now,
    pub(super) slot: Slot,
    pub(super) seen: Subscriber,
    /// Whether the tap's entries reach it.
    pub(super) reads_tap: bool,
    pub(super) duplicates: u64,
    /// Since when it is full, if it is.
    pub(super) full: Option<NotWritten>,
    /// Its figures as they were told last.
    pub(super) reported: Gauge,
}

/// Since when nothing of a connection's queue left.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotWritten {
    since: Mono,
    /// How often something had left by then.
    writes: u64,
}

impl NotWritten {
    /// Carries it on from a moment at which this was known, or begins with now where something left since.
    fn at(now: Mono, writes: u64, known: Option<Self>) -> Self {
        known.filter(|known| known.writes == writes).unwrap_or(Self { since: now, writes })
    }

    /// Whether nothing has left for so long.
    fn lasts(self, now: Mono, writes: u64, max: Duration) -> bool {
        self.writes == writes && now.since(self.since) >= max
    }
}

/// The tag of a message in a queue: what its bytes do not tell once it expires.
#[derive(Clone, Debug)]
pub(super) enum Tag {
    /// The Deliver names the subscription and the topic, the message's header the rest.
    Frames {
        from: ConnectionId,
    },
    Json(Box<JsonDeliveryInfo>),
}

/// The description of a message of which a unit of the JSON dialect was made.
#[derive(Clone, Debug)]
pub(super) struct JsonDeliveryInfo {
    pub(super) topic: TopicName,
    pub(super) from: ConnectionId,
    pub(super) sub: u64,
    pub(super) trace: TraceId,
    pub(super) msg_id: u64,
}

impl Session {
    pub(super) fn new(id: ConnectionId, peer: Peer, now: Now, limits: &limits::Rmp) -> Self {
        Self {
            id,
            peer,
            connected_at: now,
            phase: Phase::New,
            outbox: Outbox::new(limits),
            subs: Slab::new(),
            sub_indexes: HashMap::new(),
            publish_cache: PublishCache::default(),
            pending: None,
            stalled: None,
            published: 0,
            refused: 0,
            reported: (0, 0),
            is_dirty: false,
            is_waiting: false,
            is_watched: false,
            rights: Rights::OfToken,
            speaks: None,
            place: Place::Common,
        }
    }

    pub(super) fn greeting(&self) -> Option<&Greeting> {
        match &self.phase {
            Phase::Open(greeting) | Phase::Closed(Some(greeting)) => Some(greeting),
            Phase::New | Phase::Closed(None) => None,
        }
    }

    pub(super) fn client(&self) -> Option<Arc<str>> {
        self.greeting().map(|greeting| Arc::clone(&greeting.client))
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open(_))
    }

    pub(super) fn is_closed(&self) -> bool {
        matches!(self.phase, Phase::Closed(_))
    }

    pub(super) fn kind(&self) -> Kind {
        self.greeting().map_or(Kind::Agent, |greeting| greeting.kind)
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.greeting().map_or(Dialect::Frames, |greeting| greeting.dialect)
    }

    /// In what it speaks, once it has spoken.
    pub(super) fn spoken(&self) -> Option<Dialect> {
        self.greeting().map(|greeting| greeting.dialect).or(self.speaks)
    }

    /// Its subscription of this number.
    pub(super) fn sub(&self, number: u64) -> Option<&Sub> {
        self.sub_indexes.get(&number).and_then(|place| self.subs.get(*place))
    }

    /// Whether it has a place once it says who it is: one of the operators' room is for operators, and for
    /// those who may watch what they do.
    pub(super) fn has_place(&self, kind: Kind) -> bool {
        kind.is_operator() || kind == Kind::Viewer || self.place == Place::Common
    }

    /// Notes that a message found a subscription full, or had to be taken out of it.
    pub(super) fn note_full(&mut self, now: Mono, sub: usize) {
        let writes = self.outbox.writes();
        if let Some(sub) = self.subs.get_mut(sub) {
            sub.full = Some(NotWritten::at(now, writes, sub.full));
        }
    }

    /// Notes that too much is queued on all connections; true where nothing of this one's queue has left for
    /// so long since that was noted first.
    pub(super) fn is_stalled(&mut self, now: Mono, max: Duration) -> bool {
        let writes = self.outbox.writes();
        let stalled = NotWritten::at(now, writes, self.stalled);
        self.stalled = Some(stalled);
        stalled.lasts(now, writes, max)
    }

    /// Notes that a subscription has room again though nothing was read: what it held expired.
    pub(super) fn note_room(&mut self, number: u64) {
        let sub = self.sub_indexes.get(&number).and_then(|place| self.subs.get_mut(*place));
        if let Some(sub) = sub {
            sub.full = None;
        }
    }

    /// Whether nothing is queued for a subscription, since it is full for so long and nothing left. An empty
    /// queue always takes one (ruling RMP 8).
    #[inline]
    pub(super) fn is_parked(&self, now: Mono, sub: &Sub, full_max: Duration) -> bool {
        sub.full.is_some_and(|full| {
            full.lasts(now, self.outbox.writes(), full_max) && self.outbox.queue_stats(sub.slot).messages > 0
        })
    }

    /// The counters of a subscription now.
    pub(super) fn gauge(&self, sub: &Sub) -> Gauge {
        let account = self.outbox.queue_stats(sub.slot);
        let mut dropped = [0; DropReason::ALL.len()];
        dropped[DropReason::TtlExpired.index()] = account.expired;
        dropped[DropReason::Duplicate.index()] = sub.duplicates;
        dropped[DropReason::BackpressureTimeout.index()] = account.refused;
        Gauge {
            queued_messages: account.messages,
            queued_bytes: account.bytes,
            delivered: account.delivered,
            dropped,
        }
    }

    /// As it is shown: figures as they were told last.
    pub(super) fn view(&self) -> PeerView {
        let sub = |sub: &Sub| {
            (sub.number, SubView { topic: sub.pattern.name().clone(), since: sub.since, gauge: sub.reported })
        };
        PeerView {
            peer: self.peer.clone(),
            connected_at: self.connected_at,
            greeting: self.greeting().cloned(),
            published: self.reported.0,
            refused: self.reported.1,
            subs: self.subs.iter().map(|(_, it)| sub(it)).collect(),
        }
    }
}
