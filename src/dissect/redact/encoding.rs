//! Masks values within the bytes that say them, at equal length and so that they can still be read.

use std::ops::Range;

use prost::encoding::WireType;

use super::{
    known::Known,
    lexer::{Token, TokenKind, tokens},
};
use crate::{
    dissect::wire_field::WireField,
    msgpack::{Shape, Walk},
};

/// What a text is masked by.
pub(super) const MASK: u8 = b'*';
/// Digits of a number that is looked for elsewhere, at least.
const DIGITS_MIN: usize = 5;
/// Containers within containers that are gone into.
const DEPTH_MAX: usize = 512;

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As JSON.
    Json,
    /// As MsgPack.
    MsgPack,
    /// As a field of protobuf, its key before it.
    Protobuf,
    /// As what cannot be read, or not to its end.
    Unread,
}

impl Encoding {
    /// Masks a value, all within it too, and notes what it was.
    pub(super) fn mask(self, value: &mut [u8], known: &mut Known) {
        match self {
            Self::Json => json(value, known),
            Self::MsgPack => msgpack(value, known),
            Self::Protobuf => protobuf(value, known),
            Self::Unread => value.fill(MASK),
        }
    }
}

/// The bytes of a range, as far as they are there.
pub(super) fn part(bytes: &mut [u8], range: Range<usize>) -> &mut [u8] {
    let end = range.end.min(bytes.len());
    let start = range.start.min(end);
    bytes.get_mut(start..end).unwrap_or_default()
}

fn json(value: &mut [u8], known: &mut Known) {
    let all: Vec<Token> = tokens(value).collect();
    for Token { kind, range, .. } in all {
        if kind == TokenKind::Word {
            let word = part(value, range);
            if let Some(digits) = digits(word) {
                known.learn(&digits);
            }
            mask_word(word);
            continue;
        }
        // One that does not end may be the beginning of a name.
        if kind == TokenKind::Text && range.end < value.len() {
            learn_json(value, &range, known);
        }
        part(value, range).fill(MASK);
    }
}

/// Notes the string of these bytes.
fn learn_json(value: &[u8], content: &Range<usize>, known: &mut Known) {
    let text = value.get(content.clone()).unwrap_or_default();
    let (plain, _) = super::lexer::unescaped(text);
    if let Ok(plain) = std::str::from_utf8(&plain) {
        known.learn(plain);
    }
}

/// The text of a number that is long enough to be looked for, unless it is what a masked one looks like.
fn digits(word: &[u8]) -> Option<String> {
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let count = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_number = word.iter().all(is_of_number) && count >= DIGITS_MIN;
    let is_masked = || {
        let mut masked = word.to_vec();
        mask_word(&mut masked);
        masked == word
    };
    (is_number && !is_masked()).then(|| String::from_utf8_lossy(word).into_owned())
}

/// Masks a number, a word, or what is none of them.
pub(super) fn mask_word(word: &mut [u8]) {
    let sign = usize::from(word.first() == Some(&b'-'));
    match &*word {
        b"null" => {}
        b"true" => word.copy_from_slice(b"null"),
        b"false" => word.copy_from_slice(b"null "),
        number if number.get(sign).is_some_and(u8::is_ascii_digit) => {
            mask_number(part(word, sign..usize::MAX));
        }
        _ => word.fill(MASK),
    }
}

/// 0 for a number of one digit before its point, 10…0 for one of more: neither begins with a needless 0.
fn mask_number(number: &mut [u8]) {
    let whole = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    for (at, byte) in number.iter_mut().enumerate() {
        *byte = match *byte {
            b'0'..=b'9' if at == 0 && whole > 1 => b'1',
            b'0'..=b'9' => b'0',
            other @ (b'.' | b'e' | b'E' | b'+' | b'-') => other,
            _ => MASK,
        };
    }
}

/// A value of MsgPack that holds no others.
pub(super) struct Leaf {
    /// All of it, the byte first that says what it is.
    pub(super) range: Range<usize>,
    /// What a text has.
    pub(super) text: Option<Range<usize>>,
    /// Whether it names an entry of a map.
    pub(super) is_name: bool,
    /// Containers that it is in.
    pub(super) depth: usize,
}

/// The values in bytes that hold no others; where what can be read of them ends.
pub(super) fn leaves(bytes: &[u8], mut visit: impl FnMut(Leaf)) -> usize {
    let mut walk = Walk::new(bytes, DEPTH_MAX);
    // What is left of each container, and whether that is a map.
    let mut open: Vec<(u64, bool)> = Vec::new();
    while walk.remaining() > 0 {
        let start = walk.at();
        let is_name = open.last().is_some_and(|(left, is_map)| *is_map && left % 2 == 0);
        if let Some((left, _)) = open.last_mut() {
            *left -= 1;
        }
        let depth = open.len();
        match walk.head(depth + 1) {
            Ok(Shape::Map(pairs)) => open.push((2 * u64::from(pairs), true)),
            Ok(Shape::Array(items)) => open.push((u64::from(items), false)),
            Ok(Shape::Text(text)) => {
                visit(Leaf { range: start..walk.at(), text: Some(text), is_name, depth });
            }
            Ok(Shape::Leaf) => visit(Leaf { range: start..walk.at(), text: None, is_name, depth }),
            Err(_) => return start,
        }
        while open.pop_if(|(left, _)| *left == 0).is_some() {}
        if open.is_empty() {
            break;
        }
    }
    walk.at()
}

fn msgpack(value: &mut [u8], known: &mut Known) {
    let mut all = Vec::new();
    let end = leaves(value, |leaf| all.push(leaf));
    for Leaf { range, text, is_name, .. } in all {
        if let Some(text) = text {
            let text = part(value, text);
            if let (Ok(words), false) = (std::str::from_utf8(text), is_name) {
                known.learn(words);
            }
            text.fill(MASK);
        } else {
            learn_leaf(part(value, range), known);
        }
    }
    let len = value.len();
    part(value, end..len).fill(MASK);
}

/// What a value of MsgPack holds behind the byte that says what it is: bytes of a binary or extension.
pub(super) fn binary(leaf: &[u8]) -> Option<Range<usize>> {
    let start = match leaf.first()? {
        0xc4 | 0xd4..=0xd8 => 2,
        0xc5 | 0xc7 => 3,
        0xc8 => 4,
        0xc6 => 5,
        0xc9 => 6,
        _ => return None,
    };
    Some(start..leaf.len())
}

/// Notes what a value that is no text is, and masks it.
fn learn_leaf(leaf: &mut [u8], known: &mut Known) {
    if let Some(content) = binary(leaf) {
        let content = part(leaf, content);
        if let Ok(words) = std::str::from_utf8(content) {
            known.learn(words);
        }
        content.fill(MASK);
        return;
    }
    if let Ok(rmpv::Value::Integer(number)) = rmpv::decode::read_value(&mut &*leaf)
        && let Some(digits) = digits(number.to_string().as_bytes())
    {
        known.learn(&digits);
    }
    mask_leaf(leaf);
}

/// Masks a number, or true.
pub(super) fn mask_leaf(leaf: &mut [u8]) {
    match leaf {
        [first @ (0x00..=0x7f | 0xe0..=0xff)] => *first = 0,
        [first @ 0xc3] => *first = 0xc2,
        [0xca..=0xd3, number @ ..] => number.fill(0),
        _ => {}
    }
}

/// Masks what a field of protobuf holds; what is no field, whole.
fn protobuf(field: &mut [u8], known: &mut Known) {
    let Ok(WireField { wire_type, content, .. }) = WireField::at(field, 0) else { return field.fill(MASK) };
    let value = part(field, content);
    match wire_type {
        // Seven zeros and what says that another byte follows.
        WireType::Varint => value.iter_mut().for_each(|byte| *byte &= 0x80),
        WireType::LengthDelimited => {
            if let Ok(words) = std::str::from_utf8(value) {
                known.learn(words);
            }
            value.fill(MASK);
        }
        _ => value.fill(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json_of(text: &str) -> (String, Known) {
        let (mut bytes, mut known) = (text.as_bytes().to_vec(), Known::default());
        Encoding::Json.mask(&mut bytes, &mut known);
        (String::from_utf8(bytes).unwrap(), known)
    }

    #[test]
    fn json_is_masked_at_equal_length_and_remains_json() {
        let (masked, known) = json_of(r#"{"ab":["al\nice",-12.50,7,1e5,true,false,null,0.25],"é":{}}"#);
        assert_eq!(masked, r#"{"**":["*******",-10.00,0,0e0,null,null ,null,0.00],"**":{}}"#);
        assert!(serde_json::from_str::<serde_json::Value>(&masked).is_ok());
        assert!(known.has(b"al\nice") && !known.has(b"-12.50"));
        assert!(json_of("4711042").1.has(b"4711042"));
        for masked in ["10000", "-100.00", "0.0000", "1000e0"] {
            let (again, known) = json_of(masked);
            assert!(again == masked && known.is_empty(), "{masked} is {again}");
        }
        assert_eq!(json_of(r#""cut in hal"#).0, r#""**********"#);
    }

    #[test]
    fn msgpack_is_masked_at_equal_length_and_remains_msgpack() {
        let value = rmpv::Value::Map(vec![
            ("user".into(), "alice".into()),
            (7.into(), rmpv::Value::Array(vec![70_000.into(), (-5).into(), true.into(), 1.5.into()])),
            ("bytes".into(), rmpv::Value::Binary(b"secret".to_vec())),
        ]);
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &value).unwrap();
        let (len, mut known) = (bytes.len(), Known::default());
        Encoding::MsgPack.mask(&mut bytes, &mut known);
        let masked = rmpv::decode::read_value(&mut &*bytes).unwrap();
        let zeros = vec![0.into(), 0.into(), false.into(), 0.0.into()];
        let expected = rmpv::Value::Map(vec![
            ("****".into(), "*****".into()),
            (0.into(), rmpv::Value::Array(zeros)),
            ("*****".into(), rmpv::Value::Binary(b"******".to_vec())),
        ]);
        assert_eq!((bytes.len(), masked), (len, expected));
        assert!(known.has(b"alice") && known.has(b"70000") && known.has(b"secret") && !known.has(b"user"));
    }

    #[test]
    fn what_is_cut_is_masked_to_its_end() {
        let mut bytes = b"\x82\xa4user\xa5alice\xa3abc\xa9alice".to_vec();
        Encoding::MsgPack.mask(&mut bytes, &mut Known::default());
        assert_eq!(bytes, b"\x82\xa4****\xa5*****\xa3*********\x2a".get(..bytes.len()).unwrap());
        assert!(memchr::memmem::find(&bytes, b"alice").is_none());
    }

    #[test]
    fn a_field_of_protobuf_keeps_its_key_and_length() {
        let mut known = Known::default();
        let mut text = b"\x12\x05alice".to_vec();
        Encoding::Protobuf.mask(&mut text, &mut known);
        let mut number = b"\x18\xac\x02".to_vec();
        Encoding::Protobuf.mask(&mut number, &mut known);
        assert_eq!((text.as_slice(), number.as_slice()), (&b"\x12\x05*****"[..], &b"\x18\x80\x00"[..]));
        assert!(known.has(b"alice"));
    }
}
