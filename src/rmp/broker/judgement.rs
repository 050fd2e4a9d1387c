//! What a judgement says of a connection: its name, its answers, why it would end, what is wrong with the
//! bytes. A token that they hold is in none of it.

use super::{
    answers::PreparedAnswer,
    session::{RefusalDetail, Session},
};
use crate::{
    judged::{self, Doubt, Judged, Shortfall},
    rmp::{
        Code, Dialect, Error, PREFIX_BYTES, Refusal, control::token_ranges, dialect::may_hold_token,
        split::truncation,
    },
    tap::entry::{
        Head, Verdict,
        rmp::{CloseCause, FrameKind, Head as BusHead, Verdict as BusVerdict},
    },
};

/// In the place of what may be a token.
const WITHHELD: &str = "withheld, as it may hold a token";

/// A session as people know it: what it calls itself, and its number.
pub(super) fn name_of(session: &Session) -> String {
    match session.client().filter(|client| !client.is_empty()) {
        Some(client) => format!("{client} (session {})", session.id),
        None => format!("session {}", session.id),
    }
}

/// A judgement that hangs on the bytes alone.
pub(super) fn certain(head: BusHead, verdict: BusVerdict, taken_bytes: usize) -> Judged {
    Judged { taken_bytes, ..Judged::certain(Head::Rmp(head), Verdict::Rmp(verdict)) }
}

/// Of bytes that nobody looks at, since the connection is gone.
pub(super) fn too_late(head: BusHead, bytes: usize) -> Judged {
    certain(head, BusVerdict::TooLate, bytes)
}

/// The judgement of bytes that are refused. Faults of a frame, and what is no topic, hang on the bytes alone.
pub(super) fn refused(head: BusHead, refused: &RefusalDetail, taken_bytes: usize) -> Judged {
    let judged = certain(head, BusVerdict::Refused(refused.refusal), taken_bytes);
    match refused.refusal {
        Refusal::Fault(_) | Refusal::InvalidTopic => judged,
        _ => judged.as_of_now(&[Doubt::AnotherPeer]),
    }
}

/// What is wrong with a frame that begins so many bytes behind the first that is judged.
pub(super) fn shortfall(error: &Error, at: usize) -> Shortfall {
    Shortfall { expected: error.expected(), got: error.got(), byte: at.saturating_add(error.offset()) }
}

/// What is made of a stream that ends within a frame or unit, or between two.
pub(super) fn if_cut(
    rest: &[u8],
    dialect: Dialect,
    body_bytes_max: u64,
    is_behind_publish: bool,
) -> &'static str {
    if rest.is_empty() && !is_behind_publish {
        return CloseCause::PeerClosed.code();
    }
    truncation(rest, dialect, body_bytes_max).map_or(CloseCause::PeerClosed.code(), |error| error.name())
}

/// Adds the answer, unless the session reads none and is ended over it; and why it ends otherwise.
pub(super) fn answered(
    judged: &mut Judged,
    session: &Session,
    answer: Option<PreparedAnswer>,
    ends: Option<CloseCause>,
) {
    let mut ends = ends;
    if let Some(PreparedAnswer { head, bytes, .. }) = answer {
        if session.outbox.check_answer(bytes.len()).is_ok() {
            judged.answers.push(judged::Answer { head: Head::Rmp(head), bytes });
        } else {
            ends = Some(CloseCause::NotReading);
        }
    }
    judged.ends = ends.map(|cause| cause.code().to_owned());
}

/// Takes out what repeats text of bytes that show a token: the type of a body that is another one, or what
/// cannot be read of a unit. An answer that repeats it is left without its bytes.
pub(super) fn mask(judged: &mut Judged, wire: &[u8], dialect: Dialect) {
    let Ok(Verdict::Rmp(BusVerdict::Refused(Refusal::Fault(code)))) = judged.verdict else { return };
    if matches!(&judged.head, Head::Rmp(head) if head.kind == Some(FrameKind::Publish)) {
        // Who publishes has said who it is before.
        return;
    }
    let repeats = match (dialect, code) {
        (Dialect::Frames, Code::BodyTypeMismatch) => token_ranges(wire).is_none_or(|found| !found.is_empty()),
        (Dialect::Json, Code::BodyDecodeError) => {
            may_hold_token(wire.get(PREFIX_BYTES..).unwrap_or_default())
        }
        _ => false,
    };
    if !repeats {
        return;
    }
    if let Some(shortfall) = &mut judged.shortfall {
        WITHHELD.clone_into(&mut shortfall.got);
    }
    for answer in &mut judged.answers {
        answer.bytes.clear();
    }
}
