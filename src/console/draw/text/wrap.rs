//! Breaking text into lines.

use unicode_segmentation::UnicodeSegmentation;

use super::width;

/// The text in lines of at most `columns`, broken at spaces where there are some.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in split_words(text, columns) {
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

/// A piece that is not broken: all between two spaces with its punctuation, and the parts of what is too long
/// for a line.
fn split_words(text: &str, columns: usize) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_space = first.is_whitespace();
        let (word, behind) =
            rest.split_at(rest.find(|next: char| next.is_whitespace() != is_space).unwrap_or(rest.len()));
        if width(word) > columns {
            words.extend(word.split_word_bounds());
        } else {
            words.push(word);
        }
        rest = behind;
    }
    words
}

/// A shell command in lines of at most `columns`: broken at spaces that are not quoted, each line but the
/// last ending in ` \`, so that it can be copied as it stands.
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
    fn wraps_commands_so_that_they_can_be_copied() {
        assert_eq!(wrap_command("rl-console pair", 40), ["rl-console pair"]);
        assert_eq!(
            wrap_command("rl-console sim adapter --addr 127.0.0.1:7777", 30),
            ["rl-console sim adapter \\", "  --addr 127.0.0.1:7777"]
        );
        assert_eq!(wrap_command("x --data 'a b c' y", 12), ["x --data \\", "  'a b c' \\", "  y"]);
        assert_eq!(
            wrap("it has no `mpp` or `type`: mend it", 14),
            ["it has no", "`mpp` or", "`type`: mend", "it"]
        );
        assert_eq!(wrap("see /etc/rl-console/config.toml", 12).concat(), "see /etc/rl-console/config.toml");
        assert!(wrap("a bb ccc dddd", 5).iter().all(|line| width(line) <= 5));
    }
}
