//! The identity of a record: its kind, which its system declares, and what names it among its kind.

use std::{any::Any, fmt, marker::PhantomData, sync::Arc};

/// A kind of record, whose records are told apart by a `T`. Its name is its own among all kinds.
pub(crate) struct KeyKind<T> {
    name: &'static str,
    id: PhantomData<fn(T)>,
}

impl<T: Id> KeyKind<T> {
    /// A kind.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, id: PhantomData }
    }

    /// The identity of one of its records.
    pub(crate) fn of(&self, id: T) -> RecordKey {
        RecordKey { kind: self.name, id: Arc::new(id) }
    }

    /// What names a record among this kind, if it is one of it.
    pub(crate) fn id<'k>(&self, key: &'k RecordKey) -> Option<&'k T> {
        let id: &dyn Any = &*key.id;
        if key.kind == self.name { id.downcast_ref() } else { None }
    }
}

/// The identity of a row. Cloning one costs a reference count.
#[derive(Clone)]
pub(crate) struct RecordKey {
    kind: &'static str,
    id: Arc<dyn Id>,
}

/// Bytes of a label at most.
const LABEL_BYTES_MAX: usize = 128;

impl RecordKey {
    /// It as a text that is the same whenever it is read, of 128 bytes at most; nothing where it is longer.
    pub(crate) fn label(&self) -> Option<String> {
        Some(format!("{self:?}")).filter(|label| label.len() <= LABEL_BYTES_MAX)
    }
}

impl PartialEq for RecordKey {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.id.is(&*other.id)
    }
}

impl Eq for RecordKey {}

impl fmt::Debug for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(self.kind).field(&self.id).finish()
    }
}

/// What can name a record.
pub(crate) trait Id: Any + fmt::Debug + Send + Sync {
    /// Whether it is the same as another.
    fn is(&self, other: &dyn Any) -> bool;
}

impl<T: Any + Eq + fmt::Debug + Send + Sync> Id for T {
    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// A row of a list that names nothing, by its place.
pub(crate) const INDEX: KeyKind<usize> = KeyKind::new("index");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_that_of_its_kind_and_its_id_alone() {
        const ROW: KeyKind<u64> = KeyKind::new("row");
        const LINE: KeyKind<u64> = KeyKind::new("line");
        const NAMED: KeyKind<String> = KeyKind::new("named");
        assert_eq!(ROW.of(7), ROW.of(7));
        assert_ne!(ROW.of(7), ROW.of(8));
        assert_ne!(ROW.of(7), LINE.of(7));
        assert_eq!((ROW.id(&ROW.of(7)), LINE.id(&ROW.of(7))), (Some(&7), None));
        assert_eq!(NAMED.of("a".to_owned()).label().as_deref(), Some("named(\"a\")"));
        assert_eq!(NAMED.of("a".repeat(LABEL_BYTES_MAX)).label(), None);
    }
}
