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
        Family::new("rl_console_runs_running", Gauge, "Runs that are worked on.").of(runs.running),
        Family::new("rl_console_runs_in_flight_attempts", Gauge, "Attempts that agents work on.")
            .of(runs.in_flight),
        Family::new("rl_console_runs_waiting_confirmations", Gauge, "Questions that wait for a person.")
            .of(runs.asking),
        Family::new("rl_console_runs_submitted_total", Counter, "Runs that began.").of(runs.submitted),
        Family::new(
            "rl_console_runs_rejected_requests_total",
            Counter,
            "Requests to submit or to cancel that were rejected.",
        )
        .by("reason", rejected),
        Family::new("rl_console_runs_ended_total", Counter, "Runs that ended.").by("state", ended),
        Family::new("rl_console_runs_ended_nodes_total", Counter, "Nodes that ended.").by("state", nodes),
        Family::new("rl_console_runs_attempts_total", Counter, "Attempts that were given to agents.")
            .of(runs.attempts),
        Family::new("rl_console_runs_retries_total", Counter, "Attempts that were not their node's first.")
            .of(runs.retries),
        Family::new(
            "rl_console_runs_timeouts_total",
            Counter,
            "Attempts and nested openings that took too long.",
        )
        .of(runs.timeouts),
        Family::new("rl_console_runs_late_answers_total", Counter, "Answers that came late or twice.")
            .of(runs.late_answers),
        Family::new("rl_console_runs_events_total", Counter, "Events that runs told.").of(runs.events),
        Family::new("rl_console_runs_artifacts_total", Counter, "Artifacts that were kept.")
            .of(runs.artifacts),
        Family::new("rl_console_runs_tokens_total", Counter, "Tokens that agents used.").of(runs.tokens),
    ]
}
