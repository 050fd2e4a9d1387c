//! What a run kept.

use crate::{
    console::{
        draw::Cell,
        model::Model,
        records::{
            row::{CellContext, PaneRecord, Row},
            selection::RecordKey,
        },
        ui::state::Ui,
    },
    field::{Record, Spec, Value},
    ids::TraceId,
    port::ArtifactRow,
    time::Now,
};

/// An artifact of a run.
pub(crate) struct Artifact<'a> {
    pub(crate) run: TraceId,
    pub(crate) row: &'a ArtifactRow,
}

impl Record for Artifact<'_> {
    fn specs(&self) -> &'static [Spec] {
        self.row.specs()
    }

    fn value(&self, field: usize, now: Now) -> Value<'_> {
        self.row.value(field, now)
    }
}

impl PaneRecord for Artifact<'_> {
    fn key(&self) -> RecordKey {
        RecordKey::Artifact(self.run, self.row.number)
    }

    fn cell(&self, _field: &str, _look: &CellContext<'_>) -> Option<Cell> {
        None
    }
}

/// The artifacts of the run that is shown.
pub(crate) fn rows<'a>(model: &Model, ui: &'a Ui) -> Vec<Row<'a>> {
    let Some(run) = ui.detail_run(model) else { return Vec::new() };
    ui.paged_lists.runs.artifacts(run).iter().map(|row| Row::Artifact(Artifact { run, row })).collect()
}
