//! An opening being written, to be submitted: its text, what is wrong with it and where, and what became of it.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;

use super::{
    overlay::Reaction,
    written::{GUTTER, draw_line},
};
use crate::{
    console::{
        class::Class,
        form::Editor,
        keymap::Place,
        model::Model,
        text,
        theme::Role,
        view::{Canvas, View},
    },
    ids::TraceId,
    limits::Limits,
    runs::openings::{Map, NoLibrary, Opening},
    time::Mono,
    words::counted,
};

/// What is written where nothing was.
const BLANK: &str = "version: 0\nname: example\nparams: {}\nnodes:\n  - id: first\n    use: agent:echo\n    with: {}\nedges: []\n";
/// Lines below the text: what is wrong with it, or what it is.
const DETAIL_ROWS: u16 = 5;
/// How long the control plane may take to answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(2);

/// What was found of the text as it was last read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    /// What is wrong: at which line and column, and what.
    faults: Vec<(usize, usize, String)>,
    /// How much more is.
    more: usize,
    /// What it is, where nothing is wrong.
    is: Option<String>,
}

/// A request that waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) request: TraceId,
    pub(crate) at: Mono,
}

/// An opening being written.
#[derive(Debug)]
pub(crate) struct Submit {
    editor: Editor,
    found: Found,
    /// Whether it was written in since it was read.
    is_changed: bool,
    /// What could not be taken of what was typed or pasted.
    cut: Option<String>,
    pub(crate) sent: Option<Sent>,
    /// Why the last one was refused.
    pub(crate) refusal: Option<String>,
    offset: usize,
    height: usize,
}

impl Submit {
    /// An opening to go on with, or the beginning of one.
    pub(crate) fn of(text: Option<&str>, limits: &Limits) -> Self {
        let bytes_max = limits.console.form_bytes_max.min(limits.runs.yaml_bytes_max);
        let mut editor = Editor::of(text.unwrap_or(BLANK), usize::try_from(bytes_max).unwrap_or(usize::MAX));
        editor.jump(0, 0);
        let mut submit =
            Self { editor, found: Found::default(), is_changed: true, cut: None, sent: None, refusal: None, offset: 0, height: 1 };
        submit.read(limits);
        submit
    }

    /// The text.
    pub(crate) fn text(&self) -> String {
        self.editor.text()
    }

    /// Whether nobody wrote in it.
    pub(crate) fn is_blank(&self) -> bool {
        self.text() == BLANK
    }

    /// Reads the text anew, if it was written in. Nested openings are looked for when it is sent: their files are the station's.
    pub(crate) fn read(&mut self, limits: &Limits) {
        if !std::mem::take(&mut self.is_changed) {
            return;
        }
        self.found = match Opening::load(&self.text(), None, &Map::new(), &NoLibrary, &limits.runs) {
            Ok(opening) => Found { is: Some(format!("{}: {}", opening.name, counted(opening.nodes_count(), "node"))), ..Found::default() },
            Err(faults) => {
                let here = faults.list().iter().filter(|fault| fault.wrong.code() != "opening_not_found");
                let told: Vec<_> = here
                    .map(|fault| {
                        let fix = fault.fix.as_ref().map_or_else(String::new, |fix| format!("; {fix}"));
                        (fault.at.line as usize, fault.at.column as usize, format!("{}{fix}", fault.wrong))
                    })
                    .collect();
                let is = told.is_empty().then(|| "what it nests is looked for when it is sent".to_owned());
                Found { faults: told, more: faults.more(), is }
            }
        };
    }

    /// Why it cannot be sent, as far as it was read.
    pub(crate) fn hindrance(&self) -> Option<String> {
        if self.sent.is_some() {
            return Some("it is sent already: the control plane has not answered yet".to_owned());
        }
        let (line, column, what) = self.found.faults.first().filter(|_| !self.is_changed)?;
        Some(format!("line {line}, column {column}: {what}"))
    }

    /// Puts the cursor at the next fault behind it, or the first.
    pub(crate) fn go_to_fault(&mut self) {
        let (row, column) = self.editor.cursor();
        let at = |fault: &(usize, usize, String)| (fault.0.saturating_sub(1), fault.1.saturating_sub(1));
        let mut places: Vec<(usize, usize)> = self.found.faults.iter().map(at).collect();
        places.sort_unstable();
        let next = places.iter().find(|place| **place > (row, column)).or_else(|| places.first());
        if let Some((row, column)) = next {
            self.editor.jump(*row, *column);
        }
    }

    /// Whether anything is wrong, as far as it was read.
    pub(crate) fn has_faults(&self) -> bool {
        !self.found.faults.is_empty()
    }

    /// Takes a key that the keymap has no use for.
    pub(super) fn on_key(&mut self, key: KeyEvent, view: &View) -> Reaction {
        if view.keymap.lookup(Place::Submit, key).is_some() {
            return Reaction::Ignored;
        }
        self.cut = None;
        let page = isize::try_from(self.height).unwrap_or(1).max(1);
        match key.code {
            KeyCode::PageUp => self.editor.step(-page),
            KeyCode::PageDown => self.editor.step(page),
            _ => match self.editor.key(key) {
                Ok(has_changed) => {
                    self.is_changed |= has_changed;
                    if has_changed {
                        self.refusal = None;
                    }
                }
                Err(over) => self.cut = Some(full(over)),
            },
        }
        Reaction::Taken(Vec::new())
    }

    /// Takes pasted text.
    pub(super) fn on_paste(&mut self, pasted: &str) {
        let over = self.editor.paste(pasted);
        self.is_changed = true;
        self.cut = (over > 0).then(|| full(over));
    }

    /// Puts the cursor at a place of the screen.
    pub(super) fn click(&mut self, body: Rect, column: u16, row: u16) {
        let area = list_area(inside(body));
        let Some(line) = row.checked_sub(area.y).filter(|line| *line < area.height) else { return };
        self.editor.jump(self.offset + usize::from(line), usize::from(column.saturating_sub(area.x + GUTTER)));
    }

    /// Moves by some lines.
    pub(super) fn scroll(&mut self, by: isize) {
        self.editor.step(by);
    }

    /// Fits it to the room there is.
    pub(super) fn settle(&mut self, body: Rect) {
        self.height = usize::from(list_area(inside(body)).height).max(1);
        let at = self.editor.cursor().0;
        self.offset = self.offset.min(at).max((at + 1).saturating_sub(self.height));
    }

    /// Draws it.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model, focused: bool) {
        canvas.clear(body);
        let inside = canvas.frame(body, "Submit an opening", focused);
        let room = inside.width.saturating_sub(2);
        let open = model.runs().map_or(0, |runs| runs.open().count());
        let (words, role) = match self.sent {
            Some(sent) => (format!("sent as {}: waiting for the control plane", sent.request.short()), Role::Accent),
            None => (format!("{} goes to rlp/ctrl; {} open", canvas.view.glyphs.into, counted(open, "run")), Role::Muted),
        };
        canvas.put(inside.x + 1, inside.y, room, &words, role);
        let area = list_area(inside);
        let (row, column) = self.editor.cursor();
        let lines = self.editor.lines();
        let columns = area.width.saturating_sub(GUTTER + 1);
        for ((index, line), y) in lines.iter().enumerate().skip(self.offset).zip(area.y..area.bottom()) {
            let is_wrong = self.found.faults.iter().any(|fault| fault.0 == index + 1);
            let role = if is_wrong { Role::Bad } else { Role::Muted };
            canvas.put(area.x, y, 1, if is_wrong { canvas.view.glyphs.bad } else { " " }, role);
            canvas.put(area.x + 1, y, GUTTER - 2, &format!("{:>5}", index + 1), role);
            let cursor = (focused && index == row).then_some(column);
            let class = if focused && index == row { Class::Public } else { Class::Payload };
            draw_line(canvas, (area.x + GUTTER, y), columns, line, cursor, class);
        }
        let details = Rect { y: area.bottom() + 1, height: DETAIL_ROWS.min(inside.height), ..inside };
        let border = canvas.view.glyphs.horizontal.repeat(usize::from(room));
        canvas.put(inside.x + 1, area.bottom(), room, &border, Role::Border);
        for ((words, role), y) in self.details(canvas.view, usize::from(room)).iter().zip(details.y..details.bottom()) {
            // What is wrong can quote what was written.
            let class = if *role == Role::Bad { Class::Payload } else { Class::Public };
            canvas.put_as(inside.x + 1, y, room, words, *role, class);
        }
    }

    /// What is said below: what was refused, what did not fit, what is wrong, or what it is.
    fn details(&self, view: &View, columns: usize) -> Vec<(String, Role)> {
        let glyphs = view.glyphs;
        let mut said = Vec::new();
        said.extend(self.refusal.iter().map(|why| (format!("{} {why}", glyphs.bad), Role::Bad)));
        said.extend(self.cut.iter().map(|why| (format!("{} {why}", glyphs.warn), Role::Warn)));
        let (row, _) = self.editor.cursor();
        // What is wrong in the line that is written comes first.
        let (here, elsewhere): (Vec<_>, Vec<_>) = self.found.faults.iter().partition(|fault| fault.0 == row + 1);
        let fault = |(line, column, what): &(usize, usize, String)| (format!("{} {line}:{column}: {what}", glyphs.bad), Role::Bad);
        said.extend(here.into_iter().chain(elsewhere).map(fault));
        if self.found.more > 0 {
            said.push((format!("and {} (limits.runs.faults_max)", counted(self.found.more, "more fault")), Role::Muted));
        }
        said.extend(self.found.is.iter().map(|what| (format!("{} {what}", glyphs.ok), Role::Ok)));
        let wrapped = said.into_iter().flat_map(|(words, role)| {
            let words = text::visible(text::head(&words, 2_048), glyphs.ascii).into_owned();
            text::wrap(&words, columns.max(8)).into_iter().map(move |line| (line, role))
        });
        wrapped.take(usize::from(DETAIL_ROWS)).collect()
    }
}

fn full(over: usize) -> String {
    format!("{over} bytes did not fit and were left out (limits.console.form_bytes_max)")
}

fn inside(body: Rect) -> Rect {
    Rect::new(body.x + 1, body.y + 1, body.width.saturating_sub(2), body.height.saturating_sub(2))
}

/// Where the lines are: below the line that says where it goes, above the details.
fn list_area(inside: Rect) -> Rect {
    Rect { y: inside.y + 2, height: inside.height.saturating_sub(2 + DETAIL_ROWS + 1), ..inside }
}
