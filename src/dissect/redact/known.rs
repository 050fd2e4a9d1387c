//! The values that were masked, so that they are found where they are quoted.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    ops::{Bound, Range},
    sync::Arc,
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
/// Bytes of quotes that are looked at for each byte of a text. A text in which more repeats within itself is
/// masked from there on.
const ALIKE_BYTES_MAX: usize = 32;
/// How often a string may be escaped within another.
const ESCAPES_MAX: usize = 2;

/// Where a place in a text has none of these, no value is quoted there.
type Head = [u8; QUOTED_BYTES_MIN];

/// The values.
///
/// A place in a text costs two searches in their order, for those that begin most like it, and at most nine
/// for shorter ones that are all there. A search in 16,384 values compares with fewer than 60 of them,
/// however alike they are, and reads of each no more than what is alike: of all places together a bounded
/// number of bytes for each of the text.
#[derive(Debug, Default)]
pub(super) struct Known {
    values: BTreeSet<Arc<[u8]>>,
    /// How many begin so.
    heads: HashMap<Head, usize>,
    /// The oldest first.
    order: VecDeque<Arc<[u8]>>,
    bytes: usize,
}

impl Known {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
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
        let Some(head) = value.first_chunk().filter(|_| !self.has(value)) else { return };
        let value: Arc<[u8]> = value.into();
        *self.heads.entry(*head).or_default() += 1;
        self.bytes += value.len();
        self.values.insert(Arc::clone(&value));
        self.order.push_back(value);
        while self.order.len() > VALUES_MAX || self.bytes > BYTES_MAX {
            let Some(oldest) = self.order.pop_front() else { break };
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, value: &[u8]) {
        self.bytes -= value.len();
        self.values.remove(value);
        let Some(head) = value.first_chunk() else { return };
        if let Some(count) = self.heads.get_mut(head) {
            *count -= 1;
            if *count == 0 {
                self.heads.remove(head);
            }
        }
    }

    /// Whether this is one of them.
    pub(super) fn has(&self, value: &[u8]) -> bool {
        self.values.contains(value)
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
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut left = text.len().saturating_mul(ALIKE_BYTES_MAX);
        for (at, head) in text.windows(QUOTED_BYTES_MIN).enumerate() {
            let len = if self.heads.contains_key(head) { self.quoted_bytes(text, at) } else { 0 };
            let end = if len > left { text.len() } else { at + len };
            match found.last_mut() {
                _ if len == 0 => {}
                // Another may begin within one, and end behind it.
                Some(last) if at < last.end => last.end = last.end.max(end),
                _ => found.push(at..end),
            }
            let Some(rest) = left.checked_sub(len) else { break };
            left = rest;
        }
        found
    }

    /// How much of a value is quoted at a place: of the longest that is.
    fn quoted_bytes(&self, text: &[u8], at: usize) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        let (alike, is_whole) = self.most_alike(rest);
        if alike >= CUT_BYTES_MIN {
            // Between characters.
            let is_within = |end: &usize| rest.get(*end).is_some_and(|byte| byte & 0xc0 == 0x80);
            return if is_whole { alike } else { (0..=alike).rev().find(|end| !is_within(end)).unwrap_or(0) };
        }
        let is_quoted = |len: &usize| {
            rest.get(..*len).is_some_and(|value| self.has(value))
                && (*len > WORD_BYTES_MAX || is_word(text, at..at + *len))
        };
        (QUOTED_BYTES_MIN..=alike).rev().find(is_quoted).unwrap_or(0)
    }

    /// How much the value has in common with a text that begins most like it, and whether that is all of it.
    fn most_alike(&self, text: &[u8]) -> (usize, bool) {
        let until = (Bound::Unbounded, Bound::Included(text));
        let behind = (Bound::Excluded(text), Bound::Unbounded);
        let before = self.values.range::<[u8], _>(until).next_back();
        let next = self.values.range::<[u8], _>(behind).next();
        let alike = |value: &Arc<[u8]>| {
            let alike = value.iter().zip(text).take_while(|(one, other)| one == other).count();
            (alike, alike == value.len())
        };
        before.into_iter().chain(next).map(alike).max().unwrap_or_default()
    }
}

/// Whether a range of a text is not a part of a longer word.
fn is_word(text: &[u8], of: Range<usize>) -> bool {
    let is_outside = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let before = |count: usize| of.start.checked_sub(count).and_then(|at| text.get(at));
    (is_outside(before(1)) || before(2) == Some(&b'\\')) && is_outside(text.get(of.end))
}

/// From the first to the last place of a range.
fn around(spans: &[Range<usize>], of: Range<usize>) -> Range<usize> {
    let first = spans.get(of.start).map_or(0, |span| span.start);
    let last = of.end.checked_sub(1).and_then(|last| spans.get(last));
    first..last.map_or(first, |span| span.end.max(first))
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
        let kept: usize = known.values.iter().map(|value| value.len()).sum();
        assert_eq!(kept, known.bytes);
        assert_eq!(known.heads.values().sum::<usize>(), known.values.len());
    }

    #[test]
    fn of_values_within_each_other_the_longest_is_found() {
        assert_eq!(
            quotes(&["alice_1", "alice_12", "alice_123x"], "alice_123, alice_1z"),
            ["alice_12", "alice_1"]
        );
        assert_eq!(quotes(&["abc", "abcd", "abcdefg"], "abcde abcd abc"), ["abcd", "abc"]);
    }

    #[test]
    fn of_values_that_overlap_all_is_found() {
        let text = "see https://example.com/u/alice_77!";
        for long in ["https://example.com/u/alice", "https://example.com/u/alice_of_old"] {
            assert_eq!(quotes(&[long, "alice_77"], text), ["https://example.com/u/alice_77"], "{long}");
        }
        assert_eq!(quotes(&["abcdef", "defghi", "ghijkl"], "xabcdefghijklx"), ["abcdefghijkl"]);
    }

    #[test]
    fn what_repeats_within_itself_is_masked_without_being_read_over_and_over() {
        let known = known(&[&"a".repeat(PIECE_BYTES_MAX), &"ab".repeat(PIECE_BYTES_MAX / 2)]);
        for text in ["a".repeat(1 << 17), "ab".repeat(1 << 16)] {
            let found = known.quotes(text.as_bytes());
            assert_eq!((found.len(), found[0].clone()), (1, 0..text.len()));
        }
    }

    #[test]
    fn as_many_as_there_can_be_are_found_among_those_that_begin_alike() {
        let mut known = Known::default();
        let name = |n: usize| format!("viewer_{n:05}");
        (0..VALUES_MAX).for_each(|n| known.learn(&name(n)));
        let text: String = (0..2 * VALUES_MAX).map(|n| name(n) + " viewer_ ").collect();
        assert_eq!(known.quotes(text.as_bytes()).len(), VALUES_MAX);
    }
}
