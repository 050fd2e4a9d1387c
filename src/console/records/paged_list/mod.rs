//! A bounded window of a list that the station has and the console asks for in pages.
//!
//! It grows at the end that the selection nears, and lets go of what lies farthest from it. It is kept
//! current by asking anew from the first row that is shown: states are refreshed, rows that are gone leave,
//! new ones come where they belong. The selection is a record.

#[expect(clippy::module_inception, reason = "the folder's one type")]
mod paged_list;
mod record;
pub(crate) mod station_list;
#[cfg(test)]
mod tests;

pub(crate) use paged_list::{PageQuery, PageRows, PagedList};
pub(crate) use record::Record;
pub(crate) use station_list::{StationList, error_text, page_rows, station_list, unexpected_answer};
