//! Choosing what a pane is sorted by and which columns it has.

use ratatui::layout::Position;

use crate::{
    console::{
        input::{action::Action, keymap::KeyScope, pane_id::PaneId},
        model::Model,
        records::{table, table_settings::Sort},
        screen::Columns,
        settings::view::Canvas,
        ui,
        ui::{
            Layer, Scene, Target,
            act::{Act, Resolved, act_if},
            effect::Effect,
            layers::cast_mut,
            layout::Layout,
            layouts,
            message::show_message,
            pane::{PaneContext, Source},
            state::Ui,
        },
    },
    time::Now,
};

/// What an action of columns does where no list of them is open.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { ui, view, .. } = *cx;
    match action {
        Action::Columns => match ui.target_list() {
            Some(pane) => Ok(Act::change(move |ui, cx| {
                ui.push(Columns::of(pane, ui, width(ui, cx.model, pane)));
            })),
            None => Err(format!("no table focused; {} moves to one", view.key(Action::FocusNext)).into()),
        },
        Action::ResetLayout => act_if(
            of_view(ui).any(|pane| !ui.table_settings(pane).is_default()),
            || Act::change(|ui, cx| reset_view(ui, cx.model)),
            "columns and sorting of this view are already the defaults",
        ),
        _ => Err(format!("the column list is not open; {} opens it", view.key(Action::Columns)).into()),
    }
}

impl Layer for Columns {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Columns
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        let pane = scene.ui.layout(scene.model).area_of(self.pane);
        self.draw(canvas, scene.body, pane, scene.ui, scene.is_top);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.reconcile(self.area(layout.body, layout.area_of(self.pane)));
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.step(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        let shift = || {
            Act::layer(move |list: &mut Self, ui, _| {
                list.shift(action);
                choose(list, ui);
            })
        };
        Some(match action {
            Action::ToggleColumn => act_if(
                !self.is_last(),
                || {
                    Act::layer(|list: &mut Self, ui, _| {
                        list.toggle();
                        choose(list, ui);
                    })
                },
                "the last column cannot be hidden",
            ),
            Action::ColumnEarlier => act_if(self.shift_target(action).is_some(), shift, "already first"),
            Action::ColumnLater => act_if(self.shift_target(action).is_some(), shift, "already last"),
            Action::ResetColumns => act_if(
                !cx.ui.table_settings(self.pane).is_default(),
                || {
                    Act::layer(|list: &mut Self, ui, cx| {
                        ui.reset(list.pane);
                        list.read(ui, width(ui, cx.model, list.pane));
                    })
                },
                "columns and sorting are already the defaults",
            ),
            Action::SortColumn => {
                let spec = self.field().and_then(|field| Some((field, ui::specs(self.pane).get(field)?)));
                let why = spec.and_then(|(field, spec)| sort_unavailable(self.pane, field, spec.name));
                why.map_or_else(|| Ok(Act::layer(|list, ui, _| sort(list, ui))), |why| Err(why.into()))
            }
            Action::Open => Err("nothing to open: columns are shown, moved and sorted here".into()),
            _ => return None,
        })
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let area = self.area(layout.body, layout.area_of(self.pane));
        self.click(area, at.x, at.y).then_some(Action::ToggleColumn)
    }
}

/// Gives the pane the columns of its list.
fn choose(list: &Columns, ui: &mut Ui) {
    ui.table_settings_mut(list.pane).set_columns(Some(list.visible_fields()));
}

/// Sorts by the selected field; again the other way round, then not at all.
fn sort(list: &mut Columns, ui: &mut Ui) {
    let Some(field) = list.field() else { return };
    let present = ui.sort(list.pane);
    // The store's order has two ways and no third.
    let is_stored = ui::fixed_order(list.pane).is_some();
    let sort = if is_stored { Some(Sort::toggled(present, field)) } else { Sort::cycled(present, field) };
    ui.sort_by(list.pane, sort);
}

/// Why a pane cannot be sorted by a field.
fn sort_unavailable(pane: PaneId, field: usize, name: &str) -> Option<String> {
    match pane.pane().source {
        Source::Model | Source::Following | Source::Whole => None,
        Source::Tap { .. } => Some(format!(
            "the Wire keeps the tap's order and cannot be sorted by `{name}`; filter it instead"
        )),
        Source::OwnPages { .. } => Some("pending rows are listed in dispatch order".to_owned()),
        Source::Pages { .. } => (ui::fixed_order(pane) != Some(field))
            .then(|| format!("{} can only be sorted by `id`, not by `{name}`", pane.name())),
    }
}

/// Order and columns as shipped, of every pane of this view.
fn reset_view(ui: &mut Ui, model: &Model) {
    let panes: Vec<PaneId> = of_view(ui).collect();
    for pane in panes {
        ui.reset(pane);
    }
    ui.with_top(|layer, ui| {
        if let Some(list) = cast_mut::<Columns>(layer) {
            list.read(ui, width(ui, model, list.pane));
        }
    });
}

/// The panes of the view, and the list that lies over them.
fn of_view(ui: &Ui) -> impl Iterator<Item = PaneId> {
    let lists = ui.overlays.iter().filter_map(|layer| layer.list()).map(|(list, _)| list);
    ui.view.panes().iter().copied().chain(lists)
}

/// The width of a pane's table.
fn width(ui: &Ui, model: &Model, pane: PaneId) -> u16 {
    table::inner_width(ui.layout(model).area_of(pane))
}

/// A click on the head of a column sorts by it, or the other way round.
pub(crate) fn sort_by_head(ui: &mut Ui, pane: PaneId, field: usize, title: &str, now: Now) {
    match sort_unavailable(pane, field, title) {
        Some(why) => show_message(ui, why, true, now),
        None => ui.sort_by(pane, Some(Sort::toggled(ui.sort(pane), field))),
    }
}

/// Keeps how panes are looked at for the next start, where that was changed.
pub(crate) fn keep(ui: &mut Ui) -> Option<Effect> {
    let revision = ui
        .table_settings
        .values()
        .map(crate::console::records::table_settings::TableSettings::layout_revision)
        .sum();
    let was = std::mem::replace(&mut ui.saved_layout_revision, revision);
    (was != revision).then(|| Effect::SaveLayout(layouts::write(&ui.table_settings)))
}
