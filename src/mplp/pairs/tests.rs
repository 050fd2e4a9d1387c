use serde_json::json;

use super::*;

fn turn_event(kind: &str, session: &str, role: &str, turn: &Value) -> Value {
    json!({"event_type": kind, "session_id": session, "payload": {"role_id": role, "turn_number": turn}})
}

fn dispatched(session: &str, role: &str, turn: i64) -> Value {
    turn_event("MAPTurnDispatched", session, role, &json!(turn))
}

fn completed(session: &str, role: &str, turn: i64) -> Value {
    turn_event("MAPTurnCompleted", session, role, &json!(turn))
}

fn of_session(kind: &str, session: &str) -> Value {
    json!({"event_type": kind, "session_id": session})
}

/// The places of the events that nothing answered.
fn broken(events: &[Value]) -> Vec<(usize, Pair)> {
    let (mut fold, mut found) = (PairFold::default(), Vec::new());
    for (at, event) in events.iter().enumerate() {
        fold.handle_event(at, event, |at, pair| found.push((at, pair)));
    }
    fold.finish(|at, pair| found.push((at, pair)));
    found.sort_by_key(|it| it.0);
    found
}

#[test]
fn a_turn_is_answered_by_a_later_one_of_its_session_role_and_number() {
    use Pair::TurnCompleted as T;
    assert_eq!(broken(&[dispatched("s", "r", 1), completed("s", "r", 1)]), []);
    assert_eq!(broken(&[completed("s", "r", 1), dispatched("s", "r", 1)]), [(1, T)]);
    assert_eq!(broken(&[dispatched("s", "r", 1), completed("t", "r", 1)]), [(0, T)]);
    assert_eq!(broken(&[dispatched("s", "r", 1), completed("s", "q", 1)]), [(0, T)]);
    assert_eq!(broken(&[dispatched("s", "r", 1), completed("s", "r", 2)]), [(0, T)]);
    assert_eq!(broken(&[dispatched("s", "r", 1), dispatched("s", "r", 1), completed("s", "r", 1)]), []);
    let by_value = turn_event("MAPTurnCompleted", "s", "r", &json!(1.0));
    assert_eq!(broken(&[dispatched("s", "r", 1), by_value]), []);
    let no_turn = turn_event("MAPTurnDispatched", "s", "r", &json!(null));
    assert_eq!(broken(&[no_turn.clone(), completed("s", "r", 1)]), [(0, T)]);
    assert_eq!(broken(&[json!({"event_type": "MAPTurnDispatched", "payload": {}})]), [(0, T)]);
}

#[test]
fn a_broadcast_is_answered_by_any_later_receiver() {
    use Pair::BroadcastReceived as B;
    let (sent, got) = (of_session("MAPBroadcastSent", "s"), of_session("MAPBroadcastReceived", "s"));
    assert_eq!(broken(&[sent.clone(), got.clone()]), []);
    assert_eq!(broken(&[got.clone(), sent.clone()]), [(1, B)]);
    assert_eq!(broken(&[sent.clone(), of_session("MAPBroadcastReceived", "t")]), [(0, B)]);
    assert_eq!(broken(&[sent.clone(), sent, got]), []);
    assert_eq!(broken(&[json!({"event_type": "MAPBroadcastSent"})]), [(0, B)]);
}

#[test]
fn what_comes_behind_the_end_of_a_session_is_too_late() {
    let end = of_session("MAPSessionCompleted", "s");
    let late = [dispatched("s", "r", 1), end.clone(), completed("s", "r", 1)];
    assert_eq!(broken(&late), [(0, Pair::TurnCompleted)]);
    let other = [dispatched("t", "r", 1), end, completed("t", "r", 1)];
    assert_eq!(broken(&other), []);
    let mut fold = PairFold::default();
    other.iter().enumerate().for_each(|(at, it)| fold.handle_event(at, it, |_, _| ()));
    assert!(fold.sessions.is_empty());
}
