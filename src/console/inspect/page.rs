//! A long value, whole: so much of it at a time as can be wrapped at once.

use std::ops::Range;

use crate::{
    console::{
        draw::{class::Class, text},
        input::action::Action,
    },
    dissect::tree::{Kind, Node, Text, slice},
};

/// Bytes of a value that are wrapped together.
const CHUNK_BYTES: usize = 16_384;

/// A value that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    value: Text,
    kind: Kind,
    pub(crate) class: Class,
    /// The bytes of the value that are shown.
    pub(crate) visible: Range<usize>,
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
            visible: 0..0,
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
    pub(crate) fn reconcile(&mut self, bytes: &[u8], width: usize, height: usize) {
        self.height = height.max(1);
        if self.width != width {
            self.width = width;
            self.read(bytes, self.visible.start);
        }
        self.scroll = self.scroll.min(self.last_scroll());
    }

    fn last_scroll(&self) -> usize {
        self.lines.len().saturating_sub(self.height)
    }

    /// Wraps what begins at a byte of the value.
    fn read(&mut self, bytes: &[u8], from: usize) {
        let all = match &self.value {
            Text::None => &[][..],
            Text::Literal(words) => words.as_bytes(),
            Text::Bytes(range) => slice(bytes, range),
        };
        let from = char_boundary_before(all, from);
        self.visible = from..char_boundary_before(all, from + CHUNK_BYTES);
        let is_whole = self.visible == (0..all.len());
        let raw = String::from_utf8_lossy(&all[self.visible.clone()]);
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
    pub(crate) fn navigate(&mut self, bytes: &[u8], action: Action) {
        let page = self.height.saturating_sub(1).max(1);
        match action {
            Action::Up | Action::PageUp if self.scroll == 0 && self.visible.start > 0 => {
                self.read(bytes, self.visible.start.saturating_sub(CHUNK_BYTES));
                self.scroll = self.last_scroll();
            }
            Action::Down | Action::PageDown
                if self.scroll == self.last_scroll() && self.visible.end < self.len() =>
            {
                self.read(bytes, self.visible.end);
                self.scroll = 0;
            }
            Action::Up => self.scroll = self.scroll.saturating_sub(1),
            Action::Down => self.scroll = (self.scroll + 1).min(self.last_scroll()),
            Action::PageUp => self.scroll = self.scroll.saturating_sub(page),
            Action::PageDown => self.scroll = (self.scroll + page).min(self.last_scroll()),
            Action::First => {
                self.read(bytes, 0);
                self.scroll = 0;
            }
            Action::Last => {
                self.read(bytes, self.len().saturating_sub(1) / CHUNK_BYTES * CHUNK_BYTES);
                self.scroll = self.last_scroll();
            }
            _ => {}
        }
    }
}

/// The place between two characters that is nearest before this byte, where it is UTF-8.
fn char_boundary_before(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    (at.saturating_sub(3)..=at).rev().find(|at| !is_inside(*at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(value: &str) -> Page {
        let mut page = Page::of(&Node {
            value: Text::literal(value.to_owned()),
            ..Node::new(Text::literal("v"), Kind::Text, 0..0)
        });
        page.reconcile(b"", 40, 10);
        page
    }

    #[test]
    fn a_long_value_is_read_part_by_part_to_its_end_and_back() {
        let value = (0..20_000).map(|number| number.to_string()).collect::<Vec<_>>().join(" é ");
        let mut page = page(&value);
        let mut read = vec![page.visible.clone()];
        for _ in 0..100_000 {
            page.navigate(b"", Action::PageDown);
            if read.last() != Some(&page.visible) {
                read.push(page.visible.clone());
            }
        }
        assert!(read.len() > 10 && read.windows(2).all(|pair| pair[0].end == pair[1].start), "{read:?}");
        assert_eq!(page.visible.end, value.len());
        assert!(!page.lines.iter().any(|line| line.contains('\u{fffd}')));
        let end = page.clone();
        page.navigate(b"", Action::First);
        assert_eq!((page.visible.start, page.scroll), (0, 0));
        page.navigate(b"", Action::Last);
        assert_eq!(
            (page.visible.end, page.lines.iter().any(|line| line.contains('\u{fffd}'))),
            (end.visible.end, false)
        );
        assert!(page.lines.last().is_some_and(|line| line.ends_with("19999")), "{:?}", page.lines.last());
        for _ in 0..100_000 {
            page.navigate(b"", Action::PageUp);
        }
        assert_eq!((page.visible.start, page.scroll), (0, 0));
    }

    #[test]
    fn a_short_string_is_read_as_it_was_meant_and_its_hidden_characters_are_seen() {
        let page = page("\"one\\ntwo \\u202e\\\"\"");
        assert_eq!(page.lines[0], "one");
        assert!(page.lines[1].starts_with("two ") && !page.lines[1].contains('\u{202e}'), "{:?}", page.lines);
    }
}
