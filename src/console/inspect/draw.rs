//! Draws an entry that is looked at: the verdict, the tree, the dump.

use std::borrow::Cow;

use ratatui::{
    layout::Rect,
    style::{Modifier, Style},
};

use super::{
    hex::Columns,
    inspector::{DecodeState, Inspector, Part, Row, Side, Viewport},
    page::Page,
};
use crate::{
    console::{
        draw::{class::Class, text, theme::Role},
        input::action::Action,
        settings::view::Canvas,
    },
    dissect::{
        Tone, describe,
        tree::{Kind, Node, Note, Text, Tree},
    },
    tap::entry::What,
    words::counted,
};

/// Lines of the verdict at most.
const VERDICT_ROWS_MAX: usize = 5;
/// The width from which on the dump stands beside the tree.
const WIDE: u16 = 120;
/// Bytes of a name or value that are looked at for one line.
const VISIBLE_BYTES_MAX: usize = 1_024;
/// The least columns of names.
const NAME_COLUMNS: usize = 10;

/// Where everything is.
struct Areas {
    verdict: Rect,
    tree: Rect,
    detail: Rect,
    /// Between tree and dump.
    between: Rect,
    hex: Rect,
    columns: Columns,
}

fn areas(inspector: &Inspector, area: Rect) -> Areas {
    let inside =
        Rect::new(area.x + 1, area.y + 1, area.width.saturating_sub(2), area.height.saturating_sub(2));
    let lines = verdict_lines(inspector, inside.width.saturating_sub(4)).len();
    let lines = u16::try_from(lines).unwrap_or(u16::MAX).min(inside.height / 3);
    let verdict = Rect { height: lines, ..inside };
    let rest = Rect { y: inside.y + lines, height: inside.height.saturating_sub(lines + 1), ..inside };
    let detail =
        Rect { y: rest.bottom(), height: inside.bottom().saturating_sub(rest.bottom()).min(1), ..inside };
    let bytes = inspector.subject.bytes.len();
    let (tree, between, hex) = if area.width >= WIDE {
        let hex = if bytes > 0x1_0000 { 76 } else { 74 };
        let tree = Rect { width: rest.width.saturating_sub(hex + 1), ..rest };
        (tree, Rect { x: tree.right(), width: 1, ..rest }, Rect { x: tree.right() + 1, width: hex, ..rest })
    } else {
        // A frame of few bytes leaves the tree more room.
        let needs =
            u16::try_from(Columns::of(rest.width.saturating_sub(2), bytes).lines(bytes)).unwrap_or(u16::MAX);
        let hex = needs.max(1).min(rest.height / 2);
        let tree = Rect { height: rest.height.saturating_sub(hex + 1), ..rest };
        (
            tree,
            Rect { y: tree.bottom(), height: 1, ..rest },
            Rect { y: tree.bottom() + 1, height: hex, ..rest },
        )
    };
    let columns = Columns::of(hex.width.saturating_sub(2), bytes);
    Areas { verdict, tree, detail, between, hex, columns }
}

fn verdict_lines(inspector: &Inspector, columns: u16) -> Vec<(Tone, String)> {
    let wrapped = |(mood, words): &(Tone, String)| {
        let mood = *mood;
        text::wrap(words, usize::from(columns)).into_iter().map(move |line| (mood, line)).collect::<Vec<_>>()
    };
    inspector.verdict.iter().flat_map(wrapped).take(VERDICT_ROWS_MAX).collect()
}

impl Inspector {
    /// Fits it to an area of the screen.
    pub(crate) fn fit(&mut self, area: Rect) {
        let areas = areas(self, area);
        self.reconcile(Viewport {
            tree: usize::from(areas.tree.height),
            hex: usize::from(areas.hex.height),
            columns: areas.columns,
        });
        if let Some(page) = &mut self.page {
            let inside = page_area(area);
            page.reconcile(
                &self.subject.bytes,
                usize::from(inside.width.saturating_sub(4)),
                usize::from(inside.height.saturating_sub(2)),
            );
        }
    }

    /// Takes a click; whether it was on the row that was selected already, and so opens it.
    pub(crate) fn click(&mut self, area: Rect, column: u16, row: u16) -> bool {
        if self.page.is_some() {
            return false;
        }
        let areas = areas(self, area);
        if areas.tree.contains((column, row).into()) {
            let at = self.offset + usize::from(row - areas.tree.y);
            let was_there = self.side == Side::Tree && at == self.selected && at < self.rows.len();
            self.side = Side::Tree;
            if at < self.rows.len() {
                self.select(at);
            }
            return was_there;
        }
        if areas.hex.contains((column, row).into())
            && let Some(place) = areas.columns.index_at(column - areas.hex.x - 1)
        {
            let line = self.line + usize::from(row - areas.hex.y);
            let byte = line * usize::from(areas.columns.bytes) + usize::from(place);
            if byte < self.subject.bytes.len() {
                self.side = Side::Hex;
                self.select_byte(u32::try_from(byte).unwrap_or(u32::MAX));
            }
        }
        false
    }

    /// Draws it onto an area, as a layer or as a pane.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect, is_focused: bool) {
        canvas.clear(area);
        let entry = &self.subject.entry;
        let peer = self.subject.frame().map_or_else(String::new, |frame| format!("  {}", frame.peer));
        let (seq, glyphs) = (entry.seq.to_string(), canvas.view.glyphs);
        // The frame's corners and the sign of the focus take the rest.
        let beside = text::width(&seq) + text::width(&peer) + text::width(&self.time) + 11;
        let room = usize::from(area.width).saturating_sub(beside).max(NAME_COLUMNS);
        let told = describe(entry);
        let told = text::fit_within(&told, room, glyphs);
        canvas.frame(area, &format!("{seq}  {told}{peer}  {}", self.time), is_focused);
        let areas = areas(self, area);
        self.draw_verdict(canvas, areas.verdict);
        self.draw_between(canvas, &areas, area);
        self.draw_tree(canvas, areas.tree);
        self.draw_detail(canvas, areas.detail);
        self.draw_hex(canvas, areas.hex, areas.columns);
        if let Some(page) = &self.page {
            Self::draw_page(canvas, page_area(area), page);
        }
    }

    fn draw_verdict(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let glyphs = canvas.view.glyphs;
        let entry = &self.subject.entry;
        let hue = if matches!(entry.what, What::Loss { .. }) { Role::Warn } else { Role::of(entry.link) };
        let columns = area.width.saturating_sub(4);
        for (place, ((mood, words), y)) in
            verdict_lines(self, columns).iter().zip(area.y..area.bottom()).enumerate()
        {
            let (sign, role) = match mood {
                Tone::Good => (glyphs.ok, Role::Ok),
                Tone::Bad => (glyphs.bad, Role::Bad),
                Tone::Neutral if place == 0 => (glyphs.into, hue),
                Tone::Neutral => ("", Role::Text),
            };
            canvas.put(area.x + 1, y, 2, if place == 0 { sign } else { "" }, role);
            canvas.put(area.x + 3, y, columns, words, role);
        }
    }

    /// The line between tree and dump; how much lies above and below.
    fn draw_between(&self, canvas: &mut Canvas<'_>, areas: &Areas, area: Rect) {
        let glyphs = canvas.view.glyphs;
        if areas.between.width == 1 {
            for y in areas.between.y..areas.between.bottom() {
                canvas.put(areas.between.x, y, 1, glyphs.vertical, Role::Border);
            }
        } else {
            for x in areas.between.x..areas.between.right() {
                canvas.put(x, areas.between.y, 1, glyphs.horizontal, Role::Border);
            }
        }
        let shown = self.offset + usize::from(areas.tree.height);
        let below = self.rows.len().saturating_sub(shown);
        if below > 0 {
            let words = format!(" {} {below} ", glyphs.down_arrow);
            let y = if areas.between.width == 1 { area.bottom() - 1 } else { areas.between.y };
            canvas.put(areas.tree.x + 2, y, 16, &words, Role::Muted);
        }
        let lines = areas.columns.lines(self.subject.bytes.len());
        let below = lines.saturating_sub(self.line + usize::from(areas.hex.height));
        if below > 0 || self.line > 0 {
            let words = format!(" {} {} {} {below} ", glyphs.up, self.line, glyphs.down_arrow);
            let columns = u16::try_from(text::width(&words)).unwrap_or(16);
            canvas.put(
                area.right().saturating_sub(columns + 2),
                area.bottom() - 1,
                columns,
                &words,
                Role::Muted,
            );
        }
    }

    fn draw_tree(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let mut y = area.y;
        match &self.decode_state {
            DecodeState::Decoding(_) if self.offset == 0 => {
                canvas.put(area.x + 3, area.bottom().saturating_sub(1), area.width, "decoding", Role::Muted);
            }
            DecodeState::Failed => {
                canvas.put(
                    area.x + 3,
                    area.bottom().saturating_sub(1),
                    area.width,
                    "its bytes could not be decoded",
                    Role::Bad,
                );
            }
            DecodeState::Decoding(_) | DecodeState::Read(_) => {}
        }
        for (place, row) in self.rows.iter().enumerate().skip(self.offset) {
            if y >= area.bottom() {
                break;
            }
            let (Some(tree), Some(node)) = (self.tree(row.part), self.node(*row)) else { continue };
            let line = Rect { y, height: 1, ..area };
            self.draw_row(canvas, line, *row, tree, node);
            if place == self.selected {
                highlight_row(canvas, line, self.side == Side::Tree);
            }
            y += 1;
        }
        if matches!(&self.decode_state, DecodeState::Read(tree) if tree.is_cut) && y < area.bottom() {
            let words = "too many values, the rest is not decoded (limits.console.inspect_nodes_max)";
            canvas.put(area.x + 3, y, area.width.saturating_sub(3), words, Role::Warn);
        }
    }

    fn draw_row(&self, canvas: &mut Canvas<'_>, line: Rect, row: Row, tree: &Tree, node: &Node) {
        let glyphs = canvas.view.glyphs;
        let is_wrong = node.note.as_ref().is_some_and(|note| note.is_wrong);
        if is_wrong {
            canvas.put(line.x, line.y, 1, glyphs.bad, Role::Bad);
        }
        let mut x = line.x + 1 + 2 * node.depth.min(24);
        let folder = self.is_folded(row);
        let sign = match folder {
            Some(true) => glyphs.into,
            Some(false) => glyphs.descending,
            None => "",
        };
        canvas.put(x, line.y, 1, sign, Role::Muted);
        x += 2;
        let bytes = &self.subject.bytes;
        let right = line.right();
        let class = if node.hides_name { node.class } else { Class::Public };
        let role = if folder.is_some() || node.target_seq.is_some() { Role::Accent } else { Role::Muted };
        let name = node.name.read(bytes, VISIBLE_BYTES_MAX);
        let used = canvas.put_as(x, line.y, right.saturating_sub(x), &name, role, class);
        let used = if folder.is_some() { usize::from(used) } else { usize::from(used).max(NAME_COLUMNS) };
        x += u16::try_from(used + 2).unwrap_or(u16::MAX);
        let (value, class) = visible_value(tree, row.index, node, bytes);
        // Topics, paths and ids differ at their ends; a payload is read from its begin.
        let room = usize::from(right.saturating_sub(x));
        let value = if class == Class::Public {
            text::fit_within(&value, room, glyphs)
        } else {
            Cow::Borrowed(&*value)
        };
        let role = if is_wrong { Role::Bad } else { Role::Text };
        x += canvas.put_as(
            x,
            line.y,
            right.saturating_sub(x),
            &value,
            if folder.is_some() { Role::Muted } else { role },
            class,
        ) + 2;
        let within = if folder == Some(true) { tree.wrong_within(row.index) } else { 0 };
        if within > 0 {
            let words = format!("{} {within}", glyphs.bad);
            x += canvas.put(x, line.y, right.saturating_sub(x), &words, Role::Bad) + 2;
        }
        draw_note(canvas, Rect { x, width: right.saturating_sub(x), ..line }, node.note.as_ref());
    }

    /// Where the selected value's bytes are, what it is, and what is said of it.
    fn draw_detail(&self, canvas: &mut Canvas<'_>, line: Rect) {
        let Some(node) = self.selected_node() else { return };
        let mut words = String::new();
        if self.row().is_some_and(|row| row.part == Part::Decoded) && !node.range.is_empty() {
            let (first, last) = (node.range.start, node.range.end - 1);
            let is_long = node.value.len() > usize::from(line.width) / 3 && self.is_folded_here().is_none();
            words = format!("bytes {first}-{last} ({}), {}", node.range.len(), node.kind.name());
            if is_long {
                words = format!("{words}; {} shows all of it", canvas.view.key(Action::Open));
            }
        }
        if let Some(note) = &node.note {
            let gap = if words.is_empty() { "" } else { ": " };
            words = format!("{words}{gap}{}", note.text);
        }
        let is_wrong = node.note.as_ref().is_some_and(|note| note.is_wrong);
        canvas.put(
            line.x + 1,
            line.y,
            line.width.saturating_sub(2),
            &words,
            if is_wrong { Role::Bad } else { Role::Muted },
        );
    }

    fn is_folded_here(&self) -> Option<bool> {
        self.is_folded(self.row()?)
    }

    fn draw_hex(&self, canvas: &mut Canvas<'_>, area: Rect, columns: Columns) {
        let bytes = &self.subject.bytes;
        let per_line = usize::from(columns.bytes);
        if bytes.is_empty() {
            canvas.put(area.x + 1, area.y, area.width, "no bytes", Role::Muted);
            return;
        }
        let lit = self.highlighted_bytes();
        let said = self.tree(Part::Decoded);
        for (line, y) in (self.line..columns.lines(bytes.len())).zip(area.y..area.bottom()) {
            let from = line * per_line;
            let digits = usize::from(columns.offset);
            canvas.put(area.x + 1, y, columns.offset, &format!("{from:0digits$x}"), Role::Muted);
            for (place, byte) in bytes[from..].iter().take(per_line).enumerate() {
                let at = u32::try_from(from + place).unwrap_or(u32::MAX);
                let place = u16::try_from(place).unwrap_or(u16::MAX);
                // Until it is known what a byte says, it may say anything; beside all values stand blanks and
                // the line's end.
                let class = said.and_then(|tree| tree.class_of(at));
                let beside =
                    if said.is_some() && byte.is_ascii_whitespace() { Class::Public } else { Class::Payload };
                let class = class.unwrap_or(beside);
                let role = if (0x20..0x7f).contains(byte) { Role::Text } else { Role::Muted };
                let [x, shown] = columns.put(canvas, (area.x + 1, y), (place, *byte), (role, class));
                let is_lit = lit.contains(&at);
                let is_cursor = self.side == Side::Hex && at == self.byte;
                for (x, wide) in [(x, 2), (shown, 1)] {
                    // The gap to the next byte of the same value is lit with it.
                    let goes_on = wide == 2 && lit.contains(&(at + 1)) && place + 1 < columns.bytes;
                    let wide = if goes_on && is_lit {
                        columns.digits(place + 1) - columns.digits(place)
                    } else {
                        wide
                    };
                    if is_lit {
                        let style = Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
                        canvas.buffer.set_style(Rect::new(x, y, wide, 1), style);
                    }
                    if is_cursor {
                        canvas.select(Rect::new(x, y, if wide == 1 { 1 } else { 2 }, 1));
                    }
                }
            }
        }
    }

    fn draw_page(canvas: &mut Canvas<'_>, area: Rect, page: &Page) {
        canvas.clear(area);
        let title = format!(
            "bytes {}-{} of {} of this value",
            page.visible.start,
            page.visible.end.saturating_sub(1),
            page.len()
        );
        let inside = canvas.frame(area, &title, true);
        let ys = inside.y..inside.bottom();
        for (line, y) in page.lines.iter().skip(page.scroll).zip(ys) {
            canvas.put_as(inside.x + 1, y, inside.width.saturating_sub(2), line, Role::Text, page.class);
        }
        let below = page.lines.len().saturating_sub(page.scroll + usize::from(inside.height));
        let more = page.len().saturating_sub(page.visible.end);
        if below > 0 || more > 0 {
            let words = format!(
                " {} {}, {} after them ",
                canvas.view.glyphs.down_arrow,
                counted(below, "line"),
                counted(more, "byte")
            );
            let columns = u16::try_from(text::width(&words)).unwrap_or(40);
            canvas.put(
                area.right().saturating_sub(columns + 2),
                area.bottom() - 1,
                columns,
                &words,
                Role::Muted,
            );
        }
    }
}

/// The note on a value: what is wrong beside it, a remark at the right end, where it has room.
fn draw_note(canvas: &mut Canvas<'_>, line: Rect, note: Option<&Note>) {
    let Some(note) = note else { return };
    if note.is_wrong {
        canvas.put(line.x, line.y, line.width, &note.text, Role::Bad);
    } else if text::width(&note.text) + 1 < usize::from(line.width) {
        canvas.put_right(
            line.x,
            line.y,
            line.width.saturating_sub(1),
            &note.text,
            Role::Muted,
            Class::Public,
        );
    }
}

/// A selected row: in reverse video where the keys go there, underlined where they do not.
fn highlight_row(canvas: &mut Canvas<'_>, line: Rect, has_keys: bool) {
    if has_keys {
        canvas.select(line);
    } else {
        canvas.buffer.set_style(line, Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD));
    }
}

/// What stands behind a name: a value as its bytes have it, or how many values it holds.
fn visible_value<'a>(tree: &Tree, index: usize, node: &'a Node, bytes: &'a [u8]) -> (Cow<'a, str>, Class) {
    let count = || tree.children(index).count();
    let said = |count: usize, one: &str, many: &str| {
        if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
    };
    match (node.kind, &node.value) {
        (Kind::Object, _) if tree.is_folder(index) => {
            (said(count(), "field", "fields").into(), Class::Public)
        }
        (Kind::Array, _) if tree.is_folder(index) => (said(count(), "item", "items").into(), Class::Public),
        (Kind::Missing, Text::None) => ("".into(), Class::Public),
        (_, value) => (value.read(bytes, VISIBLE_BYTES_MAX), node.class),
    }
}

fn page_area(area: Rect) -> Rect {
    Rect::new(area.x + 2, area.y + 1, area.width.saturating_sub(4), area.height.saturating_sub(2))
}
