//! The description of a field, whatever the record.

use super::{Class, Column};

/// What a field measures: how it is compared, sorted and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Words.
    Text,
    /// A count or another figure.
    Number,
    /// A span of time, in milliseconds.
    Duration,
    /// A size in bytes.
    Bytes,
    /// A moment of the wall clock, in milliseconds since 1970.
    Time,
    /// One of these names.
    State(&'static [&'static str]),
    /// A number that names a record. It is compared as a number.
    Serial,
    /// A name of digits, as a trace has; its beginning is enough to find it.
    Id,
    /// A topic: levels between `/`, matched by patterns.
    Topic,
}

/// A field of a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// Its name, as filters have it: lower case, no blanks.
    pub name: &'static str,
    /// What it measures.
    pub kind: Kind,
    /// Who may see it.
    pub class: Class,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Its column unless the operator chooses otherwise; none for a field that has one only when it is asked
    /// for.
    pub column: Option<Column>,
}

impl Spec {
    /// Its column, also where it has none by itself.
    #[must_use]
    pub const fn column_or_default(&self) -> Column {
        match (self.column, self.kind) {
            (Some(column), _) => column,
            (None, Kind::Number | Kind::Duration | Kind::Bytes | Kind::Serial) => {
                Column::fixed(self.name, 8).right()
            }
            (None, Kind::Time) => Column::fixed(self.name, 8),
            (None, _) => Column::growing(self.name, 8, 1),
        }
    }
}

/// The place of the field with this name.
#[must_use]
pub fn index_of(specs: &[Spec], name: &str) -> Option<usize> {
    specs.iter().position(|spec| spec.name == name)
}
