//! How the coordination runtime is, why, and what to do: what its chip shows.

use crate::{
    console::{
        draw::format,
        input::action::Action,
        model::{
            alerts,
            health::{Condition, Report, ReportLine, command, instruction, key_hint},
            state::Model,
        },
    },
    macp::{Listener, Snapshot},
    port::health::macp::{Cause, problems},
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// Clients that are named one by one.
const LISTED_MAX: usize = 5;

/// What to do while no session is held.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![key_hint(Action::Restart, "restarts it from the data on disk; or:"), command("host restart macp")]
}

/// What to do about a port that does not answer.
pub(super) fn port_remedy() -> Vec<ReportLine> {
    vec![instruction("free the port, or start with another: --grpc ADDR"), command("doctor")]
}

/// The coordination runtime.
pub(crate) fn report(model: &Model, now: Now) -> Report {
    let Some(state) = &model.station_state else { return Report::starting() };
    let mut report = Report::new();
    let macp = &state.macp;
    if let Listener::Listening(addr) = &macp.listener {
        report.detail("listening", addr.to_string());
    }
    for problem in problems(state, now) {
        let remedy = match problem.cause {
            Cause::HostDown => host_remedy(),
            Cause::PortDown => port_remedy(),
            Cause::PortStarting | Cause::Expired => Vec::new(),
        };
        report.add(problem, remedy);
    }
    if report.condition == Condition::Degraded {
        report.lines.push(key_hint(
            Action::ViewSessions,
            "shows the Sessions: the missing participants and the messages",
        ));
    }
    alerts::report(model.alerts(), &mut report, state, Link::Macp);
    report_totals(&mut report, macp);
    report
}

/// What was counted since the runtime started, and who takes part.
fn report_totals(report: &mut Report, macp: &Snapshot) {
    let totals = macp.totals;
    report.detail("open", counted(totals.open, "session"));
    report.detail(
        "since start",
        format!(
            "{} started or already open, {} resolved, {} expired, {} cancelled",
            format::count(totals.started),
            format::count(totals.resolved),
            format::count(totals.expired),
            format::count(totals.cancelled)
        ),
    );
    let messages = [
        (totals.accepted, "accepted"),
        (totals.duplicates, "duplicates"),
        (totals.refused, "refused"),
        (totals.signals, "signals"),
    ];
    report.detail(
        "messages",
        messages.map(|(count, what)| format!("{} {what}", format::count(count))).join(", "),
    );
    if !macp.clients.is_empty() {
        let names: Vec<String> = macp
            .clients
            .iter()
            .rev()
            .take(LISTED_MAX)
            .map(|client| format!("{} ({})", client.client, client.peer))
            .collect();
        report.detail("clients", names.join(", "));
    }
}
