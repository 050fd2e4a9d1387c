//! One of several names.

/// One of several names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    names: &'static [&'static str],
    at: usize,
}

impl Choice {
    /// The first of these.
    pub(crate) const fn of(names: &'static [&'static str]) -> Self {
        Self { names, at: 0 }
    }

    /// It set to a name, where that is one of them.
    pub(crate) fn with(mut self, name: &str) -> Self {
        self.at = self.names.iter().position(|known| *known == name).unwrap_or(self.at);
        self
    }

    /// The name that it is set to.
    pub(crate) fn name(&self) -> &'static str {
        self.names.get(self.at).copied().unwrap_or_default()
    }

    /// Its place among them.
    pub(crate) const fn index(&self) -> usize {
        self.at
    }

    /// To the next one, or the one before; round at the ends.
    pub(crate) fn cycle(&mut self, forward: bool) {
        let count = self.names.len().max(1);
        self.at = if forward { self.at + 1 } else { self.at + count - 1 } % count;
    }

    /// To the next one that begins with a letter.
    pub(crate) fn seek(&mut self, letter: char) {
        let after = (1..=self.names.len()).map(|by| (self.at + by) % self.names.len().max(1));
        let is_it = |at: &usize| self.names.get(*at).is_some_and(|name| name.starts_with(letter));
        self.at = after.into_iter().find(is_it).unwrap_or(self.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_goes_round_and_finds_letters() {
        let mut choice = Choice::of(&["mpp", "rmp", "macp"]);
        choice.cycle(false);
        assert_eq!(choice.name(), "macp");
        choice.seek('m');
        assert_eq!(choice.name(), "mpp");
        choice.cycle(true);
        assert_eq!((choice.name(), choice.with("macp").index()), ("rmp", 2));
    }
}
