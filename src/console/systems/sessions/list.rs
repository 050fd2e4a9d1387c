//! Sessions: those that are open first, the newest first; then those that ended, the last first.

use super::entries;
use std::{cmp::Reverse, time::Duration};

use crate::{
    console::{
        draw::{Cell, class::Class, format, glyphs::Glyphs, theme::Role},
        input::pane_id::PaneId,
        model::{
            Model,
            sessions::{awaited_participants, resolution_text},
        },
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::{Collected, Rows},
            selection::RecordKey,
        },
        systems::sessions::{
            details::SessionDetails, keys::SESSION, session_sign, session_status, show_command,
        },
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneContext, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    macp::{Ending, Mode, SessionState, SessionView},
    tap::UntracedRow,
    time::Now,
};

/// The words for how a session stands.
const STATES: &[&str] = &[
    SessionState::Open.name(),
    Ending::Resolved.name(),
    Ending::TtlExpired.name(),
    Ending::Cancelled.name(),
    Ending::LogDamaged.name(),
];
/// The words for how a session ended.
const ENDINGS: &[&str] = &[
    Ending::Resolved.name(),
    Ending::TtlExpired.name(),
    Ending::Cancelled.name(),
    Ending::LogDamaged.name(),
];

/// Participants who are waited for and named one by one.
const LISTED_MAX: usize = 6;
/// So near to the end of its TTL an open session is told apart.
const ENDS_SOON: Duration = Duration::from_secs(10);

impl SessionView {
    /// How long its TTL is yet, while it is open.
    fn remaining(&self, now: Now) -> Option<Duration> {
        self.end.is_none().then(|| self.expires_at.since(now.wall))
    }

    /// What it came to, in a line: what it resolved with, or why it ended.
    fn outcome(&self) -> String {
        match &self.end {
            Some(end) if end.ending == Ending::Resolved => resolution_text(&end.text),
            Some(end) => end.text.to_string(),
            None => String::new(),
        }
    }
}

fields! {
    SessionView {
        "session", Text, Public, "id", Column::growing("session", 10, 1) => |it, _| Value::text(&*it.session.id);
        "mode", State(Mode::SHORT_NAMES), Public, "coordination mode", Column::fixed("mode", 11).from(96)
            => |it, _| Value::text(it.mode.short());
        "phase" | "stands", Text, Public, "phase or round while open, then how it ended", Column::fixed("phase", 10) => |it, _| Value::text(session_status(it));
        "joined" | "in", Number, Public, "participants who voted or contributed, of those allowed", Column::fixed("joined", 6).right()
            => |it, _| Value::count(it.participants_in());
        "votes", Number, Public, "counted votes", Column::fixed("votes", 5).right().from(58)
            => |it, _| it.votes().map_or(Value::None, Value::count);
        "left", Duration, Public, "time until its TTL expires"
            => |it, now| it.remaining(now).map_or(Value::None, |left| {
                Value::Duration(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
            });
        "expires", Time, Public, "time its TTL expires; shown as what is left of it", Column::fixed("expires", 7).right()
            => |it, _| Value::Time(it.expires_at);
        "ended", Time, Public, "when it ended", Column::fixed("ended", 8).from(64)
            => |it, _| it.end.as_ref().map_or(Value::None, |end| Value::Time(end.at.wall));
        "intent", Text, Payload, "intent", Column::growing("intent", 10, 5).from(52) => |it, _| Value::text(&*it.intent);
        "outcome" | "why", Text, Payload, "resolution, or why it ended", Column::growing("outcome", 10, 5).from(72)
            => |it, _| Value::maybe(it.end.as_ref().map(|end| &*end.text));
        "state", State(STATES), Public, "state"
            => |it, _| {
                Value::text(it.end.as_ref().map_or(SessionState::Open.name(), |end| end.ending.name()))
            };
        "ending", State(ENDINGS), Public, "outcome" => |it, _| Value::maybe(it.end.as_ref().map(|end| end.ending.name()));
        "round", Number, Public, "current round" => |it, _| it.round().map_or(Value::None, Value::count);
        "messages", Number, Public, "accepted messages" => |it, _| Value::count(it.messages);
        "participants", Number, Public, "participants allowed; 0 if open to anyone" => |it, _| Value::count(it.allowed);
        "by", Text, Public, "initiator" => |it, _| Value::text(&*it.by);
        "at", Time, Public, "start time" => |it, _| Value::Time(it.started_at.wall);
        "last", Time, Public, "time of the last accepted message" => |it, _| Value::Time(it.last_at.wall);
        "age", Duration, Public, "time since it started" => |it, now| Value::Duration(crate::console::records::ms(it.started_at, now));
        "trace", Id, Public, "trace" => |it, _| it.trace.map_or(Value::None, |it| Value::text(it.0.hyphenated().to_string()));
        "number", Serial, Public, "serial number" => |it, _| Value::Serial(it.session.number);
    }
}

impl PaneRecord for SessionView {
    fn key(&self) -> RecordKey {
        SESSION.of(self.session.clone())
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let ending = self.end.as_ref().map(|end| end.ending);
        let (sign, role) = session_sign(ending, look.view.glyphs);
        let text = if ending.is_some() { Role::Muted } else { Role::Text };
        Some(match field {
            "session" => Cell::new(format!("{sign} {}", self.session.id), role).cut_within(),
            "mode" => Cell::new(self.mode.short(), text),
            "phase" => Cell::new(session_status(self), role),
            "joined" => {
                let (there, allowed) = (format::count(self.participants_in()), self.allowed);
                Cell::new(
                    if allowed > 0 { format!("{there}/{}", format::count(allowed)) } else { there },
                    text,
                )
            }
            "votes" => Cell::new(self.votes().map_or_else(String::new, format::count), text),
            "expires" => {
                let soon = |left: Duration| if left < ENDS_SOON { Role::Warn } else { text };
                let left = self.remaining(look.view.now);
                left.map_or_else(|| Cell::new("", text), |left| Cell::new(format::age(left), soon(left)))
            }
            "ended" => {
                let ended = self.end.as_ref().map(|end| look.view.time_of_day(end.at));
                Cell::new(ended.unwrap_or_default(), text)
            }
            "intent" => Cell::of_class(self.intent.to_string(), text, Class::Payload),
            "outcome" => Cell::of_class(self.outcome(), role, Class::Payload),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(SessionDetails(self.session.clone())))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_session(self.session.clone(), None))
    }

    fn trace(&self) -> Option<TraceId> {
        self.trace
    }

    fn marked_by(&self) -> Option<TraceId> {
        self.trace.or_else(|| Some(UntracedRow::Session(self.session.number).mark()))
    }

    fn command(&self) -> Option<String> {
        Some(show_command(&self.session))
    }
}

/// The sessions that are shown.
fn rows(model: &Model) -> Rows<'_> {
    let mut views: Vec<_> = model.macp().into_iter().flat_map(|macp| macp.sessions.values()).collect();
    views.sort_by_key(|view| {
        let end = view.end.as_ref().map(|end| Reverse(end.at.wall));
        (end.is_some(), end, Reverse(view.session.number))
    });
    views.into_iter().collect::<Collected<_>>().pinning(|view| view.end.is_none()).into()
}

/// The title of a pane of the session that is shown.
pub(super) fn session_title(pane: PaneId, name: &str, cx: &PaneContext<'_>) -> String {
    cx.ui
        .detail_session(cx.model)
        .map_or_else(|| pane.name().to_owned(), |session| format!("{name} {}", session.id))
}

/// How the session that is shown ended, or who is waited for.
pub(super) fn title_suffix(pane: PaneId, model: &Model, ui: &Ui, glyphs: &Glyphs) -> Option<(String, Role)> {
    let session = ui.detail_session(model)?;
    let Some(view) = model.macp().and_then(|macp| macp.sessions.get(&session.number)) else {
        let (detail, _) = ui.systems.sessions.pages.detail(&session).filter(|_| pane == PaneId::Positions)?;
        let resolution = detail.resolution.as_ref().map(|resolution| resolution_text(resolution.as_str()));
        let text = resolution.or_else(|| detail.row.why.clone()).unwrap_or_default();
        return detail.row.ending.map(|ending| ending_text(ending, &text, glyphs));
    };
    match (pane, &view.end) {
        (PaneId::Positions, Some(end)) => Some(ending_text(end.ending, &view.outcome(), glyphs)),
        (PaneId::Statements, None) => {
            let names: Vec<&str> =
                awaited_participants(view).take(LISTED_MAX + 1).map(|who| &**who).collect();
            let more = if names.len() > LISTED_MAX { format!(" {}", glyphs.ellipsis) } else { String::new() };
            let shown = names.iter().take(LISTED_MAX).copied().collect::<Vec<_>>().join(", ");
            (!names.is_empty()).then(|| (format!("waiting for {shown}{more}"), Role::Muted))
        }
        _ => None,
    }
}

fn ending_text(ending: Ending, text: &str, glyphs: &Glyphs) -> (String, Role) {
    let (sign, role) = session_sign(Some(ending), glyphs);
    let name = if ending == Ending::TtlExpired { "EXPIRED" } else { ending.name() };
    let text = if ending == Ending::TtlExpired { "" } else { text };
    let between = if text.is_empty() { "" } else { ": " };
    (format!("{sign} {name}{between}{text}"), role)
}

/// Why a pane that tells of one session is empty.
pub(super) fn empty_text(pane: PaneId, &PaneContext { model, ui, view }: &PaneContext<'_>) -> String {
    let Some(session) = ui.detail_session(model) else { return "no session is selected".to_owned() };
    let is_shown = model.macp().is_some_and(|macp| macp.sessions.contains_key(&session.number));
    if let Some(trouble) =
        ui.systems.sessions.pages.error().filter(|_| pane == PaneId::SessionLog || !is_shown)
    {
        return trouble.to_owned();
    }
    if !is_shown && ui.systems.sessions.pages.is_unknown(&session) {
        let stored = "no longer stored (limits.store.ended_sessions_max)";
        // Of a recording, a later moment may have been shown before.
        let is_replay = view.replay.is_some();
        return if is_replay {
            format!("not started at this moment, or {stored}")
        } else {
            stored.to_owned()
        };
    }
    let has_detail = ui.systems.sessions.pages.detail(&session).is_some();
    let is_known = is_shown || has_detail;
    let words = match (pane, ui.systems.sessions.mode) {
        (PaneId::Positions, _) if is_known => "no proposals yet",
        (PaneId::Statements, Some(Mode::MultiRound)) if has_detail => "see its log for the rounds",
        (PaneId::Statements, _) if is_known => "no messages yet",
        _ => "loading",
    };
    words.to_owned()
}

/// Sessions: those that are open first, then those that ended.
pub(crate) static PANE: Pane = Pane {
    specs: SessionView::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| rows(model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| match cx.model.macp().map_or(0, |macp| macp.totals.open) {
        0 => PaneId::Sessions.name().to_owned(),
        open => format!("{} {} open", PaneId::Sessions.name(), format::count(open)),
    }),
    empty: Empty::Text("no sessions yet"),
    drawing: Drawing::Table,
    chip: None,
    ledger: |ui, model, all| {
        let came = model.macp().map_or(0, |macp| macp.totals.started + macp.ended_before()).max(all);
        let bound = LedgerBound::Limit("limits.macp.shown_max", ui.limits.macp.shown_max);
        let what = "sessions open at the start or started since, and ended ones from before";
        Some(Account::cut(what, came, came - all, bound))
    },
};
