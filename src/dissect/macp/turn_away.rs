//! Why the port turned somebody away, in words, with what to do about it.

use crate::macp::TurnAwayCause;

/// What to do where there are too many connections.
const CONNECT_LESS: &str = "have clients share connections, see `ls clients` for who holds them, end the sessions of one that does no \
     good by `session cancel --by PEER`, or raise the limit";

/// Why the port closed a connection or ended a call, and what to do.
pub(crate) const fn describe_turn_away(cause: TurnAwayCause) -> (&'static str, &'static str) {
    match cause {
        TurnAwayCause::PrefaceTimeout => (
            "it did not send HTTP/2's preface in time (limits.macp.preface_ms_max)",
            "find what connects there and is no gRPC client",
        ),
        TurnAwayCause::FrameTimeout => (
            "a frame was not whole in time (limits.macp.frame_ms_max)",
            "look for a client that hangs, or raise the limit for a slow network",
        ),
        TurnAwayCause::ControlFrames => (
            "too many HTTP/2 control frames (limits.macp.control_frames_per_s_max)",
            "stop that client, or raise the limit where it only measures the network",
        ),
        TurnAwayCause::MadeRoom => (
            "it had made no call, and a newcomer needed its place (limits.macp.connections_max, or \
             limits.macp.peer_connections_max of its address)",
            CONNECT_LESS,
        ),
        TurnAwayCause::TooManyConnections => {
            ("all places are taken by clients that made calls (limits.macp.connections_max)", CONNECT_LESS)
        }
        TurnAwayCause::TooManyOfPeer => {
            ("its address has its share of the connections (limits.macp.peer_connections_max)", CONNECT_LESS)
        }
        TurnAwayCause::MessageTimeout => (
            "a message was not whole in time (limits.macp.frame_ms_max)",
            "look for a client that hangs, or raise the limit for a slow network",
        ),
        TurnAwayCause::ReceivingBytes => (
            "too much was being received at once (limits.macp.receiving_bytes_max)",
            "have clients send less at a time, or raise the limit where there is memory",
        ),
        TurnAwayCause::WriteTimeout => (
            "it took nothing of what it was sent in time (limits.macp.write_ms_max)",
            "look for a client that hangs, or raise the limit for a slow network",
        ),
        TurnAwayCause::CallsFull => (
            "too many calls were open, and its connection had most of them (limits.macp.calls_max)",
            "end the program that begins calls and does not end them (`ls clients` shows who is connected), or raise \
             the limit",
        ),
        TurnAwayCause::SessionsFull => (
            "it began a session, and too many are open (limits.macp.open_max)",
            "see `ls clients` for who opened them, end theirs by `session cancel --by PEER`, or raise the limit",
        ),
        TurnAwayCause::PeerSessions => (
            "it began a session, and has too many open (limits.macp.peer_sessions_max)",
            "see `ls clients` for who it is, end its sessions by `session cancel --by PEER`, or raise the limit",
        ),
    }
}
