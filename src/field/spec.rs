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
    /// Other names that it is found by: its member in JSON, its name in an earlier version, and the title
    /// that its column has in one pane alone.
    pub also: &'static [&'static str],
    /// What it measures.
    pub kind: Kind,
    /// Other names of values that filters take, each with the value: names of earlier versions, and of what
    /// is hidden.
    pub reads: &'static [(&'static str, &'static str)],
    /// Who may see it.
    pub class: Class,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Its column unless the operator chooses otherwise; none for a field that has one only when it is asked
    /// for.
    pub column: Option<Column>,
}

impl Spec {
    /// The value that a filter means by this text.
    #[must_use]
    pub fn value_named<'a>(&self, text: &'a str) -> &'a str {
        self.reads.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map_or(text, |(_, value)| value)
    }

    /// The title of its column as a filter has it, with `_` for blanks; none where it has no title.
    #[must_use]
    pub fn title_name(&self) -> Option<String> {
        let title = self.column?.title.trim();
        (!title.is_empty()).then(|| title.replace(' ', "_"))
    }

    /// Whether its column has this title, with `_` for blanks.
    fn is_titled(&self, name: &str) -> bool {
        let blank = |c: char| if c == '_' { ' ' } else { c };
        let title = self.column.map_or("", |column| column.title.trim());
        !title.is_empty() && title.chars().map(blank).eq(name.chars().map(blank))
    }

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

/// The place of the field with this name: its own, another one that it has, or the title of its column with
/// `_` for blanks.
#[must_use]
pub fn index_of(specs: &[Spec], name: &str) -> Option<usize> {
    let at = |is_it: &dyn Fn(&Spec) -> bool| specs.iter().position(is_it);
    at(&|spec| spec.name == name)
        .or_else(|| at(&|spec| spec.also.contains(&name)))
        .or_else(|| at(&|spec| spec.is_titled(name)))
}
