//! What the entries of runs tell.

use std::borrow::Cow;

use super::{standing::Standing, told::Told};
use crate::{
    tap::entry::runs::{NodeState, RunState, Transition as T},
    words::counted,
};

/// What a transition of a run tells of.
pub(super) fn told(transition: &T) -> Told<'_> {
    let standing = match transition {
        T::Moved { state: NodeState::Failed | NodeState::Blocked, .. }
        | T::Ended { state: RunState::Failed, .. } => Standing::Bad,
        T::Rejected { .. }
        | T::Asked { .. }
        | T::Cancelling { .. }
        | T::Braked { held: true, .. }
        | T::Moved { state: NodeState::Retrying, .. }
        | T::Ended { state: RunState::Cancelled, .. } => Standing::Warn,
        T::Told { level: Some(level), .. } => Standing::of_level(*level),
        _ => Standing::Plain,
    };
    Told { kind: transition.name(), standing, ..Told::default() }
}

/// What happened, in one line.
pub(super) fn line(transition: &T) -> Cow<'static, str> {
    match transition {
        T::Submitted { name, by, nodes, .. } => {
            format!("{name}: {}, by {}", counted(*nodes, "node"), by.client).into()
        }
        T::Planned { .. } => "more of its plan".into(),
        T::Rejected { by, .. } => format!("a request of {}", by.client).into(),
        T::Moved { node, state, attempt: 0, .. } => format!("{} is {}", node.id, state.name()).into(),
        T::Moved { node, state, attempt, .. } => {
            format!("{} is {}, attempt {attempt}", node.id, state.name()).into()
        }
        T::Told { number, kind, node: Some(node), .. } => {
            format!("#{number} {} of {}", kind.name(), node.id).into()
        }
        T::Told { number, kind, node: None, .. } => format!("#{number} {}", kind.name()).into(),
        T::Progressed { node, done: Some(done), total: Some(total), .. } => {
            format!("{}: {done} of {total}", node.id).into()
        }
        T::Progressed { node, .. } => node.id.to_string().into(),
        T::Asked { node, .. } => format!("whether {} may go on", node.id).into(),
        T::Decided { verdict, by: Some(by), .. } => format!("{} by {}", verdict.name(), by.client).into(),
        T::Decided { verdict, by: None, .. } => verdict.name().into(),
        T::Saved { node, port, kind, bytes, .. } => {
            format!("{}.{port}: {kind}, {}", node.id, counted(*bytes, "byte")).into()
        }
        T::Spent { tokens, .. } => format!("{} so far", counted(*tokens, "token")).into(),
        T::Done { nodes, .. } => format!("{} done", counted(*nodes, "node")).into(),
        T::Braked { held, by } => {
            format!("{} by {}", if *held { "held" } else { "released" }, by.client).into()
        }
        T::Cancelling { by, .. } => format!("by {}", by.client).into(),
        T::Ended { state, .. } => state.name().into(),
    }
}
