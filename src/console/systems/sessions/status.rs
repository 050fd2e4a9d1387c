//! A session's sign and status, wherever it is listed.

use crate::{
    console::{
        copy::line,
        draw::{glyphs::Glyphs, theme::Role},
    },
    macp::{Ending, SessionRef, SessionView},
    port::SessionRow,
};
/// How far a session is, or how it ended.
pub(crate) fn session_status(view: &SessionView) -> String {
    match (&view.end, view.phase(), view.round()) {
        (Some(end), ..) => end.ending.name().to_owned(),
        (None, Some(phase), _) => phase.name().to_owned(),
        (None, None, round) => format!("round {}", round.unwrap_or_default()),
    }
}

/// A sign and a colour for how a session stands.
pub(crate) const fn session_sign(ending: Option<Ending>, glyphs: &Glyphs) -> (&'static str, Role) {
    match ending {
        None => (glyphs.flying, Role::Macp),
        Some(Ending::Resolved) => (glyphs.ok, Role::Ok),
        Some(Ending::TtlExpired) => (glyphs.warn, Role::Warn),
        Some(Ending::Cancelled) => (glyphs.none, Role::Muted),
        Some(Ending::LogDamaged) => (glyphs.bad, Role::Bad),
    }
}

/// The subcommand that shows a session.
pub(crate) fn show_command(session: &SessionRef) -> String {
    format!("session show {} --json", line::quoted(&session.id))
}

/// A session of the store, by its number and id.
pub(crate) fn session_of(row: &SessionRow) -> SessionRef {
    SessionRef { number: row.number, id: row.session.as_str().into() }
}
