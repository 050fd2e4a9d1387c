//! A long value, whole: so much of it at a time as can be wrapped at once.

use std::ops::Range;

use super::node::{Kind, Node, Text, slice};
use crate::console::{action::Action, class::Class, text};

/// Bytes of a value that are wrapped together.
const CHUNK_BYTES: usize = 16_384;

/// A value that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    value: Text,
    kind: Kind,
    pub(crate) class: Class,
    /// The bytes of the value that are shown.
    pub(crate) shown: Range<usize>,
    pub(crate) lines: Vec<String>,
    pub(crate) scroll: usize,
    width: usize,
    height: usize,
    ascii: bool,
}

impl Page {
    /// The beginning of a value.
    pub(crate) fn of(node: &Node) -> Self {
        Self {
            value: node.value.clone(),
            kind: node.kind,
            class: node.class,
            shown: 0..0,
            lines: Vec::new(),
            scroll: 0,
            width: 0,
            height: 1,
            ascii: false,
        }
    }

    /// The length of the whole value in bytes.
    pub(crate) fn len(&self) -> usize {
        self.value.len()
    }

    /// Fits it to a size.
    pub(crate) fn settle(&mut self, bytes: &[u8], width: usize, height: usize) {
        self.height = height.max(1);
        if self.width != width {
            self.width = width;
            self.read(bytes, self.shown.start);
        }
        self.scroll = self.scroll.min(self.lowest());
    }

    fn lowest(&self) -> usize {
        self.lines.len().saturating_sub(self.height)
    }

    /// Wraps what begins at a byte of the value.
    fn read(&mut self, bytes: &[u8], from: usize) {
        let all = match &self.value {
            Text::None => &[][..],
            Text::Words(words) => words.as_bytes(),
            Text::Bytes(range) => slice(bytes, range),
        };
        let from = between(all, from);
        self.shown = from..between(all, from + CHUNK_BYTES);
        let is_whole = self.shown == (0..all.len());
        let raw = String::from_utf8_lossy(&all[self.shown.clone()]);
        // A string that is short enough is read as it was meant, a longer one as it stands.
        let meant = (is_whole && self.kind == Kind::Text)
            .then(|| serde_json::from_str::<String>(&raw).ok())
            .flatten();
        let words = meant.unwrap_or_else(|| raw.into_owned());
        let lines = words
            .split('\n')
            .flat_map(|line| text::wrap(&text::visible(line.trim_end_matches('\r'), self.ascii), self.width));
        self.lines = lines.collect();
    }

    /// Moves; behind the last line the next part of the value follows.
    pub(crate) fn go(&mut self, bytes: &[u8], action: Action) {
        let page = self.height.saturating_sub(1).max(1);
        match action {
            Action::Up | Action::PageUp if self.scroll == 0 && self.shown.start > 0 => {
                self.read(bytes, self.shown.start.saturating_sub(CHUNK_BYTES));
                self.scroll = self.lowest();
            }
            Action::Down | Action::PageDown
                if self.scroll == self.lowest() && self.shown.end < self.len() =>
            {
                self.read(bytes, self.shown.end);
                self.scroll = 0;
            }
            Action::Up => self.scroll = self.scroll.saturating_sub(1),
            Action::Down => self.scroll = (self.scroll + 1).min(self.lowest()),
            Action::PageUp => self.scroll = self.scroll.saturating_sub(page),
            Action::PageDown => self.scroll = (self.scroll + page).min(self.lowest()),
            Action::First => {
                self.read(bytes, 0);
                self.scroll = 0;
            }
            Action::Last => {
                self.read(bytes, self.len().saturating_sub(1) / CHUNK_BYTES * CHUNK_BYTES);
                self.scroll = self.lowest();
            }
            _ => {}
        }
    }
}

/// The place between two characters that is nearest before this byte, where it is UTF-8.
fn between(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    (at.saturating_sub(3)..=at).rev().find(|at| !is_inside(*at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(value: &str) -> Page {
        let mut page = Page::of(&Node {
            value: Text::words(value.to_owned()),
            ..Node::new(Text::words("v"), Kind::Text, 0..0)
        });
        page.settle(b"", 40, 10);
        page
    }

    #[test]
    fn a_long_value_is_read_part_by_part_to_its_end_and_back() {
        let value = (0..20_000).map(|number| number.to_string()).collect::<Vec<_>>().join(" é ");
        let mut page = page(&value);
        let mut read = vec![page.shown.clone()];
        for _ in 0..100_000 {
            page.go(b"", Action::PageDown);
            if read.last() != Some(&page.shown) {
                read.push(page.shown.clone());
            }
        }
        assert!(read.len() > 10 && read.windows(2).all(|pair| pair[0].end == pair[1].start), "{read:?}");
        assert_eq!(page.shown.end, value.len());
        assert!(!page.lines.iter().any(|line| line.contains('\u{fffd}')));
        let end = page.clone();
        page.go(b"", Action::First);
        assert_eq!((page.shown.start, page.scroll), (0, 0));
        page.go(b"", Action::Last);
        assert_eq!(
            (page.shown.end, page.lines.iter().any(|line| line.contains('\u{fffd}'))),
            (end.shown.end, false)
        );
        assert!(page.lines.last().is_some_and(|line| line.ends_with("19999")), "{:?}", page.lines.last());
        for _ in 0..100_000 {
            page.go(b"", Action::PageUp);
        }
        assert_eq!((page.shown.start, page.scroll), (0, 0));
    }

    #[test]
    fn a_short_string_is_read_as_it_was_meant_and_its_hidden_characters_are_seen() {
        let page = page("\"one\\ntwo \\u202e\\\"\"");
        assert_eq!(page.lines[0], "one");
        assert!(page.lines[1].starts_with("two ") && !page.lines[1].contains('\u{202e}'), "{:?}", page.lines);
    }
}
