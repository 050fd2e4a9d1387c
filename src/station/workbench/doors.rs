//! The doors that are open, and why others are not any more.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::door::Door;
use crate::{ids::ConnectionId, port::WorkbenchError};

/// Doors that are closed and of which it is known why.
const CLOSED_MAX: usize = 256;
/// Sessions that are over and may still have a door on its way.
const OVER_MAX: usize = 1_024;
/// Why a door is closed whose session is over.
const OPERATOR_GONE: &str = "closed with the session that opened it";

/// The doors that are open.
#[derive(Debug, Default)]
pub(super) struct Doors(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    open: BTreeMap<u64, Arc<Door>>,
    /// Those that are being opened.
    opening: u64,
    last: u64,
    /// Why others are closed, by their numbers; the oldest go.
    closed: VecDeque<(u64, String)>,
    /// The sessions of the bus that ended last; the oldest go.
    over: VecDeque<ConnectionId>,
    /// Sessions with a lower number ended with the bus that had them.
    over_below: u64,
}

/// The place of a door that is being opened.
pub(super) struct Reserved<'a> {
    doors: &'a Doors,
    pub(super) number: u64,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut state = self.doors.lock();
        state.opening = state.opening.saturating_sub(1);
    }
}

impl Doors {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a door that is about to be opened; those that the hosts have closed make room.
    ///
    /// # Errors
    /// As many are open as may be.
    pub(super) fn reserve(&self, doors_max: u64) -> Result<Reserved<'_>, WorkbenchError> {
        let mut state = self.lock();
        let taken = |state: &State| state.open.len() as u64 + state.opening;
        if taken(&state) >= doors_max {
            state.close_where(Door::closed);
        }
        if taken(&state) >= doors_max {
            return Err(WorkbenchError::WorkbenchFull { open: taken(&state) });
        }
        state.opening += 1;
        state.last += 1;
        Ok(Reserved { doors: self, number: state.last })
    }

    /// Takes a door in.
    ///
    /// # Errors
    /// The session that opens it ended meanwhile.
    pub(super) fn insert(&self, place: Reserved<'_>, door: Door) -> Result<(), WorkbenchError> {
        let number = place.number;
        let mut state = self.lock();
        if door.origin.get().by.session.is_some_and(|session| state.is_over(session)) {
            state.note_closed(number, OPERATOR_GONE.to_owned());
            return Err(state.missing(number));
        }
        state.open.insert(number, Arc::new(door));
        drop(state);
        // It is open, and no longer opening.
        drop(place);
        Ok(())
    }

    /// An open door.
    ///
    /// # Errors
    /// There is none of this number, and why, where that is known.
    pub(super) fn find(&self, number: u64) -> Result<Arc<Door>, WorkbenchError> {
        let state = self.lock();
        state.open.get(&number).cloned().ok_or_else(|| state.missing(number))
    }

    /// Takes a door away.
    ///
    /// # Errors
    /// There is none of this number, and why, where that is known.
    pub(super) fn take(&self, number: u64) -> Result<Arc<Door>, WorkbenchError> {
        let mut state = self.lock();
        state.open.remove(&number).ok_or_else(|| state.missing(number))
    }

    /// Closes a door.
    pub(super) fn close(&self, number: u64, why: &str) {
        self.lock().close(number, why);
    }

    /// Closes those for which there is a reason.
    pub(super) fn close_where(&self, why: impl Fn(&Door) -> Option<String>) {
        self.lock().close_where(why);
    }

    /// Closes the doors of a session of the bus that is over, and those that it has on their way.
    pub(super) fn operator_gone(&self, session: ConnectionId) {
        let mut state = self.lock();
        if state.over.len() == OVER_MAX {
            state.over.pop_front();
        }
        state.over.push_back(session);
        state.close_operators();
    }

    /// Closes the doors of all sessions below this one: their bus is down.
    pub(super) fn operators_gone(&self, below: ConnectionId) {
        let mut state = self.lock();
        state.over_below = state.over_below.max(below.0);
        state.over.clear();
        state.close_operators();
    }
}

impl Doors {
    /// Whether a session of the bus is over.
    pub(super) fn is_over(&self, session: ConnectionId) -> bool {
        self.lock().is_over(session)
    }
}

impl State {
    fn is_over(&self, session: ConnectionId) -> bool {
        session.0 < self.over_below || self.over.contains(&session)
    }

    fn close_operators(&mut self) {
        let is_over = |door: &Door| door.origin.get().by.session.is_some_and(|it| self.is_over(it));
        let gone = self.open.iter().filter(|(_, door)| is_over(door)).map(|(number, _)| *number);
        for number in gone.collect::<Vec<_>>() {
            self.close(number, OPERATOR_GONE);
        }
    }

    fn close_where(&mut self, why: impl Fn(&Door) -> Option<String>) {
        let closed = self.open.iter().filter_map(|(number, door)| Some((*number, why(door)?)));
        for (number, why) in closed.collect::<Vec<_>>() {
            self.close(number, &why);
        }
    }

    fn close(&mut self, number: u64, why: &str) {
        if let Some(door) = self.open.remove(&number) {
            // Who sends through it still reads why; its connection ends with the last who has it.
            door.close(why);
            self.note_closed(number, why.to_owned());
        }
    }

    fn note_closed(&mut self, number: u64, why: String) {
        if self.closed.len() == CLOSED_MAX {
            self.closed.pop_front();
        }
        self.closed.push_back((number, why));
    }

    fn missing(&self, number: u64) -> WorkbenchError {
        let why = self.closed.iter().rev().find(|(of, _)| *of == number).map(|(_, why)| why.clone());
        WorkbenchError::NoWorkbench { door: number, why }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::door::{Leads, origin},
        *,
    };
    use crate::{port::DoorSpec, tap::entry::station::OperatedBy, time::Mono};

    fn open(doors: &Doors, session: Option<u64>) -> Result<u64, WorkbenchError> {
        let place = doors.reserve(4)?;
        let number = place.number;
        let by = OperatedBy { session: session.map(ConnectionId), ..OperatedBy::own_console() };
        let spec = DoorSpec::AsAdapter;
        let cell = origin(&spec, number, by);
        doors.insert(place, Door::new(cell, spec, ("adapter".to_owned(), Leads::Place), 0, Mono(0)))?;
        Ok(number)
    }

    #[expect(clippy::option_option, reason = "of a door that is closed, why, where that is known")]
    fn why(doors: &Doors, number: u64) -> Option<Option<String>> {
        match doors.find(number) {
            Ok(_) => None,
            Err(WorkbenchError::NoWorkbench { why, .. }) => Some(why),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn doors_close_with_the_session_that_opened_them() {
        let doors = Doors::default();
        let [own, seventh, eighth] = [None, Some(7), Some(8)].map(|session| open(&doors, session).unwrap());
        let sending = doors.find(seventh).unwrap();
        doors.operator_gone(ConnectionId(7));
        assert_eq!(why(&doors, seventh), Some(Some(OPERATOR_GONE.to_owned())));
        assert_eq!(sending.closed().as_deref(), Some(OPERATOR_GONE), "who sends through it knows too");
        assert_eq!((why(&doors, own), why(&doors, eighth)), (None, None));

        // The bus is down: all of its sessions are over.
        doors.operators_gone(ConnectionId(9));
        assert_eq!((why(&doors, own), why(&doors, eighth)), (None, Some(Some(OPERATOR_GONE.to_owned()))));
        open(&doors, Some(9)).unwrap();
    }

    #[test]
    fn a_door_that_is_on_its_way_while_its_session_ends_is_not_opened() {
        let doors = Doors::default();
        doors.operator_gone(ConnectionId(7));
        let refused = open(&doors, Some(7)).unwrap_err();
        assert_eq!(
            refused,
            WorkbenchError::NoWorkbench { door: 1, why: Some(OPERATOR_GONE.to_owned()) },
            "its session was over before"
        );
        doors.operators_gone(ConnectionId(20));
        assert!(open(&doors, Some(19)).is_err() && open(&doors, Some(20)).is_ok());
        // None of them has taken a place for good.
        assert_eq!([None; 3].map(|by| open(&doors, by).is_ok()), [true; 3]);
        assert_eq!(open(&doors, None), Err(WorkbenchError::WorkbenchFull { open: 4 }));
    }

    #[test]
    fn those_that_are_closed_make_room_and_their_reasons_are_kept_within_bounds() {
        let doors = Doors::default();
        for round in 0..CLOSED_MAX as u64 + 2 {
            let number = open(&doors, None).unwrap();
            assert_eq!(number, round + 1);
            doors.find(number).unwrap().close("ended");
        }
        doors.close_where(Door::closed);
        assert_eq!((why(&doors, 1), why(&doors, 3)), (Some(None), Some(Some("ended".to_owned()))));
        for session in 0..OVER_MAX as u64 + 9 {
            doors.operator_gone(ConnectionId(session));
        }
        assert_eq!(doors.lock().over.len(), OVER_MAX);
    }
}
