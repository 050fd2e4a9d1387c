//! The station's transitions.

use super::{error::DecodeError, plain, wire};
use crate::tap::entry::station::Transition;

pub(super) fn recorded(transition: &Transition) -> wire::StationTransition {
    use wire::station_transition::Kind;
    const NOTHING: wire::Nothing = wire::Nothing {};
    let kind = match *transition {
        Transition::Started => Kind::Started(NOTHING),
        Transition::HostUp { link } => Kind::HostUp(plain::to_link(link)),
        Transition::HostDown { link } => Kind::HostDown(plain::to_link(link)),
        Transition::StoreOk => Kind::StoreWell(NOTHING),
        Transition::StoreFailing => Kind::StoreFailing(NOTHING),
        Transition::RecordingStarted => Kind::RecordingStarted(NOTHING),
        Transition::RecordingGrew { bytes } => Kind::RecordingGrewBytes(bytes),
        Transition::RecordingStopped { bytes } => Kind::RecordingStoppedBytes(bytes),
        Transition::RecordingFailed => Kind::RecordingFailed(NOTHING),
        Transition::DiskLow { free_bytes } => Kind::DiskLowFreeBytes(free_bytes),
        Transition::DiskOk { free_bytes } => Kind::DiskWellFreeBytes(free_bytes),
        Transition::Operated => Kind::Operated(NOTHING),
        Transition::Notice { level } => Kind::Notice(plain::to_level(level)),
        Transition::Restarted => Kind::Restarted(NOTHING),
        Transition::Stopping => Kind::Stopping(NOTHING),
    };
    wire::StationTransition { kind: Some(kind) }
}

/// What an attached console of an older version says where its station was started again.
const RESTARTED_NOTICE: &[u8] = b"the station was started again: what follows is of the new start";

/// A transition; `text` is what lies beside its entry.
pub(super) fn live(transition: wire::StationTransition, text: &[u8]) -> Result<Transition, DecodeError> {
    use wire::station_transition::Kind;
    Ok(match transition.kind.ok_or(DecodeError::Missing("station.kind"))? {
        Kind::Started(_) => Transition::Started,
        Kind::HostUp(link) => Transition::HostUp { link: plain::link(link, "host_up")? },
        Kind::HostDown(link) => Transition::HostDown { link: plain::link(link, "host_down")? },
        Kind::StoreWell(_) => Transition::StoreOk,
        Kind::StoreFailing(_) => Transition::StoreFailing,
        Kind::RecordingStarted(_) => Transition::RecordingStarted,
        Kind::RecordingGrewBytes(bytes) => Transition::RecordingGrew { bytes },
        Kind::RecordingStoppedBytes(bytes) => Transition::RecordingStopped { bytes },
        Kind::RecordingFailed(_) => Transition::RecordingFailed,
        Kind::DiskLowFreeBytes(free_bytes) => Transition::DiskLow { free_bytes },
        Kind::DiskWellFreeBytes(free_bytes) => Transition::DiskOk { free_bytes },
        Kind::Operated(_) => Transition::Operated,
        Kind::Notice(_) if text == RESTARTED_NOTICE => Transition::Restarted,
        Kind::Notice(level) => Transition::Notice { level: plain::level(level, "notice")? },
        Kind::Restarted(_) => Transition::Restarted,
        Kind::Stopping(_) => Transition::Stopping,
    })
}
