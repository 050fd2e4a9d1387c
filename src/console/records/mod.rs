//! What lists are made of: records with their identities and cells, selection, pages, table settings and
//! bookmarks.

pub(crate) mod backfill;
pub(crate) mod bookmarks;
mod entry_list;
pub(crate) mod entry_query;
pub(crate) mod ladder_view;
mod manual_place;
pub(crate) mod paged_list;
pub(crate) mod places;
pub(crate) mod record_key;
pub(crate) mod row;
pub(crate) mod row_list;
pub(crate) mod selection;
mod since;
pub(crate) mod system_state;
pub(crate) mod table;
pub(crate) mod table_settings;

pub(crate) use entry_list::EntryList;
pub(crate) use manual_place::ManualPlace;
pub(crate) use row::{CellContext, PaneRecord};
pub(crate) use row_list::Rows;
pub(crate) use since::{ms, wall_ms};
pub(crate) use table::Table;
