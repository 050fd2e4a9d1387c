//! Why the port turned somebody away, in words, with what to do about it.

use crate::macp::TurnAwayCause;

/// What to do where there are too many connections.
const CONNECT_LESS: &str = "have clients share connections, see `ls clients` for who holds them, cancel the sessions of a \
     harmful one with `session cancel --by PEER`, or raise the limit";

/// Why the port closed a connection or ended a call, and what to do.
pub(crate) const fn describe_turn_away(cause: TurnAwayCause) -> (&'static str, &'static str) {
    match cause {
        TurnAwayCause::PrefaceTimeout => (
            "no HTTP/2 preface in time (limits.macp.preface_ms_max)",
            "find the program that connects there without gRPC",
        ),
        TurnAwayCause::FrameTimeout => (
            "a frame was not complete in time (limits.macp.frame_ms_max)",
            "look for a client that hangs, or raise the limit for a slow network",
        ),
        TurnAwayCause::ControlFrames => (
            "too many HTTP/2 control frames (limits.macp.control_frames_per_s_max)",
            "stop that client, or raise the limit if it only measures the network",
        ),
        TurnAwayCause::MadeRoom => (
            "it made no call, closed to make room for another (limits.macp.connections_max, or \
             limits.macp.peer_connections_max of its address)",
            CONNECT_LESS,
        ),
        TurnAwayCause::TooManyConnections => {
            ("all connections are in use (limits.macp.connections_max)", CONNECT_LESS)
        }
        TurnAwayCause::TooManyOfPeer => {
            ("too many connections from its address (limits.macp.peer_connections_max)", CONNECT_LESS)
        }
        TurnAwayCause::MessageTimeout => (
            "a message was not complete in time (limits.macp.frame_ms_max)",
            "look for a client that hangs, or raise the limit for a slow network",
        ),
        TurnAwayCause::ReceivingBytes => (
            "too many bytes being received at once (limits.macp.receiving_bytes_max)",
            "have clients send less at a time, or raise the limit if memory allows",
        ),
        TurnAwayCause::WriteTimeout => (
            "it did not read its answers in time (limits.macp.write_ms_max)",
            "look for a client that hangs, or raise the limit for a slow network",
        ),
        TurnAwayCause::CallsFull => (
            "too many open calls, most of them on its connection (limits.macp.calls_max)",
            "stop the program that opens calls and does not finish them (`ls clients` shows who is connected), or raise \
             the limit",
        ),
        TurnAwayCause::SessionsFull => (
            "it started a session, and too many are open (limits.macp.open_max)",
            "see `ls clients` for who opened them, cancel theirs with `session cancel --by PEER`, or raise the limit",
        ),
        TurnAwayCause::PeerSessions => (
            "it started a session, and has too many open (limits.macp.peer_sessions_max)",
            "see `ls clients` for the client, cancel its sessions with `session cancel --by PEER`, or raise the limit",
        ),
    }
}
