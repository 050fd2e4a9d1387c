//! The bus's metrics.

use crate::{
    rmp,
    station::metrics::{
        Family,
        Kind::{Counter, Gauge},
    },
};

pub(in crate::station) fn families(rmp: &rmp::Snapshot) -> Vec<Family> {
    let is_listening = matches!(rmp.listener, rmp::Listener::Listening(_));
    let kinds = rmp::Kind::ALL.map(|kind| {
        let is_of =
            |peer: &&rmp::PeerView| peer.greeting.as_ref().is_some_and(|greeting| greeting.kind == kind);
        (kind.name().to_owned(), count(rmp.peers.values().filter(is_of)))
    });
    let gauges = || rmp.peers.values().flat_map(|peer| peer.subs.values()).map(|sub| sub.gauge);
    let mut all = vec![
        Family::new("rl_console_rmp_listening", Gauge, "Whether the bus socket is listening.")
            .of(is_listening),
        Family::new(
            "rl_console_rmp_connections",
            Gauge,
            "Open connections, including those without a Hello.",
        )
        .of(rmp.peers.len() as u64),
        Family::new("rl_console_rmp_peers", Gauge, "Connected peers, by kind.").by("kind", kinds),
        Family::new("rl_console_rmp_subscriptions", Gauge, "Subscriptions of all peers.").of(count(gauges())),
        Family::new("rl_console_rmp_queued_messages", Gauge, "Messages queued for subscribers.")
            .of(gauges().map(|gauge| gauge.queued_messages).sum::<u64>()),
        Family::new(
            "rl_console_rmp_queued_bytes",
            Gauge,
            "Size of messages queued for subscribers, in bytes.",
        )
        .of(gauges().map(|gauge| gauge.queued_bytes).sum::<u64>()),
        Family::new(
            "rl_console_rmp_deepest_queue_messages",
            Gauge,
            "Messages queued for the slowest subscription.",
        )
        .of(gauges().map(|gauge| gauge.queued_messages).max().unwrap_or(0)),
    ];
    all.extend(of_totals(&rmp.totals));
    all
}

fn of_totals(totals: &rmp::Totals) -> Vec<Family> {
    let dropped = &totals.dropped;
    let reasons = rmp::DropReason::ALL.map(|reason| (reason.name().to_owned(), dropped[reason.index()]));
    vec![
        Family::new("rl_console_rmp_published_messages_total", Counter, "Messages accepted.")
            .of(totals.published),
        Family::new(
            "rl_console_rmp_published_bytes_total",
            Counter,
            "Size of accepted messages on the wire, in bytes.",
        )
        .of(totals.published_bytes),
        Family::new(
            "rl_console_rmp_delivered_messages_total",
            Counter,
            "Messages delivered to subscriptions.",
        )
        .of(totals.delivered),
        Family::new("rl_console_rmp_refused_frames_total", Counter, "Frames refused.").of(totals.refused),
        Family::new("rl_console_rmp_drops_total", Counter, "Messages dropped before delivery.")
            .by("reason", reasons),
        Family::new("rl_console_rmp_dedupe_keys", Gauge, "Keys stored for deduplication.").of(totals.keys),
        Family::new(
            "rl_console_rmp_dedupe_evicted_young_keys_total",
            Counter,
            "Deduplication keys evicted before the longest TTL.",
        )
        .of(totals.evicted_young),
        Family::new(
            "rl_console_rmp_lost_evicted_young_keys_total",
            Counter,
            "Keys of messages lost to back-pressure that were evicted before the longest TTL; a retry \
             counts as a duplicate.",
        )
        .of(totals.lost_evicted_young),
    ]
}

fn count(all: impl Iterator) -> u64 {
    all.count() as u64
}
