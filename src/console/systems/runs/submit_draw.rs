//! An opening being written, as it is drawn.

use ratatui::layout::Rect;

use super::Submit;
use crate::console::{
    draw::{class::Class, format, text, theme::Role},
    form::{Kind, Value},
    input::action::Action,
    model::Model,
    overlays::draw_line::{GUTTER, draw_line},
    settings::view::{Canvas, View},
    systems::runs::openings::Params,
    worker::OpeningFault,
};

/// Lines below the text: what is wrong with it, or what it is.
const DETAIL_ROWS: u16 = 5;
/// Columns of the params' names at most.
const NAME_COLUMNS_MAX: usize = 32;

/// Where the lines are: below the line that says where it goes, above the details.
pub(crate) fn list_area(body: Rect) -> Rect {
    let inside =
        Rect::new(body.x + 1, body.y + 1, body.width.saturating_sub(2), body.height.saturating_sub(2));
    Rect { y: inside.y + 2, height: inside.height.saturating_sub(2 + DETAIL_ROWS + 1), ..inside }
}

/// Draws it.
pub(crate) fn draw(submit: &Submit, canvas: &mut Canvas<'_>, body: Rect, model: &Model, focused: bool) {
    let file = submit
        .origin
        .as_ref()
        .and_then(|path| path.file_name())
        .map(|name| format!(": {}", name.to_string_lossy()));
    let what = if submit.params.is_some() { ", its params" } else { "" };
    let inside = canvas.frame(body, &format!("Submit an opening{}{what}", file.unwrap_or_default()), focused);
    let room = inside.width.saturating_sub(2);
    let (words, role) = destination(submit, model, canvas.view);
    canvas.put(inside.x + 1, inside.y, room, &words, role);
    let area = list_area(body);
    match &submit.params {
        Some(params) => draw_params(submit, params, canvas, area, focused),
        None => draw_text(submit, canvas, area, focused),
    }
    let details = Rect { y: area.bottom() + 1, height: DETAIL_ROWS.min(inside.height), ..inside };
    let border = canvas.view.glyphs.horizontal.repeat(usize::from(room));
    canvas.put(inside.x + 1, area.bottom(), room, &border, Role::Border);
    for ((words, role), y) in
        details_of(submit, model, canvas.view, usize::from(room)).iter().zip(details.y..details.bottom())
    {
        // What is wrong can quote what was written.
        let class = if matches!(role, Role::Bad | Role::Warn) { Class::Payload } else { Class::Public };
        canvas.put_as(inside.x + 1, y, room, words, *role, class);
    }
}

/// Where it goes.
fn destination(submit: &Submit, model: &Model, view: &View) -> (String, Role) {
    if let Some(sent) = submit.sent {
        return (format!("sent as {}: waiting for the control plane", sent.request.short()), Role::Accent);
    }
    let open = model.runs().map_or(0, |runs| runs.open().count() as u64);
    let verb = if open == 1 { "is" } else { "are" };
    let (send, files) = (view.key(Action::Send), view.key(Action::Files));
    let words = format!(
        "{} {send} submits it; {} {verb} open; {files} opens another",
        view.glyphs.into,
        format::many(open, "run")
    );
    (words, Role::Muted)
}

fn draw_text(submit: &Submit, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let (row, column) = submit.editor.cursor();
    let lines = submit.editor.lines();
    let columns = area.width.saturating_sub(GUTTER + 1);
    for ((index, line), y) in lines.iter().enumerate().skip(submit.offset).zip(area.y..area.bottom()) {
        let worst = submit
            .parsed
            .faults
            .iter()
            .filter(|fault| fault.is_in_text && fault.line == index + 1)
            .max_by_key(|fault| fault.is_blocking);
        let (sign, role) = sign_of(worst, canvas.view);
        canvas.put(area.x, y, 1, sign, role);
        canvas.put(area.x + 1, y, GUTTER - 2, &format!("{:>5}", index + 1), role);
        let cursor = (focused && index == row).then_some(column);
        let class = if focused && index == row { Class::Public } else { Class::Payload };
        draw_line(canvas, (area.x + GUTTER, y), columns, line, cursor, class);
    }
    draw_more(canvas, area, submit.offset, lines.len());
}

/// Says how many lines lie above and below.
fn draw_more(canvas: &mut Canvas<'_>, area: Rect, offset: usize, all: usize) {
    let below = all.saturating_sub(offset + usize::from(area.height));
    if offset > 0 || below > 0 {
        let glyphs = canvas.view.glyphs;
        let words = format!(" {} {offset}  {} {below} ", glyphs.up, glyphs.down_arrow);
        let width = u16::try_from(text::width(&words)).unwrap_or(16);
        canvas.put(area.right().saturating_sub(width + 1), area.y - 1, width, &words, Role::Muted);
    }
}

fn sign_of(fault: Option<&OpeningFault>, view: &View) -> (&'static str, Role) {
    match fault {
        None => (" ", Role::Muted),
        Some(fault) if fault.is_blocking => (view.glyphs.bad, Role::Bad),
        Some(_) => (view.glyphs.warn, Role::Warn),
    }
}

fn draw_params(submit: &Submit, params: &Params, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let glyphs = canvas.view.glyphs;
    let another = "another";
    let widest =
        params.fields.iter().map(|field| text::width(text::cut(&field.label, 128))).max().unwrap_or(0);
    let names =
        u16::try_from(widest.clamp(another.len(), NAME_COLUMNS_MAX)).unwrap_or(32).min(area.width / 3);
    let values = area.width.saturating_sub(names + 8) / 2;
    for (row, y) in (submit.offset..params.rows()).zip(area.y..area.bottom()) {
        let field = params.fields.get(row);
        let is_focused = focused && row == params.focus;
        canvas.put(area.x, y, 1, if is_focused { glyphs.into } else { " " }, Role::Focus);
        let (name, role) =
            field.map_or((another, Role::Muted), |field| (text::cut(&field.label, 1_024), Role::Text));
        let used = canvas.put(area.x + 3, y, names, name, role);
        if is_focused {
            canvas.select(Rect::new(area.x + 3, y, used, 1));
        }
        let x = area.x + 3 + names + 2;
        let class = if is_focused { Class::Public } else { Class::Payload };
        match field {
            Some(field) if matches!(field.kind, Kind::Boolean) => {
                let words = match &field.value {
                    Value::Written(text) => format!("[{}] {text}", if text == "true" { "x" } else { " " }),
                    _ => glyphs.none.to_owned(),
                };
                canvas.put_as(x, y, values, &words, Role::Text, class);
            }
            _ if is_focused => {
                let (row, column) = params.editor.cursor();
                let before: usize =
                    params.editor.lines().iter().take(row).map(|line| line.chars().count() + 1).sum();
                draw_line(canvas, (x, y), values, &params.editor.text(), Some(before + column), class);
            }
            Some(field) if field.value == Value::Absent => {
                canvas.put(x, y, values, glyphs.none, Role::Warn);
            }
            None if params.display_text(row).is_empty() => {
                canvas.put(x, y, values, "name = value", Role::Muted);
            }
            _ => {
                canvas.put_as(x, y, values, params.display_text(row), Role::Text, class);
            }
        }
        if let Some(fault) = params.fault(row) {
            let x = x + values + 1;
            canvas.put_as(
                x,
                y,
                area.right().saturating_sub(x),
                &format!("{} {fault}", glyphs.bad),
                Role::Bad,
                Class::Payload,
            );
        }
    }
    draw_more(canvas, area, submit.offset, params.rows());
}

/// The line below: what was refused, what did not fit, what is wrong, or what it is.
fn details_of(submit: &Submit, model: &Model, view: &View, columns: usize) -> Vec<(String, Role)> {
    let glyphs = view.glyphs;
    let mut said = Vec::new();
    said.extend(submit.refusal.iter().map(|why| (format!("{} {why}", glyphs.bad), Role::Bad)));
    said.extend(submit.cut.iter().map(|why| (format!("{} {why}", glyphs.warn), Role::Warn)));
    if let Some(field) = submit.params.as_ref().and_then(Params::focused) {
        let about = if field.constraint.is_empty() {
            field.about.clone()
        } else {
            format!("{}; {}", field.about, field.constraint)
        };
        said.push((about, Role::Muted));
    }
    let (row, _) = submit.editor.cursor();
    // What is wrong in the line that is written comes first.
    let is_here =
        |fault: &&OpeningFault| fault.is_in_text && fault.line == row + 1 && submit.params.is_none();
    let (here, elsewhere): (Vec<_>, Vec<_>) = submit.parsed.faults.iter().partition(is_here);
    said.extend(here.into_iter().chain(elsewhere).map(|fault| {
        let (sign, role) = sign_of(Some(fault), view);
        (format!("{sign} {}", fault.text), role)
    }));
    if submit.parsed.more > 0 {
        let more = format::many(submit.parsed.more as u64, "more error");
        said.push((format!("and {more} (limits.runs.faults_max)"), Role::Muted));
    }
    said.extend(submit.parsed.summary.iter().map(|what| (format!("{} {what}", glyphs.ok), Role::Ok)));
    if let Some(rmp) = model.rmp().filter(|_| !submit.parsed.agents.is_empty()) {
        let answered = rmp.topics_with_agents();
        let silent = submit.parsed.agents.iter().filter(|topic| !answered.contains(topic.as_str()));
        said.extend(
            silent
                .take(usize::from(DETAIL_ROWS))
                .map(|topic| (format!("{} no agent subscribed to {topic}", glyphs.warn), Role::Warn)),
        );
    }
    let wrapped = said.into_iter().flat_map(|(words, role)| {
        let words = text::visible(text::cut(&words, 2_048), glyphs.ascii).into_owned();
        text::wrap(&words, columns.max(8)).into_iter().map(move |line| (line, role))
    });
    wrapped.take(usize::from(DETAIL_ROWS)).collect()
}
