//! The manual: pages in Markdown, read into blocks, laid out in columns, and searched. What the pages say
//! lies in `cli/help`; the console shows what the command line hands it.

mod block;
mod layout;
mod markdown;
mod page;
mod search;

pub(crate) use block::{Block, Span, Style};
pub(crate) use layout::{Line, lines};
pub(crate) use page::{Manual, Page};
pub(crate) use search::Hit;
