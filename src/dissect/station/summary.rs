//! What the station's own entries tell.

use std::borrow::Cow;

use crate::{
    dissect::{outcome::EntryOutcome, summary::EntrySummary},
    ids::PluginId,
    tap::entry::{
        alerts::AlertChange,
        station::{Level, Transition},
    },
    words::format,
};

pub(super) fn summary(transition: &Transition) -> EntrySummary<'static> {
    use Transition as T;
    let (kind, standing) = match transition {
        T::Started => ("started", EntryOutcome::Plain),
        T::HostUp { .. } => ("host_up", EntryOutcome::Plain),
        T::HostDown { .. } => ("host_down", EntryOutcome::Bad),
        T::StoreOk => ("store_well", EntryOutcome::Plain),
        T::StoreFailing => ("store_failing", EntryOutcome::Bad),
        T::RecordingStarted => ("rec_started", EntryOutcome::Plain),
        T::RecordingGrew { .. } => ("rec_grew", EntryOutcome::Plain),
        T::RecordingStopped { .. } => ("rec_stopped", EntryOutcome::Plain),
        T::RecordingFailed { .. } => ("rec_failed", EntryOutcome::Bad),
        T::AlwaysRecording => ("rec_always", EntryOutcome::Plain),
        T::DiskLow { .. } => ("disk_low", EntryOutcome::Warn),
        T::DiskFree { .. } => ("disk_free", EntryOutcome::Plain),
        T::DiskOk { .. } => ("disk_well", EntryOutcome::Plain),
        T::Operated { .. } => ("operated", EntryOutcome::Plain),
        T::OperationEnded { .. } => ("op_ended", EntryOutcome::Plain),
        T::Marked { .. } => ("mark", EntryOutcome::Plain),
        T::Triggered { is_alert: true, .. } => ("triggered", EntryOutcome::Warn),
        T::Triggered { .. } => ("triggered", EntryOutcome::Plain),
        T::Notice { level } => ("notice", EntryOutcome::of_level(*level)),
        T::TurnedAway { .. } => ("turned_away", EntryOutcome::Warn),
        T::TokenShown { .. } => ("token_shown", EntryOutcome::Bad),
        T::Alert { change: AlertChange::Raised, .. } => ("alert", EntryOutcome::Warn),
        T::Alert { .. } => ("alert", EntryOutcome::Plain),
        T::Restarted => ("notice", EntryOutcome::of_level(Level::Warn)),
        T::Stopping { .. } => ("stopping", EntryOutcome::Warn),
    };
    EntrySummary { kind, outcome: standing, ..EntrySummary::default() }
}

pub(super) fn line(transition: &Transition) -> Cow<'static, str> {
    use Transition as T;
    match transition {
        T::Started => "station started".into(),
        T::HostUp { link } => format!("{} is up", link.name()).into(),
        T::HostDown { link } => format!("{} is down", link.name()).into(),
        T::StoreOk => "the store accepts commits again".into(),
        T::StoreFailing => "the store refuses commits".into(),
        T::RecordingStarted => "recording started".into(),
        T::RecordingGrew { bytes } => format!("{} so far", format::bytes(*bytes)).into(),
        T::RecordingStopped { bytes } => format!("{} recorded", format::bytes(*bytes)).into(),
        T::RecordingFailed { .. } => "recording failed".into(),
        T::AlwaysRecording => "always recording".into(),
        T::DiskLow { free_bytes } => format!("nearly full: {} free", format::bytes(*free_bytes)).into(),
        T::DiskFree { free_bytes } => format!("{} free", format::bytes(*free_bytes)).into(),
        T::DiskOk { free_bytes } => format!("{} free again", format::bytes(*free_bytes)).into(),
        T::Operated { by, .. } | T::Marked { by, .. } => {
            by.as_ref().map_or_else(|| "by an operator".into(), |by| format!("by {by}").into())
        }
        T::OperationEnded { .. } => "operation ended".into(),
        T::Triggered { name, .. } => format!("trigger {name}").into(),
        T::Notice { level } => level.name().into(),
        T::TurnedAway { why, count } => format!("{count} by the metrics port: {}", why.name()).into(),
        T::TokenShown { plugin } => {
            let of = plugin.as_ref().map_or("a plugin", PluginId::as_str);
            format!("{of} showed a token of this station on the bus").into()
        }
        T::Alert { change, alert } => format!("{} {}: {}", alert.id, change.name(), alert.text).into(),
        T::Restarted => Level::Warn.name().into(),
        T::Stopping { .. } => "station stopping".into(),
    }
}
