//! A plugin's log: `plugin.log` in its log folder, and the files of before it, `plugin.log.1` being the
//! newest of them.
//!
//! A line is `<time> <level> <source> <text>`: the time in RFC 3339 UTC to the millisecond, `stderr`, `log`
//! or `host` as the source, and the text with control characters made visible. What is read is made visible
//! again, since the folder is the plugin's to write to.

mod lines;
mod rate;
mod reader;
mod writer;

pub use lines::{Line, LineSplitter};
pub use rate::{LineRate, Losses};
pub use reader::{Page, PageLimits, Position, after, before, last};
pub use writer::{LogFile, formatted};
