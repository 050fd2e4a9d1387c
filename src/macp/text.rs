//! Texts of clients, cut.

/// The beginning of a text, at most so many bytes, ending between two characters.
pub(super) fn cut(text: &str, bytes_max: u64) -> &str {
    let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    if text.len() <= bytes_max {
        return text;
    }
    let end = (0..=bytes_max).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    &text[..end]
}
