//! The manual over the screen.

mod page;
mod reader;
mod search;

pub(crate) use reader::ManualReader;
