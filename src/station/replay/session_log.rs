//! The log of a session until a place of a recording.
//!
//! Its records follow from what the session reported, and what they carry from the calls that caused that. A
//! message whose call is not in the recording, or was cut, has no payload and no time of its client's; a
//! resolution that no message quotes has the beginning that is shown of it, as a text where it was cut. Not
//! recorded is that somebody asked for a session first that the sweep had expired, which is one more record
//! at the station.

use std::{ops::ControlFlow, sync::Arc};

use bytes::Bytes;
use prost::Message as _;

use super::{
    numbered::{NumberedPage, NumberedPaging},
    past::PastReader,
    session_calls::SessionCalls,
    session_numbers::{Count, Numbers},
    shared::Shared,
    walk::{Place, each_entry_until, first_state},
};
use crate::{
    ids::Seq,
    limits,
    macp::{
        Ending, Transition,
        envelope::SESSION_START,
        log::{Record, TtlExpired, What as Logged},
        proto::v1::SessionCancelPayload,
    },
    port::{LogKind, Page, SessionLogRow},
    schema::JsonText,
    station::sessions::log_row,
    tap::{
        EntryRef,
        entry::{Link, Transition as Any, What},
    },
    time::Wall,
    words,
};

/// The records behind a number; none where there is no such session.
pub(super) fn answer(shared: &Shared, past: &PastReader, session: &str, (after, limit): (u64, u64)) -> Page {
    let (place, as_of, mut shown) = {
        let stage = shared.stage();
        let held = stage.state.state();
        let view = held.macp.session(session);
        let shown = view.map(|view| (view.session.number, view.messages));
        (Place::of(&stage), held.as_of.0[Link::Macp.index()], shown)
    };
    // Behind a loss the state may be of later: what it has of then is counted off.
    if let Some((number, messages)) = &mut shown {
        *messages = messages.saturating_sub(accepted_between(shared, past, (place, as_of), *number));
    }
    let mut count = Count::new(session, shown.map(|(number, _)| number));
    each_entry_until(shared, past, place, &mut |entry| {
        count.take(entry);
        ControlFlow::Continue(())
    });
    let bytes_max = shared.limits.port.answer_bytes_max;
    let page = NumberedPage::new(NumberedPaging { after, limit, bytes_max });
    let Some(number) = count.number() else { return finish(page) };
    let clients = first_state(past, place).map(|state| state.macp.clients);
    let mut log = SessionLog {
        number,
        numbers: Numbers::new(&count, shown.map(|(_, messages)| messages)),
        calls: SessionCalls::new(session, clients, &shared.limits.macp),
        limits: &shared.limits.macp,
        page,
    };
    each_entry_until(shared, past, place, &mut |entry| log.take(entry));
    finish(log.page)
}

/// How many messages the session of a number accepted behind a place until an entry, if any did.
fn accepted_between(shared: &Shared, past: &PastReader, (place, until): (Place, Seq), number: u64) -> u64 {
    let mut accepted = 0;
    if let Some(later) = place.on_to(until) {
        each_entry_until(shared, past, later, &mut |entry| {
            let is_accepted = matches!(
                &entry.entry.what,
                What::Transition(Any::Macp(Transition::Accepted { session, .. })) if session.number == number
            );
            accepted += u64::from(is_accepted && !place.has(entry.entry.seq));
            ControlFlow::Continue(())
        });
    }
    accepted
}

fn finish(page: NumberedPage<SessionLogRow>) -> Page {
    let (rows, more) = page.finish();
    Page::SessionLog { rows, more }
}

/// The page, and what it is made of.
struct SessionLog<'a> {
    /// The session's.
    number: u64,
    numbers: Numbers,
    calls: SessionCalls<'a>,
    limits: &'a limits::Macp,
    page: NumberedPage<SessionLogRow>,
}

impl SessionLog<'_> {
    fn take(&mut self, entry: EntryRef<'_>) -> ControlFlow<()> {
        self.calls.take(entry);
        let of = entry.entry;
        let What::Transition(Any::Macp(transition)) = &of.what else { return ControlFlow::Continue(()) };
        if transition.session().is_none_or(|session| session.number != self.number) {
            return ControlFlow::Continue(());
        }
        let record = match transition {
            Transition::Opened { by, .. } => Some(self.message(of.cause, by, Some(SESSION_START))),
            Transition::Accepted { by, .. } => Some(self.message(of.cause, by, None)),
            Transition::Ended { ending, .. } => self.end(*ending, of.cause, &entry.text()),
            _ => None,
        };
        let Some(record) = record else { return ControlFlow::Continue(()) };
        let number = self.numbers.of(of.seq, transition);
        let bytes = record.bytes();
        self.page.take(number, bytes, || record.row(number, of.at.wall))
    }

    /// A message that the session accepted by this call, of this type where that is known without it.
    fn message(&self, call: Option<Seq>, by: &str, kind: Option<&str>) -> RecordOf {
        let call = call.and_then(|call| self.calls.message(call));
        if let Some(envelope) = call.and_then(|call| call.envelope.clone()) {
            return RecordOf::Known(Logged::Incoming(envelope));
        }
        let head = call.map(|call| &call.head);
        let text = |text: Option<&Arc<str>>| text.map(ToString::to_string);
        let kind = kind.map(str::to_owned).or_else(|| text(head?.message_type.as_ref()));
        RecordOf::Message {
            kind,
            id: text(head.and_then(|head| head.message_id.as_ref())),
            by: by.to_owned(),
        }
    }

    /// An end, of which so much is shown.
    fn end(&self, ending: Ending, cause: Option<Seq>, shown: &str) -> Option<RecordOf> {
        let what = match ending {
            Ending::Resolved => {
                // What resolves a session mostly is a message's payload.
                let payload = cause.and_then(|call| self.calls.message(call)?.payload());
                let bytes_max = self.limits.shown_text_bytes_max;
                let is_shown =
                    |payload: &Bytes| words::cut(&String::from_utf8_lossy(payload), bytes_max) == shown;
                let whole = payload.filter(is_shown);
                Logged::Resolution(whole.unwrap_or_else(|| Bytes::copy_from_slice(shown.as_bytes())))
            }
            Ending::TtlExpired => Logged::TtlExpired(TtlExpired::default()),
            Ending::Cancelled => {
                let (reason, cancelled_by) = self.calls.cancellation(cause, shown);
                Logged::SessionCancel(SessionCancelPayload { reason, cancelled_by })
            }
            // It is found, and not recorded.
            Ending::LogDamaged => return None,
        };
        Some(RecordOf::Known(what))
    }
}

/// A record as far as it is known.
enum RecordOf {
    Known(Logged),
    /// A message without its envelope.
    Message {
        kind: Option<String>,
        id: Option<String>,
        by: String,
    },
}

impl RecordOf {
    fn bytes(&self) -> usize {
        match self {
            Self::Known(Logged::Incoming(bytes) | Logged::Resolution(bytes)) => bytes.len(),
            Self::Known(_) | Self::Message { .. } => 0,
        }
    }

    fn row(self, number: u64, at: Wall) -> SessionLogRow {
        match self {
            Self::Known(what) => log_row(number, &Record::new(at.0, what).encode_to_vec().into()),
            Self::Message { kind, id, by } => SessionLogRow {
                number,
                at_ms: at,
                kind: LogKind::Incoming,
                message_type: kind,
                message_id: id,
                sender: Some(by),
                timestamp_ms: None,
                payload: JsonText::null(),
            },
        }
    }
}
