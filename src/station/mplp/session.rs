//! A stored session, as `mplp::lifecycle` takes it: its detail as what it begins with, the records of its log
//! with what its mode makes of them, and its end. One of an open run is told as it goes on.

use std::sync::Arc;

use base64::Engine as _;
use bytes::Bytes;
use serde_json::Value;

use crate::{
    macp::{
        Effect, Ending,
        modes::{Message, ModeState, Participants, Response},
    },
    mplp::{
        Profile,
        lifecycle::{
            Bundle, Item, RecordSettings, SessionRecord,
            session::{SessionBegin, SessionEnd, SessionMessage},
        },
    },
    port::{LogKind, SessionDetail, SessionLogRow, SessionRow},
    schema::JsonText,
    words::cut,
};

/// The record of a stored session while its log is read, in its order.
#[derive(Debug)]
pub struct SessionTranslation {
    record: SessionRecord,
    participants: Participants,
    /// What the mode keeps; nothing of a start that the mode does not take.
    state: Option<ModeState>,
    text_bytes_max: u64,
    messages: u64,
    /// Bytes that the messages take, and may take.
    bytes: u64,
    bytes_max: u64,
    /// The record by which the session ended.
    end_number: Option<u64>,
    resolution: Option<String>,
}

impl SessionTranslation {
    /// Begins the record. Texts and payloads are cut at so many bytes.
    #[must_use]
    pub fn new(detail: &SessionDetail, text_bytes_max: u64, settings: &RecordSettings) -> Self {
        Self::within(None, detail, text_bytes_max, settings)
    }

    /// Begins the record as [`Self::new`] does, with the Context of its trace's run where there is one.
    #[must_use]
    pub fn within(
        context: Option<Value>,
        detail: &SessionDetail,
        text_bytes_max: u64,
        settings: &RecordSettings,
    ) -> Self {
        let participants = Participants::new(detail.listed.clone());
        let begin = SessionBegin { context, ..beginning(detail) };
        Self {
            record: SessionRecord::begin(begin, settings),
            state: ModeState::start(detail.row.mode, &participants).ok(),
            participants,
            text_bytes_max,
            messages: 0,
            bytes: 0,
            bytes_max: u64::MAX,
            end_number: None,
            resolution: None,
        }
    }

    /// Takes the next record of the log. The first is the start, which the detail has.
    pub fn log(&mut self, row: &SessionLogRow) {
        match row.kind {
            LogKind::Incoming if row.number > 1 => self.message(row),
            LogKind::Incoming => {}
            LogKind::Resolution => {
                self.resolution = Some(cut(row.payload.as_str(), self.text_bytes_max).to_owned());
                self.end_number.get_or_insert(row.number);
            }
            LogKind::TtlExpired | LogKind::SessionCancel => {
                self.end_number.get_or_insert(row.number);
            }
        }
    }

    fn message(&mut self, row: &SessionLogRow) {
        // One that cannot be read has no type, and counts as missing.
        let (Some(message_type), Some(sender)) = (&row.message_type, &row.sender) else { return };
        let (effect, text) = self.effect(message_type, sender, &bytes_of(&row.payload));
        self.messages += 1;
        let message = SessionMessage {
            number: row.number,
            message_id: row.message_id.clone().unwrap_or_default(),
            message_type: message_type.clone(),
            sender: sender.clone(),
            effect,
            text,
            payload: cut(row.payload.as_str(), self.text_bytes_max).to_owned(),
            at: row.at_ms,
        };
        let bytes = bytes_taken(&message);
        if self.bytes.saturating_add(bytes) > self.bytes_max {
            return self.record.message_left_out(message);
        }
        self.bytes += bytes;
        self.record.message(message);
    }

    /// What a message did, and the text that goes with it. One that the mode does not take did nothing.
    fn effect(&mut self, message_type: &str, sender: &str, payload: &Bytes) -> (Effect, String) {
        let message = Message { message_type, sender, payload, parsed: None };
        let Some(state) = &mut self.state else { return (Effect::Nothing, String::new()) };
        let Ok(response) = state.on_message(&self.participants, message) else {
            return (Effect::Nothing, String::new());
        };
        let (effect, text) = response.effect(self.text_bytes_max);
        let (effect, text) = (effect, text.into_owned());
        if let Response::Persist(delta) | Response::PersistAndResolve { delta, .. } = response {
            state.apply(delta);
        }
        (effect, text)
    }

    /// The bundle: as the session ended by `row`, or as it is now where that has no end.
    #[must_use]
    pub fn finish(mut self, row: &SessionRow) -> Bundle {
        self.end(row);
        self.record.bundle()
    }

    /// What the record of its trace's run takes of it, ended as for [`Self::finish`].
    #[must_use]
    pub fn items_for_run(mut self, row: &SessionRow) -> Vec<Item> {
        self.end(row);
        self.record.items_for_run()
    }

    /// Ends it as `row` says, where that has an end.
    fn end(&mut self, row: &SessionRow) {
        if let Some(ending) = row.ending {
            let ended_at = row.ended_at_ms.unwrap_or(row.started_at_ms);
            self.record.end(SessionEnd {
                number: self.end_number,
                ending,
                why: row.why.as_deref().map(|why| cut(why, self.text_bytes_max).to_owned()),
                resolution: self.resolution.take().filter(|_| ending == Ending::Resolved),
                messages_missing: row.messages.saturating_sub(self.messages),
                at: ended_at,
            });
        }
    }
}

/// A session of an open run, as far as its log was read.
#[derive(Debug)]
pub(super) struct LiveSession {
    id: Arc<str>,
    translation: SessionTranslation,
    /// Records of its log that were read.
    read: u64,
    has_ended: bool,
    /// Whether the record of its run has it.
    is_added: bool,
}

impl LiveSession {
    pub(super) fn new(detail: &SessionDetail, text_bytes_max: u64, settings: &RecordSettings) -> Self {
        Self {
            id: detail.row.session.as_str().into(),
            translation: SessionTranslation::new(detail, text_bytes_max, settings),
            read: 0,
            has_ended: false,
            is_added: false,
        }
    }

    pub(super) fn id(&self) -> Arc<str> {
        Arc::clone(&self.id)
    }

    pub(super) const fn read(&self) -> u64 {
        self.read
    }

    /// Whether the record of its run has it.
    pub(super) const fn is_added(&self) -> bool {
        self.is_added
    }

    /// Bytes that its messages take.
    pub(super) const fn bytes(&self) -> u64 {
        self.translation.bytes
    }

    /// Takes what follows of its log, and holds so many bytes more of it: whether it ended by that. Messages
    /// for which there is no room are counted in its record.
    pub(super) fn log(&mut self, rows: &[SessionLogRow], room: u64) -> bool {
        self.translation.bytes_max = self.translation.bytes.saturating_add(room);
        for row in rows {
            self.translation.log(row);
            self.read = row.number;
        }
        self.translation.end_number.is_some()
    }

    pub(super) fn end(&mut self, row: &SessionRow) {
        self.has_ended |= row.ending.is_some();
        self.translation.end(row);
    }

    /// Whether what it adds to the graph of its run is what it will be: it has ended, or two take part.
    pub(super) const fn is_settled(&self) -> bool {
        self.has_ended || matches!(self.profile(), Profile::Map)
    }

    pub(super) const fn profile(&self) -> Profile {
        self.translation.record.profile()
    }

    /// The events of its turns that are new.
    pub(super) fn poll_events(&mut self) -> Vec<Item> {
        self.translation.record.poll_events()
    }

    /// Its objects as they are now, for the record of its run.
    pub(super) fn objects(&mut self) -> Vec<Item> {
        self.is_added = true;
        self.translation.record.named_objects()
    }
}

/// Bytes that a message takes in a record, about.
fn bytes_taken(message: &SessionMessage) -> u64 {
    let texts =
        [&message.message_id, &message.message_type, &message.sender, &message.text, &message.payload];
    let texts: usize = texts.iter().map(|text| text.len()).sum();
    (texts + size_of::<SessionMessage>()) as u64
}

/// What a session began with, as the store has it.
fn beginning(detail: &SessionDetail) -> SessionBegin {
    let row = &detail.row;
    SessionBegin {
        session: row.session.clone(),
        trace: row.trace_id,
        mode: row.mode,
        mode_name: row.mode_name.clone(),
        mode_version: detail.mode_version.clone(),
        configuration_version: detail.configuration_version.clone(),
        policy_version: detail.policy_version.clone(),
        by: row.by.clone(),
        intent: row.intent.clone(),
        participants: detail.listed.clone(),
        traceparent: detail.traceparent.clone(),
        context: None,
        at: row.started_at_ms,
        expires_at: row.expires_at_ms,
    }
}

/// The bytes of a payload: JSON as it is, or what `$text` or `$bin` hold.
fn bytes_of(payload: &JsonText) -> Bytes {
    let text = payload.as_str();
    let value = if text.starts_with("{\"$") { payload.value() } else { Value::Null };
    let only = value.as_object().filter(|fields| fields.len() == 1);
    let field = |name: &str| only.and_then(|fields| fields.get(name)).and_then(Value::as_str);
    if let Some(text) = field("$text") {
        return Bytes::copy_from_slice(text.as_bytes());
    }
    let bytes = field("$bin").and_then(|it| base64::engine::general_purpose::STANDARD.decode(it).ok());
    bytes.map_or_else(|| Bytes::copy_from_slice(text.as_bytes()), Bytes::from)
}

#[cfg(test)]
mod tests;
