//! What the entries of runs tell.

use std::borrow::Cow;

use crate::{
    dissect::{outcome::EntryOutcome, summary::EntrySummary},
    tap::entry::runs::{NodeState, RunState, Transition as T},
    words::counted,
};

/// What a transition of a run tells of.
pub(super) fn summary(transition: &T) -> EntrySummary<'_> {
    let standing = match transition {
        T::StateChange { state: NodeState::Failed | NodeState::Blocked, .. }
        | T::Ended { state: RunState::Failed, .. } => EntryOutcome::Bad,
        T::Rejected { .. }
        | T::Asked { .. }
        | T::Cancelling { .. }
        | T::Braked { held: true, .. }
        | T::StateChange { state: NodeState::Retrying, .. }
        | T::Ended { state: RunState::Cancelled, .. } => EntryOutcome::Warn,
        T::Event { level: Some(level), .. } => EntryOutcome::of_level(*level),
        _ => EntryOutcome::Plain,
    };
    EntrySummary { kind: transition.name(), outcome: standing, ..EntrySummary::default() }
}

/// What happened, in one line.
pub(super) fn line(transition: &T) -> Cow<'static, str> {
    match transition {
        T::Submitted { name, by, nodes, .. } => {
            format!("{name}: {}, by {}", counted(*nodes, "node"), by.client).into()
        }
        T::Planned { .. } => "plan continued".into(),
        T::Rejected { by, .. } => format!("request by {}", by.client).into(),
        T::StateChange { node, state, attempt: 0, .. } => format!("{} is {}", node.id, state.name()).into(),
        T::StateChange { node, state, attempt, .. } => {
            format!("{} is {}, attempt {attempt}", node.id, state.name()).into()
        }
        T::Event { number, kind, node: Some(node), .. } => {
            format!("#{number} {} of {}", kind.name(), node.id).into()
        }
        T::Event { number, kind, node: None, .. } => format!("#{number} {}", kind.name()).into(),
        T::Progressed { node, done: Some(done), total: Some(total), .. } => {
            format!("{}: {done} of {total}", node.id).into()
        }
        T::Progressed { node, .. } => node.id.to_string().into(),
        T::Asked { node, .. } => format!("{} needs approval", node.id).into(),
        T::Decided { verdict, by: Some(by), .. } => format!("{} by {}", verdict.name(), by.client).into(),
        T::Decided { verdict, by: None, .. } => verdict.name().into(),
        T::Saved { node, port, kind, bytes, .. } => {
            format!("{}.{port}: {kind}, {}", node.id, counted(*bytes, "byte")).into()
        }
        T::Spent { tokens, .. } => format!("{} so far", counted(*tokens, "token")).into(),
        T::Done { nodes, .. } => format!("{} done", counted(*nodes, "node")).into(),
        T::Braked { held, by } => {
            format!("{} by {}", if *held { "held" } else { "resumed" }, by.client).into()
        }
        T::Cancelling { by, .. } => format!("by {}", by.client).into(),
        T::Ended { state, .. } => state.name().into(),
    }
}
