//! Which names a few typed letters are meant for.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{AtomKind, CaseMatching, Normalization, Pattern},
};

/// Finds names by letters in their order, and descriptions by words in them.
#[derive(Debug)]
pub(crate) struct FuzzyMatcher {
    name: Pattern,
    about: Pattern,
    matcher: Matcher,
    characters: Vec<char>,
}

/// How well something matches; the greater the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Score {
    is_name: bool,
    score: u32,
}

impl FuzzyMatcher {
    /// What these letters match.
    pub(crate) fn new(letters: &str) -> Self {
        let pattern = |kind| Pattern::new(letters, CaseMatching::Ignore, Normalization::Smart, kind);
        Self {
            name: pattern(AtomKind::Fuzzy),
            about: pattern(AtomKind::Substring),
            matcher: Matcher::new(Config::DEFAULT),
            characters: Vec::new(),
        }
    }

    /// How well a name, or else what is said about it, matches.
    pub(crate) fn score(&mut self, name: &str, about: &str) -> Option<Score> {
        let named = self.name.score(Utf32Str::new(name, &mut self.characters), &mut self.matcher);
        if let Some(score) = named {
            return Some(Score { is_name: true, score });
        }
        let described = self.about.score(Utf32Str::new(about, &mut self.characters), &mut self.matcher);
        described.map(|score| Score { is_name: false, score })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_beats_a_description_and_a_run_of_letters_beats_scattered_ones() {
        let mut matching = FuzzyMatcher::new("hold");
        let name = matching.score("hold", "").unwrap();
        assert!(name > matching.score("hoist-load", "").unwrap());
        assert!(
            matching.score("hoist-load", "").unwrap()
                > matching.score("x", "Hold the selected queue").unwrap()
        );
        assert_eq!(matching.score("x", "h o l d"), None);
        assert!(FuzzyMatcher::new("pck chk").score("pack check", "").is_some());
        assert!(FuzzyMatcher::new("").score("anything", "").is_some());
    }
}
