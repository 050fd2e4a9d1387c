//! What a gate before the broker, and behind it, needs to know of units.

use super::{core::Broker, decision::Step};
use crate::{
    ids::ConnectionId,
    rmp::{
        Dialect, Head, RawFrame,
        split::{self, UnitSplit},
    },
    tap::entry::rmp::FrameKind,
    time::Now,
};

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
