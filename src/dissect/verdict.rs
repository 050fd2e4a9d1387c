//! How an entry went, in lines: the verdict, and of a breach its clause and what to do about it.

use super::{
    breach::{Breach, clause_text},
    decoder::Subject,
    mpp::refusal_remedy,
    table::{of_head, of_transition},
};
use crate::tap::entry::What;

/// How it went, at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Neutral,
}

/// A line of a verdict, and how it sounds.
pub(crate) type VerdictLine = (Tone, String);

/// The verdict, and for a breach its clause and what to do, a line each.
pub(crate) fn verdict(subject: &Subject) -> Vec<VerdictLine> {
    let words = match &subject.entry.what {
        What::Frame(frame) => return of_head(&frame.head).verdict(subject, frame),
        What::Transition(transition) => match of_transition(transition).breach() {
            Some(breach) => return breach_lines(breach, None),
            None => "state change",
        },
        What::Intercepted(it) => return of_head(&it.frame.head).verdict(subject, &it.frame),
        What::Passed(_) => "left the gate",
        What::Committed { .. } => "commit is durable",
        What::Unsent { .. } => "connection closed before this was sent",
        What::Loss { .. } => "entries lost before they were recorded or read",
    };
    vec![(Tone::Neutral, words.to_owned())]
}

/// A breach, what was found in the bytes where that is known more exactly, its clause, and what to do.
pub(super) fn breach_lines(breach: Breach, found: Option<String>) -> Vec<VerdictLine> {
    let mut lines = vec![(Tone::Bad, breach.text())];
    lines.extend(found.map(|found| (Tone::Bad, found)));
    lines.push((Tone::Neutral, format!("{}: {}", breach.clause(), clause_text(breach.clause()))));
    match breach {
        Breach::Hello(reason) => {
            let (words, command) = refusal_remedy(reason);
            let command = command.map_or_else(String::new, |command| format!(" `rl-console {command}`"));
            lines.push((Tone::Neutral, format!("To do: {words}{command}")));
        }
        _ => lines.extend(breach.remedy().map(|words| (Tone::Neutral, format!("To do: {words}")))),
    }
    lines
}

/// A frame that was taken.
pub(super) fn taken() -> Vec<VerdictLine> {
    vec![(Tone::Good, "accepted".to_owned())]
}

/// A frame that the station sent.
pub(super) fn sent() -> Vec<VerdictLine> {
    vec![(Tone::Good, "sent: written to the send buffer".to_owned())]
}

/// A frame that came after the close.
pub(super) fn too_late() -> Vec<VerdictLine> {
    vec![(Tone::Neutral, "too late: its connection was already closed; ignored".to_owned())]
}

/// A frame with the verdict of another link, which no station records.
pub(super) fn unknown() -> Vec<VerdictLine> {
    vec![(Tone::Neutral, "a frame".to_owned())]
}
