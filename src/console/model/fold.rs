//! Moves a snapshot's state on by one entry.

use crate::{
    limits, macp, mpp,
    port::{HostState, RecordingView, StationView},
    rmp, runs,
    tap::{
        EntryRef,
        entry::{What, station as station_events},
    },
};

/// The station's own.
pub(crate) fn station(view: &mut StationView, transition: station_events::Transition, entry: EntryRef<'_>) {
    use station_events::Transition as T;
    match transition {
        T::HostUp { link } => view.hosts[link.index()] = HostState::Up,
        T::HostDown { link } => view.hosts[link.index()] = HostState::Down(entry.text().as_ref().into()),
        T::StoreOk => view.store_failing = None,
        T::StoreFailing => view.store_failing = Some(entry.text().as_ref().into()),
        T::RecordingStarted => {
            view.recording =
                Some(RecordingView { path: entry.text().as_ref().into(), since: entry.entry.at, bytes: 0 });
        }
        T::RecordingGrew { bytes } => {
            if let Some(recording) = &mut view.recording {
                recording.bytes = bytes;
            }
        }
        T::RecordingStopped { .. } => view.recording = None,
        T::DiskLow { free_bytes } => view.disk_low = Some(free_bytes),
        T::DiskOk { .. } => view.disk_low = None,
        T::Started | T::RecordingFailed | T::Operated | T::Notice { .. } | T::Stopping => {}
    }
}

/// The bridge's.
pub(crate) fn mpp(view: &mut mpp::Snapshot, entry: EntryRef<'_>, limits: &limits::Mpp) {
    match &entry.entry.what {
        What::Transition(_) => view.apply(entry.entry, &entry.text(), limits),
        _ => view.apply(entry.entry, "", limits),
    }
}

/// The broker's. What lies beside a frame is not read.
pub(crate) fn rmp(view: &mut rmp::Snapshot, entry: EntryRef<'_>, limits: &limits::Rmp) {
    match &entry.entry.what {
        What::Transition(_) => view.apply(entry.entry, &entry.text(), limits),
        _ => view.apply(entry.entry, "", limits),
    }
}

/// The runs'.
pub(crate) fn runs(view: &mut runs::Snapshot, entry: EntryRef<'_>, limits: &limits::Runs) {
    if let What::Transition(_) = &entry.entry.what {
        view.apply(entry.entry, &entry.text(), limits);
    }
}

/// The MACP runtime's. What lies beside a frame is not read.
pub(crate) fn macp(view: &mut macp::Snapshot, entry: EntryRef<'_>, limits: &limits::Macp) {
    match &entry.entry.what {
        What::Transition(_) => view.apply(entry.entry, &entry.text(), limits),
        _ => view.apply(entry.entry, "", limits),
    }
}
