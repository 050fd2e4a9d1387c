//! What the screen shows: a fold over a snapshot and the tap's entries. It takes time from entries only,
//! keeps ordered maps, and evicts by count.

mod alerts;
mod bus;
mod bus_clauses;
mod bus_health;
mod bus_words;
mod causes;
mod clauses;
mod copies;
mod counts;
mod faults;
mod flow;
mod fold;
mod health;
mod hold;
mod journal;
mod kept;
mod meter;
mod rates;
mod run_health;
mod run_lines;
mod run_words;
mod session_health;
mod session_lines;
mod session_sheet;
mod session_words;
mod state;
mod timeline;
mod world;

#[cfg(test)]
pub(crate) use alerts::Judged;
pub(crate) use alerts::{Alert, Alerts, Cause, Standing, remedy};
pub(crate) use bus::{BYTES, Bus, Culprit, DELIVERED, DropGroup, DropKey, MESSAGES, drop_groups};
pub(crate) use bus_health::{drop_remedy, rmp_report};
pub(crate) use causes::{close_words, refusal_remedy};
pub(crate) use clauses::{Breach, clause_name, clause_said, clause_text};
pub(crate) use counts::Changes;
pub(crate) use faults::FaultGroup;
pub(crate) use flow::Flow;
pub(crate) use health::{
    Condition, Sentence, hello_remedy, in_flight, mpp_report, settle_remedy, store_report,
};
pub(crate) use journal::{Notice, Origin};
pub(crate) use kept::Kept;
pub(crate) use meter::{Figures, Measured, Meter};
pub(crate) use rates::{Rate, WINDOW_BUCKETS};
pub(crate) use run_health::runs_report;
pub(crate) use run_lines::RunLine;
pub(crate) use session_health::macp_report;
pub(crate) use session_lines::{SessionLine, records, resolution_words};
pub(crate) use session_sheet::{
    Sheet, Speech, Stand, Voice, standings_of, tally_words, voices_of, waited_for,
};
pub(crate) use state::{HISTORY_ROWS, Model};
pub(crate) use timeline::{Stepped, Timeline};
pub(crate) use world::World;
