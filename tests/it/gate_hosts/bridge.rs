//! Lines of the adapter and of the bridge.

use rl_console::{
    ids::InvocationId,
    mpp::{self, NewInvocation},
    port::{
        Arm, Command, DoorSpec, GateCommand, Outcome, Page, PageBytes, PortError, Query, Stand, Then, Way,
        WorkbenchCommand, WorkbenchError, WorkbenchOutcome,
    },
    tap::{
        entry::{
            Transition, What,
            gate::Passing,
            mpp::{RowState, Transition as BridgeTransition},
        },
        recorded::OwnedEntry,
    },
};

use super::Gated;
use crate::real::Adapter;

const EVENT: &str = "heal_party";

pub(super) fn adapter(gated: &Gated) -> Adapter {
    Adapter::ready(gated.ready.mpp.clone().unwrap(), &gated.token)
}

pub(super) fn enqueue(gated: &Gated) -> InvocationId {
    let row = NewInvocation::new(EVENT);
    match gated.do_command(Command::Mpp(mpp::Command::Enqueue { rows: vec![row] })) {
        Ok(Outcome::Mpp(mpp::Outcome::Enqueued(mut rows))) => rows.pop().unwrap().unwrap().id,
        other => panic!("{other:?}"),
    }
}

fn state(gated: &Gated, id: InvocationId) -> RowState {
    match gated.query(Query::Invocation { id }) {
        Page::Invocation(Some(row)) => row.state,
        other => panic!("{other:?}"),
    }
}

/// The next frame that is no heartbeat.
pub(super) fn next(adapter: &mut Adapter) -> serde_json::Value {
    loop {
        let frame = adapter.receive().unwrap();
        if frame["type"] != "heartbeat" {
            return frame;
        }
    }
}

/// An adapter with one invocation that it was sent.
fn working(gated: &Gated) -> (Adapter, InvocationId) {
    let mut adapter = adapter(gated);
    let id = enqueue(gated);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
    let sent = next(&mut adapter);
    assert_eq!((&sent["type"], &sent["id"]), (&"invocation".into(), &id.0.into()), "{sent}");
    (adapter, id)
}

fn when(gated: &Gated, id: InvocationId, wanted: RowState) {
    let asked = Query::InvocationWhen { id, state: wanted, timeout_ms: 20_000 };
    match gated.query(asked) {
        Page::Invocation(Some(row)) => assert_eq!(row.state, wanted),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_that_would_end_the_adapter_is_held_mended_and_let_pass() {
    let gated = Gated::open();
    let (mut adapter, id) = working(&gated);
    gated.arm("link:mpp verdict:fault", Way::In);
    adapter.send(&format!(r#"{{"mpp":2,"type":"ack","id":{id}}}"#)).unwrap();
    adapter.send(r#"{"mpp":2,"type":"applied","id":999}"#).unwrap();
    let held = gated.wait_held(1).pop().unwrap();
    assert_eq!((held.verdict.as_str(), held.clause.is_some()), ("refused", true), "{held:?}");
    assert_eq!(gated.bytes(held.frame), b"{\"mpp\":2,\"type\":\"applied\",\"id\":999}\n");
    gated
        .edit(held.frame, format!("{{\"mpp\":2,\"type\":\"applied\",\"id\":{id}}}\n").into(), false)
        .unwrap();
    when(&gated, id, RowState::Applied);
    adapter.send(&format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)).unwrap();
    when(&gated, id, RowState::Done);
}

#[test]
fn what_is_not_one_whole_line_is_foreseen_to_be_none_for_the_gate() {
    let gated = Gated::open();
    let (mut adapter, id) = working(&gated);
    gated.arm("kind:applied", Way::In);
    adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{id}}}"#)).unwrap();
    let frame = gated.wait_held(1).pop().unwrap().frame;
    let judged = |bytes: &[u8]| {
        let (stand, bytes) = (Stand::Intercepted(frame), PageBytes(bytes.to_vec()));
        match gated.query(Query::Judge { stand, bytes }) {
            Page::Judged(row) => row.not_whole,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(judged(b"{}").as_deref(), Some("the line has no LF"));
    assert_eq!(judged(b"{}\n{}").as_deref(), Some("2 bytes follow it"));
    assert_eq!(judged(&gated.bytes(frame)), None);
}

#[test]
fn what_is_behind_a_held_line_waits_and_a_stop_lets_all_pass() {
    let mut gated = Gated::open();
    let (mut adapter, id) = working(&gated);
    gated.arm("kind:ack", Way::In);
    for kind in ["ack", "applied", "done"] {
        adapter.send(&format!(r#"{{"mpp":2,"type":"{kind}","id":{id}}}"#)).unwrap();
    }
    gated.wait_held(1);
    assert_eq!(state(&gated, id), RowState::Dispatched, "nothing of it was heard");
    gated.restart();
    assert_eq!(state(&gated, id), RowState::Done, "all that came was heard before the stop");
}

#[test]
fn what_the_bridge_sends_is_held_and_a_handshake_is_not() {
    let gated = Gated::open();
    gated.arm("kind:hello_ack or kind:invocation", Way::Out);
    gated.arm("kind:hello or kind:done", Way::In);
    let mut adapter = adapter(&gated);
    let first = enqueue(&gated);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
    let held = gated.wait_held(1).pop().unwrap();
    assert_eq!((held.kind.as_str(), held.way), ("invocation", Way::Out));
    adapter.send(r#"{"mpp":2,"type":"heartbeat"}"#).unwrap();
    gated.command(GateCommand::Disarm { rule: None }).unwrap();
    assert_eq!(next(&mut adapter)["id"], first.0);
}

#[test]
fn an_adapter_that_goes_has_done_what_it_said() {
    let gated = Gated::open();
    let (mut adapter, id) = working(&gated);
    gated.arm("kind:ack", Way::In);
    for kind in ["ack", "applied", "done"] {
        adapter.send(&format!(r#"{{"mpp":2,"type":"{kind}","id":{id}}}"#)).unwrap();
    }
    let held = gated.wait_held(1).pop().unwrap();
    drop(adapter);
    gated.pass(held.frame);
    when(&gated, id, RowState::Done);
}

#[test]
fn an_applied_that_comes_twice_on_purpose_ends_the_adapter() {
    let gated = Gated::open();
    let (mut adapter, id) = working(&gated);
    let doubled = Arm { filter: "kind:applied".to_owned(), then: Then::Duplicate, ..Arm::default() };
    gated.command(GateCommand::Arm(doubled)).unwrap();
    for kind in ["ack", "applied"] {
        adapter.send(&format!(r#"{{"mpp":2,"type":"{kind}","id":{id}}}"#)).unwrap();
    }
    assert_eq!(next(&mut adapter)["type"], "protocol_error");
    assert!(adapter.receive().is_none(), "its connection is ended");
    assert_eq!(state(&gated, id), RowState::Applied, "the first of them counts");
}

#[test]
fn a_line_that_is_held_when_its_adapter_is_ended_is_told_as_dropped() {
    let gated = Gated::open();
    let (mut adapter, id) = working(&gated);
    gated.arm("kind:ack", Way::In);
    adapter.send(&format!(r#"{{"mpp":2,"type":"ack","id":{id}}}"#)).unwrap();
    gated.wait_held(1);
    let mut reader = gated.tap();
    gated.do_command(Command::Mpp(mpp::Command::Kick)).unwrap();
    gated.wait_held(0);
    let is_passed =
        |it: &OwnedEntry| matches!(&it.entry.what, What::Passed(it) if it.how == Passing::Dropped);
    gated.read_until(&mut reader, |entries| entries.iter().any(is_passed));
    assert!(adapter.receive().is_none() || adapter.receive().is_none());
}

#[test]
fn a_frame_of_ours_by_hand_keeps_its_origin_while_it_is_held() {
    let gated = Gated::open();
    let mut adapter = adapter(&gated);
    gated.arm("kind:heartbeat", Way::Out);
    let open = WorkbenchCommand::Open { door: DoorSpec::ToAdapter };
    let Ok(Outcome::Workbench(WorkbenchOutcome::Opened { door, .. })) =
        gated.do_command(Command::Workbench(open))
    else {
        panic!("it opens")
    };
    let mut reader = gated.tap();
    let pieces = vec![PageBytes(b"{\"mpp\":2,\"type\":\"heartbeat\"}\n".to_vec())];
    let send =
        WorkbenchCommand::Send { door, pieces, of: None, wait_ms: 200, answers: None, foreseen: Vec::new() };
    gated.do_command(Command::Workbench(send)).unwrap();
    let held = gated.wait_held(1).pop().unwrap();
    gated.pass(held.frame);
    assert_eq!(adapter.receive().unwrap()["type"], "heartbeat");
    let is_it = |it: &OwnedEntry| match &it.entry.what {
        What::Frame(frame) => frame.origin.as_ref().is_some_and(|origin| origin.number == door),
        _ => false,
    };
    let entries = gated.read_until(&mut reader, |entries| entries.iter().any(is_it));
    let own = entries.iter().find(|it| is_it(it)).unwrap();
    let passed = entries.iter().find(|it| Some(it.entry.seq) == own.entry.cause).unwrap();
    assert!(matches!(passed.entry.what, What::Passed(_)), "{passed:?}");
}

#[test]
fn a_second_hello_and_a_line_with_a_token_in_it_are_not_held() {
    let gated = Gated::open();
    let (mut adapter, _) = working(&gated);
    gated.arm("link:mpp", Way::In);
    let log = |text: &str| format!(r#"{{"mpp":2,"type":"log","level":"info","message":"{text}"}}"#);
    adapter.send(&log(&gated.token)).unwrap();
    adapter.send(&log("no token")).unwrap();
    let held = gated.wait_held(1).pop().unwrap();
    assert_eq!(gated.bytes(held.frame), format!("{}\n", log("no token")).into_bytes());
    gated.pass(held.frame);
    let token = &gated.token;
    adapter.send(&format!(r#"{{"mpp":2,"type":"hello","bridge_token":"{token}"}}"#)).unwrap();
    assert_eq!(next(&mut adapter)["type"], "protocol_error", "it is heard at once");
    assert_eq!(gated.held(), []);
}

#[test]
fn a_frame_in_the_adapters_place_waits_at_the_gate_as_the_adapters_own() {
    let gated = Gated::open();
    let (mut adapter, id) = working(&gated);
    let mut reader = gated.tap();
    adapter.send(&format!(r#"{{"mpp":2,"type":"ack","id":{id}}}"#)).unwrap();
    let is_acked = |it: &OwnedEntry| {
        matches!(&it.entry.what, What::Transition(Transition::Mpp(BridgeTransition::Acked { .. })))
    };
    gated.read_until(&mut reader, |entries| entries.iter().any(is_acked));
    gated.arm("kind:applied", Way::In);
    let open = WorkbenchCommand::Open { door: DoorSpec::AsAdapter };
    let Ok(Outcome::Workbench(WorkbenchOutcome::Opened { door, .. })) =
        gated.do_command(Command::Workbench(open))
    else {
        panic!("it opens")
    };
    let send = || {
        let pieces =
            vec![PageBytes(format!("{{\"mpp\":2,\"type\":\"applied\",\"id\":{id}}}\n").into_bytes())];
        let send = WorkbenchCommand::Send {
            door,
            pieces,
            of: None,
            wait_ms: 200,
            answers: None,
            foreseen: Vec::new(),
        };
        gated.do_command(Command::Workbench(send))
    };
    send().unwrap();
    let held = gated.wait_held(1).pop().unwrap();
    assert_eq!(state(&gated, id), RowState::Dispatched, "the bridge has not heard it");
    let refused = send().unwrap_err();
    assert!(matches!(refused, PortError::Workbench(WorkbenchError::MidFrame { .. })), "{refused:?}");
    gated.pass(held.frame);
    when(&gated, id, RowState::Applied);
    let is_it = |it: &OwnedEntry| match &it.entry.what {
        What::Frame(frame) => frame.origin.as_ref().is_some_and(|origin| origin.number == door),
        _ => false,
    };
    let entries = gated.read_until(&mut reader, |entries| entries.iter().any(is_it));
    let own = entries.iter().find(|it| is_it(it)).unwrap();
    let passed = entries.iter().find(|it| Some(it.entry.seq) == own.entry.cause).unwrap();
    assert!(matches!(passed.entry.what, What::Passed(_)), "{passed:?}");
}
