//! What single characters do to a line, and the columns they take.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_width::UnicodeWidthChar;

/// Joins emoji into one where a terminal can.
pub(super) const JOINER: char = '\u{200d}';

/// Whether a character moves, reverses or hides text instead of being seen, or whether what it looks like is
/// nobody's agreement: controls, formats, separators of lines, private use, what is not assigned, and all
/// that Unicode lets a display ignore (UAX 44, `Default_Ignorable_Code_Point`).
pub(super) fn is_invisible(character: char) -> bool {
    use GeneralCategory as Category;
    let ignorable = matches!(character,
        '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2065}'
        | '\u{3164}' | '\u{ffa0}' | '\u{fe00}'..='\u{fe0f}' | '\u{fff0}'..='\u{fff8}'
        | '\u{e0000}'..='\u{e0fff}');
    let category = || get_general_category(character);
    // Two Khmer letters that terminals give one, two or three columns.
    let disputed = matches!(character, '\u{17a4}' | '\u{17d8}');
    ignorable
        || disputed
        || matches!(
            category(),
            Category::Control
                | Category::Format
                | Category::Surrogate
                | Category::PrivateUse
                | Category::Unassigned
                | Category::LineSeparator
                | Category::ParagraphSeparator
        )
}

/// Columns of a character that stands for itself. East Asian ambiguous ones take one, as everywhere but in
/// terminals set up otherwise.
pub(crate) fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

/// What of a text goes into one place: a character with columns of its own, and what combines with it.
pub(crate) fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if let [b' '..=b'~', b' '..=b'~', ..] = rest.as_bytes() {
            let (unit, behind) = rest.split_at(1);
            rest = behind;
            return Some(unit);
        }
        let mut characters = rest.char_indices();
        characters.next()?;
        let end = characters.find(|(_, character)| columns(*character) > 0).map_or(rest.len(), |(at, _)| at);
        let (unit, behind) = rest.split_at(end);
        rest = behind;
        Some(unit)
    })
}

/// What stands for a halfwidth sound mark, about whose columns no two programs agree.
pub(super) const SOUND_MARKS: [(char, &str); 2] = [('\u{ff9e}', "\u{309b}"), ('\u{ff9f}', "\u{309c}")];

/// The letter that half of a flag is: as a flag two of them are one cluster to some terminals, and two to
/// others.
pub(super) fn letter(character: char) -> Option<char> {
    let place = u32::from(character).checked_sub(0x1f1e6).filter(|place| *place < 26)?;
    char::from_u32(u32::from('A') + place)
}

/// Asks for the picture or the text form of the character before it.
pub(super) fn is_presentation(character: char) -> bool {
    matches!(character, '\u{fe0e}' | '\u{fe0f}')
}

/// The colour of a skin.
pub(super) fn is_skin_tone(character: char) -> bool {
    matches!(character, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether a character is one whole column or two of their own in every terminal, whatever stands beside it:
/// what most text is made of.
pub(super) fn is_plain(character: char) -> bool {
    matches!(character,
        ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{24f}' | '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{3ff}'
        | '\u{400}'..='\u{482}' | '\u{2010}'..='\u{2027}' | '\u{2190}'..='\u{2199}' | '\u{2500}'..='\u{25fc}'
        | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_characters_hide_nothing_and_have_columns() {
        for character in (0..=0x10_ffff).filter_map(char::from_u32).filter(|character| is_plain(*character)) {
            assert!(
                !is_invisible(character) && matches!(columns(character), 1 | 2),
                "{:x}",
                u32::from(character)
            );
        }
    }

    #[test]
    fn what_is_invisible_hides() {
        for character in
            "\0\u{7f}\u{85}\u{ad}\u{61c}\u{180e}\u{200b}\u{200d}\u{202e}\u{2028}\u{2066}\u{feff}\u{e000}\u{e0041}\u{e0100}".chars()
        {
            assert!(is_invisible(character), "{:x}", u32::from(character));
        }
        for character in
            ['\u{378}', '\u{ffff}', '\u{10fffd}', '\u{600}', '\u{2800}', '\u{301}', 'é', '日', '👩']
                .iter()
                .take(4)
        {
            assert!(is_invisible(*character), "{:x}", u32::from(*character));
        }
        assert!("\u{2800}\u{301}é日👩🇩".chars().all(|character| !is_invisible(character)));
    }
}
