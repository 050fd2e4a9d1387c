//! The bus: what its view shows, what its chip says, what is done there.

use crossterm::event::KeyCode;

use super::{
    screens::at_both_sizes,
    test_console::{TestConsole, connected, fresh, show},
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId, view_id::ViewId},
        records::row::PaneRecord,
        systems::{
            bus::{confirmations::KickPeer, drops::Drops, keys::PEER},
            station::outcomes::StationCommand,
        },
        ui::{effect::Effect, state::Focus},
    },
    field::{Fields as _, Record as _, Spec, index_of},
    filter::Filter,
    ids::ConnectionId,
    port::{Command, DropRow, HostState},
    rmp::{CloseCause, Code, Dialect, DropReason, Kind, Refusal, Transition as T},
    tap::entry::{Link, station},
    time::Now,
};

use super::bus_samples::{AGENT, MONITOR, bus, frame, over, with_drops};

#[test]
fn topics_have_their_rates_and_who_listens() {
    let mut stage = bus(160, 50);
    assert_eq!(stage.ui.view, ViewId::Bus);
    let text = stage.text();
    for wanted in [
        "RUN_EVENT",
        "rlp/runs/trace:a41f/events",
        "agent/writer",
        "812/1024",
        "3M/8M",
        "overlay",
        "rlp monitor",
        "dedupe 66 keys",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn drops_are_told_together_by_reason_topic_and_whose_they_are() {
    let stage = bus(160, 50);
    let groups = crate::rmp::drop_groups(stage.model.rmp().unwrap());
    let told: Vec<_> = groups
        .iter()
        .map(|group| (group.key.reason, group.culprit_label(), group.count, group.notices))
        .collect();
    assert_eq!(
        told,
        [
            (DropReason::BackpressureTimeout, "overlay".to_owned(), 14, 3),
            (DropReason::TtlExpired, "writer".to_owned(), 1, 1),
            (DropReason::Duplicate, "writer".to_owned(), 2, 2),
        ]
    );
    assert_eq!(groups[0].key.culprit, crate::rmp::Culprit::Subscriber(MONITOR, 7));
}

#[test]
fn the_pane_of_drops_and_ls_drops_list_the_same() {
    let stage = bus(160, 50);
    let rmp = stage.model.rmp().unwrap();
    let pane: Vec<Drops> = crate::rmp::drop_groups(rmp).into_iter().map(Drops).collect();
    let rows = crate::port::drop_rows(rmp);
    assert_eq!((pane.len(), rows.iter().map(|row| row.count).collect::<Vec<_>>()), (3, vec![14, 1, 2]));
    let at = |specs: &[Spec], name| specs.iter().position(|spec| spec.name == name);
    for (row, pane) in rows.iter().zip(&pane) {
        let line = PaneRecord::command(pane).unwrap();
        let words = shlex::split(&line).unwrap();
        assert_eq!((&*words[1], &*words[2], &*words[4]), ("drops", "--filter", "--json"));
        let filter = Filter::parse(&words[3], DropRow::SPECS).unwrap();
        let found: Vec<_> = rows.iter().filter(|row| filter.admits(*row, Now::at_ms(1))).collect();
        assert_eq!(found, [row], "{line}");
        for (earlier, name) in [("whose", "culprit"), ("times", "count")] {
            assert_eq!(index_of(Drops::SPECS, earlier), index_of(Drops::SPECS, name));
        }
        for spec in Drops::SPECS.iter().filter(|spec| spec.name != "age") {
            let known = at(DropRow::SPECS, spec.name).map(|field| row.value(field, Now::at_ms(1)));
            let shown = at(Drops::SPECS, spec.name).map(|field| pane.value(field, Now::at_ms(1)));
            assert_eq!(known, shown, "{}", spec.name);
        }
    }
}

#[test]
fn a_drop_says_why_whose_and_what_to_do_and_has_the_message_that_the_tap_still_keeps() {
    let mut stage = over(PaneId::Drops);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in [
        "the queue of overlay was full",
        "overlay, session 5, subscription 7 on rlp/runs/**",
        "writer, session 3",
        "msg_id 60",
        "limits.rmp.queue_messages_max",
        "Connections, subscriptions and queues are bounded",
        "step 60",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.act(Action::OnAir);
    assert!(!stage.text().contains("step 60"), "a message is nobody's business on air");
    stage.act(Action::OnAir);
    stage.text();
    stage.char('y');
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("frame_len"), "{}", stage.text());
}

#[test]
fn a_peer_is_kicked_after_a_question_that_says_what_hangs_on_it() {
    let mut stage = over(PaneId::Peers);
    stage.key(KeyCode::Home);
    assert_eq!(stage.ui.selected(PaneId::Peers, &stage.model), Some(PEER.of(AGENT)));
    stage.char('K');
    let text = stage.text();
    assert!(
        text.contains("Disconnect writer?") && text.contains("Its 1 subscription ends: agent/writer"),
        "{text}"
    );
    let effects = stage.char('y');
    assert_eq!(
        effects,
        [Effect::command(
            Command::KickPeer { session: AGENT },
            KickPeer { session: AGENT, client: "writer".to_owned() }
        )]
    );
    stage.char('K');
    stage.rmp(T::Disconnected { session: AGENT, cause: CloseCause::PeerClosed }, "");
    assert!(stage.text().contains("It has already disconnected."));
    assert_eq!(stage.char('y'), []);
}

#[test]
fn a_subscription_kicks_its_session_and_elsewhere_the_adapter_is_meant() {
    let mut stage = over(PaneId::Subscribers);
    stage.key(KeyCode::Home);
    stage.char('K');
    assert!(
        stage.text().contains("Disconnect overlay?"),
        "the one that needs a look is first: {}",
        stage.text()
    );
    stage.char('n');
    stage.ui.focus = Focus::Pane(PaneId::Topics);
    stage.char('K');
    assert!(stage.text().contains("select a session in Subscribers or Peers"), "{}", stage.text());
}

#[test]
fn the_bus_is_started_again_where_it_is_down() {
    let mut stage = bus(160, 50);
    stage.char('R');
    assert!(stage.text().contains("nothing to restart"));
    stage.station(station::Transition::HostDown { link: Link::Rmp }, "the thread ended");
    let command = Command::Restart { link: Link::Rmp };
    assert_eq!(stage.char('R'), [Effect::command(command.clone(), StationCommand)]);
    let hosts = &mut stage.model.station_state.as_mut().unwrap().station.hosts;
    hosts[Link::Mpp.index()] = HostState::Down("it panicked".into());
    assert_eq!(stage.char('R'), [Effect::command(command, StationCommand)], "the Bus is looked at");
    stage.char('2');
    let command = Command::Restart { link: Link::Mpp };
    assert!(stage.char('R').contains(&Effect::command(command, StationCommand)));
}

#[test]
fn the_chip_tells_how_the_bus_is() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    assert!(stage.text().contains("RMP ● 0 peers 0/s"), "{}", stage.text());
    let mut stage = with_drops(stage);
    assert!(stage.text().contains("RMP ◐ 17 drops/min 4 peers 1.8/s"), "{}", stage.text());
    stage.pass(70_000);
    assert!(
        stage.text().contains("RMP ● 4 peers 0/s"),
        "what was dropped more than a minute ago is over: {}",
        stage.text()
    );
    for (evicted_young, lost_evicted_young) in [(12, 0), (12, 3)] {
        stage.rmp(T::DedupeStats { keys: 70_000, evicted_young, lost_evicted_young, topics: 2 }, "");
        assert!(stage.text().contains("RMP ◐"));
        stage.pass(60_000);
        assert!(stage.text().contains("RMP ●"));
    }
    stage.rmp(T::NotListening, "rmp.sock: address in use");
    assert!(stage.text().contains("RMP ○"));
}

#[test]
fn a_bus_that_nobody_uses_says_so_in_every_pane() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(fresh());
    stage.char('3');
    let text = stage.text();
    for wanted in ["no topics yet", "no subscriptions", "no peers", "no drops"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn refused_frames_are_counted_by_clause_with_what_to_do() {
    let mut stage = bus(160, 50);
    for _ in 0..3 {
        stage.refuse(Code::UnknownSchema, &frame(7_777, 9, r#"{"type":"intent.x.v1","payload":{}}"#));
    }
    stage.char('9');
    stage.ui.focus = Focus::Pane(PaneId::Violations);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in [
        "rmp-v0 §6",
        "UnknownSchema: schema_id not present in the registry",
        "use an id of the registry",
        "52 4d 50 30",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn the_bus_in_full_swing() {
    at_both_sizes("bus", bus);
}

#[test]
fn the_deck_with_drops() {
    at_both_sizes("deck_drops", |columns, rows| with_drops(show(columns, rows)));
}

#[test]
fn a_drop_in_words() {
    at_both_sizes("drop", |columns, rows| {
        let mut stage = bus(columns, rows);
        (stage.ui.focus, stage.ui.zoomed) = (Focus::Pane(PaneId::Drops), Some(PaneId::Drops));
        stage.key(KeyCode::Enter);
        stage
    });
}

#[test]
fn the_report_of_the_bus() {
    at_both_sizes("rmp_report", |columns, rows| {
        let mut stage = with_drops(show(columns, rows));
        stage.ui.focus = Focus::Chips(1);
        stage.key(KeyCode::Enter);
        stage
    });
}

#[test]
fn a_topic_and_a_session_say_who_listens_and_what_they_may() {
    let mut stage = over(PaneId::Topics);
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in ["CT_RUN_EVENT (8)", "overlay, session 5, on rlp/runs/**", "14 no room"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let mut stage = over(PaneId::Peers);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in ["agent: publish and subscribe", "uid 1000 pid 4003", "2 frames refused", "1: agent/writer"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn every_pane_of_the_bus_balances_and_is_copied_as_a_command_line() {
    for pane in ViewId::Bus.panes() {
        let mut stage = over(*pane);
        stage.buffer();
        assert!(
            crate::console::ui::ledger::of(*pane, &stage.ui, &stage.model).unwrap().balances(),
            "{pane:?}"
        );
    }
    let mut stage = over(PaneId::Topics);
    stage.char('Y');
    let text = stage.text();
    assert!(text.contains("command"), "{text}");
}

#[test]
fn time_stops_for_the_bus_as_for_everything() {
    let mut stage = bus(160, 50);
    stage.char(' ');
    let before = stage.text();
    stage.join(ConnectionId(9), "late comer", Kind::Agent, Dialect::Frames);
    stage.publish("late/topic", 7_000, 0, 0);
    let held = stage.text();
    assert!(!held.contains("late comer") && !held.contains("late/topic"), "{held}");
    assert!(before.contains("overlay") && held.contains("overlay"));
    stage.key(KeyCode::End);
    assert!(stage.text().contains("late comer"), "{}", stage.text());
}

#[test]
fn the_journal_says_who_comes_and_goes_and_counts_refusals_in_one_line() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    stage.join(AGENT, "writer", Kind::Agent, Dialect::Frames);
    for _ in 0..300 {
        stage.refuse(Code::InvalidTtl, &frame(8, 9, r#"{"type":"intent.x.v1","payload":{}}"#));
    }
    stage.rmp(T::ClockJumped { by_ms: -4_000 }, "");
    stage.rmp(
        T::Disconnected { session: AGENT, cause: CloseCause::Refused(Refusal::Fault(Code::InvalidMagic)) },
        "",
    );
    let told: Vec<_> = stage.model.journal.notices.iter().map(|notice| notice.text.to_string()).collect();
    assert_eq!(
        told,
        [
            "writer connected: agent, session 3 (binary)",
            "×300 refused a frame of uid 1000 pid 4711: InvalidTtl: ttl_ms was zero (rmp-v0 §4)",
            "wall clock jumped by -4000 ms; queued messages still expire by the clock as of the start",
            "writer (session 3) disconnected: InvalidMagic: magic bytes were not \"RMP0\"",
        ]
    );
    stage.pass(11_000);
    stage.refuse(Code::InvalidTtl, b"");
    assert_eq!(stage.model.journal.notices.len(), 5, "another one is begun");
}

#[test]
fn a_socket_that_is_gone_and_drops_that_go_on_are_alerts_and_pass() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    stage.tick();
    let holding = |stage: &TestConsole| {
        stage.model.alerts().unresolved().map(|alert| alert.name.to_string()).collect::<Vec<_>>()
    };
    stage.drop_message(DropReason::BackpressureTimeout, "a/b", Some((MONITOR, 7)), 1, 3);
    stage.tick();
    assert_eq!(holding(&stage), [""; 0], "once is no alarm");
    for _ in 0..3 {
        stage.pass(10_000);
        stage.drop_message(DropReason::BackpressureTimeout, "a/b", Some((MONITOR, 7)), 1, 3);
    }
    stage.tick();
    assert_eq!(holding(&stage), ["dropping"]);
    stage.char('a');
    let text = stage.text();
    assert!(
        text.contains("bus messages are being dropped: 12 in the last minute")
            && text.contains("3 shows the Bus"),
        "{text}"
    );
    stage.pass(30_000);
    stage.rmp(T::NotListening, "rmp.sock: permission denied");
    stage.tick();
    assert_eq!(holding(&stage), ["socket_down"]);
    stage.rmp(T::Listening { path: "rmp.sock".into() }, "");
    stage.tick();
    assert_eq!(holding(&stage), [""; 0]);
}

#[test]
fn the_wire_tells_of_the_bus_and_is_filtered_by_its_fields() {
    let mut stage = bus(160, 50);
    stage.char('8');
    stage.key(KeyCode::End);
    let shown = |stage: &TestConsole| crate::console::ui::counts(PaneId::Wire, &stage.ui, &stage.model).0;
    for (filter, rows) in [
        ("link:rmp kind:publish topic:rlp/runs/**", 60),
        ("msg_id=60", 4),
        ("schema:run_event topic=agent/writer", 6),
        ("session=5 kind:dropped", 3),
        ("client:overlay", 1),
        ("sub=7 kind:subscribed", 1),
    ] {
        stage.char('/');
        stage.ctrl('u');
        stage.write(filter);
        stage.key(KeyCode::Enter);
        stage.buffer();
        assert_eq!(shown(&stage), rows, "{filter}: {}", stage.text());
    }
    stage.char('/');
    stage.ctrl('u');
    stage.write("kind:publish msg_id=60");
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for wanted in ["rlp/runs/trace:a41f/events RUN_EVENT #60:", "observation.run.event.v1", "frame_len"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    stage.act(Action::OnAir);
    assert!(!stage.text().contains("observation.run.event.v1"), "the type is the publisher's");
}

#[test]
fn topics_that_begin_alike_keep_their_ends() {
    let mut stage = bus(80, 24);
    let topic = |end: &str| format!("agent/{}/{end}", "a-long-name/".repeat(8));
    for (number, end) in ["the-first", "the-other"].into_iter().enumerate() {
        stage.publish(&topic(end), 80 + number as u64, 1, 0);
        stage.drop_message(DropReason::TtlExpired, &topic(end), None, 90, 1);
    }
    for pane in [PaneId::Topics, PaneId::Drops, PaneId::Wire] {
        let view = if pane == PaneId::Wire { ViewId::Wire } else { ViewId::Bus };
        stage.ui.show(view);
        (stage.ui.focus, stage.ui.zoomed) = (Focus::Pane(pane), Some(pane));
        let screen = stage.text();
        let line = |end: &str| screen.lines().any(|line| line.contains('…') && line.contains(end));
        assert!(line("the-first") && line("the-other"), "{}: {screen}", pane.name());
    }
}
