//! Recordings of the tap: everything that crossed it, in a file that replays on the same screens.
//!
//! A recording is an MCAP file (<https://mcap.dev>), so that other tools read it too:
//!
//! - one channel a link, its topic the link's name (`station`, `mpp`), the channel `commands` for entries
//!   that say what an operator did and what came of it, `marks` for moments that were marked, and the channel
//!   `snapshot`; message encoding `protobuf`, schemas
//!   `rl_console.tap.v1.Entry` and `rl_console.tap.v1.Snapshot` with their file descriptor set;
//! - a message's `log_time` is the station's start and the monotonic time since then in nanoseconds, raised
//!   so that each is later than the one before; its `publish_time` is the wall clock's; its `sequence` is
//!   the entry's place in the tap (its low 32 bits). In a file of form 1 both times are the wall clock's, and
//!   the order is the file's;
//! - a metadata record `rl-console` with the version of the form (`form`: how the file is laid out), of the
//!   program (`host_version`), the start of the station (`station_started_wall_ms`, `_mono_ns`), the name of
//!   the file before it (`previous`), whether the station keeps it by itself (`made_by`), and by how many
//!   rules values in it were masked, beyond secrets (`redact_rules`);
//! - keyframes: a snapshot in a chunk of its own, of a state that has every entry in front of it, and before
//!   it a metadata record `tally` with what there was so far: `mpp.entries`, `mpp.faults`, `.drops`,
//!   `.marks`, `lost`; one more at the end of a finished file, where anything came behind its last keyframe;
//! - attachments: what the station was started with, its pack, and what it reports of itself;
//! - chunks compressed by zstd, of at most 262,144 messages, written whole when they are full and once a
//!   second, so that a killed process leaves every finished chunk.
//!
//! What another tool made of it is read as well: compressed by LZ4 or not at all, in other chunks, without
//! metadata and attachments. Keyframes are found by their channel.
//!
//! It begins with a keyframe. Further ones come after 16,384 entries and ten times its own length, at the
//! latest after 60 s in which anything happened, at the soonest after 1 s. Where the recorder fell behind
//! there is a `Loss` entry and, after it, a keyframe. A file that has reached its length is finished, and the
//! recording continues in a new one: `night.mcap`, `night.2.mcap`. Secrets are withheld before an entry is in
//! the tap, so none can be in a recording. What [`Redact`] masks more is masked where entries and snapshots
//! are handed to the writer.

mod attachment;
mod channels;
mod checksums;
mod chunk;
mod counting_writer;
mod cut;
mod files;
mod format;
mod hopping;
mod index;
mod keyframes;
mod part;
mod read_ahead;
mod reader;
mod recorder;
mod records;
mod repair;
mod rotation;
mod set;
mod set_reader;
#[cfg(test)]
mod set_tests;
mod sources;
mod stop_reason;
mod sync;
mod tally;
#[cfg(test)]
pub(crate) mod test_files;
mod tiles;
mod timed_file;
mod unlink_on_drop;
mod writer;

pub use attachment::{Attachment, PACK_FILE, attachment};
pub use checksums::{Checksums, checksums};
pub use cut::{Cut, CutPart, cut};
pub use files::{files_of, is_being_written};
pub use format::RecordingInfo;
pub use index::{ChunkPlace, RecordingIndex, index};
pub use part::PartFile;
pub use reader::{Damage, MERGED, OpenError, RecordedItem, RecordingReader, read};
pub use recorder::{Recorder, RecorderEvent, Summary};
pub use repair::{RepairError, Repaired, repair};
pub use set::{FileCounts, RecordingSet, SetChunk, SetError};
pub use set_reader::{PlacedItem, SetCursor, SetReader};
pub use sources::{AttachmentsFuture, EncodedSnapshot, NextPath, Redact, SnapshotFuture, Sources};
pub use tally::{LinkTally, Tallied, Tally};
#[doc(hidden)]
pub use timed_file::TimedFile;
