//! Messages of a plugin and its host: `Content-Length`, an empty line, that many bytes of JSON-RPC
//! (streamnook-plugin-v1, Transport).
//!
//! `header` is an object of the header lines and `body` the message; `header_bytes` and `body_bytes` stand
//! next to them where they are spelled in another way.

use bytes::{BufMut as _, Bytes};
use serde_json::value::RawValue;

use super::{
    codec::{Codec, Decoder, Encoded, Members, Unit},
    fault::FrameFault,
    json::Json,
    part::{Part, PartCodec, decode_bytes, encode_bytes, some_json, text_of},
};
use crate::{
    dissect::{
        breach::clause_text,
        given::given,
        plugin::{code_clause, violation_clause, violation_remedy},
        rmp::frame_json::Fill,
    },
    limits::{PLUGIN_FRAME_BYTES_MAX, PLUGIN_HEADER_BYTES_MAX},
    plugin::{
        framing::{Broken, Frame, Framer},
        rpc::{Incoming, Message, read},
    },
    tap::entry::plugin::{Lint, Violation},
    words::cut_marked,
};

/// The header that every message has.
const LENGTH: &str = "Content-Length";
/// Bytes of a body at fault that are quoted.
const GOT_BYTES_MAX: u64 = 96;

/// Messages.
#[derive(Debug)]
pub(super) struct PluginCodec;

/// The body.
struct Body;

impl PartCodec for Body {
    fn show(&self, bytes: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(bytes).ok()?;
        Json::read(text).ok().map(|body| body.to_text())
    }

    fn make(&self, json: &str) -> Result<Vec<u8>, String> {
        let mut body = Json::read(json)?;
        body.fill("jsonrpc", Json::Text("2.0".to_owned()));
        Ok(body.to_text().into_bytes())
    }
}

/// The header lines, with the empty one.
struct Header;

impl PartCodec for Header {
    fn show(&self, bytes: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(bytes).ok()?.strip_suffix("\r\n\r\n")?;
        let mut members = Vec::new();
        for line in text.split("\r\n") {
            let (name, value) = line.split_once(": ")?;
            if members.iter().any(|(known, _)| known == name) {
                return None;
            }
            let is_number = value.parse::<u64>().is_ok_and(|number| number.to_string() == value);
            let value = value.to_owned();
            members.push((name.to_owned(), if is_number { Json::Plain(value) } else { Json::Text(value) }));
        }
        Some(Json::Object(members).to_text())
    }

    fn make(&self, json: &str) -> Result<Vec<u8>, String> {
        let Json::Object(members) = Json::read(json)? else {
            return Err("it takes an object of header lines".to_owned());
        };
        let mut lines = String::new();
        for (name, value) in members {
            let value = value.as_text().or(value.as_plain()).ok_or("a header is a string or a number")?;
            lines.extend([&name, ": ", value, "\r\n"]);
        }
        Ok((lines + "\r\n").into_bytes())
    }
}

given! {
    /// What `encode` is given.
    struct Given<'a> beside ["kind" _kind, "lints" _lints] {
        #[serde(borrow, default, deserialize_with = "some_json")]
        header: Option<&'a RawValue>,
        #[serde(default)]
        header_bytes: Option<String>,
        #[serde(borrow, default, deserialize_with = "some_json")]
        body: Option<&'a RawValue>,
        #[serde(default)]
        body_bytes: Option<String>,
        /// All of it, where no header was cut.
        #[serde(default)]
        frame_bytes: Option<String>,
    }
}

impl Codec for PluginCodec {
    fn decoder(&self) -> Box<dyn Decoder + '_> {
        Box::new(Messages::new(true))
    }

    fn checker(&self) -> Box<dyn Decoder + '_> {
        Box::new(Messages::new(false))
    }

    fn encode(&self, json: &str, _: &Fill) -> Result<Encoded, String> {
        let given: Given<'_> = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let body = Part::join("body", text_of(given.body), given.body_bytes.as_deref(), &Body)?;
        let header = Part::join("header", text_of(given.header), given.header_bytes.as_deref(), &Header)?;
        let wire = match (given.frame_bytes, header, body) {
            (Some(bytes), None, None) => decode_bytes("frame_bytes", &bytes)?,
            (Some(_), ..) => return Err("`frame_bytes` is all of a frame: give nothing else".to_owned()),
            (None, header, Some(body)) => {
                let length = || format!("{LENGTH}: {}\r\n\r\n", body.len()).into_bytes();
                let mut frame = header.unwrap_or_else(length);
                frame.extend_from_slice(&body);
                frame
            }
            (None, _, None) => return Err("`body` or `body_bytes` is required".to_owned()),
        };
        Ok(Encoded::judged(wire, self.checker()))
    }

    fn frame_bytes_max(&self) -> u64 {
        (PLUGIN_FRAME_BYTES_MAX + PLUGIN_HEADER_BYTES_MAX) as u64
    }

    fn example(&self) -> &'static str {
        r#"{"body":{"id":1,"method":"ping","params":{}}}"#
    }
}

/// A stream of messages.
struct Messages {
    framer: Framer,
    /// What was read and not given to the framer.
    input: Bytes,
    offset: u64,
    has_ended: bool,
    has_members: bool,
}

impl Messages {
    fn new(has_members: bool) -> Self {
        Self { framer: Framer::new(), input: Bytes::new(), offset: 0, has_ended: false, has_members }
    }

    fn broken(&mut self, broken: &Broken) -> Unit {
        self.has_ended = true;
        let mut members = Members::default();
        members.add("frame_bytes", Some(encode_bytes(&broken.wire)));
        let fault = of_violation(broken);
        Unit { wire: broken.wire.clone(), offset: self.offset, fault: Some(fault), members }
    }

    fn whole(&mut self, frame: &Frame) -> Unit {
        let offset = self.offset;
        self.offset += frame.wire().len() as u64;
        let (header, body) = (frame.headers(), frame.body());
        let incoming = read(&body);
        let fault = of_body(&incoming, frame);
        let mut members = Members::default();
        if !self.has_members {
            return Unit { wire: frame.wire().clone(), offset, fault, members };
        }
        let mut lints: Vec<&str> = incoming.lints.iter().map(|lint| lint.name()).collect();
        lints.extend(frame.has_bare_lf().then_some(Lint::BareLf.name()));
        let (header, shown) = (Part::of(&header, &Header), Part::of(&body, &Body));
        members.add("kind", kind(&incoming));
        members.add("lints", (!lints.is_empty()).then_some(lints));
        members.add_json("header", header.json);
        members.add("header_bytes", header.bytes);
        members.add_json("body", shown.json);
        members.add("body_bytes", shown.bytes);
        Unit { wire: frame.wire().clone(), offset, fault, members }
    }
}

impl Decoder for Messages {
    fn push(&mut self, bytes: &[u8]) {
        self.input = if self.input.is_empty() {
            Bytes::copy_from_slice(bytes)
        } else {
            [&self.input, bytes].concat().into()
        };
    }

    fn next(&mut self) -> Option<Unit> {
        while !self.has_ended {
            match self.framer.poll_frame() {
                Ok(Some(frame)) => return Some(self.whole(&frame)),
                Err(broken) => return Some(self.broken(&broken)),
                Ok(None) if self.input.is_empty() => return None,
                Ok(None) => {
                    let mut room = self.framer.buffer();
                    let taken = room.remaining_mut().min(self.input.len());
                    room.put_slice(&self.input.split_to(taken));
                }
            }
        }
        None
    }

    fn finish(&mut self) -> Option<Unit> {
        if self.has_ended {
            return None;
        }
        let broken = self.framer.end().err()?;
        Some(self.broken(&broken))
    }
}

/// What a message is.
fn kind(incoming: &Incoming) -> Option<&'static str> {
    match &incoming.message {
        Ok(Message::Request { .. }) => Some("request"),
        Ok(Message::Notification { .. }) => Some("notification"),
        Ok(Message::Answer { .. }) => Some("answer"),
        Err(_) => None,
    }
}

fn of_violation(broken: &Broken) -> FrameFault {
    let violation = broken.violation;
    let clause = violation_clause(violation);
    let expected = match violation {
        Violation::NoLength | Violation::TwoLengths => "one Content-Length header".to_owned(),
        Violation::LengthNotDecimal => "a Content-Length of decimal digits".to_owned(),
        Violation::NoColon => "a header line `name: value`".to_owned(),
        Violation::HeadersTooLong => format!("headers of at most {PLUGIN_HEADER_BYTES_MAX} bytes"),
        Violation::BodyTooLong => format!("a body of at most {PLUGIN_FRAME_BYTES_MAX} bytes"),
        Violation::EndInFrame => "the rest of the frame".to_owned(),
    };
    let offset = match violation {
        Violation::EndInFrame | Violation::HeadersTooLong => broken.wire.len(),
        Violation::NoLength => broken.wire.len().saturating_sub(1),
        // It is the last line of what was judged.
        _ => {
            let lines = broken.wire.strip_suffix(b"\n").unwrap_or(&broken.wire);
            memchr::memrchr(b'\n', lines).map_or(0, |at| at + 1)
        }
    };
    let got = if broken.seen.is_empty() { "nothing".to_owned() } else { broken.seen.clone() };
    FrameFault {
        name: violation.name().into(),
        clause: clause.into(),
        says: clause_text(clause).into(),
        message: violation.text().to_owned(),
        expected,
        got,
        offset,
        ends_stream: true,
        hint: Some(violation_remedy(violation)),
    }
}

/// Why a body is answered by an error, whatever is in it.
fn of_body(incoming: &Incoming, frame: &Frame) -> Option<FrameFault> {
    let refused = incoming.message.as_ref().err()?;
    let clause = code_clause(refused.code);
    let body = String::from_utf8_lossy(&frame.wire()[frame.header_bytes()..]).into_owned();
    Some(FrameFault {
        name: refused.code.name().into(),
        clause: clause.into(),
        says: clause_text(clause).into(),
        message: refused.what.clone(),
        expected: "a request, a notification or an answer of JSON-RPC 2.0".to_owned(),
        got: cut_marked(&body, GOT_BYTES_MAX).into_owned(),
        offset: frame.header_bytes(),
        ends_stream: false,
        hint: None,
    })
}
