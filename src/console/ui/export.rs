//! `:export FILE` and `:screenshot FILE`: what the focused pane or the screen shows, made ready to be written
//! to a file.

use ratatui::buffer::Buffer;
use serde_json::{Map, Value as Json};

use super::{
    file_request::{FileRequest, NO_PANE},
    rows::{rows, specs, visible_columns},
    search::loaded_of_more,
    state::Ui,
};
use crate::{
    console::{
        copy::json_of,
        draw::{Cell, class::Class, format, svg, text},
        input::pane_id::PaneId,
        model::Model,
        records::{
            CellContext, Rows,
            row::{PaneRecord, cell},
            selection::RowKeys as _,
            table::inner_width,
        },
        settings::view::View,
        worker::{ExportContent, ExportJob},
    },
    field::Column,
    words,
};

/// Takes what the focused pane shows of this moment: its rows as they are filtered and sorted, its columns
/// and what is masked, as it is masked.
///
/// # Errors
/// That no pane with rows is focused.
pub(crate) fn job(
    request: &FileRequest,
    ui: &Ui,
    model: &Model,
    view: &View,
) -> Result<ExportJob, &'static str> {
    let pane = ui.target_list().ok_or(NO_PANE)?;
    let layout = ui.layout(model);
    let area = if ui.overlays.is_empty() { layout.area_of(pane) } else { layout.body };
    let width = inner_width(area);
    let columns = visible_columns(pane, ui, width);
    let look = CellContext { view, systems: &ui.systems, width, only_pending: pane == PaneId::Pending };
    let rows = rows(pane, ui, model);
    let is_json = request.has_extension("ndjson") || request.has_extension("json");
    let content = if is_json {
        let object = |row: &dyn PaneRecord| object(row, pane, &columns, &look);
        ExportContent::Ndjson(each(&rows, object))
    } else {
        ExportContent::Table {
            columns: columns.iter().map(|(_, column)| (column.title, column.align)).collect(),
            rows: each(&rows, |row| cells(row, &columns, &look)),
        }
    };
    let counted = counted(rows.len() as u64, pane, ui);
    Ok(save(request, content, counted))
}

/// A job that saves something.
fn save(request: &FileRequest, content: ExportContent, counted: String) -> ExportJob {
    let FileRequest { verb, path, replaces } = request.clone();
    ExportJob { verb: verb.name(), path, replaces, content, counted }
}

/// Takes the screen as it was drawn.
///
/// # Errors
/// That the name of the file does not say as what.
pub(crate) fn screenshot(request: &FileRequest, screen: &Buffer) -> Result<ExportJob, &'static str> {
    let text = match (request.has_extension("svg"), request.has_extension("txt")) {
        (true, _) => svg::svg(screen),
        (_, true) => svg::text(screen),
        _ => return Err("a screenshot is a .svg or a .txt: end FILE with one of them"),
    };
    let counted = format!("the screen ({}x{})", screen.area.width, screen.area.height);
    Ok(save(request, ExportContent::Screen(text), counted))
}

fn each<T>(rows: &Rows<'_>, of: impl Fn(&dyn PaneRecord) -> T) -> Vec<T> {
    (0..rows.len()).filter_map(|at| rows.with(at, &of)).collect()
}

/// How many rows; of a list in pages, that they are those which are loaded.
fn counted(rows: u64, pane: PaneId, ui: &Ui) -> String {
    let counted = words::counted_as(rows, format::grouped(rows), "row");
    if loaded_of_more(pane, ui).is_none() {
        counted
    } else {
        format!("{counted} (those loaded; there are more)")
    }
}

fn cells(row: &dyn PaneRecord, columns: &[(usize, Column)], look: &CellContext<'_>) -> Vec<String> {
    let shown = |field: usize| {
        let Cell { text, class, .. } = cell(row, field, look);
        if text.is_empty() { String::new() } else { masked(&text, class, look.view) }
    };
    columns.iter().map(|(field, _)| shown(*field)).collect()
}

/// A text as the screen has it: what steers a terminal is made visible.
fn masked(text: &str, class: Class, view: &View) -> String {
    let text = if view.mask_policy.masks(class) { view.glyphs.masked } else { text };
    text::visible(text, view.glyphs.ascii).into_owned()
}

fn object(
    row: &dyn PaneRecord,
    pane: PaneId,
    columns: &[(usize, Column)],
    look: &CellContext<'_>,
) -> Map<String, Json> {
    let member = |(field, _): &(usize, Column)| {
        let spec = specs(pane).get(*field)?;
        let classes = [spec.class, cell(row, *field, look).class];
        let value = match look.view.mask_policy.strictest(classes) {
            Class::Public => json_of(&row.value(*field, look.view.now)),
            _ => Json::from(look.view.glyphs.masked),
        };
        Some((spec.name.to_owned(), value))
    };
    columns.iter().filter_map(member).collect()
}
