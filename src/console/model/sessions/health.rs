//! How the coordination runtime is, why, and what to do: what its chip shows.

use std::time::Duration;

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
    macp::{Ending, Listener, SessionView, Snapshot},
    port::HostState,
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// Sessions that are named one by one.
const LISTED_MAX: usize = 5;
/// How long the end of a session is told of.
const RECENT: Duration = Duration::from_secs(60);

/// What to do while no session is held.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![
        key_hint(Action::Restart, "starts it again, from what is on disk; or:"),
        command("host restart macp"),
    ]
}

/// What to do about a port that does not answer.
pub(super) fn port_remedy() -> Vec<ReportLine> {
    vec![instruction("free the port, or start with another: --grpc ADDR"), command("doctor")]
}

/// The coordination runtime.
pub(crate) fn report(model: &Model, now: Now) -> Report {
    let mut report = Report::new();
    let Some(state) = &model.station_state else {
        report.degrade(Condition::Degraded, "the station is starting".to_owned(), Vec::new());
        return report;
    };
    let macp = &state.macp;
    let host = &state.station.hosts[Link::Macp.index()];
    match (host, &macp.listener) {
        (HostState::Down(why), _) => {
            report.degrade(Condition::Down, format!("no session is held: {why}"), host_remedy());
        }
        (_, Listener::Down(why)) => {
            report.degrade(Condition::Down, format!("the port does not answer: {why}"), port_remedy());
        }
        (_, Listener::Starting) => {
            report.degrade(Condition::Degraded, "the port is not bound yet".to_owned(), Vec::new());
        }
        (_, Listener::Listening(addr)) => report.detail("listens on", addr.to_string()),
    }
    report_expired(&mut report, macp, now);
    if report.condition == Condition::Degraded {
        report.lines.push(key_hint(
            Action::ViewSessions,
            "shows the Sessions: who was waited for, and what was said",
        ));
    }
    alerts::report(model.alerts(), &mut report, state, Link::Macp);
    report_totals(&mut report, macp);
    report
}

/// The sessions that expired lately.
fn report_expired(report: &mut Report, macp: &Snapshot, now: Now) {
    let ended_badly = |view: &&SessionView| {
        let is_bad = |ending| matches!(ending, Ending::TtlExpired | Ending::LogDamaged);
        view.end.as_ref().is_some_and(|end| is_bad(end.ending) && now.wall.since(end.at.wall) < RECENT)
    };
    let mut lately =
        macp.ended.iter().rev().filter_map(|number| macp.sessions.get(number)).filter(ended_badly);
    for view in lately.by_ref().take(LISTED_MAX) {
        let why = match view.end.as_ref().map(|end| end.ending) {
            Some(Ending::LogDamaged) => format!("{} is expired: its log was damaged", view.session.id),
            _ => format!(
                "{} expired in the last minute, unresolved at {}",
                view.session.id,
                describe_phase(view)
            ),
        };
        report.degrade(Condition::Degraded, why, Vec::new());
    }
    let more = lately.count();
    if more > 0 {
        report.degrade(
            Condition::Degraded,
            format!("{} expired in the last minute", counted(more, "more session")),
            Vec::new(),
        );
    }
}

/// What was counted since the runtime started, and who takes part.
fn report_totals(report: &mut Report, macp: &Snapshot) {
    let totals = macp.totals;
    report.detail("open", counted(totals.open, "session"));
    report.detail(
        "so far",
        format!(
            "{} begun, {} resolved, {} expired, {} cancelled",
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

/// How far a session was.
fn describe_phase(view: &SessionView) -> String {
    match (view.phase(), view.round()) {
        (Some(phase), _) => format!("phase {}", phase.name()),
        (None, round) => format!("round {}", round.unwrap_or_default()),
    }
}
