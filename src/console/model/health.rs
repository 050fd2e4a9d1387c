//! How each system is, why, and what to do: what the chips show.

use std::{borrow::Cow, fmt::Write as _};

use super::{
    alerts::{Cause, remedy},
    causes::{close_words, refusal_remedy},
    state::Model,
    world::World,
};
use crate::{
    console::{action::Action, class::Class},
    ids::InvocationId,
    mpp::{self, Listener},
    port::HostState,
    tap::entry::{
        Link,
        mpp::{CloseCause, Fault, HelloReason},
    },
    time::Now,
    words::counted,
};

/// How a system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Condition {
    Well,
    Degraded,
    Down,
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sentence {
    /// A figure or fact: its name, its value, and who may see that.
    Fact(&'static str, String, Class),
    /// Why it is not well.
    Why(String),
    /// What to do about it.
    Do(String),
    /// A key to press, and what it does.
    Press(Action, Cow<'static, str>),
    /// A subcommand to type.
    Run(Cow<'static, str>),
}

/// How a system is, and everything a person would ask next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) condition: Condition,
    pub(crate) sentences: Vec<Sentence>,
}

impl Report {
    pub(super) fn new() -> Self {
        Self { condition: Condition::Well, sentences: Vec::new() }
    }

    pub(super) fn worse(&mut self, condition: Condition, why: String, mut remedy: Vec<Sentence>) {
        self.condition = self.condition.max(condition);
        self.sentences.push(Sentence::Why(why));
        self.sentences.append(&mut remedy);
    }

    pub(super) fn fact(&mut self, name: &'static str, value: impl Into<String>) {
        self.sentences.push(Sentence::Fact(name, value.into(), Class::Public));
    }
}

pub(super) fn to_do(words: &str) -> Sentence {
    Sentence::Do(words.to_owned())
}

pub(super) fn press(action: Action, words: &'static str) -> Sentence {
    Sentence::Press(action, Cow::Borrowed(words))
}

pub(super) fn run(subcommand: impl Into<Cow<'static, str>>) -> Sentence {
    Sentence::Run(subcommand.into())
}

/// How many rows occupy the slot of a queue, and how many others are applied and not done.
pub(crate) fn in_flight(mpp: &mpp::Snapshot) -> (usize, usize) {
    let flying = mpp.queues.values().filter(|queue| queue.in_flight.is_some()).count();
    (flying, mpp.live.len().saturating_sub(flying))
}

/// What to do with a row that was left in applied.
pub(crate) fn settle_remedy(id: InvocationId) -> Vec<Sentence> {
    vec![
        press(
            Action::Settle,
            "on its row in In flight, or in the alerts, settles it, as done or as failed; or:",
        ),
        run(format!("settle {id} done")),
    ]
}

/// What to do while a host does not answer.
pub(super) fn host_remedy(link: Link) -> Vec<Sentence> {
    match link {
        Link::Mpp => {
            vec![press(Action::Restart, "starts it again, from what is on disk; or:"), run("restart mpp")]
        }
        // No command reaches a station but over its bus.
        Link::Rmp => vec![
            to_do("free the path of its socket, or end the station and start it with another: --socket PATH"),
            press(Action::Restart, "starts it again once the path is free"),
        ],
        Link::Runs => vec![press(Action::Restart, "starts it again; or:"), run("restart runs")],
        Link::Macp => {
            vec![press(Action::Restart, "starts it again, from what is on disk; or:"), run("restart macp")]
        }
        Link::Station => vec![run("doctor")],
    }
}

/// What to do while the port does not answer.
pub(super) fn port_remedy() -> Vec<Sentence> {
    vec![to_do("free the port, or start with another: --port 0 takes any"), run("doctor")]
}

/// What to do while the store refuses commits.
pub(super) fn store_remedy() -> Vec<Sentence> {
    vec![
        to_do("free space on its disk; it is retried by itself, and nothing acknowledged is lost"),
        run("doctor"),
    ]
}

/// What to do while the disk is nearly full.
pub(super) fn disk_remedy() -> Vec<Sentence> {
    vec![to_do(
        "free space on it, or end a recording that lies there: when it is full, no work is taken (limits.store.disk_free_bytes_min)",
    )]
}

/// What to do with an adapter that sends nothing.
pub(super) fn silent_remedy() -> Vec<Sentence> {
    vec![press(Action::Kick, "drops it, so that it can connect anew"), run("kick adapter")]
}

/// What to do after a refused handshake.
pub(crate) fn hello_remedy(reason: HelloReason) -> Vec<Sentence> {
    let (words, subcommand) = refusal_remedy(reason);
    let key =
        (reason == HelloReason::AlreadyConnected).then(|| press(Action::Kick, "drops it here; elsewhere:"));
    std::iter::once(to_do(words)).chain(key).chain(subcommand.map(run)).collect()
}

/// The MPP bridge.
pub(crate) fn mpp_report(model: &Model, now: Now) -> Report {
    let mut report = Report::new();
    let Some(world) = &model.world else {
        report.worse(Condition::Degraded, "the station is starting".to_owned(), Vec::new());
        return report;
    };
    troubles(&mut report, model, world, now);
    let mpp = &world.mpp;
    report.fact(
        "pack",
        format!(
            "{} {} ({})",
            mpp.pack.id,
            mpp.pack.version,
            if mpp.pack.is_sample { "the sample" } else { &mpp.pack.name }
        ),
    );
    report.fact("", mpp.pack.hash.as_str());
    if let Listener::Listening(addr) = &mpp.listener {
        report.fact("listens on", addr.to_string());
    }
    if let Some(adapter) = &mpp.adapter {
        let since = crate::console::format::age(now.mono.since(adapter.connected_at.mono));
        report.fact(
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
    report.fact("queues", figures);
    report
}

fn troubles(report: &mut Report, model: &Model, world: &World, now: Now) {
    let mpp = &world.mpp;
    if let HostState::Down(why) = &world.station.hosts[Link::Mpp.index()] {
        report.worse(Condition::Down, format!("the bridge is down: {why}"), host_remedy(Link::Mpp));
    }
    match &mpp.listener {
        Listener::Down(why) => {
            report.worse(Condition::Down, format!("the port does not answer: {why}"), port_remedy());
        }
        Listener::Starting => {
            report.worse(Condition::Degraded, "the port is not bound yet".to_owned(), Vec::new())
        }
        Listener::Listening(_) => {}
    }
    if let Some(why) = &mpp.commits_failing {
        let remedy = vec![to_do("free space on the data folder's disk; it is retried by itself")];
        report.worse(
            Condition::Degraded,
            format!("commits fail, nothing new is taken or dispatched: {why}"),
            remedy,
        );
    }
    if !mpp.paired {
        let remedy = vec![to_do("pair; it prints the token that the adapter connects with:"), run("pair")];
        report.worse(Condition::Degraded, "no pairing: no adapter can connect".to_owned(), remedy);
    }
    match &mpp.adapter {
        Some(adapter) if adapter.stale => {
            let silent = crate::console::format::age(now.mono.since(adapter.last_in.mono));
            report.worse(
                Condition::Degraded,
                format!("the adapter has sent nothing for {silent}"),
                silent_remedy(),
            );
        }
        Some(_) => {}
        None => no_adapter(report, model, world, now),
    }
    let held: Vec<_> =
        mpp.queues.iter().filter(|(_, queue)| queue.brake.held).map(|(name, _)| name.as_str()).collect();
    if !held.is_empty() {
        report.worse(
            Condition::Degraded,
            format!("held: {}", held.join(", ")),
            vec![press(Action::Hold, "on the queue resumes it")],
        );
    }
    let draining: Vec<_> =
        mpp.queues.iter().filter(|(_, queue)| queue.brake.draining).map(|(name, _)| name.as_str()).collect();
    if !draining.is_empty() {
        let why = format!("draining, new work is refused: {}", draining.join(", "));
        report.worse(
            Condition::Degraded,
            why,
            vec![press(Action::Drain, "on the queue takes new work again")],
        );
    }
    let left: Vec<_> = mpp.live.iter().filter(|(_, live)| live.left).map(|(id, _)| *id).collect();
    if let Some(first) = left.first() {
        let ids = left.iter().take(LEFT_NAMED).map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let more = if left.len() > LEFT_NAMED {
            format!(" and {} more", left.len() - LEFT_NAMED)
        } else {
            String::new()
        };
        let why = format!("left in applied, their end is unknown and waits to be settled: {ids}{more}");
        report.worse(Condition::Degraded, why, settle_remedy(*first));
    }
    let other: u64 = mpp.queues.values().map(|queue| queue.other_manifest).sum();
    if other > 0 {
        let remedy =
            vec![to_do("move those that fit to the one in force, or cancel them:"), run("pack migrate")];
        report.worse(
            Condition::Degraded,
            format!("pending under another manifest, and waiting for it: {}", counted(other, "row")),
            remedy,
        );
    }
    alerted(report, model, world, Link::Mpp);
}

/// What only an alert knows of a system, while it holds; the rest is in its report already.
fn alerted(report: &mut Report, model: &Model, world: &World, link: Link) {
    let is_news =
        |cause: &Cause| matches!(cause, Cause::HeadWaiting(_) | Cause::DiskLow | Cause::RecordingFailed);
    for alert in model.alerts.standing().filter(|alert| alert.cause.link() == link && is_news(&alert.cause)) {
        report.worse(Condition::Degraded, alert.text.to_string(), remedy(&alert.cause, world));
    }
}

/// Rows left in applied that a report names.
const LEFT_NAMED: usize = 6;

fn no_adapter(report: &mut Report, model: &Model, world: &World, now: Now) {
    if let Some((peer, cause, at)) = &model.refused {
        let ago = crate::console::format::age(now.mono.since(at.mono));
        let remedy = match cause {
            CloseCause::Fault(Fault::Hello(reason)) => hello_remedy(*reason),
            _ => Vec::new(),
        };
        report.worse(
            Condition::Degraded,
            format!("{peer} was refused {ago} ago: {}", close_words(*cause, None)),
            remedy,
        );
    }
    let why = match &world.mpp.last_close {
        Some((peer, cause, at)) => {
            let ago = crate::console::format::age(now.mono.since(at.mono));
            format!("no adapter is connected; {peer} left {ago} ago: {}", close_words(*cause, None))
        }
        None => "no adapter has connected yet".to_owned(),
    };
    report.worse(Condition::Degraded, why, vec![to_do("start the adapter; pending work waits for it")]);
}

/// The store.
pub(crate) fn store_report(model: &Model) -> Report {
    let mut report = Report::new();
    let Some(world) = &model.world else {
        report.worse(Condition::Degraded, "the station is starting".to_owned(), Vec::new());
        return report;
    };
    if let Some(why) = &world.station.store_failing {
        report.worse(Condition::Down, format!("it refuses commits: {why}"), store_remedy());
    }
    alerted(&mut report, model, world, Link::Station);
    report.fact("data", world.station.data.display().to_string());
    if let Some(recording) = &world.station.recording {
        report.fact(
            "recording",
            format!("{} ({})", recording.path.display(), crate::console::format::bytes(recording.bytes)),
        );
    }
    report
}
