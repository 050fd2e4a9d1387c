//! A system as it declares itself to the screen: its chip, how it is, and what it asks of the station.

use std::fmt;

use super::{
    effect::Effect,
    layout::Layout,
    pane::{PaneContext, Room},
    state::Ui,
};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::{Model, Report, ReportLine},
        records::{
            details_record::DetailsRecord,
            entry_query::EntryQuery,
            record_key::{KeyKind, RecordKey},
            row::PaneRecord,
        },
        settings::view::View,
    },
    ids::TraceId,
    tap::entry::Link,
    time::{Mono, Now},
};

/// A system.
pub(crate) struct System {
    pub(crate) link: Link,
    /// What its details are titled with.
    pub(crate) title: &'static str,
    /// The view that is about it.
    pub(crate) view: ViewId,
    /// The name of its chip.
    pub(crate) chip: &'static str,
    /// The figure of its chip; empty where there is none to be shown, or no room for it.
    pub(crate) figure: fn(&PaneContext<'_>, Room) -> String,
    /// Its condition, why, and what to do.
    pub(crate) report: fn(&Model, Now) -> Report,
    /// What is to be asked of the station now of the record that is shown, beside the lists of panes.
    pub(crate) queries: fn(&mut Ui, &Layout, &Model, Mono) -> Vec<Effect>,
}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("System").field(&self.link).finish()
    }
}

impl PartialEq for System {
    fn eq(&self, other: &Self) -> bool {
        self.link == other.link
    }
}

impl Eq for System {}

/// A chip of the second line: a system, or a pane that has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChipId {
    System(&'static System),
    Hidden(PaneId),
}

/// A system, by its link.
pub(crate) const SYSTEM: KeyKind<Link> = KeyKind::new("system");

impl DetailsRecord for &'static System {
    fn key(&self) -> RecordKey {
        SYSTEM.of(self.link)
    }

    fn title(&self, _model: &Model) -> String {
        self.title.to_owned()
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        (self.report)(model, view.now).lines
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        None
    }

    fn entry(&self) -> Option<EntryQuery> {
        None
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}
