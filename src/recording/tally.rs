//! What a recording has had so far, noted before each keyframe: a time bar is drawn from these notes alone.

use std::collections::BTreeMap;

use crate::tap::entry::{Entry, Link, What};

/// What an entry is counted as besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tallied {
    /// A frame was refused.
    Fault,
    /// Something failed.
    Failure,
    /// Something was dropped.
    Drop,
    /// A mark was set.
    Mark,
}

impl Tallied {
    const ALL: [Self; 4] = [Self::Fault, Self::Failure, Self::Drop, Self::Mark];

    const fn name(self) -> &'static str {
        match self {
            Self::Fault => "faults",
            Self::Failure => "failures",
            Self::Drop => "drops",
            Self::Mark => "marks",
        }
    }
}

const ENTRIES: &str = "entries";
const LOST: &str = "lost";

/// The counts of one link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkTally {
    /// Entries.
    pub entries: u64,
    /// Of these, by [`Tallied`].
    pub faults: u64,
    /// Of these, by [`Tallied`]; a version before 0.14 does not count them.
    pub failures: u64,
    /// Of these, by [`Tallied`].
    pub drops: u64,
    /// Of these, by [`Tallied`].
    pub marks: u64,
}

impl LinkTally {
    fn of(&mut self, what: Tallied) -> &mut u64 {
        match what {
            Tallied::Fault => &mut self.faults,
            Tallied::Failure => &mut self.failures,
            Tallied::Drop => &mut self.drops,
            Tallied::Mark => &mut self.marks,
        }
    }
}

/// Counts since the beginning of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    links: [LinkTally; Link::ALL.len()],
    /// Entries that were evicted before they could be recorded.
    pub lost: u64,
}

impl Tally {
    /// The counts of a link.
    #[must_use]
    pub const fn link(&self, link: Link) -> &LinkTally {
        &self.links[link.index()]
    }

    /// Entries of all links.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.links.iter().map(|link| link.entries).sum()
    }

    /// Counts one more.
    pub(super) fn add(&mut self, entry: &Entry, as_what: Option<Tallied>) {
        if let What::Loss { count } = entry.what {
            self.lost += count;
            return;
        }
        let of = &mut self.links[entry.link.index()];
        of.entries += 1;
        if let Some(as_what) = as_what {
            *of.of(as_what) += 1;
        }
    }

    pub(super) fn to_metadata(mut self) -> BTreeMap<String, String> {
        let mut metadata = BTreeMap::new();
        let mut note = |name: String, count: u64| {
            if count > 0 {
                metadata.insert(name, count.to_string());
            }
        };
        note(LOST.to_owned(), self.lost);
        for link in Link::ALL {
            let of = &mut self.links[link.index()];
            note(format!("{}.{ENTRIES}", link.name()), of.entries);
            for what in Tallied::ALL {
                note(format!("{}.{}", link.name(), what.name()), *of.of(what));
            }
        }
        metadata
    }

    /// What it does not know is left out: a later program may count more.
    pub(super) fn from_metadata(metadata: &BTreeMap<String, String>) -> Self {
        let mut tally = Self::default();
        for (name, count) in metadata {
            let Ok(count) = count.parse() else { continue };
            if name == LOST {
                tally.lost = count;
                continue;
            }
            let Some((link, what)) = name.split_once('.') else { continue };
            let Some(link) = Link::from_name(link) else { continue };
            let of = &mut tally.links[link.index()];
            if what == ENTRIES {
                of.entries = count;
            } else if let Some(what) = Tallied::ALL.into_iter().find(|known| known.name() == what) {
                *of.of(what) = count;
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Seq,
        tap::entry::{Transition, station},
        time::Now,
    };

    #[test]
    fn counts_are_read_back_and_what_is_not_known_is_left_out() {
        let started = What::Transition(Transition::Station(station::Transition::Started));
        let entry =
            |link, what| Entry { seq: Seq(1), at: Now::default(), link, trace: None, cause: None, what };
        let mut tally = Tally::default();
        for (link, as_what) in [
            (Link::Mpp, None),
            (Link::Mpp, Some(Tallied::Fault)),
            (Link::Mpp, Some(Tallied::Failure)),
            (Link::Rmp, Some(Tallied::Drop)),
            (Link::Station, Some(Tallied::Mark)),
        ] {
            tally.add(&entry(link, started.clone()), as_what);
        }
        tally.add(&entry(Link::Station, What::Loss { count: 7 }), None);
        let mpp = tally.link(Link::Mpp);
        assert_eq!((tally.lost, tally.entries(), mpp.faults, mpp.failures), (7, 5, 1, 1));
        let mut metadata = tally.to_metadata();
        assert_eq!(metadata.len(), 8, "what is none is not said: {metadata:?}");
        metadata.insert("mpp.smiles".to_owned(), "3".to_owned());
        metadata.insert("elsewhere.entries".to_owned(), "3".to_owned());
        assert_eq!(Tally::from_metadata(&metadata), tally);
    }
}
