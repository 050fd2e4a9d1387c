//! What writer and reader agree on.

use std::collections::BTreeMap;

use crate::{tap::recorded, time::Wall};

/// The topic of snapshots; the topic of an entry is its link's name.
pub(super) const SNAPSHOT_TOPIC: &str = "snapshot";

/// The encoding of messages and of their schemas.
pub(super) const ENCODING: &str = "protobuf";

/// The name of the metadata record.
pub(super) const METADATA: &str = "rl-console";

const FORM: &str = "form";
const HOST_VERSION: &str = "host_version";
const STARTED: &str = "station_started_wall_ms";

/// What a recording says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingInfo {
    /// The version of rl-console that recorded it.
    pub host_version: String,
    /// When its station was started.
    pub station_started: Wall,
}

impl RecordingInfo {
    pub(super) fn to_metadata(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            (FORM.to_owned(), recorded::VERSION.to_string()),
            (HOST_VERSION.to_owned(), self.host_version.clone()),
            (STARTED.to_owned(), self.station_started.0.to_string()),
        ])
    }

    /// The version of the form, and the rest.
    pub(super) fn from_metadata(metadata: &BTreeMap<String, String>) -> Option<(u32, Self)> {
        let form = metadata.get(FORM)?.parse().ok()?;
        let host_version = metadata.get(HOST_VERSION)?.clone();
        let station_started = Wall(metadata.get(STARTED)?.parse().ok()?);
        Some((form, Self { host_version, station_started }))
    }
}
