//! What of the station itself a person should read in the Journal.

use crate::{
    console::{
        draw::format,
        model::{
            Model,
            journal::{NoticeDraft, Origin},
        },
        settings::config_watcher::Fault,
    },
    tap::entry::{
        Link,
        station::{Level, OperatedBy, Transition as T},
    },
    time::Now,
    words::counted,
};

/// What a transition says, if it is worth a line.
pub(super) fn describe(transition: &T, text: &str) -> Option<NoticeDraft> {
    if let Some(words) = said_by_person(transition, text) {
        return Some(NoticeDraft::new(Level::Info, Origin::System(Link::Station), words));
    }
    let (level, words) = match transition {
        T::Started => (Level::Info, "station started".to_owned()),
        T::HostUp { link } => (Level::Info, format!("{} is up", link.name())),
        T::HostDown { link } => (Level::Error, format!("{} is down: {text}", link.name())),
        T::StoreOk => (Level::Info, "the store accepts commits again".to_owned()),
        T::StoreFailing => (Level::Error, format!("the store refuses commits: {text}")),
        T::RecordingStarted => (Level::Info, format!("recording to {text}")),
        T::RecordingStopped { bytes } => {
            (Level::Info, format!("recorded {}: {text}", counted(*bytes, "byte")))
        }
        T::AlwaysRecording if text.is_empty() => return None,
        T::AlwaysRecording => (Level::Info, format!("always recording, to {text}")),
        T::RecordingFailed { .. } => (Level::Error, format!("recording failed: {text}")),
        T::DiskLow { free_bytes } => {
            let free = format::bytes(*free_bytes);
            (Level::Warn, format!("the data folder's disk is nearly full: {free} free"))
        }
        T::DiskOk { free_bytes } => {
            let free = format::bytes(*free_bytes);
            (Level::Info, format!("the data folder's disk has space again: {free} free"))
        }
        T::Triggered { name, is_alert, .. } => {
            let level = if *is_alert { Level::Warn } else { Level::Info };
            (level, format!("trigger {name}: {text}"))
        }
        T::Notice { level } => (*level, text.to_owned()),
        T::TokenShown { .. } => (Level::Error, text.to_owned()),
        T::Restarted => (Level::Warn, text.to_owned()),
        T::Stopping { by } => {
            let words = "station stopping";
            let by = by.as_ref().map_or_else(String::new, |by| format!(": stopped by {by}"));
            (Level::Warn, format!("{words}{by}"))
        }
        // A notice says it where it is worth a line, and alerts have their tray.
        // What was done is said as it begins.
        T::RecordingGrew { .. }
        | T::DiskFree { .. }
        | T::TurnedAway { .. }
        | T::OperationEnded { .. }
        | T::Operated { .. }
        | T::Marked { .. }
        | T::Alert { .. } => return None,
    };
    Some(NoticeDraft::new(level, Origin::System(Link::Station), words))
}

/// What a command or a mark says, and who gave it; nothing where it is neither.
pub(crate) fn said_by_person(transition: &T, text: &str) -> Option<String> {
    match transition {
        T::Operated { by, .. } => Some(operated(by.as_ref(), text)),
        T::Marked { by, .. } => {
            let words = if text.is_empty() { "mark".to_owned() } else { format!("mark: {text}") };
            Some(operated(by.as_ref(), &words))
        }
        _ => None,
    }
}

/// What an operator did, and who did it where that is not this console's own process.
fn operated(by: Option<&OperatedBy>, what: &str) -> String {
    match by.filter(|by| by.session.is_some()) {
        Some(by) => format!("{what}, by {by}"),
        None => what.to_owned(),
    }
}

/// Tells the Journal what is new about the files: `before` is what was known to be wrong.
pub(crate) fn journal_changes(
    model: &mut Model,
    before: &[Fault],
    faults: &[Fault],
    later: &[String],
    now: Now,
) {
    for fault in faults.iter().filter(|fault| !before.contains(fault)) {
        model.note(Level::Warn, &format!("{fault}: {}", fault.hint), now);
    }
    for key in later {
        model.note(Level::Info, &format!("{key}: takes effect at the next start"), now);
    }
    if faults.is_empty() && !before.is_empty() {
        model.note(Level::Info, "configuration and themes valid again and reloaded", now);
    }
}
