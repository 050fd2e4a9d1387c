//! What a station did, as MPLP objects and events: runs, sessions, the station itself, and learning samples
//! of runs (rulings MPLP 3, 4, 12 to 18). No I/O; the station translates what its hosts tell.
//!
//! One fold has two feeds: live it takes what a run tells as it tells it, for an export the same from the
//! store. What it makes depends on nothing else, so that the same run gives the same bytes.

mod batches;
mod emit;
mod ids;
mod item;
pub mod learning;
mod modules;
mod roles;
pub mod run;
pub mod session;
pub mod station;
mod wire;

pub use batches::{
    BATCH_WAIT_MAX, Batch, BatchLimits, Batches, FINDING_FAMILIES, FINDINGS_MAX,
    TOO_LARGE as WITHHELD_TOO_LARGE, Withheld,
};
pub use item::{Item, Origin, RecordSettings, Stamp};
pub use run::Bundle;
pub use session::SessionRecord;
pub use station::{StationFacts, station_record};
pub use wire::{FRAME_BYTES_MAX, TOPIC_PART, TYPE as BODY_TYPE};
