//! What to do about the alerts of runs.

use super::health::host_remedy;
use crate::{
    console::{
        input::action::Action,
        model::{
            alerts::AlertKind,
            health::{ReportLine, command, instruction, key_hint},
            station::StationState,
        },
    },
    runs::RunState,
    tap::entry::alerts::Alert,
};

/// The kinds there are.
pub(crate) const KINDS: &[AlertKind] = &[
    AlertKind::new("host_down", |_, _| host_remedy()),
    AlertKind::new("confirmation_waiting", approval_remedy),
    AlertKind::new("runs_failed", |_, state| failure_remedy(state)),
];

/// What to do about an approval: of the alert that counts further ones, the most urgent.
fn approval_remedy(alert: &Alert, state: &StationState) -> Vec<ReportLine> {
    let mut lines = vec![key_hint(
        Action::Alerts,
        "lists approvals first: approve or reject them there; unanswered ones are auto-rejected",
    )];
    let asks = state.runs.asks_in_time();
    let own = asks.iter().find(|ask| ask.alert_subject() == *alert.subject);
    if let Some(ask) = own.or(asks.first()) {
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
            "see which node failed and why, fix the opening or start the missing agent, and submit again:",
        ),
        key_hint(Action::ViewRuns, "shows the Runs"),
    ];
    lines.extend(last.map(|view| command(format!("run events {}", view.run))));
    lines
}
