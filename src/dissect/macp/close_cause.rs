//! Why the port closed a connection, in words, with what to do about it.

use crate::macp::CloseCause;

/// What to do where there are too many connections.
const CONNECT_LESS: &str = "have clients share connections, find who opens them, or raise the limit";

/// Why the port closed a connection, and what to do.
pub(crate) const fn describe_close(cause: CloseCause) -> (&'static str, &'static str) {
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
