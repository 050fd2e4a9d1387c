//! One entry that is looked at: what is unfolded and selected, where its bytes are, and the entries that were
//! looked at before it.

use std::collections::{BTreeSet, VecDeque};

use super::{context::Context, hex::Columns, page::Page, payload::Outline};
use crate::{
    console::{input::action::Action, model::EntryBuffer, ui::effect::Effect, worker::DecodeJob},
    dissect::{
        Tone,
        decoder::{Subject, decode},
        mplp::findings_text,
        tree::{Node, Tree},
        verdict,
    },
    ids::Seq,
    limits,
};

/// Entries that Backspace leads back through.
const HISTORY_MAX: usize = 64;
/// Nodes that lie this deep, and those with more nodes within, are folded at first.
const OPEN_DEPTH_MAX: u16 = 4;
/// Nodes within one that is not folded at first.
const OPEN_NODES_MAX: usize = 200;

/// The tree of the bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DecodeState {
    /// The worker reads them; the number of its job.
    Decoding(u64),
    Read(Tree),
    /// The worker could not read them.
    Failed,
}

/// Where the keys go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Tree,
    Hex,
}

/// Which of the two trees a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Decoded,
    Context,
}

/// A line of the tree that is not folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) part: Part,
    pub(crate) index: usize,
}

/// What `Enter` leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EnterTarget {
    Nowhere,
    Entry(Seq),
}

/// How an entry is looked at.
#[derive(Clone, Debug)]
pub(crate) struct InspectOptions {
    /// The number of the worker's job, should the entry be too large to be read at once.
    pub(crate) number: u64,
    /// The time of day of the entry.
    pub(crate) time: String,
    pub(crate) limits: limits::Console,
}

/// How much is shown at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Viewport {
    pub(crate) tree: usize,
    pub(crate) hex: usize,
    pub(crate) columns: Columns,
}

/// An entry that is looked at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inspector {
    pub(crate) subject: Subject,
    pub(crate) decode_state: DecodeState,
    pub(crate) context_tree: Tree,
    pub(crate) verdict: Vec<(Tone, String)>,
    pub(crate) context: Context,
    pub(crate) time: String,
    /// The moment at which time is stopped.
    until: Option<Seq>,
    folded: BTreeSet<Row>,
    pub(crate) rows: Vec<Row>,
    pub(crate) selected: usize,
    pub(crate) offset: usize,
    /// Whether its rows were not fitted to the room there is since its bytes were read.
    is_unfitted: bool,
    pub(crate) byte: u32,
    /// The first line of the dump.
    pub(crate) line: usize,
    pub(crate) side: Side,
    history: VecDeque<Subject>,
    pub(crate) page: Option<Page>,
    viewport: Viewport,
}

impl Inspector {
    /// Looks at an entry; what is too large to be read at once is for the worker.
    pub(crate) fn of(subject: Subject, opening: InspectOptions) -> (Self, Option<Effect>) {
        let InspectOptions { number, time, limits } = opening;
        let mut inspector = Self {
            verdict: verdict(&subject),
            subject,
            decode_state: DecodeState::Failed,
            context_tree: Tree::default(),
            context: Context::default(),
            time,
            until: None,
            folded: BTreeSet::new(),
            rows: Vec::new(),
            selected: 0,
            offset: 0,
            is_unfitted: false,
            byte: 0,
            line: 0,
            side: Side::Tree,
            history: VecDeque::new(),
            page: None,
            viewport: Viewport { tree: 1, hex: 1, columns: Columns { offset: 4, bytes: 16 } },
        };
        let effect = inspector.read(number, &limits);
        (inspector, effect)
    }

    /// Whether it looks at this entry, at this time of day.
    pub(crate) fn shows(&self, subject: &Subject, time: &str) -> bool {
        self.subject == *subject && self.time == time
    }

    /// Looks at another entry; the one before is remembered.
    pub(crate) fn go_to(&mut self, subject: Subject, opening: InspectOptions) -> Option<Effect> {
        let (next, effect) = Self::of(subject, opening);
        let Self { subject, history: mut trail, side, viewport: room, .. } = std::mem::replace(self, next);
        trail.push_back(subject);
        if trail.len() > HISTORY_MAX {
            trail.pop_front();
        }
        (self.history, self.side, self.viewport) = (trail, side, room);
        effect
    }

    /// Looks again at the entry before.
    pub(crate) fn go_back(&mut self, opening: InspectOptions) -> Option<Effect> {
        let before = self.history.pop_back()?;
        let effect = self.go_to(before, opening);
        self.history.pop_back();
        effect
    }

    /// The entry before.
    pub(crate) fn before(&self) -> Option<&Subject> {
        self.history.back()
    }

    fn read(&mut self, number: u64, limits: &limits::Console) -> Option<Effect> {
        let nodes_max = usize::try_from(limits.inspect_nodes_max).unwrap_or(usize::MAX);
        if self.subject.bytes.len() as u64 > limits.inspect_inline_bytes_max {
            self.decode_state = DecodeState::Decoding(number);
            return Some(Effect::Decode(Box::new(DecodeJob {
                number,
                subject: self.subject.clone(),
                nodes_max,
            })));
        }
        self.set_tree(decode(&self.subject, nodes_max));
        None
    }

    /// Whether the worker's answer of this number is for what is looked at.
    pub(crate) fn awaits(&self, number: u64) -> bool {
        self.decode_state == DecodeState::Decoding(number)
    }

    /// Takes the worker's answer.
    pub(crate) fn decoded(&mut self, tree: Option<Tree>) {
        match tree {
            Some(tree) => self.set_tree(tree),
            None => self.decode_state = DecodeState::Failed,
        }
    }

    fn set_tree(&mut self, tree: Tree) {
        for (index, node) in tree.nodes.iter().enumerate() {
            let within = node.end - index - 1;
            if index > 0 && within > 0 && (node.depth >= OPEN_DEPTH_MAX || within > OPEN_NODES_MAX) {
                self.folded.insert(Row { part: Part::Decoded, index });
            }
        }
        self.verdict = verdict(&self.subject);
        if let (Some((_, first)), findings @ 1..) = (self.verdict.first_mut(), tree.findings()) {
            *first = format!("{first}; {}", findings_text(findings));
        }
        // What is wrong is what is looked for.
        let wrong = tree
            .nodes
            .iter()
            .position(|node| node.note.as_ref().is_some_and(|note| note.is_wrong) && !node.range.is_empty());
        let Outline { headers, payload } = Outline::of(&tree, &self.subject);
        self.folded.extend(headers.into_iter().map(|index| Row { part: Part::Decoded, index }));
        self.decode_state = DecodeState::Read(tree);
        self.is_unfitted = true;
        self.rebuild_rows();
        match (wrong, payload) {
            (Some(index), _) => self.reveal(index),
            (None, Some(index)) => {
                self.reveal(index);
                self.select(self.selected);
            }
            (None, None) => self.select(usize::from(self.rows.len() > 1)),
        }
    }

    /// The tree of a row.
    pub(crate) fn tree(&self, part: Part) -> Option<&Tree> {
        match (part, &self.decode_state) {
            (Part::Decoded, DecodeState::Read(tree)) => Some(tree),
            (Part::Decoded, _) => None,
            (Part::Context, _) => Some(&self.context_tree),
        }
    }

    /// The node of a row.
    pub(crate) fn node(&self, row: Row) -> Option<&Node> {
        self.tree(row.part)?.nodes.get(row.index)
    }

    /// The selected row.
    pub(crate) fn row(&self) -> Option<Row> {
        self.rows.get(self.selected).copied()
    }

    /// The selected node.
    pub(crate) fn selected_node(&self) -> Option<&Node> {
        self.node(self.row()?)
    }

    /// Whether a row's values are folded away; nothing where it has none.
    pub(crate) fn is_folded(&self, row: Row) -> Option<bool> {
        self.tree(row.part)?.is_folder(row.index).then(|| self.folded.contains(&row))
    }

    /// Finds the rows that are not folded away; the selection stays at its node.
    fn rebuild_rows(&mut self) {
        let at_hand = self.row();
        let mut rows = Vec::new();
        for part in [Part::Decoded, Part::Context] {
            let Some(tree) = self.tree(part) else { continue };
            let mut index = 0;
            while index < tree.nodes.len() {
                let row = Row { part, index };
                rows.push(row);
                index = if self.folded.contains(&row) { tree.nodes[index].end } else { index + 1 };
            }
        }
        self.rows = rows;
        if let Some(row) = at_hand {
            // What was folded away is within the row before its place.
            self.selected = self.rows.partition_point(|known| *known <= row).saturating_sub(1);
        }
        self.scroll();
    }

    fn scroll(&mut self) {
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
        self.offset = self
            .offset
            .min(self.rows.len().saturating_sub(self.viewport.tree))
            .min(self.selected)
            .max((self.selected + 1).saturating_sub(self.viewport.tree.max(1)));
        let line =
            usize::try_from(self.byte).unwrap_or(usize::MAX) / usize::from(self.viewport.columns.bytes);
        let lines = self.viewport.columns.lines(self.subject.bytes.len());
        self.line = self
            .line
            .min(lines.saturating_sub(self.viewport.hex))
            .min(line)
            .max((line + 1).saturating_sub(self.viewport.hex.max(1)));
    }

    /// Selects a row; its bytes come into sight.
    pub(crate) fn select(&mut self, row: usize) {
        self.selected = row.min(self.rows.len().saturating_sub(1));
        if let Some(range) =
            self.selected_node().map(|node| node.range.clone()).filter(|range| !range.is_empty())
        {
            self.byte = range.start;
        }
        self.scroll();
    }

    /// Selects a node of the bytes, unfolding what hides it.
    fn reveal(&mut self, index: usize) {
        let DecodeState::Read(tree) = &self.decode_state else { return };
        let mut above = Vec::new();
        let mut at = index;
        while let Some(parent) = tree.parent(at) {
            above.push(parent);
            at = parent;
        }
        let before = self.folded.len();
        for index in above {
            self.folded.remove(&Row { part: Part::Decoded, index });
        }
        if self.folded.len() != before {
            self.rebuild_rows();
        }
        if let Ok(row) = self.rows.binary_search(&Row { part: Part::Decoded, index }) {
            self.selected = row;
        }
        self.scroll();
    }

    /// Puts the cursor on a byte; the smallest value that has it is selected.
    pub(crate) fn select_byte(&mut self, byte: u32) {
        let last = u32::try_from(self.subject.bytes.len()).unwrap_or(u32::MAX).saturating_sub(1);
        self.byte = byte.min(last);
        let found = match &self.decode_state {
            DecodeState::Read(tree) => tree.innermost(self.byte),
            DecodeState::Decoding(_) | DecodeState::Failed => None,
        };
        match found {
            Some(index) => self.reveal(index),
            None => self.scroll(),
        }
    }

    /// The bytes of the selected value.
    pub(crate) fn highlighted_bytes(&self) -> std::ops::Range<u32> {
        match self.row() {
            Some(row) if row.part == Part::Decoded => self.node(row).map_or(0..0, |node| node.range.clone()),
            _ => 0..0,
        }
    }

    /// Takes note of what is kept now, and of the moment at which time is stopped.
    pub(crate) fn update_context(&mut self, kept: &EntryBuffer, until: Option<Seq>) {
        let is_other = self.context.follow(&self.subject, kept);
        if is_other || self.until != until || self.context_tree.nodes.is_empty() {
            self.until = until;
            self.context_tree = self.context.tree(&self.subject, self.time.clone(), until);
            self.rebuild_rows();
        }
    }

    /// Fits it to the room there is.
    pub(crate) fn reconcile(&mut self, room: Viewport) {
        let is_unfitted = std::mem::take(&mut self.is_unfitted);
        if is_unfitted {
            // What stands before it says what it belongs to.
            self.offset = self.selected.saturating_sub(room.tree / 2);
        }
        if self.viewport != room || is_unfitted {
            self.viewport = room;
            self.scroll();
        }
    }

    /// Moves by some lines, as the wheel does.
    pub(crate) fn step(&mut self, by: isize) {
        let action = if by < 0 { Action::Up } else { Action::Down };
        (0..by.unsigned_abs().min(64)).for_each(|_| self.navigate(action));
    }

    /// Moves.
    pub(crate) fn navigate(&mut self, action: Action) {
        if let Some(page) = &mut self.page {
            page.navigate(&self.subject.bytes, action);
            return;
        }
        match (action, self.side) {
            (Action::FocusNext | Action::FocusPrevious, Side::Tree) => self.side = Side::Hex,
            (Action::FocusNext | Action::FocusPrevious, Side::Hex) => self.side = Side::Tree,
            (_, Side::Tree) => self.navigate_tree(action),
            (_, Side::Hex) => self.navigate_hex(action),
        }
    }

    fn navigate_tree(&mut self, action: Action) {
        let page = self.viewport.tree.saturating_sub(1).max(1);
        match action {
            Action::Up => self.select(self.selected.saturating_sub(1)),
            Action::Down => self.select(self.selected + 1),
            Action::PageUp => self.select(self.selected.saturating_sub(page)),
            Action::PageDown => self.select(self.selected.saturating_add(page)),
            Action::First => self.select(0),
            Action::Last => self.select(usize::MAX),
            Action::Left => {
                let Some(row) = self.row() else { return };
                if self.is_folded(row) == Some(false) {
                    self.fold(row);
                } else if let Some(index) = self.tree(row.part).and_then(|tree| tree.parent(row.index)) {
                    let parent = Row { index, ..row };
                    self.select(self.rows.partition_point(|known| *known < parent));
                }
            }
            Action::Right => {
                let Some(row) = self.row() else { return };
                match self.is_folded(row) {
                    Some(true) => self.fold(row),
                    Some(false) => self.select(self.selected + 1),
                    None => {}
                }
            }
            _ => {}
        }
    }

    fn navigate_hex(&mut self, action: Action) {
        let line = i64::from(self.viewport.columns.bytes);
        let page = i64::try_from(self.viewport.hex.saturating_sub(1).max(1)).unwrap_or(1) * line;
        let by = match action {
            Action::Left => -1,
            Action::Right => 1,
            Action::Up => -line,
            Action::Down => line,
            Action::PageUp => -page,
            Action::PageDown => page,
            Action::First => i64::from(i32::MIN),
            Action::Last => i64::from(u32::MAX),
            _ => return,
        };
        let last = i64::try_from(self.subject.bytes.len()).unwrap_or(i64::MAX).saturating_sub(1).max(0);
        self.select_byte(u32::try_from((i64::from(self.byte) + by).clamp(0, last)).unwrap_or(0));
    }

    /// Folds a row's values away, or shows them.
    fn fold(&mut self, row: Row) {
        if !self.folded.remove(&row) {
            self.folded.insert(row);
        }
        self.rebuild_rows();
    }

    /// Opens what is selected: folds or unfolds it, or shows its value whole; yields the entry that it speaks
    /// of.
    pub(crate) fn open(&mut self) -> EnterTarget {
        if self.side == Side::Hex {
            self.side = Side::Tree;
            return EnterTarget::Nowhere;
        }
        let Some(row) = self.row() else { return EnterTarget::Nowhere };
        if let Some(seq) = self.node(row).and_then(|node| node.target_seq) {
            return EnterTarget::Entry(seq);
        }
        if self.is_folded(row).is_some() {
            self.fold(row);
        } else if let Some(node) = self.node(row) {
            self.page = Some(Page::of(node));
        }
        EnterTarget::Nowhere
    }

    /// Whether there is something to open.
    pub(crate) fn can_open(&self) -> bool {
        let has_value =
            self.selected_node().is_some_and(|node| node.value.len() > 0 || node.target_seq.is_some());
        self.page.is_none()
            && (self.side == Side::Hex
                || has_value
                || self.row().is_some_and(|row| self.is_folded(row).is_some()))
    }

    /// Selects the first of the entries that this one caused, or the next.
    pub(crate) fn next_effect(&mut self) {
        let effects: Vec<usize> = (0..self.context_tree.nodes.len())
            .filter(|index| {
                self.context_tree.nodes[*index].target_seq.is_some()
                    && self.context_tree.nodes[*index].depth > 1
            })
            .collect();
        let here = self.row().filter(|row| row.part == Part::Context).map_or(0, |row| row.index);
        let Some(index) = effects.iter().find(|index| **index > here).or(effects.first()).copied() else {
            return;
        };
        for folder in [0, self.context_tree.parent(index).unwrap_or(0)] {
            self.folded.remove(&Row { part: Part::Context, index: folder });
        }
        self.side = Side::Tree;
        self.rebuild_rows();
        self.select(self.rows.partition_point(|row| *row < Row { part: Part::Context, index }));
    }
}
