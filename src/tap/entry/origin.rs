//! Frames made by hand: who sent one, and through which door.

use std::sync::Arc;

use super::{
    names::names,
    station::OperatedBy,
    texts::{Texts, texts},
};
use crate::ids::Seq;

names! {
    /// The way that a frame made by hand takes.
    Door {
        /// A connection or call of its own.
        Own = "own",
        /// Into a peer's connection, as if the peer had sent it.
        AsPeer = "as_peer",
        /// Into a peer's connection, as if the station had sent it.
        AsStation = "as_station",
        /// In the place of a frame that the gate held.
        Gate = "gate",
    }
}

/// Where a frame that was made by hand comes from. What answers it on a connection of the workbench's own has
/// the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameOrigin {
    /// Who sent it.
    pub by: OperatedBy,
    /// Through which door.
    pub door: Door,
    /// The number since the station's start of the door, or of the frame that the gate held.
    pub number: u64,
    /// The captured frame that it was made of.
    pub of: Option<Seq>,
}

impl FrameOrigin {
    /// It in words: `injected: operator, own connection 3`.
    #[must_use]
    pub fn words(&self) -> String {
        let way = match self.door {
            Door::Own => "own connection",
            Door::AsPeer => "in the peer's place, door",
            Door::AsStation => "in the station's place, door",
            Door::Gate => "edited at the gate, frame",
        };
        let of = self.of.map_or_else(String::new, |seq| format!(", made of {seq}"));
        format!("injected: {}, {way} {}{of}", self.by.label(), self.number)
    }
}

texts! {
    FrameOrigin {
        Self { by, door: _, number: _, of: _ } => [by],
    }
}

impl Texts for Arc<FrameOrigin> {
    #[inline]
    fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
        (**self).has_text(is)
    }

    fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
        let mut masked = (**self).clone();
        masked.mask_texts(mask);
        if masked != **self {
            *self = Self::new(masked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_who_sent_it_is_masked_as_any_text() {
        let by = OperatedBy { client: "a s3cret".into(), ..OperatedBy::own_console() };
        let mut origin = Arc::new(FrameOrigin { by, door: Door::Own, number: 1, of: None });
        assert!(origin.has_text(|text| text.contains("s3cret")));
        let other = Arc::clone(&origin);
        origin.mask_texts(&mut |text| text.contains("s3cret").then(|| text.replace("s3cret", "******")));
        assert_eq!((&*origin.by.client, &*other.by.client), ("a ******", "a s3cret"));
    }
}
