//! How the bridge is, why, and what to do: what its chip shows.

use std::fmt::Write as _;

use crate::{
    console::{
        draw::format::age,
        input::action::Action,
        model::{
            alerts,
            health::{Condition, Report, ReportLine, command, instruction, key_hint},
            state::Model,
            station::StationState,
        },
    },
    dissect::mpp::{describe_close, refusal_remedy},
    ids::InvocationId,
    mpp,
    mpp::Listener,
    port::HostState,
    tap::entry::{
        Link,
        mpp::{CloseCause, Fault, HelloReason},
    },
    time::Now,
    words::counted,
};

/// Rows left in applied that a report names.
const ORPHANED_LISTED_MAX: usize = 6;

/// How many rows occupy the slot of a queue, and how many others are applied and not done.
pub(crate) fn in_flight(mpp: &mpp::Snapshot) -> (usize, usize) {
    let flying = mpp.queues.values().filter(|queue| queue.in_flight.is_some()).count();
    (flying, mpp.live.len().saturating_sub(flying))
}

/// What to do with a row that was left in applied.
pub(crate) fn settle_remedy(id: InvocationId) -> Vec<ReportLine> {
    vec![
        key_hint(
            Action::Settle,
            "on its row in In flight, or in the alerts, settles it, as done or as failed; or:",
        ),
        command(format!("invocation settle {id} done")),
    ]
}

/// What to do while the bridge does not answer.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![key_hint(Action::Restart, "starts it again, from what is on disk; or:"), command("host restart mpp")]
}

/// What to do while the port does not answer.
pub(crate) fn port_remedy() -> Vec<ReportLine> {
    vec![instruction("free the port, or start with another: --port 0 takes any"), command("doctor")]
}

/// What to do with an adapter that sends nothing.
pub(crate) fn silent_remedy() -> Vec<ReportLine> {
    vec![key_hint(Action::Kick, "drops it, so that it can connect anew"), command("adapter disconnect")]
}

/// What to do after a refused handshake.
pub(crate) fn hello_remedy(reason: HelloReason) -> Vec<ReportLine> {
    let (words, subcommand) = refusal_remedy(reason);
    let key = (reason == HelloReason::AlreadyConnected)
        .then(|| key_hint(Action::Kick, "drops it here; elsewhere:"));
    std::iter::once(instruction(words)).chain(key).chain(subcommand.map(command)).collect()
}

/// The MPP bridge.
pub(crate) fn report(model: &Model, now: Now) -> Report {
    let mut report = Report::new();
    let Some(state) = &model.station_state else {
        report.degrade(Condition::Degraded, "the station is starting".to_owned(), Vec::new());
        return report;
    };
    report_problems(&mut report, model, state, now);
    let mpp = &state.mpp;
    report.detail(
        "pack",
        format!(
            "{} {} ({})",
            mpp.pack.id,
            mpp.pack.version,
            if mpp.pack.is_sample { "the sample" } else { &mpp.pack.name }
        ),
    );
    report.detail("", mpp.pack.hash.as_str());
    if let Listener::Listening(addr) = &mpp.listener {
        report.detail("listens on", addr.to_string());
    }
    if let Some(adapter) = &mpp.adapter {
        let since = age(now.mono.since(adapter.connected_at.mono));
        report.detail(
            "adapter",
            format!("{}, connected for {since}, session {}", adapter.peer, adapter.session_id),
        );
    }
    let pending: u64 = mpp.queues.values().map(|queue| queue.pending).sum();
    let (flying, applied) = in_flight(mpp);
    let mut figures =
        format!("{}, {} pending, {flying} in flight", mpp.queues.len(), counted(pending, "row"));
    if applied > 0 {
        let _ = write!(figures, ", {applied} applied and not done");
    }
    report.detail("queues", figures);
    report
}

fn report_problems(report: &mut Report, model: &Model, state: &StationState, now: Now) {
    let mpp = &state.mpp;
    if let HostState::Down(why) = &state.station.hosts[Link::Mpp.index()] {
        report.degrade(Condition::Down, format!("the bridge is down: {why}"), host_remedy());
    }
    match &mpp.listener {
        Listener::Down(why) => {
            report.degrade(Condition::Down, format!("the port does not answer: {why}"), port_remedy());
        }
        Listener::Starting => {
            report.degrade(Condition::Degraded, "the port is not bound yet".to_owned(), Vec::new());
        }
        Listener::Listening(_) => {}
    }
    if let Some(why) = &mpp.commits_failing {
        let remedy = vec![instruction("free space on the data folder's disk; it is retried by itself")];
        report.degrade(
            Condition::Degraded,
            format!("commits fail, nothing new is taken or dispatched: {why}"),
            remedy,
        );
    }
    if let Some(why) = &mpp.reads_failing {
        let remedy = vec![
            instruction(
                "look at the data folder's disk; it is retried by itself, and what is on it can be copied:",
            ),
            command("backup FILE"),
        ];
        report.degrade(Condition::Degraded, format!("rows cannot be read: {why}"), remedy);
    }
    if !mpp.paired {
        let remedy =
            vec![instruction("pair; it prints the token that the adapter connects with:"), command("pair")];
        report.degrade(Condition::Degraded, "no pairing: no adapter can connect".to_owned(), remedy);
    }
    match &mpp.adapter {
        Some(adapter) if adapter.stale => {
            let silent = age(now.mono.since(adapter.last_in.mono));
            report.degrade(
                Condition::Degraded,
                format!("the adapter has sent nothing for {silent}"),
                silent_remedy(),
            );
        }
        Some(_) => {}
        None => report_missing_adapter(report, model, state, now),
    }
    report_queues(report, mpp);
    alerts::report(model.alerts(), report, state, Link::Mpp);
}

/// What keeps rows in their queues.
fn report_queues(report: &mut Report, mpp: &mpp::Snapshot) {
    let held: Vec<_> =
        mpp.queues.iter().filter(|(_, queue)| queue.brake.held).map(|(name, _)| name.as_str()).collect();
    if !held.is_empty() {
        report.degrade(
            Condition::Degraded,
            format!("held: {}", held.join(", ")),
            vec![key_hint(Action::Hold, "on the queue resumes it")],
        );
    }
    let draining: Vec<_> =
        mpp.queues.iter().filter(|(_, queue)| queue.brake.draining).map(|(name, _)| name.as_str()).collect();
    if !draining.is_empty() {
        let why = format!("draining, new work is refused: {}", draining.join(", "));
        report.degrade(
            Condition::Degraded,
            why,
            vec![key_hint(Action::Drain, "on the queue takes new work again")],
        );
    }
    let left: Vec<_> = mpp.live.iter().filter(|(_, live)| live.orphaned).map(|(id, _)| *id).collect();
    if let Some(first) = left.first() {
        let ids =
            left.iter().take(ORPHANED_LISTED_MAX).map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let more = if left.len() > ORPHANED_LISTED_MAX {
            format!(" and {} more", left.len() - ORPHANED_LISTED_MAX)
        } else {
            String::new()
        };
        let why = format!("left in applied, their end is unknown and waits to be settled: {ids}{more}");
        report.degrade(Condition::Degraded, why, settle_remedy(*first));
    }
    let other: u64 = mpp.queues.values().map(|queue| queue.other_manifest).sum();
    if other > 0 {
        let remedy = vec![
            instruction("move those that fit to the one in force, or cancel them:"),
            command("pack migrate"),
        ];
        report.degrade(
            Condition::Degraded,
            format!("pending under another manifest, and waiting for it: {}", counted(other, "row")),
            remedy,
        );
    }
}

fn report_missing_adapter(report: &mut Report, model: &Model, state: &StationState, now: Now) {
    if let Some((peer, cause, at)) = &model.bridge.refused {
        let ago = age(now.mono.since(at.mono));
        let remedy = match cause {
            CloseCause::Fault(Fault::Hello(reason)) => hello_remedy(*reason),
            _ => Vec::new(),
        };
        report.degrade(
            Condition::Degraded,
            format!("{peer} was refused {ago} ago: {}", describe_close(*cause, None)),
            remedy,
        );
    }
    let why = match &state.mpp.last_close {
        Some((peer, cause, at)) => {
            let ago = age(now.mono.since(at.mono));
            format!("no adapter is connected; {peer} left {ago} ago: {}", describe_close(*cause, None))
        }
        None => "no adapter has connected yet".to_owned(),
    };
    report.degrade(
        Condition::Degraded,
        why,
        vec![instruction("start the adapter; pending work waits for it")],
    );
}
