//! What the console shows, for its documentation: views, keys, and the fields of panes.

use std::fmt::Write as _;

#[cfg(test)]
use crate::console::{
    draw::glyphs::{Glyphs, UNICODE},
    ui::system::System,
};

use crate::console::{
    input::{
        action::Action,
        group::Group,
        keymap::{Chord, KeyScope, Keymap},
        pane_id::PaneId,
        view_id::ViewId,
    },
    ui::{self, pane::Columns},
};

/// A view.
#[derive(Debug)]
pub(crate) struct ViewReference {
    pub(crate) name: &'static str,
    pub(crate) keys: Vec<String>,
    pub(crate) panes: Vec<&'static str>,
    /// What it shows.
    pub(crate) about: &'static str,
}

/// Actions of one kind.
#[derive(Debug)]
pub(crate) struct KeyGroup {
    pub(crate) title: &'static str,
    pub(crate) rows: Vec<KeyReference>,
}

/// An action with its keys.
#[derive(Debug)]
pub(crate) struct KeyReference {
    /// Its name in the configuration and in the palette.
    pub(crate) name: &'static str,
    pub(crate) keys: Vec<String>,
    /// What it does.
    pub(crate) about: &'static str,
    /// Where its keys work.
    pub(crate) scopes: String,
}

/// The fields of a pane's rows: name, title of the column, what it is.
#[derive(Debug)]
pub(crate) struct PaneReference {
    pub(crate) name: &'static str,
    pub(crate) fields: Vec<(&'static str, &'static str, &'static str)>,
}

/// The views, in the order of their keys.
pub(crate) fn views() -> Vec<ViewReference> {
    let keymap = Keymap::default();
    let row = |view: ViewId| {
        let action = Action::showing(view);
        ViewReference {
            name: view.name(),
            keys: keymap.keys(action).into_iter().map(Chord::spelled).collect(),
            panes: view.panes().iter().map(|pane| pane.name()).collect(),
            about: action.about().trim(),
        }
    };
    ViewId::ALL.into_iter().map(row).collect()
}

/// Every action of the shipped keymap, by group.
pub(crate) fn keys() -> Vec<KeyGroup> {
    let keymap = Keymap::default();
    let row = |action: &Action| KeyReference {
        name: action.name(),
        keys: keymap.keys(*action).into_iter().map(Chord::spelled).collect(),
        about: action.about().trim(),
        scopes: scopes(&keymap, *action),
    };
    let group = |group: Group| KeyGroup {
        title: group.title(),
        rows: Action::ALL.iter().filter(|action| action.group() == group).map(row).collect(),
    };
    Group::ALL.into_iter().map(group).collect()
}

/// The fields of every pane that lists records.
pub(crate) fn columns() -> Vec<PaneReference> {
    let fields = |pane: PaneId| {
        let row = |spec: &crate::field::Spec| {
            let named = match pane.pane().columns {
                Columns::Named(columns) => columns.iter().find(|(name, _)| *name == spec.name),
                Columns::Declared | Columns::Of(_) => None,
            };
            let column = named.map(|(_, column)| *column).or(spec.column);
            (spec.name, column.map_or("", |column| column.title), spec.about)
        };
        ui::specs(pane).iter().map(row).collect()
    };
    let listed = PaneId::ALL.iter().copied().filter(|pane| pane.pane().has_rows());
    listed.map(|pane| PaneReference { name: pane.name(), fields: fields(pane) }).collect()
}

/// The pages of the manual that places and systems name.
#[cfg(test)]
pub(crate) fn pages() -> Vec<&'static str> {
    let of_places = KeyScope::all().map(KeyScope::page);
    of_places.chain(System::all().iter().map(|system| system.page)).collect()
}

/// Every sign that stands for something; those of charts by their first and last.
#[cfg(test)]
pub(crate) fn signs() -> Vec<&'static str> {
    let Glyphs {
        well,
        degraded,
        down,
        flying,
        ok,
        bad,
        refunded,
        none,
        into,
        between,
        out,
        ellipsis,
        masked,
        held,
        draining,
        parked,
        marked,
        bookmark,
        lost,
        moment,
        hit,
        warn,
        by_hand,
        times,
        spark,
        up,
        down_arrow,
        ascending,
        descending,
        left,
        right,
        corners: _,
        horizontal: _,
        vertical: _,
        lanes,
        bar,
        ascii: _,
    } = UNICODE;
    let single = [
        well, degraded, down, flying, ok, bad, refunded, none, into, between, out, ellipsis, masked, held,
        draining, parked, marked, bookmark, lost, moment, hit, warn, by_hand, times, up, down_arrow,
        ascending, descending, left, right,
    ];
    single.into_iter().chain([spark[0], spark[7]]).chain(lanes).chain(bar).collect()
}

/// The places in which an action has a key, in words; many are not named one by one.
fn scopes(keymap: &Keymap, action: Action) -> String {
    const NAMED_MAX: usize = 4;
    let places: Vec<KeyScope> =
        KeyScope::all().filter(|place| keymap.keys_in(*place, action).next().is_some()).collect();
    let is_everywhere = KeyScope::VIEWS.iter().all(|place| places.contains(place));
    let others: Vec<_> =
        places.iter().filter(|place| !is_everywhere || !KeyScope::VIEWS.contains(place)).collect();
    let named = others.iter().take(NAMED_MAX).map(|place| place.name());
    let mut text =
        is_everywhere.then_some("every pane").into_iter().chain(named).collect::<Vec<_>>().join(", ");
    if others.len() > NAMED_MAX {
        let _ = write!(text, ", {} more", others.len() - NAMED_MAX);
    }
    text
}
