//! Why connections end, in words, with what to do about it.

use crate::{
    dissect::Breach,
    tap::entry::mpp::{CloseCause, Fault, HelloReason},
};

/// What happened, to follow "the adapter left: " or "refused: ".
///
/// `said` is the message of the frame that told the adapter, which names what the violation leaves open.
pub(crate) fn describe_close(cause: CloseCause, said: Option<&str>) -> String {
    match cause {
        CloseCause::PeerClosed => "connection closed by the peer".to_owned(),
        CloseCause::ReadFailed => "connection lost".to_owned(),
        CloseCause::WriteFailed => "connection lost while writing".to_owned(),
        CloseCause::HelloTimeout => "no hello within 10 s".to_owned(),
        CloseCause::Fault(Fault::Hello(reason)) => reason.code().to_owned(),
        CloseCause::Fault(Fault::Protocol { code, violation }) => match said {
            Some(said) => format!("{}: {said} ({})", code.code(), violation.clause()),
            None => format!("{}: {violation} ({})", code.code(), violation.clause()),
        },
        CloseCause::Fault(Fault::ByAdapter) => "it sent protocol_error".to_owned(),
        CloseCause::NotReading => "it stopped reading".to_owned(),
        CloseCause::WriteStalled => "nothing could be sent to it for 30 s".to_owned(),
        CloseCause::Kicked => "disconnected by an operator".to_owned(),
        CloseCause::TooManyConnections => "too many connections (limits.mpp.connections_max)".to_owned(),
        CloseCause::MadeRoom => {
            "idle, closed to make room for another (limits.mpp.connections_max, or limits.mpp.peer_connections_max of its \
             address)"
                .to_owned()
        }
        CloseCause::TooManyOfPeer => {
            "too many connections from its address (limits.mpp.peer_connections_max)".to_owned()
        }
        CloseCause::ReceivingFull => {
            "receive buffers full, its line was the longest (limits.mpp.receiving_bytes_max)"
                .to_owned()
        }
        CloseCause::Shutdown => "station stopped".to_owned(),
    }
}

/// The breach that ended a connection, where one did.
pub(super) fn breach_of(cause: CloseCause) -> Option<Breach> {
    match cause {
        CloseCause::Fault(fault) => Some(Breach::from(fault)),
        CloseCause::HelloTimeout => Some(Breach::HelloTimeout),
        _ => None,
    }
}

/// The words and the subcommand that mend a refused handshake.
pub(crate) fn refusal_remedy(reason: HelloReason) -> (&'static str, Option<&'static str>) {
    match reason {
        HelloReason::UnsupportedMppVersion => ("use an adapter that speaks MPP v2", None),
        HelloReason::Unpaired => ("pair first; it prints the token:", Some("pair")),
        HelloReason::InvalidToken => {
            ("give the adapter the token of the last pairing, or create a new one:", Some("pair --rotate"))
        }
        HelloReason::PackIdMismatch => {
            ("start the station with the adapter's pack (--pack), or use the adapter of this pack", None)
        }
        HelloReason::ManifestHashMismatch => {
            ("give both the same pack.toml; this one's hash:", Some("pack hash PATH"))
        }
        HelloReason::AlreadyConnected => {
            ("another adapter is active; disconnect it:", Some("adapter disconnect"))
        }
    }
}
