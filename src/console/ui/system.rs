//! A system as it declares itself to the screen: its chip, how it is, and what it asks of the station.

use std::fmt;

use super::{
    act::{ActContext, Resolved},
    effect::Effect,
    layout::Layout,
    pane::{PaneContext, Room},
    question::Question,
    state::Ui,
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId, view_id::ViewId},
        model::{Model, Report, ReportLine, station::StationState},
        records::{
            ManualPlace,
            entry_query::EntryQuery,
            record_key::{KeyKind, RecordKey},
            row::{DetailsRecord, PaneRecord},
            system_state::SystemState,
        },
        settings::{shell::Shell, view::View},
    },
    ids::TraceId,
    limits,
    tap::entry::{Link, alerts::Alert},
    time::{Mono, Now, Wall},
};

/// What an action does, as a system has it; nothing where it is none of that system's here.
type ResolveFn = fn(Action, &PaneContext<'_>) -> Option<Resolved>;

/// A system.
pub(crate) struct System {
    pub(crate) link: Link,
    /// What its details are titled with.
    pub(crate) title: &'static str,
    /// The view that is about it.
    pub(crate) view: ViewId,
    /// The page of the manual about it.
    pub(crate) page: &'static str,
    /// The name of its chip.
    pub(crate) chip: &'static str,
    /// The figure of its chip; empty where there is none to be shown, or no room for it.
    pub(crate) figure: fn(&PaneContext<'_>, Room) -> String,
    /// What an action does where this system has something to say of it before all others: mostly by the
    /// record that the keys are for. No two systems answer in the same place.
    pub(crate) act_first: ResolveFn,
    /// What an action does where no system answered first.
    pub(crate) act_otherwise: ResolveFn,
    /// Its condition, why, and what to do.
    pub(crate) report: fn(&Model, Now) -> Report,
    /// The message once it was started again.
    pub(crate) restarted: &'static str,
    /// What waits for a person's answer.
    pub(crate) questions: fn(&StationState) -> Questions,
    /// Its questions that can still be answered, as they are listed.
    pub(crate) listed_questions: for<'a> fn(&'a StationState) -> Vec<&'a dyn Question>,
    /// What an alert of it is about: the pane that shows it, and the record there where it is one.
    pub(crate) alert_object: fn(&Alert, &StationState) -> (PaneId, Option<RecordKey>),
    /// What an operator's brakes hold back of it; none where it has no brakes.
    pub(crate) brakes: Option<for<'a> fn(&'a StationState) -> Brakes<'a>>,
    /// Takes what was kept for it from the start before.
    pub(crate) begin: fn(&mut SystemState, &Shell, &limits::Console),
    /// Takes the marks off its records; whether there were any.
    pub(crate) unmark: fn(&mut SystemState) -> bool,
    /// Puts away what it shows unasked, once there is nothing else to go back from.
    pub(crate) dismiss: fn(&mut Ui, &Model),
    /// Goes on with what waits for the station or the operator, once an event had its effect. Whether that
    /// event was a tick.
    pub(crate) after_event: fn(&mut Ui, &ActContext<'_>, bool) -> Vec<Effect>,
    /// The lists whose selected record its other panes tell of, the one of what goes on first.
    pub(crate) masters: &'static [PaneId],
    /// Turns the panes that tell of one of its records to the one that is selected.
    pub(crate) follow: fn(&mut Ui, &Model, &Layout),
    /// Forgets what the station answered for the record that is shown, which is asked for again: a replay is
    /// at another place.
    pub(crate) forget: fn(&mut SystemState),
    /// The trace of the record that its panes tell of.
    pub(crate) detail_trace: fn(&Ui, &Model) -> Option<TraceId>,
    /// The queries that are due of the record that is shown, beside the lists of panes.
    pub(crate) queries: fn(&mut Ui, &Layout, &Model, Mono) -> Vec<Effect>,
}

impl System {
    /// Whether a pane is a list whose selected record other panes tell of.
    pub(crate) fn has_master(pane: PaneId) -> bool {
        Self::all().iter().any(|system| system.masters.contains(&pane))
    }
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

/// What waits of a system for a person's answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Questions {
    pub(crate) waiting: u64,
    /// When silence is the answer to the first of them.
    pub(crate) first_expires_at: Option<Wall>,
}

impl Questions {
    /// It asks nothing.
    pub(crate) const NONE: Self = Self { waiting: 0, first_expires_at: None };
}

/// What an operator's brakes hold back of a system.
#[derive(Debug)]
pub(crate) struct Brakes<'a> {
    /// What all of it is called.
    pub(crate) name: &'static str,
    /// How many parts of it are held, and of how many.
    pub(crate) held: usize,
    pub(crate) of: usize,
    pub(crate) draining: Vec<Drain<'a>>,
}

/// Whether all is held that can be.
pub(crate) fn is_everything_held(state: &StationState) -> bool {
    let brakes = System::all().iter().filter_map(|system| Some((system.brakes?)(state)));
    let mut brakes = brakes.filter(|it| it.held > 0 || it.of > 0).peekable();
    brakes.peek().is_some() && brakes.all(|it| it.held > 0 && it.held >= it.of)
}

/// A part that takes no new work.
#[derive(Debug)]
pub(crate) struct Drain<'a> {
    pub(crate) name: &'a str,
    /// Whether no work is left.
    pub(crate) is_empty: bool,
}

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

    fn manual_place(&self, _model: &Model) -> Option<ManualPlace> {
        Some(ManualPlace::page(self.page))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}
