//! Who comes most often, among any number, in little room.

/// So many are counted at one time: who makes at least one of nine is among them.
const COUNTED_MAX: usize = 8;

/// Who comes most often (Misra and Gries): whoever is not counted takes one from each that is, where there is
/// no room for it.
#[derive(Clone, Debug)]
pub(super) struct Most<K>(Vec<(K, u64)>);

impl<K> Default for Most<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: PartialEq> Most<K> {
    /// This one came so many times.
    pub(super) fn add(&mut self, key: K, count: u64) {
        if let Some((_, known)) = self.0.iter_mut().find(|(known, _)| *known == key) {
            *known = known.saturating_add(count);
            return;
        }
        let taken = if self.0.len() < COUNTED_MAX {
            0
        } else {
            self.0.iter().map(|(_, known)| *known).min().unwrap_or(0).min(count)
        };
        self.0.retain_mut(|(_, known)| {
            *known -= taken;
            *known > 0
        });
        if count > taken {
            self.0.push((key, count - taken));
        }
    }

    /// Who came most often.
    pub(super) fn top(&self) -> Option<&K> {
        self.0.iter().max_by_key(|(_, count)| *count).map(|(key, _)| key)
    }

    /// Those that are counted.
    pub(super) fn into_counted(self) -> Vec<(K, u64)> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn who_comes_most_often_is_named_among_very_many() {
        let mut most = Most::default();
        assert_eq!(most.top(), None);
        for n in 0..10_000_u32 {
            most.add(n + 10, 1);
            if n % 4 == 0 {
                most.add(7, 1);
            }
        }
        assert_eq!(most.top(), Some(&7));
    }

    proptest! {
        #[test]
        fn one_of_more_than_half_is_the_top(of in prop::collection::vec((0..40_u8, 1..20_u64), 0..200)) {
            let mut most = Most::default();
            let (mut others, mut its) = (0, 0);
            for (key, count) in of {
                most.add(key, count);
                others += count;
                most.add(99, count + 1);
                its += count + 1;
                prop_assert!(most.0.len() <= COUNTED_MAX);
            }
            prop_assert_eq!(most.top() == Some(&99), its > others);
        }
    }
}
