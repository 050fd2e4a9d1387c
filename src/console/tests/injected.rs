//! The mark of rows that came of an injected frame.

use super::{
    bus_samples, runs_samples, sessions_samples,
    test_console::{TestConsole, show},
    views,
};
use crate::{
    console::{
        draw::glyphs::Glyphs, input::pane_id::PaneId, records::selection::RowKeys as _, ui, ui::state::Focus,
    },
    ids::{InvocationId, Peer, RefundId, StateKey, TraceId},
    port::StateKeyRow,
    tap::{
        Draft,
        entry::{
            Direction, Door, Frame, FrameOrigin, Head, Link, Redaction, Transition, Verdict, What, macp,
            mpp as events, station::OperatedBy,
        },
    },
    time::{Now, Wall},
};

fn emit(stage: &mut TestConsole, what: What, bytes: &[u8], trace: Option<TraceId>) {
    stage.tap.emit(Draft { at: Now::at_ms(stage.ms), link: Link::Mpp, trace, cause: None, what, bytes });
    stage.fold();
}

/// A frame without a trace is injected, and this comes of it.
fn cause(stage: &mut TestConsole, at: Now, link: Link, transition: Transition, text: &str) {
    let frame = injected(events::Verdict::Accepted);
    let draft = |cause, what, bytes| Draft { at, link, trace: None, cause, what, bytes };
    let cause = stage.tap.emit(draft(None, frame, b"{}"));
    stage.tap.emit(draft(Some(cause), What::Transition(transition), text.as_bytes()));
    stage.fold();
}

fn injected(verdict: events::Verdict) -> What {
    let origin = FrameOrigin { by: OperatedBy::own_console(), door: Door::AsPeer, number: 1, of: None };
    What::Frame(Frame {
        direction: Direction::Inbound,
        peer: Peer::new("127.0.0.1:1"),
        head: Head::Mpp(events::Head::default()),
        verdict: Verdict::Mpp(verdict),
        wire_bytes: 2,
        redaction: Redaction::None,
        origin: Some(origin.into()),
    })
}

/// The rows of the screen that begin with the mark.
fn marked(text: &str) -> Vec<&str> {
    let sign = Glyphs::of(false).by_hand;
    text.lines().filter(|line| line.contains(sign)).collect()
}

#[test]
fn rows_in_flight_whose_trace_has_an_injected_frame_are_marked() {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::InFlight);
    stage.ui.zoomed = Some(PaneId::InFlight);
    assert_eq!(marked(&stage.text()), Vec::<&str>::new());
    let mpp = stage.model.mpp().unwrap();
    let (id, trace) = mpp.live.iter().find_map(|(id, live)| Some((*id, live.trace?))).unwrap();
    emit(&mut stage, injected(events::Verdict::Accepted), b"{}", Some(trace));
    let text = stage.text();
    let rows = marked(&text);
    assert!(rows.iter().any(|row| row.contains(&id.0.to_string())), "{text}");
}

#[test]
fn violations_by_injected_frames_are_marked() {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Violations);
    stage.ui.zoomed = Some(PaneId::Violations);
    let fault = events::Fault::Protocol {
        code: events::ErrorCode::InvalidFrame,
        violation: events::Violation::NotJson,
    };
    let refused = events::Verdict::Refused(fault);
    emit(&mut stage, injected(refused), b"{", None);
    let text = stage.text();
    assert_eq!(marked(&text).len(), 1, "{text}");
}

/// The rows with a mark once one of this trace was injected; before, there is none.
fn marked_of(stage: &mut TestConsole, pane: PaneId, trace: TraceId) -> Vec<String> {
    stage.ui.focus = Focus::Pane(pane);
    stage.ui.zoomed = Some(pane);
    assert_eq!(marked(&stage.text()), Vec::<&str>::new());
    emit(stage, injected(events::Verdict::Accepted), b"{}", Some(trace));
    marked(&stage.text()).into_iter().map(str::to_owned).collect()
}

/// The traces of a pane's rows.
fn traces(stage: &TestConsole, pane: PaneId) -> Vec<TraceId> {
    let rows = ui::rows(pane, &stage.ui, &stage.model);
    (0..rows.len()).filter_map(|row| rows.with(row, |row| row.trace()).flatten()).collect()
}

#[test]
fn a_run_that_an_injected_frame_began_is_marked() {
    let mut stage = runs_samples::over(PaneId::Runs);
    let rows = marked_of(&mut stage, PaneId::Runs, runs_samples::run(runs_samples::VOTE));
    assert!(matches!(&rows[..], [row] if row.contains("chat_vote")), "{rows:?}");
}

#[test]
fn sessions_that_an_injected_call_opened_are_marked() {
    let mut stage = sessions_samples::over(PaneId::Sessions);
    let trace = traces(&stage, PaneId::Sessions)[0];
    let of_it = traces(&stage, PaneId::Sessions).into_iter().filter(|it| *it == trace).count();
    let rows = marked_of(&mut stage, PaneId::Sessions, trace);
    assert_eq!(rows.len(), of_it, "{rows:?}");
}

#[test]
fn drops_of_an_injected_message_are_marked() {
    let mut stage = bus_samples::over(PaneId::Drops);
    let rows = marked_of(&mut stage, PaneId::Drops, bus_samples::trace(60));
    assert!(matches!(&rows[..], [row] if row.contains("overlay")), "{rows:?}");
}

/// The only row with a mark of a pane; before, there was none.
fn marked_by(
    stage: &mut TestConsole,
    pane: PaneId,
    at: Now,
    (link, transition): (Link, Transition),
) -> String {
    stage.ui.focus = Focus::Pane(pane);
    stage.ui.zoomed = Some(pane);
    assert_eq!(marked(&stage.text()), Vec::<&str>::new());
    cause(stage, at, link, transition, "a line by hand");
    let text = stage.text();
    let rows = marked(&text);
    assert_eq!(rows.len(), 1, "{text}");
    rows[0].to_owned()
}

#[test]
fn a_session_without_a_trace_that_an_injected_call_opened_is_marked() {
    let mut stage = sessions_samples::over(PaneId::Sessions);
    let opened = macp::Transition::Opened {
        session: sessions_samples::session(30),
        mode: macp::Mode::Decision,
        by: "ann".into(),
        participants: 0,
        expires_at: Now::at_ms(stage.ms + 60_000).wall,
        intent: "by hand".into(),
        listed: [].into(),
    };
    let at = Now::at_ms(stage.ms);
    let row = marked_by(&mut stage, PaneId::Sessions, at, (Link::Macp, Transition::Macp(opened)));
    assert!(row.contains("s-30"), "{row}");
}

#[test]
fn refunds_state_and_log_lines_of_injected_frames_are_marked() {
    let at = |stage: &TestConsole| Now::at_ms(stage.ms);
    let of = |transition| (Link::Mpp, Transition::Mpp(transition));
    let mut stage = views::bridge(160, 50);
    let (refund, id) = (RefundId(2), InvocationId(32));
    let status = events::RefundStatus::Requested;
    let (now, recorded) = (at(&stage), events::Transition::RefundRecorded { refund, id, status });
    let row = marked_by(&mut stage, PaneId::Refunds, now, of(recorded));
    assert!(row.contains("32"), "{row}");
    let logged = events::Transition::Logged { level: events::Level::Info };
    stage.pass(1_000);
    let now = at(&stage);
    let row = marked_by(&mut stage, PaneId::AdapterLog, now, of(logged));
    assert!(row.contains("a line by hand"), "{row}");
    let values = stage.ui.paged_lists.rows::<StateKeyRow>(PaneId::State);
    let value = values.iter().find(|value| value.at_ms.is_some()).unwrap().clone();
    let written = Now { wall: value.at_ms.unwrap(), ..at(&stage) };
    let (key, persist) = (value.key.clone(), value.persist);
    let other = Now { wall: Wall(written.wall.0 - 1), ..written };
    cause(&mut stage, other, Link::Mpp, of(write(&key, persist)).1, "1");
    let row = marked_by(&mut stage, PaneId::State, written, of(write(&key, persist)));
    assert!(row.contains(key.as_str()), "another value of the key was there before: {row}");
}

fn write(key: &StateKey, persist: bool) -> events::Transition {
    events::Transition::StateWritten { key: key.clone(), persist }
}
