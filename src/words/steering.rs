//! Characters that steer a terminal or the order in which a text is read, in texts that keep their form: JSON
//! and files. (What is shown in a line is made [`visible`](super::visible()).)

use std::{borrow::Cow, fmt::Write as _};

/// Whether a character steers: controls, line and paragraph separators, and the marks, embeddings, overrides
/// and isolates of bidirectional text (UAX 9).
const fn steers(character: char) -> bool {
    matches!(character,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}')
}

/// JSON text with the same values in which no string steers: such characters are `\u` escapes.
#[must_use]
pub fn escaped_json(json: String) -> String {
    // Below them JSON has line breaks and tabs alone, and those between its values.
    let is_raw = |character: char| character >= '\u{7f}' && steers(character);
    if json.bytes().all(|byte| byte < 0x7f) || !json.chars().any(is_raw) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if is_raw(character) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// A text of many lines as it is, but for what steers, of which `<202e>` is left. Line breaks and tabs stay.
#[must_use]
pub fn visible_file(text: &str) -> Cow<'_, str> {
    let is_form = |character: char| matches!(character, '\n' | '\t');
    if text.chars().all(|character| is_form(character) || !steers(character)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let ends_line = character == '\r' && characters.peek() == Some(&'\n');
        if is_form(character) || ends_line || !steers(character) {
            shown.push(character);
        } else {
            let _ = write!(shown, "<{:x}>", u32::from(character));
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_value_and_steers_nothing() {
        let steering = "a\u{7f}\u{80}\u{9b}\u{61c}\u{200f}\u{2028}\u{202e}\u{2069}\u{1b}\n";
        for text in [steering, "é 日本 👩\u{200d}🚀 \u{a0}", "plain"] {
            let json = serde_json::to_string(text).unwrap();
            let escaped = escaped_json(json.clone());
            assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
            assert!(!escaped.chars().any(steers), "{escaped:?}");
            assert_eq!(escaped == json, text != steering);
        }
        assert_eq!(escaped_json("\"\u{202e}\"".to_owned()), r#""\u202e""#);
    }

    #[test]
    fn a_file_keeps_its_lines_and_steers_nothing() {
        assert_eq!(visible_file("a:\r\n\t- \u{202e}b\rc\u{1b}[2J\n"), "a:\r\n\t- <202e>b<d>c<1b>[2J\n");
        assert!(matches!(visible_file("name: 👩\u{200d}🚀\n"), Cow::Borrowed(_)));
    }
}
