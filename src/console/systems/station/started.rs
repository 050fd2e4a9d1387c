//! Getting started: the first steps with the exact commands, ticked off as they are done.

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{text, theme::Role},
        input::{action::Action, view_id::ViewId},
        model::{Model, station::StationState},
        records::{row_list::Rows, system_state::SystemState},
        settings::{shell::Shell, view::Canvas},
        ui::{
            act::ActContext,
            effect::Effect,
            message::show_message,
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, Source, Title},
            state::Ui,
        },
    },
    limits,
    mpp::Listener,
};

/// Of the first steps, what the screen keeps.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) onboarding_dismissed: bool,
    /// Whether they were shown after the last event.
    onboarding_was_visible: bool,
    /// They are behind the operator, and what was given has not run to its end so far.
    awaits_done: bool,
}

impl Ui {
    /// Whether the first steps are shown.
    pub(crate) fn shows_onboarding(&self, model: &Model) -> bool {
        self.view == ViewId::Deck
            && model.bridge.is_first_run
            && !self.systems.station.onboarding_dismissed
            && !model.bridge.onboarding.is_complete()
    }
}

/// In a recording nobody begins.
pub(super) fn begin(state: &mut SystemState, shell: &Shell, _: &limits::Console) {
    state.station.onboarding_dismissed = shell.is_for_recording;
}

/// Puts the first steps away.
pub(super) fn dismiss(ui: &mut Ui, model: &Model) {
    ui.systems.station.onboarding_dismissed |= ui.shows_onboarding(model);
}

/// Says once that the first steps are done: when what was given has run to its end.
pub(super) fn after_event(ui: &mut Ui, cx: &ActContext<'_>, _is_tick: bool) -> Vec<Effect> {
    let is_visible = ui.shows_onboarding(cx.model);
    let state = &mut ui.systems.station;
    let was_visible = std::mem::replace(&mut state.onboarding_was_visible, is_visible);
    let progress = cx.model.bridge.onboarding;
    state.awaits_done |= was_visible && !state.onboarding_dismissed && progress.is_complete();
    if progress.done && std::mem::take(&mut state.awaits_done) {
        show_message(ui, "done: you are live".to_owned(), false, cx.now);
    }
    Vec::new()
}

/// One line: how far it is set in, its text and its role.
struct Line(u16, String, Role);

fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, state: &StationState) {
    let view = canvas.view;
    let mut lines = Vec::new();
    let columns = usize::from(area.width.saturating_sub(5));
    let step = |lines: &mut Vec<Line>, number: u8, done: bool, words: &str, command: Option<String>| {
        let (sign, role) = if done { (view.glyphs.ok, Role::Ok) } else { (view.glyphs.down, Role::Text) };
        lines.push(Line(1, format!("{sign} {number} {words}"), role));
        if let Some(command) = command.filter(|_| !done) {
            lines.extend(
                text::wrap_command(&command, columns).into_iter().map(|line| Line(5, line, Role::Accent)),
            );
        }
    };
    let commands = &view.commands;
    let done = model.bridge.onboarding;
    step(
        &mut lines,
        1,
        done.paired,
        "pair: this writes the adapters' token to a file",
        Some(commands.line("pair --out bridge.token")),
    );
    let addr = match &state.mpp.listener {
        Listener::Listening(addr) => addr.to_string(),
        Listener::Starting => "(the port is not bound yet)".to_owned(),
        Listener::Down(_) => "(the port does not answer: see the MPP chip)".to_owned(),
    };
    let sim = commands.line(&format!("sim adapter --addr {addr} --token-file bridge.token"));
    step(&mut lines, 2, done.connected, "connect an adapter, in another terminal; to rehearse:", Some(sim));
    if !done.connected {
        let pack = &state.mpp.pack;
        lines.push(Line(
            5,
            format!("or your own: MPP v2 over TCP to {addr}, hello with the token and"),
            Role::Muted,
        ));
        lines.push(Line(5, format!("pack_id {}", pack.id), Role::Text));
        lines.push(Line(5, pack.hash.to_string(), Role::Text));
    }
    let invoke = if state.mpp.pack.is_sample {
        commands.line("invoke give_item --params '{\"item_id\":4,\"count\":1}'")
    } else {
        commands.line("invoke EVENT --params '{}'")
    };
    step(&mut lines, 3, done.worked, "invoke an event:", Some(invoke));
    for (Line(indent, words, role), y) in lines.into_iter().zip(area.y..area.bottom()) {
        canvas.put(area.x + indent, y, area.width.saturating_sub(indent), &words, role);
    }
}

/// The first steps.
pub(crate) static PANE: Pane = Pane {
    specs: &[],
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, _| Rows::none(),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| format!("Getting started ({} hides it)", cx.view.key(Action::Back))),
    empty: Empty::Text(""),
    drawing: Drawing::Own(|canvas, area, cx| {
        if let Some(state) = &cx.model.station_state {
            draw(canvas, area, cx.model, state);
        }
    }),
    chip: None,
    ledger: |_, _, _| None,
};
