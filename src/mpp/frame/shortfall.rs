//! Where the bytes of a line are not those of a frame. Nothing of what they say is repeated: they may hold a
//! token.

use serde_json::value::RawValue;

use super::envelope::{Fields, Key};
use crate::{judged::Shortfall, limits::MPP_FRAME_BYTES_MAX, tap::entry::mpp::Violation};

/// What is expected and what is there, of a breach that the bytes alone make.
#[must_use]
pub fn shortfall(wire: &[u8], violation: Violation) -> Option<Shortfall> {
    let text = std::str::from_utf8(wire);
    let fields = text.ok().and_then(|text| Fields::parse(text).ok());
    let field = |key: Key, expected: &str| {
        let raw = fields.as_ref().and_then(|fields| fields.raw(key));
        Some(of_field(wire, raw, expected))
    };
    // The type is one of the protocol's, of a frame that is not due.
    let frame = |expected: &str, got: &str| {
        let found = field(Key::Type, expected)?;
        Some(Shortfall { got: got.to_owned(), ..found })
    };
    match violation {
        Violation::TooLarge => Some(Shortfall {
            expected: "an LF within 65,536 bytes".to_owned(),
            got: "none".to_owned(),
            byte: wire.len().min(MPP_FRAME_BYTES_MAX).saturating_sub(1),
        }),
        Violation::NotUtf8 => Some(Shortfall {
            expected: "UTF-8".to_owned(),
            got: "a byte that is none".to_owned(),
            byte: text.err()?.valid_up_to(),
        }),
        Violation::NotJson => not_json(text.ok()?),
        Violation::NotObject => {
            let text = text.ok()?;
            let value = text.trim_ascii_start();
            Some(Shortfall {
                expected: "a JSON object".to_owned(),
                got: kind_of(value).to_owned(),
                byte: text.len() - value.len(),
            })
        }
        Violation::Version => field(Key::Mpp, "`mpp` is 2"),
        Violation::NoType => field(Key::Type, "`type` is a string"),
        Violation::UnknownType => field(Key::Type, "`type` is one of mpp-v2's twelve"),
        Violation::HelloFirst => frame("a hello", "another frame"),
        Violation::SecondHello => frame("a frame other than hello", "a hello"),
        Violation::WrongDirection => field(Key::Type, "`type` is one that this side sends"),
        Violation::Missing(name) => field(Key::from_name(name)?, &format!("`{name}`")),
        Violation::Mistyped(name) => field(Key::from_name(name)?, &format!("`{name}` is of its type")),
        _ => None,
    }
}

fn of_field(wire: &[u8], raw: Option<&RawValue>, expected: &str) -> Shortfall {
    // The value is a part of the line that it was read from.
    let start = raw.and_then(|raw| raw.get().as_ptr().addr().checked_sub(wire.as_ptr().addr()));
    let got = raw.map_or("nothing", |raw| kind_of(raw.get())).to_owned();
    Shortfall { expected: expected.to_owned(), got, byte: start.unwrap_or_default() }
}

fn not_json(text: &str) -> Option<Shortfall> {
    let error = Fields::parse(text).err()?;
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let byte = (line_start + error.column().saturating_sub(1)).min(text.len());
    let got = if error.is_eof() { "the end of the line" } else { "something else" };
    Some(Shortfall { expected: "a whole JSON object".to_owned(), got: got.to_owned(), byte })
}

fn kind_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(_) => "a number",
        None => "nothing",
    }
}
