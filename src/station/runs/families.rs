//! The runs' metrics.

use crate::{
    runs,
    station::metrics::{
        Family,
        Kind::{Counter, Gauge},
    },
};

pub(in crate::station) fn families(runs: &runs::Metrics) -> Vec<Family> {
    let rejected = runs::RejectedFor::ALL
        .iter()
        .zip(runs.rejected)
        .map(|(reason, count)| (reason.name().to_owned(), count));
    let ended = runs::ENDS.iter().zip(runs.ended).map(|(state, count)| (state.name().to_owned(), count));
    let nodes =
        runs::NODE_ENDS.iter().zip(runs.nodes_ended).map(|(state, count)| (state.name().to_owned(), count));
    vec![
        Family::new("rl_console_runs_running", Gauge, "Running runs.").of(runs.running),
        Family::new("rl_console_runs_in_flight_attempts", Gauge, "Attempts that agents are working on.")
            .of(runs.in_flight),
        Family::new("rl_console_runs_waiting_confirmations", Gauge, "Pending approvals.").of(runs.asking),
        Family::new("rl_console_runs_submitted_total", Counter, "Runs started.").of(runs.submitted),
        Family::new(
            "rl_console_runs_rejected_requests_total",
            Counter,
            "Rejected submit and cancel requests.",
        )
        .by("reason", rejected),
        Family::new("rl_console_runs_ended_total", Counter, "Runs ended, by state.").by("state", ended),
        Family::new("rl_console_runs_ended_nodes_total", Counter, "Nodes ended, by state.")
            .by("state", nodes),
        Family::new("rl_console_runs_attempts_total", Counter, "Attempts dispatched to agents.")
            .of(runs.attempts),
        Family::new("rl_console_runs_retries_total", Counter, "Attempts after the first of their node.")
            .of(runs.retries),
        Family::new(
            "rl_console_runs_timeouts_total",
            Counter,
            "Attempts and nested openings that timed out.",
        )
        .of(runs.timeouts),
        Family::new("rl_console_runs_late_answers_total", Counter, "Late or repeated answers.")
            .of(runs.late_answers),
        Family::new("rl_console_runs_events_total", Counter, "Events published by runs.").of(runs.events),
        Family::new("rl_console_runs_artifacts_total", Counter, "Artifacts stored.").of(runs.artifacts),
        Family::new("rl_console_runs_tokens_total", Counter, "Tokens used by agents.").of(runs.tokens),
    ]
}
