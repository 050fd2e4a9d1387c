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
        Family::new("rl_console_macp_open_sessions", Gauge, "Open sessions.").of(open),
        Family::new("rl_console_macp_memory_sessions", Gauge, "Sessions in memory, including ended ones.")
            .of(macp.in_memory),
        Family::new(
            "rl_console_macp_message_bytes",
            Gauge,
            "Size of the messages of sessions in memory, in bytes.",
        )
        .of(macp.message_bytes),
        Family::new(
            "rl_console_macp_started_sessions_total",
            Counter,
            "Sessions started, including those open at the start of the runtime.",
        )
        .of(started),
        Family::new("rl_console_macp_ended_sessions_total", Counter, "Sessions ended.").by("ending", ended),
        Family::new("rl_console_macp_open_calls", Gauge, "Open calls, including streams.")
            .of(macp.open_calls),
        Family::new("rl_console_macp_calls_total", Counter, "Calls, and messages of streams.")
            .by("rpc", calls),
        Family::new(
            "rl_console_macp_accepted_messages_total",
            Counter,
            "Messages accepted by sessions, not counting SessionStart.",
        )
        .of(accepted),
        Family::new("rl_console_macp_duplicate_messages_total", Counter, "Duplicate messages.")
            .of(duplicates),
        Family::new("rl_console_macp_signals_total", Counter, "Signals, messages outside of sessions.")
            .of(signals),
        Family::new("rl_console_macp_refused_messages_total", Counter, "Refused messages.")
            .by("code", refused),
        Family::new("rl_console_macp_declined_calls_total", Counter, "Calls ended with an error status.")
            .by("status", declined),
        Family::new(
            "rl_console_macp_turned_away_total",
            Counter,
            "Connections and calls rejected because of a limit.",
        )
        .by("cause", turned_away),
    ]
}

/// How its log and the store keep up with it.
fn storage(macp: &Metrics) -> Vec<Family> {
    vec![
        Family::new("rl_console_macp_store_reads_total", Counter, "Sessions loaded from the store.")
            .of(macp.store_reads),
        Family::new("rl_console_macp_log_failing", Gauge, "Whether writing the session log is failing.")
            .of(macp.log_failing.is_some()),
        Family::new("rl_console_macp_log_commits_total", Counter, "Writes of the log.").of(macp.log_commits),
        Family::new(
            "rl_console_macp_log_commit_failures_total",
            Counter,
            "Failed and retried writes of the log.",
        )
        .of(macp.log_commit_failures),
        Family::new("rl_console_macp_log_bytes_total", Counter, "Size of written log records, in bytes.")
            .of(macp.log_bytes),
        Family::new(
            "rl_console_macp_log_unsaved_bytes",
            Gauge,
            "Size of accepted log records that are not written yet, in bytes.",
        )
        .of(macp.log_unsaved_bytes),
        Family::new(
            "rl_console_macp_log_unstored_bytes",
            Gauge,
            "Size of the log that is not in the store yet, in bytes.",
        )
        .of(macp.log_unstored_bytes),
        Family::new(
            "rl_console_macp_log_segments",
            Gauge,
            "Log segments waiting to be sorted into session logs.",
        )
        .of(macp.log_segments),
    ]
}
