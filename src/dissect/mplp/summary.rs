//! What the entries of lifecycle records tell.

use std::borrow::Cow;

use crate::{
    dissect::{outcome::EntryOutcome, summary::EntrySummary},
    tap::entry::mplp::{RecordKind, RecordRef, Transition as T},
    words::counted,
};

/// What a transition tells of.
pub(super) fn summary(transition: &T) -> EntrySummary<'_> {
    let outcome = match transition {
        T::Withheld { .. } => EntryOutcome::Bad,
        T::Exported { findings: 1.., .. } => EntryOutcome::Warn,
        T::Rated { .. } | T::Exported { .. } => EntryOutcome::Plain,
    };
    EntrySummary { kind: transition.name(), outcome, ..EntrySummary::default() }
}

/// What happened, in one line.
pub(super) fn line(transition: &T) -> Cow<'static, str> {
    match transition {
        T::Withheld { schema, rule, path, .. } => format!("{schema} of ours: {rule} at {path}").into(),
        T::Rated { verdict, by, .. } => format!("{} by {by}", verdict.name()).into(),
        T::Exported { record, items, findings } => {
            format!("{}: {}, {}", of(record), counted(*items, "item"), counted(*findings, "finding")).into()
        }
    }
}

/// A record in words.
fn of(record: &RecordRef) -> String {
    match record.kind {
        RecordKind::Run | RecordKind::Session => format!("{} {}", record.kind.name(), record.id),
        RecordKind::Station => "the station".to_owned(),
    }
}
