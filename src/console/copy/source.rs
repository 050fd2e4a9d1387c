//! The source of a copy: a row, or what is told of one, and what each form makes of it.

use std::{borrow::Cow, fmt::Write as _};

use serde_json::{Map, Value as Json};

use super::{CopyForm, door::inject_command, dump::hex, line};
use crate::{
    console::{
        model::Model,
        records::row::{NOT_WORK, PaneRecord},
        settings::config::CommandHints,
    },
    field::{Class, Record, Value},
    port::InvocationRow,
    tap::{
        EntryRef,
        entry::{Entry, Redaction, What},
    },
    time::Now,
};

/// What was made ready to be copied.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CopyPayload {
    pub(crate) form: CopyForm,
    pub(crate) bytes: Vec<u8>,
}

impl std::fmt::Debug for CopyPayload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is in it is nobody's business.
        f.debug_struct("Copied").field("form", &self.form).field("bytes", &self.bytes.len()).finish()
    }
}

/// The source of a copy.
pub(crate) enum CopySource<'a> {
    /// A row, and the field of its chosen cell.
    Row(Box<dyn PaneRecord + 'a>, usize),
    /// The text in words, or why those are not copied, and the row that it is told of.
    Text(Result<String, &'static str>, Option<Box<dyn PaneRecord + 'a>>),
}

impl CopySource<'_> {
    /// It as text of a form, or why it is none. `beside` is the frame that a row without one of its own
    /// speaks of; it is looked for where one is asked for.
    pub(crate) fn copy<'f>(
        &self,
        form: CopyForm,
        (commands, model): (&CommandHints, &Model),
        now: Now,
        beside: impl FnOnce() -> Option<EntryRef<'f>>,
    ) -> Result<CopyPayload, &'static str> {
        let bytes = match form {
            CopyForm::Cell => self.cell(now)?.into_bytes(),
            CopyForm::Json => self.json(now)?.into_bytes(),
            CopyForm::Hex => self.hex(beside)?.into_bytes(),
            CopyForm::Frame => match self.frame(beside)? {
                (bytes, 0) => bytes.into_owned(),
                _ => return Err("only the beginning is kept; copy it as hex"),
            },
            CopyForm::Line => self.line(commands)?.into_bytes(),
            CopyForm::Inject => {
                let itself = self.row().and_then(PaneRecord::tap_entry);
                let is_frame =
                    |entry: &EntryRef<'_>| matches!(entry.entry.what, What::Frame(_) | What::Intercepted(_));
                let none = "no frame kept; the Wire lists the frames that are";
                if let Some(entry) = itself.filter(is_frame) {
                    inject_command(entry, commands, model)?.into_bytes()
                } else {
                    inject_command(beside().ok_or(none)?, commands, model)?.into_bytes()
                }
            }
            CopyForm::Diagram => return Err("only a ladder is one"),
            CopyForm::Again => line::invoke_command(self.invocation()?, commands).into_bytes(),
        };
        if bytes.is_empty() { Err("it is empty") } else { Ok(CopyPayload { form, bytes }) }
    }

    fn row(&self) -> Option<&dyn PaneRecord> {
        match self {
            Self::Row(row, _) => Some(&**row),
            Self::Text(_, row) => row.as_deref(),
        }
    }

    fn cell(&self, now: Now) -> Result<String, &'static str> {
        match self {
            Self::Row(row, field) => cell(&**row, *field, now),
            Self::Text(words, _) => words.clone(),
        }
    }

    fn json(&self, now: Now) -> Result<String, &'static str> {
        let row = self.row().ok_or("it is text only; copy the cell")?;
        let written = row.stored_json();
        written
            .unwrap_or_else(|| serde_json::to_string(&fields(row, now)))
            .map_err(|_| "it cannot be written as JSON")
    }

    fn hex<'f>(&self, beside: impl FnOnce() -> Option<EntryRef<'f>>) -> Result<String, &'static str> {
        let (bytes, cut) = self.frame(beside)?;
        let mut text = hex(&bytes);
        if cut > 0 {
            // Writing to memory cannot fail.
            let _ = writeln!(text, "{cut} more B not kept");
        }
        Ok(text)
    }

    /// The frame's bytes, and how many more there were.
    fn frame<'f>(
        &self,
        beside: impl FnOnce() -> Option<EntryRef<'f>>,
    ) -> Result<(Cow<'_, [u8]>, usize), &'static str> {
        let withheld = Err("withheld at capture: it may contain a token");
        let itself = self.row().and_then(PaneRecord::tap_entry);
        if itself.is_some_and(|entry| is_withheld(entry.entry)) {
            return withheld;
        }
        if let Some(bytes) = self.row().and_then(PaneRecord::frame) {
            let length_of = |entry: EntryRef<'_>| if entry.bytes == bytes { cut(entry) } else { 0 };
            let cut = itself.map_or_else(|| beside().map_or(0, length_of), length_of);
            return Ok((Cow::Borrowed(bytes), cut));
        }
        match beside() {
            Some(entry) if is_withheld(entry.entry) => withheld,
            Some(entry) => Ok((Cow::Owned(entry.bytes.to_vec()), cut(entry))),
            None => Err("no frame kept; the Wire lists the frames that are"),
        }
    }

    fn line(&self, commands: &CommandHints) -> Result<String, &'static str> {
        let command = self.row().and_then(PaneRecord::command);
        command.map(|command| commands.line(&command)).ok_or("no CLI equivalent")
    }

    fn invocation(&self) -> Result<&InvocationRow, &'static str> {
        self.row().map_or(Err(NOT_WORK), PaneRecord::invocation)
    }
}

/// Whether what stands for a frame is the station's note of it.
fn is_withheld(entry: &Entry) -> bool {
    matches!(&entry.what, What::Frame(frame) if frame.redaction == Redaction::Withheld)
}

/// How many of a frame's bytes were not kept.
fn cut(entry: EntryRef<'_>) -> usize {
    match &entry.entry.what {
        What::Frame(frame) => {
            usize::try_from(frame.wire_bytes).unwrap_or(usize::MAX).saturating_sub(entry.bytes.len())
        }
        _ => 0,
    }
}

/// The value of a field.
fn cell(record: &dyn Record, field: usize, now: Now) -> Result<String, &'static str> {
    match record.specs().get(field) {
        Some(spec) if spec.class == Class::Secret => Err("secrets are never copied"),
        Some(_) => Ok(value_text(&record.value(field, now)).into_owned()),
        None => Err("no cell selected"),
    }
}

/// A record's declared fields by their names. Spans and moments are in milliseconds, sizes in bytes; secrets
/// are left out.
fn fields(row: &dyn Record, now: Now) -> Map<String, Json> {
    let public = row.specs().iter().enumerate().filter(|(_, spec)| spec.class != Class::Secret);
    public.map(|(field, spec)| (spec.name.to_owned(), json_of(&row.value(field, now)))).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "only whole figures that fit are integers")]
pub(crate) fn json_of(value: &Value<'_>) -> Json {
    match value {
        Value::None => Json::Null,
        Value::Text(text) => Json::from(&**text),
        Value::Number(figure) if figure.fract() == 0.0 && figure.abs() < 9.0e15 => Json::from(*figure as i64),
        Value::Number(figure) => Json::from(*figure),
        Value::Duration(figure) | Value::Bytes(figure) | Value::Serial(figure) => Json::from(*figure),
        Value::Time(at) => Json::from(at.0),
    }
}

/// A value as the filter language takes it.
fn value_text<'a>(value: &'a Value<'_>) -> Cow<'a, str> {
    match value {
        Value::None => Cow::Borrowed(""),
        Value::Text(text) => Cow::Borrowed(text),
        Value::Number(figure) => Cow::Owned(figure.to_string()),
        Value::Duration(ms) => Cow::Owned(format!("{ms}ms")),
        Value::Bytes(bytes) => Cow::Owned(format!("{bytes}B")),
        Value::Serial(number) => Cow::Owned(number.to_string()),
        Value::Time(at) => {
            let stamp = i64::try_from(at.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
            Cow::Owned(stamp.map_or_else(|| at.0.to_string(), |stamp| stamp.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{field, time::Wall};

    struct Pairing;

    field::fields! {
        Pairing {
            "peer", Text, Login, "who" => |_, _| Value::text("ann");
            "token", Text, Secret, "what opens" => |_, _| Value::text("s3cret");
            "kept", Duration, Public, "how long" => |_, _| Value::Duration(1_500);
        }
    }

    #[test]
    fn a_secret_is_copied_in_no_form() {
        let now = Now::default();
        assert_eq!(cell(&Pairing, 0, now), Ok("ann".to_owned()));
        assert!(cell(&Pairing, 1, now).is_err_and(|why| why.contains("secret")));
        assert_eq!(serde_json::to_string(&fields(&Pairing, now)).unwrap(), r#"{"kept":1500,"peer":"ann"}"#);
    }

    #[test]
    fn a_value_is_copied_as_the_filter_language_takes_it() {
        assert_eq!(value_text(&Value::Duration(1_250)), "1250ms");
        assert_eq!(value_text(&Value::Bytes(42)), "42B");
        assert_eq!(value_text(&Value::Time(Wall(1_790_000_000_007))), "2026-09-21T14:13:20.007Z");
        assert_eq!(value_text(&Value::Number(3.0)), "3");
        assert_eq!(value_text(&Value::text("a\nb")), "a\nb");
    }
}
