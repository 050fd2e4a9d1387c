//! What the store has of the session that is shown: its log before what this console heard itself, and of one
//! that is shown no longer how it stood.

use super::history::stored_row;
use crate::{
    console::{
        input::pane_id::PaneId,
        model::{
            Model,
            sessions::{SessionBoard, SessionLine, records},
        },
        records::{
            backfill::{Backfill, NEAR_ROWS, PageRequest, RequestSlot},
            paged_list::{error_text, unexpected_answer},
            system_state::SystemState,
        },
        ui::{
            effect::{Effect, PanePage},
            layout::Layout,
            state::Ui,
        },
    },
    macp::SessionRef,
    port::{Page, PortError, Query, SessionDetail},
    time::Mono,
};

/// What the store has of the session that is shown.
#[derive(Debug, Default)]
pub(crate) struct SessionPages {
    session: Option<SessionRef>,
    log: Backfill<SessionLine>,
    /// How it stands, where this console does not know it itself.
    detail: Option<(Box<SessionDetail>, SessionBoard)>,
    detail_request: RequestSlot,
    /// Whether the store has no such session.
    is_unknown: bool,
    /// Why the last answer did not come.
    error: Option<String>,
}

impl SessionPages {
    /// What a session took that lies before a record of this number.
    pub(crate) fn older(&self, session: &SessionRef, before: u64) -> impl Iterator<Item = &SessionLine> {
        self.log.before(if self.session.as_ref() == Some(session) { before } else { 0 })
    }

    /// A session as the store has it, and how it stood.
    pub(crate) fn detail(&self, session: &SessionRef) -> Option<&(Box<SessionDetail>, SessionBoard)> {
        self.detail.as_ref().filter(|_| self.session.as_ref() == Some(session))
    }

    /// Whether the store was asked for the session, and has it not.
    pub(crate) fn is_unknown(&self, session: &SessionRef) -> bool {
        self.session.as_ref() == Some(session) && self.is_unknown
    }

    /// Why the last answer did not come.
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    fn switch_to(&mut self, session: &SessionRef) {
        if self.session.as_ref() != Some(session) {
            self.forget();
            self.session = Some(session.clone());
        }
    }

    /// Nothing is known of any session; answers to what was asked find no place.
    pub(super) fn forget(&mut self) {
        let (log, detail_request) = (self.log.reset(), self.detail_request.reset());
        *self = Self { log, detail_request, ..Self::default() };
    }

    fn ask_detail(&mut self, session: &SessionRef, now: Mono) -> Option<(u64, Query)> {
        let is_due = self.detail.is_none() && !self.is_unknown && self.detail_request.is_free(now);
        is_due.then(|| (self.detail_request.ask(now), Query::Session { session: session.id.to_string() }))
    }

    /// Takes the answer for a pane.
    pub(crate) fn take(&mut self, pane: PaneId, serial: u64, answer: Result<Page, PortError>) {
        let answers = if pane == PaneId::SessionLog {
            self.log.accepts(serial)
        } else {
            self.detail_request.accepts(serial)
        };
        let Some(session) = self.session.clone().filter(|_| answers) else { return };
        self.error = None;
        match answer {
            Ok(Page::SessionLog { rows, .. }) => {
                self.log.take(rows.into_iter().map(|row| SessionLine::of(&session, row)).collect());
            }
            Ok(Page::Session(Some(found))) if found.row.number == session.number => {
                let sheet = SessionBoard::stored(&found);
                self.detail = Some((found, sheet));
            }
            Ok(Page::Session(_)) => self.is_unknown = true,
            Ok(_) => self.error = Some(unexpected_answer()),
            Err(error) => self.error = Some(error_text(&error)),
        }
    }
}

/// The queries that are due of the session that is shown.
pub(crate) fn next(ui: &mut Ui, layout: &Layout, model: &Model, now: Mono) -> Vec<Effect> {
    let Some(session) = ui.detail_session(model) else { return Vec::new() };
    let view = model.macp().and_then(|macp| macp.sessions.get(&session.number));
    let row = stored_row(ui, session.number);
    let had = view
        .map(|view| (view.messages, view.end.is_some()))
        .or(row.map(|row| (row.messages, row.ending.is_some())));
    let is_near = ui
        .selection(PaneId::SessionLog)
        .is_some_and(|selection| selection.offset() < NEAR_ROWS && !selection.is_untouched());
    let first = model.recent_session_records(session.number).next().map(|line| line.number);
    let pages = &mut ui.systems.sessions.pages;
    pages.switch_to(&session);
    let mut wanted = Vec::new();
    if let Some((messages, has_ended)) = had.filter(|_| layout.has(PaneId::SessionLog)) {
        let part = pages.log.ask(first, records(messages, has_ended), is_near, now);
        wanted.extend(part.map(|PageRequest { serial, after, limit }| {
            (PaneId::SessionLog, serial, Query::SessionLog { session: session.id.to_string(), after, limit })
        }));
    }
    if view.is_none() && [PaneId::Positions, PaneId::Statements].iter().any(|pane| layout.has(*pane)) {
        wanted.extend(
            pages.ask_detail(&session, now).map(|(serial, query)| (PaneId::Positions, serial, query)),
        );
    }
    wanted.into_iter().map(|(pane, serial, query)| Effect::query(query, PanePage { pane, serial })).collect()
}

/// Where an answer for a pane of the session that is shown goes.
pub(super) fn take_pages(
    systems: &mut SystemState,
    pane: PaneId,
    serial: u64,
    answer: Result<Page, PortError>,
) {
    systems.sessions.pages.take(pane, serial, answer);
}
