//! What a gate before the broker, and behind it, needs to know of units.

use super::{control_frames::split_well_formed, core::Broker, decision::Step};
use crate::{
    ids::ConnectionId,
    rmp::{
        Dialect, Head, PREFIX_BYTES, RawFrame,
        outbox::Front,
        split::{self, UnitSplit},
    },
    tap::entry::rmp::FrameKind,
    time::Now,
};

/// How the bodies of control frames begin whose type and topic hang on their bytes alone: answers up to the
/// number of what they answer, and those whose message follows.
const OK: &[u8] = b"\x82\xa4type\xb1intent.control.v1\xa7payload\x81\xa2Ok\x81\xa2re";
const DELIVER: &[u8] = b"\x82\xa4type\xb1intent.control.v1\xa7payload\x81\xa7Deliver";
const PUBLISH: &[u8] = b"\x82\xa4type\xb1intent.control.v1\xa7payload\x81\xa7Publish";

/// What a control frame has in common with others of its type, topic and subscription: its body, without
/// the number of what it answers. Nothing of a frame that is not well-formed, or of which these hang on more
/// than its bytes, as the topic of an `Unsubscribe` does.
pub(in crate::rmp) fn class_of(frame: &[u8]) -> Option<&[u8]> {
    let (_, body) = split_well_formed(frame)?;
    let is_answer = body.strip_prefix(OK).is_some_and(|re| match *re {
        [0..=0x7f] => true,
        [marker @ 0xcc..=0xcf, ..] => re.len() == 1 + (1 << (marker - 0xcc)),
        _ => false,
    });
    if is_answer {
        return Some(OK);
    }
    (body.starts_with(DELIVER) || body.starts_with(PUBLISH)).then_some(body)
}

/// Bytes at the front of a queue that are units of classes which may leave; a Deliver and its message are
/// one.
pub(in crate::rmp) fn bytes_that_leave(front: &Front<'_>, mut may_leave: impl FnMut(&[u8]) -> bool) -> usize {
    let len_at = |at: usize| {
        let prefix = front.piece(at, PREFIX_BYTES)?.first_chunk()?;
        usize::try_from(u32::from_be_bytes(*prefix)).ok()?.checked_add(PREFIX_BYTES)
    };
    let mut leave = 0;
    while let Some(len) = len_at(leave) {
        let class = front.piece(leave, len).and_then(class_of);
        let Some(class) = class.filter(|class| may_leave(class)) else { break };
        let message = if class.starts_with(DELIVER) { len_at(leave + len) } else { Some(0) };
        let Some(message) = message else { break };
        leave += len + message;
    }
    leave
}

impl Broker {
    /// Whether a session's frames may be held: it has said who it is, and is no operator, who would be cut
    /// off from what it holds.
    #[must_use]
    pub fn may_be_held(&self, id: ConnectionId) -> bool {
        self.sessions.get(id).is_some_and(|session| session.is_open() && !session.kind().is_operator())
    }

    /// Whether a frame is a `Publish`, good or not, so that its message belongs to it.
    #[must_use]
    pub fn is_publish(&self, now: Now, id: ConnectionId, frame: &[u8]) -> bool {
        let now_ms = self.wall.checked(now).now_ms(now);
        let session = self.sessions.get(id).filter(|session| session.pending.is_none());
        session.is_some_and(|it| matches!(self.decide_control(now_ms, it, frame), Step::Message(_)))
    }

    /// What a `Publish` with its message is, by its bytes alone; nothing of anything else, which a judgement
    /// tells as fast.
    #[must_use]
    pub fn head_of_publish(&self, now: Now, id: ConnectionId, unit: &[u8]) -> Option<Head> {
        let session = self.sessions.get(id)?;
        if session.dialect() != Dialect::Frames {
            return None;
        }
        let body_bytes_max = self.settings.limits.body_bytes_max;
        let UnitSplit::Whole(len) = split::split_unit(unit, Dialect::Frames, body_bytes_max) else {
            return None;
        };
        let (publish, message) = unit.split_at_checked(len)?;
        let now_ms = self.wall.checked(now).now_ms(now);
        let Step::Message(pending) = self.decide_control(now_ms, session, publish) else { return None };
        let header = RawFrame::split(message)?.header;
        Some(Head {
            kind: Some(FrameKind::Publish),
            topic: Self::name_of(session, &pending),
            schema_id: Some(header.schema_id),
            msg_id: Some(header.msg_id),
            session: Some(id),
            ..Head::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::TraceId,
        rmp::{
            control::{self, FromBroker, FromClient, Message},
            encode,
        },
    };

    fn control(msg_id: u64, said: &impl Message) -> Vec<u8> {
        let mut frame = Vec::new();
        control::append(&mut frame, &control::header(1, TraceId(uuid::Uuid::nil()), msg_id), said);
        frame
    }

    fn deliver(sub: u64, topic: &str) -> Vec<u8> {
        control(1, &FromBroker::Deliver { sub, topic })
    }

    #[test]
    fn frames_that_differ_by_their_ids_and_times_alone_are_of_one_class() {
        let publish = |msg_id, topic| control(msg_id, &FromClient::Publish { topic, ack: true });
        assert_eq!(class_of(&publish(1, "a")), class_of(&publish(2, "a")));
        assert_ne!(class_of(&publish(1, "a")), class_of(&publish(1, "b")));
        assert_ne!(class_of(&deliver(1, "a")), class_of(&deliver(2, "a")));
        for re in [0, 0x7f, 0x80, 0x100, 0x1_0000, u64::MAX] {
            assert_eq!(class_of(&control(re, &FromBroker::Ok { re })), Some(OK), "{re}");
        }
    }

    #[test]
    fn a_frame_whose_topic_hangs_on_its_session_is_of_no_class() {
        assert_eq!(class_of(&control(1, &FromClient::Subscribe { sub: 1, topic: "a/*" })), None);
        assert_eq!(class_of(&control(1, &FromClient::Unsubscribe { sub: 1 })), None);
        assert_eq!(class_of(&control(1, &FromClient::Ping {})), None);
        let error = FromBroker::Error { re: 1, code: "Forbidden", message: "no" };
        assert_eq!(class_of(&control(1, &error)), None);
    }

    #[test]
    fn a_frame_that_is_not_well_formed_is_of_no_class() {
        let whole = deliver(1, "a");
        for at in
            [PREFIX_BYTES + 8, PREFIX_BYTES + 13, PREFIX_BYTES + 14, PREFIX_BYTES + 19, PREFIX_BYTES + 63]
        {
            let mut broken = whole.clone();
            broken[at] ^= 1;
            assert_eq!(class_of(&broken), None, "byte {at}");
        }
        for len in 0..whole.len() {
            assert_eq!(class_of(&whole[..len]), None, "cut at {len}");
        }
    }

    #[test]
    fn units_leave_up_to_the_first_that_is_of_another_class() {
        let header = control::header(1, TraceId(uuid::Uuid::nil()), 1);
        let message = || encode::frame(&header, &[b'x'; 90]).unwrap();
        let units = [
            vec![control(1, &FromBroker::Ok { re: 1 })],
            vec![deliver(1, "a"), message()],
            vec![control(2, &FromBroker::Ok { re: 2 })],
            vec![deliver(2, "a"), message()],
            vec![control(3, &FromBroker::Ok { re: 3 })],
        ];
        let slices: Vec<&[u8]> = units.iter().flatten().map(Vec::as_slice).collect();
        let front = Front::of(&slices);
        let up_to = |count: usize| units.iter().take(count).flatten().map(Vec::len).sum::<usize>();
        let leave = |held: &[u8]| bytes_that_leave(&front, |class| Some(class) != class_of(held));
        assert_eq!(leave(&deliver(2, "a")), up_to(3));
        assert_eq!(leave(&deliver(3, "a")), up_to(5));
        assert_eq!(leave(&control(9, &FromBroker::Ok { re: 9 })), 0);
    }
}
