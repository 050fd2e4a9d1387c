//! How the palette is drawn, over all others.

use std::borrow::Cow;

use ratatui::{layout::Rect, style::Modifier};

use crate::console::{
    draw::{class::Class, text, theme::Role},
    model::Model,
    screen::resolve,
    settings::{
        shell::Subcommand,
        view::{Canvas, View},
    },
    ui::{
        file_request::{FileRequest, FileVerb, NO_PANE},
        named_filters,
        palette::{Hit, Palette, area},
        pane::PaneContext,
        state::Ui,
        trigger_line,
    },
};

/// Columns of the names.
const NAME_COLUMNS: u16 = 19;

/// Draws it over the others.
pub(crate) fn draw(palette: &Palette, canvas: &mut Canvas<'_>, body: Rect, model: &Model, ui: &Ui) {
    let area = area(body);
    canvas.clear(area);
    let inside = canvas.frame(area, &format!("Command, in {}", palette.below.name()), true);
    let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
    canvas.put(x, inside.y, 2, ":", Role::Accent);
    let hidden = palette.recalled.is_some() && canvas.view.mask_policy.masks(Class::Payload);
    let public = Subcommand::split_line(&canvas.view.subcommands, palette.text()).0.len();
    if hidden {
        palette.line.draw_recalled(
            canvas,
            (x + 2, inside.y),
            columns.saturating_sub(2),
            public,
            Class::Payload,
        );
    } else {
        palette.line.draw(canvas, x + 2, inside.y, columns.saturating_sub(2));
    }
    let bottom = inside.bottom().saturating_sub(1);
    for ((index, hit), y) in palette.hits.iter().enumerate().skip(palette.offset).zip(inside.y + 1..bottom) {
        draw_hit(canvas, Rect::new(x, y, columns, 1), hit, model, ui);
        if index == palette.selected {
            let line = Rect::new(inside.x, y, inside.width, 1);
            canvas.buffer.set_style(line, ratatui::style::Style::new().add_modifier(Modifier::REVERSED));
        }
    }
    let (words, role) = details(palette, canvas.view, model, ui);
    canvas.put(x, bottom, columns, &words, role);
    let below = palette.hits.len().saturating_sub(palette.offset + palette.height);
    if below > 0 || palette.offset > 0 {
        let glyphs = canvas.view.glyphs;
        let words = format!(" {} {}  {} {below} ", glyphs.up, palette.offset, glyphs.down_arrow);
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
fn details(palette: &Palette, view: &View, model: &Model, ui: &Ui) -> (String, Role) {
    match palette.hit() {
        None => ("no matches".to_owned(), Role::Muted),
        Some(Hit::Action(action)) => match resolve(*action, &PaneContext { model, ui, view }) {
            Err(why) => (why.text, Role::Warn),
            Ok(_) => (action.about().trim().to_owned(), Role::Muted),
        },
        Some(Hit::Subcommand(index)) => match view.subcommands.get(*index) {
            Some(it) => match it.unavailable(&[]) {
                Some(why) => (why.to_owned(), Role::Warn),
                None => (it.usage.clone(), Role::Muted),
            },
            None => (String::new(), Role::Muted),
        },
        Some(Hit::NamedFilter(index)) => {
            let pane = view.keymap.filters().get(*index).map_or("", |filter| filter.pane.name());
            (format!("Open {pane} with this filter."), Role::Muted)
        }
        Some(Hit::File(FileVerb::Export, _)) if ui.target_list().is_none() => {
            (NO_PANE.to_owned(), Role::Warn)
        }
        Some(Hit::File(verb, _)) => (verb.usage().to_owned(), Role::Muted),
        Some(Hit::Trigger(_)) => (trigger_line::USAGE.to_owned(), Role::Muted),
        Some(Hit::Manual(_)) => ("help PAGE, or words to search the manual for".to_owned(), Role::Muted),
        Some(Hit::Typed(words)) => match Subcommand::resolve(&view.subcommands, words) {
            Some(it) => match it.unavailable(words) {
                Some(why) => (why.to_owned(), Role::Warn),
                None => (it.usage.clone(), Role::Muted),
            },
            None => (String::new(), Role::Muted),
        },
    }
}

fn draw_hit(canvas: &mut Canvas<'_>, area: Rect, hit: &Hit, model: &Model, ui: &Ui) {
    let view = canvas.view;
    let is_recalled = ui.palette.as_ref().is_some_and(|palette| palette.recalled.is_some());
    // What was written earlier can quote anything.
    let of_line = if is_recalled { Class::Payload } else { Class::Public };
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
                action.about().trim().into(),
                key,
                resolve(*action, &PaneContext { model, ui, view }).is_ok(),
            )
        }
        Hit::Subcommand(index) => match view.subcommands.get(*index) {
            Some(it) => (
                it.name.clone(),
                it.about.as_str().into(),
                "command".to_owned(),
                it.unavailable(&[]).is_none(),
            ),
            None => return,
        },
        Hit::NamedFilter(index) => {
            let Some(filter) = view.keymap.filters().get(*index) else { return };
            class = named_filters::class(filter, view);
            (filter.name.clone(), filter.text.as_str().into(), filter.key(view.glyphs), true)
        }
        Hit::Manual(name) => {
            if let Some(page) = view.manual.page(name) {
                (name.clone(), page.title.as_str().into(), "manual".to_owned(), true)
            } else {
                class = of_line;
                ("search for".to_owned(), name.as_str().into(), "manual".to_owned(), true)
            }
        }
        Hit::File(verb, request) => {
            let does = *verb != FileVerb::Export || ui.target_list().is_some();
            let path = request.as_ref().map(FileRequest::path_text);
            if path.is_some() {
                class = of_line;
            }
            let about = path.map_or(Cow::Borrowed(verb.about()), Cow::Owned);
            (verb.name().to_owned(), about, "command".to_owned(), does)
        }
        Hit::Trigger(filter) => {
            if filter.is_some() {
                class = of_line;
            }
            let about = filter.as_deref().unwrap_or(trigger_line::ABOUT).into();
            (trigger_line::NAME.to_owned(), about, "command".to_owned(), true)
        }
        Hit::Typed(words) => {
            let does = Subcommand::resolve(&view.subcommands, words)
                .is_some_and(|it| it.unavailable(words).is_none());
            let name = format!("run {}", view.glyphs.into);
            class = of_line;
            let line = ui.palette.as_ref().map_or("", |palette| palette.text());
            (name, line.into(), "command".to_owned(), does)
        }
    };
    put_row(canvas, area, [&name, &about, &right], class, does);
}

/// A row: a name, what it is about, and what is at the right.
fn put_row(canvas: &mut Canvas<'_>, area: Rect, [name, about, right]: [&str; 3], class: Class, does: bool) {
    let (name_role, key_role) = if does { (Role::Text, Role::Accent) } else { (Role::Muted, Role::Muted) };
    let right_columns = u16::try_from(text::width(right)).unwrap_or(u16::MAX).min(area.width / 2);
    canvas.put(area.x, area.y, NAME_COLUMNS - 1, name, name_role);
    let about_columns = area.width.saturating_sub(NAME_COLUMNS + right_columns + 1);
    canvas.put_as(area.x + NAME_COLUMNS, area.y, about_columns, about, Role::Muted, class);
    canvas.put(area.right().saturating_sub(right_columns), area.y, right_columns, right, key_role);
}
