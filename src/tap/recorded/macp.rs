//! The MACP runtime: heads, verdicts, transitions.

use super::{
    error::DecodeError,
    form::{Recorded, recorded},
    wire,
};
use crate::{
    tap::entry::macp::{
        Answered, Code, Effect, Ending, Fault, Head, Mode, OpenedText, Phase, Rpc, SessionRef, Status,
        Transition, TurnAwayCause, Verdict,
    },
    time::ClockShift,
};

recorded! {
    codes Rpc = MacpRpc {
        Initialize, Send, StreamSession, GetSession, CancelSession, GetManifest, ListModes, WatchModeRegistry,
        ListRoots, WatchRoots,
    }
    codes Status = MacpStatus {
        InvalidArgument, NotFound, Unimplemented, ResourceExhausted, Unavailable, Internal,
        DeadlineExceeded,
    }
    codes Code = MacpCode {
        UnsupportedProtocolVersion, InvalidEnvelope, SessionNotFound, SessionNotOpen, ModeNotSupported,
        Forbidden, Unauthenticated, DuplicateMessage, PayloadTooLarge, RateLimited,
    }
    codes Fault = MacpFault {
        InvalidMacpVersion, InvalidEnvelope, DuplicateSession, InvalidTtl, InvalidModeState, InvalidPayload,
        UnknownSession, SessionNotOpen, TtlExpired, UnknownMode, Forbidden, Unauthenticated, DuplicateMessage,
        PayloadTooLarge, RateLimited,
    }
    codes TurnAwayCause = MacpTurnAwayCause {
        PrefaceTimeout, FrameTimeout, ControlFrames, MadeRoom, TooManyConnections, TooManyOfPeer,
        MessageTimeout, ReceivingBytes, WriteTimeout, SessionsFull, PeerSessions, CallsFull,
    }
    codes Mode = MacpMode { Decision, MultiRound }
    codes Ending = MacpEnding { Resolved, TtlExpired, Cancelled, LogDamaged }
    codes Phase = MacpPhase { Proposal, Evaluation, Voting, Committed }
    struct Head = MacpHead "macp_head" { rpc, session, message_type, message_id, sender, answer }
    enum Answered = macp_answered::Kind, "macp_answered" in MacpAnswered.kind {
        Ok = Ok,
        Duplicate = Duplicate,
        Refused(code) = Refused(code),
        Status(status) = Status(status),
    }
    enum Verdict = macp_verdict::Kind, "macp_verdict" in MacpVerdict.kind {
        Accepted = Accepted,
        Duplicate = Duplicate,
        Refused(fault) = Refused(fault),
        Declined(status) = Declined(status),
    }
    struct SessionRef = MacpSession "session" { number, id }
    enum Transition = macp_transition::Kind, "macp" in MacpTransition.kind {
        Listening { addr } = Listening(addr),
        NotListening = NotListening,
        Introduced { peer, client } = Introduced(wire::MacpClient { peer, client }),
        TurnedAway { peer, cause } = TurnedAway(wire::MacpTurnedAway { peer, cause }),
        Opened { session, mode, by, participants, expires_at, intent, listed } = Opened(wire::MacpOpened {
            session,
            mode,
            by,
            participants,
            expires_at_ms: expires_at,
            introduction: Some(wire::MacpIntroduction { intent, participants: listed }),
        }) else Kind::Opened(_),
        Accepted { session, by, effect } = Accepted(wire::MacpAccepted { session, by, effect }),
        Ended { session, ending } = Ended(wire::MacpEnded { session, ending }),
        Streaming { session, streams } = Streaming(wire::MacpStreaming { session, streams }),
        Evicted { session } = Evicted(session),
    }
    enum Effect = macp_accepted::Effect, "effect" {
        Nothing = Nothing,
        Proposed { proposal } = Proposed(proposal),
        Evaluated { proposal, recommendation, confidence } =
            Evaluated(wire::MacpEvaluated { proposal, recommendation, confidence }),
        Objected { proposal, severity } = Objected(wire::MacpObjected { proposal, severity }),
        Voted { proposal, vote } = Voted(wire::MacpVoted { proposal, vote }),
        Committed = Committed,
        LegacyResolved = LegacyResolved,
        Contributed { round } = Contributed(round),
    }
}

/// Carries a transition over into the present form: older files have what a session is for in the text beside
/// the entry alone; one that does not read is shown without.
pub(super) fn renew(it: &mut wire::MacpTransition, text: &[u8]) {
    if let Some(wire::macp_transition::Kind::Opened(it)) = &mut it.kind {
        it.introduction.get_or_insert_with(|| {
            let OpenedText { intent, participants } = serde_json::from_slice(text).unwrap_or_default();
            wire::MacpIntroduction { intent, participants }
        });
    }
}
