//! A filter.

use super::Fault;
use crate::{
    field::{Record, Spec, Value},
    time::Now,
};

/// A filter that was read for records of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    text: String,
    words: Vec<String>,
}

impl Filter {
    /// Reads a filter for records with these fields.
    ///
    /// # Errors
    /// [`Fault`] with the place of what cannot be read.
    pub fn parse(text: &str, _specs: &'static [Spec]) -> Result<Self, Fault> {
        Ok(Self { text: text.to_owned(), words: text.split_whitespace().map(str::to_lowercase).collect() })
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it lets a record through.
    #[must_use]
    pub fn admits(&self, record: &dyn Record, now: Now) -> bool {
        let has = |word: &String| {
            (0..record.specs().len()).any(|field| match record.value(field, now) {
                Value::Text(text) => text.to_lowercase().contains(word.as_str()),
                _ => false,
            })
        };
        self.words.iter().all(has)
    }
}
