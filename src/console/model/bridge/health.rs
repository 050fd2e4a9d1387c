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
        },
    },
    dissect::mpp::{describe_close, refusal_remedy},
    ids::InvocationId,
    mpp::Listener,
    port::health::mpp::{Cause, in_flight, problems},
    store::REFUSED_REMEDY,
    tap::entry::{
        Link,
        mpp::{CloseCause, Fault, HelloReason},
    },
    time::Now,
    words::counted,
};

/// What to do with a row that was left in applied.
pub(crate) fn settle_remedy(id: InvocationId) -> Vec<ReportLine> {
    vec![
        key_hint(Action::Settle, "on its row in In flight, or in the alerts, marks it done or failed; or:"),
        command(format!("invocation settle {id} done")),
    ]
}

/// What to do while the bridge does not answer.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![key_hint(Action::Restart, "restarts it from the data on disk; or:"), command("host restart mpp")]
}

/// What to do while the port does not answer.
pub(crate) fn port_remedy() -> Vec<ReportLine> {
    vec![instruction("free the port, or start with another one (--port 0 takes any)"), command("doctor")]
}

/// What to do with an adapter that sends nothing.
pub(crate) fn silent_remedy() -> Vec<ReportLine> {
    vec![key_hint(Action::Kick, "disconnects it, so that it can reconnect"), command("adapter disconnect")]
}

/// What to do after a refused handshake.
pub(crate) fn hello_remedy(reason: HelloReason) -> Vec<ReportLine> {
    let (words, subcommand) = refusal_remedy(reason);
    let key = (reason == HelloReason::AlreadyConnected)
        .then(|| key_hint(Action::Kick, "disconnects it here; elsewhere:"));
    std::iter::once(instruction(words)).chain(key).chain(subcommand.map(command)).collect()
}

/// The MPP bridge.
pub(crate) fn report(model: &Model, now: Now) -> Report {
    let Some(state) = &model.station_state else { return Report::starting() };
    let mut report = Report::new();
    for mut problem in problems(state, now) {
        if problem.cause == Cause::NoAdapter {
            report_refused_adapter(&mut report, model, now);
            if let Some((_, cause, _)) = &state.mpp.last_close {
                problem.reason = format!("{}: {}", problem.reason, describe_close(*cause, None));
            }
        }
        let remedy = remedy(problem.cause);
        report.add(problem, remedy);
    }
    alerts::report(model.alerts(), &mut report, state, Link::Mpp);
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
        report.detail("listening", addr.to_string());
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

fn remedy(cause: Cause) -> Vec<ReportLine> {
    match cause {
        Cause::HostDown => host_remedy(),
        Cause::PortDown => port_remedy(),
        Cause::PortStarting => Vec::new(),
        Cause::CommitsFail => {
            vec![instruction("free space on the data folder's disk; commits are retried automatically")]
        }
        Cause::CommitsRefused => vec![instruction(REFUSED_REMEDY)],
        Cause::ReadsFail => vec![
            instruction("check the data folder's disk; reads are retried automatically. To copy the data:"),
            command("backup FILE"),
        ],
        Cause::Unpaired => {
            vec![instruction("pair; it prints the adapter's token:"), command("pair")]
        }
        Cause::AdapterSilent => silent_remedy(),
        Cause::NoAdapter => vec![instruction("start the adapter; pending work is kept")],
        Cause::Held => vec![key_hint(Action::Hold, "on the queue resumes it")],
        Cause::Draining => vec![key_hint(Action::Drain, "on the queue ends the drain")],
        Cause::Orphaned(first) => settle_remedy(first),
        Cause::OtherPack => vec![
            instruction("move those that fit to the active manifest, or cancel them:"),
            command("pack migrate"),
        ],
    }
}

/// Whom the bridge has turned away, where no adapter is there.
fn report_refused_adapter(report: &mut Report, model: &Model, now: Now) {
    let Some((peer, cause, at)) = &model.bridge.refused else { return };
    let ago = age(now.mono.since(at.mono));
    let remedy = match cause {
        CloseCause::Fault(Fault::Hello(reason)) => hello_remedy(*reason),
        _ => Vec::new(),
    };
    let why = format!("{peer} was refused {ago} ago: {}", describe_close(*cause, None));
    report.degrade(Condition::Degraded, "no adapter", why, remedy);
}
