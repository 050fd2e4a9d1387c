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

/// Whether an input that begins with these bytes is hex digits: its first word is, and nothing in it is
/// other than text.
pub(crate) fn is_text(begun: &[u8]) -> bool {
    let is_printed = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    let word = begun.trim_ascii_start();
    let end = word.iter().position(|byte| matches!(byte, b':') || byte.is_ascii_whitespace());
    let word = &word[..end.unwrap_or(word.len())];
    let digits = word.strip_prefix(b"0x").unwrap_or(word);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit) && begun.iter().all(is_printed)
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
    fn an_input_of_digits_is_told_from_bytes() {
        for text in ["7b22", " \n0a 05", "0010: 7b 22  {\"", "0x00 0x0a", "00\r\n"] {
            assert!(is_text(text.as_bytes()), "{text:?}");
        }
        for bytes in [
            &b"{\"mpp\":2}\n"[..],
            b" {\"mpp\":2}",
            b"Content-Length: 2\r\n\r\n{}",
            b"\n",
            b"\n\x05\n\x031.0",
            b"\0\0\0\x05{",
        ] {
            assert!(!is_text(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn digits_are_read_back() {
        assert_eq!(line(&crate::words::hex(&[0, 1, 0xfe])), Some(vec![0, 1, 0xfe]));
    }
}
