//! Masks values of a recording, beyond secrets: `[recording] redact`.
//!
//! ```text
//! event:give_item $.user        rule: a filter of entries, and a path into what they carry
//!
//! frame ─▶ its values as a tree ─▶ those that a rule names are masked, and known from then on
//! texts, commands, snapshots ────▶ values that are known are masked wherever they are quoted
//! ```
//!
//! They are looked for in what people and peers wrote alone: names, states and ids stay, also where a viewer
//! is called so. Which texts of entries and snapshots those are is declared next to their recorded form.
//!
//! A masked value keeps its length, so that frames and messages read as before: a text becomes `*`, a number
//! 0 or 10…0, true and false null or false.

mod encoding;
mod find;
mod known;
mod lexer;
mod message;
#[cfg(test)]
mod names_tests;
mod numbers;
mod operators;
mod path;
mod plan;
mod quotes;
mod redactor;
mod rule;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use message::free_texts as redact_free_texts;
pub(crate) use redactor::Redactor;
pub(crate) use rule::RedactRules;
