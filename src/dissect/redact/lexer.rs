//! The strings and words of a JSON text, however broken it is, and strings without their escapes.

use std::ops::Range;

/// What a part of a JSON text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A string that names a member.
    Name,
    /// Any other string.
    Text,
    /// A number, `true`, `false`, `null`, or what is none of them.
    Word,
}

/// A part of a JSON text that is not punctuation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// Of a string, without its quotes. Its end is the text's where it does not end.
    pub(super) range: Range<usize>,
    /// Containers that it is in.
    pub(super) depth: usize,
}

/// The tokens of a text, in order.
pub(super) fn tokens(bytes: &[u8]) -> impl Iterator<Item = Token> + '_ {
    let (mut at, mut depth) = (0, 0_usize);
    std::iter::from_fn(move || {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || b",:{}[]".contains(byte);
        while let Some(byte) = bytes.get(at).filter(|byte| is_between(byte)) {
            depth = match byte {
                b'{' | b'[' => depth + 1,
                b'}' | b']' => depth.saturating_sub(1),
                _ => depth,
            };
            at += 1;
        }
        let start = at;
        if *bytes.get(start)? != b'"' {
            let len = bytes[start..].iter().position(|byte| is_between(byte) || *byte == b'"');
            at = len.map_or(bytes.len(), |len| start + len);
            return Some(Token { kind: TokenKind::Word, range: start..at, depth });
        }
        at += 1;
        while let Some(&byte) = bytes.get(at).filter(|byte| **byte != b'"') {
            at += if byte == b'\\' { 2 } else { 1 };
        }
        let range = start + 1..at.min(bytes.len());
        at = (at + 1).min(bytes.len());
        let next = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace());
        let kind = if next == Some(&b':') { TokenKind::Name } else { TokenKind::Text };
        Some(Token { kind, range, depth })
    })
}

/// Whether bytes begin as a JSON object or array does.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    matches!(bytes.iter().find(|byte| !byte.is_ascii_whitespace()), Some(b'{' | b'['))
}

/// A string without its escapes, and which of its bytes say each byte of that.
pub(super) fn unescaped(bytes: &[u8]) -> (Vec<u8>, Vec<Range<usize>>) {
    let (mut plain, mut spans) = (Vec::with_capacity(bytes.len()), Vec::with_capacity(bytes.len()));
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (read, len) = if byte == b'\\' { escape(&bytes[at..]) } else { (None, 1) };
        let mut buffer = [0; 4];
        let text = read.map_or(&bytes[at..=at], |it: char| it.encode_utf8(&mut buffer).as_bytes());
        plain.extend_from_slice(text);
        spans.extend(text.iter().map(|_| at..at + len));
        at += len;
    }
    (plain, spans)
}

/// What an escape stands for, and how long it is; nothing for what is none.
fn escape(bytes: &[u8]) -> (Option<char>, usize) {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let plain = |it: char| (Some(it), 2);
    match bytes.get(1) {
        Some(b'u') => {
            let Some(first) = unit(0) else { return (None, 1) };
            if let Some(read) = char::from_u32(u32::from(first)) {
                return (Some(read), 6);
            }
            let pair = unit(6).and_then(|second| char::decode_utf16([first, second]).next()?.ok());
            pair.map_or((None, 1), |read| (Some(read), 12))
        }
        Some(b'n') => plain('\n'),
        Some(b't') => plain('\t'),
        Some(b'r') => plain('\r'),
        Some(b'b') => plain('\u{8}'),
        Some(b'f') => plain('\u{c}'),
        Some(&other @ (b'"' | b'\\' | b'/')) => plain(char::from(other)),
        _ => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_words_are_found_in_what_is_json_and_what_is_not() {
        let of = |text: &str| -> Vec<String> {
            let token = |Token { kind, range, depth }| format!("{depth} {kind:?} {}", &text[range]);
            tokens(text.as_bytes()).map(token).collect()
        };
        assert_eq!(
            of(r#" {"a\"b" : [1, -2.5e3,true], "c":"d"}"#),
            ["1 Name a\\\"b", "2 Word 1", "2 Word -2.5e3", "2 Word true", "1 Name c", "1 Text d"]
        );
        assert_eq!(of(r#"{"a":"cut\"#), ["1 Name a", "1 Text cut\\"]);
        assert_eq!(of(r#"{a b"c"#), ["1 Word a", "1 Word b", "1 Text c"]);
        assert_eq!(of(""), Vec::<String>::new());
    }

    #[test]
    fn escapes_become_what_they_stand_for_with_their_places() {
        let (plain, spans) = unescaped(br"a\u00e9\n\ud83d\ude00\x\ud83d");
        assert_eq!(plain, "aé\n😀\\x\\ud83d".as_bytes());
        assert_eq!((spans[1].clone(), spans[2].clone(), spans[4].clone()), (1..7, 1..7, 9..21));
        assert_eq!(plain.len(), spans.len());
    }
}
