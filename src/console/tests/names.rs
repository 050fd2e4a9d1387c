//! Names: the titles of columns are fields of filters, and what had another name in an earlier version is
//! still read under it.

use crossterm::event::KeyCode;

use super::test_console::{TestConsole, show};
use crate::{
    console::{
        input::{Keymap, action::Action, keymap::KeyScope, pane_id::PaneId},
        ui::{self, layouts, named_filters},
    },
    field::index_of,
    macp::Mode,
};

#[test]
fn the_title_of_every_column_is_a_name_of_its_field() {
    let mut stage = show(160, 50);
    let mut wrong = Vec::new();
    for mode in [None, Some(Mode::Decision), Some(Mode::MultiRound)] {
        stage.ui.systems.sessions.mode = mode;
        for pane in PaneId::ALL.iter().copied() {
            let specs = ui::specs(pane);
            for (field, column) in ui::visible_columns(pane, &stage.ui, u16::MAX) {
                let title = column.title.trim().replace(' ', "_");
                if !title.is_empty() && index_of(specs, &title) != Some(field) {
                    wrong.push(format!("{pane:?}: the title {title} is not {}", specs[field].name));
                }
            }
            for (field, spec) in specs.iter().enumerate() {
                for name in spec.also.iter().copied().chain([spec.name]) {
                    if index_of(specs, name) != Some(field) {
                        wrong.push(format!("{pane:?}: {name} is not {}", spec.name));
                    }
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Actions by the names of earlier versions.
const OLD_ACTIONS: [(&str, Action); 9] = [
    ("kick", Action::Kick),
    ("place-before", Action::PlaceBefore),
    ("entry-before", Action::Return),
    ("step-on", Action::StepForward),
    ("second-on", Action::SecondForward),
    ("ten-seconds-on", Action::TenSecondsForward),
    ("event-of-note-before", Action::NoteBack),
    ("event-of-note-after", Action::NoteForward),
    ("shipped-filter", Action::ShippedFilter),
];

/// Panes by the names of earlier versions.
const OLD_PANES: [(&str, PaneId); 3] =
    [("voices", PaneId::Statements), ("standings", PaneId::Positions), ("other-pack", PaneId::OtherPack)];

#[test]
fn an_action_is_read_under_each_name_that_it_had() {
    let declared: usize = Action::ALL.iter().map(|action| action.old_names().len()).sum();
    assert_eq!(declared, OLD_ACTIONS.len());
    for (old, action) in OLD_ACTIONS {
        assert!(action.name() != old && Action::by_name(old) == Some(action), "{old}");
        let key = ["f9".to_owned()];
        let keymap = Keymap::with([(old, &key[..])]).unwrap();
        assert!(keymap.is_own(action), "{old}");
        assert!(Keymap::old_names(action.key()).any(|name| name == format!("console.keys.{old}")), "{old}");
    }
    let names: std::collections::BTreeSet<&str> = Action::ALL
        .iter()
        .flat_map(|action| action.old_names().iter().copied().chain([action.name()]))
        .collect();
    assert_eq!(names.len(), Action::ALL.len() + OLD_ACTIONS.len(), "no name is that of two");
}

#[test]
fn a_line_of_an_earlier_history_runs_what_it_meant() {
    let mut stage: TestConsole = show(160, 50);
    stage.char(':');
    stage.write("kick");
    let text = stage.text();
    assert!(text.contains("Disconnect the adapter"), "{text}");
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Dialog, "{}", stage.text());
    assert!(stage.text().contains("Disconnect the adapter?"), "{}", stage.text());
}

#[test]
fn a_pane_is_read_under_each_name_that_it_had() {
    let declared: usize = PaneId::ALL.iter().map(|pane| pane.old_names().len()).sum();
    assert_eq!(declared, OLD_PANES.len());
    for (old, pane) in OLD_PANES {
        for written in [old.to_owned(), old.replace('-', "_"), old.to_uppercase()] {
            assert_eq!(PaneId::by_configured_name(&written), Ok(pane), "{written}");
        }
        let read = layouts::read(&format!(
            "version = 1\n[panes.{old}]\ncolumns = [\"age\", \"at\", \"by\", \"id\"]\n"
        ));
        assert!(read.unwrap().contains_key(&pane), "{old}");
    }
    assert_eq!(named_filters::check(PaneId::Statements, "does:votes says:approve"), Ok(()));
    assert_eq!(named_filters::check(PaneId::Trace, "telling:no"), Ok(()));
}

#[test]
fn columns_of_an_earlier_layout_are_those_of_now() {
    let read =
        layouts::read("version = 1\n[panes.sessions]\nsort = \"stands\"\ncolumns = [\"in\", \"why\"]\n")
            .unwrap();
    let specs = ui::specs(PaneId::Sessions);
    let settings = &read[&PaneId::Sessions];
    let field = |name| index_of(specs, name).unwrap();
    assert_eq!(settings.sort().map(|sort| sort.field), Some(field("phase")));
    assert_eq!(settings.columns(), Some(&[field("joined"), field("outcome")][..]));
}
