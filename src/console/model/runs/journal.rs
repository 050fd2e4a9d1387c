//! What of runs a person should read in the Journal.

use crate::{
    console::model::journal::{Grouping, NoticeDraft, Origin},
    ids::TraceId,
    runs::{Asker, RunState, Snapshot, Transition as T, Verdict},
    tap::entry::{Link, station::Level},
    words::counted,
};

/// A run by its name and the last digits of its trace.
fn run_label(runs: Option<&Snapshot>, run: TraceId) -> (String, String) {
    let name = runs.and_then(|runs| runs.run(run)).map_or("a run", |view| &*view.name);
    (name.to_owned(), format!("{name} {}", run.short()))
}

/// A line that counts how often there was one like it.
fn said(level: Level, like: String, words: String) -> NoticeDraft {
    NoticeDraft::new(level, Origin::System(Link::Runs), words).grouped(Grouping::Repeated(like))
}

/// A line about something that did not succeed: why can quote viewers.
fn quoting(level: Level, like: String, words: String) -> NoticeDraft {
    said(level, like, words).quoting()
}

/// What became of a question.
fn decision(verdict: Verdict, by: Option<&Asker>) -> (Level, String) {
    match (verdict, by) {
        (Verdict::Expired, _) => (Level::Warn, "was auto-rejected: no answer in time".to_owned()),
        (verdict, Some(by)) => (Level::Info, format!("was {} by {}", verdict.name(), by.client)),
        (verdict, None) => (Level::Info, format!("was {}", verdict.name())),
    }
}

/// What a transition says, if it is worth a line. `before` are the runs as they were.
pub(crate) fn describe(transition: &T, text: &str, before: Option<&Snapshot>) -> Option<NoticeDraft> {
    if let T::Braked { held, by } = transition {
        let words = if *held { "runs held: no new attempts" } else { "runs resumed" };
        return Some(said(Level::Warn, words.to_owned(), format!("{words}, by {}", by.client)));
    }
    let named = || transition.run().map(|run| run_label(before, run));
    Some(match transition {
        T::Submitted { run, name, by, nodes } => {
            let words = format!(
                "{name} {} accepted: {}, submitted by {}",
                run.short(),
                counted(*nodes, "node"),
                by.client
            );
            said(Level::Info, format!("{name} accepted"), words)
        }
        T::Rejected { by, .. } => quoting(
            Level::Warn,
            format!("rejected: {text}"),
            format!("submission by {} rejected: {text}", by.client),
        ),
        T::Asked { node, .. } => {
            let (name, whole) = named()?;
            said(
                Level::Warn,
                format!("{name} needs approval for {}", node.id),
                format!("{whole} needs approval for node {}", node.id),
            )
        }
        T::Decided { action, verdict, by, .. } if *verdict != Verdict::Withdrawn => {
            let (name, whole) = named()?;
            let ask = before.and_then(|runs| runs.asks.iter().find(|ask| ask.action == *action));
            let node = ask.map_or("a node", |ask| &*ask.node.id);
            let (level, how) = decision(*verdict, by.as_ref());
            said(level, format!("{node} of {name} {how}"), format!("{node} of {whole} {how}"))
        }
        T::Cancelling { by, .. } => {
            let (name, whole) = named()?;
            said(
                Level::Info,
                format!("{name} cancelling"),
                format!("{whole} cancelling, requested by {}", by.client),
            )
        }
        T::Ended { state, .. } => {
            let (name, whole) = named()?;
            match state {
                RunState::Failed => {
                    quoting(Level::Error, format!("{name} failed: {text}"), format!("{whole} failed: {text}"))
                }
                RunState::Cancelled => {
                    // The text says by whom.
                    let how = if text.is_empty() { "cancelled" } else { text };
                    said(Level::Info, format!("{name} was cancelled"), format!("{whole} was {how}"))
                }
                _ => said(Level::Info, format!("{name} succeeded"), format!("{whole} succeeded")),
            }
        }
        T::Planned { .. }
        | T::Decided { .. }
        | T::StateChange { .. }
        | T::Event { .. }
        | T::Progressed { .. }
        | T::Saved { .. }
        | T::Spent { .. }
        | T::Done { .. }
        | T::Braked { .. } => return None,
    })
}
