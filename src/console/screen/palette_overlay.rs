//! The palette: any action of the place below it, and any subcommand, by a few letters of its name.

use ratatui::{layout::Rect, style::Modifier};

use crate::console::{
    draw::{class::Class, text, theme::Role},
    input::{action::Action, fuzzy::FuzzyMatcher, keymap::KeyScope},
    model::Model,
    screen,
    settings::{
        shell::Subcommand,
        view::{Canvas, View},
    },
    ui::{Line, history::History, layer::centred, state::Ui},
};

/// Columns of the names.
const NAME_COLUMNS: u16 = 19;
/// Rows that are shown at most.
const ROWS_MAX: u16 = 16;

/// One thing that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    /// What is typed, as a subcommand with its words.
    Typed(Vec<String>),
    /// An action.
    Action(Action),
    /// The subcommand at this place of the list.
    Subcommand(usize),
}

/// The palette.
#[derive(Debug)]
pub(crate) struct Palette {
    line: Line,
    below: KeyScope,
    hits: Vec<Hit>,
    selected: usize,
    offset: usize,
    height: usize,
    /// How many lines ago the line was run that was called back.
    recalled: Option<usize>,
}

impl Palette {
    /// An empty line over a place.
    pub(crate) fn over(below: KeyScope, view: &View) -> Self {
        let mut palette = Self {
            line: Line::new(""),
            below,
            hits: Vec::new(),
            selected: 0,
            offset: 0,
            height: 1,
            recalled: None,
        };
        palette.find(view);
        palette
    }

    /// What is typed.
    pub(crate) fn text(&self) -> &str {
        self.line.text()
    }

    /// What is selected.
    pub(crate) fn hit(&self) -> Option<&Hit> {
        self.hits.get(self.selected)
    }

    /// Takes a key that edits the line.
    pub(crate) fn input(&mut self, key: crossterm::event::KeyEvent, view: &View) {
        if self.line.input(key) {
            self.recalled = None;
            self.find(view);
        }
    }

    /// Takes pasted text.
    pub(crate) fn paste(&mut self, pasted: &str, view: &View) {
        self.line.paste(pasted);
        self.recalled = None;
        self.find(view);
    }

    /// Writes a line in place of what is typed.
    pub(crate) fn write(&mut self, line: &str, view: &View) {
        self.line = Line::new(line);
        self.find(view);
    }

    /// Writes what is selected, as far as it is known.
    pub(crate) fn complete(&mut self, view: &View) {
        match self.hit().cloned() {
            Some(Hit::Action(action)) => self.write(action.name(), view),
            Some(Hit::Subcommand(index)) => {
                let name = view.subcommands.get(index).map(|it| format!("{} ", it.name));
                self.write(&name.unwrap_or_default(), view);
            }
            Some(Hit::Typed(_)) | None => {}
        }
    }

    /// Moves the selection; above the first row of an empty line lie the lines that were run before.
    pub(crate) fn step(&mut self, by: isize, history: &History, view: &View) {
        let is_recalling = self.recalled.is_some() || self.text().is_empty();
        match (by, self.recalled) {
            (-1, _) if is_recalling && self.selected == 0 => {
                self.recall(self.recalled.map_or(0, |ago| ago + 1), history, view);
            }
            (1, Some(0)) => {
                self.recalled = None;
                self.write("", view);
            }
            (1, Some(ago)) => self.recall(ago - 1, history, view),
            _ => self.select(self.selected.saturating_add_signed(by)),
        }
    }

    /// Moves the selection, within what is listed.
    pub(crate) fn scroll(&mut self, by: isize) {
        self.select(self.selected.saturating_add_signed(by));
    }

    fn recall(&mut self, ago: usize, history: &History, view: &View) {
        if let Some(line) = history.ago(ago) {
            self.write(line, view);
            self.recalled = Some(ago);
        }
    }

    fn select(&mut self, index: usize) {
        self.selected = index.min(self.hits.len().saturating_sub(1));
        self.offset = self.offset.min(self.selected).max((self.selected + 1).saturating_sub(self.height));
    }

    /// Selects the row under a click; whether it was selected already.
    pub(crate) fn click(&mut self, body: Rect, column: u16, row: u16) -> bool {
        let area = area(body);
        let line = row.checked_sub(area.y + 2).map(usize::from).filter(|line| *line < self.height);
        let index = line.map(|line| self.offset + line).filter(|index| *index < self.hits.len());
        let Some(index) = index.filter(|_| area.contains((column, row).into())) else { return false };
        let was_there = self.selected == index;
        self.select(index);
        was_there
    }

    fn find(&mut self, view: &View) {
        self.hits = hits(self.text(), self.below, view);
        (self.selected, self.offset) = (0, 0);
    }

    /// Fits it to the room there is.
    pub(crate) fn reconcile(&mut self, body: Rect) {
        self.height = usize::from(area(body).height.saturating_sub(4)).max(1);
        self.select(self.selected);
    }

    /// Draws it over the others.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model, ui: &Ui) {
        let area = area(body);
        canvas.clear(area);
        let inside = canvas.frame(area, &format!("Command, in {}", self.below.name()), true);
        let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
        canvas.put(x, inside.y, 2, ":", Role::Accent);
        let hidden = self.recalled.is_some() && canvas.view.mask_policy.masks(Class::Payload);
        let public = Subcommand::split_line(&canvas.view.subcommands, self.text()).0.len();
        if hidden {
            self.line.draw_recalled(
                canvas,
                (x + 2, inside.y),
                columns.saturating_sub(2),
                public,
                Class::Payload,
            );
        } else {
            self.line.draw(canvas, x + 2, inside.y, columns.saturating_sub(2));
        }
        let bottom = inside.bottom().saturating_sub(1);
        for ((index, hit), y) in self.hits.iter().enumerate().skip(self.offset).zip(inside.y + 1..bottom) {
            draw_hit(canvas, Rect::new(x, y, columns, 1), hit, model, ui);
            if index == self.selected {
                let line = Rect::new(inside.x, y, inside.width, 1);
                canvas.buffer.set_style(line, ratatui::style::Style::new().add_modifier(Modifier::REVERSED));
            }
        }
        let (words, role) = self.details(canvas.view, model, ui);
        canvas.put(x, bottom, columns, &words, role);
        let below = self.hits.len().saturating_sub(self.offset + self.height);
        if below > 0 || self.offset > 0 {
            let glyphs = canvas.view.glyphs;
            let words = format!(" {} {}  {} {below} ", glyphs.up, self.offset, glyphs.down_arrow);
            let used = u16::try_from(text::width(&words)).unwrap_or(u16::MAX);
            canvas.put(
                area.right().saturating_sub(used + 1),
                area.bottom().saturating_sub(1),
                used,
                &words,
                Role::Muted,
            );
        }
    }

    /// The last line: what more there is to say of what is selected.
    fn details(&self, view: &View, model: &Model, ui: &Ui) -> (String, Role) {
        match self.hit() {
            None => ("nothing matches".to_owned(), Role::Muted),
            Some(Hit::Action(action)) => match screen::unavailable(*action, ui, model, view) {
                Some(why) => (why, Role::Warn),
                None => (action.about().trim().to_owned(), Role::Muted),
            },
            Some(Hit::Subcommand(index)) => match view.subcommands.get(*index) {
                Some(it) => match it.unavailable(&[]) {
                    Some(why) => (why.to_owned(), Role::Warn),
                    None => (it.usage.clone(), Role::Muted),
                },
                None => (String::new(), Role::Muted),
            },
            Some(Hit::Typed(words)) => match Subcommand::resolve(&view.subcommands, words) {
                Some(it) => match it.unavailable(words) {
                    Some(why) => (why.to_owned(), Role::Warn),
                    None => (it.usage.clone(), Role::Muted),
                },
                None => (String::new(), Role::Muted),
            },
        }
    }
}

/// Of one height whatever is found, so that nothing jumps while it is typed.
fn area(body: Rect) -> Rect {
    let area = centred(body, 100.min(body.width.saturating_sub(4)), (ROWS_MAX + 4).min(body.height));
    Rect { y: body.y, ..area }
}

fn draw_hit(canvas: &mut Canvas<'_>, area: Rect, hit: &Hit, model: &Model, ui: &Ui) {
    let view = canvas.view;
    let mut class = Class::Public;
    let (name, about, right, does) = match hit {
        Hit::Action(action) => {
            let key = view
                .keymap
                .keys_in(ui.key_scope_below_palette(), *action)
                .next()
                .map_or_else(String::new, |key| key.name(view.glyphs));
            (
                action.name().to_owned(),
                action.about().trim(),
                key,
                screen::unavailable(*action, ui, model, view).is_none(),
            )
        }
        Hit::Subcommand(index) => match view.subcommands.get(*index) {
            Some(it) => {
                (it.name.clone(), it.about.as_str(), "command".to_owned(), it.unavailable(&[]).is_none())
            }
            None => return,
        },
        Hit::Typed(words) => {
            let does = Subcommand::resolve(&view.subcommands, words)
                .is_some_and(|it| it.unavailable(words).is_none());
            let name = format!("run {}", view.glyphs.into);
            if ui.palette.as_ref().is_some_and(|palette| palette.recalled.is_some()) {
                class = Class::Payload;
            }
            (name, ui.palette.as_ref().map_or("", |palette| palette.text()), "command".to_owned(), does)
        }
    };
    let (name_role, key_role) = if does { (Role::Text, Role::Accent) } else { (Role::Muted, Role::Muted) };
    let right_columns = u16::try_from(text::width(&right)).unwrap_or(u16::MAX).min(area.width / 2);
    canvas.put(area.x, area.y, NAME_COLUMNS - 1, &name, name_role);
    let about_columns = area.width.saturating_sub(NAME_COLUMNS + right_columns + 1);
    canvas.put_as(area.x + NAME_COLUMNS, area.y, about_columns, about, Role::Muted, class);
    canvas.put(area.right().saturating_sub(right_columns), area.y, right_columns, &right, key_role);
}

/// What can be chosen for these letters: what is typed as it stands if it is a subcommand, then the best
/// match first.
fn hits(typed: &str, below: KeyScope, view: &View) -> Vec<Hit> {
    let mut matching = FuzzyMatcher::new(typed);
    let actions = actions(below, view);
    let subcommands = view
        .subcommands
        .iter()
        .enumerate()
        .map(|(index, it)| (Hit::Subcommand(index), it.name.as_str(), it.about.as_str()));
    let all = actions
        .into_iter()
        .map(|action| (Hit::Action(action), action.name(), action.about()))
        .chain(subcommands);
    let mut found: Vec<_> =
        all.filter_map(|(hit, name, about)| Some((matching.score(name, about)?, hit))).collect();
    if !typed.is_empty() {
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    }
    let as_typed = as_typed(typed, view).map(Hit::Typed);
    as_typed.into_iter().chain(found.into_iter().map(|(_, hit)| hit)).collect()
}

/// The words of a subcommand that was typed with more than its name.
fn as_typed(typed: &str, view: &View) -> Option<Vec<String>> {
    let words = shlex::split(typed).filter(|words| !words.is_empty())?;
    let meant = Subcommand::resolve(&view.subcommands, &words)?;
    let named = meant.name.split(' ').count();
    (words.len() > named || words.len() > 1 && words.join(" ") != meant.name).then_some(words)
}

/// The actions that can be done in a place, the most used first.
fn actions(below: KeyScope, view: &View) -> Vec<Action> {
    let mut actions: Vec<Action> = Vec::new();
    for action in view.keymap.bindings(below).map(|binding| binding.action).chain([
        Action::Help,
        Action::Keys,
        Action::ResetLayout,
    ]) {
        if action != Action::Palette && !actions.contains(&action) {
            actions.push(action);
        }
    }
    actions
}
