//! How the bus is, why, and what to do: what its chip shows.

use crate::{
    console::{
        draw::format,
        input::action::Action,
        model::{
            alerts,
            health::{Report, ReportLine, command, instruction, key_hint},
            rate_text,
            state::Model,
        },
    },
    dissect,
    port::health::rmp::{Cause, problems},
    rmp::{DropReason, Listener, Snapshot},
    tap::entry::Link,
    time::Now,
};

/// What to do while the bus does not answer. No command reaches a station but over its bus.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![
        instruction("free the socket path, or restart the station with another: --socket PATH"),
        key_hint(Action::Restart, "restarts it once the path is free"),
    ]
}

/// What to do while the socket does not answer.
pub(crate) fn socket_remedy() -> Vec<ReportLine> {
    vec![
        instruction(
            "free the socket path, and it is bound automatically; or restart the station with another: --socket PATH",
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
    let Some(state) = &model.station_state else { return Report::starting() };
    let mut report = Report::new();
    let mut drops = false;
    for problem in problems(state, model.bus.limits(), now) {
        let is_drop = matches!(problem.cause, Cause::Drops(_));
        if drops && !is_drop {
            report.lines.push(key_hint(Action::ViewBus, "shows the Drops with their culprits"));
        }
        drops = is_drop;
        let remedy = remedy(problem.cause);
        report.add(problem, remedy);
    }
    if drops {
        report.lines.push(key_hint(Action::ViewBus, "shows the Drops with their culprits"));
    }
    report_metrics(&mut report, model, &state.rmp, now);
    alerts::report(model.alerts(), &mut report, state, Link::Rmp);
    report
}

fn remedy(cause: Cause) -> Vec<ReportLine> {
    match cause {
        Cause::HostDown => host_remedy(),
        Cause::SocketDown => socket_remedy(),
        Cause::SocketStarting => Vec::new(),
        Cause::Drops(reason) => drop_remedy(reason),
        Cause::FullQueues => drop_remedy(DropReason::BackpressureTimeout),
        Cause::Forgets => vec![instruction(
            "raise limits.rmp.topic_keys_max or limits.rmp.keys_max, or lower limits.rmp.ttl_ms_max",
        )],
        Cause::ForgetsLost => vec![instruction(
            "raise limits.rmp.subscriber_lost_runs_max or limits.rmp.lost_runs_max, or let the subscribers read faster",
        )],
    }
}

fn report_metrics(report: &mut Report, model: &Model, rmp: &Snapshot, now: Now) {
    if let Listener::Listening(path) = &rmp.listener {
        report.detail("listening", path.to_string());
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
        "since start",
        format!(
            "{} accepted, {} delivered, {} dropped, {} refused",
            count(totals.published),
            count(totals.delivered),
            count(dropped),
            count(totals.refused)
        ),
    );
    let keys = format::many(totals.keys, "key");
    let words = match (
        totals.evicted_young.saturating_add(totals.lost_evicted_young),
        rmp.forgets_early(now).contains(&true),
    ) {
        (0, _) => format!("{keys}, none evicted early"),
        (early, true) => format!("{keys}; {} evicted early, and counting", count(early)),
        (early, false) => {
            format!("{keys}; {} evicted early, none in the last minute", count(early))
        }
    };
    report.detail("dedupe", words);
}
