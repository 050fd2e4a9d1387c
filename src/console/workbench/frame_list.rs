//! Frames to go on with: those that were sent, then the snippets; what is typed finds some of them.

use std::sync::Arc;

use crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

use super::{
    Workbench,
    from_snippet::expected_words,
    lists::Listed,
    sending::{summary, summary_class},
    state::SentRecord,
};
use crate::{
    console::{
        draw::{Cell, format, theme::Role},
        input::{action::Action, fuzzy::FuzzyMatcher, keymap::KeyScope},
        model::Model,
        records::Table,
        settings::view::{Canvas, View},
        ui::{
            Layer, Line, Reaction, Scene, Target,
            act::{Act, Resolved},
            effect::Effect,
            layout::Layout,
            message::show_message,
            pane::PaneContext,
            state::Ui,
        },
        worker::{ListedSnippet, SnippetAnswer, SnippetJob},
    },
    dissect::snippets::Snippet,
    field::Column,
    time::Now,
};

const COLUMNS: &[Column] = &[
    Column::fixed("", 8),
    Column::growing("frame", 14, 3),
    Column::growing("door", 14, 2),
    Column::growing("verdict", 18, 3),
    Column::growing("about", 12, 5).from(90),
];
/// Lines below the list: what is typed, and what is wrong with files.
const FOOT_ROWS: u16 = 2;

/// The list.
#[derive(Debug)]
pub(crate) struct FrameList {
    query: Line,
    sent: Vec<Arc<SentRecord>>,
    /// Nothing until they were listed.
    snippets: Option<Vec<Arc<ListedSnippet>>>,
    troubles: Vec<String>,
    /// The places of those that match, among the frames that were sent and then the snippets.
    visible: Vec<usize>,
    listed: Listed,
}

/// One that is listed.
enum Row<'a> {
    Sent(&'a Arc<SentRecord>),
    Snippet(&'a Arc<ListedSnippet>),
}

/// Opens it; the snippets are asked for.
pub(super) fn open(ui: &mut Ui) -> Vec<Effect> {
    let sent: Vec<Arc<SentRecord>> = ui.systems.workbench.sent.iter().cloned().collect();
    let visible: Vec<usize> = (0..sent.len()).collect();
    let listed = Listed::of(visible.len());
    let (snippets, troubles) = (None, Vec::new());
    ui.push(FrameList { query: Line::new(""), sent, snippets, troubles, visible, listed });
    vec![Effect::Snippet(Box::new(SnippetJob::List))]
}

/// Takes what came of work on snippets.
pub(crate) fn on_snippets(ui: &mut Ui, answer: Option<SnippetAnswer>, now: Now) {
    match answer {
        Some(SnippetAnswer::Listed(snippets, troubles)) => {
            if let Some(list) = ui.layers_mut::<FrameList>().next() {
                (list.snippets, list.troubles) = (Some(snippets), troubles);
                list.find(false);
            }
        }
        Some(SnippetAnswer::Saved(Ok(path))) => {
            show_message(ui, format!("snippet saved: {}", path.display()), false, now);
        }
        Some(SnippetAnswer::Saved(Err(why))) => {
            show_message(ui, format!("snippet not saved: {why}"), true, now);
        }
        None => {}
    }
}

impl FrameList {
    fn row(&self, index: usize) -> Option<Row<'_>> {
        let place = *self.visible.get(index)?;
        let snippet = || self.snippets.as_ref()?.get(place.checked_sub(self.sent.len())?);
        self.sent.get(place).map(Row::Sent).or_else(|| snippet().map(Row::Snippet))
    }

    /// Finds those that match; a query that was edited begins at the first.
    fn find(&mut self, is_edited: bool) {
        let mut matching = FuzzyMatcher::new(self.query.text());
        let sent = self.sent.iter().map(|sent| {
            let verdict = sent.outcome.as_ref().ok().map(|_| summary(sent).0).unwrap_or_default();
            ("sent".to_owned(), format!("{} {verdict}", sent.door))
        });
        let snippets = self.snippets.iter().flatten().map(|it| {
            let Snippet { link, door, about, .. } = &it.snippet;
            let expected = expected_words(&it.snippet);
            (it.name.clone(), format!("{} {} {expected} {about}", link.name(), door.name()))
        });
        let rows = sent.chain(snippets).enumerate();
        let mut found: Vec<_> = rows
            .filter_map(|(place, (name, about))| matching.score(&name, &about).map(|score| (score, place)))
            .collect();
        if !self.query.text().is_empty() {
            found.sort_by_key(|(score, place)| (std::cmp::Reverse(*score), *place));
        }
        self.visible = found.into_iter().map(|(_, place)| place).collect();
        self.listed.recount(self.visible.len(), is_edited);
    }

    fn cells(&self, view: &View, index: usize) -> Vec<Cell> {
        match self.row(index) {
            Some(Row::Sent(sent)) => sent_cells(view, sent),
            Some(Row::Snippet(it)) => snippet_cells(it),
            None => Vec::new(),
        }
    }
}

fn sent_cells(view: &View, sent: &SentRecord) -> Vec<Cell> {
    let (text, is_bad) = summary(sent);
    let (about, role) = match (&sent.foreseen, &sent.outcome) {
        (Some(foreseen), Ok(outcome)) => match foreseen.uncompared(outcome) {
            Some(why) => (why, Role::Muted),
            None if foreseen.differences(outcome).is_empty() => ("equal to what was foreseen", Role::Muted),
            None => ("different from what was foreseen", Role::Warn),
        },
        _ => ("", Role::Muted),
    };
    let size = format::bytes(sent.length as u64);
    let frame = format!("{}, {size}", format::time_of_day(sent.at, &view.zone));
    vec![
        Cell::new("sent", Role::Muted),
        Cell::new(frame, Role::Text),
        Cell::new(sent.door.clone(), Role::Text),
        Cell::of_class(text, if is_bad { Role::Bad } else { Role::Ok }, summary_class(sent)),
        Cell::new(about, role),
    ]
}

fn snippet_cells(it: &ListedSnippet) -> Vec<Cell> {
    vec![
        Cell::new(
            if it.is_own { "own" } else { "shipped" },
            if it.is_own { Role::Accent } else { Role::Muted },
        ),
        Cell::new(it.name.clone(), Role::Text),
        Cell::new(it.snippet.door.name(), Role::Text),
        Cell::new(expected_words(&it.snippet), Role::Muted),
        Cell::new(it.snippet.about.clone(), Role::Muted),
    ]
}

impl Layer for FrameList {
    fn key_scope(&self) -> KeyScope {
        KeyScope::FrameList
    }

    fn covers_body(&self) -> bool {
        true
    }

    fn is_of_present(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        let all = self.sent.len() + self.snippets.as_ref().map_or(0, Vec::len);
        let loading = if self.snippets.is_none() { ", loading snippets" } else { "" };
        let title = format!("Frames ({} of {all}{loading})", self.visible.len());
        let mut inside = canvas.frame(scene.body, &title, scene.is_top);
        inside.height = inside.height.saturating_sub(FOOT_ROWS);
        let (x, room, foot) = (inside.x + 1, inside.width.saturating_sub(2), inside.bottom());
        let used = canvas.put(x, foot, room, "find: ", Role::Muted);
        self.query.draw(canvas, x + used, foot, room.saturating_sub(used));
        if let Some(first) = self.troubles.first() {
            let more = match self.troubles.len() - 1 {
                0 => String::new(),
                more => format!("; {more} more (`snippet check`)"),
            };
            canvas.put(x, foot + 1, room, &format!("{} {first}{more}", canvas.view.glyphs.warn), Role::Warn);
        }
        if self.visible.is_empty() {
            let words = if self.query.text().is_empty() { "no frames" } else { "no matches" };
            canvas.put(x, inside.y, room, words, Role::Muted);
            return;
        }
        let view = canvas.view;
        let row = |index: usize| self.cells(view, index);
        let table = Table::plain(COLUMNS, self.visible.len(), &row, self.listed.selection(), scene.is_top);
        table.draw(canvas, inside);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.listed.fit(list_area(layout.body));
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.listed.step(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        if action != Action::Open {
            return None;
        }
        Some(match self.row(self.listed.selection().index()) {
            None => Err("nothing selected".into()),
            Some(Row::Sent(sent)) if sent.json.is_none() && sent.bytes.is_none() => {
                Err("the frame was too large to be kept, or may hold a token".into())
            }
            Some(Row::Sent(sent)) => {
                let sent = Arc::clone(sent);
                Ok(load(move |bench, ui| bench.load_sent(&sent, &ui.limits)))
            }
            Some(Row::Snippet(it)) => {
                let it = Arc::clone(it);
                Ok(load(move |bench, ui| bench.load_snippet(it, &ui.limits)))
            }
        })
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        if view.keymap.lookup(KeyScope::FrameList, key).is_some() || !self.query.input(key) {
            return Reaction::Ignored;
        }
        self.find(true);
        Reaction::Consumed(Vec::new())
    }

    fn on_paste(&mut self, text: &str, _ui: &mut Ui, _view: &View) {
        self.query.paste(text);
        self.find(true);
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        self.listed.click(list_area(layout.body), at)
    }
}

/// Closes the list and changes the workbench. What was written in it before is listed with what was sent.
fn load(change: impl FnOnce(&mut Workbench, &Ui) + 'static) -> Act {
    Act::close(move |_: FrameList, ui, _| {
        let (limits, at) = (ui.limits, ui.at.wall);
        let unsent = ui.top::<Workbench>().and_then(|bench| bench.unsent(&limits, at));
        let saved = unsent.map(|unsent| ui.systems.workbench.list(unsent.into(), &limits.console));
        if let Some(mut bench) = ui.pop_top::<Workbench>() {
            change(&mut bench, ui);
            ui.overlays.push(bench);
        }
        saved.into_iter().collect()
    })
}

/// Where the rows are.
fn list_area(body: Rect) -> Rect {
    Rect { height: body.height.saturating_sub(FOOT_ROWS), ..body }
}
