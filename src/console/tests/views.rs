//! The Bridge and the Journal: what they show, what they ask for, and when.

use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};

use super::{
    answers::{answered, asked, asked_by},
    test_console::{TestConsole, applied, connected, dispatched, done, enqueued, row, show},
};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::Model,
        records::selection::{RecordKey, RowKeys as _},
        systems::bridge::{keys::INVOCATION, marked_rows::MarkedRow},
        ui::{
            effect::{Effect, PanePage},
            event::Event,
            paged_lists::PagedLists,
            state::Focus,
        },
    },
    dissect::Breach,
    ids::{InvocationId, RefundId},
    limits::Limits,
    port::{InvocationRow, Page, PortError, Query},
    tap::{
        Draft,
        entry::{
            Direction, Frame, Head, Link, Redaction, Verdict, What, mpp as events,
            mpp::{
                Brake, CloseCause, ErrorCode, Fault, FrameType, HelloReason, RefundStatus, Transition,
                Violation,
            },
        },
    },
    time::Now,
};

/// A frame of an adapter that ends its connection.
pub(super) fn refuse(stage: &mut TestConsole, peer: &str, fault: Fault, bytes: &str) {
    let frame = |direction, kind, verdict| Frame {
        direction,
        peer: peer.into(),
        head: Head::Mpp(events::Head { kind: Some(kind), ..events::Head::default() }),
        verdict,
        wire_bytes: 0,
        redaction: Redaction::None,
        origin: None,
    };
    let at = Now::at_ms(stage.ms);
    let emit = |what, bytes: &str| {
        stage.tap.emit(Draft {
            at,
            link: Link::Mpp,
            trace: None,
            cause: None,
            what,
            bytes: bytes.as_bytes(),
        });
    };
    let refused = Verdict::Mpp(events::Verdict::Refused(fault));
    emit(What::Frame(frame(Direction::Inbound, FrameType::Pull, refused)), bytes);
    if let Fault::Protocol { code, violation } = fault {
        let said = format!(
            r#"{{"mpp":2,"type":"protocol_error","code":"{}","message":"{violation}: 'bos'"}}"#,
            code.code()
        );
        emit(What::Frame(frame(Direction::Outbound, FrameType::ProtocolError, Verdict::Sent)), &said);
    }
    stage.mpp(
        Transition::Disconnected { peer: peer.into(), active: false, cause: CloseCause::Fault(fault) },
        "",
    );
}

pub(super) const NO_QUEUE: Fault =
    Fault::Protocol { code: ErrorCode::UnknownQueue, violation: Violation::NoSuchQueue };
const PARKED: Fault = Fault::Protocol { code: ErrorCode::InvalidFrame, violation: Violation::AlreadyParked };

/// The Bridge in the middle of a show, everything answered.
pub(super) fn bridge(columns: u16, rows: u16) -> TestConsole {
    let mut stage = show(columns, rows);
    stage.model.station_state.as_mut().unwrap().mpp.queues.get_mut("default").unwrap().other_manifest = 2;
    for id in 1..=3 {
        let status = RefundStatus::Requested;
        stage.mpp(Transition::RefundRecorded { refund: RefundId(id), id: InvocationId(id + 30), status }, "");
    }
    stage.mpp(Transition::Logged { level: events::Level::Error }, "lost the game's process");
    stage.mpp(Transition::Logged { level: events::Level::Info }, "found it again");
    // What was asked for so far was never answered.
    stage.ui.paged_lists = PagedLists::new();
    let effects = stage.char('2');
    answered(&mut stage, effects);
    stage
}

/// The Journal after some peers broke something.
pub(super) fn journal(columns: u16, rows: u16) -> TestConsole {
    let mut stage = show(columns, rows);
    refuse(&mut stage, "127.0.0.1:50313", PARKED, r#"{"mpp":2,"type":"pull","queue":"boss"}"#);
    stage.pass(1_000);
    refuse(&mut stage, "127.0.0.1:50314", NO_QUEUE, r#"{"mpp":2,"type":"pull","queue":"bos"}"#);
    refuse(
        &mut stage,
        "127.0.0.1:50315",
        Fault::Hello(HelloReason::InvalidToken),
        r#"{"mpp":2,"type":"hello"}"#,
    );
    stage.char('9');
    stage
}

#[test]
fn a_list_is_asked_for_when_it_is_shown_and_not_before() {
    let mut stage = show(80, 24);
    assert_eq!(asked_by(PaneId::History, &stage.key(KeyCode::Down)), None);
    let effects = stage.char('2');
    let (_, query) = asked_by(PaneId::History, &effects).unwrap();
    let first = Query::Invocations {
        state: None,
        queue: None,
        beyond: None,
        oldest_first: false,
        other_manifest: false,
        filter: None,
        limit: 200,
    };
    assert_eq!(query, first);
    assert!(asked_by(PaneId::OtherPack, &effects).is_none(), "it has no room, and its chip needs no list");
    assert!(
        asked_by(PaneId::Refunds, &effects).is_some() && asked_by(PaneId::State, &effects).is_some(),
        "their chips have counts"
    );
    assert!(stage.text().contains("loading"));
    answered(&mut stage, effects);
    let text = stage.text();
    assert!(text.contains("refund 3") && text.contains("state 2") && text.contains("old 0"), "{text}");
}

#[test]
fn a_list_is_asked_anew_once_a_second_and_only_after_a_change() {
    let mut stage = bridge(80, 24);
    for _ in 0..5 {
        stage.pass(1_000);
        assert_eq!(asked(&stage.event(Event::Tick)), []);
    }
    let effects = stage.mpp(enqueued(47, "default"), "");
    let (serial, query) = asked_by(PaneId::History, &effects).unwrap_or_else(|| panic!("{effects:?}"));
    assert!(matches!(query, Query::Invocations { beyond: None, oldest_first: false, .. }), "{query:?}");
    assert_eq!(
        asked_by(PaneId::History, &stage.mpp(dispatched(47, "default"), "")),
        None,
        "one question at a time"
    );
    let page = Page::Invocations { rows: (1..=47).rev().map(row).collect(), more: false, beyond: None };
    stage.event(Event::QueryAnswered {
        on_page: Box::new(PanePage { pane: PaneId::History, serial }),
        page: Ok(page),
    });
    assert_eq!(asked_by(PaneId::History, &stage.event(Event::Data)), None, "not within the second");
    stage.pass(1_000);
    assert!(asked_by(PaneId::History, &stage.event(Event::Data)).is_some());
}

#[test]
fn new_rows_come_at_the_top_and_the_selection_stays_on_its_record() {
    let mut stage = bridge(80, 24);
    stage.key(KeyCode::Tab);
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::History));
    stage.key(KeyCode::Down);
    assert_eq!(stage.ui.paged_lists.selected::<InvocationRow>(PaneId::History).unwrap().id, InvocationId(45));
    stage.pass(2_000);
    let effects = stage.mpp(enqueued(47, "default"), "");
    let (serial, _) = asked_by(PaneId::History, &effects).unwrap();
    let page = Page::Invocations { rows: (20..=47).rev().map(row).collect(), more: true, beyond: None };
    stage.event(Event::QueryAnswered {
        on_page: Box::new(PanePage { pane: PaneId::History, serial }),
        page: Ok(page),
    });
    assert_eq!(stage.ui.paged_lists.rows::<InvocationRow>(PaneId::History)[0].id, InvocationId(47));
    assert_eq!(stage.ui.paged_lists.rows::<InvocationRow>(PaneId::History).len(), 47);
    assert_eq!(stage.ui.paged_lists.selected::<InvocationRow>(PaneId::History).unwrap().id, InvocationId(45));
    let effects = stage.key(KeyCode::Enter);
    assert!(
        matches!(&effects[..], [Effect::Query { query: Query::Invocation { id: InvocationId(45) }, .. }]),
        "{effects:?}"
    );
}

#[test]
fn a_store_that_cannot_answer_is_said_in_the_pane_and_asked_again() {
    let mut stage = show(80, 24);
    let effects = stage.char('2');
    let (serial, _) = asked_by(PaneId::History, &effects).unwrap();
    let trouble = || Err(PortError::Store("disk I/O error".to_owned()));
    let effects = stage.event(Event::QueryAnswered {
        on_page: Box::new(PanePage { pane: PaneId::History, serial }),
        page: trouble(),
    });
    assert_eq!(asked_by(PaneId::History, &effects), None, "not at once");
    assert!(stage.text().contains("the store could not answer: disk I/O error"), "{}", stage.text());
    stage.pass(1_000);
    let effects = stage.event(Event::Tick);
    answered(&mut stage, effects);
    assert!(
        !stage.text().contains("disk I/O error") && stage.text().contains("✗ failed"),
        "{}",
        stage.text()
    );
    stage.pass(1_000);
    let effects = stage.mpp(enqueued(47, "default"), "");
    let (serial, _) = asked_by(PaneId::History, &effects).unwrap();
    stage.event(Event::QueryAnswered {
        on_page: Box::new(PanePage { pane: PaneId::History, serial }),
        page: trouble(),
    });
    let text = stage.text();
    assert!(text.contains("disk I/O error") && text.contains("✗ failed"), "what is there stays: {text}");
}

#[test]
fn what_happens_to_a_listed_row_is_seen_before_its_page_comes_again() {
    let mut stage = bridge(80, 24);
    assert!(stage.text().contains("43 14:13:20 ◌ pending"), "{}", stage.text());
    stage.mpp(dispatched(43, "default"), "");
    assert!(stage.text().contains("43 14:13:20 ▶ dispatched"), "{}", stage.text());
    stage.mpp(applied(43, "default", true), "");
    stage.mpp(done(43, "default"), "");
    assert!(stage.text().contains("43 14:13:20 ✓ done"), "{}", stage.text());
}

#[test]
fn refunds_state_and_rows_of_another_pack_are_read_whole() {
    let mut stage = bridge(300, 100);
    let shows = |stage: &mut TestConsole, pane, words: &[&str]| {
        stage.ui.focus = Focus::Pane(pane);
        let effects = stage.key(KeyCode::Enter);
        let text = stage.text();
        assert!(words.iter().all(|words| text.contains(words)), "{pane:?}\n{text}");
        stage.key(KeyCode::Esc);
        effects
    };
    shows(&mut stage, PaneId::Refunds, &["Refund 3", "viewer", "make it manually"]);
    shows(&mut stage, PaneId::State, &["State party", "pikachu<202e>", "127.0.0.1:50312, session 42"]);
    shows(&mut stage, PaneId::AdapterLog, &["Adapter log line", "found it again"]);
    let effects = shows(&mut stage, PaneId::OtherPack, &["Invocation 3"]);
    assert!(matches!(&effects[..], [Effect::Query { query: Query::Invocation { id: InvocationId(3) }, .. }]));
    assert_eq!(
        stage.ui.paged_lists.selected::<InvocationRow>(PaneId::OtherPack).unwrap().id,
        InvocationId(3)
    );
    stage.mpp(Transition::StateWritten { key: "resets".into(), persist: true }, "4");
    stage.pass(1_000);
    let effects = stage.event(Event::Tick);
    assert_eq!(asked(&effects).len(), 1);
    assert!(asked_by(PaneId::State, &effects).is_some(), "{effects:?}");
}

#[test]
fn marks_are_seen_in_every_list_that_has_their_rows() {
    let mut stage = bridge(160, 50);
    stage.ui.systems.bridge.marked_rows.toggle(
        InvocationId(5),
        MarkedRow { queue: "default".into(), has_ended: false, is_refunded: false },
        10,
    );
    let text = stage.text();
    assert!(
        ["◆5 ", "Stale manifest 2, 1 marked", "History, 1 marked"].iter().all(|it| text.contains(it)),
        "{text}"
    );
    stage.ui.focus = Focus::Pane(PaneId::History);
    stage.key(KeyCode::Down);
    stage.char('v');
    let text = stage.text();
    assert!(text.contains("◆45 ") && text.contains("History, 2 marked"), "{text}");
    // The question names both, and `Esc` takes the marks off wherever they were set.
    stage.char('x');
    assert!(stage.text().contains("Cancel 2 marked?"), "{}", stage.text());
    stage.char('n');
    stage.key(KeyCode::Esc);
    assert!(!stage.text().contains("marked") && !stage.text().contains('◆'), "{}", stage.text());
}

#[test]
fn faults_of_peers_are_counted_by_clause_with_what_to_do() {
    let mut stage = journal(160, 50);
    let text = stage.text();
    assert!(text.contains(" pull   ") && text.contains("UNKNOWN_QUEUE: the"), "{text}");
    assert_eq!(stage.model.faults.count, 3);
    let pulls: Vec<_> =
        stage.model.faults.groups().filter(|group| group.clause() == "mpp-v2, pull").collect();
    assert_eq!(
        pulls.iter().map(|group| (group.count, group.peer.as_str())).collect::<Vec<_>>(),
        [(1, "127.0.0.1:50313"), (1, "127.0.0.1:50314")]
    );
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    for words in ["A pull grants one credit", "'bos'", "pull only queues of pack.toml"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    stage.key(KeyCode::Esc);
    stage.mpp(
        Transition::Disconnected {
            peer: "127.0.0.1:9".into(),
            active: false,
            cause: CloseCause::HelloTimeout,
        },
        "",
    );
    assert_eq!(stage.model.faults.group(Breach::HelloTimeout).unwrap().count, 1);
}

#[test]
fn what_an_adapter_says_does_not_push_out_the_stations_own_log() {
    let mut stage = journal(160, 50);
    for line in 0..1_500 {
        stage.mpp(Transition::Logged { level: events::Level::Info }, &format!("line {line}"));
    }
    let text = stage.text();
    assert!(text.contains("recording to /recordings") && text.contains("older cut"), "{text}");
    assert_eq!(stage.model.bridge.lines_cut, 501, "one line of the show's, and 500 of these");
    assert_eq!(stage.model.line(stage.model.bridge.first_line).unwrap().text.as_ref(), "line 500");
    stage.char('2');
    stage.ui.focus = Focus::Pane(PaneId::AdapterLog);
    stage.key(KeyCode::Down);
    let selected = stage.ui.selected(PaneId::AdapterLog, &stage.model);
    stage.mpp(Transition::Logged { level: events::Level::Info }, "one more");
    assert_eq!(stage.ui.selected(PaneId::AdapterLog, &stage.model), selected, "the selection is the line");
    let again = crate::port::Snapshot { mpp: stage.model.mpp().unwrap().clone(), ..connected() };
    stage.resync(again);
    assert_eq!(stage.ui.selected(PaneId::AdapterLog, &stage.model), selected, "after a loss too");
}

pub(super) fn click(stage: &mut TestConsole, column: u16, row: u16) -> Vec<Effect> {
    let kind = MouseEventKind::Down(MouseButton::Left);
    stage.event(Event::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: crossterm::event::KeyModifiers::NONE,
    }))
}

/// Clicks on the first place of the screen that shows these words.
pub(super) fn click_on(stage: &mut TestConsole, words: &str) -> Vec<Effect> {
    let text = stage.text();
    let (row, line) = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(words))
        .unwrap_or_else(|| panic!("{words}\n{text}"));
    let column = line[..line.find(words).unwrap()].chars().count();
    click(stage, u16::try_from(column).unwrap() + 1, u16::try_from(row).unwrap())
}

#[test]
fn a_click_on_the_name_of_a_view_shows_it_and_its_focus_is_where_it_was_left() {
    let mut stage = show(132, 24);
    stage.key(KeyCode::Tab);
    click_on(&mut stage, "9 Journal");
    assert_eq!((stage.ui.view, stage.ui.focus), (ViewId::Journal, Focus::Pane(PaneId::Log)));
    assert!(stage.text().contains("[9 Journal]"), "{}", stage.text());
    click_on(&mut stage, "1 Deck");
    assert_eq!((stage.ui.view, stage.ui.focus), (ViewId::Deck, Focus::Pane(PaneId::InFlight)));
}

fn keys_of(pane: PaneId, stage: &TestConsole) -> Vec<RecordKey> {
    let rows = crate::console::ui::rows(pane, &stage.ui, &stage.model);
    (0..rows.len()).filter_map(|row| rows.key(row)).collect()
}

#[test]
fn a_click_on_a_column_sorts_by_it_and_a_second_one_turns_it_round() {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage.key(KeyCode::Down);
    let selected = stage.ui.selected(PaneId::Recent, &stage.model);
    let ids = |stage: &TestConsole| match &keys_of(PaneId::Recent, stage)[..] {
        [first, .., last] => (INVOCATION.id(first).unwrap().0, INVOCATION.id(last).unwrap().0),
        other => panic!("{other:?}"),
    };
    let (_, area) = stage.ui.layout(&stage.model).panes[2];
    assert_eq!(ids(&stage), (41, 1));
    click(&mut stage, area.x + 16, area.y + 1);
    assert_eq!((ids(&stage), stage.ui.selected(PaneId::Recent, &stage.model)), ((1, 41), selected.clone()));
    assert!(stage.text().contains("id▴"), "{}", stage.text());
    click(&mut stage, area.x + 16, area.y + 1);
    assert_eq!((ids(&stage), stage.ui.selected(PaneId::Recent, &stage.model)), ((41, 1), selected));
    assert!(stage.text().contains("id▾"), "{}", stage.text());
    click(&mut stage, area.x + 3, area.y + 1);
    assert!(stage.text().contains("at▴"), "{}", stage.text());
}

#[test]
fn a_list_in_pages_is_turned_round_and_sorts_by_nothing_else() {
    let mut stage = bridge(80, 24);
    let (_, area) = stage.ui.layout(&stage.model).panes[1];
    click(&mut stage, area.x + 24, area.y + 1);
    assert!(stage.text().contains("History can only be sorted by `id`"), "{}", stage.text());
    let effects = click(&mut stage, area.x + 9, area.y + 1);
    let (_, query) = asked_by(PaneId::History, &effects).unwrap();
    assert!(matches!(query, Query::Invocations { beyond: None, oldest_first: true, .. }), "{query:?}");
    answered(&mut stage, effects);
    assert!(stage.text().contains("id▴"), "{}", stage.text());
    // A chosen record stays chosen.
    stage.key(KeyCode::Down);
    let chosen = stage.ui.paged_lists.selected::<InvocationRow>(PaneId::History).unwrap().id;
    click(&mut stage, area.x + 9, area.y + 1);
    assert_eq!(stage.ui.paged_lists.selected::<InvocationRow>(PaneId::History).unwrap().id, chosen);
}

#[test]
fn every_chip_has_room_in_every_view_however_it_is_zoomed() {
    for view in ViewId::ALL {
        for zoomed in std::iter::once(None).chain(view.panes().iter().copied().map(Some)) {
            let mut stage = bridge(80, 24);
            stage.model.station_state.as_mut().unwrap().mpp.pack.name = "a pack with a long name".into();
            stage.ui.show(view);
            stage.ui.zoomed = zoomed;
            let count = stage.ui.layout(&stage.model).chips().len();
            let text = stage.text();
            let columns = text.lines().nth(1).unwrap().chars().count();
            let places = (0..80).filter_map(|column| {
                crate::console::screen::chip_at(&stage.view, column, &stage.model, &stage.ui)
            });
            assert_eq!(places.max(), Some(count - 1), "{view:?} {zoomed:?}\n{text}");
            assert!(columns <= 80, "{view:?} {zoomed:?}\n{text}");
        }
    }
}

#[test]
fn the_view_is_named_however_little_room_the_first_line_has() {
    let mut stage = bridge(80, 24);
    let brake = events::Brake { held: true, draining: true };
    for queue in ["default", "boss"] {
        stage.mpp(Transition::Braked { queue: queue.into(), brake }, "");
    }
    stage.model.record_loss(12_345, Now::at_ms(0));
    let text = stage.text();
    let line = text.lines().next().unwrap();
    for words in ["[2 Bridge]", "● LIVE", "QUEUES HELD", "2 drain", "loss 12.3k"] {
        assert!(line.contains(words), "{words}: {line}");
    }
}

#[test]
fn a_hundred_thousand_lines_fold_within_their_bounds() {
    let limits = Limits::default();
    let mut stage = bridge(160, 50);
    for line in 0..20_000_u64 {
        let what = What::Transition(crate::tap::entry::Transition::Mpp(Transition::Logged {
            level: events::Level::Debug,
        }));
        stage.tap.emit(Draft {
            at: Now::at_ms(line),
            link: Link::Mpp,
            trace: None,
            cause: None,
            what,
            bytes: b"a line",
        });
        if line % 1_000 == 0 {
            stage.fold();
        }
    }
    stage.fold();
    let Model { journal, .. } = &stage.model;
    assert_eq!(journal.notices.len() as u64, limits.console.journal_entries_max);
    assert_eq!(stage.model.mpp().unwrap().logs.len() as u64, limits.mpp.log_entries_max);
    let shared =
        (&journal.notices.back().unwrap().text, &stage.model.mpp().unwrap().logs.back().unwrap().text);
    assert!(std::sync::Arc::ptr_eq(shared.0, shared.1), "a line is kept once");
}

#[test]
fn an_adapter_that_logs_without_end_hides_nothing_that_the_bridge_says() {
    let mut stage = show(80, 24);
    stage.char('9');
    stage.mpp(Transition::Braked { queue: "boss".into(), brake: Brake { held: true, draining: false } }, "");
    for _ in 0..3_000 {
        stage.mpp(Transition::Logged { level: events::Level::Debug }, "poll");
    }
    assert!(stage.model.journal.notices.iter().any(|notice| notice.text.contains("boss held")));
    assert!(stage.text().contains("boss held"), "{}", stage.text());
    // A console that fell behind takes the state anew: what was said stays.
    stage.resync(connected());
    assert!(stage.text().contains("boss held"), "{}", stage.text());
    let numbers: Vec<u64> = stage.model.journal.station.iter().map(|notice| notice.number).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}
