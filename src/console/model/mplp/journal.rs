//! What of lifecycle records a person should read in the Journal.

use crate::{
    console::model::journal::{Grouping, NoticeDraft, Origin},
    mplp::{RecordKind, Transition as T},
    tap::entry::{Link, station::Level},
    words::counted,
};

/// What a transition says.
pub(crate) fn describe(transition: &T, text: &str) -> NoticeDraft {
    let (level, of, words) = match transition {
        T::Withheld { schema, rule, path, .. } => {
            let words = format!("withheld, a fault of rl-console: {rule} at {path} of a {schema}: {text}");
            (Level::Error, format!("withheld {rule}"), words)
        }
        T::Rated { verdict, by, .. } => {
            (Level::Info, "rated".to_owned(), format!("run rated {} by {by}", verdict.name()))
        }
        T::Exported { record, items, findings } => {
            let level = if *findings > 0 { Level::Warn } else { Level::Info };
            let of = match record.kind {
                RecordKind::Station => "the station".to_owned(),
                kind => format!("a {}", kind.name()),
            };
            let (items, findings) = (counted(*items, "item"), counted(*findings, "finding"));
            (level, "exported".to_owned(), format!("record of {of} exported: {items}, {findings}"))
        }
    };
    NoticeDraft::new(level, Origin::System(Link::Mplp), words).grouped(Grouping::Repeated(of))
}
