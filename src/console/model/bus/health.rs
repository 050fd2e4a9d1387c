//! How the bus is, why, and what to do: what its chip shows.

use super::state::is_recent;
use crate::{
    console::{
        draw::format,
        input::action::Action,
        model::{
            alerts,
            bus::peer_name,
            health::{Condition, Report, ReportLine, command, instruction, key_hint},
            rate_text,
            state::Model,
        },
    },
    dissect,
    ids::ConnectionId,
    port::HostState,
    rmp::{DropReason, Listener, PeerView, Snapshot, SubView, Totals},
    tap::entry::{Link, rmp::Gauge},
    time::Now,
};

/// What to do while the bus does not answer. No command reaches a station but over its bus.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![
        instruction(
            "free the path of its socket, or end the station and start it with another: --socket PATH",
        ),
        key_hint(Action::Restart, "starts it again once the path is free"),
    ]
}

/// What to do while the socket does not answer.
pub(crate) fn socket_remedy() -> Vec<ReportLine> {
    vec![
        instruction(
            "free the path, and it is bound by itself; or end the station and start it with another: --socket PATH",
        ),
        command("doctor"),
    ]
}

/// What to do about drops of a reason, at whose doing they are.
pub(crate) fn drop_remedy(reason: DropReason) -> Vec<ReportLine> {
    dissect::rmp::drop_remedy(reason).iter().map(|text| instruction(text)).collect()
}

/// The bus.
pub(crate) fn report(model: &Model, now: Now) -> Report {
    let mut report = Report::new();
    let Some(state) = &model.station_state else {
        report.degrade(Condition::Degraded, "the station is starting".to_owned(), Vec::new());
        return report;
    };
    if let HostState::Down(why) = &state.station.hosts[Link::Rmp.index()] {
        report.degrade(Condition::Down, format!("the bus is down: {why}"), host_remedy());
    }
    match &state.rmp.listener {
        Listener::Down(why) => {
            report.degrade(Condition::Down, format!("the socket does not answer: {why}"), socket_remedy());
        }
        Listener::Starting => {
            report.degrade(Condition::Degraded, "the socket is not bound yet".to_owned(), Vec::new());
        }
        Listener::Listening(_) => {}
    }
    report_drops(&mut report, model, now);
    report_full_queues(&mut report, model, &state.rmp);
    report_early_forgets(&mut report, model, &state.rmp.totals, now);
    report_metrics(&mut report, model, &state.rmp, now);
    alerts::report(model.alerts(), &mut report, state, Link::Rmp);
    report
}

fn report_early_forgets(report: &mut Report, model: &Model, totals: &Totals, now: Now) {
    if is_recent(model.bus.forgot_at, now) {
        let young = format::count(totals.evicted_young);
        let why = format!(
            "keys against duplicates are forgotten before the longest TTL is over, {young} so far: what is sent again may pass"
        );
        let remedy = vec![instruction(
            "raise limits.rmp.topic_keys_max or limits.rmp.keys_max, or lower limits.rmp.ttl_ms_max",
        )];
        report.degrade(Condition::Degraded, why, remedy);
    }
    if is_recent(model.bus.forgot_lost_at, now) {
        let young = format::count(totals.lost_evicted_young);
        let why = format!(
            "of what subscribers lost, keys are forgotten before the longest TTL is over, {young} so far: what is sent again may not reach them"
        );
        let remedy = vec![instruction(
            "raise limits.rmp.subscriber_lost_runs_max or limits.rmp.lost_runs_max, or let the subscribers read faster",
        )];
        report.degrade(Condition::Degraded, why, remedy);
    }
}

fn report_drops(report: &mut Report, model: &Model, now: Now) {
    let order = [DropReason::BackpressureTimeout, DropReason::TtlExpired, DropReason::Duplicate];
    let lately = order.map(|reason| (reason, model.bus.drops.per_minute(reason.index(), now)));
    for (reason, count) in lately.into_iter().filter(|(_, count)| *count > 0) {
        let what = match reason {
            DropReason::TtlExpired => "expired before they reached a subscriber",
            DropReason::Duplicate => "came again, and were not given twice",
            DropReason::BackpressureTimeout => "found no room in a subscriber's queue",
        };
        report.degrade(
            Condition::Degraded,
            format!("{what}, in the last minute: {}", format::many(count, "message")),
            drop_remedy(reason),
        );
    }
    if lately.iter().any(|(_, count)| *count > 0) {
        report.lines.push(key_hint(Action::ViewBus, "has the Drops, with whose doing each is"));
    }
}

/// Queues that a report names.
const FULL_LISTED_MAX: usize = 3;

/// Whose queues have no room, or hardly any: that lasts until they read, whether or not more is dropped.
fn report_full_queues(report: &mut Report, model: &Model, rmp: &Snapshot) {
    let limits = model.bus.limits();
    let is_full = |sub: &&SubView| {
        let Gauge { queued_messages, queued_bytes, .. } = sub.gauge;
        queued_messages >= limits.queue_messages_max || queued_bytes >= limits.queue_bytes_max / 20 * 19
    };
    let of_peer = |(session, peer): (&ConnectionId, &PeerView)| {
        let count = peer.subs.values().filter(is_full).count();
        (count > 0).then(|| {
            let name = peer_name(peer, model.own_session() == Some(*session));
            if count > 1 {
                format!("{name} (session {session}, {count} queues)")
            } else {
                format!("{name} (session {session})")
            }
        })
    };
    let whose: Vec<String> = rmp.peers.iter().filter_map(of_peer).collect();
    if !whose.is_empty() {
        let more = if whose.len() > FULL_LISTED_MAX {
            format!(" and {} more", whose.len() - FULL_LISTED_MAX)
        } else {
            String::new()
        };
        let named = whose.iter().take(FULL_LISTED_MAX).cloned().collect::<Vec<_>>().join(", ");
        report.degrade(
            Condition::Degraded,
            format!("queues are full: {named}{more}"),
            drop_remedy(DropReason::BackpressureTimeout),
        );
    }
}

fn report_metrics(report: &mut Report, model: &Model, rmp: &Snapshot, now: Now) {
    if let Listener::Listening(path) = &rmp.listener {
        report.detail("listens on", path.to_string());
    }
    let subs: usize = rmp.peers.values().map(|peer| peer.subs.len()).sum();
    let topics = rmp.totals.topics.max(rmp.topics.len() as u64);
    report.detail(
        "peers",
        format!(
            "{}, {}, {}",
            rmp.peers.len(),
            format::many(subs as u64, "subscription"),
            format::many(topics, "topic")
        ),
    );
    let [messages, bytes, delivered] = [0, 1, 2].map(|figure| model.bus.all.per_second(figure, now));
    let words = rate_text;
    report.detail(
        "rate",
        format!(
            "{} messages/s in, {} B/s, {} messages/s out",
            words(messages),
            words(bytes),
            words(delivered)
        ),
    );
    let totals = &rmp.totals;
    let dropped: u64 = totals.dropped.iter().sum();
    let count = format::count;
    report.detail(
        "so far",
        format!(
            "{} taken, {} given on, {} dropped, {} refused",
            count(totals.published),
            count(totals.delivered),
            count(dropped),
            count(totals.refused)
        ),
    );
    let keys = format::many(totals.keys, "key");
    let words = match (
        totals.evicted_young.saturating_add(totals.lost_evicted_young),
        model.bus.forgets_early(now),
    ) {
        (0, _) => format!("{keys}, none forgotten before its time"),
        (early, true) => format!("{keys}; {} were forgotten before their time, and more are", count(early)),
        (early, false) => {
            format!(
                "{keys}; {} were forgotten before their time, none in the last minute: nothing is amiss now",
                count(early)
            )
        }
    };
    report.detail("dedupe", words);
}
