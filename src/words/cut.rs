//! Texts that are cut: by bytes for what is kept and sent, by columns for what is shown.

use std::borrow::Cow;

use super::{
    characters::{clusters, columns},
    token,
};

/// What stands in place of what was cut.
const ELLIPSIS: &str = "…";

/// The greatest place of a text that is at most `at` and lies between two characters.
#[must_use]
pub fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// The beginning of a text, at most so many bytes, ending between two characters, and before what may be a
/// token that the cut would leave a part of.
#[must_use]
pub fn cut(text: &str, bytes_max: u64) -> &str {
    if text.len() as u64 <= bytes_max {
        return text;
    }
    let end = usize::try_from(bytes_max).map_or(text.len(), |bytes_max| floor(text, bytes_max));
    text.get(..token::cut_before_token(text, end)).unwrap_or_default()
}

/// A text of at most so many bytes; one that is cut ends in `…`.
#[must_use]
pub fn cut_marked(text: &str, bytes_max: u64) -> Cow<'_, str> {
    if text.len() as u64 <= bytes_max {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}{ELLIPSIS}", cut(text, bytes_max.saturating_sub(ELLIPSIS.len() as u64))))
}

/// Columns that a [visible](super::visible()) text takes, counted as it is drawn:
/// character by character.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(columns).sum()
}

/// The text cut to `columns`, with `ellipsis` in place of what was cut; a wide character is never split.
#[must_use]
pub fn truncate<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if text.len() <= columns && text.is_ascii() || width(text) <= columns {
        return Cow::Borrowed(text);
    }
    Cow::Owned(with_ellipsis(text, columns, ellipsis))
}

/// The beginning of a text with an ellipsis behind it, in so many columns.
pub(crate) fn with_ellipsis(text: &str, room: usize, ellipsis: &str) -> String {
    let Some(room) = room.checked_sub(width(ellipsis)) else { return String::new() };
    let mut kept = String::new();
    let mut used = 0;
    for unit in clusters(text) {
        used += width(unit);
        if used > room {
            break;
        }
        kept.push_str(unit);
    }
    kept + ellipsis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_two_characters() {
        let told: Vec<&str> = (0..=7).map(|bytes| cut("aé€", bytes)).collect();
        assert_eq!(told, ["", "a", "a", "aé", "aé", "aé", "aé€", "aé€"]);
        assert_eq!((cut("", 3), cut("aé", u64::MAX)), ("", "aé"));
    }
}
