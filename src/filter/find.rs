//! Texts in texts, whatever their case, without allocating.

/// A text to be found.
#[derive(Clone, Debug)]
pub(super) struct Needle {
    text: String,
    folded: String,
}

impl PartialEq for Needle {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Needle {
    pub(super) fn new(text: String) -> Self {
        let folded = text.chars().flat_map(char::to_lowercase).collect();
        Self { text, folded }
    }

    /// As it was written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether some part of a text is it, letters folded to lower case one by one.
    pub(super) fn is_in(&self, text: &str) -> bool {
        if self.folded.is_ascii() && text.is_ascii() {
            return in_ascii(self.folded.as_bytes(), text.as_bytes());
        }
        text.char_indices().any(|(at, _)| {
            let mut rest = text[at..].chars().flat_map(char::to_lowercase);
            self.folded.chars().all(|wanted| rest.next() == Some(wanted))
        })
    }

    /// Whether a number's digits have it.
    pub(super) fn is_in_number(&self, number: u64) -> bool {
        const DIGITS_MAX: usize = 20;
        if self.folded.len() > DIGITS_MAX || !self.folded.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let mut digits = [0; DIGITS_MAX];
        let mut left = number;
        let mut start = DIGITS_MAX;
        for (at, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0' + u8::try_from(left % 10).unwrap_or(0);
            left /= 10;
            start = at;
            if left == 0 {
                break;
            }
        }
        digits[start..].windows(self.folded.len()).any(|part| part == self.folded.as_bytes())
    }
}

/// Whether a text has another, which is in lower case.
fn in_ascii(needle: &[u8], text: &[u8]) -> bool {
    let Some((first, rest)) = needle.split_first() else { return true };
    let Some(last) = text.len().checked_sub(needle.len()) else { return false };
    let mut starts = memchr::memchr2_iter(*first, first.to_ascii_uppercase(), &text[..=last]);
    starts.any(|at| text[at + 1..at + needle.len()].eq_ignore_ascii_case(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_texts_whatever_their_case_and_script() {
        let is_in = |needle: &str, text| Needle::new(needle.to_owned()).is_in(text);
        assert!(is_in("Boss", "the BOSS fight") && is_in("t", "fighT") && is_in("kelvin", "\u{212a}elvin"));
        assert!(is_in("ÄRGER", "viel ärger") && is_in("straße", "STRAßE 1"));
        assert!(!is_in("bosses", "boss") && !is_in("é", "e") && !is_in("a", ""));
    }

    #[test]
    fn finds_digits_in_numbers() {
        let is_in = |needle: &str, number| Needle::new(needle.to_owned()).is_in_number(number);
        assert!(is_in("0", 0) && is_in("23", 1234) && is_in("18446744073709551615", u64::MAX));
        assert!(
            !is_in("5", 1234) && !is_in("x", 1) && !is_in("012", 12) && !is_in("000000000000000000000", 0)
        );
    }
}
