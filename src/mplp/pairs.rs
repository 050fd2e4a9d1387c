//! The two rules of `mplp-l1 §4.2` over the events of a record (ruling MPLP 2).

use std::collections::HashMap;

use serde_json::Value;

use super::rule::Pair;

/// Follows the MAP events of a record, in their order, and names those that nothing answered. It holds what
/// is open, and nothing else.
///
/// ```text
/// MAPTurnDispatched ──▶ open ── MAPTurnCompleted, equal role_id and turn_number ──▶ answered
/// MAPBroadcastSent ───▶ open ── MAPBroadcastReceived ─────────────────────────────▶ answered
///                       open ── MAPSessionCompleted, or the end ──────────────────▶ broken
/// ```
#[derive(Debug, Default)]
pub struct PairFold {
    sessions: HashMap<String, OpenSession>,
}

/// What is open in a session, by the places of its events.
#[derive(Debug, Default)]
struct OpenSession {
    turns: HashMap<(String, i128), Vec<usize>>,
    broadcasts: Vec<usize>,
}

impl OpenSession {
    fn close(self, broken: &mut impl FnMut(usize, Pair)) {
        self.turns.into_values().flatten().for_each(|at| broken(at, Pair::TurnCompleted));
        self.broadcasts.into_iter().for_each(|at| broken(at, Pair::BroadcastReceived));
    }
}

impl PairFold {
    /// Takes the event at a place of the record. The places of events that are now known to be unanswered go
    /// to `broken`; one that names no session, role or turn is at once.
    pub fn handle_event(&mut self, at: usize, event: &Value, mut broken: impl FnMut(usize, Pair)) {
        let session_id = event.get("session_id").and_then(Value::as_str);
        let mut session = session_id.map(|id| self.sessions.entry(id.to_owned()).or_default());
        match event.get("event_type").and_then(Value::as_str) {
            Some("MAPTurnDispatched") => match (&mut session, turn(event)) {
                (Some(session), Some(turn)) => session.turns.entry(turn).or_default().push(at),
                _ => broken(at, Pair::TurnCompleted),
            },
            Some("MAPTurnCompleted") => {
                if let (Some(session), Some(turn)) = (&mut session, turn(event)) {
                    session.turns.remove(&turn);
                }
            }
            Some("MAPBroadcastSent") => match &mut session {
                Some(session) => session.broadcasts.push(at),
                None => broken(at, Pair::BroadcastReceived),
            },
            Some("MAPBroadcastReceived") => {
                if let Some(session) = &mut session {
                    session.broadcasts.clear();
                }
            }
            Some("MAPSessionCompleted") => {
                if let Some(session) = session_id.and_then(|id| self.sessions.remove(id)) {
                    session.close(&mut broken);
                }
                return;
            }
            _ => {}
        }
        let is_settled = session.is_some_and(|it| it.turns.is_empty() && it.broadcasts.is_empty());
        if let Some(id) = session_id.filter(|_| is_settled) {
            self.sessions.remove(id);
        }
    }

    /// Ends the record: what is open is broken.
    pub fn finish(self, mut broken: impl FnMut(usize, Pair)) {
        self.sessions.into_values().for_each(|session| session.close(&mut broken));
    }
}

/// The role and the number of a turn, as its payload has them.
fn turn(event: &Value) -> Option<(String, i128)> {
    let payload = event.get("payload")?;
    let role = payload.get("role_id")?.as_str()?;
    Some((role.to_owned(), integer(payload.get("turn_number")?)?))
}

/// An integer, by its value: `1.0` is one.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked before")]
fn integer(value: &Value) -> Option<i128> {
    const WHOLE_MAX: f64 = 1e30;
    let whole = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    whole.or_else(|| {
        let number = value.as_f64()?;
        (number.fract() == 0.0 && number.abs() <= WHOLE_MAX).then_some(number as i128)
    })
}

#[cfg(test)]
mod tests;
