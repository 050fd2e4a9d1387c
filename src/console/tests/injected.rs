//! The mark of rows that came of an injected frame.

use super::test_console::{TestConsole, show};
use crate::{
    console::{draw::glyphs::Glyphs, input::pane_id::PaneId, ui::state::Focus},
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
