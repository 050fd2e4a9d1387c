//! Frames that are kept under a name, each with the door that it goes through, what must be there first, and
//! what becomes of it.
//!
//! A snippet is a TOML file. One is shipped for every kind of frame of every link, in a folder of the link's
//! name, and for every error of every taxonomy that a frame can lead to: [`TaxonomyError`] says which one, or
//! why none does. Which way a door leads is for whoever opens it.

mod fault;
#[cfg(test)]
mod kinds;
mod shipped;
mod snippet;
mod taxonomy;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use fault::SnippetFault;
pub(crate) use shipped::shipped;
pub(crate) use snippet::{Expected, Foreseen, Snippet, SnippetFrame};
pub(crate) use taxonomy::{Example, TaxonomyError};
pub(crate) use words::{SnippetDoor, SnippetLink, Stage};
