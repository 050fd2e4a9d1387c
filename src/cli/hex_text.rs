//! Bytes written as hex digits: packed, in pairs, in lines, with the offsets and the column of characters
//! that dumps have.

use crate::rmp::json::unhex;

/// The bytes of one line; nothing for what is no hex. A number with a colon in front is an offset; behind
/// one, what follows two spaces is the column of characters that `xxd` prints.
pub(crate) fn line(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_start();
    let digits = match text.split_once(':') {
        Some((offset, rest)) if !offset.is_empty() && offset.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            let rest = rest.trim_start();
            rest.split_once("  ").map_or(rest, |(digits, _)| digits)
        }
        Some(_) => return None,
        None => text,
    };
    let packed: String =
        digits.split_whitespace().map(|word| word.strip_prefix("0x").unwrap_or(word)).collect();
    unhex(&packed)
}

/// Whether an input that begins with this byte is hex digits. No frame begins with one: its `frame_len` would
/// be over 150 MB.
pub(crate) fn begins(first: u8) -> bool {
    first.is_ascii_hexdigit() || first.is_ascii_whitespace()
}

/// Bytes as hex digits.
pub(crate) fn digits(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        // A string takes every digit.
        write!(digits, "{byte:02x}").unwrap_or_default();
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_have_spaces_offsets_and_characters() {
        let bytes = Some(vec![0x00, 0x0a, 0xff]);
        for text in [
            "000aff",
            "00 0A FF\r\n",
            "\t00 0a  ff ",
            "0010: 00 0a ff",
            "00000010: 000a ff                                  ...",
            "0x00 0x0a 0xff",
            "0010:000aff",
        ] {
            assert_eq!(line(text), bytes, "{text:?}");
        }
        assert_eq!((line(""), line("  \n"), line("00a0:")), (Some(vec![]), Some(vec![]), Some(vec![])));
        for text in ["0", "0g", "xy: 00", "00 0", "{\"a\":1}", ": 00"] {
            assert_eq!(line(text), None, "{text:?}");
        }
    }

    #[test]
    fn digits_are_read_back() {
        assert_eq!(line(&digits(&[0, 1, 0xfe])), Some(vec![0, 1, 0xfe]));
    }
}
