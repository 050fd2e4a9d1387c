//! One session as a client sees it, without I/O.

use super::{
    hello::{Hello, Welcome},
    receive_half::ReceiveHalf,
    send_half::SendHalf,
};
use crate::{ids::TraceId, limits};

/// What a session begins with that it cannot know by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The present moment, in milliseconds since the Unix epoch.
    pub now_ms: u64,
    /// The number of the first frame; not 0. Those of a session that is opened again have to be higher
    /// (rmp-v0 §1.1), and those of two publishers in one trace should not meet.
    pub first_id: u64,
    /// The trace of control frames that belong to no message.
    pub trace: TraceId,
}

/// Both directions of a session.
///
/// ```text
/// new: Hello waits in `sending` ─▶ Event::Welcome ─▶ on_welcome ─▶ everything else
///                               └▶ Event::Answer { re, Err }: refused, over
/// ```
#[derive(Debug)]
pub struct Session {
    /// The half that sends.
    pub sending: SendHalf,
    /// The half that receives.
    pub receiving: ReceiveHalf,
}

impl Session {
    /// A session of which nothing was sent yet; its Hello waits.
    #[must_use]
    pub fn new(hello: &Hello, start: Start) -> Self {
        let body_bytes_max = limits::Rmp::default().body_bytes_max;
        Self {
            sending: SendHalf::new(hello, start, body_bytes_max),
            receiving: ReceiveHalf::new(body_bytes_max),
        }
    }

    /// Takes the limit that the broker named.
    pub fn on_welcome(&mut self, welcome: &Welcome) {
        self.sending.limit_bodies(welcome.body_bytes_max);
    }
}
