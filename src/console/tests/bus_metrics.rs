//! Figures of the bus: rates as they are, what snapshots bring of what was missed, whose doing it is, and
//! what buries nothing.

use crossterm::event::KeyCode;

use super::{
    bus_samples::{AGENT, bus, frame, over, publication},
    test_console::{TestConsole, connected},
};
use crate::{
    console::{
        input::pane_id::PaneId,
        records::selection::RecordKey,
        systems::bus::keys::{PEER, SUBSCRIPTION, TOPIC},
        ui,
        ui::{ledger, specs, state::Focus},
    },
    filter::Filter,
    ids::{ConnectionId, TopicName},
    port::{Attachment, HostState, Reachability, Snapshot},
    rmp,
    rmp::{
        Code, Dialect, DropReason, DropView, FrameKind, Head, Kind, Refusal, TopicView, Transition as T,
        Verdict, broker::STATION,
    },
    tap::entry::{Direction, Link, Verdict as AnyVerdict, rmp::Gauge},
    time::{Now, Wall},
};

pub(super) fn on_bus(rmp: rmp::Snapshot, ms: u64) -> Snapshot {
    Snapshot { rmp, at: Now::at_ms(ms), ..connected() }
}

pub(super) fn line<'a>(text: &'a str, of: &str) -> &'a str {
    text.lines().find(|line| line.contains(of)).unwrap_or_default()
}

pub(super) fn keys(stage: &TestConsole, pane: PaneId) -> Vec<RecordKey> {
    use crate::console::records::selection::RowKeys as _;
    let rows = ui::rows(pane, &stage.ui, &stage.model);
    (0..rows.len()).filter_map(|at| rows.key(at)).collect()
}

#[test]
fn a_hundred_a_second_are_a_hundred_in_topics_and_on_the_chip_and_nothing_soon_after() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    stage.pass(30_000);
    for msg_id in 0..1_000 {
        stage.publish("load/a", msg_id, 0, 0);
        stage.pass(10);
        if msg_id == 200 || msg_id == 999 {
            stage.char('3');
            let text = stage.text();
            assert!(line(&text, "load/a").contains(" 100 "), "{msg_id}: {text}");
            assert!(text.contains("RMP ● 0 peers 100/s"), "{text}");
        }
    }
    stage.pass(6_000);
    assert!(stage.text().contains("RMP ● 0 peers 0/s"), "{}", stage.text());
}

#[test]
fn what_the_station_says_itself_is_no_traffic_and_asks_for_nobody() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    stage.char('3');
    for msg_id in 0..20 {
        let topic = Some(TopicName::new("rlp/sys/metrics"));
        let head = Head {
            kind: Some(FrameKind::Publish),
            topic,
            schema_id: Some(8),
            msg_id: Some(msg_id),
            session: Some(STATION),
            ..Head::default()
        };
        let verdict = AnyVerdict::Rmp(Verdict::Published { subscribers: 0, dropped: 0 });
        stage.rmp_frame(Direction::Inbound, &head, verdict, &publication("rlp/sys/metrics", msg_id, "{}"));
        stage.pass(1_000);
    }
    stage.publish("lonely", 1, 0, 0);
    let text = stage.text();
    assert!(text.contains("RMP ● 0 peers 1.0/s"), "the one of a peer: {text}");
    assert!(line(&text, "lonely").contains("0 (none)"), "{text}");
    assert!(!line(&text, "rlp/sys/metrics").contains("0 (none)"), "{text}");
    // Off the wire by the filter that it begins with.
    let shown = |stage: &TestConsole| ui::counts(PaneId::Wire, &stage.ui, &stage.model).0;
    let all = shown(&stage);
    stage
        .ui
        .table_settings_mut(PaneId::Wire)
        .set_filter(Some(Filter::parse("routine:no", specs(PaneId::Wire)).unwrap()));
    stage.pass(1);
    stage.char('8');
    assert_eq!((all, shown(&stage)), (21, 1));
}

fn dropped(count: u64, first_ms: u64, last_ms: u64) -> DropView {
    DropView {
        first_at: Now::at_ms(first_ms),
        at: Now::at_ms(last_ms),
        reason: DropReason::BackpressureTimeout,
        topic: "flood/0".into(),
        to: Some((ConnectionId(18), 1)),
        to_client: Some("slow".into()),
        from: Some(AGENT),
        from_client: Some("writer".into()),
        notices: 9,
        count,
        trace: None,
        msg_id: 1,
        expires_at_ms: 0,
    }
}

#[test]
fn a_snapshot_brings_what_was_dropped_while_a_console_did_not_read() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(on_bus(rmp::Snapshot::default(), 0));
    stage.tick();
    stage.pass(90_000);
    stage.model.record_loss(5_000, Now::at_ms(stage.ms));
    let span = rmp::DropSpan { at: Now::at_ms(88_000), dropped: [0, 0, 6_000] };
    let missed = rmp::Snapshot {
        drops: [dropped(6_000, 40_000, 90_000)].into(),
        recent_drops: [span].into(),
        ..rmp::Snapshot::default()
    };
    stage.resync(on_bus(missed.clone(), 90_000));
    assert!(stage.text().contains("RMP ◐"), "{}", stage.text());
    // The same again brings nothing twice.
    stage.resync(on_bus(missed, 90_500));
    let dropped = stage.model.rmp().unwrap().dropped_last_minute(stage.view.now);
    assert_eq!(dropped.iter().sum::<u64>(), 6_000, "as the chip has it");
}

#[test]
fn that_an_earlier_version_told_of_no_alerts_is_no_claim_that_there_were_none() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    stage.char('a');
    assert!(stage.text().contains("no alerts") && !stage.text().contains("are known"), "{}", stage.text());
    stage.model.station_state.as_mut().unwrap().station.alerts = crate::port::AlertList::NONE;
    assert!(stage.text().contains("alerts unknown"), "{}", stage.text());
}

#[test]
fn a_station_that_does_not_answer_is_shown_as_it_was_and_a_new_start_begins_at_nothing() {
    let mut stage = bus(160, 50);
    stage.publish("load/a", 9_999, 0, 0);
    let attachment = |reach| Attachment {
        name: "friday-night".into(),
        pid: 4_711,
        session: Some(ConnectionId(9)),
        kind: Kind::Tui,
        reachability: reach,
        previous: None,
    };
    let reach = Reachability::Lost { since: Now::at_ms(stage.ms), why: "gone".into() };
    stage.model.set_attachment(Some(attachment(reach)), Now::at_ms(stage.ms));
    stage.pass(0);
    let chips = |stage: &mut TestConsole| stage.text().lines().nth(1).unwrap_or_default().to_owned();
    let before = chips(&mut stage);
    stage.pass(30_000);
    assert_eq!(before, chips(&mut stage));
    stage.model.set_attachment(Some(attachment(Reachability::Attached)), Now::at_ms(stage.ms));
    let mut next = connected();
    next.station.started_at.wall = Wall(next.station.started_at.wall.0 + 60_000);
    stage.resync(next);
    assert!(stage.text().contains("RMP ● 0 peers 0/s"), "{}", stage.text());
    assert!(stage.model.bus.topics.get(&TopicName::new("load/a")).is_none());
}

#[test]
fn topics_that_had_to_go_are_told_of_and_those_that_matter_stay() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    stage.char('3');
    stage.publish("flood/0", 1, 1, 0);
    stage.pass(1);
    stage.drop_message(DropReason::BackpressureTimeout, "flood/1", None, 1, 3);
    for number in 0..1_500 {
        stage.pass(1);
        stage.publish(&format!("bulk/{number}/x"), number, 0, 0);
    }
    stage.rmp(T::DedupeStats { keys: 0, evicted_young: 0, lost_evicted_young: 0, topics: 1_502 }, "");
    let text = stage.text();
    assert!(text.contains("Topics 990 of 1502"), "{text}");
    let topics = &stage.model.rmp().unwrap().topics;
    assert!(
        ["flood/0", "flood/1", "bulk/1499/x"].iter().all(|name| topics.contains_key(&TopicName::new(name)))
    );
    let ledger = ledger::of(PaneId::Topics, &stage.ui, &stage.model).unwrap();
    assert!(ledger.balances());
    assert_eq!((ledger.received, ledger.visible, ledger.evicted), (1_502, 990, 512));
    for msg_id in 0..300 {
        stage.publish("zz/flood", msg_id, 0, 0);
    }
    assert_eq!(keys(&stage, PaneId::Topics)[0], TOPIC.of(TopicName::new("zz/flood")), "the busiest is first");
}

#[test]
fn subscriptions_of_a_topic_are_those_that_are_there_now() {
    let mut stage = bus(160, 50);
    stage.publish("rlp/runs/trace:a41f/events", 9_999, 1, 0);
    let subs = |stage: &TestConsole, topic: &str| {
        stage.model.rmp().unwrap().topics[&TopicName::new(topic)].subscribers
    };
    assert_eq!((subs(&stage, "agent/writer"), subs(&stage, "rlp/runs/trace:a41f/events")), (1, 1));
    stage.rmp(T::Subscribed { session: ConnectionId(4), sub: 2, topic: "agent/*".into() }, "");
    assert_eq!(subs(&stage, "agent/writer"), 2);
    stage.rmp(T::Unsubscribed { session: ConnectionId(4), sub: 2 }, "");
    stage.rmp(T::Disconnected { session: AGENT, cause: rmp::CloseCause::PeerClosed }, "");
    stage.rmp(T::Disconnected { session: ConnectionId(5), cause: rmp::CloseCause::PeerClosed }, "");
    assert_eq!((subs(&stage, "agent/writer"), subs(&stage, "rlp/runs/trace:a41f/events")), (0, 0));
}

#[test]
fn each_fault_has_its_row_and_names_who_made_it() {
    let mut stage = bus(160, 50);
    let refuse = |stage: &mut TestConsole, refusal: Refusal, session: u64| {
        let head = Head {
            kind: Some(FrameKind::Publish),
            session: Some(ConnectionId(session)),
            msg_id: Some(9),
            ..Head::default()
        };
        let verdict = AnyVerdict::Rmp(Verdict::Refused(refusal));
        stage.rmp_frame(
            Direction::Inbound,
            &head,
            verdict,
            &frame(8, 9, r#"{"type":"intent.x.v1","payload":{}}"#),
        );
    };
    for (code, session) in
        [(Code::InvalidTtl, 3), (Code::Expired, 3), (Code::InvalidExpiry, 5), (Code::InvalidTtl, 5)]
    {
        refuse(&mut stage, Refusal::Fault(code), session);
    }
    for _ in 0..9 {
        refuse(&mut stage, Refusal::InvalidTopic, 3);
    }
    let told: Vec<_> = stage
        .model
        .faults
        .groups()
        .map(|group| (group.breach.text(), group.count, group.offender.to_string()))
        .collect();
    let told: Vec<_> = told
        .iter()
        .map(|(words, count, who)| (words.split(':').next().unwrap(), *count, who.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("InvalidTtl", 2, "overlay (session 5)"),
            ("Expired", 1, "writer (session 3)"),
            ("InvalidExpiry", 1, "overlay (session 5)"),
            ("InvalidTopic", 9, "writer (session 3)"),
        ]
    );
    let last = stage.model.journal.notices.back().unwrap().text.to_string();
    assert!(
        last.starts_with("×9 refused a frame of writer (session 3): InvalidTopic")
            && !last.contains("ruling"),
        "{last}"
    );
    let mut own = stage.model.journal.station.iter();
    assert!(
        !own.any(|notice| notice.text.contains("refused a frame of")),
        "the station's own log is of itself"
    );
    stage.char('9');
    stage.ui.focus = Focus::Pane(PaneId::Violations);
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in ["1 by writer (session 3)", "1 by overlay (session 5)", "InvalidTtl"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.key(KeyCode::Esc);
    assert!(!stage.text().contains("ruling"), "{}", stage.text());
}

#[test]
fn the_chip_is_degraded_while_a_queue_is_full_and_says_whose() {
    let mut stage = bus(160, 50);
    stage.pass(120_000);
    assert!(stage.text().contains("RMP ●"), "{}", stage.text());
    let gauge = Gauge { queued_messages: 1_024, queued_bytes: 3 << 20, delivered: 57, dropped: [0; 3] };
    stage.rmp(T::QueueStats { session: ConnectionId(5), sub: 7, gauge }, "");
    stage.pass(600_000);
    assert!(stage.text().contains("RMP ◐"), "{}", stage.text());
    stage.ui.focus = Focus::Chips(1);
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("queues are full: overlay (session 5)"), "{}", stage.text());
}

#[test]
fn many_subscriptions_bury_nobody_and_consoles_come_last_with_this_one_marked() {
    let mut stage = bus(160, 50);
    for (session, client, kind) in [(1, "rl-console", Kind::Tui), (2, "rl-console", Kind::Viewer)] {
        stage.join(ConnectionId(session), client, kind, Dialect::Frames);
        stage.rmp(T::Subscribed { session: ConnectionId(session), sub: 1, topic: "rlp/sys/tap".into() }, "");
    }
    for sub in 10..1_010 {
        stage.rmp(T::Subscribed { session: AGENT, sub, topic: format!("bulk/{sub}").as_str().into() }, "");
    }
    let attachment = Attachment {
        name: "s".into(),
        pid: 1,
        session: Some(ConnectionId(1)),
        kind: Kind::Tui,
        reachability: Reachability::Attached,
        previous: None,
    };
    stage.model.set_attachment(Some(attachment), Now::at_ms(stage.ms));
    let listed = keys(&stage, PaneId::Subscribers);
    assert!(listed.len() < 20, "{listed:?}");
    assert_eq!(listed[0], SUBSCRIPTION.of((ConnectionId(5), 7)), "the fullest is first");
    let text = stage.text();
    for wanted in ["and 993 more", "this console", "console 4002"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let peers = keys(&stage, PaneId::Peers);
    assert_eq!(peers[peers.len() - 2..], [PEER.of(ConnectionId(1)), PEER.of(ConnectionId(2))]);
    let ledger = ledger::of(PaneId::Subscribers, &stage.ui, &stage.model).unwrap();
    assert!(ledger.balances(), "{ledger:?}");
    // Whoever looks for one finds it.
    stage
        .ui
        .table_settings_mut(PaneId::Subscribers)
        .set_filter(Some(Filter::parse("bulk/1000", specs(PaneId::Subscribers)).unwrap()));
    assert_eq!(keys(&stage, PaneId::Subscribers), [SUBSCRIPTION.of((AGENT, 1_000))]);
    // Nobody drops himself by this key.
    stage.ui.focus = Focus::Pane(PaneId::Peers);
    stage.key(KeyCode::End);
    stage.key(KeyCode::Up);
    stage.char('K');
    assert!(stage.text().contains("that is this console"), "{}", stage.text());
}

#[test]
fn a_column_is_filtered_by_its_title_too() {
    let parse = |text: &str, pane| Filter::parse(text, specs(pane)).map_err(|fault| fault.words);
    for (written, pane, canonical) in [
        ("msg/s>1", PaneId::Topics, "rate>1"),
        ("overflow>1", PaneId::Subscribers, "no_room>1"),
        ("busy:17", PaneId::Queues, "in_flight=17"),
        ("requeued_from:any", PaneId::History, "requeued_from:any"),
        ("kind:gauged routine:hidden", PaneId::Wire, "kind:\"queue stats\" routine:no"),
        ("telling:no", PaneId::Trace, "events:no"),
    ] {
        assert_eq!(parse(written, pane).map(|filter| filter.canonical()), Ok(canonical.to_owned()));
    }
    assert_eq!(parse("msg/s>", PaneId::Topics).unwrap_err(), "the value is missing after `msg/s>`");
    assert!(parse("rlp/runs/trace:a41f", PaneId::Topics).is_ok(), "a topic is a word as ever");
    assert!(parse("\"msg/s>1\"", PaneId::Topics).is_ok());
    assert!(parse("reason:backpressure_timeout", PaneId::Drops).is_ok());
    let mut stage = over(PaneId::Topics);
    stage.char('/');
    stage.write("msg/s>1");
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("/msg/s>1 1 of 2"), "{}", stage.text());
}

#[test]
fn a_view_that_is_not_there_is_said_so_and_an_empty_entry_is_not_offered() {
    let mut stage = bus(160, 50);
    stage.char('0');
    assert!(
        stage.text().contains(
            "no view on 0: 1 Deck, 2 Bridge, 3 Bus, 4 Runs, 5 Sessions, 6 Plugins, 7 Trace, 8 Wire, 9 Journal"
        ),
        "{}",
        stage.text()
    );
    stage.ui.focus = Focus::Chips(1);
    stage.key(KeyCode::Enter);
    assert!(!stage.text().contains("show entry"), "{}", stage.text());
    let mut stage = over(PaneId::Topics);
    assert!(!stage.text().contains("adapter disconnect"), "{}", stage.text());
}

#[test]
fn a_message_that_was_late_when_it_came_says_nothing_to_subscribers() {
    let mut stage = over(PaneId::Drops);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(
        text.contains("no subscriber: dropped on arrival") && text.contains("at the publisher: send earlier"),
        "{text}"
    );
    assert!(!text.contains("at the subscriber") && !text.contains("ruling"), "{text}");
}

#[test]
fn a_host_that_is_down_counts_no_more() {
    let mut stage = bus(160, 50);
    stage.station(crate::tap::entry::station::Transition::HostDown { link: Link::Rmp }, "the thread ended");
    assert!(matches!(
        stage.model.station_state.as_ref().unwrap().station.hosts[Link::Rmp.index()],
        HostState::Down(_)
    ));
    assert!(stage.text().contains("RMP ○"), "{}", stage.text());
}

#[test]
fn a_topic_view_without_listeners_or_drops_goes_first() {
    let idle = TopicView { last_at: Now::at_ms(9), ..TopicView::default() };
    let heard = TopicView { subscribers: 1, last_at: Now::at_ms(1), ..TopicView::default() };
    assert!(idle.rank() < heard.rank());
}

#[test]
fn the_taps_own_topic_says_what_its_subscriptions_say_and_nothing_that_nobody_counts() {
    let mut stage = bus(160, 50);
    for (session, delivered) in [(1, 9_000), (2, 1_800)] {
        stage.join(ConnectionId(session), "rl-console", Kind::Tui, Dialect::Frames);
        stage.rmp(T::Subscribed { session: ConnectionId(session), sub: 1, topic: "rlp/sys/tap".into() }, "");
        stage.rmp(
            T::QueueStats {
                session: ConnectionId(session),
                sub: 1,
                gauge: Gauge { delivered, ..Gauge::default() },
            },
            "",
        );
    }
    stage.drop_message(DropReason::BackpressureTimeout, "rlp/sys/tap", Some((ConnectionId(2), 1)), 1, 9_029);
    let text = stage.text();
    let topic =
        text.lines().find(|line| line.contains("rlp/sys/tap") && line.contains("9029")).unwrap_or_default();
    assert!(topic.contains(" — ") && topic.contains(" 2 ") && !topic.contains("0 (none)"), "{text}");
    let key = TOPIC.of(TopicName::new("rlp/sys/tap"));
    stage.ui.focus = Focus::Pane(PaneId::Topics);
    let place = keys(&stage, PaneId::Topics).iter().position(|known| *known == key).unwrap_or_default();
    stage.key(KeyCode::Home);
    (0..place).for_each(|_| drop(stage.key(KeyCode::Down)));
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in [
        "are not counted",
        "2 subscriptions",
        "10.8k delivered to subscribers of this topic alone",
        "9029 no room",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let rows = crate::port::topic_rows(stage.model.rmp().unwrap());
    let row = rows.iter().find(|row| row.topic.as_str() == "rlp/sys/tap").unwrap();
    assert_eq!((row.subscribers, row.delivered, row.dropped.total()), (2, 10_800, 9_029));
}
