//! The MACP runtime's metrics.

use crate::{
    macp::{self, host::Metrics},
    station::metrics::{
        Family,
        Kind::{Counter, Gauge},
    },
};

pub(in crate::station) fn families(macp: &Metrics) -> Vec<Family> {
    let mut all = traffic(macp);
    all.extend(storage(macp));
    all
}

/// What it counts of sessions and messages.
fn traffic(macp: &Metrics) -> Vec<Family> {
    let macp::Totals { open, started, resolved, expired, cancelled, accepted, duplicates, signals, .. } =
        macp.totals;
    let named = |ending: macp::Ending, count| (ending.name().to_owned(), count);
    let ended = [
        named(macp::Ending::Resolved, resolved),
        named(macp::Ending::TtlExpired, expired),
        named(macp::Ending::Cancelled, cancelled),
    ];
    let calls = macp::Rpc::ALL.iter().zip(macp.calls).map(|(rpc, count)| (rpc.name().to_owned(), count));
    let refused =
        macp::Code::ALL.iter().zip(macp.refused).map(|(code, count)| (code.name().to_owned(), count));
    let declined =
        macp::Status::ALL.iter().zip(macp.declined).map(|(status, count)| (status.name().to_owned(), count));
    let turned_away = macp::TurnAwayCause::ALL
        .iter()
        .zip(macp.turned_away)
        .map(|(cause, count)| (cause.name().to_owned(), count));
    vec![
        Family::new("rl_console_macp_open_sessions", Gauge, "Sessions that are open.").of(open),
        Family::new(
            "rl_console_macp_memory_sessions",
            Gauge,
            "Sessions in memory, those that ended included.",
        )
        .of(macp.in_memory),
        Family::new("rl_console_macp_message_bytes", Gauge, "Bytes of the messages of sessions in memory.")
            .of(macp.message_bytes),
        Family::new(
            "rl_console_macp_started_sessions_total",
            Counter,
            "Sessions that began, or were open when the runtime started.",
        )
        .of(started),
        Family::new("rl_console_macp_ended_sessions_total", Counter, "Sessions that ended.")
            .by("ending", ended),
        Family::new("rl_console_macp_open_calls", Gauge, "Calls that are open, streams among them.")
            .of(macp.open_calls),
        Family::new("rl_console_macp_calls_total", Counter, "Calls, and messages of streams.")
            .by("rpc", calls),
        Family::new(
            "rl_console_macp_accepted_messages_total",
            Counter,
            "Messages that sessions accepted, their starts aside.",
        )
        .of(accepted),
        Family::new(
            "rl_console_macp_duplicate_messages_total",
            Counter,
            "Messages that had been accepted before.",
        )
        .of(duplicates),
        Family::new("rl_console_macp_signals_total", Counter, "Messages that belong to no session.")
            .of(signals),
        Family::new("rl_console_macp_refused_messages_total", Counter, "Messages that were refused.")
            .by("code", refused),
        Family::new("rl_console_macp_declined_calls_total", Counter, "Calls that ended with a status.")
            .by("status", declined),
        Family::new(
            "rl_console_macp_turned_away_total",
            Counter,
            "Connections closed, and calls ended, for a bound.",
        )
        .by("cause", turned_away),
    ]
}

/// How its log and the store keep up with it.
fn storage(macp: &Metrics) -> Vec<Family> {
    vec![
        Family::new(
            "rl_console_macp_store_reads_total",
            Counter,
            "Sessions that were looked up in the store.",
        )
        .of(macp.store_reads),
        Family::new(
            "rl_console_macp_log_failing",
            Gauge,
            "Whether the log cannot be written, or the store does not take it.",
        )
        .of(macp.log_failing.is_some()),
        Family::new("rl_console_macp_log_commits_total", Counter, "Writes of the log.").of(macp.log_commits),
        Family::new(
            "rl_console_macp_log_commit_failures_total",
            Counter,
            "Writes of the log that failed and were tried again.",
        )
        .of(macp.log_commit_failures),
        Family::new("rl_console_macp_log_bytes_total", Counter, "Bytes of records that were written.")
            .of(macp.log_bytes),
        Family::new(
            "rl_console_macp_log_unsaved_bytes",
            Gauge,
            "Bytes of records that are accepted and not written.",
        )
        .of(macp.log_unsaved_bytes),
        Family::new(
            "rl_console_macp_log_unstored_bytes",
            Gauge,
            "Bytes of the log that the store does not have yet.",
        )
        .of(macp.log_unstored_bytes),
        Family::new("rl_console_macp_log_segments", Gauge, "Segments of the log that wait to be sorted.")
            .of(macp.log_segments),
    ]
}
