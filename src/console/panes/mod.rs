//! The Deck's panes and the three lines around them, each drawn from an immutable model.

mod cell;
mod chips;
mod footer;
mod header;
mod in_flight;
mod log;
mod pane;
mod queues;
mod recent;
mod started;
mod table;

pub(crate) use cell::{Cell, Class};
pub(crate) use chips::{chip_at, draw as draw_chips};
pub(crate) use footer::draw as draw_footer;
pub(crate) use header::draw as draw_header;
pub(crate) use pane::{draw, keys, list_height, row_at};
pub(crate) use queues::state_sign;
pub(crate) use table::{Align, Column, Table};
