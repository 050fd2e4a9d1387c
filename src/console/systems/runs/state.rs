//! What the runs keep on the screen.

use std::{cell::RefCell, sync::Arc};

use super::{
    openings::{Draft, OpeningDrafts},
    pages::RunPages,
};
use crate::{
    console::{draw::dag_layout::DagLayout, model::Model},
    ids::TraceId,
    runs::RunView,
};

/// A plan as it was drawn: of which run, and with how many nodes and edges. Plans grow, and change in no
/// other way.
type CachedDagLayout = ((TraceId, usize, usize), Arc<DagLayout>);

/// What the runs keep on the screen.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The run that the panes beside the lists of runs tell of.
    pub(crate) run: Option<TraceId>,
    /// What the store has of it.
    pub(crate) pages: RunPages,
    /// The opening that was written last, and those that were submitted lately.
    pub(crate) opening_drafts: OpeningDrafts,
    /// The opening of a run that is to be written once more, until the editor is open.
    pub(super) again: Option<Draft>,
    /// The plan that was drawn last.
    dag_layout: RefCell<Option<CachedDagLayout>>,
}

impl State {
    /// A run as it is shown, or as the store has it where its plan is shown no more.
    pub(crate) fn view_of<'a>(&'a self, model: &'a Model, run: TraceId) -> Option<&'a RunView> {
        let shown = model.runs().and_then(|runs| runs.run(run));
        let is_whole = |view: &&RunView| !view.nodes.is_empty() || view.planned == 0;
        shown.filter(is_whole).or_else(|| self.pages.view(run).map(|view| &**view)).or(shown)
    }

    /// The plan of a run as it is drawn.
    pub(crate) fn dag_layout_of(&self, run: &RunView) -> Arc<DagLayout> {
        let key = (run.run, run.plan.nodes.len(), run.plan.edges.len());
        let mut drawn = self.dag_layout.borrow_mut();
        match drawn.as_ref() {
            Some((known, picture)) if *known == key => Arc::clone(picture),
            _ => Arc::clone(&drawn.insert((key, Arc::new(DagLayout::of(&run.plan)))).1),
        }
    }
}
