//! What the fold makes of transitions and frames, and that it is bounded.

use super::*;
use crate::{
    plugin::{Code, Decision, DisableCause, ExitStatus, Level, LogSource, UnhealthyCause},
    time::Wall,
};

/// A snapshot within bounds of three each.
struct TestSnapshot {
    snapshot: Snapshot,
    limits: limits::Plugin,
    ms: u64,
}

fn id() -> PluginId {
    PluginId::new("org.example.a")
}

impl TestSnapshot {
    fn new() -> Self {
        let limits = limits::Plugin {
            plugins_max: 3,
            shown_lines_max: 3,
            shown_names_max: 3,
            actions_max: 3,
            stream_sessions_max: 3,
            ..limits::Plugin::default()
        };
        Self { snapshot: Snapshot::default(), limits, ms: 0 }
    }

    fn installed() -> Self {
        let mut shown = Self::new();
        shown.install("org.example.a");
        shown
    }

    fn install(&mut self, plugin: &str) {
        let about = Arc::new(About { version: "1.0.0".into(), ..About::default() });
        self.follow(&Transition::Installed { plugin: PluginId::new(plugin), about }, "");
    }

    fn follow(&mut self, transition: &Transition, text: &str) {
        self.ms += 1;
        self.snapshot.follow(transition, None, Now::at_ms(self.ms), text, &self.limits);
    }

    fn view(&self) -> &PluginView {
        &self.snapshot.plugins[&id()]
    }
}

#[test]
fn a_process_comes_up_dies_waits_and_is_disabled() {
    let mut shown = TestSnapshot::installed();
    shown.follow(&Transition::Starting { plugin: id(), process: 1, restarts: None }, "");
    assert_eq!(shown.view().state, State::Starting);
    let hooks: Arc<[Arc<str>]> = Arc::from([Arc::from("on_watch_tick")]);
    shown.follow(&Transition::Up { plugin: id(), pid: 7, version: "1.2.0".into(), hooks, start_us: 9 }, "");
    assert_eq!((&**shown.view().version(), shown.snapshot.up()), ("1.2.0", 1));
    shown.follow(&Transition::Status { plugin: id(), slot: "s".into() }, "1");
    shown.follow(&Transition::Panel { plugin: id(), fields: 2 }, "Settings");
    shown.follow(&Transition::Sampled { plugin: id(), memory_bytes: 5, cpu_permille: 6 }, "");
    shown.follow(&Transition::Unhealthy { plugin: id(), cause: UnhealthyCause::Exited }, "exit code 3");
    shown.follow(&Transition::Waiting { plugin: id(), until: Wall(1_009), nth: 1 }, "");
    shown.follow(&Transition::Stopped { plugin: id(), status: ExitStatus::Code(3) }, "");
    let view = shown.view();
    assert_eq!(view.waiting(), Some(WaitingView { until: Wall(1_009), nth: 1 }), "its end is known before");
    assert_eq!((view.slots.len(), &view.panel, view.memory_bytes), (0, &None, 0));
    assert_eq!(view.reason().as_deref(), Some("exited: exit code 3"));
    assert_eq!(view.restarts_at(Now::at_ms(100)), 1);
    assert_eq!(view.restarts_at(Now::at_ms(700_000)), 0, "ten minutes later it counts no more");
    shown.follow(&Transition::Disabled { plugin: id(), cause: DisableCause::RestartLimit }, "four restarts");
    shown.follow(&Transition::Stopping { plugin: id() }, "");
    assert_eq!(shown.view().reason().as_deref(), Some("restart limit (exited: exit code 3)"));
    assert_eq!((shown.snapshot.up(), shown.snapshot.enabled()), (0, 0));
    shown.follow(&Transition::Enabled { plugin: id() }, "");
    assert_eq!((&shown.view().state, shown.view().restarts), (&State::Stopped, 0));
    let waiting = Transition::Waiting { plugin: id(), until: Wall(9_000), nth: 2 };
    shown.follow(&waiting, "");
    shown.follow(&Transition::Starting { plugin: id(), process: 2, restarts: Some(2) }, "");
    assert_eq!(shown.view().restarts, 2);
    shown.follow(&Transition::Starting { plugin: id(), process: 3, restarts: Some(0) }, "");
    assert_eq!(shown.view().restarts, 0, "by hand");
}

#[test]
fn the_last_twenty_pings_are_kept_and_an_answer_ends_the_misses() {
    let mut shown = TestSnapshot::installed();
    for us in 0..30 {
        shown.follow(&Transition::Pinged { plugin: id(), us }, "");
    }
    shown.follow(&Transition::Missed { plugin: id(), misses: 1 }, "");
    let view = shown.view();
    assert_eq!((view.pings.len(), view.misses, view.last_ping_us()), (PINGS_SHOWN_MAX, 1, None));
    shown.follow(&Transition::Pinged { plugin: id(), us: 4 }, "");
    assert_eq!((shown.view().misses, shown.view().last_ping_us()), (0, Some(4)));
    assert_eq!(shown.view().counts.pings_missed, 1);
}

#[test]
fn what_is_asked_decided_and_handed_over_is_in_the_audit() {
    let mut shown = TestSnapshot::installed();
    let kind: Arc<str> = "twitch.android".into();
    let granted: Arc<[Arc<str>]> = Arc::from([Arc::clone(&kind), Arc::from("notify")]);
    shown.follow(&Transition::Granted { plugin: id(), capabilities: granted }, "");
    shown.follow(&Transition::Asked { plugin: id(), kind: Arc::clone(&kind), until: Wall(120_000) }, "");
    assert!(shown.view().asked.is_some());
    let decision = Decision::AllowedAlways;
    shown.follow(&Transition::Decided { plugin: id(), kind: Arc::clone(&kind), decision }, "");
    shown.follow(&Transition::Handed { plugin: id(), kind: Arc::clone(&kind) }, "");
    shown.follow(&Transition::Revoked { plugin: id(), capability: kind }, "");
    let view = shown.view();
    assert_eq!((&view.asked, view.granted.len(), view.counts.audit_rows), (&None, 1, 6));
    let audit: Vec<_> = view.audit.iter().map(|row| (row.number, row.what.name(), &*row.text)).collect();
    assert_eq!(
        audit,
        [
            (4, "decided", "twitch.android: allowed always"),
            (5, "handed", "twitch.android"),
            (6, "revoked", "twitch.android")
        ]
    );
}

#[test]
fn windows_are_bounded_and_what_does_not_fit_is_counted() {
    let mut shown = TestSnapshot::installed();
    for n in 0..5_u64 {
        shown.install(&format!("org.example.{n}"));
        let (level, source) = (Level::Info, LogSource::Stderr);
        shown.follow(&Transition::Logged { plugin: id(), level, source }, &n.to_string());
        shown.follow(&Transition::Status { plugin: id(), slot: n.to_string().into() }, "1");
        shown.follow(&Transition::ActionBegun { plugin: id(), action: "a".into(), call: n }, "{}");
        let change = StreamChange::Session { id: n.to_string().into(), is_there: true };
        shown.follow(&Transition::Stream { change }, "");
    }
    let view = shown.view();
    assert_eq!(shown.snapshot.plugins.len(), 3);
    assert_eq!(view.log.iter().map(|line| line.number).collect::<Vec<_>>(), [3, 4, 5]);
    assert_eq!((view.slots.len(), view.actions.len(), view.counts.actions), (3, 3, 5));
    assert_eq!(shown.snapshot.stream.sessions.len(), 4, "and one for `solo`");
    shown.follow(&Transition::Status { plugin: id(), slot: "0".into() }, "");
    assert_eq!(shown.view().slots.len(), 2);
}

#[test]
fn frames_are_counted_by_what_was_made_of_them() {
    let mut shown = TestSnapshot::installed();
    let head = Head::new(id());
    let all = [
        (Direction::Outbound, None),
        (Direction::Inbound, Some(Verdict::Accepted)),
        (Direction::Inbound, Some(Verdict::Refused(Code::RateLimited))),
        (Direction::Inbound, Some(Verdict::Answered)),
    ];
    for (direction, verdict) in all {
        shown.snapshot.record_frame(direction, &head, verdict, 10);
    }
    let counts = shown.view().counts;
    assert_eq!((counts.frames_in, counts.bytes_in, counts.frames_out, counts.bytes_out), (3, 30, 1, 10));
    assert_eq!((counts.requests, counts.refusals(), counts.refused[Code::RateLimited.index()]), (1, 1, 1));
}

#[test]
fn one_that_is_enabled_while_it_is_stopped_is_stopping_still_and_chat_is_counted_by_message() {
    let mut shown = TestSnapshot::installed();
    shown.follow(&Transition::Stopping { plugin: id() }, "");
    shown.follow(&Transition::Enabled { plugin: id() }, "");
    assert_eq!(shown.view().state, State::Stopping);
    shown.follow(&Transition::Stream { change: StreamChange::Chat { receivers: 1 } }, "");
    shown.follow(&Transition::Stream { change: StreamChange::ChatBatch { messages: 3, receivers: 1 } }, "");
    assert_eq!(shown.snapshot.totals.chat_messages, 4);
}
