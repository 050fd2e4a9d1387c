//! What the broker made of a frame.

use super::frame::error_of;
use crate::{
    dissect::{
        breach::Breach,
        decoder::Subject,
        verdict::{Tone, VerdictLine, breach_lines, sent, taken, too_late, unknown},
    },
    rmp::{Head, Verdict},
    tap::entry::{Frame, Verdict as AnyVerdict},
    words::counted,
};

/// The verdict in lines; of a refused frame what the broker found, found again.
pub(super) fn frame_verdict(subject: &Subject, frame: &Frame, _: &Head) -> Vec<VerdictLine> {
    match &frame.verdict {
        AnyVerdict::Sent => sent(),
        AnyVerdict::Rmp(Verdict::Accepted) => taken(),
        AnyVerdict::Rmp(Verdict::TooLate) => too_late(),
        AnyVerdict::Rmp(Verdict::Published { subscribers, dropped: 0 }) => {
            vec![(Tone::Good, format!("accepted, delivered to {}", counted(*subscribers, "subscriber")))]
        }
        AnyVerdict::Rmp(Verdict::Published { subscribers, dropped }) => vec![(
            Tone::Neutral,
            format!(
                "accepted, delivered to {}; {dropped} more had it already or overflowed",
                counted(*subscribers, "subscriber")
            ),
        )],
        AnyVerdict::Rmp(Verdict::Refused(refusal)) => {
            let found = error_of(subject).map(|(_, error)| format!("{error}: expected {}", error.expected()));
            breach_lines(Breach::Bus(*refusal), found)
        }
        _ => unknown(),
    }
}
