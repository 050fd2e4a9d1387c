//! Room for what is told of a state.

/// What fits into a text, and how much did not.
#[derive(Debug)]
pub(super) struct Room {
    bytes_left: u64,
    /// Items that found none.
    pub(super) left_out: u64,
}

impl Room {
    /// What an item has beside its texts.
    const ITEM_BYTES: u64 = 128;

    pub(super) const fn new(bytes: u64) -> Self {
        Self { bytes_left: bytes, left_out: 0 }
    }

    /// Whether an item of these texts fits, and takes its room.
    pub(super) fn takes(&mut self, texts: &[&str]) -> bool {
        let bytes = texts.iter().map(|text| text.len() as u64).sum::<u64>() + Self::ITEM_BYTES;
        let fits = bytes <= self.bytes_left;
        if fits {
            self.bytes_left -= bytes;
        } else {
            self.left_out += 1;
        }
        fits
    }

    /// The last items of a list that fit, in their order.
    pub(super) fn last<'a, T>(&mut self, all: &'a [T], texts: impl Fn(&'a T) -> Vec<&'a str>) -> &'a [T] {
        let from = all.iter().rposition(|item| !self.takes(&texts(item))).map_or(0, |place| place + 1);
        // One of them was counted.
        self.left_out += (from as u64).saturating_sub(1);
        &all[from..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_counted() {
        let mut room = Room::new(2 * 128 + 3);
        assert!(room.takes(&["ab"]) && !room.takes(&["ab"]) && room.takes(&["c"]) && !room.takes(&[]));
        assert_eq!(room.left_out, 2);
        let mut room = Room::new(2 * 129);
        assert_eq!(room.last(&["a", "b", "c", "d"], |text| vec![text]), ["c", "d"]);
        assert_eq!(room.left_out, 2);
        let mut room = Room::new(u64::MAX);
        assert_eq!((room.last(&["a", "b"], |text| vec![text]).len(), room.left_out), (2, 0));
    }
}
