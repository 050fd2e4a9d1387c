//! The themes that there are: the shipped ones, and the user's own.

use super::{Depth, Theme, file, shipped::SHIPPED};

/// All the themes there are: the shipped ones, then the user's own. A user's theme of a shipped name stands
/// in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Themes {
    all: Vec<Theme>,
}

impl Themes {
    /// The shipped themes and these, for a terminal of this depth.
    #[must_use]
    pub fn with(own: &[Theme], depth: Depth) -> Self {
        let mut all: Vec<Theme> =
            SHIPPED.iter().filter_map(|(name, _)| Theme::shipped(name, depth)).collect();
        for theme in own {
            match all.iter_mut().find(|known| known.name() == theme.name()) {
                Some(known) => *known = theme.clone(),
                None => all.push(theme.clone()),
            }
        }
        Self { all }
    }

    /// The theme of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Theme> {
        self.all.iter().find(|theme| theme.name() == name)
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(Theme::name)
    }

    /// What a person who wrote a name that is none most likely meant, and all the names.
    #[must_use]
    pub fn suggestion(&self, name: &str) -> String {
        file::suggestion(name, self.names())
    }

    /// The one that follows the one of this name, and the first after the last.
    pub(in crate::console) fn after(&self, name: &str) -> Option<&Theme> {
        let at = self.all.iter().position(|theme| theme.name() == name).map_or(0, |at| at + 1);
        self.all.get(at % self.all.len().max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_own_follow_the_shipped_ones_or_stand_in_their_place() {
        let own = |name| Theme::parse(name, "base = 'mono'", Depth::True).unwrap();
        let themes = Themes::with(&[own("daylight"), own("mine")], Depth::True);
        let names: Vec<&str> = themes.names().collect();
        assert_eq!(names, ["midnight", "daylight", "high-contrast", "colour-blind-safe", "mono", "mine"]);
        assert_eq!(themes.find("daylight"), Some(&own("daylight")));
        let mut seen = vec!["midnight"];
        while let Some(theme) = themes.after(seen[seen.len() - 1]).filter(|theme| theme.name() != "midnight")
        {
            seen.push(theme.name());
        }
        assert_eq!(seen, names);
        assert!(themes.suggestion("midnigth").starts_with("did you mean `midnight`?"));
    }
}
