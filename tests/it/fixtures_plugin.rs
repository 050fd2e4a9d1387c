//! One value of every variant of what the plugin host is told in. A new variant does not compile until it has
//! one.

use std::sync::Arc;

use rl_console::{
    ids::PluginId,
    limits,
    plugin::{
        About, ActionEnd, Code, Decision, DisableCause, ExitStatus, Head, Level, Lint, LogSource, Snapshot,
        StreamChange, Transition, UnhealthyCause, Verdict, Violation,
    },
    tap::entry::{Direction, Head as AnyHead, Verdict as AnyVerdict},
    time::{Now, Wall},
};

fn plugin() -> PluginId {
    PluginId::new("org.example.tick")
}

fn text(text: &str) -> Arc<str> {
    Arc::from(text)
}

fn texts<const N: usize>(texts: [&str; N]) -> Arc<[Arc<str>]> {
    texts.into_iter().map(text).collect()
}

pub(crate) fn heads() -> impl Iterator<Item = AnyHead> {
    let call = Head { method: Some(text("notify")), id: Some(text("\"7\"")), ..Head::new(plugin()) };
    let answer = Head { is_answer: true, code: Some(-32_000), ..call.clone() };
    [Head::new(plugin()), call, answer].into_iter().map(AnyHead::Plugin)
}

pub(crate) fn verdicts() -> impl Iterator<Item = AnyVerdict> {
    let mut all = every!(Verdict {
        Accepted => [Verdict::Accepted],
        Answered => [Verdict::Answered],
        Refused => [],
        Ignored => [],
        Broken => [],
    });
    all.extend(Code::ALL.into_iter().map(Verdict::Refused));
    all.extend(Lint::ALL.into_iter().map(Verdict::Ignored));
    all.extend(Violation::ALL.into_iter().map(Verdict::Broken));
    all.into_iter().map(AnyVerdict::Plugin)
}

fn about() -> Arc<About> {
    Arc::new(About {
        name: text("Tick"),
        version: text("1.2.0"),
        author: text("Somebody"),
        description: text("counts"),
        folder: Some(text("/plugins/tick")),
        command: Some(text("node main.js")),
        asks: texts(["notify", "twitch.android"]),
        is_networked: true,
        actions: texts(["count"]),
        slots: texts(["viewers"]),
        provides: texts(["counter"]),
    })
}

fn changes() -> Vec<StreamChange> {
    every!(StreamChange {
        Channel => [
            StreamChange::Channel { login: Some(text("somebody")) },
            StreamChange::Channel { login: None },
        ],
        Live => [StreamChange::Live { channels: 3 }],
        Session => [
            StreamChange::Session { id: text("solo"), is_there: false },
            StreamChange::Session { id: text("solo"), is_there: true },
        ],
        Upstream => [StreamChange::Upstream { plugin: plugin(), id: text("solo") }],
        Chat => [StreamChange::Chat { receivers: 2 }],
        ChatBatch => [StreamChange::ChatBatch { messages: 256, receivers: 2 }],
        Tick => [StreamChange::Tick],
    })
}

fn ends() -> Vec<ActionEnd> {
    let mut ends = every!(ActionEnd {
        Done => [ActionEnd::Done],
        Failed => [ActionEnd::Failed { code: -32_602 }],
        TimedOut => [ActionEnd::TimedOut],
        Gone => [ActionEnd::Gone],
        Refused => [],
    });
    ends.extend(Code::ALL.into_iter().map(ActionEnd::Refused));
    ends
}

fn statuses() -> Vec<ExitStatus> {
    every!(ExitStatus {
        Code => [ExitStatus::Code(-3)],
        Signal => [ExitStatus::Signal(9)],
        Unknown => [ExitStatus::Unknown],
    })
}

pub(crate) fn transitions() -> Vec<Transition> {
    let plugin = plugin();
    let mut all = every!(Transition {
        Installed => [
            Transition::Installed { plugin: plugin.clone(), about: Arc::default() },
            Transition::Installed { plugin: plugin.clone(), about: about() },
        ],
        Removed => [],
        Granted => [Transition::Granted { plugin: plugin.clone(), capabilities: texts(["notify", "log"]) }],
        Revoked => [Transition::Revoked { plugin: plugin.clone(), capability: text("log") }],
        Enabled => [Transition::Enabled { plugin: plugin.clone() }],
        Starting => [
            Transition::Starting { plugin: plugin.clone(), process: 4, restarts: None },
            Transition::Starting { plugin: plugin.clone(), process: 5, restarts: Some(2) },
        ],
        Up => [Transition::Up {
            plugin: plugin.clone(),
            pid: 77,
            version: text("1.2.0"),
            hooks: texts(["on_watch_tick"]),
            start_us: 900,
        }],
        Pinged => [Transition::Pinged { plugin: plugin.clone(), us: 120 }],
        Missed => [Transition::Missed { plugin: plugin.clone(), misses: 2 }],
        Unhealthy => [],
        Waiting => [Transition::Waiting { plugin: plugin.clone(), until: Wall(9_000), nth: 2 }],
        Disabled => [],
        Stopping => [Transition::Stopping { plugin: plugin.clone() }],
        Stopped => [],
        Linted => [],
        Notified => [],
        Logged => [],
        Status => [Transition::Status { plugin: plugin.clone(), slot: text("viewers") }],
        Panel => [Transition::Panel { plugin: plugin.clone(), fields: 2 }],
        ValueSet => [Transition::ValueSet { plugin: plugin.clone(), key: text("color") }],
        Asked => [Transition::Asked { plugin: plugin.clone(), kind: text("twitch.android"), until: Wall(8_000) }],
        Decided => [],
        Handed => [Transition::Handed { plugin: plugin.clone(), kind: text("twitch.android") }],
        ActionBegun => [Transition::ActionBegun { plugin: plugin.clone(), action: text("count"), call: 5 }],
        ActionEnded => [],
        EventsDropped => [Transition::EventsDropped { plugin: plugin.clone(), events: 17 }],
        Throttled => [Transition::Throttled { plugin: plugin.clone(), on: true }],
        Sampled => [Transition::Sampled { plugin: plugin.clone(), memory_bytes: 1 << 20, cpu_permille: 15 }],
        Stream => [],
        LinesCut => [Transition::LinesCut { plugin: plugin.clone(), cut: 2, dropped: 40 }],
    });
    let of = || plugin.clone();
    all.extend(UnhealthyCause::ALL.map(|cause| Transition::Unhealthy { plugin: of(), cause }));
    all.extend(DisableCause::ALL.map(|cause| Transition::Disabled { plugin: of(), cause }));
    all.extend(statuses().into_iter().map(|status| Transition::Stopped { plugin: of(), status }));
    all.extend(Lint::ALL.map(|lint| Transition::Linted { plugin: of(), lint }));
    all.extend(Level::ALL.map(|level| Transition::Notified { plugin: of(), level }));
    all.extend(LogSource::ALL.map(|source| Transition::Logged { plugin: of(), level: Level::Info, source }));
    let kind = text("twitch.android");
    let decided = |decision| Transition::Decided { plugin: of(), kind: Arc::clone(&kind), decision };
    all.extend(Decision::ALL.map(decided));
    let ended = |end| Transition::ActionEnded { plugin: of(), action: text("count"), call: 5, end, us: 12 };
    all.extend(ends().into_iter().map(ended));
    all.extend(changes().into_iter().map(|change| Transition::Stream { change }));
    all.push(Transition::Removed { plugin: of() });
    all
}

/// The snapshots behind each of the transitions, those of frames among them.
pub(crate) fn snapshots() -> Vec<Snapshot> {
    let limits = limits::Plugin::default();
    let mut snapshot = Snapshot::default();
    let mut all = vec![snapshot.clone()];
    for (n, transition) in transitions().iter().enumerate() {
        let at = Now::at_ms(n as u64);
        snapshot.follow(transition, None, at, &format!("text {n}"), &limits);
        for (head, verdict) in heads().zip(verdicts()) {
            let (AnyHead::Plugin(head), AnyVerdict::Plugin(verdict)) = (head, verdict) else { continue };
            snapshot.record_frame(Direction::Inbound, &head, Some(verdict), 7);
        }
        all.push(snapshot.clone());
    }
    all
}

#[test]
fn a_snapshot_at_any_moment_and_the_transitions_behind_it_make_the_last() {
    let limits = limits::Plugin::default();
    let transitions = transitions();
    let fold = |mut snapshot: Snapshot, from: usize| {
        for (n, transition) in transitions.iter().enumerate().skip(from) {
            snapshot.follow(transition, None, Now::at_ms(n as u64), &format!("text {n}"), &limits);
        }
        snapshot
    };
    let mut at = Snapshot::default();
    let last = fold(at.clone(), 0);
    for (n, transition) in transitions.iter().enumerate() {
        assert_eq!(fold(at.clone(), n), last, "from {n} on");
        at.follow(transition, None, Now::at_ms(n as u64), &format!("text {n}"), &limits);
    }
}
