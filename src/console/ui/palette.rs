//! The palette: any action of the place below it, and any subcommand, by a few letters of its name.

use ratatui::layout::Rect;

use crate::console::{
    input::{
        action::Action,
        fuzzy::FuzzyMatcher,
        keymap::{KeyScope, unkeyed},
    },
    settings::{shell::Subcommand, view::View},
    ui::{
        Line,
        file_request::{FileRequest, FileVerb},
        history::History,
        layer::centred,
        trigger_line,
    },
};

/// Rows that are shown at most.
const ROWS_MAX: u16 = 16;

/// One thing that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    /// The line, as a subcommand with its words.
    Typed(Vec<String>),
    /// An action.
    Action(Action),
    /// The named filter at this place of the keymap.
    NamedFilter(usize),
    /// Something that is saved to a file; none where the file is still missing.
    File(FileVerb, Option<FileRequest>),
    /// A trigger that is added; none where its filter is still missing.
    Trigger(Option<String>),
    /// The manual, at what these words name or say.
    Manual(String),
    /// The subcommand at this place of the list.
    Subcommand(usize),
}

/// The palette.
#[derive(Debug)]
pub(crate) struct Palette {
    pub(crate) line: Line,
    pub(crate) below: KeyScope,
    pub(crate) hits: Vec<Hit>,
    pub(crate) selected: usize,
    pub(crate) offset: usize,
    pub(crate) height: usize,
    /// How many lines ago the line was run that was called back.
    pub(crate) recalled: Option<usize>,
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

    /// The line.
    pub(crate) fn text(&self) -> &str {
        self.line.text()
    }

    /// The hit that is selected.
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
            Some(Hit::NamedFilter(index)) => {
                let name = view.keymap.filters().get(index).map(|filter| filter.name.clone());
                self.write(&name.unwrap_or_default(), view);
            }
            Some(Hit::File(verb, None)) => self.write(&format!("{} ", verb.name()), view),
            Some(Hit::Trigger(None)) => self.write(&format!("{} ", trigger_line::NAME), view),
            Some(Hit::Manual(name)) => self.write(&format!("help {name}"), view),
            Some(Hit::Typed(_) | Hit::File(_, Some(_)) | Hit::Trigger(Some(_))) | None => {}
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
}

/// Of one height whatever is found, so that nothing jumps while it is typed.
pub(crate) fn area(body: Rect) -> Rect {
    let area = centred(body, 100.min(body.width.saturating_sub(4)), (ROWS_MAX + 4).min(body.height));
    Rect { y: body.y, ..area }
}

/// What can be chosen for these letters: what is typed as it stands if it is a subcommand, then the best
/// match first.
fn hits(typed: &str, below: KeyScope, view: &View) -> Vec<Hit> {
    let mut matching = FuzzyMatcher::new(typed);
    let actions = actions(below, view);
    // Histories have actions by names of earlier versions.
    let renamed =
        Action::by_name(typed).filter(|it| it.name() != typed && actions.contains(it)).map(Hit::Action);
    let subcommands = view
        .subcommands
        .iter()
        .enumerate()
        .filter(|(_, it)| !it.is_earlier)
        .map(|(index, it)| (Hit::Subcommand(index), it.name.as_str(), it.about.as_str()));
    let filters = view.keymap.filters_in(below).iter().enumerate();
    let filters = filters.map(|(at, it)| (Hit::NamedFilter(at), it.name.as_str(), it.text.as_str()));
    let all = actions
        .into_iter()
        .map(|action| (Hit::Action(action), action.name(), action.about()))
        .chain(filters)
        .chain(FileVerb::ALL.map(|verb| (Hit::File(verb, None), verb.name(), verb.about())))
        .chain([(Hit::Trigger(None), trigger_line::NAME, trigger_line::ABOUT)])
        .chain(subcommands);
    let scored = |(hit, name, about): (Hit, &str, &str)| {
        Some(((name != typed.trim(), std::cmp::Reverse(matching.score(name, about)?)), hit))
    };
    let mut found: Vec<_> = all.filter_map(scored).collect();
    if !typed.is_empty() {
        // What is called so comes before what is called nearly so.
        found.sort_by_key(|(order, _)| *order);
    }
    if let Some(words) = manual_words(typed) {
        return manual_hits(words, view);
    }
    let saved = FileRequest::parse(typed).map(|request| Hit::File(request.verb, Some(request)));
    let trigger = || trigger_line::parse(typed, &view.subcommands).map(|filter| Hit::Trigger(Some(filter)));
    let as_typed = saved.or_else(trigger).or_else(|| as_typed(typed, view).map(Hit::Typed));
    let found = found.into_iter().map(|(_, hit)| hit).filter(|hit| renamed.as_ref() != Some(hit));
    as_typed.into_iter().chain(renamed.clone()).chain(found).collect()
}

/// The words behind `help `: what of the manual is looked for.
fn manual_words(typed: &str) -> Option<&str> {
    typed.trim_start().strip_prefix("help ").map(str::trim)
}

/// The page of this name and those whose names begin so, then the search for the words, then pages that are
/// found by a few letters.
fn manual_hits(words: &str, view: &View) -> Vec<Hit> {
    let mut matching = FuzzyMatcher::new(words);
    let found =
        { view.manual.pages() }.filter_map(|page| Some((matching.score(page.name, &page.title)?, page.name)));
    let mut found: Vec<_> = found.collect();
    if !words.is_empty() {
        found.sort_by_key(|(score, name)| (*name != words, std::cmp::Reverse(*score)));
    }
    let is_page = found.first().is_some_and(|(_, name)| *name == words);
    let (named, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, name)| name.starts_with(words));
    let search = Some(words).filter(|words| !words.is_empty() && !is_page);
    let named = named.into_iter().map(|(_, name)| name);
    let others = others.into_iter().map(|(_, name)| name);
    named.chain(search).chain(others).map(|name| Hit::Manual(name.to_owned())).collect()
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
    let bound = view.keymap.bindings(below).map(|binding| binding.action);
    for action in
        bound.chain(unkeyed(below).iter().copied()).chain([Action::Help, Action::Keys, Action::ResetLayout])
    {
        if action != Action::Palette && !actions.contains(&action) {
            actions.push(action);
        }
    }
    actions
}
