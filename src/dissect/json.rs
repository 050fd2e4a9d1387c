//! Reads JSON with the place of every value, as far as it is JSON: what is broken or cut is told where it
//! stands, and what follows it is read again. It judges nothing but form; what a value means is for the
//! protocol's decoder.

use std::ops::Range;

use super::tree::{Kind, Node, TOO_DEEP, Text, Tree, TreeBuilder};

/// How deep values are opened; below, they are one value each. A station's own reader gives up at 128.
const DEPTH_MAX: usize = 64;

/// Reads all bytes as one JSON value and adds it, under a name of ours. Blanks and the line's end belong to
/// no value.
pub(crate) fn read(bytes: &[u8], name: &'static str, builder: &mut TreeBuilder) {
    read_within(bytes, 0..bytes.len(), name, builder);
}

/// The tree of a JSON, with the places of its values.
pub(crate) fn tree(text: &str, nodes_max: usize) -> Tree {
    let mut builder = TreeBuilder::new(nodes_max);
    read(text.as_bytes(), "frame", &mut builder);
    builder.finish()
}

/// Reads the bytes of a range.
pub(crate) fn read_within(bytes: &[u8], within: Range<usize>, name: &'static str, builder: &mut TreeBuilder) {
    let bytes = &bytes[..within.end.min(bytes.len())];
    let mut reader = Reader { bytes, at: within.start.min(bytes.len()), builder };
    reader.skip_whitespace();
    if reader.at == bytes.len() {
        let mut node = Node::new(Text::literal(name), Kind::Missing, reader.range(reader.at));
        node.blame("empty");
        reader.builder.leaf(node);
        return;
    }
    let start = reader.at;
    reader.value(Text::literal(name), start);
    reader.skip_whitespace();
    if reader.at < bytes.len() && !reader.builder.is_full() {
        reader.broken("trailing", reader.at, bytes.len(), "unexpected after the value");
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    builder: &'a mut TreeBuilder,
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// From `start` to where it is.
    fn range(&self, start: usize) -> Range<u32> {
        offset(start)..offset(self.at)
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn broken(&mut self, name: &'static str, start: usize, end: usize, why: &'static str) {
        self.at = end;
        let range = self.range(start);
        let mut node =
            Node { value: Text::Bytes(range.clone()), ..Node::new(Text::literal(name), Kind::Broken, range) };
        node.blame(why);
        self.builder.leaf(node);
    }

    /// Reads one value; `start` is where its key begins, or the value itself.
    fn value(&mut self, name: Text, start: usize) {
        match self.peek() {
            Some(b'{') => self.container(name, start, Kind::Object),
            Some(b'[') => self.container(name, start, Kind::Array),
            Some(b'"') => {
                let from = self.at;
                let fault = self.string();
                self.leaf(name, Kind::Text, start, from, fault);
            }
            Some(_) => self.literal(name, start),
            None => {}
        }
    }

    fn leaf(&mut self, name: Text, kind: Kind, start: usize, from: usize, fault: Option<&'static str>) {
        let mut node =
            Node { value: Text::Bytes(self.range(from)), ..Node::new(name, kind, self.range(start)) };
        if let Some(fault) = fault {
            node.blame(fault);
        }
        self.builder.leaf(node);
    }

    /// Passes a string; what is wrong with it.
    fn string(&mut self) -> Option<&'static str> {
        let from = self.at;
        self.at += 1;
        let mut fault = None;
        loop {
            let rest = &self.bytes[self.at..];
            let special = memchr::memchr2(b'"', b'\\', rest);
            let plain = special.map_or(rest, |at| &rest[..at]);
            self.at += plain.len();
            // Without a branch for each byte, so that many are compared in one step.
            if plain.iter().fold(u8::MAX, |least, byte| least.min(*byte)) < 0x20 {
                fault = fault.or(Some("it has an unescaped control character"));
            }
            match self.peek() {
                None => return Some("the string does not end"),
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {
                    let length = match self.bytes.get(self.at + 1) {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                        Some(b'u')
                            if self
                                .bytes
                                .get(self.at + 2..self.at + 6)
                                .is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit)) =>
                        {
                            6
                        }
                        _ => {
                            fault = fault.or(Some("it has an invalid escape"));
                            1
                        }
                    };
                    self.at += length;
                }
            }
        }
        fault
            .or_else(|| std::str::from_utf8(&self.bytes[from..self.at]).is_err().then_some("it is not UTF-8"))
    }

    /// A number, a word, or what is no value.
    fn literal(&mut self, name: Text, start: usize) {
        let from = self.at;
        while self.peek().is_some_and(|byte| {
            !matches!(byte, b',' | b']' | b'}' | b'"' | b':' | b'{' | b'[' | b' ' | b'\t' | b'\n' | b'\r')
        }) {
            self.at += 1;
        }
        if self.at == from {
            self.at += 1;
        }
        let kind = match &self.bytes[from..self.at] {
            b"true" | b"false" => Kind::Boolean,
            b"null" => Kind::Null,
            other if is_number(other) => Kind::Number,
            _ => Kind::Broken,
        };
        let fault = match kind {
            Kind::Broken if self.at == self.bytes.len() => Some("not a JSON value, or cut"),
            Kind::Broken => Some("not a JSON value"),
            _ => None,
        };
        self.leaf(name, kind, start, from, fault);
    }

    fn container(&mut self, name: Text, start: usize, kind: Kind) {
        let from = self.at;
        if self.builder.depth() >= DEPTH_MAX {
            let ended = self.skip_container();
            let mut node =
                Node { value: Text::Bytes(self.range(from)), ..Node::new(name, kind, self.range(start)) };
            node = node.with_note(TOO_DEEP);
            if !ended {
                node.blame("it does not end");
            }
            self.builder.leaf(node);
            return;
        }
        if !self.builder.open(Node::new(name, kind, offset(start)..offset(self.bytes.len()))) {
            self.at = self.bytes.len();
            return;
        }
        self.at += 1;
        let ended = if kind == Kind::Object { self.members() } else { self.items() };
        let (range, value) = (self.range(start), self.range(from));
        if let Some(node) = self.builder.last_open() {
            node.range = range;
            node.value = Text::Bytes(value);
            if !ended {
                node.blame("it does not end");
            }
        }
        self.builder.close();
    }

    /// The members of an object; whether it ended.
    fn members(&mut self) -> bool {
        let mut comma_at = None;
        loop {
            self.skip_whitespace();
            if self.builder.is_full() {
                self.at = self.bytes.len();
            }
            match self.peek() {
                None => return false,
                Some(b'}') => {
                    self.stray_comma(comma_at);
                    self.at += 1;
                    return true;
                }
                Some(b'"') => {
                    comma_at = None;
                    self.member();
                    self.skip_whitespace();
                    match self.peek() {
                        Some(b',') => {
                            comma_at = Some(self.at);
                            self.at += 1;
                        }
                        Some(b'}') | None => {}
                        Some(b'"') => self.missing_comma(),
                        Some(_) => self.junk(b'}'),
                    }
                }
                Some(_) => {
                    comma_at = None;
                    self.junk(b'}');
                }
            }
        }
    }

    fn member(&mut self) {
        let start = self.at;
        let fault = self.string();
        let inner = match (fault, self.at) {
            (None | Some(_), end) if end > start + 1 && self.bytes[end - 1] == b'"' => start + 1..end - 1,
            (_, end) => start + 1..end,
        };
        let name = Text::Bytes(offset(inner.start)..offset(inner.end));
        let key_end = self.at;
        self.skip_whitespace();
        if self.peek() != Some(b':') {
            self.at = key_end;
            self.leaf(
                name,
                Kind::Broken,
                start,
                key_end,
                Some(fault.unwrap_or("a `:` and a value are expected after it")),
            );
            return;
        }
        self.at += 1;
        self.skip_whitespace();
        match self.peek() {
            None | Some(b',' | b'}') => {
                self.leaf(name, Kind::Missing, start, self.at, Some("a value is expected after it"));
            }
            Some(_) => self.value(name, start),
        }
    }

    /// The items of an array; whether it ended.
    fn items(&mut self) -> bool {
        let mut comma_at = None;
        let mut number = 0_u32;
        loop {
            self.skip_whitespace();
            if self.builder.is_full() {
                self.at = self.bytes.len();
            }
            match self.peek() {
                None => return false,
                Some(b']') => {
                    self.stray_comma(comma_at);
                    self.at += 1;
                    return true;
                }
                Some(b',' | b':' | b'}') => {
                    comma_at = None;
                    self.junk(b']');
                }
                Some(_) => {
                    comma_at = None;
                    self.value(Text::literal(number.to_string()), self.at);
                    number += 1;
                    self.skip_whitespace();
                    match self.peek() {
                        Some(b',') => {
                            comma_at = Some(self.at);
                            self.at += 1;
                        }
                        Some(b']') | None => {}
                        Some(b':' | b'}') => self.junk(b']'),
                        Some(_) => self.missing_comma(),
                    }
                }
            }
        }
    }

    /// Two values with nothing between them.
    fn missing_comma(&mut self) {
        let mut node = Node::new(Text::literal(","), Kind::Missing, self.range(self.at));
        node.blame("a comma is expected here");
        self.builder.leaf(node);
    }

    /// A comma behind which nothing came.
    fn stray_comma(&mut self, comma_at: Option<usize>) {
        if let Some(at) = comma_at {
            let here = self.at;
            self.broken(",", at, at + 1, "nothing follows the comma");
            self.at = here;
        }
    }

    /// Text that is neither a member nor an item: up to the next comma, key or end.
    fn junk(&mut self, end: u8) {
        let start = self.at;
        self.at += 1;
        while self.peek().is_some_and(|byte| byte != b',' && byte != b'"' && byte != end) {
            self.at += 1;
        }
        self.broken("?", start, self.at, "a comma or the end is expected here");
        if self.peek() == Some(b',') {
            self.at += 1;
        }
    }

    /// Passes a container without looking into it; whether it ended.
    fn skip_container(&mut self) -> bool {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return true;
            }
        }
        false
    }
}

/// Whether these bytes are a JSON number.
fn is_number(bytes: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest[0] == b'0') {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent =
            exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let count = digits(exponent);
        return count > 0 && count == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a text that begins as a string, and the bytes of it.
    fn string(bytes: &[u8]) -> (Option<&'static str>, usize) {
        let mut builder = TreeBuilder::new(1);
        let mut reader = Reader { bytes, at: 0, builder: &mut builder };
        (reader.string(), reader.at)
    }

    #[test]
    fn a_string_ends_at_its_quote_and_the_first_fault_is_told() {
        let (control, escape) =
            (Some("it has an unescaped control character"), Some("it has an invalid escape"));
        let endless = Some("the string does not end");
        let cases: [(&[u8], Option<&str>, usize); 14] = [
            (br#""""#, None, 2),
            (br#""plain" more"#, None, 7),
            (br#""\"\\\/\b\f\n\r\t\u00e9"x"#, None, 24),
            ("\"é日\"".as_bytes(), None, 7),
            (b"\"a\x1f\"", control, 4),
            (b"\"\x1f\\q\"", control, 5),
            (b"\"\\q\x1f\"", escape, 5),
            (b"\"\\n\x00\"", control, 5),
            (br#""\u12"x"#, escape, 6),
            (br#""\u12"#, endless, 5),
            (br#""ends with \"#, endless, 12),
            (br#"""#, endless, 1),
            (b"\"\xff\"", Some("it is not UTF-8"), 3),
            (b"\"\x7f\"", None, 3),
        ];
        for (bytes, fault, end) in cases {
            assert_eq!(string(bytes), (fault, end), "{}", bytes.escape_ascii());
        }
    }
}
