//! What details are made of.

use crate::{
    console::{
        draw::{class::Class, format},
        model::ReportLine,
        settings::view::View,
    },
    tap::entry::station::Level,
    time::{Now, Wall},
};

/// Characters of a text that are shown.
const CHARS_MAX: usize = 16_000;

/// A fact that anybody may see.
pub(crate) fn detail(name: &'static str, value: impl Into<String>) -> ReportLine {
    ReportLine::Detail(name, value.into(), Class::Public)
}

/// What agents and viewers said, as much of it as is shown.
pub(crate) fn payload(name: &'static str, value: &str) -> ReportLine {
    ReportLine::Detail(name, value.chars().take(CHARS_MAX).collect(), Class::Payload)
}

/// A line of a log: when it came, its level and its text.
pub(crate) fn notice_details(
    view: &View,
    at: Now,
    level: Level,
    text: &str,
    class: Class,
) -> Vec<ReportLine> {
    vec![
        detail("at", view.time_of_day(at)),
        detail("level", level.name()),
        ReportLine::Detail("", text.to_owned(), class),
    ]
}

/// Names in a row, so many of them at most, and how many more there are.
pub(crate) fn join_some<S: AsRef<str>>(names: impl IntoIterator<Item = S>, max: usize) -> String {
    let mut names = names.into_iter();
    let shown: Vec<S> = names.by_ref().take(max).collect();
    let shown = shown.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names.count() {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A time of day, to the millisecond.
pub(crate) fn at(view: &View, wall: Wall) -> String {
    format::time_of_day_ms(wall, &view.zone)
}
