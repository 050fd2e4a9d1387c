//! Makes hidden characters seen, and breaks up what terminals would draw in different widths.

use std::{borrow::Cow, fmt::Write as _};

use ratatui::buffer::CellWidth as _;
use unicode_segmentation::UnicodeSegmentation;

use super::characters::{
    JOINER, SOUND_MARKS, clusters, columns, is_invisible, is_plain, is_presentation, is_skin_tone, letter,
};

/// Combining marks that one character keeps; what is piled up beyond is counted.
const MARKS_MAX: usize = 4;
/// Hidden characters that are written out in a row; what follows them is counted.
const HIDDEN_MAX: usize = 3;

/// The text with control, bidirectional, invisible, private and unassigned characters made visible, at most
/// `MARKS_MAX` combining marks a character, and emoji in the form that every terminal gives the same
/// columns: parts of a joined one stand side by side, its skin tone is left out, and a flag is its letters.
/// With `ascii`, a character that is not ASCII becomes `?`. What comes out stays the same when it is
/// put in again.
#[must_use]
pub fn visible(text: &str, ascii: bool) -> Cow<'_, str> {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) || !ascii && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let marked = text.contains(SOUND_MARKS.map(|(mark, _)| mark));
    let spread = marked.then(|| {
        SOUND_MARKS.iter().fold(text.to_owned(), |text, (mark, spread)| text.replace(*mark, spread))
    });
    let text = spread.as_deref().unwrap_or(text);
    let mut shown = VisibleText { text: String::with_capacity(text.len() + 8), hidden: 0, ascii };
    for cluster in text.graphemes(true) {
        shown.cluster(cluster);
    }
    shown.end_run();
    Cow::Owned(shown.text)
}

/// What was made so far.
struct VisibleText {
    text: String,
    /// Hidden characters that came just now, one after the other.
    hidden: usize,
    ascii: bool,
}

impl VisibleText {
    fn cluster(&mut self, cluster: &str) {
        let mut characters = cluster.chars();
        let Some(first) = characters.next() else { return };
        if characters.as_str().is_empty() || first.is_control() {
            cluster.chars().for_each(|character| self.single(character));
        } else if self.ascii {
            self.plain("?");
            cluster
                .chars()
                .filter(|character| is_invisible(*character))
                .for_each(|character| self.escape(character));
        } else if let Some((kept, cut)) = portable_form(cluster) {
            self.plain(&kept);
            if cut > 0 {
                let _ = write!(self.text, "<+{cut}>");
            }
        } else {
            self.single(first);
            characters.for_each(|character| self.escape(character));
        }
    }

    fn single(&mut self, character: char) {
        let mut own = [0; 4];
        match character {
            '\t' => self.plain(" "),
            '\0'..='\x1f' if self.ascii => {
                let letter = char::from_u32(u32::from(character) + 0x40).unwrap_or('?');
                self.plain("^");
                self.plain(letter.encode_utf8(&mut own));
            }
            '\0'..='\x1f' => {
                let picture = char::from_u32(0x2400 + u32::from(character)).unwrap_or('?');
                self.plain(picture.encode_utf8(&mut own));
            }
            _ if is_invisible(character) || columns(character) == 0 || is_skin_tone(character) => {
                self.escape(character);
            }
            _ if letter(character).is_some() => {
                self.plain(letter(character).unwrap_or('?').encode_utf8(&mut own));
            }
            '×' if self.ascii => self.plain("x"),
            _ if self.ascii && !character.is_ascii() => self.plain("?"),
            _ => self.plain(character.encode_utf8(&mut own)),
        }
    }

    fn plain(&mut self, text: &str) {
        self.end_run();
        self.text.push_str(text);
    }

    fn escape(&mut self, character: char) {
        self.hidden += 1;
        if self.hidden <= HIDDEN_MAX {
            let _ = write!(self.text, "<{:x}>", u32::from(character));
        }
    }

    /// Says how many hidden characters were not written out.
    fn end_run(&mut self) {
        if let Some(more @ 1..) = self.hidden.checked_sub(HIDDEN_MAX) {
            let _ = write!(self.text, "<+{more}>");
        }
        self.hidden = 0;
    }
}

/// Whether a character can be a part of a joined emoji. Those of one column are symbols.
fn is_picture(character: char) -> bool {
    columns(character) > 0
        && !character.is_alphanumeric()
        && !is_skin_tone(character)
        && letter(character).is_none()
        && !is_invisible(character)
}

/// A cluster of several characters in the form whose columns are the same whether a terminal counts clusters
/// or characters, with the number of marks that were cut. Nothing when there is no such form.
fn portable_form(cluster: &str) -> Option<(String, usize)> {
    let mut kept = String::with_capacity(cluster.len());
    let (mut marks, mut cut) = (0, 0);
    let mut last: Option<char> = None;
    let mut characters = cluster.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, last) {
            (_, Some(last)) if is_presentation(character) && !last.is_alphabetic() && columns(last) > 0 => {
                // One says enough.
                if characters.peek().copied().is_some_and(is_presentation) {
                    return None;
                }
            }
            (JOINER, Some(_)) if characters.peek().copied().is_some_and(is_picture) => {
                marks = 0;
                last = characters.next();
                kept.extend(last);
            }
            (_, Some(last)) if is_skin_tone(character) && columns(last) == 2 && is_picture(last) => {}
            _ if is_invisible(character) || is_skin_tone(character) => return None,
            (_, Some(_)) if columns(character) == 0 => {
                marks += 1;
                if marks > MARKS_MAX {
                    cut += 1;
                } else {
                    kept.push(character);
                }
            }
            _ if columns(character) == 0 => return None,
            _ => {
                marks = 0;
                kept.push(letter(character).unwrap_or(character));
                last = Some(character);
            }
        }
    }
    // What two ways of counting make of it must be the same, unit by unit.
    let is_agreed = clusters(&kept)
        .all(|unit| usize::from(unit.cell_width()) == unit.chars().map(columns).sum::<usize>());
    is_agreed.then_some((kept, cut))
}

/// Texts that steer, reverse, hide or pile up, and how they are shown: what every surface is tested with.
#[cfg(test)]
pub(crate) const HOSTILE_TEXTS: [(&str, &str); 14] = [
    ("plain", "plain"),
    ("a\x1b[2Jb", "a␛[2Jb"),
    ("a\r\nb", "a␍␊b"),
    ("a\tb", "a b"),
    ("a\u{9b}31mb", "a<9b>31mb"),
    ("a\u{7f}b", "a<7f>b"),
    ("a\u{202e}b\u{2066}", "a<202e>b<2066>"),
    ("so\u{ad}ft", "so<ad>ft"),
    ("a\u{fe0f}b", "a<fe0f>b"),
    ("a\u{e0041}\u{e0042}b", "a<e0041><e0042>b"),
    ("a\u{e000}b", "a<e000>b"),
    ("a\u{200b}\u{feff}b", "a<200b><feff>b"),
    ("a\u{2028}b", "a<2028>b"),
    ("日本語 é żółw", "日本語 é żółw"),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::width, *};

    #[test]
    fn hostile_texts_are_shown() {
        for (text, shown) in HOSTILE_TEXTS {
            assert_eq!(visible(text, false), shown, "{text:?}");
        }
    }

    #[test]
    fn shows_what_would_move_or_reverse_the_line() {
        assert_eq!(visible("plain", false), "plain");
        assert_eq!(visible("a\x1b[2Jb\r\n", false), "a␛[2Jb␍␊");
        assert_eq!(visible("a\x1b[2J", true), "a^[[2J");
        assert_eq!(visible("abc\u{202e}fed\u{2066}", false), "abc<202e>fed<2066>");
        assert_eq!(visible("\u{9b}31m\u{7f}", false), "<9b>31m<7f>");
        assert_eq!(visible("a\u{2028}b\u{feff}", false), "a<2028>b<feff>");
        assert_eq!(visible("żółw ▶ ×", true), "???w ? x");
        assert_eq!(visible("żółw ▶ 日本", false), "żółw ▶ 日本");
    }

    #[test]
    fn shows_what_hides_and_counts_what_floods() {
        assert_eq!(visible("a\u{e000}b", false), "a<e000>b");
        assert_eq!(visible("\u{378}", false), "<378>");
        assert_eq!(visible("x\u{fe00}\u{e0101}", false), "x<fe00><e0101>");
        assert_eq!(
            visible(&format!("x{}y", "\u{e0100}".repeat(256)), false),
            "x<e0100><e0100><e0100><+253>y"
        );
        assert_eq!(visible(&"\u{200b}".repeat(5), false), "<200b><200b><200b><+2>");
        assert_eq!(visible("\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}", false), "\u{1f3f4}<e0067><e0062><e007f>");
        assert_eq!(
            visible(&format!("Z{}algo", "\u{315}".repeat(100)), false),
            format!("Z{}<+96>algo", "\u{315}".repeat(4))
        );
        assert_eq!(visible(&format!("Z{}algo", "\u{315}".repeat(100)), true), "?algo");
        assert_eq!(visible("\u{301}", false), "<301>");
    }

    #[test]
    fn emoji_take_the_form_that_every_terminal_gives_the_same_columns() {
        assert_eq!(visible("👩\u{200d}🚀", false), "👩🚀");
        assert_eq!(visible("👩🏽\u{200d}🚀!", false), "👩🚀!");
        assert_eq!(visible("👨\u{200d}👩\u{200d}👧", false), "👨👩👧");
        assert_eq!(visible("👍🏽 🏽", false), "👍 <1f3fd>");
        assert_eq!(visible("\u{2764}\u{fe0f}", false), "\u{2764}");
        assert_eq!(visible("1\u{fe0f}\u{20e3}", false), "1\u{20e3}");
        assert_eq!(visible("🇩🇪 🇫", false), "DE F");
        assert_eq!(visible("a\u{200d}b", false), "a<200d>b");
    }

    #[test]
    fn letters_made_of_several_characters_stay_whole() {
        for text in [
            "e\u{301}",
            "\u{1100}\u{1161}\u{11a8}",
            "\u{915}\u{93f}",
            "ส\u{e35}\u{e48}",
            "\u{5e9}\u{5c1}\u{5b8}",
        ] {
            assert_eq!(visible(text, false), text);
        }
        assert_eq!(visible("\u{1161}", false), "<1161>");
        assert_eq!(visible("ｶ\u{ff9e}", false), "ｶ\u{309b}");
    }

    /// Characters that make trouble, more often than chance would.
    fn troublesome() -> impl Strategy<Value = String> {
        let one = prop_oneof![
            any::<char>(),
            prop::sample::select(vec![
                'a',
                ' ',
                '<',
                '1',
                '日',
                '👩',
                '🚀',
                '🏽',
                '🇩',
                '🇪',
                '\u{200d}',
                '\u{fe0f}',
                '\u{fe0e}',
                '\u{20e3}',
                '\u{301}',
                '\u{315}',
                '\u{1100}',
                '\u{1161}',
                '\u{11a8}',
                '\u{ff9e}',
                'ｶ',
                '\u{915}',
                '\u{94d}',
                '\u{937}',
                '\u{93f}',
                '\u{644}',
                '\u{627}',
                '\u{600}',
                '\u{200b}',
                '\u{202e}',
                '\u{e0041}',
                '\u{1b}',
                '\r',
                '\n',
                '\u{ad}',
                '\u{2764}',
                '\u{d4e}',
                '\u{17d2}',
            ]),
        ];
        prop::collection::vec(one, 0..24).prop_map(String::from_iter)
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 1_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn nothing_hides_and_every_way_of_counting_columns_agrees(text in troublesome(), ascii: bool) {
            let shown = visible(&text, ascii);
            prop_assert!(!shown.chars().any(is_invisible), "{shown:?}");
            prop_assert!(!ascii || shown.is_ascii(), "{shown:?}");
            prop_assert_eq!(visible(&shown, ascii), shown.as_ref());
            let by_character: usize = shown.chars().map(columns).sum();
            prop_assert_eq!(width(&shown), by_character);
            for unit in clusters(&shown) {
                prop_assert!(matches!(unit.cell_width(), 1 | 2), "{unit:?} of {shown:?}");
                prop_assert!(unit.chars().count() <= 1 + MARKS_MAX, "{unit:?} of {shown:?}");
            }
            let by_unit: usize = clusters(&shown).map(|unit| usize::from(unit.cell_width())).sum();
            prop_assert_eq!(by_unit, by_character);
        }
    }
}
