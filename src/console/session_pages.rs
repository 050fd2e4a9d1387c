//! What the store has of the session that is shown: its log before what this console heard itself, and of one
//! that is shown no longer how it stood.

use super::{
    action::{Asked, Effect},
    layout::Layout,
    model::{Model, SessionLine, Sheet, records},
    older::{Asking, NEAR_ROWS, Older, Part},
    pages::{strange, words},
    pane_id::PaneId,
    ui::Ui,
};
use crate::{
    macp::SessionRef,
    port::{Page, PortError, Query, SessionDetail},
    time::Mono,
};

/// What the store has of the session that is shown.
#[derive(Debug, Default)]
pub(crate) struct SessionPages {
    session: Option<SessionRef>,
    log: Older<SessionLine>,
    /// How it stands, where this console does not know it itself.
    detail: Option<(Box<SessionDetail>, Sheet)>,
    details: Asking,
    /// Whether the store has no such session.
    is_unknown: bool,
    /// Why the last answer did not come.
    trouble: Option<String>,
}

impl SessionPages {
    /// What a session took that lies before a record of this number.
    pub(crate) fn older(&self, session: &SessionRef, before: u64) -> impl Iterator<Item = &SessionLine> {
        self.log.before(if self.session.as_ref() == Some(session) { before } else { 0 })
    }

    /// A session as the store has it, and how it stood.
    pub(crate) fn detail(&self, session: &SessionRef) -> Option<&(Box<SessionDetail>, Sheet)> {
        self.detail.as_ref().filter(|_| self.session.as_ref() == Some(session))
    }

    /// Whether the store was asked for the session, and has it not.
    pub(crate) fn is_unknown(&self, session: &SessionRef) -> bool {
        self.session.as_ref() == Some(session) && self.is_unknown
    }

    /// Why the last answer did not come.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    fn turn_to(&mut self, session: &SessionRef) {
        if self.session.as_ref() != Some(session) {
            *self = Self {
                session: Some(session.clone()),
                log: self.log.afresh(),
                details: self.details.afresh(),
                ..Self::default()
            };
        }
    }

    fn ask_detail(&mut self, session: &SessionRef, now: Mono) -> Option<(u64, Query)> {
        let is_due = self.detail.is_none() && !self.is_unknown && self.details.is_free(now);
        is_due.then(|| (self.details.ask(now), Query::Session { session: session.id.to_string() }))
    }

    /// Takes the answer for a pane.
    pub(super) fn take(&mut self, pane: PaneId, serial: u64, answer: Result<Page, PortError>) {
        let answers =
            if pane == PaneId::SessionLog { self.log.answers(serial) } else { self.details.answers(serial) };
        let Some(session) = self.session.clone().filter(|_| answers) else { return };
        self.trouble = None;
        match answer {
            Ok(Page::SessionLog { rows, .. }) => {
                self.log.take(rows.into_iter().map(|row| SessionLine::of(&session, row)).collect())
            }
            Ok(Page::Session(Some(found))) if found.row.number == session.number => {
                let sheet = Sheet::stored(&found);
                self.detail = Some((found, sheet));
            }
            Ok(Page::Session(_)) => self.is_unknown = true,
            Ok(_) => self.trouble = Some(strange()),
            Err(error) => self.trouble = Some(words(&error)),
        }
    }
}

/// What is to be asked for now of the session that is shown.
pub(crate) fn next(ui: &mut Ui, layout: &Layout, model: &Model, now: Mono) -> Vec<Effect> {
    let Some(session) = ui.session_shown(model) else { return Vec::new() };
    let view = model.macp().and_then(|macp| macp.sessions.get(&session.number));
    let row = ui.pages.session_history.rows().iter().find(|row| row.number == session.number);
    let had = view
        .map(|view| (view.messages, view.end.is_some()))
        .or(row.map(|row| (row.messages, row.ending.is_some())));
    let is_near = ui
        .selection(PaneId::SessionLog)
        .is_some_and(|selection| selection.offset() < NEAR_ROWS && !selection.is_untouched());
    let first = model.heard_of_session(session.number).next().map(|line| line.number);
    let pages = &mut ui.pages.sessions;
    pages.turn_to(&session);
    let mut wanted = Vec::new();
    if let Some((messages, has_ended)) = had.filter(|_| layout.has(PaneId::SessionLog)) {
        let part = pages.log.ask(first, records(messages, has_ended), is_near, now);
        wanted.extend(part.map(|Part { serial, after, limit }| {
            (PaneId::SessionLog, serial, Query::SessionLog { session: session.id.to_string(), after, limit })
        }));
    }
    if view.is_none() && [PaneId::Standings, PaneId::Voices].iter().any(|pane| layout.has(*pane)) {
        wanted.extend(
            pages.ask_detail(&session, now).map(|(serial, query)| (PaneId::Standings, serial, query)),
        );
    }
    wanted
        .into_iter()
        .map(|(pane, serial, query)| Effect::Query { asked: Asked::Page { pane, serial }, query })
        .collect()
}
