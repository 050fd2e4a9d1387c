//! One value of every variant of what the bus is told in. A new variant does not compile until it has one.

use std::{collections::VecDeque, sync::Arc};

use rl_console::{
    ids::{ConnectionId, Peer, TopicName},
    rmp::{self, DropView, Greeting, Listener, PeerView, Snapshot, SubView, TopicView, Totals},
    tap::entry::{
        Head, Verdict,
        rmp::{CloseCause, Code, Dialect, DropReason, FrameKind, Gauge, Kind, Refusal, Transition},
    },
    time::Now,
};

const SESSION: ConnectionId = ConnectionId(3);

fn topic() -> TopicName {
    TopicName::new("agent/writer")
}

fn refusals() -> Vec<Refusal> {
    let session = every!(Refusal {
        Fault => [],
        Forbidden => [Refusal::Forbidden],
        InvalidTopic => [Refusal::InvalidTopic],
        NotSubscribed => [Refusal::NotSubscribed],
        Unauthorized => [Refusal::Unauthorized],
        Busy => [Refusal::Busy],
    });
    Code::ALL.into_iter().map(Refusal::Fault).chain(session).collect()
}

fn dialects() -> Vec<Dialect> {
    every_plain!(Dialect { Frames, Json })
}

fn kinds() -> Vec<Kind> {
    every_plain!(Kind { Agent, Ui, Tui, Viewer, Cue, Station })
}

fn reasons() -> Vec<DropReason> {
    every_plain!(DropReason { TtlExpired, Duplicate, BackpressureTimeout })
}

fn closes() -> Vec<CloseCause> {
    let mut all = every!(CloseCause {
        PeerClosed => [CloseCause::PeerClosed],
        ReadFailed => [CloseCause::ReadFailed],
        WriteFailed => [CloseCause::WriteFailed],
        HelloTimeout => [CloseCause::HelloTimeout],
        Refused => [],
        NotReading => [CloseCause::NotReading],
        Kicked => [CloseCause::Kicked],
        TooManyConnections => [CloseCause::TooManyConnections],
        MadeRoom => [CloseCause::MadeRoom],
        NoToken => [CloseCause::NoToken],
        TooManyOfPeer => [CloseCause::TooManyOfPeer],
        FrameTimeout => [CloseCause::FrameTimeout],
        ReceivingFull => [CloseCause::ReceivingFull],
        Shutdown => [CloseCause::Shutdown],
    });
    all.extend(refusals().into_iter().map(CloseCause::Refused));
    all
}

fn gauge() -> Gauge {
    Gauge { queued_messages: 7, queued_bytes: 900, delivered: 41, dropped: [1, 2, 3] }
}

pub(crate) fn heads() -> Vec<Head> {
    let head = rmp::Head {
        topic: Some(topic()),
        schema_id: Some(4_000),
        msg_id: Some(0),
        sub: Some(9),
        ..rmp::Head::default()
    };
    let mut all: Vec<_> =
        FrameKind::ALL.iter().map(|kind| rmp::Head { kind: Some(*kind), ..head.clone() }).collect();
    all.extend(dialects().into_iter().map(|dialect| rmp::Head { dialect, ..rmp::Head::default() }));
    all.extend(refusals().into_iter().map(|refusal| rmp::Head { refusal: Some(refusal), ..head.clone() }));
    all.into_iter().map(Head::Rmp).collect()
}

pub(crate) fn verdicts() -> Vec<Verdict> {
    use rmp::Verdict as Of;
    let mut all = every!(Of {
        Accepted => [Of::Accepted],
        Published => [Of::Published { subscribers: 0, dropped: 3 }],
        Refused => [],
        TooLate => [Of::TooLate],
    });
    all.extend(refusals().into_iter().map(Of::Refused));
    all.into_iter().map(Verdict::Rmp).collect()
}

pub(crate) fn transitions() -> Vec<Transition> {
    let dropped = |reason, to| Transition::Dropped {
        reason,
        topic: topic(),
        to,
        from: to.map(|_| ConnectionId(8)),
        count: 12,
        msg_id: 99,
        expires_at_ms: 1_790_000_030_000,
    };
    let greeted =
        |kind, dialect| Transition::Greeted { session: SESSION, client: Arc::from("writer"), kind, dialect };
    let mut all = every!(Transition {
        Listening => [Transition::Listening { path: Arc::from("/run/runloop/rmp.sock") }],
        NotListening => [Transition::NotListening],
        Connected => [Transition::Connected { session: SESSION, peer: Peer::new("uid 1000 pid 4711") }],
        Greeted => [],
        Disconnected => [],
        Subscribed => [Transition::Subscribed { session: SESSION, sub: 0, topic: topic() }],
        Unsubscribed => [Transition::Unsubscribed { session: SESSION, sub: 5 }],
        Dropped => [dropped(DropReason::TtlExpired, None)],
        QueueStats => [Transition::QueueStats { session: SESSION, sub: 1, gauge: gauge() }],
        SessionStats => [Transition::SessionStats { session: SESSION, published: 1_000, refused: 2 }],
        DedupeStats => [
            Transition::DedupeStats { keys: 65_536, evicted_young: 12, lost_evicted_young: 3, topics: 7 },
        ],
        ClockJumped => [Transition::ClockJumped { by_ms: -3_600_000 }],
    });
    all.extend(kinds().into_iter().map(|kind| greeted(kind, Dialect::Frames)));
    all.extend(dialects().into_iter().map(|dialect| greeted(Kind::Agent, dialect)));
    all.extend(reasons().into_iter().map(|reason| dropped(reason, Some((SESSION, 4)))));
    all.extend(closes().into_iter().map(|cause| Transition::Disconnected { session: SESSION, cause }));
    all
}

/// A bus in every state that its listener can have, with one of everything else.
pub(crate) fn snapshots() -> Vec<Snapshot> {
    let at = Now::at_ms(5);
    let listeners = every!(Listener {
        Starting => [Listener::Starting],
        Listening => [Listener::Listening(Arc::from("/tmp/rmp.sock"))],
        Down => [Listener::Down(Arc::from("the path is taken"))],
    });
    let greeting = Some(Greeting { client: Arc::from("writer"), kind: Kind::Tui, dialect: Dialect::Json });
    let subs = [(4, SubView { topic: topic(), since: at, gauge: gauge() })].into();
    let peer = PeerView {
        peer: Peer::new("uid 1000 pid 4711"),
        connected_at: at,
        greeting,
        published: 5,
        refused: 6,
        subs,
    };
    let bare = PeerView { greeting: None, subs: std::collections::BTreeMap::new(), ..peer.clone() };
    let view = TopicView {
        published: 1,
        bytes: 2,
        delivered: 3,
        dropped: [4, 5, 6],
        subscribers: 7,
        schema_id: Some(10),
        last_at: at,
    };
    let drop = DropView {
        first_at: Now::at_ms(1),
        at,
        reason: DropReason::BackpressureTimeout,
        topic: topic(),
        to: Some((SESSION, 4)),
        to_client: Some(Arc::from("writer")),
        from: Some(ConnectionId(8)),
        from_client: Some(Arc::from("reader")),
        notices: 4,
        count: 12,
        trace: Some("0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap()),
        msg_id: 99,
        expires_at_ms: 1_790_000_030_000,
    };
    let nobody =
        DropView { to: None, to_client: None, from: None, from_client: None, trace: None, ..drop.clone() };
    let snapshot = |listener| Snapshot {
        listener,
        peers: [(SESSION, peer.clone()), (ConnectionId(8), bare.clone())].into(),
        topics: [
            (topic(), view.clone()),
            (TopicName::new("chat"), TopicView { schema_id: None, ..view.clone() }),
        ]
        .into(),
        drops: [drop.clone(), nobody.clone()].into(),
        recent_drops: VecDeque::default(),
        forgot_at: None,
        forgot_lost_at: None,
        totals: Totals {
            published: 1,
            published_bytes: 2,
            delivered: 3,
            refused: 4,
            dropped: [5, 6, 7],
            keys: 8,
            evicted_young: 9,
            lost_evicted_young: 11,
            topics: 10,
        },
    };
    listeners.into_iter().map(snapshot).collect()
}
