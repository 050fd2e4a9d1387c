//! What of runs is cause for an alert. What they ask and why they failed can quote viewers: an alert is told
//! to everybody, and says neither.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use crate::{
    ids::{ActionId, TraceId},
    port::Snapshot,
    runs,
    runs::{NodeState, RunState, RunView, Verdict},
    station::alerts::{CauseKind, EndedCause, Evidence, Findings, Watch, Watching},
    tap::{
        EntryRef,
        entry::{Link, Transition, What},
    },
    time::Now,
    words::{counted, format},
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Runs);
/// Runs wait for a person's decision.
pub(crate) static AWAITING_APPROVAL: CauseKind =
    CauseKind::new("confirmation_waiting", Link::Runs, "runs").question();
/// Runs failed in the last minute.
pub(crate) static RUNS_FAILED: CauseKind = CauseKind::new("runs_failed", Link::Runs, "runs");

const MINUTE: Duration = Duration::from_secs(60);

/// Approvals that have alerts of their own; the others are counted in one.
const ASKS_MAX: usize = 8;

/// The memory of runs for their alerts.
#[derive(Debug, Default)]
pub(crate) struct RunsWatch {
    /// What became of the questions that were answered lately.
    answered: VecDeque<Answered>,
    /// Nodes that an operator rejected lately, each behind its run; of a run alone where the question is not
    /// known. What fails for that is no cause for an alert.
    rejected: VecDeque<(TraceId, Option<u32>)>,
}

/// Rejections and answers that are remembered, of each so many.
const REMEMBERED_MAX: usize = 256;

/// What became of a question.
#[derive(Debug)]
struct Answered {
    action: ActionId,
    subject: Arc<str>,
    text: Arc<str>,
}

/// What becomes of a question that is answered so.
fn describe_answer(runs: &runs::Snapshot, action: ActionId, verdict: Verdict) -> Option<Answered> {
    let ask = runs.asks.iter().find(|ask| ask.action == action)?;
    let name = runs.run(ask.run).map_or_else(|| ask.run.short(), |view| view.name.to_string());
    let became = match verdict {
        Verdict::Approved => "approved",
        Verdict::Rejected => "rejected",
        Verdict::Expired => "no answer in time, rejected",
        Verdict::Withdrawn => "its run ended before an answer",
    };
    let text = format!("{name}, approval for node {}: {became}", ask.node.id).into();
    Some(Answered { action, subject: ask.alert_subject().into(), text })
}

/// Remembers the last of many.
fn remember<T>(all: &mut VecDeque<T>, it: T) {
    all.push_back(it);
    if all.len() > REMEMBERED_MAX {
        all.pop_front();
    }
}

/// Adds what runs ask: the oldest questions each by itself, so that each leads to its own run.
fn check_asks(runs: &runs::Snapshot, now: Now, findings: &mut Findings) {
    for ask in runs.asks.iter().take(ASKS_MAX) {
        let short = ask.run.short();
        let name = runs.run(ask.run).map_or(short.clone(), |view| format!("{} {short}", view.name));
        let left = format::age(ask.expires_at.since(now.wall));
        let text = format!("{name} needs approval for node {}; auto-rejects in {left}", ask.node.id);
        findings.add(AWAITING_APPROVAL.of(&ask.alert_subject()), ask.asked_at, text);
    }
    let more = runs.waiting().saturating_sub(runs.asks.len().min(ASKS_MAX) as u64);
    if more > 0
        && let Some(last) = runs.asks.back()
    {
        let first = runs.asks.get(ASKS_MAX).unwrap_or(last);
        let text = format!("{} pending, see `rl-console ls confirmations`", counted(more, "more approval"));
        findings.add_of_several(AWAITING_APPROVAL.cause(), first.asked_at, text, last.asked_at.mono.0);
    }
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
                remember(&mut self.rejected, (*run, ask.map(|ask| ask.node.index)));
            }
            let answer = cx.before.and_then(|state| describe_answer(&state.runs, *action, *verdict));
            if let Some(answer) = answer {
                remember(&mut self.answered, answer);
            }
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        findings.check_host(&HOST_DOWN, evidence);
        let runs = &evidence.state.runs;
        check_asks(runs, evidence.now, findings);
        // An answer that the state does not have yet is said once it does.
        let is_waiting = |answered: &Answered| runs.asks.iter().any(|ask| ask.action == answered.action);
        let (waiting, ended) = std::mem::take(&mut self.answered).into_iter().partition(is_waiting);
        self.answered = waiting;
        let ended: VecDeque<Answered> = ended;
        findings
            .ended
            .extend(ended.into_iter().map(|it| EndedCause::of(&AWAITING_APPROVAL, it.subject, it.text)));
        findings.ended.push(EndedCause::of_others(&AWAITING_APPROVAL, "no longer pending"));
        check_failures(runs, &self.rejected, evidence.now, findings);
    }
}
