//! A pane as its system declares it: everything that the screen asks of one, in one place.
//!
//! A pane is data rather than a trait, so that a new one is a literal whose every field the compiler asks
//! for.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::theme::Role,
        model::{Model, PastLoading},
        records::Rows,
        settings::view::{Canvas, View},
        ui::{ledger::Account, paged_lists::Pages, state::Ui},
    },
    field::{Column, Spec},
};

/// What a pane is described with: the model of the moment that is shown, the state of the screen, and how it
/// is looked at.
#[derive(Clone, Copy)]
pub(crate) struct PaneContext<'a> {
    pub(crate) model: &'a Model,
    pub(crate) ui: &'a Ui,
    pub(crate) view: &'a View,
}

/// A pane.
pub(crate) struct Pane {
    /// The fields of its rows; none for a pane without rows.
    pub(crate) specs: &'static [Spec],
    /// The columns that it has by itself.
    pub(crate) columns: Columns,
    pub(crate) source: Source,
    /// Its rows as they come, unfiltered, in its own order.
    pub(crate) rows: for<'a> fn(&'a Ui, &'a Model) -> Rows<'a>,
    /// What the station is asked for, for this pane.
    pub(crate) pages: Pages,
    /// The filter that a console begins with.
    pub(crate) filter: Option<&'static str>,
    pub(crate) title: Title,
    /// Why it has no rows at all.
    pub(crate) empty: Empty,
    pub(crate) drawing: Drawing,
    /// Its chip while it has no room; none where its system's chip says it.
    pub(crate) chip: Option<fn(&PaneContext<'_>, Room) -> PaneChip>,
    /// Its account, by how many rows there are without its filter; none for a pane without records.
    pub(crate) ledger: fn(&Ui, &Model, u64) -> Option<Account>,
}

impl Pane {
    /// Whether it lists records.
    pub(crate) const fn has_rows(&self) -> bool {
        !self.specs.is_empty()
    }
}

/// The columns that a pane has by itself.
pub(crate) enum Columns {
    /// Those that the fields declare.
    Declared,
    /// These, by the names of their fields.
    Named(&'static [(&'static str, Column)]),
    /// Those of the moment.
    Of(fn(&Ui) -> &'static [(&'static str, Column)]),
}

/// Where a pane's rows come from, and with that which order they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The model, which has them all: they are sorted and filtered here.
    Model,
    /// The model; unsorted, the list follows its end.
    Following,
    /// A list that the station gives whole.
    Whole,
    /// Pages of the store, in its order by a field; their filter goes with the question.
    Pages { field: &'static str, oldest_first: bool },
    /// Pages of the store too, which a list over the panes keeps itself, the oldest first.
    OwnPages { field: &'static str },
    /// The tap, in its order by a field.
    Tap { field: &'static str },
}

impl Source {
    /// The field that rows are always ordered by.
    pub(crate) const fn order(self) -> Option<&'static str> {
        match self {
            Self::Model | Self::Following | Self::Whole => None,
            Self::Pages { field, .. } | Self::OwnPages { field } | Self::Tap { field } => Some(field),
        }
    }

    /// Whether rows come from the store in pages.
    pub(crate) const fn is_paged(self) -> bool {
        matches!(self, Self::Pages { .. } | Self::OwnPages { .. })
    }
}

/// A pane's title.
pub(crate) enum Title {
    /// Its name.
    Name,
    Of(fn(&PaneContext<'_>) -> String),
    /// A title, and what stands behind it, for it is the first thing that one looks for: why a run did not
    /// succeed, how a session ended.
    With(fn(&PaneContext<'_>) -> String, fn(&PaneContext<'_>) -> Option<(String, Role)>),
}

/// Why a pane has no rows at all.
pub(crate) enum Empty {
    Text(&'static str),
    /// A text that holds once the past is there, of what this console was told since it came up otherwise.
    Past(&'static str),
    Of(fn(&PaneContext<'_>) -> String),
    /// A text of several lines, which stands as well where the filter that a console begins with leaves
    /// nothing.
    Wrapped(fn(&PaneContext<'_>) -> String),
}

impl Empty {
    /// The text.
    pub(crate) fn text(&self, cx: &PaneContext<'_>) -> Cow<'static, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Past(text) => Cow::Owned(past_text(text, cx)),
            Self::Of(text) | Self::Wrapped(text) => Cow::Owned(text(cx)),
        }
    }
}

/// That nothing is known of something, as far back as this console knows.
fn past_text(nothing: &str, cx: &PaneContext<'_>) -> String {
    let PaneContext { model, view, .. } = cx;
    if let Some(progress) = model.past.progress() {
        return progress;
    }
    let started = model.station_state.as_ref().map(|state| state.station.started_at);
    let since = model.known_since.filter(|since| started.is_none_or(|started| since.mono > started.mono));
    let since = match since {
        Some(since) if model.attachment.is_some() => view.time_of_day(since),
        _ => "start".to_owned(),
    };
    match &model.past {
        PastLoading::Missing(why) => {
            format!("{nothing} since {since}, when this console attached: {why}")
        }
        PastLoading::Complete | PastLoading::Loading { .. } => format!("{nothing} since {since}"),
    }
}

/// How a pane is drawn.
pub(crate) enum Drawing {
    /// Its rows as a table.
    Table,
    /// As a table, with signs on it or on the pane's frame: drawn over its whole area. Whether it has rows.
    Marked(fn(&mut Canvas<'_>, Rect, bool, &PaneContext<'_>)),
    /// In a way of its own, inside its frame.
    Own(fn(&mut Canvas<'_>, Rect, &PaneContext<'_>)),
}

/// How much room the chips have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Room {
    /// Names, and figures that say something.
    Least,
    Tight,
    Narrow,
    Wide,
}

/// The chip of a pane that has no room.
pub(crate) struct PaneChip {
    pub(crate) name: &'static str,
    pub(crate) figure: String,
    pub(crate) role: Role,
}

impl PaneChip {
    pub(crate) fn new(name: &'static str, figure: impl Into<String>, role: Role) -> Self {
        Self { name, figure: figure.into(), role }
    }

    /// One whose figure warns of something.
    pub(crate) fn warning(name: &'static str, figure: impl Into<String>, warns: bool) -> Self {
        Self::new(name, figure, if warns { Role::Warn } else { Role::Text })
    }
}
