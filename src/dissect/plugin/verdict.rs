//! What the host made of a plugin's message.

use super::clauses::code_clause;
use crate::{
    dissect::{
        breach::{Breach, clause_text},
        decoder::Subject,
        verdict::{Tone, VerdictLine, breach_lines, sent, taken, unknown},
    },
    plugin::{Head, Verdict},
    tap::entry::{Frame, Verdict as AnyVerdict},
};

/// The verdict in lines.
pub(super) fn frame_verdict(_: &Subject, frame: &Frame, _: &Head) -> Vec<VerdictLine> {
    match &frame.verdict {
        AnyVerdict::Sent => sent(),
        AnyVerdict::Plugin(Verdict::Accepted) => taken(),
        AnyVerdict::Plugin(Verdict::Answered) => {
            vec![(Tone::Good, "accepted: the answer to an open request".to_owned())]
        }
        AnyVerdict::Plugin(Verdict::Refused(code)) => {
            let clause = code_clause(*code);
            vec![
                (Tone::Bad, format!("refused: {} ({})", code.name(), code.number())),
                (Tone::Neutral, format!("{clause}: {}", clause_text(clause))),
            ]
        }
        AnyVerdict::Plugin(Verdict::Ignored(lint)) => breach_lines(Breach::PluginLint(*lint), None),
        AnyVerdict::Plugin(Verdict::Broken(violation)) => breach_lines(Breach::Plugin(*violation), None),
        _ => unknown(),
    }
}
