//! What a subcommand printed that was run from the palette.

use std::cell::Cell as Noted;

use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::console::{
    draw::{Cell, class::Class, text, theme::Role},
    input::{action::Action, keymap::KeyScope},
    model::Model,
    settings::{
        shell::{SubcommandEnd, SubcommandResult},
        view::Canvas,
    },
    ui::{
        Layer, Scene, Target,
        effect::Effect,
        layer::{centred, rows_of},
        layout::Layout,
        state::Ui,
    },
};

/// Lines that are kept of it.
const LINES_MAX: usize = 4_096;
/// Columns that it moves sideways at once.
const SHIFT_COLUMNS: usize = 16;

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Running,
    Ended {
        end: SubcommandEnd,
        cut: bool,
    },
    /// It cannot run here, why, and how it is written elsewhere.
    Elsewhere {
        why: &'static str,
        line: String,
        class: Class,
    },
}

/// A subcommand and what it printed.
#[derive(Debug)]
pub(crate) struct Output {
    number: u64,
    /// What was typed: its name, and what it was given.
    title: (String, String),
    state: State,
    lines: Vec<Cell>,
    scroll: usize,
    shift: usize,
    height: usize,
    widest: Noted<usize>,
}

impl Output {
    fn new(number: u64, (name, given): (&str, &str), state: State) -> Self {
        let title = (format!(":{}", name.trim_start()), given.to_owned());
        Self {
            number,
            title,
            state,
            lines: Vec::new(),
            scroll: 0,
            shift: 0,
            height: 1,
            widest: Noted::new(0),
        }
    }

    /// A subcommand that was just begun, as it was
    /// [parted](crate::console::settings::shell::Subcommand::split_line).
    pub(crate) fn running(number: u64, typed: (&str, &str)) -> Self {
        Self::new(number, typed, State::Running)
    }

    /// A subcommand that cannot run here; `line` is how it is written in another terminal.
    pub(crate) fn elsewhere(typed: (&str, &str), why: &'static str, line: String) -> Self {
        let class = if typed.1.is_empty() { Class::Public } else { Class::Payload };
        Self::new(0, typed, State::Elsewhere { why, line, class })
    }

    /// Takes the end of the subcommand with this number.
    pub(crate) fn take(&mut self, number: u64, ran: &SubcommandResult) {
        if self.number != number || self.state != State::Running {
            return;
        }
        // What it prints can come from peers.
        let line =
            |line: &str| Cell::of_class(line.trim_end_matches('\r').to_owned(), Role::Text, Class::Payload);
        self.lines = ran.output.lines().take(LINES_MAX).map(line).collect();
        let cut = ran.cut || ran.output.lines().nth(LINES_MAX).is_some();
        self.state = State::Ended { end: ran.end.clone(), cut };
    }

    /// What ends it, if it runs still.
    pub(crate) fn stop(&self) -> Option<Effect> {
        (self.state == State::Running).then_some(Effect::StopRun { number: self.number })
    }

    /// Moves by some lines; the last one stays on the screen.
    pub(crate) fn scroll(&mut self, by: isize) {
        self.scroll = self.scroll.saturating_add_signed(by).min(self.lines.len().saturating_sub(self.height));
    }

    /// Moves sideways.
    pub(crate) fn shift(&mut self, action: Action) {
        let room = self.widest.get();
        self.shift = match action {
            Action::Left => self.shift.saturating_sub(SHIFT_COLUMNS),
            _ => (self.shift + SHIFT_COLUMNS).min(room / SHIFT_COLUMNS * SHIFT_COLUMNS),
        };
    }

    /// Fits it to the room there is.
    pub(crate) fn reconcile(&mut self, body: Rect) {
        self.height = usize::from(area(body, self.rows()).height.saturating_sub(4));
        self.scroll(0);
    }

    fn rows(&self) -> usize {
        match &self.state {
            State::Elsewhere { .. } => 6,
            _ => self.lines.len().max(1),
        }
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect) {
        let area = area(body, self.rows());
        canvas.clear(area);
        let inside =
            canvas.frame_of(area, &[(&self.title.0, Class::Public), (&self.title.1, Class::Payload)], true);
        let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
        if let State::Elsewhere { why, line, class } = &self.state {
            canvas.put(x, inside.y, columns, why, Role::Warn);
            canvas.put(x, inside.y + 1, columns, "In another terminal:", Role::Text);
            let lines = text::wrap_command(line, usize::from(columns.saturating_sub(2)));
            for (line, y) in lines.iter().zip(inside.y + 2..inside.bottom()) {
                canvas.put_as(x + 2, y, columns.saturating_sub(2), line, Role::Accent, *class);
            }
            return;
        }
        let (words, role) = self.verdict(canvas);
        canvas.put(x, inside.y, columns, &words, role);
        let bottom = inside.bottom();
        let mut widest = 0;
        for (cell, y) in self.lines.iter().skip(self.scroll).zip(inside.y + 2..bottom) {
            let shown = text::visible(&cell.text, canvas.view.glyphs.ascii);
            widest = widest.max(text::width(&shown));
            canvas.put_as(x, y, columns, behind(&shown, self.shift), cell.role, cell.class);
        }
        self.widest.set(widest);
        let below = self.lines.len().saturating_sub(self.scroll + self.height);
        if below > 0 || self.scroll > 0 {
            let glyphs = canvas.view.glyphs;
            let words = format!(" {} {}  {} {below} ", glyphs.up, self.scroll, glyphs.down_arrow);
            let used = u16::try_from(text::width(&words)).unwrap_or(u16::MAX);
            canvas.put(area.right().saturating_sub(used + 1), bottom, used, &words, Role::Muted);
        }
    }

    fn verdict(&self, canvas: &Canvas<'_>) -> (String, Role) {
        let glyphs = canvas.view.glyphs;
        match &self.state {
            State::Ended { end, cut } => {
                let more = if *cut { "; output truncated" } else { "" };
                match end {
                    SubcommandEnd::Exited(0) => (format!("{} exit 0{more}", glyphs.ok), Role::Ok),
                    SubcommandEnd::Exited(code) => (format!("{} exit {code}{more}", glyphs.bad), Role::Bad),
                    SubcommandEnd::TimedOut(seconds) => {
                        (format!("{} killed after {seconds} s{more}", glyphs.bad), Role::Bad)
                    }
                    SubcommandEnd::Killed => (format!("{} killed{more}", glyphs.bad), Role::Bad),
                    SubcommandEnd::Failed(why) => (format!("{} not run: {why}", glyphs.bad), Role::Bad),
                }
            }
            _ => (format!("running; {} stops it", canvas.view.key(Action::Back)), Role::Muted),
        }
    }
}

impl Layer for Output {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Output
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.reconcile(layout.body);
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.scroll(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn navigate(&mut self, action: Action, page: usize, _model: &Model) -> bool {
        match action {
            Action::Left | Action::Right => self.shift(action),
            _ => match rows_of(action, page) {
                Some(by) => self.scroll(by),
                None => return false,
            },
        }
        true
    }

    fn leave(self: Box<Self>, _ui: &mut Ui) -> Vec<Effect> {
        self.stop().into_iter().collect()
    }
}

/// A subcommand ended. The end of one that was closed is let go.
pub(crate) fn on_subcommand_ended(ui: &mut Ui, number: u64, ran: &SubcommandResult) {
    for output in ui.layers_mut::<Output>() {
        output.take(number, ran);
    }
}

/// The text from this column on.
fn behind(shown: &str, columns: usize) -> &str {
    let mut used = 0;
    for (byte, grapheme) in shown.grapheme_indices(true) {
        if used >= columns {
            return &shown[byte..];
        }
        used += text::width(grapheme);
    }
    if columns == 0 { shown } else { "" }
}

fn area(body: Rect, rows: usize) -> Rect {
    let rows = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(4);
    centred(body, body.width.saturating_sub(4), rows.min(body.height.saturating_sub(1)))
}
