//! Frames that are not offered again, since no rule can match what they have in common.

use std::collections::HashSet;

use super::handle::Gate;

/// Classes that are remembered of a connection; then they are forgotten, and asked about again.
const CLASSES_MAX: usize = 256;
/// A class whose bytes are more is asked for each time.
const CLASS_BYTES_MAX: usize = 512;

/// The classes of one connection's frames that the rules let pass. Frames of one class have the same bytes
/// where what they have in common lies: their type, what it is about and where they go, and all else that
/// a rule's [class matcher](super::NewRule::class_matcher) may ask for.
#[derive(Debug, Default)]
pub struct Cleared {
    /// The rules for which it holds.
    version: u64,
    classes: HashSet<Box<[u8]>>,
    /// The one that was found last.
    last: Option<Box<[u8]>>,
}

impl Cleared {
    /// Whether frames of a class pass.
    #[must_use]
    pub fn has(&mut self, gate: &Gate, class: &[u8]) -> bool {
        if self.version != gate.version() {
            return false;
        }
        if self.last.as_deref() == Some(class) {
            return true;
        }
        let Some(found) = self.classes.get(class) else { return false };
        self.last = Some(found.clone());
        true
    }

    /// Remembers that frames of a class pass, under the rules of this version.
    pub fn add(&mut self, version: u64, class: &[u8]) {
        if self.version != version || self.classes.len() >= CLASSES_MAX {
            *self = Self { version, ..Self::default() };
        }
        if class.len() <= CLASS_BYTES_MAX {
            self.classes.insert(class.into());
        }
    }
}
