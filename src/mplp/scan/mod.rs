//! A single pass over the bytes of an object that says "certainly clean", or "look closer", and nothing else.
//!
//! It is driven by tables that are made of the schemas and rules at their first use: a node for each value
//! that they ask something of, in which all that several of them ask is one. What is clean is JSON that the
//! parser takes and in which [`judge`](fn@crate::mplp::judge) finds nothing; no value is made of it, and
//! nothing is allocated. What the pass does not know, it leaves to the parser and the judge:
//!
//! - an escape in a name, or in a text of which more than its length is asked;
//! - a number with an exponent, or with more than 18 digits before the point;
//! - a member that is there twice, if something is asked of it;
//! - more than 16 items of a list that must not have one twice;
//! - an object for which the condition of a rule holds, where its schema does not say so;
//! - keywords and patterns that no schema of today has.

mod compile;
mod json;
mod names;
mod sniff;
mod source;
mod table;
mod text;
mod verdict;
mod walk;

#[cfg(test)]
pub(super) use verdict::is_used;
pub use verdict::{is_clean, is_clean_of_some_schema};
