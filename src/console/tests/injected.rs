//! The mark of rows that came of an injected frame.

use super::{
    bus_samples, runs_samples, sessions_samples,
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        draw::glyphs::Glyphs, input::pane_id::PaneId, records::selection::RowKeys as _, ui, ui::state::Focus,
    },
    ids::{Peer, TraceId},
    tap::{
        Draft,
        entry::{
            Direction, Door, Frame, FrameOrigin, Head, Link, Redaction, Verdict, What, mpp as events,
            station::OperatedBy,
        },
    },
    time::Now,
};

fn emit(stage: &mut TestConsole, what: What, bytes: &[u8], trace: Option<TraceId>) {
    stage.tap.emit(Draft { at: Now::at_ms(stage.ms), link: Link::Mpp, trace, cause: None, what, bytes });
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
