//! The bridge's metrics.

use crate::{
    mpp,
    station::metrics::{
        Family,
        Kind::{Counter, Gauge},
    },
};

pub(in crate::station) fn families(mpp: &mpp::Snapshot, pending_bytes: u64) -> Vec<Family> {
    let is_stale = mpp.adapter.as_ref().is_some_and(|adapter| adapter.stale);
    let is_listening = matches!(mpp.listener, mpp::Listener::Listening(_));
    let count = |of: fn(&mpp::QueueView) -> u64| {
        mpp.queues.iter().map(move |(name, view)| (name.to_string(), of(view)))
    };
    let holds = |of: fn(&mpp::QueueView) -> bool| {
        mpp.queues.iter().map(move |(name, view)| (name.to_string(), of(view)))
    };
    vec![
        Family::new("rl_console_mpp_listening", Gauge, "Whether the MPP port is listening.").of(is_listening),
        Family::new("rl_console_mpp_paired", Gauge, "Whether a bridge token is active.").of(mpp.paired),
        Family::new("rl_console_mpp_adapter_connected", Gauge, "Whether an adapter is connected.")
            .of(mpp.adapter.is_some()),
        Family::new("rl_console_mpp_adapter_stale", Gauge, "Whether the connected adapter is silent.")
            .of(is_stale),
        Family::new(
            "rl_console_mpp_pending_bytes",
            Gauge,
            "Size of the texts of pending invocations, in bytes.",
        )
        .of(pending_bytes),
        Family::new(
            "rl_console_mpp_queue_pending_invocations",
            Gauge,
            "Pending invocations of the active manifest.",
        )
        .by("queue", count(|queue| queue.pending)),
        Family::new(
            "rl_console_mpp_queue_other_manifest_invocations",
            Gauge,
            "Pending invocations of another manifest.",
        )
        .by("queue", count(|queue| queue.other_manifest)),
        Family::new("rl_console_mpp_queue_in_flight_invocations", Gauge, "Invocations in flight, 0 or 1.")
            .by("queue", count(|queue| queue.in_flight.is_some().into())),
        Family::new("rl_console_mpp_queue_parked", Gauge, "Whether an adapter pull is waiting for work.")
            .by("queue", holds(|queue| queue.parked)),
        Family::new("rl_console_mpp_queue_held", Gauge, "Whether the queue is held.")
            .by("queue", holds(|queue| queue.brake.held)),
        Family::new("rl_console_mpp_queue_draining", Gauge, "Whether the queue is draining.")
            .by("queue", holds(|queue| queue.brake.draining)),
        Family::new(
            "rl_console_mpp_done_invocations_total",
            Counter,
            "Invocations done since the bridge started.",
        )
        .by("queue", count(|queue| queue.done)),
        Family::new(
            "rl_console_mpp_failed_invocations_total",
            Counter,
            "Invocations failed, refunded or cancelled since the bridge started.",
        )
        .by("queue", count(|queue| queue.failed)),
    ]
}
