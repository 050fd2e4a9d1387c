//! Regular expressions within bounds.

use crate::words;
use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;

use super::Fault;

/// So much of a value is looked at, in bytes.
pub const MATCHED_BYTES_MAX: usize = 64 * 1_024;

/// What an expression may take when it is made ready, in bytes; its cache no more.
const SIZE_BYTES_MAX: usize = 1_024 * 1_024;

/// Groups within groups.
const NEST_MAX: u32 = 32;

/// A regular expression.
#[derive(Clone, Debug)]
pub(super) struct Matcher {
    regex: Regex,
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Matcher {
    /// Reads an expression; the fault's place is within its text.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        // Read twice: only the parser by itself says where the fault is.
        if let Err(error) =
            ParserBuilder::new().case_insensitive(true).nest_limit(NEST_MAX).build().parse(text)
        {
            let (span, words) = match &error {
                regex_syntax::Error::Parse(error) => (*error.span(), error.kind().to_string()),
                regex_syntax::Error::Translate(error) => (*error.span(), error.kind().to_string()),
                _ => return Err(Fault::new(0..text.len(), "invalid regular expression")),
            };
            return Err(Fault::new(
                span.start.offset..span.end.offset,
                format!("invalid regular expression: {words}"),
            ));
        }
        let mut builder = RegexBuilder::new(text);
        builder
            .case_insensitive(true)
            .size_limit(SIZE_BYTES_MAX)
            .dfa_size_limit(SIZE_BYTES_MAX)
            .nest_limit(NEST_MAX);
        let too_large = |_| {
            Fault::new(0..text.len(), "the regular expression is too large: make its repetitions smaller")
        };
        Ok(Self { regex: builder.build().map_err(too_large)? })
    }

    pub(super) fn text(&self) -> &str {
        self.regex.as_str()
    }

    /// Whether it is found in the first [`MATCHED_BYTES_MAX`] bytes.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(words::cut(text, MATCHED_BYTES_MAX as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_expression_says_where_and_what_is_too_large_is_refused() {
        assert_eq!(Matcher::parse("ab(c").unwrap_err().at, 2..3);
        assert_eq!(Matcher::parse("ab*{2").unwrap_err().at.start, 3);
        assert!(Matcher::parse(r"\p{Foo}").unwrap_err().words.contains("Unicode"));
        assert!(Matcher::parse(r"(\w{1000}){1000}").unwrap_err().words.contains("too large"));
        assert!(Matcher::parse(&"(".repeat(500)).is_err());
    }

    #[test]
    fn only_so_much_of_a_text_is_looked_at() {
        let matcher = Matcher::parse("X$|x").unwrap();
        let mut text = "ä".repeat(MATCHED_BYTES_MAX / 2);
        text.push('x');
        assert!(!matcher.is_in(&text));
        assert!(matcher.is_in("aX"));
    }
}
