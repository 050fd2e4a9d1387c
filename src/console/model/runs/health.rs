//! How the runs are, why, and what to do: what their chip shows.

use crate::{
    console::{
        draw::class::Class,
        input::action::Action,
        model::{
            health::{Condition, Report, ReportLine, command, instruction, key_hint},
            state::Model,
        },
    },
    port::health::runs::{Cause, problems},
    runs::Snapshot,
    time::Now,
    words::counted,
};

/// What viewers may have written.
fn payload(name: &'static str, words: &str) -> ReportLine {
    ReportLine::Detail(name, words.to_owned(), Class::Payload)
}

/// What to do while no run goes on.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![key_hint(Action::Restart, "restarts it; or:"), command("host restart runs")]
}

/// The runs.
pub(crate) fn report(model: &Model, now: Now) -> Report {
    let Some(state) = &model.station_state else { return Report::starting() };
    let mut report = Report::new();
    let (mut has_approvals, mut has_failed) = (false, false);
    for problem in problems(state, now) {
        let remedy = remedy(&state.runs, problem.cause);
        has_approvals |= matches!(problem.cause, Cause::Approval(_));
        has_failed |= matches!(problem.cause, Cause::Failed(_));
        report.add(problem, remedy);
    }
    if has_approvals {
        report.lines.push(key_hint(
            Action::Alerts,
            "lists approvals first: approve or reject them there; unanswered ones are auto-rejected",
        ));
    }
    if report.condition != Condition::Ok {
        report.lines.push(key_hint(
            Action::ViewRuns,
            "shows the Runs: the plan with the failed node, and the run's events",
        ));
        if has_failed && !has_approvals {
            report.lines.push(instruction("fix the opening or start the missing agent, and submit again"));
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

/// What to do about what is amiss; what viewers may have written stands here.
fn remedy(runs: &Snapshot, cause: Cause) -> Vec<ReportLine> {
    match cause {
        Cause::HostDown => host_remedy(),
        Cause::Held => vec![key_hint(Action::ResumeAll, "resumes everything")],
        Cause::Approval(action) => {
            let ask = runs.asks.iter().find(|ask| ask.action == action);
            ask.map(|ask| payload("approval", &ask.summary)).into_iter().collect()
        }
        Cause::MoreApprovals if runs.asks_unshown > 0 => {
            let limit = format!(
                "{} older approvals are not listed here (limits.runs.shown_asks_max); list them with",
                runs.asks_unshown
            );
            vec![instruction(&limit), command("ls confirmations")]
        }
        Cause::MoreApprovals | Cause::MoreFailed => Vec::new(),
        Cause::Failed(run) => {
            let why = runs.run(run).and_then(|view| view.why.as_deref()).unwrap_or("no reason given");
            vec![payload("why", why), command(format!("run events {run}"))]
        }
    }
}
