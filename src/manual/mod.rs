//! The manual: pages in Markdown, read into blocks, laid out in columns, searched, and written as man pages.
//! What the pages say lies in `cli/help`; the console shows what the command line hands it.

mod block;
mod layout;
mod lazy;
mod man_page;
mod markdown;
mod page;
mod place;
mod search;

pub(crate) use block::{Block, Span, Style};
pub(crate) use layout::{Layout, Line, lines};
pub use lazy::LazyManual;
pub(crate) use man_page::man_page;
pub use page::Manual;
pub(crate) use page::Page;
pub(crate) use place::{Place, target};
pub(crate) use search::Hit;
