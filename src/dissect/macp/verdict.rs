//! What the runtime made of a call, and what its answers say.

use super::clauses::{fault_clause, occurs, status_clause};
use crate::{
    dissect::{
        decoder::Subject,
        verdict::{Tone, VerdictLine, sent, taken, unknown},
    },
    macp::{Answered, Head, Rpc, Verdict},
    tap::entry::{Frame, Verdict as AnyVerdict},
};

/// The verdict in lines; of an answer what it says.
pub(super) fn frame_verdict(_: &Subject, frame: &Frame, head: &Head) -> Vec<VerdictLine> {
    match (&frame.verdict, head.answer) {
        (AnyVerdict::Sent, Some(answer)) => vec![answer_verdict(answer)],
        (AnyVerdict::Sent, None) => sent(),
        (AnyVerdict::Macp(verdict), _) => call_verdict(*verdict, head.rpc),
        _ => unknown(),
    }
}

fn call_verdict(verdict: Verdict, rpc: Rpc) -> Vec<VerdictLine> {
    match verdict {
        Verdict::Accepted => taken(),
        Verdict::Duplicate => {
            vec![(Tone::Good, "duplicate: already accepted, no change".to_owned())]
        }
        Verdict::Refused(fault) => vec![
            (Tone::Bad, format!("{}: {}", fault.code().name(), fault.name())),
            (Tone::Neutral, format!("{}: {}", fault_clause(fault, rpc), occurs(fault))),
        ],
        Verdict::Declined(status) => vec![
            (Tone::Bad, format!("the call ends with the status {}", status.name())),
            (Tone::Neutral, status_clause(status, rpc).to_owned()),
        ],
    }
}

fn answer_verdict(answer: Answered) -> VerdictLine {
    match answer {
        Answered::Refused(code) => (Tone::Neutral, format!("sent: the message is rejected, {}", code.name())),
        Answered::Status(status) => {
            (Tone::Neutral, format!("sent: the call ends with the status {}", status.name()))
        }
        Answered::Duplicate => (Tone::Good, "sent: the message had been accepted before".to_owned()),
        Answered::Ok => (Tone::Good, "sent: done or accepted".to_owned()),
    }
}
