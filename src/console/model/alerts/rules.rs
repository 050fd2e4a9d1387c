//! When there is cause for an alert.

use std::{sync::Arc, time::Duration};

use super::alert::Cause;
use crate::{
    console::{
        draw::format,
        model::{
            bridge::{queue_head_age::QueueHeadAges, windowed_rates::WindowedRates},
            bus::state::drop_groups,
            station::StationState,
        },
        settings::config::AlertRules,
    },
    dissect::{mpp::describe_close, rmp::drop_word as word},
    ids::{ActionId, Peer, QueueName},
    mpp,
    mpp::Listener,
    port::HostState,
    rmp,
    rmp::DropReason,
    runs,
    runs::{RunState, Verdict},
    tap::entry::Link,
    time::Now,
};

/// A cause that holds now.
pub(crate) struct ActiveCause {
    pub(crate) cause: Cause,
    /// Since when; where it names one of several records, since when that one.
    pub(crate) since: Now,
    pub(crate) text: Arc<str>,
    /// The place of the last record, where there may be several.
    pub(crate) last: Option<u64>,
}

impl ActiveCause {
    fn new(cause: Cause, since: Now, text: impl Into<Arc<str>>) -> Self {
        Self { cause, since, text: text.into(), last: None }
    }
}

/// Every cause that holds now.
pub(crate) fn active_causes(
    state: &StationState,
    drops: &WindowedRates,
    heads: &QueueHeadAges,
    missed: Option<(Peer, Now)>,
    rules: &AlertRules,
    now: Now,
) -> Vec<ActiveCause> {
    let mut all = Vec::new();
    for link in Link::ALL {
        if let HostState::Down(why) = &state.station.hosts[link.index()] {
            all.push(ActiveCause::new(Cause::HostDown(link), now, format!("{} is down: {why}", link.name())));
        }
    }
    let failing = state.station.store_failing.as_ref().or(state.mpp.commits_failing.as_ref());
    if let Some(why) = failing {
        all.push(ActiveCause::new(Cause::StoreFailing, now, format!("the store refuses commits: {why}")));
    }
    if let Some(free_bytes) = state.station.disk_low {
        let text = format!("the data folder's disk is nearly full: {} were free", format::bytes(free_bytes));
        all.push(ActiveCause::new(Cause::DiskLow, now, text));
    }
    // Of a bridge that is down nothing is known: what held goes on to hold until it answers.
    if !is_down(state) {
        bridge_causes(&mut all, &state.mpp, heads, rules, now);
        if let Some((peer, since)) = missed.filter(|(_, since)| has_lasted(*since, rules.adapter_gone_s, now))
        {
            let text = format!("adapter {peer} has not come back since the bridge was started again");
            all.push(ActiveCause::new(Cause::AdapterGone(peer), since, text));
        }
    }
    bus_causes(&mut all, state, drops, now);
    run_causes(&mut all, state, now);
    all
}

/// Ten-second spans in a row in each of which something was dropped, before that is cause for an alert.
const DROPPING_BUCKETS: usize = 3;
const MINUTE: Duration = Duration::from_secs(60);

fn bus_causes(all: &mut Vec<ActiveCause>, state: &StationState, drops: &WindowedRates, now: Now) {
    if let HostState::Down(_) = &state.station.hosts[Link::Rmp.index()] {
        return;
    }
    if let rmp::Listener::Down(why) = &state.rmp.listener {
        all.push(ActiveCause::new(
            Cause::SocketDown,
            now,
            format!("the bus's socket does not answer: {why}"),
        ));
    }
    if let Some(since) = drops.steady_since(DROPPING_BUCKETS, now) {
        let count =
            format::count(DropReason::ALL.iter().map(|reason| drops.per_minute(reason.index(), now)).sum());
        let most =
            drop_groups(&state.rmp).into_iter().filter(|group| now.mono.since(group.last.at.mono) < MINUTE);
        let whose = most.max_by_key(|group| group.count).map_or_else(String::new, |group| {
            let session = group
                .key
                .culprit
                .session()
                .map_or_else(String::new, |session| format!(" (session {session})"));
            format!(
                ", most: {} on {}, {}{session}",
                word(group.key.reason).replace('_', " "),
                group.key.topic,
                group.culprit_label()
            )
        });
        let text =
            format!("messages of the bus do not reach their subscribers: {count} in the last minute{whose}");
        all.push(ActiveCause::new(Cause::Dropping, since, text));
    }
}

/// What runs ask and why they failed can quote viewers: an alert is told to everybody, and says neither.
fn run_causes(all: &mut Vec<ActiveCause>, state: &StationState, now: Now) {
    let runs = &state.runs;
    let in_time = runs.asks_in_time();
    if let (Some(oldest), Some(last), Some(first)) = (runs.asks.front(), runs.asks.back(), in_time.first()) {
        let name = runs.run(first.run).map_or_else(|| first.run.short(), |view| view.name.to_string());
        let left = format::age(first.expires_at.since(now.wall));
        let node = &first.node.id;
        let (text, since) = match (runs.waiting(), runs.asks_unshown) {
            (1, _) => (
                format!("{name} asks whether {node} may go on: without an answer it is a no in {left}"),
                first.asked_at,
            ),
            (count, unshown @ 1..) => {
                let text = format!(
                    "{count} questions of runs wait, the {unshown} oldest in `rl-console ls confirmations` alone"
                );
                (text, oldest.asked_at)
            }
            (count, 0) => {
                let text = format!(
                    "{count} questions of runs wait; the one of {name} ends first, whether {node} may go on: a no in {left}"
                );
                (text, first.asked_at)
            }
        };
        all.push(ActiveCause {
            last: Some(last.asked_at.mono.0),
            ..ActiveCause::new(Cause::AwaitingApproval, since, text)
        });
    }
    let failed = runs.runs.iter().filter(|view| view.state == RunState::Failed);
    let lately = failed
        .filter_map(|view| Some((view, view.ended_at?)))
        .filter(|(_, at)| now.mono.since(at.mono) < MINUTE);
    let mut lately: Vec<_> = lately.collect();
    lately.sort_by_key(|(_, at)| at.mono);
    if let Some((view, last)) = lately.last() {
        let text = match lately.len() {
            1 => format!("{} {} failed", view.name, view.run.short()),
            count => {
                format!("{count} runs failed in the last minute, {} {} last", view.name, view.run.short())
            }
        };
        all.push(ActiveCause { last: Some(last.mono.0), ..ActiveCause::new(Cause::RunsFailed, *last, text) });
    }
}

/// What is told once no run asks anything, where it is not known how the last question ended.
pub(crate) const NO_APPROVALS_PENDING: &str = "the questions of runs wait no longer";

/// What becomes of a question that is answered so.
pub(crate) fn describe_answer(runs: &runs::Snapshot, action: ActionId, verdict: Verdict) -> Option<Arc<str>> {
    let ask = runs.asks.iter().find(|ask| ask.action == action)?;
    let name = runs.run(ask.run).map_or_else(|| ask.run.short(), |view| view.name.to_string());
    let became = match verdict {
        Verdict::Approved => "it was approved",
        Verdict::Rejected => "it was rejected",
        Verdict::Expired => "nobody answered in time, and that is a no",
        Verdict::Withdrawn => "its run ended before an answer",
    };
    Some(format!("{name} asked whether {} may go on: {became}", ask.node.id).into())
}

/// Whether the bridge's own state cannot be trusted.
pub(crate) fn is_down(state: &StationState) -> bool {
    matches!(state.station.hosts[Link::Mpp.index()], HostState::Down(_))
}

/// Whether a rule of so many seconds is met; one of 0 is off.
fn has_lasted(since: Now, s: u64, now: Now) -> bool {
    s > 0 && now.mono.since(since.mono) >= Duration::from_secs(s)
}

fn bridge_causes(
    all: &mut Vec<ActiveCause>,
    mpp: &mpp::Snapshot,
    heads: &QueueHeadAges,
    rules: &AlertRules,
    now: Now,
) {
    if let Listener::Down(why) = &mpp.listener {
        all.push(ActiveCause::new(Cause::PortDown, now, format!("the port does not answer: {why}")));
    }
    match (&mpp.adapter, &mpp.last_close) {
        (Some(adapter), _) if adapter.stale => {
            let text = format!("adapter {} is connected and sends nothing", adapter.peer);
            all.push(ActiveCause::new(Cause::AdapterSilent(adapter.peer.clone()), adapter.last_in, text));
        }
        (None, Some((peer, cause, at))) if has_lasted(*at, rules.adapter_gone_s, now) => {
            let text = format!("adapter {peer} is gone: {}", describe_close(*cause, None));
            all.push(ActiveCause::new(Cause::AdapterGone(peer.clone()), *at, text));
        }
        _ => {}
    }
    for (queue, since) in heads.waiting().filter(|(_, since)| has_lasted(*since, rules.head_waiting_s, now)) {
        all.push(ActiveCause::new(Cause::HeadWaiting(queue.clone()), since, describe_head_wait(mpp, queue)));
    }
    let left: Vec<_> = mpp.live.iter().filter(|(_, live)| live.orphaned).collect();
    if let (Some((first, live)), Some((last, _))) = (left.first(), left.last()) {
        let text = match left.len() {
            1 => format!("{first} was left in applied: nobody knows how it ended"),
            count => format!("{count} rows were left in applied, {first} first: nobody knows how they ended"),
        };
        all.push(ActiveCause { last: Some(last.0), ..ActiveCause::new(Cause::Orphaned, live.since, text) });
    }
}

/// Why a head waits.
fn describe_head_wait(mpp: &mpp::Snapshot, name: &QueueName) -> String {
    let Some(queue) = mpp.queues.get(name.as_str()) else { return format!("the head of {name} waits") };
    let why = match (queue.in_flight, &mpp.adapter) {
        (_, None) => "no adapter is connected".to_owned(),
        (Some(id), _) => format!("{id} before it has not ended"),
        (None, _) if mpp.commits_failing.is_some() => "the store refuses commits".to_owned(),
        (None, _) if !queue.parked => "the adapter does not pull from it".to_owned(),
        (None, _) => "it is being read from the store".to_owned(),
    };
    format!("the head of {name} waits: {why}")
}
