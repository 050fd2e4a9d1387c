//! The second line: one chip a system, then one for each pane that has no room.

use crate::console::draw::{format, text};
use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{glyphs::Glyphs, theme::Role},
        input::pane_id::{ChipId, PaneId},
        model::{
            Condition, Model,
            bus::{MESSAGES, drop_groups, rmp_report},
            in_flight, mpp_report,
            runs::runs_report,
            sessions::{macp_report, records},
            store_report,
        },
        records::paged_list::{PagedList, Record},
        settings::view::{Canvas, View},
        ui::state::{Focus, Ui},
    },
    mpp::QueueView,
    runs::RunView,
    tap::entry::{mpp::RowState, station::Level},
};

/// How much room the chips have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Room {
    /// Names, and figures that say something.
    Least,
    Tight,
    Narrow,
    Wide,
}

/// A chip's name, its sign, and its figure. While the station does not answer, none of them stands out.
fn parts(view: &View, chip: ChipId, model: &Model, ui: &Ui, room: Room) -> [(String, Role); 3] {
    let parts = known(view, chip, model, ui, room);
    if model.is_reachable() { parts } else { parts.map(|(words, _)| (words, Role::Muted)) }
}

fn known(view: &View, chip: ChipId, model: &Model, ui: &Ui, room: Room) -> [(String, Role); 3] {
    let glyphs = view.glyphs;
    let sign = |condition| match condition {
        // How it is nobody knows: what is shown is how it was.
        _ if !model.is_reachable() => ("?".to_owned(), Role::Muted),
        Condition::Healthy => (glyphs.well.to_owned(), Role::Ok),
        Condition::Degraded => (glyphs.degraded.to_owned(), Role::Warn),
        Condition::Down => (glyphs.down.to_owned(), Role::Bad),
    };
    match chip {
        ChipId::Mpp => {
            let figure = model.mpp().map_or_else(String::new, |mpp| {
                let (flying, _) = in_flight(mpp);
                let figures = format!("{}q {flying}{}", mpp.queues.len(), glyphs.flying);
                let columns = match room {
                    Room::Least => return String::new(),
                    Room::Tight if mpp.adapter.is_none() => return "no adapter".to_owned(),
                    Room::Tight => return figures,
                    // What is missing says more than the pack's name.
                    _ if mpp.adapter.is_none() => return format!("no adapter {figures}"),
                    Room::Narrow => 12,
                    Room::Wide => 20,
                };
                format!(
                    "{} {figures}",
                    text::truncate(&text::visible(&mpp.pack.name, glyphs.ascii), columns, glyphs.ellipsis)
                )
            });
            [("MPP".to_owned(), Role::Mpp), sign(mpp_report(model, view.now).condition), (figure, Role::Text)]
        }
        ChipId::Rmp => {
            let figure = model.rmp().map_or_else(String::new, |rmp| {
                let rate =
                    crate::console::systems::bus::rate_text(model.bus.all.per_second(MESSAGES, view.now));
                match room {
                    Room::Least => String::new(),
                    Room::Tight => format!("{rate}/s"),
                    _ => format!(
                        "{} {} {rate}/s",
                        rmp.peers.len(),
                        if rmp.peers.len() == 1 { "peer" } else { "peers" }
                    ),
                }
            });
            [("RMP".to_owned(), Role::Rmp), sign(rmp_report(model, view.now).condition), (figure, Role::Text)]
        }
        ChipId::Macp => {
            let figure = model.macp().map_or_else(String::new, |macp| match room {
                Room::Least if macp.totals.open == 0 => String::new(),
                Room::Least | Room::Tight => format::count(macp.totals.open),
                _ => format!("{} open", format::count(macp.totals.open)),
            });
            [
                ("MACP".to_owned(), Role::Macp),
                sign(macp_report(model, view.now).condition),
                (figure, Role::Text),
            ]
        }
        ChipId::Runs => {
            let figure = model.runs().map_or_else(String::new, |runs| {
                let (open, totals) = (format::count(runs.open().count() as u64), runs.totals);
                let bad = format::count(totals.failed);
                match room {
                    Room::Least | Room::Tight if runs.open().next().is_some() => {
                        format!("{open}{}", glyphs.flying)
                    }
                    Room::Least | Room::Tight => String::new(),
                    _ => format!(
                        "{open}{} {}{} {bad}{}",
                        glyphs.flying,
                        format::count(totals.succeeded),
                        glyphs.ok,
                        glyphs.bad
                    ),
                }
            });
            [
                ("RUNS".to_owned(), Role::Runs),
                sign(runs_report(model, view.now).condition),
                (figure, Role::Text),
            ]
        }
        ChipId::Store => {
            let figure = match model.station_state.as_ref().map(|state| state.station.store_failing.is_some())
            {
                Some(true) => "failing",
                // Where it is tight, the sign alone says it.
                Some(false) if room == Room::Wide => "well",
                _ => "",
            };
            [
                ("STORE".to_owned(), Role::Station),
                sign(store_report(model).condition),
                (figure.to_owned(), Role::Text),
            ]
        }
        ChipId::Hidden(pane) => {
            let (name, figure, role) = hidden(view, pane, model, ui, room);
            [(name.to_owned(), Role::Accent), (String::new(), Role::Muted), (figure, role)]
        }
    }
}

fn hidden(view: &View, pane: PaneId, model: &Model, ui: &Ui, room: Room) -> (&'static str, String, Role) {
    let glyphs = view.glyphs;
    let mpp = model.mpp();
    match pane {
        PaneId::Queues => (
            if room == Room::Least { "QUE" } else { "QUEUES" },
            mpp.map_or(0, |mpp| mpp.queues.len()).to_string(),
            Role::Text,
        ),
        PaneId::InFlight => {
            let (flying, applied) = mpp.map_or((0, 0), in_flight);
            let figure = if applied > 0 {
                format!("{flying}{} +{applied}", glyphs.flying)
            } else {
                format!("{flying}{}", glyphs.flying)
            };
            (if room == Room::Least { "FLY" } else { "FLIGHT" }, figure, Role::Text)
        }
        PaneId::Recent => {
            let ended = |wanted: &[RowState]| model.ended().filter(|row| wanted.contains(&row.state)).count();
            let bad = ended(&[RowState::Failed, RowState::Refunded]);
            let figure = format!("{}{} {bad}{}", ended(&[RowState::Done]), glyphs.ok, glyphs.bad);
            (
                if room <= Room::Tight { "ENDED" } else { "RECENT" },
                figure,
                if bad > 0 { Role::Warn } else { Role::Text },
            )
        }
        PaneId::Log => {
            let serious = model.journal.serious;
            let role = if serious > 0 { Role::Warn } else { Role::Text };
            ("LOG", warned(serious, glyphs), role)
        }
        PaneId::Started | PaneId::Pending | PaneId::Runs | PaneId::Sessions => {
            ("", String::new(), Role::Muted)
        }
        PaneId::History => {
            let ended = |count: fn(&QueueView) -> u64| {
                mpp.map_or(0, |mpp| mpp.queues.values().map(count).sum::<u64>())
            };
            let (done, bad) = (ended(|queue| queue.done), ended(|queue| queue.failed));
            let done = if room == Room::Least {
                String::new()
            } else {
                format!("{}{} ", format::count(done), glyphs.ok)
            };
            let figure = format!("{done}{}{}", format::count(bad), glyphs.bad);
            ("HIST", figure, if bad > 0 { Role::Warn } else { Role::Text })
        }
        PaneId::OtherPack => {
            let rows =
                mpp.map_or(0, |mpp| mpp.queues.values().map(|queue| queue.other_manifest).sum::<u64>());
            (
                if room == Room::Least { "OTH" } else { "OTHER PACK" },
                format::count(rows),
                if rows > 0 { Role::Warn } else { Role::Text },
            )
        }
        PaneId::Refunds => {
            let (refunds, more) = ui.paged_lists.refund_count(model);
            (
                if room == Room::Least { "REF" } else { "REFUND" },
                format!("{}{}", format::count(refunds), if more { "+" } else { "" }),
                Role::Text,
            )
        }
        PaneId::State => ("STATE", format::count(ui.paged_lists.state.rows().len() as u64), Role::Text),
        PaneId::AdapterLog => {
            let serious =
                mpp.map_or(0, |mpp| mpp.logs.iter().filter(|line| line.level >= Level::Warn).count() as u64);
            (
                if room == Room::Least { "ADPT" } else { "ADAPTER LOG" },
                warned(serious, glyphs),
                if serious > 0 { Role::Warn } else { Role::Text },
            )
        }
        PaneId::Violations => {
            let faults = model.faults.count;
            ("FAULTS", format::count(faults), if faults > 0 { Role::Warn } else { Role::Text })
        }
        PaneId::Topics => {
            ("TOPICS", format::count(model.rmp().map_or(0, |rmp| rmp.topics.len() as u64)), Role::Text)
        }
        PaneId::Subscribers => {
            let subs: usize =
                model.rmp().map_or(0, |rmp| rmp.peers.values().map(|peer| peer.subs.len()).sum());
            ("SUBS", format::count(subs as u64), Role::Text)
        }
        PaneId::Peers => {
            ("PEERS", format::count(model.rmp().map_or(0, |rmp| rmp.peers.len() as u64)), Role::Text)
        }
        PaneId::Drops => {
            let dropped: u64 =
                model.rmp().map_or(0, |rmp| drop_groups(rmp).iter().map(|group| group.count).sum());
            (
                "DROPS",
                format::count(dropped),
                if model.bus.dropped_last_minute(view.now) > 0 { Role::Warn } else { Role::Text },
            )
        }
        PaneId::Plan => ("PLAN", run_count(model, ui, |view| u64::from(view.planned)), Role::Text),
        PaneId::RunEvents => ("EVENTS", run_count(model, ui, |view| view.events), Role::Text),
        PaneId::Artifacts => ("KEPT", run_count(model, ui, |view| view.artifacts), Role::Text),
        PaneId::Trace => {
            ("TRACE", format::count(ui.ladder_view.hops(ui.time.visible_until()).count() as u64), Role::Text)
        }
        PaneId::RunHistory => ("HIST", loaded(&ui.paged_lists.run_history), Role::Text),
        PaneId::SessionHistory => ("HIST", loaded(&ui.paged_lists.session_history), Role::Text),
        PaneId::Positions => ("STAND", format::count(ui.detail_positions(model).len() as u64), Role::Text),
        PaneId::Statements => ("VOICES", format::count(ui.detail_statements(model).len() as u64), Role::Text),
        PaneId::SessionLog => {
            let view =
                ui.detail_session(model).and_then(|session| model.macp()?.sessions.get(&session.number));
            (
                "LOG",
                format::count(view.map_or(0, |view| records(view.messages, view.end.is_some()))),
                Role::Text,
            )
        }
        PaneId::Wire => ("WIRE", format::count(ui.time.entries().len() as u64), Role::Text),
        PaneId::Meter => {
            let p95 =
                model.console_health.metrics.p95.minute.map_or_else(|| glyphs.none.to_owned(), format::fine);
            let slowed = model.console_health.frames_per_s.map(|frames| format!("~{frames} fps"));
            let role = if slowed.is_some() { Role::Warn } else { Role::Text };
            ("METER", slowed.unwrap_or(p95), role)
        }
        PaneId::StationLog => {
            let serious =
                model.journal.station.iter().filter(|notice| notice.level >= Level::Warn).count() as u64;
            ("STATION", warned(serious, glyphs), if serious > 0 { Role::Warn } else { Role::Text })
        }
    }
}

/// How many rows of a list are loaded, and whether there are more.
fn loaded<R: Record>(list: &PagedList<R>) -> String {
    let more = if list.more() == (false, false) { "" } else { "+" };
    format!("{}{more}", format::count(list.rows().len() as u64))
}

/// A count of the run that is shown.
fn run_count(model: &Model, ui: &Ui, count: impl Fn(&RunView) -> u64) -> String {
    let view = ui.detail_run(model).and_then(|run| ui.run_view(model, run));
    format::count(view.map_or(0, count))
}

/// How many lines are of level warn or error: none is nothing to be warned of.
fn warned(serious: u64, glyphs: &Glyphs) -> String {
    if serious > 0 { format!("{}{}", format::count(serious), glyphs.warn) } else { "0".to_owned() }
}

/// Columns of a chip, the gap behind it left out.
fn columns(parts: &[(String, Role); 3]) -> u16 {
    let columns: usize =
        parts.iter().filter(|(words, _)| !words.is_empty()).map(|(words, _)| text::width(words) + 1).sum();
    u16::try_from(columns).unwrap_or(u16::MAX)
}

/// Where each chip is.
fn positions(view: &View, area: Rect, model: &Model, ui: &Ui) -> Vec<(Rect, [(String, Role); 3])> {
    let chips = ui.layout(model).chips();
    let all = |room| chips.iter().map(|chip| parts(view, *chip, model, ui, room)).collect::<Vec<_>>();
    let fits = |(chips, gap): &(Vec<[(String, Role); 3]>, u16)| {
        chips.iter().map(|chip| columns(chip) + gap).sum::<u16>() < area.width
    };
    let widest = if area.width < 120 { Room::Narrow } else { Room::Wide };
    let steps = [(widest, 2), (Room::Tight, 2), (Room::Tight, 1), (Room::Tight, 0), (Room::Least, 1)];
    let fitting = steps.into_iter().map(|(room, gap)| (all(room), gap)).find(fits);
    let (chips, gap) = fitting.unwrap_or_else(|| (all(Room::Least), 0));
    let mut x = area.x + 1;
    chips
        .into_iter()
        .map_while(|parts| {
            let columns = columns(&parts);
            let place = Rect::new(x, area.y, columns.min(area.right().saturating_sub(x)), 1);
            x = x.saturating_add(columns + gap);
            (place.width > 0).then_some((place, parts))
        })
        .collect()
}

/// Draws them.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, ui: &Ui) {
    let view = canvas.view;
    for (index, (place, parts)) in positions(view, area, model, ui).into_iter().enumerate() {
        let mut x = place.x + 1;
        for (words, role) in parts.iter().filter(|(words, _)| !words.is_empty()) {
            x += canvas.put(x, place.y, place.right().saturating_sub(x), words, *role) + 1;
        }
        if ui.overlays.is_empty() && ui.focus == Focus::Chips(index) {
            canvas.select(place);
        }
    }
}

/// The chip under a column, as counted from the first.
pub(crate) fn chip_at(view: &View, column: u16, model: &Model, ui: &Ui) -> Option<usize> {
    let area = ui.layout(model).chips;
    positions(view, area, model, ui).iter().position(|(place, _)| place.contains((column, area.y).into()))
}
