//! Details in words: why a system is as it is, one invocation, one notice.

use ratatui::layout::Rect;

use super::overlay::centred;
use crate::{
    console::{
        model::{Model, Sentence, hello_remedy, mpp_report, settle_remedy, store_report},
        text,
        theme::Role,
        ui::ChipId,
        view::{Canvas, View},
    },
    ids::InvocationId,
    port::InvocationRow,
};

/// What is told of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subject {
    /// A system.
    Chip(ChipId),
    /// An invocation; absent until the station has answered.
    Invocation { id: InvocationId, row: Option<Box<InvocationRow>> },
    /// A notice, as it was: it may be gone from the log meanwhile.
    Notice(Box<crate::console::model::Notice>),
}

/// Details of something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    pub(crate) subject: Subject,
    pub(crate) scroll: usize,
}

impl Facts {
    /// Details, from the top.
    pub(crate) const fn of(subject: Subject) -> Self {
        Self { subject, scroll: 0 }
    }

    fn title(&self) -> String {
        match &self.subject {
            Subject::Chip(ChipId::Mpp) => "MPP bridge".to_owned(),
            Subject::Chip(_) => "Store".to_owned(),
            Subject::Invocation { id, .. } => format!("Invocation {id}"),
            Subject::Notice(_) => "Notice".to_owned(),
        }
    }

    fn sentences(&self, view: &View, model: &Model) -> Vec<Sentence> {
        match &self.subject {
            Subject::Chip(ChipId::Mpp) => mpp_report(model, view.now).sentences,
            Subject::Chip(_) => store_report(model).sentences,
            Subject::Invocation { row: None, .. } => vec![Sentence::Fact("", "asking the station".to_owned())],
            Subject::Invocation { id, row: Some(row) } => {
                let mut facts = row_facts(view, row);
                if model.mpp().is_some_and(|mpp| mpp.live.get(id).is_some_and(|live| live.left)) {
                    facts.push(Sentence::Why("its connection ended after it was applied and before it was done".to_owned()));
                    facts.extend(settle_remedy(*id));
                }
                facts
            }
            Subject::Notice(notice) => {
                let mut facts = vec![
                    Sentence::Fact("at", view.time_of_day(notice.at)),
                    Sentence::Fact("level", notice.level.name().to_owned()),
                    Sentence::Fact("", notice.text.to_string()),
                ];
                facts.extend(notice.refused.into_iter().flat_map(hello_remedy));
                facts
            }
        }
    }

    /// Draws it.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model) {
        let columns = body.width.saturating_sub(4).min(104);
        let lines = lines(&self.sentences(canvas.view, model), canvas.view, columns.saturating_sub(4));
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2).min(body.height.saturating_sub(2));
        let area = centred(body, columns, rows);
        canvas.clear(area);
        let inside = canvas.frame(area, &self.title(), true);
        let scroll = self.scroll.min(lines.len().saturating_sub(usize::from(inside.height)));
        for ((indent, line, role), y) in lines.iter().skip(scroll).zip(inside.y..inside.bottom()) {
            canvas.put(inside.x + 1 + indent, y, inside.width.saturating_sub(1 + indent), line, *role);
        }
        let below = lines.len().saturating_sub(scroll + usize::from(inside.height));
        if below > 0 {
            let words = format!(" {} {below} ", canvas.view.glyphs.down_arrow);
            canvas.put(area.right().saturating_sub(10), area.bottom() - 1, 8, &words, Role::Muted);
        }
    }
}

const NAME_COLUMNS: u16 = 12;

fn lines(sentences: &[Sentence], view: &View, columns: u16) -> Vec<(u16, String, Role)> {
    let mut lines = Vec::new();
    let shown = |words: &str| text::visible(words, view.glyphs.ascii).into_owned();
    for sentence in sentences {
        match sentence {
            Sentence::Fact(name, value) => {
                let indent = if name.is_empty() { 0 } else { NAME_COLUMNS };
                let mut wrapped = text::wrap(&shown(value), usize::from(columns.saturating_sub(indent))).into_iter();
                if indent > 0 {
                    let first = wrapped.next().unwrap_or_default();
                    lines.push((0, format!("{name:<width$}{first}", width = usize::from(NAME_COLUMNS)), Role::Text));
                }
                lines.extend(wrapped.map(|line| (indent, line, Role::Text)));
            }
            Sentence::Why(words) => {
                let words = format!("{} {}", view.glyphs.warn, shown(words));
                lines.extend(text::wrap(&words, usize::from(columns)).into_iter().map(|line| (0, line, Role::Warn)));
            }
            Sentence::Do(words) => lines.extend(text::wrap(words, usize::from(columns - 2)).into_iter().map(|line| (2, line, Role::Text))),
            Sentence::Run(rest) => {
                let command = view.commands.line(rest);
                lines.extend(text::wrap_command(&command, usize::from(columns - 4)).into_iter().map(|line| (4, line, Role::Accent)));
            }
        }
    }
    lines
}

fn row_facts(view: &View, row: &InvocationRow) -> Vec<Sentence> {
    let at = |wall| super::super::format::time_of_day(wall, &view.zone);
    let mut facts = vec![
        Sentence::Fact("state", row.state.name().to_owned()),
        Sentence::Fact("queue", row.queue.to_string()),
        Sentence::Fact("event", row.event.to_string()),
        Sentence::Fact("params", row.params.as_str().to_owned()),
    ];
    if let Some(result) = &row.result {
        facts.push(Sentence::Fact("result", result.as_str().to_owned()));
    }
    if let Some(reason) = &row.reason {
        facts.push(Sentence::Fact("reason", reason.clone()));
    }
    let mut source = row.source.kind.clone();
    if let Some(redemption) = &row.source.redemption {
        source.push_str(", redemption ");
        source.push_str(redemption);
    }
    if let Some(user) = &row.source.user {
        source.push_str(", of ");
        source.push_str(user);
    }
    facts.push(Sentence::Fact("source", source));
    facts.push(Sentence::Fact("enqueued", at(row.enqueued_at_ms)));
    facts.push(Sentence::Fact("changed", at(row.updated_at_ms)));
    facts.push(Sentence::Fact("trace", row.trace_id.to_string()));
    if let Some(hash) = &row.other_manifest {
        facts.push(Sentence::Fact("manifest", format!("{hash}, not the one in force")));
    }
    facts
}
