//! What outlives the process: invocations, refund records, pack state, brakes. `SQLite` has the rows; an
//! append-only journal stands in front of it.
//!
//! ```text
//!  host thread ──append, commit──▶ Journal ──one write()──▶ journal-<n>.log        outlives SIGKILL
//!       │                             │ then hands over, in order
//!       │                             ▼
//!       └──Handle::commit──────▶ one bounded line ──▶ writer ──▶ station.db        power class: fsynced, then answered
//!  anyone ──Handle::invocations, …──▶ bounded line ──▶ two readers ──▶ station.db
//! ```
//!
//! # Two ways to durability
//!
//! - [`Journal`]: operations that tell nothing back ([`Journal::takes`]: moves, brakes, state values), of
//!   class [`Process`](op::Class::Process). The host appends what a turn of its loop caused and commits once;
//!   when that returns, all of it outlives the process. The rows follow within about 20 ms, many moves of one
//!   row as one `UPDATE`.
//! - [`Handle::commit`]: operations whose answer matters, and all of class [`Power`](op::Class::Power). The
//!   writer commits what queued while its last commit ran, in one transaction with a savepoint each.
//!
//! Both go through one line, so their order is the order in which the host's thread made them: an operation
//! given to [`Handle::commit`] finds the tables as all that was journalled before has left them. Nothing can
//! be folded that was not journalled, nor out of turn: the journal itself hands over what it wrote, with the
//! numbers under which `applied_through` is stored in the same transaction as the rows.
//!
//! # After the death of the process
//!
//! [`Store::open`] puts the journal's records after `applied_through` into their tables before anything else.
//! An unfinished write at the journal's end was acknowledged to nobody and is left out. Rows that were
//! dispatched become pending; ids are never given twice.
//!
//! # After a loss of power
//!
//! What was answered as `Power` is there: its commit fsynced the whole log, and with it every journalled
//! operation that came before, since those were folded into the same or an earlier transaction. Journalled
//! operations after the last such commit may be lost from their end on, as the class `Process` allows; a row
//! then stands where it stood earlier.
//!
//! # When the disk is full
//!
//! A journal write that fails is taken back and its operations are refused. A commit that fails refuses its
//! requests; what was journalled is kept, in memory at most `limits.store.unfolded_rows_max` rows, and tried
//! again with growing pauses up to 2 s, until the journal too refuses. [`Counters::failing`] says so
//! meanwhile.
//!
//! # When the folder is taken away
//!
//! A [`FolderWatch`] knows the device and inode of the data folder, its lock and its database. Where a path
//! leads elsewhere the journal, the writer and the sessions' log refuse everything, as on a full disk, until
//! it is back; so they do while a rule of the gate says so, in a rehearsal.
//!
//! # What was measured
//!
//! Before this design was fixed, on the class of machine that the bounds speak of, release build, one small
//! `UPDATE` of 50,000 rows with one partial index, WAL: 11 µs committed inline (NORMAL), 22 µs through a
//! writer thread pinned to the same core and 80 µs to another (a channel hop each way), 290 µs with an fsync
//! (FULL); against it 0.7 µs for one inline `write()` of a 64-byte journal record and 0.7 µs for the `UPDATE`
//! folded with 999 others. So a journalled move costs about a sixteenth of an inline commit, an eighth with
//! its fold, and a thirtieth of a commit through a thread on the same core. A cycle has two durable moves and
//! 30 to 40 µs: 160 µs through another core's thread is out of reach; 22 µs inline would have left little for
//! the protocol, and the host would wait for the writer's fsyncs, as `SQLite` has one writer at a time.
//!
//! The store as built, 1,000,000 rows pending, other builds running beside it (the same spike took two to
//! four times as long then): a start with its check 0.6 s at 22 MiB resident, a fetch of 64 rows 65 to 150 µs
//! wherever it begins, an enqueue of 1,000 rows 9 to 21 ms, two moves folded 3.4 µs of the writer's CPU.

mod alerts;
mod answer;
pub mod append;
mod apply;
mod backup;
mod batch;
mod counters;
mod error;
mod folder_watch;
mod handle;
pub mod invocations;
mod journal;
mod lock;
mod log_damage;
mod lost_database;
pub mod macp;
mod marks;
mod migrations;
pub mod mplp;
pub mod op;
mod open;
mod pending_writes;
pub mod plugins;
mod quarantine;
mod read;
mod record;
mod replay;
mod reply;
mod retention;
pub mod runs;
mod segments;
mod session_log;
pub mod state;
#[expect(clippy::module_inception, reason = "the store itself, beside its parts")]
mod store;
mod submission;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

pub use alerts::{AlertFilter, RestoredAlerts};
pub use answer::Answer;
pub use counters::{Counters, Retained};
pub use error::StoreError;
pub use folder_watch::{FolderWatch, REFUSED_REMEDY, is_refused_by_rule};
pub use handle::Handle;
pub use journal::Journal;
pub use lock::{Lock, holder};
pub use log_damage::damage_of_log;
pub use lost_database::left_by_an_emptied_database;
pub use read::{InvocationFilter, InvocationsById, OthersPage, RefundFilter, Rows};
pub use session_log::{DamagedFile, SessionLog};
pub use store::{OpenedStore, Store};
