//! How panes are looked at, from one start to the next: a small TOML file.
//!
//! ```toml
//! version = 1
//!
//! [panes.in-flight]
//! sort = "age"
//! descending = true
//! columns = ["id", "event", "age"]
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{message::show_file_error, state::Ui};
use crate::{
    console::{
        input::pane_id::PaneId,
        model::Model,
        records::table_settings::{Sort, TableSettings},
        settings::shell::SavedLayout,
        ui,
    },
    field::index_of,
    tap::entry::station::Level,
    time::Now,
};

/// The version of what is written.
const VERSION: u64 = 1;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct LayoutFile {
    version: u64,
    #[serde(default)]
    panes: BTreeMap<String, PaneLayout>,
}

/// How one pane is looked at.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PaneLayout {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sort: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    descending: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<String>>,
}

/// A pane's name in the file.
pub(super) fn name(pane: PaneId) -> String {
    in_file(pane.name())
}

/// The pane that has this name in a file, or had it in an earlier version.
pub(super) fn pane_named(name: &str) -> Option<PaneId> {
    let is_it = |pane: &PaneId| {
        std::iter::once(pane.name()).chain(pane.old_names().iter().copied()).any(|it| in_file(it) == name)
    };
    PaneId::ALL.iter().copied().find(is_it)
}

fn in_file(name: &str) -> String {
    name.trim_start_matches("the ").to_lowercase().replace(' ', "-")
}

/// What the file has of a pane, by its name or by one that it had in an earlier version.
fn layout_of(pane: PaneId, panes: &BTreeMap<String, PaneLayout>) -> Option<&PaneLayout> {
    let names = std::iter::once(pane.name()).chain(pane.old_names().iter().copied());
    names.map(in_file).find_map(|name| panes.get(&name))
}

/// The form in which these table settings are kept.
pub(crate) fn write(lenses: &BTreeMap<PaneId, TableSettings>) -> String {
    let look = |pane: PaneId, lens: &TableSettings| {
        let specs = ui::specs(pane);
        let called = |field: usize| specs.get(field).map(|spec| spec.name.to_owned());
        let sort = lens.sort();
        PaneLayout {
            sort: sort.and_then(|sort| called(sort.field)),
            descending: sort.is_some_and(|sort| sort.descending),
            columns: lens.columns().map(|fields| fields.iter().filter_map(|field| called(*field)).collect()),
        }
    };
    let changed = lenses.iter().filter(|(_, lens)| !lens.is_default());
    let layouts = LayoutFile {
        version: VERSION,
        panes: changed.map(|(pane, lens)| (name(*pane), look(*pane, lens))).collect(),
    };
    toml::to_string(&layouts).unwrap_or_default()
}

/// The lenses that a text has.
///
/// # Errors
/// Why it has none, for people: it is another version's, or no such file at all.
pub(crate) fn read(text: &str) -> Result<BTreeMap<PaneId, TableSettings>, String> {
    let layouts: LayoutFile = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    if layouts.version != VERSION {
        return Err(format!("it has version {}; this console reads version {VERSION}", layouts.version));
    }
    let mut lenses = BTreeMap::new();
    let known = PaneId::ALL.iter().copied();
    for (pane, look) in known.filter_map(|pane| layout_of(pane, &layouts.panes).map(|look| (pane, look))) {
        let specs = ui::specs(pane);
        let mut lens = TableSettings::default();
        lens.set_sort(
            look.sort
                .as_deref()
                .and_then(|name| index_of(specs, name))
                .map(|field| Sort { field, descending: look.descending }),
        );
        if let Some(columns) = &look.columns {
            let mut fields: Vec<usize> = Vec::new();
            for field in columns.iter().filter_map(|name| index_of(specs, name)) {
                if !fields.contains(&field) {
                    fields.push(field);
                }
            }
            lens.set_columns(Some(fields).filter(|fields| !fields.is_empty()));
        }
        lenses.insert(pane, lens);
    }
    Ok(lenses)
}

/// Looks at panes as they were looked at in the last start. What cannot be read is told, and the panes are as
/// shipped.
pub(crate) fn restore(mut model: Model, ui: &mut Ui, kept: Option<SavedLayout>, now: Now) -> Model {
    let Some(SavedLayout { file, text }) = kept else { return model };
    match text.and_then(|text| text.map_or_else(|| Ok(BTreeMap::new()), |text| read(&text))) {
        Ok(lenses) => ui.restore(lenses),
        Err(why) => {
            let words = format!(
                "{}: {why}: default columns and sorting are used; the next change overwrites the file",
                file.display()
            );
            model.note(Level::Warn, &words, now);
            show_file_error(ui, words, now);
        }
    }
    model
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pane_has_a_name_of_its_own_and_comes_back_as_it_was() {
        let mut lenses = BTreeMap::new();
        for pane in PaneId::ALL.iter().copied().filter(|pane| !ui::specs(*pane).is_empty()) {
            let lens: &mut TableSettings = lenses.entry(pane).or_default();
            lens.set_sort(Some(Sort { field: 1, descending: true }));
            lens.set_columns(Some(vec![2, 0]));
        }
        let read = read(&write(&lenses)).unwrap();
        assert_eq!(read.keys().collect::<Vec<_>>(), lenses.keys().collect::<Vec<_>>());
        for (pane, lens) in &lenses {
            assert_eq!((read[pane].sort(), read[pane].columns()), (lens.sort(), lens.columns()), "{pane:?}");
        }
    }

    #[test]
    fn what_is_as_shipped_is_not_written_and_what_is_not_known_is_left_out() {
        assert_eq!(
            write(&BTreeMap::from([(PaneId::Queues, TableSettings::default())])),
            "version = 1\n\n[panes]\n"
        );
        let text = "version = 1\n[panes.queues]\nsort = \"no such\"\ncolumns = [\"queue\", \"x\", \"queue\"]\n[panes.others]\nsort = \"id\"\n";
        let lenses = read(text).unwrap();
        assert_eq!(lenses.len(), 1);
        assert_eq!(
            (lenses[&PaneId::Queues].sort(), lenses[&PaneId::Queues].columns()),
            (None, Some(&[0][..]))
        );
    }

    #[test]
    fn what_is_no_layout_is_refused_with_the_reason() {
        assert_eq!(read("version = 2").unwrap_err(), "it has version 2; this console reads version 1");
        assert!(read("sort = 3").unwrap_err().contains("missing field `version`"));
        assert!(read("\u{0}\u{1b}[2J").is_err());
    }
}
