//! What runs are told in.

use std::sync::Arc;

use uuid::Uuid;

use super::{error::DecodeError, plain, wire};
use crate::{
    ids::{ActionId, TraceId},
    tap::entry::runs::{Asker, NodeRef, Transition},
    time::Wall,
};

const NOTHING: wire::Nothing = wire::Nothing {};

pub(super) fn recorded(transition: &Transition) -> wire::RunsTransition {
    use wire::runs_transition::Kind;
    let kind = match transition {
        Transition::Submitted { run: _, name, by, nodes } => Kind::Submitted(wire::RunSubmitted {
            name: name.to_string(),
            by: Some(recorded_asker(by)),
            nodes: *nodes,
        }),
        Transition::Planned { run: _ } => Kind::Planned(NOTHING),
        Transition::Rejected { request: _, by } => Kind::Rejected(recorded_asker(by)),
        Transition::StateChange { run: _, node, state, attempt } => Kind::Moved(wire::RunMoved {
            node: Some(recorded_node(node)),
            state: plain::to_node_state(*state),
            attempt: *attempt,
        }),
        Transition::Event { run: _, number, kind, level, node } => Kind::Told(wire::RunTold {
            number: *number,
            kind: plain::to_event_kind(*kind),
            level: level.map_or(0, plain::to_level),
            node: node.as_ref().map(recorded_node),
        }),
        Transition::Progressed { run: _, node, done, total } => Kind::Progressed(wire::RunProgressed {
            node: Some(recorded_node(node)),
            progress: Some(wire::RunProgress { done: *done, total: *total }),
        }),
        Transition::Asked { run: _, action, node, expires_at, question, inputs } => {
            Kind::Asked(wire::RunAsked {
                action: action.0.as_bytes().to_vec(),
                node: Some(recorded_node(node)),
                expires_at_ms: expires_at.0,
                question: Some(question.to_string()),
                inputs: inputs.to_string(),
            })
        }
        Transition::Decided { run: _, action, verdict, by } => Kind::Decided(wire::RunDecided {
            action: action.0.as_bytes().to_vec(),
            verdict: plain::to_run_verdict(*verdict),
            by: by.as_ref().map(recorded_asker),
        }),
        Transition::Saved { run: _, node, port, kind, schema_id, bytes } => Kind::Saved(wire::RunSaved {
            node: Some(recorded_node(node)),
            port: port.to_string(),
            kind: kind.to_string(),
            schema_id: u32::from(*schema_id),
            bytes: *bytes,
        }),
        Transition::Spent { run: _, tokens } => Kind::SpentTokens(*tokens),
        Transition::Done { run: _, nodes } => Kind::DoneNodes(*nodes),
        Transition::Cancelling { run: _, by } => Kind::Cancelling(recorded_asker(by)),
        Transition::Braked { held, by } => {
            Kind::Braked(wire::RunsBraked { held: *held, by: Some(recorded_asker(by)) })
        }
        Transition::Ended { run: _, state } => Kind::Ended(plain::to_run_state(*state)),
    };
    wire::RunsTransition {
        run: transition.run().map_or(Uuid::nil(), |run| run.0).as_bytes().to_vec(),
        kind: Some(kind),
    }
}

/// A question and its inputs as older files have them: both in the text beside the entry, the inputs on its
/// last line.
fn question_of(text: &[u8]) -> (Arc<str>, Arc<str>) {
    let text = String::from_utf8_lossy(text);
    let (question, inputs) = text.rsplit_once('\n').unwrap_or((&text, ""));
    (Arc::from(question), Arc::from(inputs))
}

/// A transition; `text` is what lies beside its entry.
pub(super) fn live(transition: wire::RunsTransition, text: &[u8]) -> Result<Transition, DecodeError> {
    use wire::runs_transition::Kind;
    let run = live_run(&transition.run)?;
    Ok(match transition.kind.ok_or(DecodeError::Missing("runs.kind"))? {
        Kind::Submitted(it) => Transition::Submitted {
            run,
            name: Arc::from(it.name),
            by: live_asker(it.by, "submitted.by")?,
            nodes: it.nodes,
        },
        Kind::Planned(_) => Transition::Planned { run },
        Kind::Rejected(by) => Transition::Rejected { request: run, by: live_asker(Some(by), "rejected.by")? },
        Kind::Moved(it) => {
            let state = plain::node_state(it.state, "moved.state")?;
            Transition::StateChange { run, node: live_node(it.node)?, state, attempt: it.attempt }
        }
        Kind::Told(it) => Transition::Event {
            run,
            number: it.number,
            kind: plain::event_kind(it.kind, "told.kind")?,
            level: if it.level == 0 { None } else { Some(plain::level(it.level, "told.level")?) },
            node: it.node.map(|node| live_node(Some(node))).transpose()?,
        },
        Kind::Progressed(it) => {
            let wire::RunProgress { done, total } = it.progress.unwrap_or_default();
            Transition::Progressed { run, node: live_node(it.node)?, done, total }
        }
        Kind::Asked(it) => {
            let (question, inputs) = match it.question {
                Some(question) => (Arc::from(question), Arc::from(it.inputs)),
                None => question_of(text),
            };
            let (action, node) = (live_action(&it.action)?, live_node(it.node)?);
            Transition::Asked { run, action, node, expires_at: Wall(it.expires_at_ms), question, inputs }
        }
        Kind::Decided(it) => Transition::Decided {
            run,
            action: live_action(&it.action)?,
            verdict: plain::run_verdict(it.verdict, "decided.verdict")?,
            by: it.by.map(|by| live_asker(Some(by), "decided.by")).transpose()?,
        },
        Kind::Saved(it) => Transition::Saved {
            run,
            node: live_node(it.node)?,
            port: Arc::from(it.port),
            kind: Arc::from(it.kind),
            schema_id: u16::try_from(it.schema_id).map_err(|_| DecodeError::Invalid("schema_id"))?,
            bytes: it.bytes,
        },
        Kind::SpentTokens(tokens) => Transition::Spent { run, tokens },
        Kind::DoneNodes(nodes) => Transition::Done { run, nodes },
        Kind::Cancelling(by) => Transition::Cancelling { run, by: live_asker(Some(by), "cancelling.by")? },
        Kind::Braked(it) => Transition::Braked { held: it.held, by: live_asker(it.by, "braked.by")? },
        Kind::Ended(state) => Transition::Ended { run, state: plain::run_state(state, "ended")? },
    })
}

pub(crate) fn live_run(bytes: &[u8]) -> Result<TraceId, DecodeError> {
    Uuid::from_slice(bytes).map(TraceId).map_err(|_| DecodeError::Invalid("run"))
}

pub(crate) fn live_action(bytes: &[u8]) -> Result<ActionId, DecodeError> {
    Uuid::from_slice(bytes).map(ActionId).map_err(|_| DecodeError::Invalid("action"))
}

pub(crate) fn recorded_asker(Asker { kind, client }: &Asker) -> wire::Asker {
    wire::Asker { kind: plain::to_asker_kind(*kind), client: client.to_string() }
}

pub(crate) fn live_asker(it: Option<wire::Asker>, field: &'static str) -> Result<Asker, DecodeError> {
    let it = it.ok_or(DecodeError::Missing(field))?;
    Ok(Asker { kind: plain::asker_kind(it.kind, "asker.kind")?, client: Arc::from(it.client) })
}

pub(crate) fn recorded_node(NodeRef { index: place, id }: &NodeRef) -> wire::NodeRef {
    wire::NodeRef { place: *place, id: id.to_string() }
}

pub(crate) fn live_node(it: Option<wire::NodeRef>) -> Result<NodeRef, DecodeError> {
    let it = it.ok_or(DecodeError::Missing("node"))?;
    Ok(NodeRef { index: it.place, id: Arc::from(it.id) })
}
