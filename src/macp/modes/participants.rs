//! Who may take part in a session (macp-v1, Participant Validation).

/// Who may take part: anybody, where nobody is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Participants {
    listed: Box<[Box<str>]>,
    /// Places in `listed` by name, each name once; empty while the list is short.
    by_name: Box<[u32]>,
    different: u32,
}

/// Lists up to this length are looked through.
const SHORT: usize = 8;

impl Participants {
    /// Those of a list, in its order.
    #[must_use]
    pub fn new(listed: Vec<String>) -> Self {
        let listed: Box<[Box<str>]> = listed.into_iter().map(String::into_boxed_str).collect();
        let mut places: Vec<u32> = (0..u32::try_from(listed.len()).unwrap_or(u32::MAX)).collect();
        places.sort_by_key(|place| &listed[*place as usize]);
        places.dedup_by_key(|place| &listed[*place as usize]);
        let different = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let by_name = if listed.len() > SHORT { places.into_boxed_slice() } else { Box::default() };
        Self { listed, by_name, different }
    }

    /// As they were listed.
    pub fn listed(&self) -> impl ExactSizeIterator<Item = &str> {
        self.listed.iter().map(AsRef::as_ref)
    }

    /// Whether anybody may take part.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.listed.is_empty()
    }

    /// How many different ones are listed.
    #[must_use]
    pub fn different(&self) -> usize {
        self.different as usize
    }

    /// Bytes of memory that the list takes.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        /// Of a name that is not empty, beside its bytes.
        const NAME_BYTES: usize = 16;
        let names: usize =
            self.listed().filter(|name| !name.is_empty()).map(|name| name.len() + NAME_BYTES).sum();
        (names + size_of_val(&*self.listed) + size_of_val(&*self.by_name)) as u64
    }

    /// Whether this sender is listed.
    #[must_use]
    pub fn lists(&self, sender: &str) -> bool {
        if self.by_name.is_empty() {
            return self.listed().any(|listed| listed == sender);
        }
        self.by_name.binary_search_by(|place| (*self.listed[*place as usize]).cmp(sender)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_participant_is_found_in_short_and_long_lists_and_listed_twice_is_one() {
        for names in [3_usize, 8, 9, 200] {
            let mut listed: Vec<String> = (0..names).rev().map(|n| format!("agent {n}")).collect();
            listed.push("agent 0".to_owned());
            let participants = Participants::new(listed.clone());
            assert!((0..names).all(|n| participants.lists(&format!("agent {n}"))), "{names}");
            assert!(!participants.lists("agent") && !participants.lists("") && !participants.is_open());
            assert_eq!((participants.different(), participants.listed().len()), (names, names + 1));
            assert!(participants.listed().eq(listed.iter().map(String::as_str)));
        }
        assert!(Participants::default().is_open() && !Participants::default().lists(""));
    }
}
