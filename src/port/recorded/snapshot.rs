//! The whole, and the station's own part.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use prost::Message as _;

use super::{
    macp::{live_macp, recorded_macp},
    mpp::{live_mpp, recorded_mpp},
    rmp::{live_rmp, recorded_rmp},
    runs::{live_runs, recorded_runs},
};
use crate::{
    ids::Seq,
    port::{AsOf, HostState, RecordingView, Snapshot, StationView},
    tap::{
        entry::Link,
        recorded::{
            DecodeError,
            plain::{self, moment, now},
            wire,
        },
    },
};

const NOTHING: wire::Nothing = wire::Nothing {};

impl Snapshot {
    /// Its recorded form.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let Self { as_of, at, station, mpp, rmp, runs, macp } = self;
        let as_of =
            Link::ALL.map(|link| wire::AsOf { link: plain::to_link(link), seq: as_of.0[link.index()].0 });
        wire::Snapshot {
            as_of: as_of.to_vec(),
            at: Some(moment(*at)),
            station: Some(recorded_station(station)),
            mpp: Some(recorded_mpp(mpp)),
            rmp: Some(recorded_rmp(rmp)),
            runs: Some(recorded_runs(runs)),
            macp: Some(recorded_macp(macp)),
        }
        .encode_to_vec()
    }

    /// Reads the recorded form.
    ///
    /// # Errors
    /// [`DecodeError`] names what is not known or not well.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let it = wire::Snapshot::decode(bytes)?;
        let mut as_of = AsOf::default();
        for link in it.as_of {
            as_of.0[plain::link(link.link, "as_of.link")?.index()] = Seq(link.seq);
        }
        Ok(Self {
            as_of,
            at: now(it.at, "snapshot.at")?,
            station: live_station(it.station.ok_or(DecodeError::Missing("snapshot.station"))?)?,
            mpp: live_mpp(it.mpp.ok_or(DecodeError::Missing("snapshot.mpp"))?)?,
            rmp: it.rmp.map_or_else(|| Ok(crate::rmp::Snapshot::default()), live_rmp)?,
            runs: it.runs.map_or_else(|| Ok(crate::runs::Snapshot::default()), live_runs)?,
            macp: it.macp.map_or_else(|| Ok(crate::macp::Snapshot::default()), live_macp)?,
        })
    }
}

fn recorded_station(
    StationView { data, started_at, hosts, store_failing, disk_low, recording }: &StationView,
) -> wire::StationView {
    use wire::host_view::State;
    let hosts = Link::ALL.map(|link| {
        let state = match &hosts[link.index()] {
            HostState::Starting => State::Starting(NOTHING),
            HostState::Up => State::Up(NOTHING),
            HostState::Down(why) => State::Down(why.to_string()),
        };
        wire::HostView { link: plain::to_link(link), state: Some(state) }
    });
    wire::StationView {
        data: path_bytes(data),
        started_at: Some(moment(*started_at)),
        hosts: hosts.to_vec(),
        store_failing: store_failing.as_deref().map(str::to_owned),
        disk_low: *disk_low,
        recording: recording.as_ref().map(|RecordingView { path, since, bytes }| wire::RecordingView {
            path: path_bytes(path),
            since: Some(moment(*since)),
            bytes: *bytes,
        }),
    }
}

fn live_station(it: wire::StationView) -> Result<StationView, DecodeError> {
    use wire::host_view::State;
    let mut hosts = Link::ALL.map(|_| HostState::Starting);
    for host in it.hosts {
        hosts[plain::link(host.link, "host.link")?.index()] =
            match host.state.ok_or(DecodeError::Missing("host.state"))? {
                State::Starting(_) => HostState::Starting,
                State::Up(_) => HostState::Up,
                State::Down(why) => HostState::Down(Arc::from(why)),
            };
    }
    let recording = it.recording.map(|it| {
        let since = now(it.since, "recording.since")?;
        Ok::<_, DecodeError>(RecordingView { path: live_path(it.path), since, bytes: it.bytes })
    });
    Ok(StationView {
        data: live_path(it.data),
        started_at: now(it.started_at, "started_at")?,
        hosts,
        store_failing: it.store_failing.map(Arc::from),
        disk_low: it.disk_low,
        recording: recording.transpose()?,
    })
}

fn path_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

fn live_path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}
