//! What tells the records of sessions apart.

use std::sync::Arc;

use crate::{
    console::{
        model::sessions::StatementKind,
        records::record_key::{KeyKind, RecordKey},
    },
    macp::SessionRef,
};

/// A session.
pub(crate) const SESSION: KeyKind<SessionRef> = KeyKind::new("session");
/// A session as the store has it.
pub(crate) const STORED_SESSION: KeyKind<SessionRef> = KeyKind::new("stored session");
/// A proposal or a participant of a session.
pub(crate) const POSITION: KeyKind<(SessionRef, Arc<str>)> = KeyKind::new("position");
/// A statement of a session: its place among those of its kind, and whose it is.
pub(crate) const STATEMENT: KeyKind<(SessionRef, StatementKind, u64, Arc<str>)> = KeyKind::new("statement");
/// A record of a session's log, by its place there.
pub(crate) const SESSION_RECORD: KeyKind<(SessionRef, u64)> = KeyKind::new("session record");

/// The session that a record is, or is of.
pub(crate) fn session_of(key: &RecordKey) -> Option<&SessionRef> {
    let whole = SESSION.id(key).or_else(|| STORED_SESSION.id(key));
    let part = || POSITION.id(key).map(|(session, _)| session);
    let said = || STATEMENT.id(key).map(|(session, ..)| session);
    let line = || SESSION_RECORD.id(key).map(|(session, _)| session);
    whole.or_else(part).or_else(said).or_else(line)
}
