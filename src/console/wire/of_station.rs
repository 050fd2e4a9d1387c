//! What the station's own entries tell.

use std::borrow::Cow;

use super::{standing::Standing, told::Told};
use crate::{console::format, tap::entry::station::Transition};

pub(super) fn told(transition: Transition) -> Told<'static> {
    use Transition as T;
    let (kind, standing) = match transition {
        T::Started => ("started", Standing::Plain),
        T::HostUp { .. } => ("host_up", Standing::Plain),
        T::HostDown { .. } => ("host_down", Standing::Bad),
        T::StoreWell => ("store_well", Standing::Plain),
        T::StoreFailing => ("store_failing", Standing::Bad),
        T::RecordingStarted => ("rec_started", Standing::Plain),
        T::RecordingGrew { .. } => ("rec_grew", Standing::Plain),
        T::RecordingStopped { .. } => ("rec_stopped", Standing::Plain),
        T::RecordingFailed => ("rec_failed", Standing::Bad),
        T::DiskLow { .. } => ("disk_low", Standing::Warn),
        T::DiskWell { .. } => ("disk_well", Standing::Plain),
        T::Operated => ("operated", Standing::Plain),
        T::Notice { level } => ("notice", Standing::of_level(level)),
        T::Stopping => ("stopping", Standing::Warn),
    };
    Told { kind, standing, ..Told::default() }
}

pub(super) fn line(transition: Transition) -> Cow<'static, str> {
    use Transition as T;
    match transition {
        T::Started => "the station is up".into(),
        T::HostUp { link } => format!("{} is up", link.name()).into(),
        T::HostDown { link } => format!("{} is down", link.name()).into(),
        T::StoreWell => "the store takes commits again".into(),
        T::StoreFailing => "the store refuses commits".into(),
        T::RecordingStarted => "a recording was begun".into(),
        T::RecordingGrew { bytes } => format!("{} are recorded", format::bytes(bytes)).into(),
        T::RecordingStopped { bytes } => format!("{} were recorded", format::bytes(bytes)).into(),
        T::RecordingFailed => "not recorded".into(),
        T::DiskLow { free_bytes } => format!("nearly full: {} are free", format::bytes(free_bytes)).into(),
        T::DiskWell { free_bytes } => format!("{} are free again", format::bytes(free_bytes)).into(),
        T::Operated => "by an operator".into(),
        T::Notice { level } => level.name().into(),
        T::Stopping => "the station is going down".into(),
    }
}
