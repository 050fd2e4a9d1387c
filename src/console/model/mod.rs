//! What the screen shows: a fold over a snapshot and the tap's entries. It takes time from entries only,
//! keeps ordered maps, and evicts by count.

mod alerts;
mod attachment;
mod bus;
mod bus_clauses;
mod bus_health;
mod bus_journal;
mod causes;
mod clauses;
mod console_health;
mod copies;
mod counts;
mod entry_buffer;
mod faults;
mod fold;
mod health;
mod journal;
mod rates;
mod run_health;
mod run_history;
mod run_journal;
mod session_board;
mod session_health;
mod session_history;
mod session_journal;
mod state;
mod station_state;
mod timeline;
mod windowed_rates;

#[cfg(test)]
pub(crate) use alerts::AlertChanges;
pub(crate) use alerts::{Alert, AlertStatus, Alerts, Cause, remedy};
pub(crate) use bus::{BYTES, Bus, Culprit, DELIVERED, DropGroup, DropKey, MESSAGES, drop_groups};
pub(crate) use bus_health::{drop_remedy, rmp_report};
pub(crate) use causes::{describe_close, refusal_remedy};
pub(crate) use clauses::{Breach, clause_name, clause_text, clause_with_text};
pub(crate) use console_health::{ConsoleHealth, HealthMetrics, Measured};
pub(crate) use counts::Changes;
pub(crate) use entry_buffer::EntryBuffer;
pub(crate) use faults::FaultGroup;
pub(crate) use health::{
    Condition, ReportLine, hello_remedy, in_flight, mpp_report, settle_remedy, store_report,
};
pub(crate) use journal::{Notice, Origin};
pub(crate) use rates::{Rate, WINDOW_BUCKETS};
pub(crate) use run_health::runs_report;
pub(crate) use run_history::RunLine;
pub(crate) use session_board::{
    PositionRow, SessionBoard, StatementKind, StatementRow, awaited_participants, positions_of,
    statements_of, tally_text,
};
pub(crate) use session_health::macp_report;
pub(crate) use session_history::{SessionLine, records, resolution_text};
pub(crate) use state::{HISTORY_ROWS, Model};
pub(crate) use station_state::StationState;
pub(crate) use timeline::{StepOutcome, Timeline};
pub(crate) use windowed_rates::WindowedRates;
