//! What the bridge made of a frame.

use crate::{
    dissect::{
        breach::Breach,
        decoder::Subject,
        verdict::{VerdictLine, breach_lines, sent, taken, too_late, unknown},
    },
    tap::entry::{
        Frame, Verdict as AnyVerdict,
        mpp::{Head, Verdict},
    },
};

/// The verdict in lines.
pub(super) fn frame_verdict(_: &Subject, frame: &Frame, _: &Head) -> Vec<VerdictLine> {
    match &frame.verdict {
        AnyVerdict::Sent => sent(),
        AnyVerdict::Mpp(Verdict::Accepted) => taken(),
        AnyVerdict::Mpp(Verdict::TooLate) => too_late(),
        AnyVerdict::Mpp(Verdict::Refused(fault)) => breach_lines(Breach::from(*fault), None),
        _ => unknown(),
    }
}
