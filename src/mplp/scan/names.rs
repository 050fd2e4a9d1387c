//! A fixed set of names, in which one is found without comparing it to more than one of them.

/// Names one set has, at most: their places are bits of a word.
pub(super) const NAMES_MAX: usize = 64;

/// Multipliers that are tried for each size, and how often the size is doubled.
const TRIES: u64 = 64;
const DOUBLINGS: u32 = 5;

/// A set of names. The place of a name is that in the list that the set was made of.
#[derive(Debug)]
pub(super) struct Names {
    slots: Box<[Slot]>,
    list: Box<[Box<[u8]>]>,
    multiplier: u64,
    shift: u32,
}

/// A name, or nothing: no name is so long as what is in an empty slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: Key,
    place: u8,
}

/// The length of a name, its first bytes and its last: all of it where it has 16 bytes or fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    bytes: usize,
    head: u64,
    tail: u64,
}

const EMPTY: Slot = Slot { key: Key { bytes: usize::MAX, head: 0, tail: 0 }, place: 0 };

impl Key {
    #[inline]
    fn of(name: &[u8]) -> Self {
        let (head, tail) = match (name.first_chunk(), name.last_chunk()) {
            (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
            _ => (short(name), 0),
        };
        Self { bytes: name.len(), head, tail }
    }

    #[inline]
    fn slot(self, multiplier: u64, shift: u32) -> usize {
        let hash = (self.head ^ self.tail.rotate_left(29) ^ self.bytes as u64).wrapping_mul(multiplier);
        usize::try_from(hash >> shift).unwrap_or(usize::MAX)
    }
}

/// All bytes of a name of fewer than eight, in a word that no other name of its length has.
#[inline]
fn short(name: &[u8]) -> u64 {
    if let (Some(head), Some(tail)) = (name.first_chunk(), name.last_chunk()) {
        return u64::from(u32::from_le_bytes(*head)) | u64::from(u32::from_le_bytes(*tail)) << 32;
    }
    name.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

impl Names {
    /// A set of names; nothing where they are more than [`NAMES_MAX`], one is there twice, or no table is
    /// found for them.
    pub(super) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let names: Box<[Box<[u8]>]> = names.into_iter().map(|it| Box::from(it.as_bytes())).collect();
        if names.len() > NAMES_MAX {
            return None;
        }
        let smallest = (names.len() * 2).next_power_of_two().max(2).trailing_zeros();
        for bits in smallest..=smallest + DOUBLINGS {
            let mut multiplier = 0x9e37_79b9_7f4a_7c15_u64;
            for _ in 0..TRIES {
                let mut slots = vec![EMPTY; 1 << bits].into_boxed_slice();
                let shift = u64::BITS - bits;
                let is_table = names.iter().zip(0..).all(|(name, place)| {
                    let key = Key::of(name);
                    let slot = slots.get_mut(key.slot(multiplier, shift));
                    let free = slot.filter(|it| it.key == EMPTY.key);
                    free.map(|it| *it = Slot { key, place }).is_some()
                });
                if is_table {
                    return Some(Self { slots, list: names, multiplier, shift });
                }
                multiplier = multiplier.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(2);
                multiplier |= 1;
            }
        }
        None
    }

    /// The place of a name.
    #[inline]
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        let key = Key::of(name);
        let slot = self.slots.get(key.slot(self.multiplier, self.shift))?;
        let place = usize::from(slot.place);
        let is_it =
            slot.key == key && (key.bytes <= 16 || self.list.get(place).is_some_and(|it| **it == *name));
        is_it.then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_each_of_its_names_and_nothing_else() {
        let names =
            ["", "a", "b", "ab", "meta", "metadata", "step_id", "steps", "a name of more than 16 bytes"];
        let set = Names::new(names).unwrap();
        for (place, name) in names.iter().enumerate() {
            assert_eq!(set.find(name.as_bytes()), Some(place), "{name}");
        }
        for other in ["c", "met", "metb", "metadatb", "a name of mora than 16 bytes", "abc", "ba"] {
            assert_eq!(set.find(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn no_set_has_a_name_twice_or_too_many() {
        assert!(Names::new(["a", "a"]).is_none());
        let many: Vec<String> = (0..65).map(|it| format!("name{it}")).collect();
        assert!(Names::new(many.iter().map(String::as_str)).is_none());
        assert!(Names::new(many.iter().map(String::as_str).take(64)).is_some());
        assert_eq!(Names::new([]).unwrap().find(b""), None);
    }
}
