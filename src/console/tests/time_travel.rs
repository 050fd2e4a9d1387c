//! Stopping time, stepping, going live, bookmarks: on a screen.

use super::test_console::of_type;
use crossterm::event::KeyCode;

use super::test_console::{TestConsole, applied, connected, dispatched, done, enqueued, row, show};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId, view_id::ViewId},
        overlays::Details,
        records::selection::RowKeys as _,
        systems::bridge::{
            details::InvocationDetails,
            keys::{INVOCATION, QUEUE},
        },
        ui,
        ui::{
            effect::{Effect, PanePage},
            event::Event,
            state::Focus,
        },
        wire::ENTRY,
    },
    ids::{InvocationId, QueueName},
    mpp,
    port::{Command, Page},
    tap::entry::{
        mpp::{Brake, FailedBy, RowState, Transition},
        station,
    },
    time::Now,
};

fn header(stage: &mut TestConsole) -> String {
    stage.text().lines().next().unwrap().to_owned()
}

fn said(stage: &TestConsole) -> &str {
    stage.ui.message.as_ref().map_or("", |message| message.text.as_str())
}

/// A row through its whole life, 100 ms between two steps.
fn work(stage: &mut TestConsole, id: u64) {
    let steps = [
        enqueued(id, "default"),
        dispatched(id, "default"),
        applied(id, "default", true),
        done(id, "default"),
    ];
    for step in steps {
        stage.pass(100);
        stage.mpp(step, "");
    }
}

/// The panes, without what is of the present: header, chips, the time bar, and the footer, which names what
/// the keys do now.
fn body(stage: &mut TestConsole) -> String {
    let text = stage.text();
    let lines: Vec<_> = text.lines().skip(2).collect();
    lines[..lines.len() - 2].join("\n")
}

#[test]
fn while_time_is_stopped_the_screen_holds_and_the_first_line_counts_what_waits() {
    for size in [(80, 24), (160, 50)] {
        let mut stage = show(size.0, size.1);
        let before = body(&mut stage);
        stage.char(' ');
        assert!(
            header(&mut stage).contains("PAUSED") && !header(&mut stage).contains("LIVE"),
            "{}",
            header(&mut stage)
        );
        for id in 100..400 {
            work(&mut stage, id);
            stage.event(Event::Data);
        }
        stage.event(Event::Tick);
        let after = body(&mut stage);
        assert_eq!(after, before, "no pane moves");
        assert!(header(&mut stage).contains("1200 waiting"), "{}", header(&mut stage));
        stage.char(' ');
        assert!(header(&mut stage).contains("LIVE"));
        assert_ne!(body(&mut stage), before);
    }
}

#[test]
fn end_goes_live_and_when_live_to_the_last_row() {
    let mut stage = show(160, 50);
    stage.key(KeyCode::Char(','));
    assert!(stage.ui.time.is_stopped());
    stage.key(KeyCode::End);
    assert!(!stage.ui.time.is_stopped());
    stage.ui.focus = Focus::Pane(PaneId::Queues);
    stage.key(KeyCode::End);
    assert_eq!(
        stage.ui.selection(PaneId::Queues).map(crate::console::records::selection::Selection::index),
        Some(1)
    );
}

#[test]
fn steps_stop_time_first_and_all_panes_show_that_moment() {
    let mut stage = show(160, 50);
    work(&mut stage, 100);
    let shown = |stage: &mut TestConsole| {
        let world = stage.ui.time.visible_model().unwrap();
        let mpp = world.mpp().unwrap();
        let (live, ended) =
            (mpp.live.get(&InvocationId(100)).map(|live| live.state.name()), mpp.recent.back().unwrap().id.0);
        (live.map(str::to_owned), ended, mpp.queues["default"].done)
    };
    stage.char(',');
    assert_eq!(shown(&mut stage), (Some("applied".to_owned()), 41, 40));
    let text = stage.text();
    assert!(
        text.lines().any(|line| line.contains(" 100 ") && line.contains("applied")),
        "on the screen too:\n{text}"
    );
    stage.char(',');
    assert_eq!(shown(&mut stage), (Some("dispatched".to_owned()), 41, 40));
    stage.char(',');
    assert_eq!(shown(&mut stage), (None, 41, 40));
    for _ in 0..3 {
        stage.char('.');
    }
    assert_eq!(shown(&mut stage), (None, 100, 41));
    stage.char('.');
    assert!(said(&stage).contains("this is the newest entry"), "{}", said(&stage));
    stage.char('<');
    assert!(header(&mut stage).contains("-1.0s, 8 waiting"), "{}", header(&mut stage));
}

#[test]
fn ages_are_those_of_the_moment() {
    let mut stage = show(160, 50);
    stage.pass(60_000);
    assert!(stage.text().contains("1m01s"), "{}", stage.text());
    stage.char(' ');
    stage.pass(60_000);
    assert!(stage.text().contains("1m01s") && !stage.text().contains("2m01s"));
}

#[test]
fn before_the_oldest_entry_it_says_so() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    work(&mut stage, 1);
    for _ in 0..3 {
        stage.char(',');
        assert_eq!(said(&stage), "");
    }
    stage.char(',');
    assert!(said(&stage).contains("the oldest entry kept"), "{}", said(&stage));
}

#[test]
fn alerts_the_clock_and_the_recording_stay_those_of_the_present() {
    let mut stage = show(160, 50);
    stage.char(' ');
    stage.pass(1_000);
    let before = header(&mut stage);
    stage.station(crate::tap::entry::station::Transition::RecordingGrew { bytes: 99 << 20 }, "");
    stage.mpp(
        Transition::Disconnected {
            peer: "127.0.0.1:50312".into(),
            active: true,
            cause: crate::tap::entry::mpp::CloseCause::PeerClosed,
        },
        "",
    );
    stage.pass(31_000);
    stage.tick();
    let after = header(&mut stage);
    assert!(before.contains("REC 12 MiB") && after.contains("REC 99 MiB"), "{after}");
    assert!(!before.contains("alert") && after.contains("2 alerts"), "{after}");
    let clock = |line: &str| line.split_whitespace().last().unwrap().to_owned();
    assert_ne!(clock(&before), clock(&after));
    stage.char('a');
    assert!(stage.text().contains("disconnected"), "the tray has it:\n{}", stage.text());
}

#[test]
fn a_hold_while_the_past_is_shown_is_of_the_present() {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Queues);
    stage.char(' ');
    let held = Brake { held: true, draining: false };
    stage.mpp(Transition::Braked { queue: "boss".into(), brake: held }, "");
    assert_eq!(stage.ui.selected(PaneId::Queues, &stage.model), Some(QUEUE.of(QueueName::new("boss"))));
    let effects = stage.char('H');
    let release = Command::Mpp(mpp::Command::Release { queue: Some(QueueName::new("boss")) });
    let releases =
        effects.iter().any(|effect| matches!(effect, Effect::Command { command, .. } if *command == release));
    assert!(releases, "it is held by now, so that the key releases it: {effects:?}");
    assert!(stage.ui.time.is_stopped(), "time stays where it was");
}

#[test]
fn what_is_gone_by_now_is_not_acted_on() {
    let mut stage = show(160, 50);
    stage.mpp(Transition::Orphaned { id: InvocationId(46), queue: "boss".into() }, "");
    stage.ui.focus = Focus::Pane(PaneId::InFlight);
    stage.key(KeyCode::Home);
    stage.char(' ');
    let at =
        ui::rows(PaneId::InFlight, &stage.ui, &stage.model).row(&INVOCATION.of(InvocationId(46))).unwrap();
    for _ in 0..at {
        stage.key(KeyCode::Down);
    }
    stage.mpp(done(46, "boss"), "");
    assert!(stage.act(Action::Settle).is_empty());
    assert!(said(&stage).contains("the past is shown"), "{}", said(&stage));
    assert!(stage.ui.overlays.is_empty());
    assert_eq!(stage.ui.selection(PaneId::InFlight).unwrap().index(), at, "what is selected stays");
}

#[test]
fn lists_from_the_store_hold_still_and_say_what_was_not_there_yet() {
    let mut stage = show(160, 50);
    stage.ui.show(ViewId::Bridge);
    let asked = stage.event(Event::Data);
    let serial = asked.iter().find_map(|effect| match effect {
        Effect::Query { on_page, .. } => of_type::<PanePage>(&**on_page)
            .filter(|page| page.pane == PaneId::History)
            .map(|page| page.serial),
        _ => None,
    });
    work(&mut stage, 100);
    let mut late = row(100);
    late.enqueued_at_ms = crate::time::Now::at_ms(stage.ms - 300).wall;
    late.updated_at_ms = crate::time::Now::at_ms(stage.ms).wall;
    late.state = crate::tap::entry::mpp::RowState::Done;
    let page = Ok(Page::Invocations { rows: vec![late], more: false, beyond: None });
    stage.event(Event::QueryAnswered {
        on_page: Box::new(PanePage { pane: PaneId::History, serial: serial.unwrap() }),
        page,
    });
    let shown = |stage: &mut TestConsole| {
        let text = stage.text();
        let line =
            text.lines().find(|line| line.contains(" 100 ") && line.contains("channel")).map(str::to_owned);
        ["done", "dispatched", "applied", "pending", "not yet"]
            .into_iter()
            .find(|name| line.as_ref().is_some_and(|line| line.contains(name)))
    };
    stage.ui.zoomed = Some(PaneId::History);
    stage.ui.focus = Focus::Pane(PaneId::History);
    let mut seen = vec![shown(&mut stage)];
    for _ in 0..4 {
        stage.char(',');
        seen.push(shown(&mut stage));
    }
    assert_eq!(seen, [Some("done"), Some("applied"), Some("dispatched"), Some("pending"), Some("not yet")]);
    for _ in 0..5 {
        stage.pass(2_000);
        work(&mut stage, 200);
        assert!(stage.event(Event::Tick).is_empty(), "nothing is asked for anew");
    }
    assert!(!stage.key(KeyCode::End).is_empty(), "live, it is");
}

#[test]
fn a_snapshot_that_comes_while_time_is_stopped_changes_nothing_that_is_shown() {
    let mut stage = show(160, 50);
    stage.char(' ');
    let before = body(&mut stage);
    stage.resync(connected());
    assert_eq!(body(&mut stage), before);
    stage.key(KeyCode::End);
    assert_ne!(body(&mut stage), before);
}

#[test]
fn time_stops_under_open_layers_too() {
    let mut stage = show(80, 24);
    for open in [Action::Alerts, Action::Help] {
        stage.act(open);
        stage.char(' ');
        assert!(stage.ui.time.is_stopped() && !stage.ui.overlays.is_empty());
        stage.char(',');
        stage.key(KeyCode::End);
        assert!(!stage.ui.time.is_stopped() && !stage.ui.overlays.is_empty());
        stage.key(KeyCode::Esc);
    }
}

#[test]
fn bookmarks_lead_back_one_by_one_and_say_what_is_gone() {
    let mut stage = show(160, 50);
    stage.char('\'');
    assert!(said(&stage).contains("no bookmark"), "{}", said(&stage));
    stage.ui.focus = Focus::Pane(PaneId::Queues);
    stage.char('m');
    work(&mut stage, 100);
    stage.ui.show(ViewId::Journal);
    stage.char('m');
    assert!(said(&stage).contains("bookmark 2"), "{}", said(&stage));
    work(&mut stage, 101);
    stage.ui.show(ViewId::Bridge);
    let mut seen = Vec::new();
    for _ in 0..3 {
        stage.char('\'');
        seen.push((stage.ui.view, stage.ui.time.unseen_count()));
    }
    assert_eq!(seen, [(ViewId::Journal, 4), (ViewId::Deck, 8), (ViewId::Journal, 4)]);
    assert!(said(&stage).starts_with("bookmark 2 of 2"), "{}", said(&stage));
    // Set again where it is, it goes.
    stage.char('m');
    assert!(said(&stage).contains("removed; 1"), "{}", said(&stage));
}

#[test]
fn a_bookmark_whose_moment_is_gone_says_so_and_the_oldest_make_room() {
    let mut stage = show(80, 24);
    stage.ui.limits.console.bookmarks_max = 2;
    for id in 100..105 {
        work(&mut stage, id);
        stage.char(' ');
        stage.char('m');
        stage.char(' ');
    }
    assert_eq!(stage.ui.bookmarks.len(), 2);
    stage.ui.time = crate::console::model::Timeline::new(&stage.ui.limits.console);
    stage.ui.time.anchor(&stage.model, false);
    stage.char('\'');
    assert!(said(&stage).contains("no longer kept"), "{}", said(&stage));
    assert!(!stage.ui.time.is_stopped());
}

#[test]
fn a_bookmark_has_a_sign_in_its_row_and_nowhere_else() {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Queues);
    let signed = |stage: &mut TestConsole| -> Vec<String> {
        let sign = stage.view.glyphs.bookmark;
        stage.text().lines().filter(|line| line.contains(sign)).map(str::to_owned).collect()
    };
    assert!(signed(&mut stage).is_empty());
    stage.key(KeyCode::Down);
    stage.char('m');
    stage.key(KeyCode::Up);
    let lines = signed(&mut stage);
    assert!(matches!(lines.as_slice(), [line] if line.starts_with("│★default")), "{lines:?}");
    stage.key(KeyCode::Down);
    stage.char('m');
    assert!(signed(&mut stage).is_empty(), "it goes with the bookmark");
}

#[test]
fn details_say_where_an_invocation_stood_and_that_it_was_not_there_yet() {
    let mut stage = show(160, 50);
    work(&mut stage, 100);
    let mut late = row(100);
    late.enqueued_at_ms = crate::time::Now::at_ms(stage.ms - 300).wall;
    late.updated_at_ms = crate::time::Now::at_ms(stage.ms).wall;
    late.state = crate::tap::entry::mpp::RowState::Done;
    let id = late.id;
    stage.ui.push(Details::of(Box::new(InvocationDetails { id, row: Some(late) })));
    let mut seen = Vec::new();
    for _ in 0..5 {
        let text = stage.text();
        let line = text
            .lines()
            .find_map(|line| line.split("│ state  ").nth(1))
            .unwrap_or_else(|| panic!("no state:\n{text}"));
        seen.push(line.split_whitespace().next().unwrap_or_default().trim_end_matches(':').to_owned());
        stage.char(',');
    }
    assert_eq!(seen, ["done", "applied", "dispatched", "pending", "not"]);
}

/// The rows that had ended at the moment that is shown.
fn ended(stage: &TestConsole) -> usize {
    let past = stage.ui.time.visible_model();
    ui::rows(PaneId::Recent, &stage.ui, past.as_deref().unwrap_or(&stage.model)).len()
}

#[test]
fn braces_lead_from_one_event_of_note_to_the_next() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    work(&mut stage, 1);
    stage.pass(100);
    let failed = |id| Transition::Failed {
        id: InvocationId(id),
        queue: "default".into(),
        event: "give_item".into(),
        from: RowState::Dispatched,
        cleared: false,
        by: FailedBy::Adapter,
    };
    stage.mpp(enqueued(2, "default"), "");
    stage.mpp(dispatched(2, "default"), "");
    stage.mpp(failed(2), "no such item");
    work(&mut stage, 3);
    let now_ended = ended(&stage);
    stage.char('{');
    assert!(stage.ui.time.is_stopped());
    assert_eq!(ended(&stage), now_ended - 1, "the failure is the last that happened: {}", stage.text());
    let at = stage.ui.time.instant();
    stage.char('{');
    assert!(
        said(&stage).contains("no further failure, fault, loss, drop, alert, command, mark or bookmark"),
        "{}",
        said(&stage)
    );
    assert_eq!(stage.ui.time.instant(), at, "nothing before: it stays");
    // A bookmark is one too.
    stage.key(KeyCode::End);
    work(&mut stage, 4);
    stage.char('m');
    work(&mut stage, 5);
    stage.char('{');
    assert_eq!(ended(&stage), now_ended + 1, "{}", stage.text());
    stage.char('{');
    assert_eq!(ended(&stage), now_ended - 1);
    stage.char('}');
    assert_eq!(ended(&stage), now_ended + 1);
}

#[test]
fn braces_stop_at_what_an_operator_did() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    work(&mut stage, 1);
    let now_ended = ended(&stage);
    stage.pass(100);
    stage.station(station::Transition::Operated { by: None, command: None }, "held default");
    work(&mut stage, 2);
    stage.char('{');
    assert!(stage.ui.time.is_stopped());
    assert_eq!(ended(&stage), now_ended, "{}", stage.text());
    let at = stage.ui.time.instant();
    stage.char('{');
    assert!(said(&stage).contains("no further failure"), "{}", said(&stage));
    assert_eq!(stage.ui.time.instant(), at, "nothing before: it stays");
}

#[test]
fn a_moment_is_gone_to_by_its_time_and_by_how_long_ago_it_was() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    work(&mut stage, 1);
    stage.pass(60_000);
    work(&mut stage, 2);
    let at = Now::at_ms(stage.ms);
    let go = |stage: &mut TestConsole, text: &str| {
        stage.char('@');
        assert!(stage.text().contains("Go to a time"), "{}", stage.text());
        stage.write(text);
        stage.key(KeyCode::Enter);
    };
    go(&mut stage, "-30s");
    let shown = stage.ui.time.instant().unwrap().wall.0;
    let now = Now::at_ms(stage.ms).wall.0;
    assert!((at.wall.0 - 30_000..=now - 30_000).contains(&shown), "{}", stage.text());
    assert_eq!(ended(&stage), 1);
    let time = crate::words::format::time_of_day(Now::at_ms(stage.ms - 50_000).wall, &stage.view.zone);
    go(&mut stage, &time);
    assert!(said(&stage).contains(&format!("showing {time}")), "{}", said(&stage));
    go(&mut stage, "-1h");
    assert!(said(&stage).contains("oldest entry"), "{}", said(&stage));
    stage.key(KeyCode::End);
    stage.char('@');
    stage.write("soon");
    stage.key(KeyCode::Enter);
    assert!(said(&stage).contains("`soon` is neither a time of day (18:04:10)"), "{}", said(&stage));
    assert!(!stage.ui.overlays.is_empty(), "what was written stays to be mended");
    stage.key(KeyCode::Esc);
    go(&mut stage, "");
    assert!(said(&stage).contains("no entry is selected"), "{}", said(&stage));
    // Ten seconds, from where one is.
    stage.key(KeyCode::Esc);
    go(&mut stage, "-20s");
    let from = stage.ui.time.instant().unwrap().wall.0;
    stage.char('(');
    assert_eq!(stage.ui.time.instant().unwrap().wall.0, from - 10_000);
    stage.char(')');
    assert_eq!(stage.ui.time.instant().unwrap().wall.0, from);
}

#[test]
fn a_second_is_stepped_from_the_selected_entry() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    work(&mut stage, 1);
    let first = stage.tap.last();
    let at = Now::at_ms(stage.ms).wall.0;
    stage.pass(30_000);
    work(&mut stage, 2);
    stage.char('8');
    let row = ui::rows(PaneId::Wire, &stage.ui, &stage.model).row(&ENTRY.of(first)).unwrap();
    stage.ui.select_in(PaneId::Wire, &stage.model, |selection, keys| selection.select(row, keys, 40));
    stage.char('>');
    assert_eq!(stage.ui.time.instant().unwrap().wall.0, at + 1_000, "{}", stage.text());
}
