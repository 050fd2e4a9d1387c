//! What a run kept.

use super::{
    entries,
    pages::{empty_run_text, run_chip, run_title, take_pages},
};
use crate::{
    console::{
        draw::Cell,
        input::pane_id::PaneId,
        model::{Model, ReportLine},
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        settings::view::View,
        systems::runs::{details::artifact_details, keys::ARTIFACT},
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, Source, Title},
            state::Ui,
        },
    },
    field::{Fields as _, Record, Spec, Value},
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
        ARTIFACT.of((self.run, self.row.number))
    }

    fn cell(&self, _field: &str, _look: &CellContext<'_>) -> Option<Cell> {
        None
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(ArtifactDetails { run: self.run, row: self.row.clone() }))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_run(self.run))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.run)
    }

    fn command(&self) -> Option<String> {
        Some(format!("run artifacts {} --json", self.run))
    }

    fn stored_json(&self) -> Option<serde_json::Result<String>> {
        Some(serde_json::to_string(self.row))
    }
}

/// The artifacts of the run that is shown.
fn rows<'a>(model: &Model, ui: &'a Ui) -> Rows<'a> {
    let Some(run) = ui.detail_run(model) else { return Rows::none() };
    ui.systems.runs.pages.artifacts(run).iter().map(|row| Artifact { run, row }).collect()
}

/// What a run kept.
pub(crate) static PANE: Pane = Pane {
    specs: ArtifactRow::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |ui, model| rows(model, ui),
    pages: Pages::Parts(take_pages),
    filter: None,
    title: Title::Of(|cx| run_title(PaneId::Artifacts, cx)),
    empty: Empty::Of(|cx| empty_run_text(PaneId::Artifacts, cx, |_| "no artifacts yet")),
    drawing: Drawing::Table,
    chip: Some(|cx, _| run_chip("artifacts", cx, |view| view.artifacts)),
    ledger: |_, _, all| {
        let bound = LedgerBound::Text("`run artifacts` lists all");
        Some(Account::whole("artifacts of the run loaded so far", all, bound))
    },
};

/// An artifact of a run.
#[derive(Debug)]
pub(crate) struct ArtifactDetails {
    pub(crate) run: TraceId,
    pub(crate) row: ArtifactRow,
}

impl DetailsRecord for ArtifactDetails {
    fn key(&self) -> RecordKey {
        ARTIFACT.of((self.run, self.row.number))
    }

    fn title(&self, _model: &Model) -> String {
        format!("Artifact {} of {}", self.row.number, self.run.short())
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        artifact_details(view, self.run, &self.row)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(Artifact { run: self.run, row: &self.row }))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_run(self.run))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.run)
    }
}
