//! The gate on the screen: what is held first, for its time runs.

use ratatui::{
    layout::Rect,
    style::{Modifier, Style},
};

use super::{
    GateList,
    bounds::{Bound, Bounds},
    list::Part,
    rule_form::{Field, NO_FILTER, RuleForm, filter_class},
};
use crate::{
    console::{
        draw::{Cell, class::Class, format, text, theme::Role},
        input::action::Action,
        model::station::HeldFrame,
        overlays::draw_line::reversed,
        records::Table,
        settings::view::{Canvas, View},
        ui::Scene,
    },
    field::Column,
    filter::Fault,
    port::{GateRuleRow, OnTimeout, PortError, Then},
    words::counted,
};

/// Seconds left below which it is shown as urgent.
const URGENT_S: u64 = 10;
const HELD_COLUMNS: &[Column] = &[
    Column::fixed("frame", 5).right(),
    Column::fixed("left", 5).right(),
    Column::fixed("link", 6),
    Column::fixed("way", 3),
    Column::growing("kind", 10, 1),
    Column::growing("what", 16, 4),
    Column::growing("verdict", 9, 2),
    Column::growing("peer", 12, 1).from(110),
    Column::fixed("ttl", 5).right(),
    Column::fixed("rule", 4).right().from(90),
];
const RULE_COLUMNS: &[Column] = &[
    Column::fixed("rule", 4).right(),
    Column::fixed("way", 4),
    Column::fixed("then", 10),
    Column::fixed("timeout", 7),
    Column::fixed("taken", 7).right(),
    Column::fixed("until", 6).right(),
    Column::growing("filter", 16, 4),
    Column::growing("by", 10, 1).from(110),
];
/// Columns of a choice at most.
const CHOICE_COLUMNS: u16 = 18;
/// Columns of the names of a new rule's fields.
const NAME_COLUMNS: u16 = 11;
/// Columns of a number at most, and between two of them.
const NUMBER_COLUMNS: u16 = 8;
const NUMBER_GAP: u16 = 3;

/// Draws it.
pub(super) fn draw(list: &GateList, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let areas = list.areas(scene.body);
    let has_keys = |part| scene.is_top && list.part == part;
    draw_held(list, canvas, areas.held, scene, has_keys(Part::Held));
    draw_form(&list.form, canvas, areas.form, scene, has_keys(Part::NewRule));
    draw_rules(list, canvas, areas.rules, has_keys(Part::Rules));
}

fn draw_held(list: &GateList, canvas: &mut Canvas<'_>, area: Rect, scene: &Scene<'_>, focused: bool) {
    let title = match list.held.len() {
        0 => "Gate: no frame is held".to_owned(),
        held => format!("Gate: {} held", counted(held as u64, "frame")),
    };
    let inside = canvas.frame(area, &title, focused);
    if list.held.is_empty() {
        let text = match &list.rules {
            Some(Ok(rules)) if rules.is_empty() => "no rule is armed: every frame passes".to_owned(),
            Some(Ok(_)) => "no frame has matched a rule since, or all of them passed".to_owned(),
            Some(Err(_)) | None => String::new(),
        };
        canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(1), &text, Role::Muted);
        return;
    }
    let view = canvas.view;
    let frames = &scene.live.station.intercepted;
    let row = |index: usize| {
        let held = list.held.get(index).and_then(|number| frames.get(*number));
        held.map_or_else(Vec::new, |held| held_cells(held, view))
    };
    Table::plain(HELD_COLUMNS, list.held.len(), &row, &list.selected_held, focused).draw(canvas, inside);
}

fn held_cells(held: &HeldFrame, view: &View) -> Vec<Cell> {
    let now = view.clock.wall;
    let urgency = if held.left_s(now) <= URGENT_S { Role::Bad } else { Role::Warn };
    let (role, sign) = match &*held.verdict {
        "refused" | "late" => (Role::Bad, view.glyphs.bad),
        "sent" | "" => (Role::Muted, " "),
        _ => (Role::Ok, view.glyphs.ok),
    };
    let clause = held.clause.as_ref().map_or_else(String::new, |clause| format!(" {clause}"));
    vec![
        Cell::new(held.number.to_string(), Role::Text),
        Cell::new(held.left(now), urgency),
        Cell::new(held.link.name(), Role::of(held.link)),
        Cell::new(held.way.name(), Role::Text),
        Cell::new(held.kind.to_string(), Role::of(held.link)),
        Cell::new(held.line.to_string(), Role::Text).cut_in_first_word(),
        Cell::new(format!("{sign} {}{clause}", held.verdict), role),
        Cell::new(held.peer.to_string(), Role::Muted).cut_within(),
        Cell::new(held.ttl(now).unwrap_or_default(), Role::Muted),
        Cell::new(held.rule.to_string(), Role::Muted),
    ]
}

fn draw_rules(list: &GateList, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let title = match list.rules().len() {
        0 => "Rules".to_owned(),
        rules => format!("Rules: {rules} armed"),
    };
    let inside = canvas.frame(area, &title, focused);
    let room = inside.width.saturating_sub(1);
    let (text, role) = match &list.rules {
        Some(Ok(rules)) if rules.is_empty() => ("none is armed", Role::Muted),
        Some(Ok(rules)) => {
            let view = canvas.view;
            let row = |index: usize| rules.get(index).map_or_else(Vec::new, |rule| rule_cells(rule, view));
            let table = Table::plain(RULE_COLUMNS, rules.len(), &row, &list.selected_rule, focused);
            return table.draw(canvas, inside);
        }
        Some(Err(why)) => (why.as_str(), Role::Bad),
        None => ("asking for the rules", Role::Muted),
    };
    canvas.put(inside.x + 1, inside.y, room, text, role);
}

#[expect(clippy::similar_names, reason = "a rule and its role")]
fn rule_cells(rule: &GateRuleRow, view: &View) -> Vec<Cell> {
    let left = rule.until_ms.0.saturating_sub(view.clock.wall.0).div_ceil(1_000);
    let of = rule.frames_max.map_or_else(String::new, |max| format!("/{max}"));
    let role = if rule.then == Then::Intercept { Role::Text } else { Role::Warn };
    let edits = if rule.rewrites { format!("{}edits", view.glyphs.by_hand) } else { String::new() };
    let then = match (rule.then, edits.is_empty()) {
        (Then::Intercept, false) => edits,
        (Then::Delay { ms, .. }, _) => format!("delay {ms}"),
        (Then::FailStore { ms }, _) => format!("fail {ms}"),
        (then, _) => then.name().to_owned(),
    };
    // What passed because too many were held comes with what was taken.
    let (full, taken_role) = match rule.passed_full {
        0 => (String::new(), Role::Text),
        full => (format!("+{full}"), Role::Warn),
    };
    vec![
        Cell::new(rule.rule.to_string(), Role::Text),
        Cell::new(rule.way.map_or("both", crate::port::Way::name), Role::Text),
        Cell::new(then, role),
        Cell::new(
            rule.on_timeout.name(),
            if rule.on_timeout == OnTimeout::Drop { Role::Warn } else { Role::Text },
        ),
        Cell::new(format!("{}{of}{full}", rule.taken), taken_role),
        Cell::new(format!("{}:{:02}", left / 60, left % 60), Role::Muted),
        Cell::of_class(rule.filter.clone(), Role::Text, filter_class(&rule.filter, view)),
        Cell::new(rule.by.clone(), Role::Muted),
    ]
}

fn draw_form(form: &RuleForm, canvas: &mut Canvas<'_>, area: Rect, scene: &Scene<'_>, focused: bool) {
    let inside = canvas.frame(area, "New rule", focused);
    if inside.height < 3 {
        return;
    }
    let (x, y) = (inside.x + 1, inside.y);
    let here = |field| focused && form.field == field;
    let name = |field| if here(field) { Role::Focus } else { Role::Muted };
    canvas.put(x, y, NAME_COLUMNS, "filter", name(Field::Filter));
    draw_filter(
        form,
        canvas,
        Rect::new(x + NAME_COLUMNS, y, inside.right().saturating_sub(x + NAME_COLUMNS), 1),
        here(Field::Filter),
    );
    canvas.put(x, y + 1, NAME_COLUMNS, "direction", name(Field::Way));
    let mut at = x + NAME_COLUMNS;
    at += draw_choice(canvas, (at, y + 1), form.way.name(), here(Field::Way)) + 3;
    if let Some(then) = &form.then {
        at += canvas.put(at, y + 1, 4, "then", name(Field::Then)) + 2;
        at += draw_choice(canvas, (at, y + 1), then.name(), here(Field::Then)) + 3;
    }
    if form.fields().contains(&Field::OnTimeout) {
        at += canvas.put(at, y + 1, 10, "on timeout", name(Field::OnTimeout)) + 2;
        draw_choice(canvas, (at, y + 1), form.on_timeout.name(), here(Field::OnTimeout));
    }
    let mut status_y = y + 2;
    if inside.height > 3 {
        let has_cursor = match form.field {
            Field::Bound(bound) => Some(bound).filter(|_| focused),
            _ => None,
        };
        draw_bounds(&form.bounds, canvas, Rect { y: y + 2, height: 1, ..inside }, scene, has_cursor);
        status_y = y + 3;
    }
    let (words, role, class) = status(form, canvas.view, scene.ui.limits.gate.hold_ms_max);
    canvas.put_as(x, status_y, inside.width.saturating_sub(1), &words, role, class);
}

/// What bounds the rule, in a line: what is not written is shown as what holds then.
fn draw_bounds(
    bounds: &Bounds,
    canvas: &mut Canvas<'_>,
    area: Rect,
    scene: &Scene<'_>,
    has_cursor: Option<Bound>,
) {
    let (mut at, y) = (area.x + 1, area.y);
    for bound in Bound::ALL {
        let here = has_cursor == Some(bound);
        let name = if here { Role::Focus } else { Role::Muted };
        let used = canvas.put(at, y, area.right().saturating_sub(at), bound.name(), name);
        at += if bound == Bound::Frames { NAME_COLUMNS } else { used + 2 };
        // The last one has what is left.
        let left = area.right().saturating_sub(at);
        let room = if bound == Bound::Seed { left } else { NUMBER_COLUMNS.min(left) };
        let unset = || bound.unset(&scene.ui.limits.gate);
        match bounds.text(bound) {
            _ if here => bounds.line(bound).draw(canvas, at, y, room),
            Some(text) => {
                let role = if bounds.fault_of(bound).is_some() { Role::Bad } else { Role::Text };
                canvas.put(at, y, room, text, role);
            }
            None => {
                canvas.put(at, y, room, &unset(), Role::Muted);
            }
        }
        at += room + NUMBER_GAP;
    }
}

fn draw_choice(canvas: &mut Canvas<'_>, (x, y): (u16, u16), name: &str, here: bool) -> u16 {
    let used = canvas.put(x, y, CHOICE_COLUMNS, name, if here { Role::Focus } else { Role::Text });
    if here {
        canvas.buffer.set_style(Rect::new(x, y, used.max(1), 1), reversed());
    }
    used
}

fn draw_filter(form: &RuleForm, canvas: &mut Canvas<'_>, area: Rect, here: bool) {
    let class = form.class(canvas.view);
    match (here, class) {
        (true, Class::Public) => form.filter.draw(canvas, area.x, area.y, area.width),
        (true, class) => form.filter.draw_recalled(canvas, (area.x, area.y), area.width, 0, class),
        (false, class) => {
            canvas.put_as(area.x, area.y, area.width, form.filter.text(), Role::Text, class);
        }
    }
    if let Some(fault) = form.fault.as_ref().filter(|_| class == Class::Public) {
        underline(form.filter.text(), fault, canvas, area);
    }
}

/// Underlines what a fault means, where the whole line is seen.
fn underline(line: &str, fault: &Fault, canvas: &mut Canvas<'_>, area: Rect) {
    let ascii = canvas.view.glyphs.ascii;
    let width = |part: &str| u16::try_from(text::width(&text::visible(part, ascii))).unwrap_or(u16::MAX);
    let Some((before, meant)) = line.get(..fault.at.start).zip(line.get(fault.at.clone())) else { return };
    if width(line) < area.width {
        let place = Rect::new(area.x + width(before), area.y, width(meant).max(1), 1);
        canvas.buffer.set_style(place, Style::new().add_modifier(Modifier::UNDERLINED));
    }
}

/// What is wrong with it, or what it does.
fn status(form: &RuleForm, view: &View, hold_ms: u64) -> (String, Role, Class) {
    if let Some(fault) = &form.fault {
        let class = view.mask_policy.strictest([Class::Login, Class::Payload]);
        return (format!("{} {}", view.glyphs.bad, fault.words), Role::Bad, class);
    }
    if let Some(fault) = form.bounds.fault() {
        return (format!("{} {fault}", view.glyphs.bad), Role::Bad, Class::Public);
    }
    if form.is_empty() {
        return (NO_FILTER.to_owned(), Role::Muted, Class::Public);
    }
    if view.replay.is_some() {
        return (PortError::Replayed.to_string(), Role::Muted, Class::Public);
    }
    let key = view.key(Action::Send);
    let does = match form.then() {
        Then::Intercept => {
            let held = format::age(std::time::Duration::from_millis(hold_ms));
            let then = if form.on_timeout.index() == 0 { "passes" } else { "is dropped" };
            format!("is held, and {then} after {}", held.trim_start())
        }
        Then::Drop => "is dropped".to_owned(),
        Then::Duplicate => "passes twice".to_owned(),
        Then::Cut => "is cut, and its connection ends".to_owned(),
        Then::Delay { ms, jitter_ms: 0 } => format!("passes {ms} ms late"),
        Then::Delay { ms, jitter_ms } => format!("passes {} to {} ms late", ms - jitter_ms, ms + jitter_ms),
        Then::FailStore { ms } => format!("passes, and commits fail for {ms} ms"),
    };
    let role = if form.then().is_fault() { Role::Warn } else { Role::Ok };
    let share = form.bounds.text(Bound::Percent).filter(|text| text.trim_end_matches('%') != "100");
    let what = share.map_or_else(String::new, |text| format!("{} % of ", text.trim_end_matches('%')));
    (format!("{} {key} arms it: {what}what matches {does}", view.glyphs.ok), role, Class::Public)
}
