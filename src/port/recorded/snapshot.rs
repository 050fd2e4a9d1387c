//! The whole, and the station's own part.

use prost::Message as _;

use crate::{
    ids::Seq,
    port::{
        AlertList, AsOf, HostState, RecordingView, Snapshot, StationView, StoppingView, systems::systems,
    },
    tap::{
        entry::Link,
        recorded::{DecodeError, Recorded, recorded, wire},
    },
    time::ClockShift,
};

impl Snapshot {
    /// Its recorded form.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let form: wire::Snapshot = self.recorded();
        form.encode_to_vec()
    }

    /// Reads the recorded form.
    ///
    /// # Errors
    /// [`DecodeError`] names what is not known or not well.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::decode_shifted(bytes, ClockShift::default())
    }

    /// Reads the recorded form of another process, on the clock of this one.
    ///
    /// # Errors
    /// [`DecodeError`] names what is not known or not well.
    pub fn decode_shifted(bytes: &[u8], shift: ClockShift) -> Result<Self, DecodeError> {
        Self::live(wire::Snapshot::decode(bytes)?, "snapshot", shift)
    }
}

/// Declares how a snapshot is recorded: the station, and each system that it hosts.
macro_rules! declare {
    ($(
        #[doc = $about:literal]
        $System:ident $module:ident $(($Command:ident $Outcome:ident $Refused:ident))? { $($hint:tt)* }
    )*) => {
        recorded! { struct Snapshot = Snapshot "snapshot" { at, as_of, station, $($module),* } }
    };
}

systems!(declare);

recorded! {
    struct StationView = StationView "station" {
        data, started_at, hosts, store_failing, disk_low, recording, alerts, is_rehearsal, injected_traces,
        injected_without_rows, injected_entries, always_recording, stopping,
    }
    default struct AlertList = StationAlerts "alerts" { all, cut, max }
    struct StoppingView = StoppingView "stopping" { by, at }
    struct RecordingView = RecordingView "recording" { path, since, bytes }
    enum HostState = host_view::State, "host" { Starting = Starting, Up = Up, Down(why) = Down(why) }
}

/// A place in the tap for each link.
impl Recorded<Vec<wire::AsOf>> for AsOf {
    fn recorded(&self) -> Vec<wire::AsOf> {
        Link::ALL.map(|link| wire::AsOf { link: link.recorded(), seq: self.0[link.index()].0 }).to_vec()
    }

    fn live(all: Vec<wire::AsOf>, _: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        let mut as_of = Self::default();
        for wire::AsOf { link, seq } in all {
            as_of.0[Link::live(link, "as_of.link", shift)?.index()] = Seq(seq);
        }
        Ok(as_of)
    }
}

/// The state of each link's host.
impl Recorded<Vec<wire::HostView>> for [HostState; Link::ALL.len()] {
    fn recorded(&self) -> Vec<wire::HostView> {
        Link::ALL
            .map(|link| wire::HostView { link: link.recorded(), state: self[link.index()].recorded() })
            .to_vec()
    }

    fn live(all: Vec<wire::HostView>, _: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        let mut hosts = Link::ALL.map(|_| HostState::Starting);
        for wire::HostView { link, state } in all {
            hosts[Link::live(link, "host.link", shift)?.index()] =
                Recorded::live(state, "host.state", shift)?;
        }
        Ok(hosts)
    }
}
