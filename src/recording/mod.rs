//! Recordings of the tap: everything that crossed it, in a file that replays on the same screens.
//!
//! A recording is an MCAP file (<https://mcap.dev>), so that other tools read it too:
//!
//! - one channel a link, its topic the link's name (`station`, `mpp`), and the channel `snapshot`; message
//!   encoding `protobuf`, schemas `rl_console.tap.v1.Entry` and `rl_console.tap.v1.Snapshot` with their file
//!   descriptor set;
//! - a message's `log_time` is the entry's wall clock in nanoseconds, its `sequence` the entry's place in the
//!   tap (its low 32 bits);
//! - a metadata record `rl-console` with the version of the form (`form`), of the program (`host_version`)
//!   and the start of the station (`station_started_wall_ms`);
//! - chunks compressed by zstd, written whole when they are full and once a second, so that a killed process
//!   leaves every finished chunk.
//!
//! It begins with a snapshot. Where the recorder fell behind there is a `Loss` entry and, after it, a new
//! snapshot. Secrets are withheld before an entry is in the tap, so none can be in a recording.

mod format;
mod reader;
mod recorder;
mod writer;

pub use format::RecordingInfo;
pub use reader::{Damage, OpenError, RecordedItem, RecordingReader, read};
pub use recorder::{EncodedSnapshot, Recorder, RecorderEvent, SnapshotFuture, Sources, Summary};
