//! The verdict on a frame, as scripts read it: a word, the name of the fault, its clause.

use super::{breach::Breach, summary::EntrySummary};
use crate::{
    macp, mpp, plugin, rmp,
    tap::entry::{Entry, Frame, Verdict, What},
};

/// A verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrameVerdict {
    /// `accepted`, `refused`, `duplicate`, `answered`, `ignored`, `late` or `sent`.
    pub(crate) word: &'static str,
    /// The name of the fault in its protocol's taxonomy.
    pub(crate) code: Option<&'static str>,
    /// The clause that is broken.
    pub(crate) clause: Option<&'static str>,
    /// What is wrong.
    pub(crate) text: Option<String>,
}

/// The verdict of an entry, if it is a frame.
pub(crate) fn frame_verdict(entry: &Entry) -> Option<FrameVerdict> {
    let What::Frame(frame) = &entry.what else { return None };
    Some(foreseen_verdict(entry, frame))
}

/// The verdict of the frame that an entry speaks of: of one that was stopped, that which its core would have
/// given then.
pub(crate) fn foreseen_verdict(entry: &Entry, frame: &Frame) -> FrameVerdict {
    let clause = EntrySummary::of(entry).clause;
    let (word, code, text) = words(&frame.verdict);
    FrameVerdict { word, code, clause, text }
}

/// The word, the fault's name, and what is wrong.
fn words(verdict: &Verdict) -> (&'static str, Option<&'static str>, Option<String>) {
    match verdict {
        Verdict::Sent => ("sent", None, None),
        Verdict::Mpp(verdict) => match verdict {
            mpp::Verdict::Accepted => ("accepted", None, None),
            mpp::Verdict::TooLate => ("late", None, None),
            mpp::Verdict::Refused(fault) => {
                let code = match fault {
                    mpp::Fault::Hello(reason) => Some(reason.code()),
                    mpp::Fault::Protocol { code, .. } => Some(code.code()),
                    mpp::Fault::ByAdapter => None,
                };
                ("refused", code, Some(Breach::from(*fault).text()))
            }
        },
        Verdict::Rmp(verdict) => match verdict {
            rmp::Verdict::Accepted | rmp::Verdict::Published { .. } => ("accepted", None, None),
            rmp::Verdict::TooLate => ("late", None, None),
            rmp::Verdict::Refused(refusal) => {
                ("refused", Some(refusal.name()), Some(Breach::Bus(*refusal).text()))
            }
        },
        Verdict::Macp(verdict) => match verdict {
            macp::Verdict::Accepted => ("accepted", None, None),
            macp::Verdict::Duplicate => ("duplicate", None, None),
            macp::Verdict::Refused(fault) => {
                ("refused", Some(fault.name()), Some(fault.code().name().to_owned()))
            }
            macp::Verdict::Declined(status) => ("refused", Some(status.name()), None),
        },
        Verdict::Plugin(verdict) => match verdict {
            plugin::Verdict::Accepted => ("accepted", None, None),
            plugin::Verdict::Answered => ("answered", None, None),
            plugin::Verdict::Refused(code) => ("refused", Some(code.name()), None),
            plugin::Verdict::Ignored(lint) => ("ignored", Some(lint.name()), Some(lint.text().to_owned())),
            plugin::Verdict::Broken(violation) => {
                ("refused", Some(violation.name()), Some(violation.text().to_owned()))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tap::entry::mpp::{ErrorCode, HelloReason, Violation};

    #[test]
    fn a_fault_has_the_name_of_its_taxonomy() {
        let fault = mpp::Fault::Protocol {
            code: ErrorCode::UnexpectedStateTransition,
            violation: Violation::AlreadyEnded,
        };
        let (word, code, text) = words(&Verdict::Mpp(mpp::Verdict::Refused(fault)));
        assert_eq!((word, code), ("refused", Some("UNEXPECTED_STATE_TRANSITION")));
        assert_eq!(text.as_deref(), Some("UNEXPECTED_STATE_TRANSITION: the invocation has ended"));
        let hello = mpp::Fault::Hello(HelloReason::AlreadyConnected);
        assert_eq!(words(&Verdict::Mpp(mpp::Verdict::Refused(hello))).1, Some("already_connected"));
        let refused = rmp::Verdict::Refused(rmp::Refusal::Fault(rmp::Code::InvalidTtl));
        assert_eq!(words(&Verdict::Rmp(refused)).1, Some("InvalidTtl"));
        let published = rmp::Verdict::Published { subscribers: 0, dropped: 0 };
        assert_eq!(words(&Verdict::Rmp(published)), ("accepted", None, None));
        let duplicate = Verdict::Macp(macp::Verdict::Refused(macp::Fault::DuplicateSession));
        assert_eq!(words(&duplicate).1, Some("DuplicateSession"));
    }
}
