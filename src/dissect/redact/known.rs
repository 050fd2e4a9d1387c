//! The values that were masked, so that they are found where they are quoted.

use std::{
    collections::{HashMap, VecDeque},
    ops::Range,
};

use super::lexer::unescaped;

/// Values that are known at most; the oldest goes first.
const VALUES_MAX: usize = 16_384;
/// Bytes of all of them at most.
const BYTES_MAX: usize = 4 << 20;
/// The longest that is kept as one; a longer one is kept in pieces.
const PIECE_BYTES_MAX: usize = 65_536;
/// A shorter one is masked in its own place alone: it is a part of too much else.
pub(super) const QUOTED_BYTES_MIN: usize = 3;
/// One of so many bytes is quoted where it is a word of its own; a longer one wherever it is found.
const WORD_BYTES_MAX: usize = 5;
/// So much of the beginning of a value is a quote that was cut.
const CUT_BYTES_MIN: usize = 12;
/// By so many bytes values are looked up.
const HEAD_BYTES: usize = QUOTED_BYTES_MIN;
/// How often a string may be escaped within another.
const ESCAPES_MAX: usize = 2;

type Head = [u8; HEAD_BYTES];

/// The values.
#[derive(Debug, Default)]
pub(super) struct Known {
    by_head: HashMap<Head, Vec<Box<[u8]>>>,
    order: VecDeque<Box<[u8]>>,
    bytes: usize,
}

impl Known {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Notes a value. One that is masked already is none.
    pub(super) fn learn(&mut self, value: &str) {
        if value.len() < QUOTED_BYTES_MIN || value.bytes().all(|byte| byte == b'*') {
            return;
        }
        let mut rest = value;
        while rest.len() > PIECE_BYTES_MAX {
            let (piece, behind) = rest.split_at(crate::words::floor(rest, PIECE_BYTES_MAX));
            self.insert(piece.as_bytes());
            rest = behind;
        }
        self.insert(rest.as_bytes());
    }

    fn insert(&mut self, value: &[u8]) {
        let Some(head) = value.first_chunk::<HEAD_BYTES>() else { return };
        let of_head = self.by_head.entry(*head).or_default();
        if of_head.iter().any(|known| **known == *value) {
            return;
        }
        of_head.push(value.into());
        self.order.push_back(value.into());
        self.bytes += value.len();
        while self.order.len() > VALUES_MAX || self.bytes > BYTES_MAX {
            let Some(oldest) = self.order.pop_front() else { break };
            self.bytes -= oldest.len();
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, value: &[u8]) {
        let Some(head) = value.first_chunk::<HEAD_BYTES>() else { return };
        if let Some(of_head) = self.by_head.get_mut(head) {
            of_head.retain(|known| **known != *value);
            if of_head.is_empty() {
                self.by_head.remove(head);
            }
        }
    }

    /// Whether this is one of them.
    pub(super) fn has(&self, value: &[u8]) -> bool {
        let of_head = value.first_chunk::<HEAD_BYTES>().and_then(|head| self.by_head.get(head));
        of_head.is_some_and(|all| all.iter().any(|known| **known == *value))
    }

    /// Where they are quoted in a text, verbatim and behind escapes, in no order.
    pub(super) fn quotes(&self, text: &[u8]) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut found = self.verbatim(text);
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut plain = Vec::new();
        for level in 0..ESCAPES_MAX {
            let of = if level == 0 { text } else { &plain };
            if memchr::memchr(b'\\', of).is_none() {
                break;
            }
            let (next, places) = unescaped(of);
            spans =
                if level == 0 { places } else { places.into_iter().map(|it| around(&spans, it)).collect() };
            plain = next;
            found.extend(self.verbatim(&plain).into_iter().map(|it| around(&spans, it)));
        }
        found
    }

    fn verbatim(&self, text: &[u8]) -> Vec<Range<usize>> {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(head) = text.get(at..).and_then(<[u8]>::first_chunk::<HEAD_BYTES>) {
            let values = self.by_head.get(head);
            let longest = values.into_iter().flatten().map(|value| quoted_bytes(value, text, at)).max();
            match longest {
                Some(len @ 1..) => {
                    found.push(at..at + len);
                    at += len;
                }
                _ => at += 1,
            }
        }
        found
    }
}

/// From the first to the last place of a range.
fn around(spans: &[Range<usize>], of: Range<usize>) -> Range<usize> {
    let first = spans.get(of.start).map_or(0, |span| span.start);
    let last = of.end.checked_sub(1).and_then(|last| spans.get(last));
    first..last.map_or(first, |span| span.end.max(first))
}

/// How much of a value is quoted at a place.
fn quoted_bytes(value: &[u8], text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let alike = value.iter().zip(rest).take_while(|(one, other)| one == other).count();
    if alike == value.len() {
        let is_word = || {
            let is_outside = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            let is_escape = at.checked_sub(2).and_then(|it| text.get(it)) == Some(&b'\\');
            (is_outside(before) || is_escape) && is_outside(text.get(at + alike))
        };
        return if value.len() > WORD_BYTES_MAX || is_word() { alike } else { 0 };
    }
    if alike < CUT_BYTES_MIN {
        return 0;
    }
    // Between characters.
    (0..=alike).rev().find(|end| value.get(*end).is_none_or(|byte| byte & 0xc0 != 0x80)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(values: &[&str]) -> Known {
        let mut known = Known::default();
        for value in values {
            known.learn(value);
        }
        known
    }

    fn quotes(values: &[&str], text: &str) -> Vec<String> {
        let mut found = known(values).quotes(text.as_bytes());
        found.sort_by_key(|it| it.start);
        found.dedup();
        found.into_iter().map(|it| text[it].to_owned()).collect()
    }

    #[test]
    fn values_are_found_verbatim_and_however_they_are_escaped() {
        assert_eq!(quotes(&["alice_77"], "xalice_77, alice_7"), ["alice_77"]);
        assert_eq!(quotes(&["a\"li\né"], r#"{\"x\":\"a\\\"li\\n\\u00e9\"}"#), [r#"a\\\"li\\n\\u00e9"#]);
        assert_eq!(quotes(&["smile 😀"], r"smile \ud83d\ude00"), [r"smile \ud83d\ude00"]);
    }

    #[test]
    fn a_short_one_is_found_as_a_word_and_a_shorter_one_not_at_all() {
        assert_eq!(quotes(&["bob"], "bobby bob, kabob \"bob\" x\\nbob"), ["bob", "bob", "bob"]);
        assert_eq!(quotes(&["bo", "***", "****"], "bo *** ****"), Vec::<String>::new());
    }

    #[test]
    fn the_beginning_of_a_long_one_is_found_where_it_was_cut() {
        assert_eq!(quotes(&["a very long name é"], "it was a very long name…"), ["a very long name"]);
        assert_eq!(quotes(&["a very long name é"], "it was a very long name \u{e8}"), ["a very long name "]);
    }

    #[test]
    fn the_oldest_are_given_up_and_no_more_is_kept_than_the_bounds() {
        let mut known = Known::default();
        for n in 0..=VALUES_MAX {
            known.learn(&format!("value-{n:06}"));
        }
        assert!(!known.has(b"value-000000") && known.has(b"value-000001"));
        known.learn(&"x".repeat(BYTES_MAX));
        assert!(known.bytes <= BYTES_MAX && known.order.len() <= VALUES_MAX, "{}", known.bytes);
        let kept: usize = known.by_head.values().flatten().map(|value| value.len()).sum();
        assert_eq!(kept, known.bytes);
    }
}
