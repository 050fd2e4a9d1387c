//! What of the coordination runtime a person should read in the Journal.

use crate::{
    console::model::journal::{Grouping, NoticeDraft, Origin},
    macp::{CloseCause, Ending, Transition as T},
    tap::entry::{Link, station::Level},
};

/// What a transition says, if it is worth a line. Why a session was cancelled can quote anybody, and is not
/// said.
pub(crate) fn describe(transition: &T, text: &str) -> Option<NoticeDraft> {
    let said = |level, of: &str, words: String| {
        let grouping = Grouping::Repeated(format!("macp {of}"));
        Some(NoticeDraft::new(level, Origin::System(Link::Macp), words).grouped(grouping))
    };
    match transition {
        T::Listening { addr } => said(Level::Info, "listening", format!("listening on {addr}")),
        T::NotListening => said(Level::Error, text, format!("not listening: {text}")),
        T::Ended { session, ending } => match ending {
            Ending::Resolved => None,
            Ending::TtlExpired => {
                said(Level::Warn, "expired", format!("session {} expired without a resolution", session.id))
            }
            Ending::Cancelled => {
                said(Level::Warn, "cancelled", format!("session {} was cancelled", session.id))
            }
            Ending::LogDamaged => said(
                Level::Error,
                "damaged",
                format!("session {} is expired: its log was damaged", session.id),
            ),
        },
        T::Closed { peer, cause } => {
            let (why, remedy) = describe_close(*cause);
            said(Level::Warn, cause.name(), format!("closed the connection of {peer}: {why}; {remedy}"))
        }
        T::Introduced { .. }
        | T::Opened { .. }
        | T::Accepted { .. }
        | T::Streaming { .. }
        | T::Evicted { .. } => None,
    }
}

/// What to do where there are too many connections.
const CONNECT_LESS: &str = "have clients share connections, find who opens them, or raise the limit";

/// Why the port closed a connection, and what to do.
const fn describe_close(cause: CloseCause) -> (&'static str, &'static str) {
    match cause {
        CloseCause::PrefaceTimeout => (
            "it did not send HTTP/2's preface in time (limits.macp.preface_ms_max)",
            "find what connects there and is no gRPC client",
        ),
        CloseCause::FrameTimeout => (
            "a frame was not whole in time (limits.macp.frame_ms_max)",
            "look for a client that hangs, or raise the limit for a slow network",
        ),
        CloseCause::ControlFrames => (
            "too many HTTP/2 control frames (limits.macp.control_frames_per_s_max)",
            "stop that client, or raise the limit where it only measures the network",
        ),
        CloseCause::MadeRoom => (
            "it had made no call, and a newcomer needed its place (limits.macp.connections_max)",
            CONNECT_LESS,
        ),
        CloseCause::TooManyConnections => {
            ("all places are taken by clients that made calls (limits.macp.connections_max)", CONNECT_LESS)
        }
        CloseCause::TooManyOfPeer => {
            ("its address has its share of the connections (limits.macp.peer_connections_max)", CONNECT_LESS)
        }
    }
}
