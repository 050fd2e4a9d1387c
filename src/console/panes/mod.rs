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
mod started;
mod table;
mod violations;

pub(crate) use super::class::Class;
pub(crate) use cell::Cell;
pub(crate) use chips::{chip_at, draw as draw_chips};
pub(crate) use footer::draw as draw_footer;
pub(crate) use header::{draw as draw_header, is_on_alerts, tab_at};
pub(crate) use pane::{column_at, draw, keys, list_height, row_at, shows_heads};
pub(crate) use queues::state_sign;
pub(crate) use table::{Align, Column, Table};
