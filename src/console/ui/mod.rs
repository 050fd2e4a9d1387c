//! The state of the screen and what it asks: focus, layout, message, history and the events that change it;
//! panes with their rows, and the layers over them.

pub(crate) mod act;
pub(crate) mod bookmark_file;
pub(crate) mod confirm;
pub(crate) mod draw_pane;
pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod export;
pub(crate) mod file_request;
pub(crate) mod filter;
mod filter_line;
pub(crate) mod history;
mod ladder;
pub(crate) mod layer;
pub(crate) mod layers;
pub(crate) mod layout;
pub(crate) mod layouts;
pub(crate) mod ledger;
mod line;
pub(crate) mod log_lines;
pub(crate) mod master_detail;
pub(crate) mod message;
pub(crate) mod moving;
pub(crate) mod named_filters;
pub(crate) mod paged_lists;
pub(crate) mod palette;
pub(crate) mod pane;
pub(crate) mod places;
pub(crate) mod question;
pub(crate) mod rows;
pub(crate) mod search;
pub(crate) mod start;
pub(crate) mod state;
pub(crate) mod system;
pub(crate) mod trigger_line;

pub(crate) use draw_pane::{draw_filter, field_at, table_of, title_end};
pub(crate) use filter_line::{FilterLine, Purpose};
pub(crate) use layer::{Layer, Reaction, Scene, Target};
pub(crate) use line::Line;
pub(crate) use rows::{
    Arrangement, arrangement, counts, fixed_order, has_fixed_order, is_paged, rows, specs, visible_columns,
};
