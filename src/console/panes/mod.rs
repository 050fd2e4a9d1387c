//! The panes of all views and the three lines around them, each drawn from an immutable model.

mod adapter_log;
mod cell;
mod chips;
mod footer;
mod header;
mod history;
mod in_flight;
mod log;
mod pack_state;
mod pane;
mod queues;
mod recent;
mod refunds;
mod row;
mod rows;
mod since;
mod started;
mod table;
mod violations;
mod wire;

pub(crate) use super::class::Class;
pub(crate) use adapter_log::LogLine;
pub(crate) use cell::Cell;
pub(crate) use chips::{chip_at, draw as draw_chips};
pub(crate) use footer::draw as draw_footer;
pub(crate) use header::{draw as draw_header, is_on_alerts, tab_at};
pub(crate) use history::{Stored, stood};
pub(crate) use pack_state::StateValue;
pub(crate) use pane::{draw, field_at, inner_width, list_height, row_at, shows_heads, table_of};
pub(crate) use queues::state_sign;
pub(crate) use refunds::Refund;
pub(crate) use row::{Look, Row};
pub(crate) use rows::{Arrangement, Rows, arrangement, counts, own_order, rows, shown_columns, specs};
pub(crate) use since::{ms, wall_ms};
pub(crate) use table::Table;
pub(crate) use wire::draw_glance;
