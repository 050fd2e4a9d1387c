//! The grammar of JSON (RFC 8259) over bytes that are known to be UTF-8, with nothing made of them.
//!
//! What is `None` is not valid, or is left to a parser: a number with an exponent or of more than
//! [`DIGITS_MAX`] digits, half of a surrogate pair, a name with an escape, too many levels.

/// Digits before the point of a number that is known here, at most: each such number is one of 64 bits.
const DIGITS_MAX: usize = 18;

/// How the names begin that the parser reads as something else.
const PRIVATE: &[u8] = b"$serde_json::private::";

/// A text of which the beginning, up to the first escape, is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    /// All of it, or what is before the first escape.
    pub(super) beginning: &'a str,
    /// Whether that is all.
    pub(super) is_whole: bool,
}

/// A number: its whole part, and what is behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// The whole part, with the sign.
    pub(super) whole: i64,
    /// Whether it has a minus.
    pub(super) is_negative: bool,
    /// Whether what is behind the point is zero, if there is one.
    pub(super) fraction_is_zero: Option<bool>,
}

/// A place in a text.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    levels_left: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text, in which values are nested so deep at most.
    pub(super) fn new(text: &'a str, levels_max: usize) -> Self {
        Self { text, at: 0, levels_left: levels_max }
    }

    #[inline]
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The next byte that is no white space.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes().get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    /// Takes this byte, behind white space.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Whether nothing but white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Takes `{` or `[`, and says whether something is in it; if not, what closes it is taken too.
    #[inline]
    pub(super) fn open(&mut self, close: u8) -> Option<bool> {
        self.at += 1;
        self.levels_left = self.levels_left.checked_sub(1)?;
        if self.peek()? != close {
            return Some(true);
        }
        self.at += 1;
        self.levels_left += 1;
        Some(false)
    }

    /// Takes what is behind a member or an item, and says whether there is another.
    #[inline]
    pub(super) fn more(&mut self, close: u8) -> Option<bool> {
        let byte = self.peek()?;
        self.at += 1;
        if byte == b',' {
            return Some(true);
        }
        self.levels_left += 1;
        (byte == close).then_some(false)
    }

    /// Takes the name of a member and the colon behind it.
    #[inline]
    pub(super) fn name(&mut self) -> Option<&'a [u8]> {
        if self.peek()? != b'"' {
            return None;
        }
        let name = self.string()?;
        self.take(b':')?;
        name.is_whole.then_some(name.beginning.as_bytes())
    }

    /// Takes a text; the next byte is its quote.
    #[inline]
    pub(super) fn string(&mut self) -> Option<Text<'a>> {
        let start = self.at + 1;
        let end = plain_end(self.bytes(), start)?;
        let beginning = self.text.get(start..end)?;
        self.at = end + 1;
        match self.bytes().get(end)? {
            b'"' => Some(Text { beginning, is_whole: true }),
            b'\\' => {
                self.at = end;
                self.rest_of_string()?;
                Some(Text { beginning, is_whole: false })
            }
            _ => None,
        }
    }

    /// Takes what is left of a text from an escape on, with the quote.
    #[cold]
    fn rest_of_string(&mut self) -> Option<()> {
        loop {
            match self.bytes().get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.at += escape_bytes(self.bytes().get(self.at + 1..)?)?,
                _ => return None,
            }
            self.at = plain_end(self.bytes(), self.at)?;
        }
    }

    /// Takes a number; the next byte is its first.
    #[inline]
    pub(super) fn number(&mut self) -> Option<Number> {
        let is_negative = self.bytes().get(self.at) == Some(&b'-');
        self.at += usize::from(is_negative);
        let (start, whole) = (self.at, self.digits());
        let count = self.at - start;
        let is_plain = count == 1 || self.bytes().get(start) != Some(&b'0');
        if count == 0 || count > DIGITS_MAX || !is_plain {
            return None;
        }
        let whole = if is_negative { -whole } else { whole };
        // A zero with a minus is read as a number with a fraction.
        let mut fraction_is_zero = (is_negative && whole == 0).then_some(true);
        if self.bytes().get(self.at) == Some(&b'.') {
            self.at += 1;
            let start = self.at;
            self.digits();
            let digits = self.bytes().get(start..self.at).filter(|it| !it.is_empty())?;
            fraction_is_zero = Some(digits.iter().all(|digit| *digit == b'0'));
        }
        let is_known = !matches!(self.bytes().get(self.at), Some(b'e' | b'E'));
        is_known.then_some(Number { whole, is_negative, fraction_is_zero })
    }

    /// Takes digits; their number is right if they are not too many.
    #[inline]
    fn digits(&mut self) -> i64 {
        let mut number = 0_i64;
        while let Some(byte @ b'0'..=b'9') = self.bytes().get(self.at) {
            number = number.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
            self.at += 1;
        }
        number
    }

    /// Takes `true`, `false` or `null`.
    #[inline]
    pub(super) fn word(&mut self, word: &'static str) -> Option<()> {
        let is_there = self.bytes().get(self.at..)?.starts_with(word.as_bytes());
        is_there.then(|| self.at += word.len())
    }

    /// Takes a value of any kind.
    pub(super) fn value(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' => {
                let mut is_more = self.open(b'}')?;
                while is_more {
                    self.other_name()?;
                    self.value()?;
                    is_more = self.more(b'}')?;
                }
                Some(())
            }
            b'[' => {
                let mut is_more = self.open(b']')?;
                while is_more {
                    self.value()?;
                    is_more = self.more(b']')?;
                }
                Some(())
            }
            b'-' | b'0'..=b'9' => self.number().map(|_| ()),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => None,
        }
    }

    fn other_name(&mut self) -> Option<()> {
        (!is_private(self.name()?)).then_some(())
    }

    /// Goes past a value without a look at whether it is valid; if it is, to its end.
    pub(super) fn pass(&mut self) -> Option<()> {
        let mut levels = 0_usize;
        loop {
            match self.bytes().get(self.at)? {
                b'"' => {
                    self.string()?;
                    if levels == 0 {
                        return Some(());
                    }
                    continue;
                }
                b'{' | b'[' => levels += 1,
                b'}' | b']' if levels <= 1 => {
                    self.at += levels;
                    return Some(());
                }
                b'}' | b']' => levels -= 1,
                b',' if levels == 0 => return Some(()),
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// Whether a name is one that the parser reads as something else.
#[inline]
pub(super) fn is_private(name: &[u8]) -> bool {
    name.starts_with(PRIVATE)
}

/// The next place with a quote, a backslash or a control character.
#[inline]
fn plain_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    // A byte that is below a limit, or equal to another, sets its high bit. A borrow may set bits above the
    // first that is right, never below.
    let below = |word: u64, limit: u8| word.wrapping_sub(LOW * u64::from(limit)) & !word;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
        let quotes = below(word ^ (LOW * u64::from(b'"')), 1);
        let escapes = below(word ^ (LOW * u64::from(b'\\')), 1);
        let found = (quotes | escapes | below(word, 0x20)) & HIGH;
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).map(|found| at + found)
}

/// The bytes of an escape, with its backslash; `rest` is what is behind that.
fn escape_bytes(rest: &[u8]) -> Option<usize> {
    match rest.first()? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => {
            let digits = rest.get(1..5)?;
            let is_surrogate = matches!(digits, [b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..]);
            (digits.iter().all(u8::is_ascii_hexdigit) && !is_surrogate).then_some(6)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_value(text: &str) -> bool {
        let mut cursor = Cursor::new(text, 127);
        cursor.value().is_some() && cursor.is_at_end()
    }

    #[test]
    fn what_is_taken_is_json() {
        let taken = [
            "null",
            " true ",
            "\t[]\n",
            "{}",
            "{ }",
            "[ ]",
            "0",
            "-0",
            "10",
            "-1.50",
            "999999999999999999",
            "\"\"",
            r#""a\"\\\/\b\f\n\r\t\u00e9z""#,
            "\"é\u{7f}\"",
            r#"{"a":[1,{"b":null}],"a":2}"#,
        ];
        for text in taken {
            assert!(is_value(text), "{text}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_or_not_known_is_not_taken() {
        let others = [
            "",
            " ",
            "nul",
            "nulll",
            "True",
            "01",
            "-",
            "+1",
            "1.",
            ".5",
            "1e5",
            "1E+2",
            "1000000000000000000",
            "0x1",
            "--1",
            "\"",
            "\"\\\"",
            "\"\u{1}\"",
            "\"\n\"",
            r#""\x""#,
            r#""\u12""#,
            r#""\ud800""#,
            r#""\udfff""#,
            "[",
            "[1",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{1:1}",
            "{\"a\":1 \"b\":2}",
            "[}",
            "{]",
            "1 2",
            "[] []",
            "\u{feff}1",
            "/**/1",
            r#"{"\u0061":1}"#,
            r#"{"$serde_json::private::RawValue":"x"}"#,
        ];
        for text in others {
            assert!(!is_value(text), "{text}");
        }
    }

    #[test]
    fn levels_are_those_of_the_parser() {
        for levels in [126, 127, 128, 129] {
            let text = "[".repeat(levels) + &"]".repeat(levels);
            let is_parsed = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            assert_eq!((is_value(&text), levels <= 127), (is_parsed, is_parsed), "{levels}");
        }
    }

    #[test]
    fn a_value_is_passed_to_its_end() {
        for value in ["1", "\"a}\\\"]\"", "{}", "[{\"a\":\"]\"},[[]]]", "true"] {
            for behind in [",\"x\":1}", "}"] {
                let text = format!("{value}{behind}");
                let mut cursor = Cursor::new(&text, 127);
                cursor.pass().unwrap();
                assert_eq!(cursor.at, value.len(), "{text}");
            }
        }
    }
}
