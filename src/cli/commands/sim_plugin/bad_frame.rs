//! Frames that cannot be read.

use super::wire::Wire;
use crate::cli::args::SimBadFrame;

/// Queues one; whether the plugin ends behind it.
pub(super) fn send(kind: SimBadFrame, wire: &mut Wire) -> bool {
    let frame = match kind {
        SimBadFrame::NoLength => "Content-Type: text\r\n\r\n".to_owned(),
        SimBadFrame::TwoLengths => "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
        SimBadFrame::LengthNotDecimal => "Content-Length: 0x2\r\n\r\n{}".to_owned(),
        SimBadFrame::NoColon => "this line was printed by mistake\r\n\r\n".to_owned(),
        SimBadFrame::HeadersTooLong => format!("X-Filler: {}\r\n", "a".repeat(5_000)),
        SimBadFrame::BodyTooLong => "Content-Length: 4194305\r\n\r\n{}".to_owned(),
        SimBadFrame::EndInFrame => "Content-Length: 100\r\n\r\n{\"jsonrpc\":".to_owned(),
    };
    wire.send_bytes(frame.as_bytes());
    kind == SimBadFrame::EndInFrame
}
