//! Bytes as text.

use std::fmt::Write as _;

/// Bytes as people read them: 16 a line, with their offset and their characters.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 5);
    for (index, line) in bytes.chunks(16).enumerate() {
        // Writing to memory cannot fail.
        let _ = write!(text, "{:08x} ", index * 16);
        for place in 0..16 {
            if place == 8 {
                text.push(' ');
            }
            text.push(' ');
            match line.get(place) {
                Some(byte) => push(&mut text, *byte),
                None => text.push_str("  "),
            }
        }
        let shown =
            |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' };
        text.push_str("  |");
        text.extend(line.iter().map(shown));
        text.push_str("|\n");
    }
    text
}

/// Bytes as nothing but their digits, in pairs.
pub(crate) fn pairs(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for byte in bytes {
        if !text.is_empty() {
            text.push(' ');
        }
        push(&mut text, *byte);
    }
    text
}

/// Bytes as nothing but their digits.
pub(crate) fn digits(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        push(&mut text, *byte);
    }
    text
}

fn push(text: &mut String, byte: u8) {
    let digits = [byte >> 4, byte & 0xf].map(|digit| char::from_digit(u32::from(digit), 16).unwrap_or('?'));
    text.extend(digits);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_has_offsets_bytes_and_characters() {
        let text = hex(b"{\"mpp\":2,\"type\":\"\xffx\"}");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            r#"00000000  7b 22 6d 70 70 22 3a 32  2c 22 74 79 70 65 22 3a  |{"mpp":2,"type":|"#
        );
        assert_eq!(lines[1], r#"00000010  22 ff 78 22 7d                                    |".x"}|"#);
    }

    #[test]
    fn pairs_are_digits_alone() {
        assert_eq!(pairs(b"\x00\xffz"), "00 ff 7a");
        assert_eq!(digits(b"\x00\xffz"), "00ff7a");
    }
}
