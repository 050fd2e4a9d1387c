//! What of runs is cause for an alert. What they ask and why they failed can quote viewers: an alert is told
//! to everybody, and says neither.

use std::{sync::Arc, time::Duration};

use super::health::host_remedy;
use crate::{
    console::{
        draw::format,
        input::action::Action,
        model::{
            alerts::{CauseKind, Evidence, Findings, Watch, Watching},
            health::{ReportLine, command, instruction, key_hint},
            station::StationState,
        },
    },
    ids::ActionId,
    port::Snapshot,
    runs,
    runs::{RunState, Verdict},
    tap::{
        EntryRef,
        entry::{Link, Transition, What},
    },
    time::Now,
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Runs, |_, _| host_remedy());
/// Runs wait for a person's decision.
pub(crate) static AWAITING_APPROVAL: CauseKind =
    CauseKind::new("confirmation_waiting", Link::Runs, "runs", |_, state| approval_remedy(state))
        .question("the questions of runs wait no longer");
/// Runs failed in the last minute.
pub(crate) static RUNS_FAILED: CauseKind =
    CauseKind::new("runs_failed", Link::Runs, "runs", |_, state| failure_remedy(state));

const MINUTE: Duration = Duration::from_secs(60);

fn approval_remedy(state: &StationState) -> Vec<ReportLine> {
    let mut lines = vec![key_hint(
        Action::Alerts,
        "has the questions first: approve or reject them there; silence becomes a no",
    )];
    if let Some(ask) = state.runs.asks_in_time().first() {
        lines.extend([
            command(format!("run approve {}", ask.action)),
            command(format!("run reject {}", ask.action)),
        ]);
    }
    lines
}

fn failure_remedy(state: &StationState) -> Vec<ReportLine> {
    let failed = state.runs.runs.iter().filter(|view| view.state == RunState::Failed);
    let last = failed.max_by_key(|view| view.ended_at.map(|at| at.mono));
    let mut lines = vec![
        instruction(
            "see which node failed and why, mend the opening or start the agent that is missing, and submit it again:",
        ),
        key_hint(Action::ViewRuns, "shows the Runs"),
    ];
    lines.extend(last.map(|view| command(format!("run events {}", view.run))));
    lines
}

/// The memory of runs for their alerts.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunsWatch {
    /// What became of the question that was answered last.
    answered: Option<Arc<str>>,
}

/// What becomes of a question that is answered so.
fn describe_answer(runs: &runs::Snapshot, action: ActionId, verdict: Verdict) -> Option<Arc<str>> {
    let ask = runs.asks.iter().find(|ask| ask.action == action)?;
    let name = runs.run(ask.run).map_or_else(|| ask.run.short(), |view| view.name.to_string());
    let became = match verdict {
        Verdict::Approved => "it was approved",
        Verdict::Rejected => "it was rejected",
        Verdict::Expired => "nobody answered in time, and that is a no",
        Verdict::Withdrawn => "its run ended before an answer",
    };
    Some(format!("{name} asked whether {} may go on: {became}", ask.node.id).into())
}

/// Adds that runs ask something; whether they do.
fn check_asks(runs: &runs::Snapshot, now: Now, findings: &mut Findings) -> bool {
    let in_time = runs.asks_in_time();
    let (Some(oldest), Some(last), Some(first)) = (runs.asks.front(), runs.asks.back(), in_time.first())
    else {
        return false;
    };
    let name = runs.run(first.run).map_or_else(|| first.run.short(), |view| view.name.to_string());
    let left = format::age(first.expires_at.since(now.wall));
    let node = &first.node.id;
    let (text, since) = match (runs.waiting(), runs.asks_unshown) {
        (1, _) => (
            format!("{name} asks whether {node} may go on: without an answer it is a no in {left}"),
            first.asked_at,
        ),
        (count, unshown @ 1..) => (
            format!(
                "{count} questions of runs wait, the {unshown} oldest in `rl-console ls confirmations` alone"
            ),
            oldest.asked_at,
        ),
        (count, 0) => (
            format!(
                "{count} questions of runs wait; the one of {name} ends first, whether {node} may go on: a no in {left}"
            ),
            first.asked_at,
        ),
    };
    findings.add_of_several(AWAITING_APPROVAL.cause(), since, text, last.asked_at.mono.0);
    true
}

fn check_failures(runs: &runs::Snapshot, now: Now, findings: &mut Findings) {
    let failed = runs.runs.iter().filter(|view| view.state == RunState::Failed);
    let recent = failed
        .filter_map(|view| Some((view, view.ended_at?)))
        .filter(|(_, at)| now.mono.since(at.mono) < MINUTE);
    let mut recent: Vec<_> = recent.collect();
    recent.sort_by_key(|(_, at)| at.mono);
    if let Some((view, last)) = recent.last() {
        let text = match recent.len() {
            1 => format!("{} {} failed", view.name, view.run.short()),
            count => {
                format!("{count} runs failed in the last minute, {} {} last", view.name, view.run.short())
            }
        };
        findings.add_of_several(RUNS_FAILED.cause(), *last, text, last.mono.0);
    }
}

impl Watch for RunsWatch {
    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
        if let What::Transition(Transition::Runs(runs::Transition::Decided { action, verdict, .. })) =
            &entry.entry.what
        {
            let answer = cx.before.and_then(|state| describe_answer(&state.runs, *action, *verdict));
            self.answered = answer.or_else(|| self.answered.take());
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        findings.check_host(&HOST_DOWN, evidence);
        let runs = &evidence.state.runs;
        if !check_asks(runs, evidence.now, findings) {
            findings.ended.extend(self.answered.take().map(|text| (&AWAITING_APPROVAL, text)));
        }
        check_failures(runs, evidence.now, findings);
    }
}
