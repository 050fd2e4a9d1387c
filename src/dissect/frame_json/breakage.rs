//! Ways to break a frame on purpose, each in one place, so that what it is refused for is what was broken.

use super::format::{Format, RmpUnits};
use crate::{
    limits::{MPP_FRAME_BYTES_MAX, PLUGIN_FRAME_BYTES_MAX},
    macp::Rpc,
    rmp::{HEADER_BYTES, PREFIX_BYTES, RawFrame},
};

/// Declares the breakages by their names.
macro_rules! breakages {
    ($( $(#[doc = $about:literal])+ $Name:ident = $name:literal, )*) => {
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
        }
    };
}

breakages! {
    /// The length says one byte more.
    LengthUp = "length+1",
    /// The length says one byte less.
    LengthDown = "length-1",
    /// The magic bytes are others.
    Magic = "magic",
    /// The version is another.
    Version = "version",
    /// A flag is set.
    Flags = "flags",
    /// A reserved field is not 0.
    Reserved = "reserved",
    /// The TTL is 0.
    TtlZero = "ttl-zero",
    /// The TTL leads beyond the end of time.
    TtlOverflow = "ttl-overflow",
    /// It expired long ago.
    Expired = "expired",
    /// The last byte is missing.
    Truncated = "truncated",
    /// A byte follows the body, and the lengths count it.
    Trailing = "trailing",
    /// A byte in it is no UTF-8.
    BadUtf8 = "bad-utf8",
    /// The line has no end.
    NoLf = "no-lf",
    /// It is longer than any may be.
    Oversized = "oversized",
    /// Its type or method is none that there is.
    WrongType = "wrong-type",
    /// Its schema is none that there is.
    UnknownSchema = "unknown-schema",
    /// It comes twice.
    RepeatedId = "repeated",
    /// What is to come first comes last.
    WrongOrder = "wrong-order",
}

/// What stands for a type that there is not.
const NO_TYPE: &str = "nonsense";
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

    /// A request: of its envelope the version, and one byte too many, which is no field.
    fn request(self, rpc: Rpc, wire: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Version => {
                let at = memchr::memmem::find(wire, b"\x0a\x031.0")?;
                let mut broken = wire.to_vec();
                broken.get_mut(at + 2..at + 5)?.copy_from_slice(b"9.9");
                Some(broken)
            }
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
        let longer;
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
            Self::Trailing => {
                longer = [raw.body, &[0xc0]].concat();
                raw.body = &longer;
                raw.header.body_len = raw.header.body_len.wrapping_add(1);
                raw.frame_len = raw.frame_len.wrapping_add(1);
            }
            _ => return None,
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

/// A field of so many bytes behind its key.
fn long_field(key: u8, length: usize) -> Option<Vec<u8>> {
    let mut field = vec![key];
    prost::encode_length_delimiter(length, &mut field).ok()?;
    field.resize(field.len() + length, b'x');
    Some(field)
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
