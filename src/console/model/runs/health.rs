//! How the runs are, why, and what to do: what their chip shows.

use std::{cmp::Reverse, time::Duration};

use crate::{
    console::{
        draw::class::Class,
        input::action::Action,
        model::{
            health::{Condition, Report, ReportLine, command, instruction, key_hint},
            state::Model,
        },
    },
    port::HostState,
    runs::{RunState, RunView, Snapshot},
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// Questions and failures that are named one by one.
const LISTED_MAX: usize = 5;
/// How long a run that failed is told of.
const MINUTE: Duration = Duration::from_secs(60);

/// What viewers may have written.
fn payload(name: &'static str, words: &str) -> ReportLine {
    ReportLine::Detail(name, words.to_owned(), Class::Payload)
}

/// What to do while no run goes on.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![key_hint(Action::Restart, "starts it again; or:"), command("host restart runs")]
}

/// The runs.
pub(crate) fn report(model: &Model, now: Now) -> Report {
    let mut report = Report::new();
    let Some(state) = &model.station_state else {
        report.degrade(Condition::Degraded, "the station is starting".to_owned(), Vec::new());
        return report;
    };
    if state.runs.held {
        report.degrade(
            Condition::Degraded,
            "runs are held: no attempt is begun".to_owned(),
            vec![key_hint(Action::ResumeAll, "resumes everything")],
        );
    }
    if let HostState::Down(why) = &state.station.hosts[Link::Runs.index()] {
        report.degrade(Condition::Down, format!("no run goes on: {why}"), host_remedy());
    }
    report_questions(&mut report, &state.runs);
    let has_failed = report_failures(&mut report, &state.runs, now);
    if report.condition != Condition::Healthy {
        report.lines.push(key_hint(
            Action::ViewRuns,
            "shows the Runs: the plan with the node that failed, and what the run told",
        ));
        if has_failed && state.runs.asks.is_empty() {
            report.lines.push(instruction(
                "mend the opening or start the agent that is missing, and submit it again",
            ));
        }
    }
    let (totals, open) = (state.runs.totals, state.runs.open().count());
    report.detail("open", counted(open, "run"));
    report.detail(
        "since start",
        format!(
            "{} accepted, {} rejected, {} succeeded, {} failed, {} cancelled",
            totals.submitted, totals.rejected, totals.succeeded, totals.failed, totals.cancelled
        ),
    );
    report
}

/// The nodes that wait for a yes or a no.
fn report_questions(report: &mut Report, runs: &Snapshot) {
    for ask in runs.asks.iter().take(LISTED_MAX) {
        let name = runs.run(ask.run).map_or_else(|| ask.run.short(), |view| view.name.to_string());
        let summary = payload("question", &ask.summary);
        report.degrade(
            Condition::Degraded,
            format!("{name} asks whether {} may go on", ask.node.id),
            vec![summary],
        );
    }
    let besides = runs.waiting() - runs.asks.len().min(LISTED_MAX) as u64;
    if besides > 0 {
        let unshown = runs.asks_unshown;
        let limit = || {
            instruction(&format!(
                "{unshown} of them, the oldest, are shown nowhere here (limits.runs.shown_asks_max), but by"
            ))
        };
        let remedy = if unshown > 0 { vec![limit(), command("ls confirmations")] } else { Vec::new() };
        report.degrade(
            Condition::Degraded,
            format!("waiting besides: {}", counted(besides, "more question")),
            remedy,
        );
    }
    if !runs.asks.is_empty() {
        report.lines.push(key_hint(
            Action::Alerts,
            "has the questions first: approve or reject them there; silence becomes a no",
        ));
    }
}

/// The runs that failed lately; whether there are any.
fn report_failures(report: &mut Report, runs: &Snapshot, now: Now) -> bool {
    let is_lately = |view: &&RunView| {
        view.state == RunState::Failed && view.ended_at.is_some_and(|at| now.mono.since(at.mono) < MINUTE)
    };
    let mut lately: Vec<_> = runs.runs.iter().filter(is_lately).collect();
    lately.sort_by_key(|view| Reverse(view.ended_at.map(|at| at.mono)));
    let has_failed = !lately.is_empty();
    let mut failed = lately.into_iter();
    for lately in failed.by_ref().take(LISTED_MAX) {
        let why = lately.why.as_deref().unwrap_or("it gave no reason");
        let remedy = vec![payload("why", why), command(format!("run events {}", lately.run))];
        report.degrade(
            Condition::Degraded,
            format!("{} {} failed in the last minute", lately.name, lately.run.short()),
            remedy,
        );
    }
    let more = failed.count();
    if more > 0 {
        report.degrade(
            Condition::Degraded,
            format!("{} failed in the last minute", counted(more, "more run")),
            Vec::new(),
        );
    }
    has_failed
}
