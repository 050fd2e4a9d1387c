//! A console that takes what a whole station tells, live or from a recording, and what its Journal says of
//! the MPLP messages in that.

use crossterm::event::KeyCode;

use super::test_console::TestConsole;
use crate::{
    console::{input::pane_id::PaneId, ui::state::Focus},
    dissect::mplp::FindingGroup,
    field::{Fields as _, Record as _, index_of},
    port::{FindingRow, Snapshot},
    tap::EntryRef,
    time::Now,
};

pub(crate) struct NightConsole(TestConsole);

/// What the pane of findings has, and how it is drawn.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JournalFindings {
    pub(crate) rows: Vec<Vec<(&'static str, String)>>,
    pub(crate) count: u64,
    pub(crate) judged: u64,
    pub(crate) lines: Vec<String>,
}

impl NightConsole {
    pub(crate) fn new(snapshot: Snapshot) -> Self {
        let mut stage = TestConsole::of_size(160, 50);
        stage.model.resync(snapshot);
        Self(stage)
    }

    pub(crate) fn take(&mut self, entry: EntryRef<'_>) {
        self.0.model.fold(entry, false);
        self.0.model.judge_all();
    }

    /// Holds that these rows of `ls findings` are what the pane has.
    pub(crate) fn assert_lists(&self, listed: &[FindingRow]) {
        let now = Now::at_ms(9);
        let groups: Vec<&FindingGroup> = self.0.model.findings.groups().collect();
        assert_eq!(groups.len(), listed.len(), "{listed:#?}");
        for (row, group) in listed.iter().zip(groups) {
            for (field, spec) in FindingRow::SPECS.iter().enumerate().filter(|(_, it)| it.name != "age") {
                let shown = index_of(FindingGroup::SPECS, spec.name).unwrap();
                assert_eq!(row.value(field, now), group.value(shown, now), "{} of {row:?}", spec.name);
            }
        }
    }

    pub(crate) fn journal(self) -> JournalFindings {
        let Self(mut stage) = self;
        let now = Now::at_ms(9);
        let row = |group: &FindingGroup| {
            let fields = FindingGroup::SPECS.iter().enumerate();
            fields.map(|(field, spec)| (spec.name, format!("{:?}", group.value(field, now)))).collect()
        };
        let rows = stage.model.findings.groups().map(row).collect();
        let (count, judged) = (stage.model.findings.count, stage.model.findings.judged);
        stage.char('9');
        (stage.ui.focus, stage.ui.zoomed) = (Focus::Pane(PaneId::Findings), Some(PaneId::Findings));
        stage.key(KeyCode::Home);
        let lines = stage.text().lines().filter(|line| line.contains('$')).map(str::to_owned).collect();
        JournalFindings { rows, count, judged, lines }
    }
}
