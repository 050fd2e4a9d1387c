//! Where everything is, for a size of the screen. Drawing and the mouse both ask here.

use ratatui::layout::Rect;

use crate::console::input::{
    pane_id::{ChipId, PaneId},
    view_id::ViewId,
};

/// The smallest screen that is drawn.
pub(crate) const COLUMNS_MIN: u16 = 80;
/// The smallest screen that is drawn.
pub(crate) const ROWS_MIN: u16 = 24;

/// The height of the body from which on there is room for a look at the selected entry of the wire.
const GLANCE_FROM: u16 = 36;

/// Where everything is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) header: Rect,
    pub(crate) chips: Rect,
    pub(crate) body: Rect,
    /// The last line of the body, while there is a message.
    pub(crate) message: Rect,
    pub(crate) footer: Rect,
    pub(crate) view: ViewId,
    /// The panes that have room, in the order of the focus.
    pub(crate) panes: Vec<(PaneId, Rect)>,
    /// Where the selected entry of the wire is shown; nothing elsewhere.
    pub(crate) glance: Rect,
}

impl Layout {
    /// Whether a pane has room.
    pub(crate) fn has(&self, pane: PaneId) -> bool {
        self.panes.iter().any(|(known, _)| *known == pane)
    }

    /// The chips there are: the systems, then the panes that have no room. Runs and sessions have theirs
    /// among the systems.
    pub(crate) fn chips(&self) -> Vec<ChipId> {
        let mut chips = vec![ChipId::Mpp, ChipId::Rmp, ChipId::Macp, ChipId::Runs, ChipId::Store];
        let hidden =
            self.view.panes().iter().copied().filter(|pane| !self.has(*pane) && pane.pane().chip.is_some());
        chips.extend(hidden.map(ChipId::Hidden));
        chips
    }

    /// The room of a pane; of a list that lies over the panes, the whole body.
    pub(crate) fn area_of(&self, pane: PaneId) -> Rect {
        self.panes.iter().find(|(known, _)| *known == pane).map_or(self.body, |(_, area)| *area)
    }

    /// The pane under a place.
    pub(crate) fn pane_at(&self, column: u16, row: u16) -> Option<(PaneId, Rect)> {
        self.panes.iter().find(|(_, area)| area.contains((column, row).into())).copied()
    }
}

/// Whether a screen is too small.
pub(crate) fn too_small(columns: u16, rows: u16) -> bool {
    columns < COLUMNS_MIN || rows < ROWS_MIN
}

/// What the Deck shows beside what it always does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeckPanes {
    /// The first steps.
    pub(crate) onboarding: bool,
    /// Runs, of which there are some.
    pub(crate) runs: bool,
    /// Sessions, of which there are some.
    pub(crate) sessions: bool,
}

/// The layout of a screen.
pub(crate) fn of(columns: u16, rows: u16, view: ViewId, zoomed: Option<PaneId>, shown: DeckPanes) -> Layout {
    let body = Rect::new(0, 2, columns, rows.saturating_sub(3));
    let layout = Layout {
        header: Rect::new(0, 0, columns, 1),
        chips: Rect::new(0, 1, columns, 1),
        body,
        message: Rect::new(0, body.bottom().saturating_sub(1), columns, 1),
        footer: Rect::new(0, rows.saturating_sub(1), columns, 1),
        view,
        panes: Vec::new(),
        glance: Rect::ZERO,
    };
    if view == ViewId::Wire && zoomed.is_none() && body.height >= GLANCE_FROM {
        let (list, glance) = split_rows(body, body.height * 3 / 5);
        return Layout { panes: vec![(PaneId::Wire, list)], glance, ..layout };
    }
    let panes = match zoomed {
        Some(pane) => vec![(pane, body)],
        None => match view {
            ViewId::Deck => in_focus_order(deck(body, shown)),
            ViewId::Bridge => bridge(body),
            ViewId::Bus => bus(body),
            ViewId::Runs => runs(body),
            ViewId::Sessions => sessions(body),
            ViewId::Trace => vec![(PaneId::Trace, body)],
            ViewId::Wire => vec![(PaneId::Wire, body)],
            ViewId::Journal => journal(body),
        },
    };
    Layout { panes, ..layout }
}

/// The Deck. Runs and sessions have their panes at every size as soon as there are any, below what the show
/// itself does.
fn deck(body: Rect, deck: DeckPanes) -> Vec<(PaneId, Rect)> {
    use PaneId::{Drops, InFlight, Log, Queues, Recent, Runs, Sessions, Started};
    let more: Vec<PaneId> =
        deck.runs.then_some(Runs).into_iter().chain(deck.sessions.then_some(Sessions)).collect();
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
        (true, true) if deck.onboarding => {
            let below: &[_] = if more.len() < 2 { &[(Drops, 2), (Log, 2)] } else { &[(Log, 2)] };
            columns(body, &[&[(Queues, 1), (Started, 1)], &with(&[(InFlight, 2)], 2, below)])
        }
        (true, true) => columns(
            body,
            &[&[(Queues, 1), (Recent, 1), (Runs, 1)], &[(InFlight, 1), (Drops, 1), (Sessions, 1), (Log, 1)]],
        ),
        (true, false) if deck.onboarding => columns(body, &[&with(&[(Queues, 1)], 1, &[]), &[(Started, 1)]]),
        (true, false) => {
            let below = |is_there: bool, pane| if is_there { Some((pane, 1)) } else { None };
            let left: Vec<_> = [(Queues, 1)].into_iter().chain(below(deck.runs, Runs)).collect();
            let right: Vec<_> = [(InFlight, 1)].into_iter().chain(below(deck.sessions, Sessions)).collect();
            columns(body, &[&left, &right])
        }
        (false, true) if body.height >= 42 && !deck.onboarding => columns(
            body,
            &[&[(Queues, 2), (InFlight, 2), (Recent, 2), (Drops, 2), (Sessions, 2), (Log, 2), (Runs, 2)]],
        ),
        (false, true) if deck.onboarding => {
            let (top, bottom) = split_rows(body, body.height / 2);
            let (queues, second) = split_rows(top, top.height / 2);
            let (started, last) = split_rows(bottom, 18.min(bottom.height - 5));
            let (second_is, last_is) = match more.as_slice() {
                [runs, sessions] => (*sessions, *runs),
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
        (false, false) if deck.onboarding && more.is_empty() => {
            let (top, bottom) = split_rows(body, body.height.saturating_sub(15).max(5));
            vec![(Queues, top), (Started, bottom)]
        }
        (false, false) => match more.as_slice() {
            [] => columns(body, &[&[(Queues, 2), (InFlight, 3)]]),
            [one] => columns(body, &[&[(Queues, 6), (InFlight, 7), (*one, 8)]]),
            _ => columns(body, &[&[(Queues, 5), (InFlight, 5), (Runs, 6), (Sessions, 5)]]),
        },
    }
}

/// Side by side, what works and what ended come before what is told of it; one above the other, the order is
/// that of the screen.
fn in_focus_order(mut placed: Vec<(PaneId, Rect)>) -> Vec<(PaneId, Rect)> {
    let are_beside = placed.windows(2).any(|two| two[0].1.x != two[1].1.x);
    if are_beside {
        placed.sort_by_key(|(pane, _)| match pane {
            PaneId::Started => ViewId::Deck.panes().iter().position(|known| *known == PaneId::Recent),
            pane => ViewId::Deck.panes().iter().position(|known| known == pane),
        });
    }
    placed
}

/// The Bridge: what happened gets the most room, beside what waits and what flies. The rest comes in as there
/// is room for it.
fn bridge(body: Rect) -> Vec<(PaneId, Rect)> {
    use PaneId::{AdapterLog, History, InFlight, OtherPack, Queues, Refunds, State};
    let is_tall = body.height >= 32;
    match body.width {
        200.. if is_tall => columns(
            body,
            &[
                &[(Queues, 2), (InFlight, 2), (State, 2)],
                &[(History, 4), (OtherPack, 2)],
                &[(AdapterLog, 4), (Refunds, 2)],
            ],
        ),
        120.. if is_tall => columns(
            body,
            &[
                &[(Queues, 2), (InFlight, 2), (State, 2), (Refunds, 2)],
                &[(History, 4), (OtherPack, 2), (AdapterLog, 2)],
            ],
        ),
        120.. => columns(body, &[&[(Queues, 2), (InFlight, 2)], &[(History, 3), (AdapterLog, 2)]]),
        _ if body.height >= 56 => columns(
            body,
            &[&[
                (Queues, 2),
                (InFlight, 2),
                (History, 4),
                (OtherPack, 2),
                (Refunds, 2),
                (State, 2),
                (AdapterLog, 2),
            ]],
        ),
        _ if body.height >= 42 => {
            columns(body, &[&[(Queues, 2), (InFlight, 2), (History, 4), (State, 2), (AdapterLog, 2)]])
        }
        _ if is_tall => columns(body, &[&[(Queues, 2), (InFlight, 2), (History, 4)]]),
        _ => columns(body, &[&[(Queues, 2), (History, 3)]]),
    }
}

/// The Bus: what is published beside who listens, then who is connected and what was dropped.
fn bus(body: Rect) -> Vec<(PaneId, Rect)> {
    use PaneId::{Drops, Peers, Subscribers, Topics};
    match body.width {
        120.. if body.height >= 20 => {
            columns(body, &[&[(Topics, 3), (Drops, 2)], &[(Subscribers, 3), (Peers, 2)]])
        }
        _ if body.height >= 32 => columns(body, &[&[(Topics, 3), (Subscribers, 3), (Peers, 2), (Drops, 2)]]),
        _ => columns(body, &[&[(Topics, 1), (Subscribers, 1)]]),
    }
}

/// The Runs: the list over the whole width, so that why a run failed can be read; below it the plan beside
/// what the run tells. The messages that went and what it kept come in as there is room for them. Earlier
/// runs than those of the list come last: most are in both.
fn runs(body: Rect) -> Vec<(PaneId, Rect)> {
    use PaneId::{Artifacts, Plan, RunEvents, RunHistory, Runs, Trace};
    if body.width < 120 {
        return match body.height {
            42.. => columns(body, &[&[(Runs, 3), (Plan, 4), (RunEvents, 4), (Artifacts, 2)]]),
            _ => columns(body, &[&[(Runs, 4), (Plan, 4), (RunEvents, 3)]]),
        };
    }
    let (list, below) = split_rows(body, body.height * 3 / 10);
    let mut placed = vec![(Runs, list)];
    placed.extend(match (body.width, body.height) {
        (200.., 44..) => {
            columns(below, &[&[(Plan, 1)], &[(RunEvents, 1), (Trace, 1)], &[(Artifacts, 1), (RunHistory, 1)]])
        }
        (_, 44..) => columns(below, &[&[(Plan, 3), (Artifacts, 2)], &[(RunEvents, 1), (Trace, 1)]]),
        (_, 32..) => columns(below, &[&[(Plan, 1)], &[(RunEvents, 3), (Artifacts, 2)]]),
        _ => columns(below, &[&[(Plan, 1)], &[(RunEvents, 1)]]),
    });
    placed
}

/// The Sessions: how the one that is shown stands and who said what, beside the list; below them its log.
/// Earlier sessions come in as there is room for them.
fn sessions(body: Rect) -> Vec<(PaneId, Rect)> {
    use PaneId::{Positions, SessionHistory, SessionLog, Sessions, Statements};
    match body.width {
        120.. if body.height >= 32 => columns(
            body,
            &[&[(Sessions, 3), (SessionHistory, 2)], &[(Positions, 3), (Statements, 3), (SessionLog, 4)]],
        ),
        120.. => columns(body, &[&[(Sessions, 2), (SessionLog, 2)], &[(Positions, 2), (Statements, 2)]]),
        _ if body.height >= 42 => columns(
            body,
            &[&[(Sessions, 3), (Positions, 3), (Statements, 3), (SessionLog, 3), (SessionHistory, 2)]],
        ),
        _ if body.height >= 28 => {
            columns(body, &[&[(Sessions, 2), (Positions, 2), (Statements, 2), (SessionLog, 2)]])
        }
        _ => columns(body, &[&[(Sessions, 1), (Positions, 1), (Statements, 1)]]),
    }
}

/// The Journal: the log of everybody, then what peers broke, then the station's own log, then
/// what this console itself costs. Where only two panes have room, the log is the
/// station's own: there an adapter or a bus that says much hides nothing.
fn journal(body: Rect) -> Vec<(PaneId, Rect)> {
    use PaneId::{Log, Meter, StationLog, Violations};
    match body.width {
        120.. if body.height >= 32 => {
            columns(body, &[&[(Log, 1)], &[(Violations, 2), (StationLog, 3), (Meter, 3)]])
        }
        120.. => columns(body, &[&[(Log, 1)], &[(Violations, 2), (StationLog, 3)]]),
        _ if body.height >= 56 => columns(body, &[&[(Log, 3), (Violations, 2), (StationLog, 2), (Meter, 2)]]),
        _ if body.height >= 32 => columns(body, &[&[(Log, 2), (Violations, 1), (StationLog, 1)]]),
        _ => columns(body, &[&[(StationLog, 3), (Violations, 2)]]),
    }
}

/// Columns of equal width, each with its panes one above the other by their shares.
fn columns(body: Rect, columns: &[&[(PaneId, u16)]]) -> Vec<(PaneId, Rect)> {
    let mut placed = Vec::new();
    let mut rest = body;
    for (column, left) in columns.iter().zip((1..=columns.len()).rev()) {
        let width = rest.width / u16::try_from(left).unwrap_or(1);
        let (mut area, beside) = split_columns_at(rest, width);
        let mut shares: u16 = column.iter().map(|(_, share)| share).sum();
        for (pane, share) in *column {
            let (top, below) = split_rows(area, area.height * share / shares.max(1));
            placed.push((*pane, top));
            area = below;
            shares -= share;
        }
        rest = beside;
    }
    placed
}

fn split_rows(area: Rect, top: u16) -> (Rect, Rect) {
    let top = top.min(area.height);
    (Rect { height: top, ..area }, Rect { y: area.y + top, height: area.height - top, ..area })
}

fn split_columns_at(area: Rect, left: u16) -> (Rect, Rect) {
    (Rect { width: left, ..area }, Rect { x: area.x + left, width: area.width - left, ..area })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_fill_the_body_without_overlap_at_every_size() {
        for columns in (80..=300).step_by(10) {
            for rows in 24..=100 {
                let flags = [false, true];
                let decks = flags.into_iter().flat_map(|teaches| {
                    flags.into_iter().flat_map(move |runs| {
                        flags.map(|sessions| DeckPanes { onboarding: teaches, runs, sessions })
                    })
                });
                let others = [ViewId::Bridge, ViewId::Bus, ViewId::Runs, ViewId::Sessions, ViewId::Journal];
                for (view, deck) in decks
                    .map(|deck| (ViewId::Deck, deck))
                    .chain(others.map(|view| (view, DeckPanes::default())))
                {
                    let layout = of(columns, rows, view, None, deck);
                    if view == ViewId::Deck {
                        assert!(!deck.runs || layout.has(PaneId::Runs), "{deck:?} at {columns}x{rows}");
                        assert!(
                            !deck.sessions || layout.has(PaneId::Sessions),
                            "{deck:?} at {columns}x{rows}"
                        );
                    }
                    assert!(layout.panes.len() >= 2, "{view:?} at {columns}x{rows}");
                    let cells: u32 = layout.panes.iter().map(|(_, area)| area.area()).sum();
                    assert_eq!(cells, layout.body.area(), "{columns}x{rows}");
                    for (pane, area) in &layout.panes {
                        assert!(
                            area.height >= 5 && area.width >= 40,
                            "{pane:?} has {area:?} at {columns}x{rows}"
                        );
                        assert!(
                            layout.panes.iter().all(|(other, rect)| other == pane || !rect.intersects(*area))
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_pane_of_a_view_has_room_or_a_chip() {
        for view in ViewId::ALL {
            for (columns, rows) in [(80, 24), (80, 40), (120, 24), (160, 50), (300, 100)] {
                for zoomed in std::iter::once(None).chain(view.panes().iter().copied().map(Some)) {
                    let layout = of(columns, rows, view, zoomed, DeckPanes::default());
                    let chips = layout.chips();
                    for pane in view.panes() {
                        let has_system = matches!(pane, PaneId::Runs | PaneId::Sessions);
                        let has_chip =
                            chips.contains(&ChipId::Hidden(*pane)) || (has_system && !layout.has(*pane));
                        assert!(layout.has(*pane) != has_chip, "{pane:?} at {columns}x{rows}");
                    }
                }
            }
            let everything = of(300, 100, view, None, DeckPanes::default());
            assert!(view.panes().iter().all(|pane| everything.has(*pane)), "{view:?}");
        }
    }
}
