//! How the runs are, why, and what to do: what their chip shows.

use super::{
    health::{Condition, Report, Sentence, host_remedy, press, run, to_do},
    state::Model,
};
use crate::{
    console::{action::Action, class::Class},
    port::HostState,
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// Questions and failures that are named one by one.
const NAMED: usize = 5;

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
    if let HostState::Down(why) = &world.station.hosts[Link::Runs.index()] {
        report.worse(Condition::Down, format!("no run goes on: {why}"), host_remedy(Link::Runs));
    }
    let asks = &world.runs.asks;
    for ask in asks.iter().take(NAMED) {
        let name = world.runs.run(ask.run).map_or_else(|| ask.run.short(), |view| view.name.to_string());
        let summary = payload("question", &ask.summary);
        report.worse(Condition::Degraded, format!("{name} asks whether {} may go on", ask.node.id), vec![summary]);
    }
    if asks.len() > NAMED {
        report.worse(Condition::Degraded, format!("waiting besides: {}", counted(asks.len() - NAMED, "more question")), Vec::new());
    }
    if !asks.is_empty() {
        report.sentences.push(press(Action::Tray, "has the questions first: approve or reject them there; silence becomes a no"));
    }
    let mut failed = model.run_lines.failed_lately(now);
    for lately in failed.by_ref().take(NAMED) {
        let why = lately.why.as_deref().unwrap_or("it gave no reason");
        let remedy = vec![payload("why", why), run(format!("run events {}", lately.run))];
        report.worse(Condition::Degraded, format!("{} failed in the last minute", lately.name), remedy);
    }
    let more = failed.count();
    if more > 0 {
        report.worse(Condition::Degraded, format!("{} failed in the last minute", counted(more, "more run")), Vec::new());
    }
    if report.condition != Condition::Well {
        report.sentences.push(press(Action::ViewRuns, "shows the Runs: the plan with the node that failed, and what the run told"));
        if asks.is_empty() {
            report.sentences.push(to_do("mend the opening or start the agent that is missing, and submit it again"));
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
