//! Ways to break a frame on purpose, each in one place, so that what it is refused for is what was broken.

use std::ops::Range;

use prost::Message as _;

use super::format::{Format, RmpUnits};
use crate::{
    limits::{MPP_FRAME_BYTES_MAX, PLUGIN_FRAME_BYTES_MAX},
    macp::{
        Rpc,
        proto::v1::{Envelope, SendRequest, SessionStartPayload},
    },
    rmp::{HEADER_BYTES, PREFIX_BYTES, RawFrame},
};

/// Frames that are broken alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokenFormat {
    /// Lines of the bridge.
    Mpp,
    /// Frames of the bus.
    Rmp,
    /// Units of its JSON dialect.
    Json,
    /// Requests of calls.
    Macp,
    /// Messages of plugins.
    Plugin,
}

impl BrokenFormat {
    /// All of them.
    pub(crate) const ALL: [Self; 5] = [Self::Mpp, Self::Rmp, Self::Json, Self::Macp, Self::Plugin];

    /// Its name: the link, and the dialect where it is not that of frames.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Mpp => "mpp",
            Self::Rmp => "rmp",
            Self::Json => "rmp (JSON)",
            Self::Macp => "macp",
            Self::Plugin => "plugin",
        }
    }
}

impl From<Format> for BrokenFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Mpp => Self::Mpp,
            Format::Rmp(RmpUnits::Json) => Self::Json,
            Format::Rmp(_) => Self::Rmp,
            Format::Macp(_) => Self::Macp,
            Format::Plugin => Self::Plugin,
        }
    }
}

/// Declares the breakages by their names, and which frames each is for.
macro_rules! breakages {
    ($( $(#[doc = $about:literal])+ $Name:ident = $name:literal of [$($of:ident)+], )*) => {
        /// A way to break a frame.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Breakage {
            $( $(#[doc = $about])+ $Name, )*
        }

        impl Breakage {
            /// All of them, as they are listed.
            pub(crate) const ALL: &'static [Self] = &[ $( Self::$Name, )* ];
            /// Their names.
            pub(crate) const NAMES: &'static [&'static str] = &[ $( $name, )* ];

            /// Its name.
            pub(crate) const fn name(self) -> &'static str {
                match self { $( Self::$Name => $name, )* }
            }

            /// What is broken then, in a sentence.
            pub(crate) const fn about(self) -> &'static str {
                match self { $( Self::$Name => concat!($($about),+), )* }
            }

            /// The frames that it is for.
            pub(crate) const fn formats(self) -> &'static [BrokenFormat] {
                match self { $( Self::$Name => &[ $( BrokenFormat::$of ),+ ], )* }
            }
        }
    };
}

breakages! {
    /// The length says one byte more.
    LengthUp = "length+1" of [Rmp Json Plugin],
    /// The length says one byte less.
    LengthDown = "length-1" of [Rmp Json Plugin],
    /// The magic bytes are others.
    Magic = "magic" of [Rmp],
    /// The version is another.
    Version = "version" of [Mpp Rmp Json Macp Plugin],
    /// A flag is set.
    Flags = "flags" of [Rmp Json],
    /// A reserved field is not 0.
    Reserved = "reserved" of [Rmp],
    /// The TTL is 0.
    TtlZero = "ttl-zero" of [Rmp Json],
    /// The TTL is longer than any may be.
    TtlOverflow = "ttl-overflow" of [Rmp Json Macp],
    /// It expired long ago.
    Expired = "expired" of [Rmp Json],
    /// The last byte is missing.
    Truncated = "truncated" of [Mpp Rmp Json Macp Plugin],
    /// A byte follows the body, and the lengths count it.
    Trailing = "trailing" of [Mpp Rmp Json Macp Plugin],
    /// A byte in it is no UTF-8.
    BadUtf8 = "bad-utf8" of [Mpp Rmp Json Macp Plugin],
    /// The line has no end.
    NoLf = "no-lf" of [Mpp],
    /// It is longer than any may be.
    Oversized = "oversized" of [Mpp Rmp Json Macp Plugin],
    /// Its type or method is none that exists.
    WrongType = "wrong-type" of [Mpp Rmp Json Macp Plugin],
    /// Its schema is none that exists.
    UnknownSchema = "unknown-schema" of [Rmp Json],
    /// It comes twice.
    RepeatedId = "repeated" of [Mpp Rmp Json Macp Plugin],
    /// What is to come first comes last.
    WrongOrder = "wrong-order" of [Rmp],
}

/// What stands for a type that there is not.
const NO_TYPE: &str = "nonsense";
/// The type of the message that begins a session (macp-v1, Sessions).
const SESSION_START: &str = "SessionStart";
/// One byte more than a payload has (`limits.macp.payload_bytes_max` by default).
const MACP_PAYLOAD_BYTES: usize = (4 << 20) + 1;
/// One byte more than a message has beside that.
const MACP_REQUEST_BYTES: usize = MACP_PAYLOAD_BYTES + (64 << 10);
/// The plugin host's header in front of a length.
const LENGTH_NAME: &[u8] = b"Content-Length:";

impl Breakage {
    /// The breakage of this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }

    /// The bytes with this broken; nothing where such bytes have nothing of that kind.
    pub(crate) fn apply(self, format: Format, wire: &[u8]) -> Option<Vec<u8>> {
        if !self.formats().contains(&format.into()) {
            return None;
        }
        match self {
            Self::RepeatedId => return Some([wire, wire].concat()).filter(|_| !wire.is_empty()),
            Self::Truncated => return wire.split_last().map(|(_, rest)| rest.to_vec()),
            _ => {}
        }
        match format {
            Format::Mpp => self.line(wire),
            Format::Plugin => self.plugin(wire),
            Format::Macp(rpc) => self.request(rpc, wire),
            Format::Rmp(RmpUnits::Json) => self.unit(wire),
            Format::Rmp(_) => self.frames(wire),
        }
    }

    fn line(self, wire: &[u8]) -> Option<Vec<u8>> {
        let body = wire.strip_suffix(b"\n").unwrap_or(wire);
        match self {
            Self::NoLf => Some(body.to_vec()),
            Self::Trailing => Some([body, b"x\n"].concat()),
            Self::BadUtf8 => Some([body, b"\xff\n"].concat()),
            Self::Version => member(body, "mpp", "3").map(with_lf),
            Self::WrongType => member(body, "type", "\"nonsense\"").map(with_lf),
            Self::Oversized => {
                let spaces = (MPP_FRAME_BYTES_MAX + 1).saturating_sub(body.len() + 1);
                Some([body, &vec![b' '; spaces], b"\n"].concat())
            }
            _ => None,
        }
    }

    fn plugin(self, wire: &[u8]) -> Option<Vec<u8>> {
        let at = memchr::memmem::find(wire, b"\r\n\r\n")? + 4;
        let (head, body) = wire.split_at(at);
        let framed = |body: Vec<u8>| {
            let head = format!("Content-Length: {}\r\n\r\n", body.len());
            [head.as_bytes(), &body].concat()
        };
        let with_length = |length: usize| {
            let from = memchr::memmem::find(head, LENGTH_NAME)? + LENGTH_NAME.len();
            let to = from + memchr::memmem::find(head.get(from..)?, b"\r\n")?;
            let digits = format!(" {length}");
            Some([head.get(..from)?, digits.as_bytes(), head.get(to..)?, body].concat())
        };
        match self {
            Self::LengthUp => with_length(body.len() + 1),
            Self::LengthDown => with_length(body.len().checked_sub(1)?),
            Self::Oversized => with_length(PLUGIN_FRAME_BYTES_MAX + 1),
            Self::Version => member(body, "jsonrpc", "\"1.0\"").map(framed),
            Self::WrongType => member(body, "method", "\"nonsense\"").map(framed),
            Self::Trailing => Some(framed([body, b"x"].concat())),
            Self::BadUtf8 => Some(framed([body, b"\xff"].concat())),
            _ => None,
        }
    }

    /// A request: of its envelope the version, the type and a TTL, and one byte too many, which is no field.
    fn request(self, rpc: Rpc, wire: &[u8]) -> Option<Vec<u8>> {
        let version = |says: &[u8; 3]| {
            let at = memchr::memmem::find(wire, b"\x0a\x031.0")?;
            let mut broken = wire.to_vec();
            broken.get_mut(at + 2..at + 5)?.copy_from_slice(says);
            Some(broken)
        };
        match self {
            Self::Version => version(b"9.9"),
            Self::BadUtf8 => version(b"1.\xff").or_else(|| text(rpc, wire)),
            Self::WrongType => envelope(rpc, wire, |it| {
                NO_TYPE.clone_into(&mut it.message_type);
                Some(())
            }),
            Self::TtlOverflow => envelope(rpc, wire, |it| {
                let mut start = SessionStartPayload::decode(&it.payload[..]).ok()?;
                start.ttl_ms = i64::MAX;
                it.payload = start.encode_to_vec().into();
                (it.message_type == SESSION_START).then_some(())
            }),
            Self::Trailing => Some([wire, b"\x07"].concat()),
            // Of a field that is there twice the last one counts; an envelope in parts is put together.
            Self::Oversized => {
                let field = match rpc {
                    Rpc::Send | Rpc::StreamSession => long_field(0x42, MACP_PAYLOAD_BYTES)?,
                    _ => vec![b'x'; MACP_REQUEST_BYTES],
                };
                let mut broken = [wire, b"\x0a"].concat();
                prost::encode_length_delimiter(field.len(), &mut broken).ok()?;
                Some([broken, field].concat()).filter(|_| wire.first() == Some(&0x0a))
            }
            _ => None,
        }
    }

    fn unit(self, wire: &[u8]) -> Option<Vec<u8>> {
        let (_, json) = wire.split_first_chunk::<PREFIX_BYTES>()?;
        let framed = |length: usize, json: &[u8]| {
            Some([&u32::try_from(length).ok()?.to_be_bytes()[..], json].concat())
        };
        match self {
            Self::LengthUp => framed(json.len() + 1, json),
            Self::LengthDown => framed(json.len().checked_sub(1)?, json),
            Self::Oversized => framed(u32::MAX as usize, json),
            Self::Trailing => framed(json.len() + 1, &[json, b"x"].concat()),
            Self::BadUtf8 => framed(json.len() + 1, &[json, b"\xff"].concat()),
            Self::WrongType => {
                let broken = format!("\"{NO_TYPE}\"");
                framed(broken.len(), broken.as_bytes())
            }
            _ => {
                let broken = self
                    .header_fields()?
                    .iter()
                    .try_fold(json.to_vec(), |json, (name, value)| header_field(&json, name, value))?;
                framed(broken.len(), &broken)
            }
        }
    }

    /// What the header of a message says then, in the JSON dialect.
    const fn header_fields(self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(match self {
            Self::Version => &[("header_version", "9")],
            Self::Flags => &[("flags", "1")],
            Self::TtlZero => &[("ttl_ms", "0")],
            Self::TtlOverflow => &[("ttl_ms", "18446744073709551615")],
            Self::Expired => &[("created_at_ms", "1"), ("ttl_ms", "1")],
            Self::UnknownSchema => &[("schema_id", "65535")],
            _ => return None,
        })
    }

    /// The body of a message with this broken in it.
    fn body(self, body: &[u8]) -> Option<Vec<u8>> {
        let at = |range: Range<usize>| body.get(range);
        match self {
            Self::Trailing => Some([body, &[0xc0]].concat()),
            Self::WrongType => {
                let (before, text) = type_of(body)?;
                let marker = 0xa0 | u8::try_from(NO_TYPE.len()).ok()?;
                Some([at(0..before)?, &[marker], NO_TYPE.as_bytes(), body.get(text.end..)?].concat())
            }
            Self::BadUtf8 => {
                let (_, text) = type_of(body)?;
                let last = text.end.checked_sub(1).filter(|last| text.contains(last))?;
                Some([at(0..last)?, &[0xff], body.get(text.end..)?].concat())
            }
            _ => None,
        }
    }

    /// The last of the frames is broken: a message, and not the `Publish` before it.
    fn frames(self, wire: &[u8]) -> Option<Vec<u8>> {
        let (before, last) = last_frame(wire)?;
        if self == Self::WrongOrder {
            return Some([last, before].concat()).filter(|_| !before.is_empty());
        }
        let mut raw = RawFrame::split(last)?;
        let changed;
        match self {
            Self::LengthUp => raw.frame_len = raw.frame_len.wrapping_add(1),
            Self::LengthDown => raw.frame_len = raw.frame_len.wrapping_sub(1),
            Self::Oversized => raw.frame_len = u32::MAX,
            Self::Magic => raw.header.magic[3] ^= 1,
            Self::Version => raw.header.header_version = raw.header.header_version.wrapping_add(1),
            Self::Flags => raw.header.flags ^= 1,
            Self::Reserved => raw.header.reserved2 ^= 1,
            Self::TtlZero => raw.header.ttl_ms = 0,
            Self::TtlOverflow => raw.header.ttl_ms = u64::MAX,
            Self::Expired => (raw.header.created_at_ms, raw.header.ttl_ms) = (1, 1),
            Self::UnknownSchema => raw.header.schema_id = u16::MAX,
            _ => {
                changed = self.body(raw.body)?;
                let bytes = |body: &[u8]| u32::try_from(body.len()).ok();
                let more = bytes(&changed)?.wrapping_sub(bytes(raw.body)?);
                raw.body = &changed;
                raw.header.body_len = raw.header.body_len.wrapping_add(more);
                raw.frame_len = raw.frame_len.wrapping_add(more);
            }
        }
        Some([before, &raw.encode()].concat())
    }
}

/// All before the last whole frame, and that one.
fn last_frame(wire: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        let rest = wire.get(at..)?;
        let length = usize::try_from(u32::from_be_bytes(*rest.first_chunk()?)).ok()?;
        let next = at.checked_add(PREFIX_BYTES)?.checked_add(length)?;
        if length < HEADER_BYTES || next >= wire.len() {
            return Some(wire.split_at(at));
        }
        at = next;
    }
}

/// Where a body that begins with its type has the type: its marker, and its text.
fn type_of(body: &[u8]) -> Option<(usize, Range<usize>)> {
    const KEY: &[u8] = b"\xa4type";
    let at = 1 + KEY.len();
    let (from, length) = match *body.get(at).filter(|_| body.get(1..at) == Some(KEY))? {
        marker @ 0xa0..=0xbf => (at + 1, marker & 0x1f),
        0xd9 => (at + 2, *body.get(at + 1)?),
        _ => return None,
    };
    let text = from..from + usize::from(length);
    body.get(text.clone()).map(|_| (at, text))
}

/// A request without an envelope whose first text ends in a byte that is no UTF-8.
fn text(rpc: Rpc, wire: &[u8]) -> Option<Vec<u8>> {
    let has_text = matches!(rpc, Rpc::Initialize | Rpc::GetSession | Rpc::CancelSession | Rpc::GetManifest);
    let (0x0a, length @ 1..0x80) = (*wire.first()?, *wire.get(1)?) else { return None };
    let mut broken = wire.to_vec();
    *broken.get_mut(1 + usize::from(length)).filter(|_| has_text)? = 0xff;
    Some(broken)
}

/// A request with another envelope; nothing where it has none, or nothing to change.
fn envelope(rpc: Rpc, wire: &[u8], change: impl FnOnce(&mut Envelope) -> Option<()>) -> Option<Vec<u8>> {
    // Both have their envelope in the same field.
    let mut request = match rpc {
        Rpc::Send | Rpc::StreamSession => SendRequest::decode(wire).ok()?,
        _ => return None,
    };
    change(request.envelope.as_mut()?)?;
    Some(request.encode_to_vec())
}

/// A field of so many bytes behind its key.
fn long_field(key: u8, length: usize) -> Option<Vec<u8>> {
    let mut field = vec![key];
    prost::encode_length_delimiter(length, &mut field).ok()?;
    field.resize(field.len() + length, b'x');
    Some(field)
}

/// A unit with another value of a field that the header of its message has.
fn header_field(json: &[u8], name: &str, value: &str) -> Option<Vec<u8>> {
    let unit: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(json).ok()?;
    let message = unit.values().next()?.get("message")?;
    let old = message.get("header")?.get(name)?.to_string();
    let header = memchr::memmem::find(json, b"\"header\"")?;
    let key = format!("\"{name}\"");
    let from = header + memchr::memmem::find(json.get(header..)?, key.as_bytes())? + key.len();
    let at = from + memchr::memmem::find(json.get(from..)?, old.as_bytes())?;
    Some([json.get(..at)?, value.as_bytes(), json.get(at + old.len()..)?].concat())
}

fn with_lf(mut line: Vec<u8>) -> Vec<u8> {
    line.push(b'\n');
    line
}

/// A JSON object with another value of a member that it has; all else is as it was.
fn member(json: &[u8], name: &str, value: &str) -> Option<Vec<u8>> {
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(json).ok()?;
    let old = serde_json::to_string(members.get(name)?).ok()?;
    let key = format!("\"{name}\"");
    let from = memchr::memmem::find(json, key.as_bytes())? + key.len();
    let at = from + memchr::memmem::find(json.get(from..)?, old.as_bytes())?;
    Some([json.get(..at)?, value.as_bytes(), json.get(at + old.len()..)?].concat())
}
