//! The Deck: everything at a glance, some panes of every system.

use ratatui::layout::Rect;

use crate::console::{
    input::pane_id::PaneId,
    model::Model,
    ui::{
        layout::{ViewSpec, columns, split_rows},
        state::Ui,
    },
};

/// The Deck. Runs, sessions and plugins have their panes as soon as there are any, below what the show
/// itself does.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[
        PaneId::Queues,
        PaneId::InFlight,
        PaneId::Recent,
        PaneId::Drops,
        PaneId::Sessions,
        PaneId::Log,
        PaneId::Runs,
        PaneId::Plugins,
    ],
    occasional,
    arrange: |body, occasional| in_focus_order(arrange(body, occasional)),
    glance_from: None,
};

/// The first steps until they are done; runs, sessions and plugins, of which there are some.
fn occasional(ui: &Ui, model: &Model) -> Vec<PaneId> {
    let runs = model.runs().is_some_and(|runs| !runs.runs.is_empty());
    let sessions = model.macp().is_some_and(|macp| !macp.sessions.is_empty());
    let plugins = model.plugins().is_some_and(|plugins| !plugins.plugins.is_empty());
    let panes = [
        (ui.shows_onboarding(model), PaneId::Started),
        (runs, PaneId::Runs),
        (sessions, PaneId::Sessions),
        (plugins, PaneId::Plugins),
    ];
    panes.into_iter().filter_map(|(is_there, pane)| is_there.then_some(pane)).collect()
}

fn arrange(body: Rect, occasional: &[PaneId]) -> Vec<(PaneId, Rect)> {
    use PaneId::{Drops, InFlight, Log, Plugins, Queues, Recent, Runs, Sessions, Started};
    let onboarding = occasional.contains(&Started);
    let more: Vec<PaneId> = occasional.iter().copied().filter(|pane| *pane != Started).collect();
    let with = |above: &[(PaneId, u16)], share: u16, below: &[(PaneId, u16)]| -> Vec<(PaneId, u16)> {
        above
            .iter()
            .copied()
            .chain(more.iter().map(|pane| (*pane, share)))
            .chain(below.iter().copied())
            .collect()
    };
    let (is_wide, is_tall) = (body.width >= 120, body.height >= 32);
    match (is_wide, is_tall) {
        (true, true) if onboarding => {
            let below: &[_] = if more.len() < 2 { &[(Drops, 2), (Log, 2)] } else { &[(Log, 2)] };
            columns(body, &[&[(Queues, 1), (Started, 1)], &with(&[(InFlight, 2)], 2, below)])
        }
        (true, true) => {
            // Where there is room for all, also before there are any.
            let plugins = (more.contains(&Plugins) || body.height >= 60).then_some((Plugins, 1));
            let left: Vec<_> = [(Queues, 1), (Recent, 1), (Runs, 1)].into_iter().chain(plugins).collect();
            columns(body, &[&left, &[(InFlight, 1), (Drops, 1), (Sessions, 1), (Log, 1)]])
        }
        (true, false) if onboarding => columns(body, &[&with(&[(Queues, 1)], 1, &[]), &[(Started, 1)]]),
        (true, false) => {
            let below = |pane| more.contains(&pane).then_some((pane, 1));
            let left: Vec<_> = [(Queues, 1)].into_iter().chain(below(Runs)).chain(below(Plugins)).collect();
            let right: Vec<_> = [(InFlight, 1)].into_iter().chain(below(Sessions)).collect();
            columns(body, &[&left, &right])
        }
        (false, true) if body.height >= 42 && !onboarding => {
            let all = [Queues, InFlight, Recent, Drops, Sessions, Log, Runs].into_iter();
            let plugins = more.contains(&Plugins).then_some(Plugins);
            let all: Vec<_> = all.chain(plugins).map(|pane| (pane, 2)).collect();
            columns(body, &[&all])
        }
        (false, true) if onboarding => {
            let (top, bottom) = split_rows(body, body.height / 2);
            let (queues, second) = split_rows(top, top.height / 2);
            let (started, last) = split_rows(bottom, 18.min(bottom.height - 5));
            let (second_is, last_is) = match more.as_slice() {
                [first, second, ..] => (*second, *first),
                [one] => (InFlight, *one),
                _ => (InFlight, Log),
            };
            vec![(Queues, queues), (second_is, second), (Started, started), (last_is, last)]
        }
        (false, true) if !more.is_empty() => {
            columns(body, &[&with(&[(Queues, 2), (InFlight, 2)], 2, &[(Log, 2)])])
        }
        (false, true) => columns(body, &[&[(Queues, 1), (InFlight, 1), (Recent, 1), (Log, 1)]]),
        // What goes on comes before what is to be learned.
        (false, false) if onboarding && more.is_empty() => {
            let (top, bottom) = split_rows(body, body.height.saturating_sub(15).max(5));
            vec![(Queues, top), (Started, bottom)]
        }
        (false, false) => match more.as_slice() {
            [] => columns(body, &[&[(Queues, 2), (InFlight, 3)]]),
            [one] => columns(body, &[&[(Queues, 6), (InFlight, 7), (*one, 8)]]),
            [first, second, ..] => columns(body, &[&[(Queues, 5), (InFlight, 5), (*first, 6), (*second, 5)]]),
        },
    }
}

/// Side by side, what works and what ended come before what is told of it; one above the other, the order is
/// that of the screen.
fn in_focus_order(mut placed: Vec<(PaneId, Rect)>) -> Vec<(PaneId, Rect)> {
    let are_beside = placed.windows(2).any(|two| two[0].1.x != two[1].1.x);
    if are_beside {
        placed.sort_by_key(|(pane, _)| match pane {
            PaneId::Started => VIEW.panes.iter().position(|known| *known == PaneId::Recent),
            pane => VIEW.panes.iter().position(|known| known == pane),
        });
    }
    placed
}
