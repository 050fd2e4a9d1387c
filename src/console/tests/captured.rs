//! `e` from panes whose rows are not frames themselves, and from the ladder of a trace.

use crossterm::event::KeyCode;

use super::{
    bus_samples::{AGENT, MONITOR, publication, trace, with_traffic},
    inspection::{focus, frame, story},
    test_console::{TestConsole, show},
    traces::with_messages,
};
use crate::{
    console::input::{keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
    ids::Seq,
    rmp::{Code, DropReason, Transition as T},
    tap::{
        Draft,
        entry::{Direction, Link, Transition, Verdict, What, mpp::FrameType},
    },
    time::Now,
};

/// The newest entry.
fn newest(stage: &TestConsole) -> Seq {
    stage.ui.time.entries().iter().next_back().map(|(_, found)| found.entry.seq).unwrap()
}

/// Work that is in flight, with the frames that gave it to the adapter.
fn in_flight() -> (TestConsole, Vec<Seq>) {
    let mut stage = show(160, 50);
    let ids: Vec<u64> = stage.model.mpp().unwrap().live.keys().map(|id| id.0).collect();
    let given = |id: u64| {
        let bytes = format!("{{\"mpp\":2,\"type\":\"invocation\",\"id\":{id},\"event\":\"x\"}}\n");
        let head = (FrameType::Invocation, Some(id));
        frame(&mut stage, Direction::Outbound, Verdict::Sent, head, &bytes, None)
    };
    let frames = ids.into_iter().map(given).collect();
    focus(&mut stage, ViewId::Deck, PaneId::InFlight);
    (stage, frames)
}

/// A frame at fault.
fn violation() -> (TestConsole, Vec<Seq>) {
    let mut story = story(160, 50);
    focus(&mut story.stage, ViewId::Journal, PaneId::Violations);
    (story.stage, vec![story.refused])
}

/// A message that did not reach a subscriber.
fn dropped() -> (TestConsole, Vec<Seq>) {
    let mut stage = with_traffic(show(160, 50));
    stage.publish("a/b", 77, 1, 1);
    let published = newest(&stage);
    let dropped = T::Dropped {
        reason: DropReason::BackpressureTimeout,
        topic: "a/b".into(),
        to: Some((MONITOR, 7)),
        from: Some(AGENT),
        count: 1,
        msg_id: 77,
        expires_at_ms: Now::at_ms(stage.ms).wall.0 + 29_000,
    };
    stage.tap.emit(Draft {
        at: Now::at_ms(stage.ms),
        link: Link::Rmp,
        trace: Some(trace(77)),
        cause: Some(published),
        what: What::Transition(Transition::Rmp(dropped)),
        bytes: b"",
    });
    stage.fold();
    focus(&mut stage, ViewId::Bus, PaneId::Drops);
    (stage, vec![published])
}

/// The messages of a run.
fn traced() -> (TestConsole, Vec<Seq>) {
    let mut stage = with_messages(160, 50);
    let newest = newest(&stage);
    stage.char('t');
    assert_eq!(stage.ui.view, ViewId::Trace);
    (stage, (newest.0.saturating_sub(6)..=newest.0).map(Seq).collect())
}

#[test]
fn the_frame_of_a_row_opens_in_the_workbench() {
    type Case = fn() -> (TestConsole, Vec<Seq>);
    let cases: [(&str, Case); 4] =
        [("in flight", in_flight), ("violations", violation), ("drops", dropped), ("trace", traced)];
    for (name, case) in cases {
        let (mut stage, frames) = case();
        stage.text();
        stage.key(KeyCode::Home);
        stage.char('e');
        let text = stage.text();
        assert_eq!(stage.ui.key_scope(), KeyScope::Workbench, "{name}: {text}");
        let is_of = |seq: &Seq| text.contains(&format!("made of {seq}"));
        assert!(frames.iter().any(is_of), "{name}: one of {frames:?}: {text}");
    }
}

#[test]
fn what_is_made_anew_of_a_captured_frame_is_said_with_the_fault_that_is_gone() {
    let shown = |code| {
        let mut stage = with_traffic(show(160, 50));
        stage.refuse(code, &publication("a/b", 9, "{}"));
        focus(&mut stage, ViewId::Wire, PaneId::Wire);
        stage.key(KeyCode::End);
        stage.char('e');
        stage.text()
    };
    let gone = shown(Code::InvalidTtl);
    let words = "ids, times and TTL refreshed: it was refused for them (InvalidTtl), and that fault is gone";
    assert!(gone.contains(words), "{gone}");
    let kept = shown(Code::InvalidHeaderFlags);
    assert!(kept.contains("ids, times and TTL refreshed") && !kept.contains("is gone"), "{kept}");
    // What an adapter sends has none of them.
    let (mut stage, _) = violation();
    stage.text();
    stage.key(KeyCode::Home);
    stage.char('e');
    assert!(!stage.text().contains("refreshed"), "{}", stage.text());
}
