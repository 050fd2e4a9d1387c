//! A finding in words: the rule that is broken, where, what it requires, and what came.

use crate::{
    console::{
        model::{Model, ReportLine},
        overlays::detail::{detail, payload},
        records::{
            entry_query::EntryQuery,
            record_key::RecordKey,
            row::{DetailsRecord, PaneRecord},
        },
        settings::view::View,
    },
    ids::TraceId,
    mplp::{Finding, rule_named},
};

/// A finding of a record.
#[derive(Debug)]
pub(super) struct FindingDetails {
    pub(super) key: RecordKey,
    pub(super) finding: Finding,
}

impl DetailsRecord for FindingDetails {
    fn key(&self) -> RecordKey {
        self.key.clone()
    }

    fn title(&self, _model: &Model) -> String {
        format!("Finding {}", self.finding.rule)
    }

    fn lines(&self, _view: &View, _model: &Model) -> Vec<ReportLine> {
        let Finding { schema, path, rule, requires, received } = &self.finding;
        let mut lines = vec![
            detail("rule", rule.to_string()),
            detail("schema", schema.to_string()),
            detail("path", path.to_string()),
            detail("requires", requires.clone()),
        ];
        lines.push(match received {
            Some(received) => payload("received", received),
            None => detail("received", "nothing: it is missing"),
        });
        if let Some(known) = rule_named(rule) {
            lines.push(detail("about", known.description));
            lines.push(detail("clause", format!("mplp-l1 {}", known.section)));
        }
        lines
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
