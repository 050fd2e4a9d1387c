//! Sets of capabilities.

use super::Capability;

/// A set of capabilities, iterated in the order of the catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct CapabilitySet(u32);

const _: () = assert!(Capability::ALL.len() <= 32, "a set has a bit for each capability");

impl CapabilitySet {
    /// None.
    pub const NONE: Self = Self(0);

    /// Whether it has this one.
    #[must_use]
    pub fn contains(self, capability: impl Into<Capability>) -> bool {
        self.0 & bit(capability.into()) != 0
    }

    /// Adds one.
    pub fn insert(&mut self, capability: impl Into<Capability>) {
        self.0 |= bit(capability.into());
    }

    /// Takes one away.
    pub fn remove(&mut self, capability: impl Into<Capability>) {
        self.0 &= !bit(capability.into());
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// What is in this one and in the other.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in this one or in the other.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in this one and not in the other.
    #[must_use]
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// All that it has, in the order of the catalogue.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.into_iter().filter(move |it| self.contains(*it))
    }

    /// Their strings, in the order of the catalogue.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.iter().map(Capability::name)
    }

    /// The set of these strings.
    ///
    /// # Errors
    /// The first string that is none of the catalogue.
    pub fn from_names<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Self, S> {
        let mut set = Self::NONE;
        for name in names {
            match Capability::from_name(name.as_ref()) {
                Some(capability) => set.insert(capability),
                None => return Err(name),
            }
        }
        Ok(set)
    }
}

const fn bit(capability: Capability) -> u32 {
    1 << capability.index()
}

impl FromIterator<Capability> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        let mut set = Self::NONE;
        capabilities.into_iter().for_each(|it| set.insert(it));
        set
    }
}

impl std::fmt::Debug for CapabilitySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::capability::{Hook, UiPart};

    #[test]
    fn lists_in_the_order_of_the_catalogue_whatever_the_order_of_insertion() {
        let set = CapabilitySet::from_names(["panel", "log", "on_watch_tick", "log"]).unwrap();
        assert_eq!(set.names().collect::<Vec<_>>(), ["on_watch_tick", "log", "panel"]);
        assert_eq!((set.len(), set.is_empty()), (3, false));
        assert_eq!(CapabilitySet::from_names(["log", "logs"]), Err("logs"));
        assert_eq!(format!("{set:?}"), r#"{"on_watch_tick", "log", "panel"}"#);
    }

    #[test]
    fn is_a_set() {
        let all: CapabilitySet = Capability::ALL.into_iter().collect();
        assert_eq!(all.len(), Capability::ALL.len());
        let mut some = all;
        some.remove(UiPart::Panel);
        some.remove(Hook::OnWatchTick);
        assert!(!some.contains(UiPart::Panel) && all.contains(UiPart::Panel));
        assert_eq!(all.difference(some).names().collect::<Vec<_>>(), ["on_watch_tick", "panel"]);
        assert_eq!(all.intersection(some), some);
        assert_eq!(some.union(all), all);
    }
}
