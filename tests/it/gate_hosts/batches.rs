//! Frames that the workbench sends at once, of which the gate holds one.

use rl_console::{
    ids::TopicName,
    limits::{self, Limits},
    port::{
        Arm, Command, DoorSpec, GateCommand, OnTimeout, Outcome, PageBytes, SentFrame, Way, WorkbenchCommand,
        WorkbenchOutcome,
    },
    rmp::{Dialect, Kind},
    tap::{
        entry::{Head, What},
        recorded::OwnedEntry,
    },
};

use super::{Gated, bus::unit};

fn opened(gated: &Gated) -> u64 {
    let client = "made".to_owned();
    let door = DoorSpec::Peer { dialect: Dialect::Frames, kind: Some(Kind::Agent), client };
    match gated.do_command(Command::Workbench(WorkbenchCommand::Open { door })) {
        Ok(Outcome::Workbench(WorkbenchOutcome::Opened { door, .. })) => door,
        other => panic!("{other:?}"),
    }
}

/// Publishes a message on each of these topics at once, from this number on; what became of them.
fn sent(gated: &Gated, door: u64, topics: &[&str], first: u64) -> Vec<SentFrame> {
    let frames = (first..).zip(topics).map(|(msg_id, topic)| PageBytes(unit(topic, msg_id, "x"))).collect();
    let all = WorkbenchCommand::SendAll { door, frames, wait_ms: 1_000, answers: None };
    match gated.do_command(Command::Workbench(all)) {
        Ok(Outcome::Workbench(WorkbenchOutcome::SentAll(sent))) => sent,
        other => panic!("{other:?}"),
    }
}

/// The topic of a message that was published through the workbench.
fn published(it: &OwnedEntry) -> Option<&str> {
    match &it.entry.what {
        What::Frame(frame) if frame.origin.is_some() => match &frame.head {
            Head::Rmp(head) => head.topic.as_ref().map(TopicName::as_str),
            _ => None,
        },
        _ => None,
    }
}

fn verdicts(sent: &[SentFrame]) -> Vec<Option<&str>> {
    sent.iter().map(SentFrame::verdict).collect()
}

#[test]
fn a_frame_among_others_that_the_gate_holds_is_said_to_be_held() {
    let gated = Gated::open();
    let door = opened(&gated);
    gated.arm("link:rmp topic:b", Way::In);
    let mut reader = gated.tap();
    let first = sent(&gated, door, &["a", "b", "c"], 1);
    assert_eq!(verdicts(&first), [Some("accepted"), None], "what is behind it was not read");
    assert!(first[1].is_held() && !first[0].is_held(), "{first:?}");
    gated.pass(gated.wait_held(1)[0].frame);
    gated.read_until(&mut reader, |entries| entries.iter().any(|it| published(it) == Some("c")));
    // What went on meanwhile is not taken for what is sent now.
    let second = sent(&gated, door, &["a", "a"], 4);
    assert_eq!(verdicts(&second), [Some("accepted"); 2], "{second:?}");
}

#[test]
fn a_frame_among_others_that_is_dropped_is_not_taken_for_the_next() {
    let gate = limits::Gate { hold_ms_max: 100, ..limits::Gate::default() };
    let gated = Gated::with(&Limits { gate, ..Limits::default() });
    let door = opened(&gated);
    let (filter, way) = ("link:rmp topic:b".to_owned(), Some(Way::In));
    let arm = Arm { filter, way, on_timeout: OnTimeout::Drop, ..Arm::default() };
    gated.command(GateCommand::Arm(arm)).unwrap();
    let sent = sent(&gated, door, &["a", "b", "c"], 1);
    assert_eq!(verdicts(&sent), [Some("accepted"), None, Some("accepted")], "{sent:?}");
    assert!(!sent[1].is_held(), "{sent:?}");
}
