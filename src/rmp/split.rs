//! Where in the bytes of a stream the next frame or unit ends, in either dialect.

use super::{
    Dialect, Error, HEADER_BYTES, Lengths, PREFIX_BYTES, RawHeader, SizeField,
    decode::{check_prefix, split_checked},
    dialect::{is_json, unit_bytes_max},
};

/// What lies at a place of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UnitSplit {
    /// A whole one of so many bytes.
    Whole(usize),
    /// A part; so many bytes it will have, as soon as that is known.
    Part(Option<usize>),
    /// Nothing that follows can be trusted (ruling RMP 2).
    Broken(Error),
}

/// In what a stream is written, once its first five bytes are there.
pub(super) fn dialect(first: &[u8]) -> Option<Dialect> {
    is_json(first).map(|is_json| if is_json { Dialect::Json } else { Dialect::Frames })
}

/// Looks at what begins at a place of the stream.
pub(super) fn split_unit(bytes: &[u8], dialect: Dialect, body_bytes_max: u64) -> UnitSplit {
    let Some(prefix) = bytes.first_chunk::<PREFIX_BYTES>() else { return UnitSplit::Part(None) };
    let announced = u32::from_be_bytes(*prefix);
    let broken = match dialect {
        Dialect::Frames => check_prefix(announced, body_bytes_max).err(),
        Dialect::Json => too_long(announced, body_bytes_max),
    };
    if let Some(error) = broken {
        return UnitSplit::Broken(error);
    }
    let Some(whole) = usize::try_from(announced).ok().and_then(|len| len.checked_add(PREFIX_BYTES)) else {
        return UnitSplit::Part(None);
    };
    if dialect == Dialect::Frames {
        // Magic and version are judged before the body is waited for.
        let header = bytes.get(PREFIX_BYTES..).and_then(|rest| rest.first_chunk::<HEADER_BYTES>());
        let Some(header) = header else { return UnitSplit::Part(Some(whole)) };
        if let Err(error) = RawHeader::decode(header).check_identity() {
            return UnitSplit::Broken(error);
        }
    }
    if bytes.len() >= whole { UnitSplit::Whole(whole) } else { UnitSplit::Part(Some(whole)) }
}

/// The fault of what a stream that ends leaves of a frame or unit. What is wrong with what came goes before
/// its being cut off.
pub(super) fn truncation(rest: &[u8], dialect: Dialect, body_bytes_max: u64) -> Option<Error> {
    match dialect {
        Dialect::Frames => split_checked(rest, body_bytes_max).err(),
        Dialect::Json => Some(truncated_unit(rest)),
    }
}

/// The fault of a unit of the JSON dialect within which the stream ended.
fn truncated_unit(bytes: &[u8]) -> Error {
    let frame_len = bytes.first_chunk::<PREFIX_BYTES>().map_or(0, |prefix| u32::from_be_bytes(*prefix));
    Error::LengthMismatch(Lengths::Available {
        frame_len,
        bytes: bytes.len().saturating_sub(PREFIX_BYTES) as u64,
    })
}

/// A unit over the dialect's limit, which is that of a frame and its length.
fn too_long(announced: u32, body_bytes_max: u64) -> Option<Error> {
    let header = (PREFIX_BYTES + HEADER_BYTES) as u64;
    let body_bytes = u64::from(announced).saturating_sub(header);
    let error = Error::BodyTooLarge { announced_by: SizeField::FrameLen, body_bytes, body_bytes_max };
    (u64::from(announced) > unit_bytes_max(body_bytes_max)).then_some(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_ends_where_nothing_behind_can_be_trusted() {
        let mut frame = vec![0, 0, 0, 64];
        frame.extend_from_slice(b"RMP0\0\0\0\x40");
        frame.resize(68, 0);
        assert_eq!(split_unit(&frame, Dialect::Frames, 1_024), UnitSplit::Whole(68));
        assert_eq!(split_unit(&frame[..67], Dialect::Frames, 1_024), UnitSplit::Part(Some(68)));
        assert_eq!(split_unit(&frame[..3], Dialect::Frames, 1_024), UnitSplit::Part(None));
        let code = |bytes: &[u8]| match split_unit(bytes, Dialect::Frames, 1_024) {
            UnitSplit::Broken(error) => error.name(),
            _ => "none",
        };
        assert_eq!(code(&[0, 0, 0, 63]), "TruncatedHeader");
        assert_eq!(code(&[0, 0, 4, 65]), "BodyTooLarge");
        frame[11] = 0x41;
        assert_eq!(code(&frame), "UnsupportedVersion");
        frame[4] = b'Q';
        assert_eq!(code(&frame), "InvalidMagic");
    }

    #[test]
    fn the_byte_behind_the_length_tells_the_dialect() {
        assert_eq!(dialect(b"\0\0\0\x0a"), None);
        assert_eq!(dialect(b"\0\0\0\x0a{"), Some(Dialect::Json));
        assert_eq!(dialect(b"\0\0\0\x0aR"), Some(Dialect::Frames));
        assert_eq!(split_unit(b"\0\0\0\x02{}", Dialect::Json, 1_024), UnitSplit::Whole(6));
        assert!(matches!(split_unit(b"\0\0\x04\x45{", Dialect::Json, 1_024), UnitSplit::Broken(_)));
    }

    #[test]
    fn a_unit_that_is_cut_off_is_a_mismatch_of_lengths() {
        for bytes in [&b"\0"[..], b"\0\0\0\x02", b"\0\0\0\x02{"] {
            assert_eq!(truncated_unit(bytes).name(), "LengthMismatch", "{bytes:?}");
        }
        assert_eq!(truncated_unit(b"\0\0\0\x09{}").to_string(), "frame_len is 9, but 2 bytes follow");
    }
}
