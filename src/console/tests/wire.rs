//! The Wire view: it follows its end, holds its place, filters, and says what each entry was.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{
    screens::at_both_sizes,
    test_console::{TestConsole, dispatched, enqueued, show},
};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        inspect::Inspector,
        ui::{event::Event, state::Focus},
        wire::ENTRY,
    },
    dissect::EntryRecord,
    field::Fields,
    filter::Filter,
    ids::{InvocationId, Seq, SessionId},
    limits,
    limits::Limits,
    mpp::frame::encode,
    tap::{
        Draft,
        entry::{
            Direction, Frame, Head, Link, Redaction, Verdict, What, mpp,
            mpp::{CloseCause, ErrorCode, Fault, FrameType, Transition, Violation},
        },
    },
    time::Now,
};

/// A frame that crossed the boundary; `id` is the invocation that it speaks of.
pub(super) fn frame(
    stage: &mut TestConsole,
    direction: Direction,
    kind: FrameType,
    id: Option<u64>,
    bytes: &[u8],
) {
    let verdict =
        if direction == Direction::Outbound { Verdict::Sent } else { Verdict::Mpp(mpp::Verdict::Accepted) };
    judged(stage, direction, Some(kind), id, bytes, verdict);
}

fn judged(
    stage: &mut TestConsole,
    direction: Direction,
    kind: Option<FrameType>,
    id: Option<u64>,
    bytes: &[u8],
    verdict: Verdict,
) {
    let event = if kind == Some(FrameType::Invocation) { Some("give_item".into()) } else { None };
    let queue = if id.is_some() || kind == Some(FrameType::Pull) { Some("default".into()) } else { None };
    let head = Head::Mpp(mpp::Head { kind, id: id.map(InvocationId), queue, event });
    let wire_bytes = u32::try_from(bytes.len()).unwrap();
    let what = What::Frame(Frame {
        direction,
        peer: "127.0.0.1:50312".into(),
        head,
        verdict,
        wire_bytes,
        redaction: Redaction::None,
        origin: None,
    });
    stage.tap.emit(Draft {
        at: Now::at_ms(stage.ms),
        link: Link::Mpp,
        trace: None,
        cause: Some(Seq(12)),
        what,
        bytes,
    });
    stage.fold();
}

#[test]
fn steps_lead_the_wire_to_the_moment_and_mark_its_entry() {
    for size in [(80, 24), (160, 50)] {
        let mut stage = wire(size.0, size.1);
        stage.key(KeyCode::Up);
        stage.key(KeyCode::Up);
        for back in [1, 2, 3, 2] {
            stage.char(if back == 2 && stage.ui.time.unseen_count() == 3 { '.' } else { ',' });
            let until = stage.ui.time.visible_until().unwrap();
            assert_eq!((stage.ui.time.unseen_count(), stage.ui.time.current()), (back, Some(until)));
            assert_eq!(stage.ui.selected(PaneId::Wire, &stage.model), Some(ENTRY.of(until)));
            let text = stage.text();
            let marked: Vec<_> = text.lines().filter(|line| line.starts_with("│‖")).collect();
            assert_eq!(marked.len(), 1, "{text}");
        }
        // What was filtered away is not marked, and what is looked at is the last that is shown.
        stage.char('/');
        stage.write("kind:nothing_of_this_name");
        stage.key(KeyCode::Enter);
        assert!(!stage.text().contains("│‖"), "{}", stage.text());
        stage.key(KeyCode::End);
        assert_eq!(stage.ui.time.visible_until(), None);
    }
}

#[test]
fn the_filter_in_force_stands_behind_the_title_of_a_focused_pane_too() {
    let mut stage = wire(160, 50);
    stage.char('/');
    stage.write("kind:log");
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(text.contains("/s ─/kind:log ─") && text.contains("▸ Wire"), "{text}");
}

/// The Wire view of a show: a handshake, one piece of work, a line of the log, and a frame that ended the
/// connection.
pub(super) fn wire(columns: u16, rows: u16) -> TestConsole {
    use Direction::{Inbound, Outbound};
    let mut stage = show(columns, rows);
    let ack = encode::hello_ack("streamer", SessionId(42), &[]);
    frame(
        &mut stage,
        Inbound,
        FrameType::Hello,
        None,
        &encode::hello("com.example.sample", "sha256:01", "********"),
    );
    frame(&mut stage, Outbound, FrameType::HelloAck, None, &ack);
    frame(&mut stage, Inbound, FrameType::Pull, None, &encode::pull("default"));
    stage.pass(120);
    let params = "{\"item_id\":4,\"viewer\":\"viewer_1\"}";
    frame(
        &mut stage,
        Outbound,
        FrameType::Invocation,
        Some(47),
        &encode::invocation(InvocationId(47), "default", "give_item", params),
    );
    stage.mpp(dispatched(47, "default"), "");
    stage.pass(7);
    frame(&mut stage, Inbound, FrameType::Ack, Some(47), &encode::ack(InvocationId(47)));
    frame(
        &mut stage,
        Inbound,
        FrameType::Log,
        None,
        &encode::log(mpp::Level::Warn, "viewer_1 has no room \u{1b}[2J"),
    );
    frame(
        &mut stage,
        Inbound,
        FrameType::Failed,
        Some(47),
        &encode::failed(InvocationId(47), "no room for viewer_1", true),
    );
    stage.mpp(
        Transition::Refunded { id: InvocationId(47), queue: "default".into(), event: "give_item".into() },
        "no room for viewer_1",
    );
    stage.pass(300);
    let fault = Fault::Protocol { code: ErrorCode::InvalidFrame, violation: Violation::NotJson };
    judged(&mut stage, Inbound, None, None, b"{\"mpp\":2,oops\n", Verdict::Mpp(mpp::Verdict::Refused(fault)));
    let told = encode::protocol_error("INVALID_FRAME", "the line is not JSON");
    frame(&mut stage, Outbound, FrameType::ProtocolError, None, &told);
    let closed = Transition::Disconnected {
        peer: "127.0.0.1:50312".into(),
        active: true,
        cause: CloseCause::Fault(fault),
    };
    stage.mpp(closed, "");
    stage.char('8');
    stage
}

/// The Wire view over so many entries, of which each tenth tells of the boss.
pub(super) fn flooded(entries: u64) -> TestConsole {
    let mut stage = show(160, 50);
    more(&mut stage, entries);
    stage.char('8');
    stage
}

fn more(stage: &mut TestConsole, entries: u64) {
    for at in 0..entries {
        stage.pass(1);
        stage.mpp(enqueued(1_000 + at, if at % 10 == 0 { "boss" } else { "default" }), "");
    }
}

fn selected(stage: &TestConsole) -> u64 {
    let key = stage.ui.selected(PaneId::Wire, &stage.model).unwrap();
    ENTRY.id(&key).unwrap().0
}

fn last(stage: &TestConsole) -> u64 {
    stage.ui.time.entries().last_seq().unwrap().0
}

fn filter(stage: &mut TestConsole, text: Option<&str>) {
    let filter = text.map(|text| Filter::parse(text, EntryRecord::SPECS).unwrap());
    stage.ui.table_settings_mut(PaneId::Wire).set_filter(filter);
    stage.ui.reconcile(&stage.model);
}

fn wheel(stage: &mut TestConsole, kind: MouseEventKind, row: u16) {
    stage.event(Event::Mouse(MouseEvent { kind, column: 20, row, modifiers: KeyModifiers::NONE }));
}

#[test]
fn the_wire_of_a_show() {
    at_both_sizes("wire", wire);
}

#[test]
fn the_wire_on_air() {
    at_both_sizes("wire_on_air", |columns, rows| {
        let mut stage = wire(columns, rows);
        (stage.view.mask_policy.logins, stage.view.mask_policy.payloads) = (true, true);
        let text = stage.text();
        assert!(!text.contains("viewer_1") && !text.contains("no room"), "{text}");
        assert!(text.contains("47 give_item on default"), "{text}");
        stage
    });
}

#[test]
fn it_follows_its_end_while_nothing_was_chosen() {
    let mut stage = flooded(200);
    assert_eq!(stage.ui.focus, Focus::Pane(PaneId::Wire));
    assert_eq!(selected(&stage), last(&stage));
    more(&mut stage, 300);
    assert_eq!(selected(&stage), last(&stage));
    assert!(stage.text().contains("1299 give_item on default"), "{}", stage.text());
}

#[test]
fn scrolling_up_holds_the_place_and_the_end_is_followed_again_on_demand() {
    for back in [KeyCode::Char('G'), KeyCode::End] {
        let mut stage = flooded(200);
        stage.key(KeyCode::PageUp);
        let (held, offset) = (selected(&stage), stage.ui.selection(PaneId::Wire).unwrap().offset());
        assert!(held < last(&stage));
        let lines = |stage: &mut TestConsole| {
            stage.text().lines().skip(4).take(20).map(str::to_owned).collect::<Vec<_>>()
        };
        let before = lines(&mut stage);
        more(&mut stage, 500);
        assert_eq!((selected(&stage), stage.ui.selection(PaneId::Wire).unwrap().offset()), (held, offset));
        assert_eq!(lines(&mut stage), before);
        stage.key(back);
        assert_eq!(selected(&stage), last(&stage));
        more(&mut stage, 1);
        assert_eq!(selected(&stage), last(&stage));
    }
}

#[test]
fn going_down_to_the_last_row_follows_again_but_a_click_on_it_chooses_it() {
    let mut stage = flooded(200);
    stage.key(KeyCode::Up);
    let held = selected(&stage);
    more(&mut stage, 1);
    assert_eq!(selected(&stage), held);
    wheel(&mut stage, MouseEventKind::ScrollDown, 20);
    more(&mut stage, 5);
    assert_eq!(selected(&stage), last(&stage));
    let bottom = stage.ui.layout(&stage.model).panes[0].1.bottom() - 2;
    wheel(&mut stage, MouseEventKind::Down(MouseButton::Left), bottom);
    let chosen = last(&stage);
    more(&mut stage, 5);
    assert_eq!(selected(&stage), chosen);
}

#[test]
fn a_selection_stays_under_a_filter_and_goes_to_the_next_that_is_admitted() {
    let mut stage = flooded(200);
    stage.key(KeyCode::PageUp);
    let held = selected(&stage);
    filter(&mut stage, Some("queue:boss"));
    let boss = selected(&stage);
    assert!((held..held + 10).contains(&boss), "{held} {boss}");
    assert!(stage.text().contains("on boss") && !stage.text().contains("on default"), "{}", stage.text());
    more(&mut stage, 100);
    assert_eq!(selected(&stage), boss);
    filter(&mut stage, None);
    assert_eq!(selected(&stage), boss);
}

#[test]
fn the_title_counts_what_is_kept_shown_and_come_in_the_last_second() {
    let mut stage = flooded(2_000);
    let kept = stage.ui.time.entries().len();
    assert!(
        stage.text().contains(&format!("Wire {},{:03} kept, 990/s", kept / 1_000, kept % 1_000)),
        "{}",
        stage.text()
    );
    filter(&mut stage, Some("kind:enqueued queue:boss"));
    while stage.ui.advance_wire(500) {}
    let counts = stage.ui.wire.counts(stage.ui.time.entries());
    assert_eq!((counts.visible, counts.visible + counts.filtered), (201, counts.kept));
    assert!(stage.text().contains("Wire 201 of 2,"), "{}", stage.text());
    stage.pass(5_000);
    assert!(stage.text().contains(", 0/s"), "{}", stage.text());
}

#[test]
fn what_was_shown_stays_on_the_screen_while_a_filter_is_tested() {
    let mut stage = flooded(8_000);
    filter(&mut stage, Some("queue:boss"));
    assert!(stage.text().contains("filtering") && stage.text().contains("on default"), "{}", stage.text());
    while stage.ui.advance_wire(500) {}
    stage.ui.reconcile(&stage.model);
    assert!(stage.text().contains("on boss") && !stage.text().contains("on default"), "{}", stage.text());
}

#[test]
fn a_filter_that_asks_for_an_age_is_tested_anew_each_second() {
    let mut stage = flooded(100);
    filter(&mut stage, Some("age<2s"));
    let count = |stage: &TestConsole| stage.ui.wire.counts(stage.ui.time.entries()).visible;
    assert!(count(&stage) >= 100);
    stage.pass(3_000);
    stage.tick();
    assert_eq!(count(&stage), 0);
    assert!(stage.text().contains("Wire 0 of"), "{}", stage.text());
}

#[test]
fn a_held_entry_that_is_evicted_gives_its_place_to_the_oldest() {
    let mut stage = show(160, 50);
    let small = limits::Console { kept_entries_max: 4_096, ..Limits::default().console };
    stage.ui.time = crate::console::model::Timeline::new(&small);
    more(&mut stage, 1_000);
    stage.char('8');
    stage.key(KeyCode::Home);
    let held = selected(&stage);
    more(&mut stage, 2_000);
    assert_eq!(selected(&stage), held);
    more(&mut stage, 5_000);
    let kept = stage.ui.time.entries();
    assert!(kept.at(Seq(held)).is_none());
    assert_eq!(selected(&stage), kept.first_seq().unwrap().0);
    let selection = stage.ui.selection(PaneId::Wire).unwrap();
    assert_eq!((selection.index(), selection.offset()), (0, 0));
}

#[test]
fn a_click_on_a_head_says_that_the_order_is_that_of_the_tap() {
    let mut stage = wire(160, 50);
    let (_, area) = stage.ui.layout(&stage.model).panes[0];
    stage.event(Event::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: area.x + 30,
        row: area.y + 1,
        modifiers: KeyModifiers::NONE,
    }));
    assert!(stage.text().contains("the Wire keeps the tap's order"), "{}", stage.text());
    assert!(stage.text().contains("at▴"), "{}", stage.text());
}

#[test]
fn its_tab_its_key_and_the_palette_lead_there() {
    let mut stage = show(160, 50);
    stage.char('8');
    assert_eq!(stage.ui.view, ViewId::Wire);
    assert!(stage.text().contains("[8 Wire]"), "{}", stage.text());
    stage.char('1');
    let at = stage.text().lines().next().unwrap().chars().collect::<String>().find("8 Wire").unwrap();
    let column = u16::try_from(stage.text().lines().next().unwrap()[..at].chars().count()).unwrap();
    stage.event(Event::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column,
        row: 0,
        modifiers: KeyModifiers::NONE,
    }));
    assert_eq!(stage.ui.view, ViewId::Wire);
    stage.event(Event::Key {
        key: KeyEvent::new(KeyCode::Char('1'), KeyModifiers::NONE),
        at: crate::time::Mono(stage.ms * 1_000_000),
    });
    assert_eq!(stage.ui.view, ViewId::Deck);
}

#[test]
fn the_selected_entry_is_seen_whole_below_and_inspected_by_a_key() {
    let mut stage = wire(160, 50);
    stage.key(KeyCode::Up);
    stage.key(KeyCode::Up);
    let text = stage.text();
    assert!(text.contains("2c 6f 6f 70 73 0a") && text.contains("mpp-v2, protocol_error codes"), "{text}");
    let seq = selected(&stage);
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.top::<Inspector>().unwrap().subject.seq().0, seq);
    stage.key(KeyCode::Esc);
    assert_eq!((stage.ui.overlays.len(), selected(&stage)), (0, seq));
}

/// An entry that another caused.
fn caused(stage: &mut TestConsole, cause: u64) {
    let what = What::Transition(crate::tap::entry::Transition::Mpp(enqueued(9_999, "boss")));
    stage.tap.emit(Draft {
        at: Now::at_ms(stage.ms),
        link: Link::Mpp,
        trace: None,
        cause: Some(Seq(cause)),
        what,
        bytes: b"",
    });
    stage.fold();
}

#[test]
fn what_the_selected_entry_caused_is_counted_as_it_comes_and_is_not_carried_to_another() {
    let mut stage = wire(160, 50);
    stage.key(KeyCode::Up);
    let held = selected(&stage);
    assert!(stage.text().contains("none kept"), "{}", stage.text());
    caused(&mut stage, held);
    assert!(stage.text().contains("1 entry"), "{}", stage.text());
    caused(&mut stage, held);
    assert!(stage.text().contains("2 entries"), "{}", stage.text());
    stage.key(KeyCode::Down);
    assert!(stage.text().contains("none kept"), "{}", stage.text());
    stage.key(KeyCode::Up);
    assert_eq!(selected(&stage), held);
    assert!(stage.text().contains("2 entries"), "{}", stage.text());
}

#[test]
fn what_was_caused_after_the_moment_at_which_time_is_stopped_is_marked() {
    let mut stage = wire(160, 50);
    stage.key(KeyCode::Up);
    let held = selected(&stage);
    stage.char(' ');
    caused(&mut stage, held);
    assert_eq!(selected(&stage), held);
    assert!(stage.text().contains("1 of them after the time shown"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("1 of them after the time shown"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    stage.char(' ');
    assert!(!stage.text().contains("later than the moment"), "{}", stage.text());
}

#[test]
fn a_large_entry_is_not_read_at_a_glance() {
    let mut stage = wire(160, 50);
    stage.ui.limits.console.inspect_inline_bytes_max = 1_000;
    let bytes = encode::log(mpp::Level::Info, &"long ".repeat(400));
    frame(&mut stage, Direction::Inbound, FrameType::Log, None, &bytes);
    assert!(stage.text().contains("are too large for the preview"), "{}", stage.text());
}
