//! The filter language.

mod fault;
mod language;

pub use fault::Fault;
pub use language::Filter;
