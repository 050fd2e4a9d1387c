//! The transitions of runs, and what they name.

use super::{
    error::DecodeError,
    form::{Recorded, recorded},
    wire,
};
use crate::{
    tap::entry::runs::{Asker, AskerKind, EventKind, NodeRef, NodeState, RunState, Transition, Verdict},
    time::ClockShift,
};

/// What is no run's names this one.
const NO_RUN: [u8; 16] = [0; 16];

recorded! {
    codes RunState = RunState { Running, Cancelling, Succeeded, Failed, Cancelled }
    codes NodeState = NodeState {
        Waiting, Ready, Asking, Running, Retrying, Completed, Failed, Skipped, Blocked, Cancelled,
    }
    codes EventKind = EventKind { Log, Status, Plan, Trace, Artifact, Progress }
    codes Verdict = RunVerdict { Approved, Rejected, Expired, Withdrawn }
    codes AskerKind = AskerKind { Agent, Ui, Tui, Cue, Station }
    struct Asker = Asker "asker" { kind, client }
    struct NodeRef { index, id } = NodeRef "node" { place: index, id }
    enum Transition = runs_transition::Kind with [u8; 16], "runs" {
        Submitted { run, name, by, nodes } = [run] Submitted(wire::RunSubmitted { name, by, nodes }),
        Planned { run } = [run] Planned,
        Rejected { request, by } = [request] Rejected(by),
        StateChange { run, node, state, attempt } = [run] Moved(wire::RunMoved { node, state, attempt }),
        Event { run, number, kind, level, node } = [run] Told(wire::RunTold { number, kind, level, node }),
        Progressed { run, node, done, total } = [run] Progressed(wire::RunProgressed {
            node,
            progress: Some(wire::RunProgress { done, total }),
        }) else (_, Kind::Progressed(_)),
        Asked { run, action, node, expires_at, question, inputs } = [run] Asked(wire::RunAsked {
            action,
            node,
            expires_at_ms: expires_at,
            question: Some(question),
            inputs,
        }) else (_, Kind::Asked(_)),
        Decided { run, action, verdict, by } = [run] Decided(wire::RunDecided { action, verdict, by }),
        Saved { run, node, port, kind, schema_id, bytes } =
            [run] Saved(wire::RunSaved { node, port, kind, schema_id, bytes }),
        Spent { run, tokens } = [run] SpentTokens(tokens),
        Done { run, nodes } = [run] DoneNodes(nodes),
        Cancelling { run, by } = [run] Cancelling(by),
        Braked { held, by } = [NO_RUN] Braked(wire::RunsBraked { held, by }) else (_, Kind::Braked(_)),
        Ended { run, state } = [run] Ended(state),
    }
}

impl Recorded<wire::RunsTransition> for Transition {
    fn recorded(&self) -> wire::RunsTransition {
        let (run, kind): ([u8; 16], _) = self.recorded();
        wire::RunsTransition { run: run.to_vec(), kind: Some(kind) }
    }

    fn live(it: wire::RunsTransition, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        let run: [u8; 16] = it.run.try_into().map_err(|_| DecodeError::Invalid("run"))?;
        Self::live((run, it.kind.ok_or(DecodeError::Missing("runs.kind"))?), field, shift)
    }
}

/// Carries a transition over into the present form: older files have a question and its inputs in the text
/// beside the entry, the inputs on its last line.
pub(super) fn renew(it: &mut wire::RunsTransition, text: &[u8]) {
    if let Some(wire::runs_transition::Kind::Asked(it)) = &mut it.kind
        && it.question.is_none()
    {
        let text = String::from_utf8_lossy(text);
        let (question, inputs) = text.rsplit_once('\n').unwrap_or((&text, ""));
        (it.question, it.inputs) = (Some(question.to_owned()), inputs.to_owned());
    }
}
