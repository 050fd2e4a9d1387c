//! The tray: questions that wait for an answer, alerts that wait to be seen, then those that were,
//! then those that passed. Nothing in it ever opens by itself.

use std::fmt::Write as _;

use ratatui::layout::{Position, Rect};

use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        input::{action::Action, keymap::KeyScope, view_id::ViewId},
        model::Model,
        overlays::Details,
        records::{
            ManualPlace, Table,
            row::DetailsRecord,
            selection::{RecordKey, Selection},
            table::{list_height, row_at},
        },
        settings::view::{Canvas, View},
        systems::station::{keys::ALERT, outcomes::StationCommand},
        ui::{
            Layer, Scene, Target,
            act::{Act, ActContext, Resolved},
            effect::Effect,
            layout::Layout,
            message::show_message,
            pane::PaneContext,
            question::Question,
            state::{Focus, Ui},
            system::System,
        },
    },
    field::Column,
    port::Command,
    tap::entry::alerts::{Alert, AlertState},
};

const COLUMNS: &[Column] = &[
    Column::fixed("", 14),
    Column::fixed("since", 8),
    Column::fixed("duration", 11).right(),
    Column::growing("alert", 20, 1),
];

/// The open tray.
#[derive(Debug, Default)]
pub(crate) struct AlertList {
    selection: Selection,
    height: usize,
}

fn keys(model: &Model) -> Vec<RecordKey> {
    let questions = questions(model).map(Question::key);
    questions.chain(alerts(model).into_iter().map(|alert| ALERT.of(alert.id))).collect()
}

/// The questions that can be answered: of a station that does not answer, none.
fn questions(model: &Model) -> impl Iterator<Item = &dyn Question> {
    let state = model.station_state.iter().filter(|_| model.is_reachable());
    state.flat_map(|state| System::all().iter().flat_map(|system| (system.listed_questions)(state)))
}

/// The alerts that are listed behind the questions: that there are questions is none of them, nor that there
/// were when the station was lost.
fn alerts(model: &Model) -> Vec<&Alert> {
    let has_questions = questions(model).next().is_some() || !model.is_reachable();
    let is_told = |alert: &&Alert| !(has_questions && alert.is_question() && alert.holds());
    model.alerts().listed().into_iter().filter(is_told).collect()
}

/// Lines of what is selected, at least; with less room there are none.
const DETAILS_ROWS_MIN: u16 = 8;

/// The list of so many rows, and what is selected of it below.
fn divide(body: Rect, rows: usize) -> (Rect, Rect) {
    let wanted = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(3).max(6);
    let list = wanted.min(body.height.saturating_sub(DETAILS_ROWS_MIN).max(body.height / 2));
    let list = if body.height < 2 * DETAILS_ROWS_MIN || rows == 0 { body.height } else { list };
    (Rect { height: list, ..body }, Rect { y: body.y + list, height: body.height - list, ..body })
}

/// Turns to what an alert is about.
fn show_object(ui: &mut Ui, cx: &ActContext<'_>, alert: &Alert) {
    let system = System::of(alert.link);
    let (Some(system), Some(state)) = (system, &cx.live.station_state) else { return };
    let (pane, key) = (system.alert_object)(alert, state);
    let views = [system.view].into_iter().chain(ViewId::ALL);
    if let Some(view) = views.into_iter().find(|view| view.panes().contains(&pane)) {
        ui.show(view);
    }
    ui.zoomed = None;
    if !ui.layout(cx.model).has(pane) {
        ui.zoomed = Some(pane);
    }
    ui.focus = Focus::Pane(pane);
    ui.reconcile(cx.model);
    let Some(key) = key else { return };
    let is_there = ui.select_in(pane, cx.model, |selection, keys| {
        let row = keys.row(&key);
        row.inspect(|row| selection.select(*row, keys, 1)).is_some()
    });
    if !is_there {
        show_message(ui, "the subject of the alert is no longer listed here".to_owned(), true, cx.now);
    }
}

impl AlertList {
    /// The selected alert.
    pub(crate) fn selected<'a>(&self, model: &'a Model) -> Option<&'a Alert> {
        let at = self.selection.index().checked_sub(questions(model).count())?;
        alerts(model).into_iter().nth(at)
    }

    /// The selected question.
    pub(crate) fn selected_question<'a>(&self, model: &'a Model) -> Option<&'a dyn Question> {
        questions(model).nth(self.selection.index())
    }

    /// Moves the selection.
    pub(crate) fn step(&mut self, by: isize, model: &Model) {
        self.selection.step(by, &keys(model), self.height);
    }

    /// Selects the row at this line of the screen.
    pub(crate) fn click(&mut self, body: Rect, row: u16, model: &Model) -> bool {
        let keys = keys(model);
        let (list, _) = divide(body, keys.len());
        let Some(index) = row_at(list, row, &self.selection).filter(|index| *index < keys.len()) else {
            return false;
        };
        let was_there = self.selection.index() == index;
        self.selection.select(index, &keys, self.height);
        was_there
    }

    /// Goes to the first: what was put away has moved down.
    pub(crate) fn first(&mut self) {
        self.selection = Selection::default();
    }

    /// Finds the selected alert again, wherever it has moved.
    pub(crate) fn follow(&mut self, model: &Model) {
        self.selection.reconcile(&keys(model), self.height);
    }

    /// What is selected in words, with why and what to do.
    fn details(&self, model: &Model) -> Option<Details> {
        let question = self.selected_question(model).map(Question::details);
        let alert = || Some(Box::new(self.selected(model)?.clone()) as Box<dyn DetailsRecord>);
        Some(Details::of_present(question.or_else(alert)?))
    }

    /// Draws it, with what is selected told below unless details of it are open over it.
    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        let Scene { body, model, is_top: focused, .. } = *scene;
        let (body, below) = divide(body, keys(model).len());
        let is_told = scene.ui.top::<Details>().is_none();
        if let Some(details) = self.details(model).filter(|_| is_told) {
            details.draw(canvas, below, model);
        }
        let alerts = alerts(model);
        let asks: Vec<_> = questions(model).collect();
        let (waiting, unshown) = model
            .runs()
            .filter(|_| model.is_reachable())
            .map_or((0, 0), |runs| (runs.waiting(), runs.asks_unshown));
        let mut title = match (waiting, unshown) {
            (0, _) => String::new(),
            (1, _) => "Approvals: 1 pending. ".to_owned(),
            (waiting, 0) => format!("Approvals: {waiting} pending. "),
            (waiting, unshown) => {
                format!("Approvals: {waiting} pending, the {unshown} oldest only in `ls confirmations`. ")
            }
        };
        let _ = match model.alerts().active_count() {
            0 => write!(title, "Alerts: none active"),
            1 => write!(title, "Alerts: 1 active"),
            waiting => write!(title, "Alerts: {waiting} active"),
        };
        if model.alerts().cut() > 0 {
            let _ = write!(
                title,
                ", {} older ones cut (limits.console.alerts_max)",
                format::count(model.alerts().cut())
            );
        }
        let inside = canvas.frame(body, &title, focused);
        if alerts.is_empty() && asks.is_empty() {
            canvas.put(
                inside.x + 1,
                inside.y,
                inside.width.saturating_sub(1),
                &empty_text(model),
                Role::Muted,
            );
            return;
        }
        let view = canvas.view;
        let row = |index: usize| match (asks.get(index), index.checked_sub(asks.len())) {
            (Some(ask), _) => ask.cells(view).into(),
            (None, at) => at.and_then(|at| alerts.get(at)).map_or_else(Vec::new, |alert| cells(view, alert)),
        };
        Table::plain(COLUMNS, asks.len() + alerts.len(), &row, &self.selection, focused).draw(canvas, inside);
    }
}

impl Layer for AlertList {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Alerts
    }

    fn covers_body(&self) -> bool {
        true
    }

    fn manual_place(&self, cx: &PaneContext<'_>) -> ManualPlace {
        let of_alert = self.selected(cx.model).and_then(|alert| alert.manual_place(cx.model));
        let is_question = self.selected_question(cx.model).is_some();
        of_alert.unwrap_or_else(|| ManualPlace::at("alerts", is_question.then_some("confirmation_waiting")))
    }

    fn is_of_present(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene);
    }

    fn reconcile(&mut self, layout: &Layout, model: &Model, _ui: &Ui) {
        self.height = list_height(divide(layout.body, keys(model).len()).0);
        self.follow(model);
    }

    fn step(&mut self, by: isize, model: &Model) {
        self.step(by, model);
    }

    fn target<'a>(&'a self, model: &'a Model) -> Target<'a> {
        self.selected_question(model).map_or_else(|| Target::Alert(self.selected(model)), Target::Question)
    }

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        Some(match (action, self.target(cx.model)) {
            (Action::Open | Action::Acknowledge, Target::Alert(None)) => Err("no alerts".into()),
            (Action::Open, Target::Question(ask)) => Ok(Act::open(Details::of_present(ask.details()))),
            (Action::Open, Target::Alert(Some(alert))) => {
                let alert = alert.clone();
                Ok(Act::close(move |_: Self, ui, cx| {
                    show_object(ui, cx, &alert);
                    Vec::new()
                }))
            }
            (Action::Acknowledge, Target::Alert(Some(alert))) => match alert.state() {
                AlertState::Active => {
                    let ids = vec![alert.id];
                    Ok(Act::layer_effects(move |list: &mut Self, _, _| {
                        list.first();
                        vec![Effect::command(Command::AcknowledgeAlerts { ids }, StationCommand)]
                    }))
                }
                AlertState::Acknowledged => Err("already acknowledged".into()),
                AlertState::Resolved => Err("already resolved".into()),
            },
            (Action::Acknowledge, _) => Err(format!(
                "an approval is pending: {} approves, {} rejects",
                cx.view.key(Action::Approve),
                cx.view.key(Action::Reject)
            )
            .into()),
            _ => return None,
        })
    }

    fn page(&self) -> Option<usize> {
        Some(self.height)
    }

    fn click(&mut self, layout: &Layout, at: Position, model: &Model) -> Option<Action> {
        self.click(layout.body, at.y, model).then_some(Action::Open)
    }
}

/// That there is none, or that it is not known.
fn empty_text(model: &Model) -> String {
    if model.station_state.is_none() || model.alerts().is_known() {
        return "no alerts".to_owned();
    }
    "alerts unknown: versions before 0.4 did not record them".to_owned()
}

fn cells(view: &View, alert: &Alert) -> Vec<Cell> {
    let glyphs = view.glyphs;
    let (sign, role, text) = match alert.state() {
        AlertState::Active => (glyphs.warn, Role::Warn, Role::Text),
        AlertState::Acknowledged => (glyphs.degraded, Role::Text, Role::Text),
        AlertState::Resolved => (glyphs.ok, Role::Muted, Role::Muted),
    };
    vec![
        Cell::new(format!("{sign} {}", alert.state().name()), role),
        Cell::new(view.time_of_day(alert.since), Role::Muted),
        Cell::new(format::age(alert.duration(view.clock)), text),
        Cell::of_class(alert.text.to_string(), text, Class::Public),
    ]
}
