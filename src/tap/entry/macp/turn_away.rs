//! Why the port turned somebody away.

use crate::tap::entry::names::names;

names! {
    /// The bound for which the port closed a connection, or ended a call. What a client ends is not told.
    TurnAwayCause {
        /// HTTP/2's preface was not whole within `limits.macp.preface_ms_max` (RFC 9113 §3.4).
        PrefaceTimeout = "preface_timeout",
        /// A frame, or a block of headers, was not whole within `limits.macp.frame_ms_max`.
        FrameTimeout = "frame_timeout",
        /// Control frames came faster than `limits.macp.control_frames_per_s_max`.
        ControlFrames = "control_frames",
        /// It had made no call, was the oldest of those, and made room for a newcomer.
        MadeRoom = "made_room",
        /// `limits.macp.connections_max` were open, and all had made a call.
        TooManyConnections = "too_many_connections",
        /// Its address had `limits.macp.peer_connections_max`, and all had made a call.
        TooManyOfPeer = "too_many_of_peer",
        /// A message was not whole within `limits.macp.frame_ms_max`; its call was ended.
        MessageTimeout = "message_timeout",
        /// More was being received than `limits.macp.receiving_bytes_max`; the call that held most was ended.
        ReceivingBytes = "receiving_bytes",
        /// It took nothing of what it was sent for `limits.macp.write_ms_max`.
        WriteTimeout = "write_timeout",
        /// It began a session while `limits.macp.open_max` were open; its call was declined.
        SessionsFull = "sessions_full",
        /// It began a session while it had `limits.macp.peer_sessions_max` open; its call was declined.
        PeerSessions = "peer_sessions",
        /// `limits.macp.calls_max` were open, and its connection had most of them; its call was ended.
        CallsFull = "calls_full",
    }
}
