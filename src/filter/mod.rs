//! The filter language: what finds records of any kind by their declared fields, in the console (`/`) and on
//! the command line (`--filter`).
//!
//! ```text
//! filter   = [ either ] ;
//! either   = each { "or" each } ;
//! each     = one { [ "and" ] one } ;
//! one      = "not" one | "(" either ")" | test ;
//! test     = text | field operator text ;
//! operator = ":" | "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" ;
//! field    = letter { letter | digit | "_" | "-" | "." } ;      (* one that the records have *)
//! text     = word | quoted ;
//! word     = mark { mark } ;                   (* mark: no blank, quote or parenthesis; behind "~", parentheses that pair *)
//! quoted   = '"' { sign | '\"' | '\\' | '\n' | '\r' | '\t' } '"' ;   (* sign: any but the quote; any other "\" stands for itself *)
//! ```
//!
//! Words that stand side by side must all fit. `not` binds closest, then `and`, then `or`; the three are read
//! in either case, and quoted they are words. Nothing at all lets everything through. A filter has at most
//! [`TEXT_BYTES_MAX`] bytes and [`DEPTH_MAX`] levels.
//!
//! - A text by itself is looked for anywhere: in texts, states, ids, topics and serial numbers, whatever its
//!   case.
//! - `field:text` by what the field measures: a text that has it, whatever its case; the state of this name;
//!   an id that begins or ends with it (rows show the last digits of a trace), without regard to hyphens and
//!   to what stands before a colon; the serial number; a topic that fits the pattern, of which `*` stands for
//!   one level and `**` for one or more (ruling RMP 5, but anywhere in the pattern).
//! - `field=text` and `field!=text`: all of it, letter by letter.
//! - `field<2`, `<=`, `>`, `>=` (and `:`, `=`, `!=`) compare serial numbers; numbers (`1.5`); spans of time,
//!   with a unit (`ms`, `s`, `m`, `h`, `d`); sizes (`B`, `KB`, `KiB`, `MB`, `MiB`, `GB`, `GiB`; bytes where
//!   there is none); and moments, as `18:04`, `18:04:05` or by RFC 3339 (seconds may be left out). A moment
//!   is as long as it is exact: `at:18:04` is all of that minute, `at>18:04` begins after it.
//! - `field~regex` looks for a regular expression in a text, state, id or topic, whatever its case, in at
//!   most [`MATCHED_BYTES_MAX`] bytes.
//! - `field:none` and `field:any` find what has no value, and what has one. Where there is none, every test
//!   fails but `!=` and `not`.
//!
//! A time of day is the last one that has passed. [`Filter::anchored`] makes moments of those in a filter, by
//! the zone of who wrote it; until then they are of UTC. The asker of a station sends the anchored filter, so
//! that no other clock or zone has a say.

mod ast;
pub(crate) mod complete;
mod eval;
mod fault;
mod find;
mod grammar;
mod language;
mod lex;
mod operand;
mod parse;
mod print;
mod regex;
mod topic;

pub use complete::{Candidate, Completion, complete};
pub use fault::Fault;
pub use grammar::GRAMMAR;
pub use language::{DEPTH_MAX, Filter, TEXT_BYTES_MAX};
pub use regex::MATCHED_BYTES_MAX;

#[cfg(test)]
mod tests;
