//! The first line: which view this is, where you are in time, recording, loss, the clock.

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{format, text, theme::Role},
        input::{action::Action, view_id::ViewId},
        model::{Model, Timeline, station::StationState},
        settings::view::{Canvas, View},
        ui::{
            state::Ui,
            system::{Drain, System, is_everything_held},
        },
    },
    port::{Attachment, Reachability, ReplayView, StoppingView},
    time::{Now, Wall},
    words::counted,
};

/// A text of the first line.
struct Part {
    text: String,
    role: Role,
    kind: PartKind,
}

/// What a click on a part does, and whether it goes first where there is no room for everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartKind {
    /// It says something.
    Plain,
    /// It says something that is missed least.
    Spare,
    /// A click shows this view.
    Tab(ViewId),
    /// A click opens the alerts.
    Alerts,
    /// A click opens the gate.
    Gate,
}

impl Part {
    fn new(text: String, role: Role) -> Self {
        Self { text, role, kind: PartKind::Plain }
    }

    fn of(kind: PartKind, text: String, role: Role) -> Self {
        Self { text, role, kind }
    }
}

/// How the views are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tabs {
    /// All of them.
    Named,
    /// The one that is shown, and the keys of the others.
    Keys,
    /// The one that is shown alone.
    Current,
}

/// How much of the state is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    All,
    /// Not how long the station is up.
    Most,
    /// Signs and counts: not how much is recorded, nor which queue drains.
    Short,
    /// Neither that nothing was lost.
    Least,
}

/// Columns between two parts.
const GAP: usize = 2;
/// Columns of the folder of a rehearsal.
const FOLDER_COLUMNS: usize = 32;
/// Columns at the right that the clock takes.
const CLOCK_COLUMNS: u16 = 9;

/// Draws it.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, ui: &Ui) {
    let view = canvas.view;
    let clock_at = area.right().saturating_sub(CLOCK_COLUMNS);
    canvas.put(clock_at, area.y, 8, &view.time_of_day(view.clock), Role::Text);
    for (place, part) in positions(view, area, model, ui) {
        canvas.put(place.x, place.y, place.width, &part.text, part.role);
    }
}

/// The view whose name stands at a column of the first line.
pub(crate) fn tab_at(view: &View, column: u16, model: &Model, ui: &Ui) -> Option<ViewId> {
    match at(view, column, model, ui)? {
        PartKind::Tab(tab) => Some(tab),
        _ => None,
    }
}

/// Whether the count of alerts stands at a column of the first line.
pub(crate) fn is_on_alerts(view: &View, column: u16, model: &Model, ui: &Ui) -> bool {
    at(view, column, model, ui) == Some(PartKind::Alerts)
}

/// Whether the count of held frames stands at a column of the first line.
pub(crate) fn is_on_gate(view: &View, column: u16, model: &Model, ui: &Ui) -> bool {
    at(view, column, model, ui) == Some(PartKind::Gate)
}

fn at(view: &View, column: u16, model: &Model, ui: &Ui) -> Option<PartKind> {
    let area = ui.layout(model).header;
    let part = positions(view, area, model, ui)
        .into_iter()
        .find(|(place, _)| place.contains((column, area.y).into()))?
        .1;
    Some(part.kind)
}

/// Where each part is. Where it is tight, the program's own name is what is missed least, then the station's,
/// then how long the station is up, then the names of the views that are not shown, then their keys, then the
/// recording's size and the draining queue's name, then that nothing was lost. What is wrong is cut last.
fn positions(view: &View, area: Rect, model: &Model, ui: &Ui) -> Vec<(Rect, Part)> {
    let room = area.width.saturating_sub(CLOCK_COLUMNS + 2);
    let all = |(skipped, tabs, detail): (usize, Tabs, Detail)| -> Vec<Part> {
        let state = status_parts(view, model, &ui.time, detail)
            .into_iter()
            .filter(|part| detail == Detail::All || part.kind != PartKind::Spare);
        names(view, model, skipped).into_iter().chain(view_tabs(view, ui.view, tabs)).chain(state).collect()
    };
    let fits = |parts: &Vec<Part>| {
        parts.iter().map(|part| text::width(&part.text) + GAP).sum::<usize>() <= usize::from(room) + GAP
    };
    let least = (2, Tabs::Current, Detail::Least);
    let steps = [
        (0, Tabs::Named, Detail::All),
        (1, Tabs::Named, Detail::All),
        (2, Tabs::Named, Detail::All),
        (2, Tabs::Named, Detail::Most),
        (2, Tabs::Keys, Detail::All),
        (2, Tabs::Keys, Detail::Most),
        (2, Tabs::Current, Detail::Most),
        (2, Tabs::Keys, Detail::Short),
        (2, Tabs::Current, Detail::Short),
    ];
    let parts = steps.into_iter().map(all).find(fits).unwrap_or_else(|| all(least));
    let mut x = area.x + 1;
    let mut placed = Vec::new();
    for part in parts {
        let wide = u16::try_from(text::width(&part.text)).unwrap_or(u16::MAX);
        let width = wide.min((area.x + 1 + room).saturating_sub(x));
        placed.push((Rect::new(x, area.y, width, 1), part));
        x = x.saturating_add(wide).saturating_add(u16::try_from(GAP).unwrap_or(2));
    }
    placed
}

/// The program and whose station it shows, without so many of them where it is tight. That a console is
/// attached is said in any case.
fn names(view: &View, model: &Model, skipped: usize) -> Vec<Part> {
    let glyphs = view.glyphs;
    let cut = |name: &str, columns| {
        text::truncate(&text::visible(name, glyphs.ascii), columns, glyphs.ellipsis).into_owned()
    };
    let program = Part::new(format!("rl-console {}", glyphs.into), Role::Accent);
    let Some(Attachment { name, pid, .. }) = &model.attachment else {
        let names = [program, Part::new(cut(&view.name, 24), Role::Text)];
        return names.into_iter().skip(skipped).collect();
    };
    let whole = Part::new(format!("attached to {} {} {pid}", cut(name, 24), glyphs.between), Role::Text);
    match skipped {
        0 => vec![program, whole],
        1 => vec![whole],
        _ => vec![Part::new(format!("attached: {}", cut(name, 12)), Role::Text)],
    }
}

/// Whether the station of an attached console answers, and what may be done to it.
fn attachment(view: &View, model: &Model, detail: Detail) -> Vec<Part> {
    let Some(attachment) = &model.attachment else { return Vec::new() };
    let mut parts = Vec::new();
    let age = |since: &Now| format::age(view.clock.mono.since(since.mono));
    match &attachment.reachability {
        Reachability::Attached => {}
        Reachability::Silent { since } => {
            parts.push(Part::new(format!("{} SILENT {}", view.glyphs.degraded, age(since)), Role::Warn));
        }
        Reachability::Lost { since, .. } => {
            let is_short = matches!(detail, Detail::Short | Detail::Least);
            let stopped = model.stopping().map(|it| stopped(view, it, is_short));
            let lost = || {
                let lost = format!("{} LOST {}", view.glyphs.down, age(since));
                Part::new(if is_short { lost } else { format!("{lost}, reconnecting") }, Role::Bad)
            };
            parts.push(stopped.map_or_else(lost, |words| Part::new(words, Role::Warn)));
        }
    }
    if attachment.read_only().is_some() {
        parts.push(Part::new("read-only".to_owned(), Role::Warn));
    }
    parts
}

/// That the station was stopped in order, by whom and when.
fn stopped(view: &View, StoppingView { by, at }: &StoppingView, is_short: bool) -> String {
    let glyphs = view.glyphs;
    let by = by.as_ref().filter(|_| !is_short).map_or_else(String::new, |by| {
        format!(" by {}", text::truncate(&text::visible(by.label(), glyphs.ascii), 16, glyphs.ellipsis))
    });
    format!("{} STOPPED{by} {}", glyphs.down, format::time_of_day(at.wall, &view.zone))
}

/// The views by their keys; the one that is shown stands in brackets.
fn view_tabs(view: &View, shown: ViewId, tabs: Tabs) -> impl Iterator<Item = Part> {
    ViewId::ALL.into_iter().filter(move |tab| tabs != Tabs::Current || *tab == shown).map(move |tab| {
        let key = view.key(Action::showing(tab));
        let (words, role) = if tab == shown {
            (format!("[{key} {}]", tab.name()), Role::Accent)
        } else if tabs == Tabs::Named {
            (format!("{key} {}", tab.name()), Role::Muted)
        } else {
            (key, Role::Muted)
        };
        Part::of(PartKind::Tab(tab), words, role)
    })
}

/// Where in time, what is recorded, held and lost.
fn status_parts(view: &View, model: &Model, time: &Timeline, detail: Detail) -> Vec<Part> {
    let glyphs = view.glyphs;
    let is_short = matches!(detail, Detail::Short | Detail::Least);
    let mut parts = Vec::with_capacity(8);
    if view.mask_policy.is_on() {
        parts.push(Part::new(format!("{} ON AIR", glyphs.well), Role::Bad));
    }
    parts.extend(attachment(view, model, detail));
    let is_reached = model.is_reachable();
    let Some(station_state) = &model.station_state else {
        parts.push(Part::new(format!("{} starting", glyphs.degraded), Role::Warn));
        return parts;
    };
    parts.extend(rehearsal(view, station_state, detail));
    if model.stopping().is_some() && is_reached {
        parts.push(Part::new(format!("{} STOPPING", glyphs.degraded), Role::Warn));
    }
    if let Some(replay) = &view.replay {
        parts.push(self::replay(view, replay, time.instant(), detail));
        if let Some(span) = replay.unrecorded.filter(|_| !time.is_stopped()) {
            // What held before is not what held here.
            parts.extend([unrecorded(view, span, is_short), loss(view, model)]);
            return parts;
        }
        if !view.present.is_empty() {
            // Of the station that is behind, and not of the recording.
            parts.push(Part::new(format!("(NOW: {})", view.present.join("  ")), Role::Warn));
        }
    } else if let Some(at) = time.instant() {
        parts.extend(paused(view, at, time.unseen_count(), detail));
        parts.push(Part::new("NOW:".to_owned(), Role::Warn));
    } else if model.stopping().is_none() && is_reached {
        parts.push(Part::new(format!("{} LIVE", glyphs.well), Role::Ok));
    }
    if let Some(progress) = model.past.progress() {
        let short = "loading the past".to_owned();
        parts.push(Part::new(if is_short { short } else { progress }, Role::Warn));
    }
    // What waits for an answer and what is braked is cut last.
    if is_reached {
        parts.extend(intercepted(view, model));
        parts.extend(questions(view, station_state, is_short));
    }
    parts.extend(brakes(view, station_state, is_short));
    parts.extend(alerts(view, model));
    // While the station is lost nobody knows how long it is up.
    let now = if time.is_stopped() { view.clock } else { view.now };
    let elapsed = format::elapsed(now.mono.since(station_state.station.started_at.mono));
    parts.push(Part::of(PartKind::Spare, elapsed, Role::Text));
    // In a replay, what was recorded then is what is shown.
    let station = view.replay.is_none().then_some(&station_state.station);
    if let Some(recording) = station.and_then(|station| station.recording.as_ref()) {
        let size = if is_short { String::new() } else { format!(" {}", format::bytes(recording.bytes)) };
        parts.push(Part::new(format!("{}REC{size}", glyphs.well), Role::Bad));
    } else if station.is_some_and(|station| station.always_recording.is_some()) {
        parts.push(Part::new(format!("{}REC", glyphs.well), Role::Muted));
    }
    if let Some(frames_per_s) = model.console_health.frames_per_s {
        parts.push(Part::new(format!("~{frames_per_s} fps"), Role::Warn));
        if model.console_health.lag > 0 {
            parts.push(Part::new(format!("{} behind", format::count(model.console_health.lag)), Role::Warn));
        }
    }
    let loss = loss(view, model);
    if loss.role == Role::Warn || detail != Detail::Least {
        parts.push(loss);
    }
    parts
}

/// How much is lost: to this console or, of a recording, until the place that is shown. What this console had
/// no place for while it was played is of that.
fn loss(view: &View, model: &Model) -> Part {
    let lost = model.lost.max(view.replay.as_ref().map_or(0, |replay| replay.lost));
    let role = if lost > 0 { Role::Warn } else { Role::Muted };
    Part::new(format!("loss {}", format::count(lost)), role)
}

/// That nothing is recorded of the time that is shown.
fn unrecorded(view: &View, (from, to): (Wall, Wall), is_short: bool) -> Part {
    let time = |wall| format::time_of_day(wall, &view.zone);
    let span = if is_short { String::new() } else { format!(": {} to {}", time(from), time(to)) };
    Part::new(format!("not recorded{span}"), Role::Warn)
}

/// What the station waits for: frames that the gate holds, approvals, brakes and alerts.
pub(crate) fn present_parts(view: &View, model: &Model) -> Vec<String> {
    let Some(state) = &model.station_state else { return Vec::new() };
    let lost = (!model.is_reachable()).then(|| Part::new(format!("{} LOST", view.glyphs.down), Role::Bad));
    let mut parts: Vec<Part> = lost.into_iter().collect();
    if model.is_reachable() {
        parts.extend(intercepted(view, model));
        parts.extend(questions(view, state, true));
    }
    parts.extend(brakes(view, state, true));
    parts.extend(alerts(view, model));
    parts.into_iter().map(|part| part.text).collect()
}

/// How many alerts are active.
fn alerts(view: &View, model: &Model) -> Option<Part> {
    let text = match model.alerts().active_count() {
        0 => return None,
        1 => format!("{} 1 alert", view.glyphs.warn),
        waiting => format!("{} {waiting} alerts", view.glyphs.warn),
    };
    Some(Part::of(PartKind::Alerts, text, Role::Warn))
}

/// That a recording is shown, at which moment, and how fast it plays. What was stepped back to is told with
/// its milliseconds.
fn replay(view: &View, replay: &ReplayView, stepped_to: Option<Now>, detail: Detail) -> Part {
    let at = stepped_to.unwrap_or(view.clock);
    let is_held = replay.is_held || stepped_to.is_some();
    let mut words = "REPLAY ".to_owned();
    if is_held {
        words.extend([view.glyphs.held, " "]);
    }
    words.push_str(&view.time_of_day(at));
    if is_held && matches!(detail, Detail::All | Detail::Most) {
        let ms = format!(".{:03}", at.wall.0 % 1_000);
        words.push_str(&ms);
    }
    words.extend([" ", &replay.speed.name(view.glyphs.ascii)]);
    if replay.is_seeking {
        words.push_str(" seeking");
    }
    Part::new(words, if is_held { Role::Warn } else { Role::Accent })
}

/// That the station is one for a rehearsal, and in which folder.
fn rehearsal(view: &View, state: &StationState, detail: Detail) -> Option<Part> {
    if !state.station.is_rehearsal {
        return None;
    }
    let glyphs = view.glyphs;
    let folder = match detail {
        Detail::All => state.station.data.display().to_string(),
        Detail::Most => state.station.name(),
        Detail::Short | Detail::Least => String::new(),
    };
    let folder = text::fit_within(&text::visible(&folder, glyphs.ascii), FOLDER_COLUMNS, glyphs).into_owned();
    let text = if folder.is_empty() { "REHEARSAL".to_owned() } else { format!("REHEARSAL {folder}") };
    Some(Part::new(text, Role::Warn))
}

/// How many frames the gate holds, and how long until the first of them goes by itself.
fn intercepted(view: &View, model: &Model) -> Option<Part> {
    let now = view.clock.wall;
    let first = model.station.intercepted.at(now).min_by_key(|held| held.until)?;
    let count = model.station.intercepted.at(now).count();
    let text = format!("{} INTERCEPTED {count} {}", view.glyphs.warn, first.left(now));
    Some(Part::of(PartKind::Gate, text, Role::Bad))
}

/// What waits for a person's answer, and how long until silence is one.
fn questions(view: &View, state: &StationState, is_short: bool) -> Option<Part> {
    let of_systems: Vec<_> = System::all().iter().map(|system| (system.questions)(state)).collect();
    let first = of_systems.iter().filter_map(|it| it.first_expires_at).min();
    let left = first
        .map_or_else(String::new, |at| format!(" {}", format::age(at.since(view.clock.wall)).trim_start()));
    let text = match of_systems.iter().map(|it| it.waiting).sum() {
        0_u64 => return None,
        waiting if is_short => format!("?{waiting}{left}"),
        waiting => format!("? {}{left}", counted(waiting, "approval")),
    };
    Some(Part::of(PartKind::Alerts, text, Role::Warn))
}

/// What an operator's brakes hold back and drain.
fn brakes(view: &View, state: &StationState, is_short: bool) -> Vec<Part> {
    let glyphs = view.glyphs;
    let of_systems: Vec<_> =
        System::all().iter().filter_map(|system| Some((system.brakes?)(state))).collect();
    let (all, some): (Vec<_>, Vec<_>) = of_systems
        .iter()
        .filter(|it| it.held > 0 || it.of > 0)
        .partition(|it| it.held > 0 && it.held >= it.of);
    let held: usize = some.iter().map(|it| it.held).sum();
    let names = all.iter().map(|it| it.name).collect::<Vec<_>>().join(", ");
    let holds = match (all.is_empty(), held) {
        (true, 0) => None,
        (true, _) => Some(format!("{held} held")),
        (false, _) if is_everything_held(state) => Some("ALL HELD".to_owned()),
        (false, 0) => Some(format!("{names} HELD")),
        (false, _) => Some(format!("{names} HELD, {held} held")),
    };
    let holds = holds.map(|text| Part::new(format!("{} {text}", glyphs.held), Role::Warn));
    let draining = of_systems.iter().flat_map(|it| &it.draining);
    let (drained, draining): (Vec<_>, Vec<_>) = draining.partition(|it| it.is_empty);
    let drains = |(all, one, many): (Vec<&Drain<'_>>, &str, &str)| {
        let text = match all.as_slice() {
            [] => return None,
            all if is_short => format!("{} {one}", all.len()),
            [drain] => {
                let name = text::visible(drain.name, glyphs.ascii);
                format!("{one}: {}", text::truncate(&name, 12, glyphs.ellipsis))
            }
            all => format!("{} {many}", all.len()),
        };
        Some(Part::new(format!("{} {text}", glyphs.draining), Role::Warn))
    };
    let drains =
        [(draining, "drain", "draining"), (drained, "drained", "drained")].into_iter().filter_map(drains);
    holds.into_iter().chain(drains).collect()
}

/// That time is stopped, at which moment, how far behind that is, and how many entries wait.
fn paused(view: &View, at: Now, waiting: u64, detail: Detail) -> [Part; 1] {
    let sign = view.glyphs.held;
    let behind = view.clock.mono.since(at.mono);
    let waits = match waiting {
        0 => String::new(),
        waiting => format!(", {} waiting", format::count(waiting)),
    };
    let words = if matches!(detail, Detail::Least) {
        format!("{sign} PAUSED {}", view.time_of_day(at))
    } else if matches!(detail, Detail::Short) {
        format!("{sign} PAUSED {}{waits}", view.time_of_day(at))
    } else {
        format!(
            "{sign} PAUSED {}.{:03} -{}{waits}",
            view.time_of_day(at),
            at.wall.0 % 1_000,
            format::age(behind)
        )
    };
    [Part::new(words, Role::Warn)]
}
