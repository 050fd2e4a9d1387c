//! Entries.

use prost::{
    Message as _,
    encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len},
};

use super::{
    error::DecodeError,
    form::{Recorded, recorded},
    macp, runs, station, wire,
};
use crate::{
    ids::{Seq, Ticket},
    tap::{
        EntryRef,
        entry::{Entry, Link, Transition, What, links},
    },
    time::ClockShift,
};

/// An entry that owns the bytes beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedEntry {
    /// The entry.
    pub entry: Entry,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl OwnedEntry {
    /// The entry as a reader of the tap has it.
    #[must_use]
    pub fn as_ref(&self) -> EntryRef<'_> {
        EntryRef { entry: &self.entry, bytes: &self.bytes }
    }
}

/// The field of the bytes beside an entry, in `tap.proto`.
const BYTES_FIELD: u32 = 6;

/// The recorded form of an entry.
#[must_use]
pub fn encode(entry: EntryRef<'_>) -> Vec<u8> {
    let form = EncodedEntry::new(entry);
    let mut recorded = Vec::with_capacity(form.len());
    form.append_to(&mut recorded);
    recorded
}

/// The recorded form of an entry before it is written. The bytes beside the entry are written from where they
/// lie, behind all other fields.
#[derive(Clone, Debug)]
pub struct EncodedEntry<'a> {
    message: wire::Entry,
    message_len: usize,
    bytes: &'a [u8],
}

impl<'a> EncodedEntry<'a> {
    /// The form of an entry.
    #[must_use]
    pub fn new(EntryRef { entry, bytes }: EntryRef<'a>) -> Self {
        let message = message(entry);
        Self { message_len: message.encoded_len(), message, bytes }
    }

    /// Bytes of it.
    #[expect(clippy::len_without_is_empty, reason = "no entry is recorded by nothing")]
    #[must_use]
    pub fn len(&self) -> usize {
        let beside = match self.bytes.len() {
            0 => 0,
            len => key_len(BYTES_FIELD) + encoded_len_varint(len as u64) + len,
        };
        self.message_len + beside
    }

    /// Leaves out what the bytes beside the entry have too much for a form of so many bytes.
    #[must_use]
    pub fn cut_to(self, bytes_max: usize) -> Self {
        let kept = self.bytes.len().saturating_sub(self.len().saturating_sub(bytes_max));
        Self { bytes: self.bytes.get(..kept).unwrap_or_default(), ..self }
    }

    /// Writes it behind what is there.
    pub fn append_to(&self, recorded: &mut Vec<u8>) {
        self.message.encode_raw(recorded);
        if !self.bytes.is_empty() {
            encode_key(BYTES_FIELD, WireType::LengthDelimited, recorded);
            encode_varint(self.bytes.len() as u64, recorded);
            recorded.extend_from_slice(self.bytes);
        }
    }
}

/// Reads the recorded form of an entry.
///
/// # Errors
/// [`DecodeError`] names what is not known or not well.
pub fn decode(bytes: &[u8]) -> Result<OwnedEntry, DecodeError> {
    let mut it = wire::Entry::decode(bytes)?;
    renew(&mut it);
    let shift = ClockShift::default();
    let entry = Entry {
        what: Recorded::live(it.what, "what", shift)?,
        seq: Seq(it.seq),
        at: Recorded::live(it.at, "at", shift)?,
        link: Recorded::live(it.link, "link", shift)?,
        trace: Recorded::live(it.trace, "trace", shift)?,
        cause: it.cause.map(Seq),
    };
    Ok(OwnedEntry { entry, bytes: it.bytes })
}

/// Carries an entry of an older file over into the present form.
fn renew(it: &mut wire::Entry) {
    match &mut it.what {
        Some(wire::entry::What::Station(transition)) => station::renew(transition, &it.bytes),
        Some(wire::entry::What::Runs(transition)) => runs::renew(transition, &it.bytes),
        Some(wire::entry::What::Macp(transition)) => macp::renew(transition, &it.bytes),
        _ => {}
    }
}

/// All but the bytes beside it.
fn message(entry: &Entry) -> wire::Entry {
    let Entry { seq, at, link, trace, cause, what } = entry;
    wire::Entry {
        seq: seq.0,
        at: at.recorded(),
        link: link.recorded(),
        trace: trace.recorded(),
        cause: cause.recorded(),
        bytes: Vec::new(),
        what: what.recorded(),
    }
}

/// Declares how what happened is recorded: by link, and what is alike in all.
macro_rules! declare {
    ($( $(#[$doc:meta])* $Link:ident $module:ident $title:literal $($Frames:ident)*; )*) => {
        recorded! { codes Link = Link { $($Link),* } }

        impl Recorded<wire::entry::What> for What {
            fn recorded(&self) -> wire::entry::What {
                use wire::entry::What as Wire;
                match self {
                    Self::Frame(frame) => Wire::Frame(frame.recorded()),
                    $( Self::Transition(Transition::$Link(it)) => Wire::$Link(it.recorded()), )*
                    Self::Intercepted(it) => Wire::Intercepted((**it).recorded()),
                    Self::Passed(it) => Wire::Passed(it.recorded()),
                    Self::Committed { through } => Wire::Committed(wire::Committed { through: through.0 }),
                    &Self::Unsent { frames, bytes } => Wire::Unsent(wire::Unsent { frames, bytes }),
                    &Self::Loss { count } => Wire::Loss(wire::Loss { count }),
                }
            }

            fn live(
                it: wire::entry::What, field: &'static str, shift: ClockShift,
            ) -> Result<Self, DecodeError> {
                use wire::entry::What as Wire;
                Ok(match it {
                    Wire::Frame(it) => Self::Frame(Recorded::live(it, field, shift)?),
                    $( Wire::$Link(it) => {
                        Self::Transition(Transition::$Link(Recorded::live(it, field, shift)?))
                    } )*
                    Wire::Intercepted(it) => {
                        Self::Intercepted(Box::new(Recorded::live(it, field, shift)?))
                    }
                    Wire::Passed(it) => Self::Passed(Recorded::live(it, field, shift)?),
                    Wire::Committed(it) => Self::Committed { through: Ticket(it.through) },
                    Wire::Unsent(wire::Unsent { frames, bytes }) => Self::Unsent { frames, bytes },
                    Wire::Loss(wire::Loss { count }) => Self::Loss { count },
                })
            }
        }

        recorded! { @required What = wire::entry::What }
    };
}

links!(declare);

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tap::entry::{Transition as T, macp, runs, station};

    fn read(what: wire::entry::What, text: &str) -> Transition {
        let message = wire::Entry {
            seq: 1,
            at: crate::time::Now::at_ms(1).recorded(),
            link: Link::Station.recorded(),
            bytes: text.as_bytes().to_vec(),
            what: Some(what),
            ..wire::Entry::default()
        };
        let read = decode(&message.encode_to_vec()).unwrap();
        assert_eq!(read.bytes, text.as_bytes(), "the text is kept");
        let What::Transition(transition) = read.entry.what else { panic!("a transition was recorded") };
        transition
    }

    #[test]
    fn a_session_recorded_with_its_intent_in_the_text_alone_reads_with_it() {
        let opened = |text| {
            let session = Some(wire::MacpSession { number: 7, id: "s-7".to_owned() });
            let mode = macp::Mode::Decision.recorded();
            let opened = wire::MacpOpened { session, mode, ..wire::MacpOpened::default() };
            let kind = Some(wire::macp_transition::Kind::Opened(opened));
            let T::Macp(macp::Transition::Opened { intent, listed, .. }) =
                read(wire::entry::What::Macp(wire::MacpTransition { kind }), text)
            else {
                panic!("a session began")
            };
            (intent.to_string(), listed.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let (intent, listed) = opened(r#"{"intent":"which way","participants":["bob","carol"]}"#);
        assert_eq!((intent.as_str(), listed), ("which way", vec!["bob".to_owned(), "carol".to_owned()]));
        assert_eq!(opened("no JSON"), (String::new(), Vec::new()));
    }

    #[test]
    fn a_question_recorded_in_the_text_alone_reads_with_its_inputs() {
        let asked = |text| {
            let node = Some(wire::NodeRef { place: 3, id: "give".to_owned() });
            let action = vec![7; 16];
            let asked = wire::RunAsked { action, node, expires_at_ms: 9, ..wire::RunAsked::default() };
            let kind = Some(wire::runs_transition::Kind::Asked(asked));
            let T::Runs(runs::Transition::Asked { question, inputs, .. }) =
                read(wire::entry::What::Runs(wire::RunsTransition { run: vec![1; 16], kind }), text)
            else {
                panic!("it is asked")
            };
            (question, inputs)
        };
        let of = |question: &str, inputs: &str| (Arc::from(question), Arc::from(inputs));
        assert_eq!(
            asked("let give\nrun writer?\n{\"with\":{}}"),
            of("let give\nrun writer?", "{\"with\":{}}")
        );
        assert_eq!(asked("give?"), of("give?", ""));
    }

    #[test]
    fn a_new_start_recorded_as_a_notice_reads_as_one() {
        let notice = |text| {
            let kind = wire::station_transition::Kind::Notice(station::Level::Warn.recorded());
            let T::Station(read) =
                read(wire::entry::What::Station(wire::StationTransition { kind: Some(kind) }), text)
            else {
                panic!("it is the station's")
            };
            read
        };
        let restarted = "the station was started again: what follows is of the new start";
        assert_eq!(notice(restarted), station::Transition::Restarted);
        assert_eq!(notice("so long"), station::Transition::Notice { level: station::Level::Warn });
    }
}
