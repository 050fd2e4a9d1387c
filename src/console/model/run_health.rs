//! How the runs are, why, and what to do: what their chip shows.

use std::{cmp::Reverse, time::Duration};

use super::{
    health::{Condition, Report, Sentence, host_remedy, press, run, to_do},
    state::Model,
};
use crate::{
    console::{action::Action, class::Class},
    port::HostState,
    runs::{RunState, RunView},
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// Questions and failures that are named one by one.
const NAMED: usize = 5;
/// How long a run that failed is told of.
const MINUTE: Duration = Duration::from_secs(60);

/// What viewers may have written.
fn payload(name: &'static str, words: &str) -> Sentence {
    Sentence::Fact(name, words.to_owned(), Class::Payload)
}

/// The runs.
pub(crate) fn runs_report(model: &Model, now: Now) -> Report {
    let mut report = Report::new();
    let Some(world) = &model.world else {
        report.worse(Condition::Degraded, "the station is starting".to_owned(), Vec::new());
        return report;
    };
    if world.runs.held {
        report.worse(
            Condition::Degraded,
            "runs are held: no attempt is begun".to_owned(),
            vec![press(Action::HoldAll, "releases all")],
        );
    }
    if let HostState::Down(why) = &world.station.hosts[Link::Runs.index()] {
        report.worse(Condition::Down, format!("no run goes on: {why}"), host_remedy(Link::Runs));
    }
    let asks = &world.runs.asks;
    for ask in asks.iter().take(NAMED) {
        let name = world.runs.run(ask.run).map_or_else(|| ask.run.short(), |view| view.name.to_string());
        let summary = payload("question", &ask.summary);
        report.worse(
            Condition::Degraded,
            format!("{name} asks whether {} may go on", ask.node.id),
            vec![summary],
        );
    }
    let besides = world.runs.waiting() - asks.len().min(NAMED) as u64;
    if besides > 0 {
        let unshown = world.runs.asks_unshown;
        let limit = || {
            to_do(&format!(
                "{unshown} of them, the oldest, are shown nowhere here (limits.runs.shown_asks_max), but by"
            ))
        };
        let remedy = if unshown > 0 { vec![limit(), run("ls confirmations")] } else { Vec::new() };
        report.worse(
            Condition::Degraded,
            format!("waiting besides: {}", counted(besides, "more question")),
            remedy,
        );
    }
    if !asks.is_empty() {
        report.sentences.push(press(
            Action::Tray,
            "has the questions first: approve or reject them there; silence becomes a no",
        ));
    }
    let is_lately = |view: &&RunView| {
        view.state == RunState::Failed && view.ended_at.is_some_and(|at| now.mono.since(at.mono) < MINUTE)
    };
    let mut lately: Vec<_> = world.runs.runs.iter().filter(is_lately).collect();
    lately.sort_by_key(|view| Reverse(view.ended_at.map(|at| at.mono)));
    let has_failed = !lately.is_empty();
    let mut failed = lately.into_iter();
    for lately in failed.by_ref().take(NAMED) {
        let why = lately.why.as_deref().unwrap_or("it gave no reason");
        let remedy = vec![payload("why", why), run(format!("run events {}", lately.run))];
        report.worse(
            Condition::Degraded,
            format!("{} {} failed in the last minute", lately.name, lately.run.short()),
            remedy,
        );
    }
    let more = failed.count();
    if more > 0 {
        report.worse(
            Condition::Degraded,
            format!("{} failed in the last minute", counted(more, "more run")),
            Vec::new(),
        );
    }
    if report.condition != Condition::Well {
        report.sentences.push(press(
            Action::ViewRuns,
            "shows the Runs: the plan with the node that failed, and what the run told",
        ));
        if has_failed && asks.is_empty() {
            report
                .sentences
                .push(to_do("mend the opening or start the agent that is missing, and submit it again"));
        }
    }
    let (totals, open) = (world.runs.totals, world.runs.open().count());
    report.fact("open", counted(open, "run"));
    report.fact(
        "since start",
        format!(
            "{} accepted, {} rejected, {} succeeded, {} failed, {} cancelled",
            totals.submitted, totals.rejected, totals.succeeded, totals.failed, totals.cancelled
        ),
    );
    report
}
