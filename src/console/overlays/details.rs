//! Details of a record in words, and the entries that tell of it.

use std::{any::Any, cell::Cell as Noted};

use ratatui::layout::Rect;

use crate::{
    console::{
        copy::CopySource,
        draw::{class::Class, text, theme::Role},
        input::{action::Action, keymap::KeyScope},
        inspect,
        inspect::{InvocationEntry, related_entries::RelatedEntries},
        model::{EntryBuffer, Model, ReportLine},
        records::{ManualPlace, paged_list::error_text, row::DetailsRecord, system_state::SystemState},
        settings::view::{Canvas, View},
        ui::{
            Layer, Scene, Target,
            act::{Act, Resolved},
            layer::centred,
            layout::Layout,
            message::show_message,
            pane::PaneContext,
            state::Ui,
        },
    },
    ids::Seq,
    port::PortError,
    time::Now,
};

/// Details of something.
#[derive(Debug)]
pub(crate) struct Details {
    pub(crate) record: Box<dyn DetailsRecord>,
    scroll: usize,
    /// The first line where the last one is on the screen, as it was drawn.
    lowest: Noted<usize>,
    /// The entries that tell of it.
    related: RelatedEntries,
    is_of_present: bool,
}

/// Opens the details of what the station was asked for, or says why it does not come.
pub(crate) fn show_found<T>(
    ui: &mut Ui,
    found: Result<Option<T>, PortError>,
    record: impl FnOnce(T) -> Box<dyn DetailsRecord>,
    missing: impl FnOnce() -> String,
    now: Now,
) {
    match found {
        Ok(Some(found)) => ui.push(Details::of(record(found))),
        Ok(None) => show_message(ui, missing(), true, now),
        Err(error) => show_message(ui, error_text(&error), true, now),
    }
}

impl Details {
    /// Details, from the top.
    pub(crate) fn of(record: Box<dyn DetailsRecord>) -> Self {
        Self {
            record,
            scroll: 0,
            lowest: Noted::new(0),
            related: RelatedEntries::default(),
            is_of_present: false,
        }
    }

    /// Details of something as it is now, whatever moment the panes show.
    pub(crate) fn of_present(record: Box<dyn DetailsRecord>) -> Self {
        Self { is_of_present: true, ..Self::of(record) }
    }

    /// The record that is told of, if it is of this type.
    pub(crate) fn record_mut<T: DetailsRecord>(&mut self) -> Option<&mut T> {
        let record: &mut dyn Any = &mut *self.record;
        record.downcast_mut()
    }

    /// Takes note of the entries that are kept, and of what the station answered.
    pub(crate) fn follow(&mut self, kept: &EntryBuffer, systems: &SystemState) {
        if let Some(id) = self.record.invocation() {
            self.related.follow(kept, id);
        }
        self.record.follow(kept, systems);
    }

    /// The selected one of the entries that tell of it.
    pub(crate) fn entry(&self) -> Option<Seq> {
        self.related.selected().or_else(|| self.record.quoted_entry())
    }

    /// Moves by some lines; the last one stays on the screen.
    pub(crate) fn scroll(&mut self, by: isize) {
        let by = self.related.step(by);
        let lowest = self.lowest.get();
        self.scroll = self.scroll.min(lowest).saturating_add_signed(by).min(lowest);
    }

    /// What can be copied of it: all that is told, and the record that it is told of.
    pub(crate) fn source<'a>(&'a self, view: &View, model: &'a Model) -> CopySource<'a> {
        let row = self.record.row(model);
        let lines = self.record.lines(view, model).into_iter().map(|sentence| match sentence {
            ReportLine::Detail(_, _, Class::Secret) => String::new(),
            ReportLine::Detail(name, value, _) if !name.is_empty() => format!("{name}: {value}"),
            ReportLine::Detail(_, words, _) | ReportLine::Reason(words) | ReportLine::Instruction(words) => {
                words
            }
            ReportLine::KeyHint(action, words) => format!("{} {words}", view.key(action)),
            ReportLine::Command(rest) => view.commands.line(&rest),
        });
        CopySource::Text(
            Ok(std::iter::once(self.record.title(model)).chain(lines).collect::<Vec<_>>().join("\n")),
            row,
        )
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model) {
        let columns = body.width.saturating_sub(4).min(104);
        let mut lines = lines(&self.record.lines(canvas.view, model), canvas.view, columns.saturating_sub(4));
        let first = lines.len();
        lines.extend(related_lines(&self.related, canvas.view));
        let rows = u16::try_from(lines.len())
            .unwrap_or(u16::MAX)
            .saturating_add(2)
            .min(body.height.saturating_sub(2));
        let area = centred(body, columns, rows);
        canvas.clear(area);
        let inside = canvas.frame(area, &self.record.title(model), true);
        self.lowest.set(lines.len().saturating_sub(usize::from(inside.height)));
        let scroll = self.scroll.min(self.lowest.get());
        for (line, y) in lines.iter().skip(scroll).zip(inside.y..inside.bottom()) {
            canvas.put(inside.x + 1, y, inside.width.saturating_sub(1), line.name, Role::Text);
            let x = inside.x + 1 + line.indent;
            canvas.put_as(x, y, inside.right().saturating_sub(x), &line.words, line.role, line.class);
        }
        self.related.drawn.set((first, scroll, scroll + usize::from(inside.height.saturating_sub(1))));
        if let Some(row) =
            (first + self.related.selected).checked_sub(scroll).filter(|_| !self.related.entries.is_empty())
        {
            let y = inside.y.saturating_add(u16::try_from(row).unwrap_or(u16::MAX));
            if y < inside.bottom() {
                canvas.select(Rect::new(
                    inside.x + 1 + NAME_COLUMNS,
                    y,
                    inside.width.saturating_sub(2 + NAME_COLUMNS),
                    1,
                ));
            }
        }
        let below = lines.len().saturating_sub(scroll + usize::from(inside.height));
        if below > 0 {
            let words = format!(" {} {below} ", canvas.view.glyphs.down_arrow);
            canvas.put(area.right().saturating_sub(10), area.bottom() - 1, 8, &words, Role::Muted);
        }
    }
}

impl Layer for Details {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Details
    }

    fn manual_place(&self, cx: &PaneContext<'_>) -> ManualPlace {
        let model = cx.model;
        self.record.manual_place(model).unwrap_or_else(|| ManualPlace::page(self.key_scope().page()))
    }

    fn is_of_present(&self) -> bool {
        self.is_of_present
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body, scene.model);
    }

    fn reconcile(&mut self, _layout: &Layout, _model: &Model, ui: &Ui) {
        self.follow(ui.time.entries(), &ui.systems);
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.scroll(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Record(&*self.record)
    }

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        let open = |seq| Act::effects(move |ui, cx| inspect::actions::open(ui, cx.view, seq));
        (action == Action::Open).then(|| self.entry().map(open).ok_or_else(|| "no entry kept".into()))
    }

    fn copy_source<'a>(&'a self, view: &View, model: &'a Model) -> Option<CopySource<'a>> {
        Some(self.source(view, model))
    }
}

const NAME_COLUMNS: u16 = 12;

/// One line: a name at the left edge, and words that are set in.
struct DetailLine {
    name: &'static str,
    indent: u16,
    words: String,
    role: Role,
    class: Class,
}

fn lines(sentences: &[ReportLine], view: &View, columns: u16) -> Vec<DetailLine> {
    let wrapped = |words: &str, indent: u16| text::wrap(words, usize::from(columns.saturating_sub(indent)));
    let shown = |words: &str| text::visible(words, view.glyphs.ascii).into_owned();
    let mut lines = Vec::new();
    for sentence in sentences {
        let (mut name, mut class) = ("", Class::Public);
        let (indent, words, role) = match sentence {
            ReportLine::Detail(of, value, seen_by) => {
                (name, class) = (*of, *seen_by);
                let indent = if name.is_empty() { 0 } else { NAME_COLUMNS };
                (indent, wrapped(&shown(value), indent), Role::Text)
            }
            ReportLine::Reason(words) => {
                (0, wrapped(&format!("{} {}", view.glyphs.warn, shown(words)), 0), Role::Warn)
            }
            ReportLine::Instruction(words) => (2, wrapped(words, 2), Role::Text),
            ReportLine::KeyHint(action, words) => {
                (2, wrapped(&format!("{} {words}", view.key(*action)), 2), Role::Text)
            }
            ReportLine::Command(rest) => {
                let columns = usize::from(columns.saturating_sub(4));
                (4, text::wrap_command(&view.commands.line(rest), columns), Role::Accent)
            }
        };
        // The name stands on the first line alone.
        lines.extend(words.into_iter().map(|words| DetailLine {
            name: std::mem::take(&mut name),
            indent,
            words,
            role,
            class,
        }));
    }
    lines
}

/// The entries that tell of an invocation: when, and what.
fn related_lines(told: &RelatedEntries, view: &View) -> Vec<DetailLine> {
    let mut name = "entries";
    let line = |(_, at, words): &InvocationEntry| DetailLine {
        name: std::mem::take(&mut name),
        indent: NAME_COLUMNS,
        words: format!("{}.{:03}  {words}", view.time_of_day(*at), at.wall.0 % 1_000),
        role: Role::Accent,
        class: Class::Public,
    };
    told.entries.iter().map(line).collect()
}
