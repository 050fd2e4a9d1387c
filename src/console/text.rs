//! Text from peers, made fit for a screen: nothing in it can move the cursor, reverse a line or hide.

use std::{borrow::Cow, fmt::Write as _};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The text with control, bidirectional and invisible characters made visible. With `ascii`, all that is not ASCII becomes `?`.
pub(crate) fn visible(text: &str, ascii: bool) -> Cow<'_, str> {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Cow::Borrowed(text);
    }
    if !ascii && !text.chars().any(hides) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\t' => shown.push(' '),
            '×' if ascii => shown.push('x'),
            '\0'..='\x1f' if ascii => {
                shown.push('^');
                shown.push(char::from_u32(u32::from(character) + 0x40).unwrap_or('?'));
            }
            '\0'..='\x1f' => shown.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('?')),
            _ if hides(character) => {
                let _ = write!(shown, "<{:x}>", u32::from(character));
            }
            _ if ascii && !character.is_ascii() => shown.push('?'),
            _ => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// Whether a character moves, reverses or hides text instead of being seen.
fn hides(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
            | '\u{200b}'..='\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text cut to `columns`, with `ellipsis` in place of what was cut; a wide character is never split.
pub(crate) fn truncate<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if text.len() <= columns && text.is_ascii() || width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let room = columns.saturating_sub(width(ellipsis));
    let mut kept = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let wide = width(grapheme);
        if used + wide > room {
            break;
        }
        used += wide;
        kept.push_str(grapheme);
    }
    if columns >= width(ellipsis) {
        kept.push_str(ellipsis);
    }
    Cow::Owned(kept)
}

/// The text in lines of at most `columns`, broken at spaces where there are some.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_word_bounds() {
        if width(&line) + width(word) > columns && !line.is_empty() {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            if word.trim().is_empty() {
                continue;
            }
        }
        for grapheme in word.graphemes(true) {
            if width(&line) + width(grapheme) > columns {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(grapheme);
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A shell command in lines of at most `columns`: broken at spaces that are not quoted, each line but the last ending in ` \`, so that it
/// can be copied as it stands.
pub(crate) fn wrap_command(command: &str, columns: usize) -> Vec<String> {
    if width(command) <= columns {
        return vec![command.to_owned()];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut quote = None;
    let words = command.split(|character| match (character, quote) {
        ('\'' | '"', None) => {
            quote = Some(character);
            false
        }
        (_, Some(open)) => {
            if character == open {
                quote = None;
            }
            false
        }
        (_, None) => character == ' ',
    });
    for word in words {
        if !line.is_empty() && width(&line) + 1 + width(word) + 2 > columns {
            lines.push(format!("{line} \\"));
            line = format!("  {word}");
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_would_move_or_reverse_the_line() {
        assert_eq!(visible("plain", false), "plain");
        assert_eq!(visible("a\x1b[2Jb\r\n", false), "a␛[2Jb␍␊");
        assert_eq!(visible("a\x1b[2J", true), "a^[[2J");
        assert_eq!(visible("abc\u{202e}fed\u{2066}", false), "abc<202e>fed<2066>");
        assert_eq!(visible("\u{9b}31m\u{7f}", false), "<9b>31m<7f>");
        assert_eq!(visible("żółw ▶", true), "???w ?");
        assert_eq!(visible("żółw ▶ 👩‍🚀", false), "żółw ▶ 👩‍🚀");
    }

    #[test]
    fn cuts_by_columns_and_never_within_a_wide_character() {
        assert_eq!(truncate("abcdef", 6, "…"), "abcdef");
        assert_eq!(truncate("abcdefg", 6, "…"), "abcde…");
        assert_eq!(truncate("日本語です", 6, "…"), "日本…");
        assert_eq!(truncate("abc", 0, "…"), "");
    }

    #[test]
    fn wraps_commands_so_that_they_can_be_copied() {
        assert_eq!(wrap_command("rl-console pair", 40), ["rl-console pair"]);
        assert_eq!(
            wrap_command("rl-console sim adapter --addr 127.0.0.1:7777", 30),
            ["rl-console sim adapter \\", "  --addr 127.0.0.1:7777"]
        );
        assert_eq!(wrap_command("x --data 'a b c' y", 12), ["x --data \\", "  'a b c' \\", "  y"]);
        assert!(wrap("a bb ccc dddd", 5).iter().all(|line| width(line) <= 5));
    }
}
