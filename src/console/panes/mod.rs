//! The panes of all views and the three lines around them, each drawn from an immutable model.

mod adapter_log;
mod artifacts;
mod cell;
mod chips;
mod drops;
mod footer;
mod header;
mod history;
mod in_flight;
mod log;
mod meter;
mod pack_state;
mod pane;
mod peers;
mod plan;
mod positions;
mod queues;
mod recent;
mod refunds;
mod row;
mod rows;
mod run_events;
mod run_history;
mod runs;
mod session_history;
mod session_log;
mod sessions;
mod since;
mod started;
mod statements;
mod subscribers;
mod table;
mod topics;
mod trace;
mod violations;
mod wire;

pub(crate) use super::class::Class;
pub(crate) use adapter_log::LogLine;
pub(crate) use artifacts::Artifact;
pub(crate) use cell::Cell;
pub(crate) use chips::{chip_at, draw as draw_chips};
pub(crate) use drops::{Drops, word as drop_word};
pub(crate) use footer::draw as draw_footer;
pub(crate) use header::{draw as draw_header, is_on_alerts, tab_at};
pub(crate) use history::{StoredInvocation, last_known_state};
pub(crate) use pack_state::StateValue;
pub(crate) use pane::{
    draw, draw_filter, field_at, inner_width, list_height, row_at, shows_head_age, table_of,
};
pub(crate) use peers::{rights, visible_name as peer_name};
pub(crate) use plan::node_time;
pub(crate) use queues::state_sign;
pub(crate) use refunds::Refund;
pub(crate) use row::{CellContext, Row};
pub(crate) use rows::{
    Arrangement, Rows, arrangement, counts, fixed_order, is_paged, rows, specs, visible_columns,
};
pub(crate) use session_history::session_of;
pub(crate) use sessions::session_status;
pub(crate) use since::{ms, wall_ms};
pub(crate) use table::Table;
pub(crate) use topics::{rate_text, schema_name};
pub(crate) use trace::TRACE_DEFAULT_FILTER;
pub(crate) use wire::draw_preview;
