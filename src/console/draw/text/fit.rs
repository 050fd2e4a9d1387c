//! Measuring and cutting.

use std::borrow::Cow;

use crate::{
    console::draw::glyphs::Glyphs,
    words::{clusters, cut, truncate, visible, width, with_ellipsis},
};

/// Bytes of a text that are looked at for each column that it may take: what a peer sends can be as long as a
/// frame.
const BYTES_PER_COLUMN: usize = 64;

/// The text made visible and cut to `columns`, whatever its length.
pub(crate) fn fit<'a>(text: &'a str, columns: usize, glyphs: &Glyphs) -> Cow<'a, str> {
    let looked_at = columns.saturating_add(1).saturating_mul(BYTES_PER_COLUMN);
    if text.len() <= looked_at {
        return match visible(text, glyphs.ascii) {
            Cow::Borrowed(text) => truncate(text, columns, glyphs.ellipsis),
            Cow::Owned(text) => Cow::Owned(truncate(&text, columns, glyphs.ellipsis).into_owned()),
        };
    }
    Cow::Owned(with_ellipsis(&visible(cut(text, looked_at as u64), glyphs.ascii), columns, glyphs.ellipsis))
}

/// Like [`fit`], cut in its middle: of texts that begin alike the ends are seen.
pub(crate) fn fit_within<'a>(text: &'a str, columns: usize, glyphs: &Glyphs) -> Cow<'a, str> {
    if text.len() > columns.saturating_add(1).saturating_mul(BYTES_PER_COLUMN) {
        return fit(text, columns, glyphs);
    }
    let shown = visible(text, glyphs.ascii);
    let room = columns.saturating_sub(width(glyphs.ellipsis));
    if width(&shown) <= columns || room < 2 {
        return fit(text, columns, glyphs);
    }
    let behind = end(&shown, room - room / 2);
    Cow::Owned(format!("{}{behind}", with_ellipsis(&shown, columns - width(behind), glyphs.ellipsis)))
}

/// The end of a text that has room.
fn end(text: &str, room: usize) -> &str {
    let mut used = 0;
    let mut from = text.len();
    let units: Vec<&str> = clusters(text).collect();
    for unit in units.into_iter().rev() {
        used += width(unit);
        if used > room {
            break;
        }
        from -= unit.len();
    }
    text.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::draw::glyphs::UNICODE;

    #[test]
    fn cuts_by_columns_and_never_within_a_wide_character() {
        assert_eq!(truncate("abcdef", 6, "…"), "abcdef");
        assert_eq!(truncate("abcdefg", 6, "…"), "abcde…");
        assert_eq!(truncate("日本語です", 6, "…"), "日本…");
        assert_eq!(truncate("abc", 0, "…"), "");
    }

    #[test]
    fn what_is_cut_within_keeps_its_end_and_never_a_part_of_a_wide_character() {
        assert_eq!(fit_within("incident-000041", 15, &UNICODE), "incident-000041");
        assert_eq!(fit_within("incident-000041", 9, &UNICODE), "inci…0041");
        assert_eq!(fit_within("incident-000041", 8, &UNICODE), "inc…0041");
        assert_eq!(fit_within("日本語です日本語です", 8, &UNICODE), "日…です");
        assert_eq!(fit_within("abcdef", 2, &UNICODE), "a…");
        assert_eq!(fit_within("abcdef", 0, &UNICODE), "");
        assert_eq!(fit_within(&"x".repeat(1 << 20), 4, &UNICODE), "xxx…");
    }

    #[test]
    fn a_line_is_as_wide_as_its_characters_are_when_drawn_one_by_one() {
        // A ligature in a font, and two cells in a terminal.
        assert_eq!(width("\u{644}\u{627}"), 2);
        assert_eq!(width("日本"), 4);
    }

    #[test]
    fn a_long_text_costs_no_more_than_its_columns() {
        let long = "\u{315}".repeat(1 << 20);
        assert!(fit(&format!("a{long}"), 20, &UNICODE).ends_with('…'));
        assert_eq!(fit(&"x".repeat(1 << 20), 4, &UNICODE), "xxx…");
        assert_eq!(fit("a\tb", 4, &UNICODE), "a b");
    }
}
