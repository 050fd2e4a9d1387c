//! What the screen shows: a fold over a snapshot and the tap's entries. It takes time from entries only,
//! keeps ordered maps, and evicts by count.

mod alerts;
pub(crate) mod bridge;
pub(crate) mod bus;
mod coalesced;
mod copies;
mod entry_buffer;
mod health;
mod journal;
pub(crate) mod mplp;
mod numbered;
mod past;
mod past_loading;
pub(crate) mod plugins;
mod rates;
pub(crate) mod runs;
pub(crate) mod sessions;
mod state;
pub(crate) mod station;
mod systems;
mod table;
mod timeline;

pub(crate) use alerts::remedy;
pub(crate) use entry_buffer::EntryBuffer;
pub(crate) use health::{Condition, Report, ReportLine};
pub(crate) use journal::{Notice, Origin};
pub(crate) use numbered::Numbered;
pub(crate) use past_loading::PastLoading;
pub(crate) use rates::{Rate, rate_text, round_rate};
pub(crate) use state::Model;
#[cfg(test)]
pub(crate) use table::alert_kinds;
pub(crate) use timeline::{Rebuild, StepOutcome, Timeline};
