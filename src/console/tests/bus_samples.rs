//! A bus with traffic and drops, and the frames on it.

use super::test_console::{TestConsole, show};
use crate::{
    console::{input::pane_id::PaneId, ui::state::Focus},
    ids::{ConnectionId, TraceId},
    rmp::{Code, Dialect, DropReason, FrameKind, Head, Kind, Refusal, Transition as T, Verdict},
    tap::{
        Draft,
        entry::{
            Direction, Frame, Head as AnyHead, Link, Redaction, Verdict as AnyVerdict, What, rmp::Gauge,
        },
    },
    time::Now,
};

pub(super) const AGENT: ConnectionId = ConnectionId(3);
pub(super) const MONITOR: ConnectionId = ConnectionId(5);

/// A trace that ends in this number.
pub(super) fn trace(number: u64) -> TraceId {
    TraceId(uuid::Uuid::from_u128(0x0191_0000_0000_7000_8000_0000_0000_0000 | u128::from(number)))
}

/// A frame of MsgPack, as the wire has it.
pub(super) fn frame(schema_id: u16, msg_id: u64, body: &str) -> Vec<u8> {
    let value = crate::rmp::json::parse(body).unwrap();
    let mut packed = Vec::new();
    rmpv::encode::write_value(&mut packed, &value).unwrap();
    let mut bytes = u32::try_from(64 + packed.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(*b"RMP0");
    bytes.extend([0, 0, 0, 64, 0, 0, 0, 0]);
    bytes.extend(schema_id.to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(u32::try_from(packed.len()).unwrap().to_be_bytes());
    bytes.extend(1_000_u64.to_be_bytes());
    bytes.extend(30_000_u64.to_be_bytes());
    bytes.extend(trace(msg_id).0.as_bytes());
    bytes.extend(msg_id.to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(packed);
    bytes
}

/// What a publication is on the wire: the control frame and the message.
pub(super) fn publication(topic: &str, msg_id: u64, payload: &str) -> Vec<u8> {
    let control =
        format!(r#"{{"type":"intent.control.v1","payload":{{"Publish":{{"topic":"{topic}","ack":true}}}}}}"#);
    let message = format!(r#"{{"type":"observation.run.event.v1","payload":{payload}}}"#);
    [frame(9, msg_id, &control), frame(8, msg_id, &message)].concat()
}

impl TestConsole {
    /// A frame of the bus.
    pub(super) fn rmp_frame(&mut self, direction: Direction, head: &Head, verdict: AnyVerdict, bytes: &[u8]) {
        let frame = Frame {
            direction,
            peer: "uid 1000 pid 4711".into(),
            verdict,
            wire_bytes: u32::try_from(bytes.len()).unwrap(),
            redaction: Redaction::None,
            origin: None,
            head: AnyHead::Rmp(head.clone()),
        };
        let trace = head.msg_id.map(trace);
        self.tap.emit(Draft {
            at: Now::at_ms(self.ms),
            link: Link::Rmp,
            trace,
            cause: None,
            what: What::Frame(frame),
            bytes,
        });
        self.fold();
    }

    pub(super) fn publish(&mut self, topic: &str, msg_id: u64, subscribers: u32, dropped: u32) {
        let head = Head {
            kind: Some(FrameKind::Publish),
            topic: Some(topic.into()),
            schema_id: Some(8),
            msg_id: Some(msg_id),
            ..Head::default()
        };
        let bytes = publication(topic, msg_id, &format!(r#"{{"kind":"log","message":"step {msg_id}"}}"#));
        self.rmp_frame(
            Direction::Inbound,
            &head,
            AnyVerdict::Rmp(Verdict::Published { subscribers, dropped }),
            &bytes,
        );
    }

    pub(super) fn refuse(&mut self, code: Code, bytes: &[u8]) {
        let head = Head { kind: Some(FrameKind::Publish), msg_id: Some(9), ..Head::default() };
        self.rmp_frame(
            Direction::Inbound,
            &head,
            AnyVerdict::Rmp(Verdict::Refused(Refusal::Fault(code))),
            bytes,
        );
    }

    pub(super) fn join(&mut self, session: ConnectionId, client: &str, kind: Kind, dialect: Dialect) {
        self.rmp(
            T::Connected { session, peer: format!("uid 1000 pid {}", 4_000 + session.0).as_str().into() },
            "",
        );
        self.rmp(T::Greeted { session, client: client.into(), kind, dialect }, "");
    }

    pub(super) fn drop_message(
        &mut self,
        reason: DropReason,
        topic: &str,
        to: Option<(ConnectionId, u64)>,
        msg_id: u64,
        count: u64,
    ) {
        let drop = T::Dropped {
            reason,
            topic: topic.into(),
            to,
            from: Some(AGENT),
            count,
            msg_id,
            expires_at_ms: Now::at_ms(self.ms).wall.0 + 29_000,
        };
        let at = Now::at_ms(self.ms);
        let what = What::Transition(crate::tap::entry::Transition::Rmp(drop));
        self.tap.emit(Draft {
            at,
            link: Link::Rmp,
            trace: Some(trace(msg_id)),
            cause: None,
            what,
            bytes: b"",
        });
        self.fold();
    }
}

/// Peers, subscriptions and traffic over a show.
pub(super) fn with_traffic(mut stage: TestConsole) -> TestConsole {
    stage.join(AGENT, "writer", Kind::Agent, Dialect::Frames);
    stage.join(ConnectionId(4), "rlp monitor", Kind::Agent, Dialect::Json);
    stage.join(MONITOR, "overlay", Kind::Viewer, Dialect::Frames);
    stage.rmp(T::Connected { session: ConnectionId(6), peer: "uid 1000 pid 4006".into() }, "");
    stage.rmp(T::Subscribed { session: AGENT, sub: 1, topic: "agent/writer".into() }, "");
    stage.rmp(T::Subscribed { session: ConnectionId(4), sub: 1, topic: "rlp/sys/drops".into() }, "");
    stage.rmp(T::Subscribed { session: MONITOR, sub: 7, topic: "rlp/runs/**".into() }, "");
    for msg_id in 1..=60 {
        stage.publish("rlp/runs/trace:a41f/events", msg_id, 1, u32::from(msg_id % 20 == 0));
        if msg_id % 10 == 0 {
            stage.publish("agent/writer", 1_000 + msg_id, 1, 0);
        }
        stage.pass(500);
    }
    let gauge = Gauge { queued_messages: 812, queued_bytes: 3 << 20, delivered: 57, dropped: [1, 0, 14] };
    stage.rmp(T::QueueStats { session: MONITOR, sub: 7, gauge }, "");
    stage.rmp(
        T::QueueStats {
            session: AGENT,
            sub: 1,
            gauge: Gauge { delivered: 6, dropped: [0, 2, 0], ..Gauge::default() },
        },
        "",
    );
    stage.rmp(T::SessionStats { session: AGENT, published: 66, refused: 2 }, "");
    stage.rmp(T::DedupeStats { keys: 66, evicted_young: 0, lost_evicted_young: 0, topics: 2 }, "");
    stage
}

/// The same with some drops.
pub(super) fn with_drops(stage: TestConsole) -> TestConsole {
    let mut stage = with_traffic(stage);
    stage.drop_message(DropReason::Duplicate, "agent/writer", Some((AGENT, 1)), 1_010, 1);
    stage.pass(500);
    stage.drop_message(DropReason::Duplicate, "agent/writer", Some((AGENT, 1)), 1_020, 1);
    stage.drop_message(DropReason::TtlExpired, "rlp/runs/trace:a41f/events", None, 40, 1);
    stage.pass(500);
    for count in [2, 5, 7] {
        stage.drop_message(
            DropReason::BackpressureTimeout,
            "rlp/runs/trace:a41f/events",
            Some((MONITOR, 7)),
            60,
            count,
        );
    }
    stage.pass(300);
    stage
}

/// The Bus in the middle of a show.
pub(super) fn bus(columns: u16, rows: u16) -> TestConsole {
    let mut stage = with_drops(show(columns, rows));
    stage.char('3');
    stage
}

pub(super) fn over(pane: PaneId) -> TestConsole {
    let mut stage = bus(160, 50);
    stage.ui.focus = Focus::Pane(pane);
    stage
}
