//! How each system is, why, and what to do: what the chips show.

use super::{
    causes::{close_words, refusal_remedy},
    state::{Model, World},
};
use crate::{
    mpp::Listener,
    port::HostState,
    tap::entry::{
        Link,
        mpp::{CloseCause, Fault},
    },
    time::Now,
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
    /// A figure or fact: its name and value. The value may come from a peer.
    Fact(&'static str, String),
    /// Why it is not well.
    Why(String),
    /// What to do about it.
    Do(String),
    /// A subcommand to type.
    Run(&'static str),
}

/// How a system is, and everything a person would ask next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) condition: Condition,
    pub(crate) sentences: Vec<Sentence>,
}

impl Report {
    fn new() -> Self {
        Self { condition: Condition::Well, sentences: Vec::new() }
    }

    fn worse(&mut self, condition: Condition, why: String, mut remedy: Vec<Sentence>) {
        self.condition = self.condition.max(condition);
        self.sentences.push(Sentence::Why(why));
        self.sentences.append(&mut remedy);
    }

    fn fact(&mut self, name: &'static str, value: impl Into<String>) {
        self.sentences.push(Sentence::Fact(name, value.into()));
    }
}

fn to_do(words: &str) -> Sentence {
    Sentence::Do(words.to_owned())
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
    report
        .fact("pack", format!("{} {} ({})", mpp.pack.id, mpp.pack.version, if mpp.pack.is_sample { "the sample" } else { &mpp.pack.name }));
    report.fact("", mpp.pack.hash.as_str());
    if let Listener::Listening(addr) = &mpp.listener {
        report.fact("listens on", addr.to_string());
    }
    if let Some(adapter) = &mpp.adapter {
        let since = crate::console::format::age(now.mono.since(adapter.connected_at.mono));
        report.fact("adapter", format!("{}, connected for {since}, session {}", adapter.peer, adapter.session_id));
    }
    let pending: u64 = mpp.queues.values().map(|queue| queue.pending).sum();
    report.fact("queues", format!("{}, {pending} rows pending, {} in flight", mpp.queues.len(), mpp.live.len()));
    report
}

fn troubles(report: &mut Report, model: &Model, world: &World, now: Now) {
    let mpp = &world.mpp;
    if let HostState::Down(why) = &world.station.hosts[Link::Mpp.index()] {
        report.worse(Condition::Down, format!("the bridge is down: {why}"), vec![Sentence::Run("doctor")]);
    }
    match &mpp.listener {
        Listener::Down(why) => {
            let remedy = vec![to_do("free the port, or start with another: --port 0 takes any"), Sentence::Run("doctor")];
            report.worse(Condition::Down, format!("the port does not answer: {why}"), remedy);
        }
        Listener::Starting => report.worse(Condition::Degraded, "the port is not bound yet".to_owned(), Vec::new()),
        Listener::Listening(_) => {}
    }
    if let Some(why) = &mpp.commits_failing {
        let remedy = vec![to_do("free space on the data folder's disk; it is retried by itself")];
        report.worse(Condition::Degraded, format!("commits fail, nothing new is taken or dispatched: {why}"), remedy);
    }
    if !mpp.paired {
        let remedy = vec![to_do("pair; it prints the token that the adapter connects with:"), Sentence::Run("pair")];
        report.worse(Condition::Degraded, "no pairing: no adapter can connect".to_owned(), remedy);
    }
    match &mpp.adapter {
        Some(adapter) if adapter.stale => {
            let silent = crate::console::format::age(now.mono.since(adapter.last_in.mono));
            report.worse(
                Condition::Degraded,
                format!("the adapter has sent nothing for {silent}"),
                vec![to_do("K drops it, so that it can connect anew")],
            );
        }
        Some(_) => {}
        None => no_adapter(report, model, world, now),
    }
    let held: Vec<_> = mpp.queues.iter().filter(|(_, queue)| queue.brake.held).map(|(name, _)| name.as_str()).collect();
    if !held.is_empty() {
        report.worse(Condition::Degraded, format!("held: {}", held.join(", ")), vec![to_do("H on the queue resumes it")]);
    }
    let other: u64 = mpp.queues.values().map(|queue| queue.other_manifest).sum();
    if other > 0 {
        let remedy = vec![to_do("move those that fit to the one in force, or cancel them:"), Sentence::Run("pack migrate")];
        report.worse(Condition::Degraded, format!("{other} rows are pending under another manifest and wait for it"), remedy);
    }
}

fn no_adapter(report: &mut Report, model: &Model, world: &World, now: Now) {
    if let Some((peer, cause, at)) = &model.refused {
        let ago = crate::console::format::age(now.mono.since(at.mono));
        let mut remedy = Vec::new();
        if let CloseCause::Fault(Fault::Hello(reason)) = cause {
            let (words, run) = refusal_remedy(*reason);
            remedy.push(to_do(words));
            remedy.extend(run.map(Sentence::Run));
        }
        report.worse(Condition::Degraded, format!("{peer} was refused {ago} ago: {}", close_words(*cause)), remedy);
    }
    let why = match &world.mpp.last_close {
        Some((peer, cause, at)) => {
            let ago = crate::console::format::age(now.mono.since(at.mono));
            format!("no adapter is connected; {peer} left {ago} ago: {}", close_words(*cause))
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
        let remedy =
            vec![to_do("free space on its disk; it is retried by itself, and nothing acknowledged is lost"), Sentence::Run("doctor")];
        report.worse(Condition::Down, format!("it refuses commits: {why}"), remedy);
    }
    report.fact("data", world.station.data.display().to_string());
    if let Some(recording) = &world.station.recording {
        report.fact("recording", format!("{} ({})", recording.path.display(), crate::console::format::bytes(recording.bytes)));
    }
    report
}
