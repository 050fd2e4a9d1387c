//! The field registry: what a record is made of, declared once. A record's kind names its [`Spec`]s: the name
//! of each field, what it measures, who may see it, and the column that it has unless the operator chooses
//! otherwise. Filters, sorting, columns, completion and copying derive from them, in the console and on the
//! command line alike.
//!
//! ```
//! use rl_console::{field::{Class, Column, Kind, Record, Value, fields}, time::Now};
//!
//! struct Song { title: String, plays: u32, asked_by: Option<String> }
//!
//! fields! {
//!     Song {
//!         "title", Text, Public, "what it is called", Column::growing("title", 10, 1) => |song, _| Value::text(&song.title);
//!         "plays", Number, Public, "how often it was played", Column::fixed("plays", 5).right() => |song, _| Value::count(song.plays);
//!         "user", Text, Login, "who asked for it" => |song, _| Value::maybe(song.asked_by.as_deref());
//!     }
//! }
//!
//! let song = Song { title: "Intro".to_owned(), plays: 3, asked_by: None };
//! assert_eq!(song.specs().iter().map(|spec| spec.name).collect::<Vec<_>>(), ["title", "plays", "user"]);
//! assert_eq!(song.value(1, Now::default()), Value::Number(3.0));
//! ```

mod class;
mod column;
mod record;
mod spec;
mod value;

pub use class::Class;
pub use column::{Align, Column};
pub use record::{Fields, Record};
pub use spec::{Kind, Spec, index_of};
pub use value::Value;

#[doc(inline)]
pub use crate::fields;
