//! What of runs is cause for an alert. What they ask and why they failed can quote viewers: an alert is told
//! to everybody, and says neither.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use crate::{
    ids::{ActionId, TraceId},
    port::Snapshot,
    runs,
    runs::{NodeState, RunState, RunView, Verdict},
    station::alerts::{CauseKind, Evidence, Findings, Watch, Watching},
    tap::{
        EntryRef,
        entry::{Link, Transition, What},
    },
    time::Now,
    words::format,
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Runs);
/// Runs wait for a person's decision.
pub(crate) static AWAITING_APPROVAL: CauseKind =
    CauseKind::new("confirmation_waiting", Link::Runs, "runs").question();
/// Runs failed in the last minute.
pub(crate) static RUNS_FAILED: CauseKind = CauseKind::new("runs_failed", Link::Runs, "runs");

const MINUTE: Duration = Duration::from_secs(60);

/// The memory of runs for their alerts.
#[derive(Debug, Default)]
pub(crate) struct RunsWatch {
    /// What became of the question that was answered last.
    answered: Option<Arc<str>>,
    /// Nodes that an operator rejected lately, each behind its run; of a run alone where the question is not
    /// known. What fails for that is no cause for an alert.
    rejected: VecDeque<(TraceId, Option<u32>)>,
}

/// Rejections that are remembered.
const REJECTED_MAX: usize = 256;

/// What becomes of a question that is answered so.
fn describe_answer(runs: &runs::Snapshot, action: ActionId, verdict: Verdict) -> Option<Arc<str>> {
    let ask = runs.asks.iter().find(|ask| ask.action == action)?;
    let name = runs.run(ask.run).map_or_else(|| ask.run.short(), |view| view.name.to_string());
    let became = match verdict {
        Verdict::Approved => "approved",
        Verdict::Rejected => "rejected",
        Verdict::Expired => "not answered in time, rejected",
        Verdict::Withdrawn => "its run ended before an answer",
    };
    Some(format!("{name}, approval for node {}: {became}", ask.node.id).into())
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
        (1, _) => (format!("{name} needs approval for node {node}; auto-rejects in {left}"), first.asked_at),
        (count, unshown @ 1..) => (
            format!("{count} approvals pending, the {unshown} oldest in `rl-console ls confirmations` alone"),
            oldest.asked_at,
        ),
        (count, 0) => (
            format!("{count} approvals pending; first node {node} of {name}, which auto-rejects in {left}"),
            first.asked_at,
        ),
    };
    findings.add_of_several(AWAITING_APPROVAL.cause(), since, text, last.asked_at.mono.0);
    true
}

/// Whether a run failed for nothing but what an operator rejected.
fn is_rejected(rejected: &VecDeque<(TraceId, Option<u32>)>, view: &RunView) -> bool {
    let mut of_run = rejected.iter().filter(|(run, _)| *run == view.run).map(|(_, node)| *node).peekable();
    if of_run.peek().is_none() {
        return false;
    }
    let nodes: Vec<Option<u32>> = of_run.collect();
    let failed = (0..).zip(&view.nodes).filter(|(_, node)| node.state == NodeState::Failed);
    nodes.contains(&None) || failed.map(|(index, _)| Some(index)).all(|index| nodes.contains(&index))
}

fn check_failures(
    runs: &runs::Snapshot,
    rejected: &VecDeque<(TraceId, Option<u32>)>,
    now: Now,
    findings: &mut Findings,
) {
    let failed = runs.runs.iter().filter(|view| view.state == RunState::Failed);
    let failed = failed.filter(|view| !is_rejected(rejected, view));
    let recent = failed
        .filter_map(|view| Some((view, view.ended_at?)))
        .filter(|(_, at)| !at.is_of_before() && now.since(*at) < MINUTE);
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
    #[cfg(test)]
    const KINDS: &[&'static CauseKind] = &[&HOST_DOWN, &AWAITING_APPROVAL, &RUNS_FAILED];

    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
        if let What::Transition(Transition::Runs(runs::Transition::Decided {
            run, action, verdict, ..
        })) = &entry.entry.what
        {
            if *verdict == Verdict::Rejected {
                let asks = cx.before.map(|state| &state.runs.asks);
                let ask = asks.and_then(|asks| asks.iter().find(|ask| ask.action == *action));
                self.rejected.push_back((*run, ask.map(|ask| ask.node.index)));
                if self.rejected.len() > REJECTED_MAX {
                    self.rejected.pop_front();
                }
            }
            let answer = cx.before.and_then(|state| describe_answer(&state.runs, *action, *verdict));
            self.answered = answer.or_else(|| self.answered.take());
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        findings.check_host(&HOST_DOWN, evidence);
        let runs = &evidence.state.runs;
        if !check_asks(runs, evidence.now, findings) {
            let text =
                self.answered.take().unwrap_or_else(|| "no approval of runs is waited for any more".into());
            findings.ended.push((&AWAITING_APPROVAL, text));
        }
        check_failures(runs, &self.rejected, evidence.now, findings);
    }
}
