//! The bus's metrics.

use crate::{
    rmp,
    station::metrics::{
        Family,
        Kind::{Counter, Gauge},
    },
};

pub(in crate::station) fn families(rmp: &rmp::Snapshot) -> Vec<Family> {
    let rmp::Totals {
        published,
        published_bytes,
        delivered,
        refused,
        dropped,
        keys,
        evicted_young,
        lost_evicted_young,
        ..
    } = rmp.totals;
    let is_listening = matches!(rmp.listener, rmp::Listener::Listening(_));
    let kinds = rmp::Kind::ALL.map(|kind| {
        let is_of =
            |peer: &&rmp::PeerView| peer.greeting.as_ref().is_some_and(|greeting| greeting.kind == kind);
        (kind.name().to_owned(), count(rmp.peers.values().filter(is_of)))
    });
    let reasons = rmp::DropReason::ALL.map(|reason| (reason.name().to_owned(), dropped[reason.index()]));
    let gauges = || rmp.peers.values().flat_map(|peer| peer.subs.values()).map(|sub| sub.gauge);
    vec![
        Family::new("rl_console_rmp_listening", Gauge, "Whether the bus answers on its socket.").of(is_listening),
        Family::new("rl_console_rmp_connections", Gauge, "Connections, those without a Hello included.").of(rmp.peers.len() as u64),
        Family::new("rl_console_rmp_peers", Gauge, "Peers that said Hello, by what they may do.").by("kind", kinds),
        Family::new("rl_console_rmp_subscriptions", Gauge, "Subscriptions of all peers.").of(count(gauges())),
        Family::new("rl_console_rmp_queued_messages", Gauge, "Messages that wait for their subscribers, as told last.")
            .of(gauges().map(|gauge| gauge.queued_messages).sum::<u64>()),
        Family::new("rl_console_rmp_queued_bytes", Gauge, "Bytes that wait for their subscribers, as told last.")
            .of(gauges().map(|gauge| gauge.queued_bytes).sum::<u64>()),
        Family::new("rl_console_rmp_deepest_queue_messages", Gauge, "Messages that wait for the slowest subscription, as told last.")
            .of(gauges().map(|gauge| gauge.queued_messages).max().unwrap_or(0)),
        Family::new("rl_console_rmp_published_messages_total", Counter, "Messages taken.").of(published),
        Family::new("rl_console_rmp_published_bytes_total", Counter, "Bytes of the messages taken, as they were on the wire.")
            .of(published_bytes),
        Family::new("rl_console_rmp_delivered_messages_total", Counter, "Messages given to subscriptions.").of(delivered),
        Family::new("rl_console_rmp_refused_frames_total", Counter, "Frames refused.").of(refused),
        Family::new("rl_console_rmp_drops_total", Counter, "Messages that did not reach a subscription.").by("reason", reasons),
        Family::new("rl_console_rmp_dedupe_keys", Gauge, "Keys remembered against duplicates.").of(keys),
        Family::new("rl_console_rmp_dedupe_evicted_young_keys_total", Counter, "Keys that were let go before the longest TTL was over.")
            .of(evicted_young),
        Family::new(
            "rl_console_rmp_lost_evicted_young_keys_total",
            Counter,
            "Keys that subscribers lost to back-pressure and that were let go before the longest TTL was over: a retry is a duplicate.",
        )
        .of(lost_evicted_young),
    ]
}

fn count(all: impl Iterator) -> u64 {
    all.count() as u64
}
