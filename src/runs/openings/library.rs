//! Where nested openings come from.

use std::path::{Path, PathBuf};

/// Reads the openings that others nest.
pub trait Library {
    /// The text of an opening with the path that it was read from, by which it is told from others: two names
    /// of one file give one path. `beside` is the folder of the file that names it, nothing for a text
    /// without one.
    ///
    /// `name` is `[A-Za-z0-9][A-Za-z0-9._-]{0,127}` and never leaves a folder. The library bounds what it
    /// reads.
    ///
    /// # Errors
    /// Why there is none, for a person.
    fn read(&self, name: &str, beside: Option<&Path>) -> Result<(String, PathBuf), String>;
}

/// A library without openings.
#[derive(Clone, Copy, Debug)]
pub struct NoLibrary;

impl Library for NoLibrary {
    fn read(&self, _: &str, _: Option<&Path>) -> Result<(String, PathBuf), String> {
        Err("no folder to search".to_owned())
    }
}

/// Whether a nested opening may be named so.
pub(in crate::runs::openings) fn is_opening_name(name: &str) -> bool {
    name.len() <= 128
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
