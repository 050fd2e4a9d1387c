//! Where everything is, for a size of the screen. Drawing and the mouse both ask here.

use ratatui::layout::Rect;

use crate::console::{
    input::{pane_id::PaneId, view_id::ViewId},
    model::Model,
    ui::{
        state::Ui,
        system::{ChipId, System},
    },
};

/// The smallest screen that is drawn.
pub(crate) const COLUMNS_MIN: u16 = 80;
/// The smallest screen that is drawn.
pub(crate) const ROWS_MIN: u16 = 24;

/// Where the panes are in the body that have room there, in the order of the focus; some depend on the
/// occasional ones that there are.
type ArrangeFn = fn(Rect, &[PaneId]) -> Vec<(PaneId, Rect)>;

/// What a view shows, and where.
pub(crate) struct ViewSpec {
    /// Its panes, the most needed first.
    pub(crate) panes: &'static [PaneId],
    /// Those that it has only now and then, of which there is something to be shown.
    pub(crate) occasional: fn(&Ui, &Model) -> Vec<PaneId>,
    pub(crate) arrange: ArrangeFn,
    /// The height of the body from which on there is room for a look at what is selected in its one pane.
    pub(crate) glance_from: Option<u16>,
}

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

    /// The chips there are: the systems, then the panes that have no room. A pane that its system's chip
    /// tells of has none.
    pub(crate) fn chips(&self) -> Vec<ChipId> {
        let hidden =
            self.view.panes().iter().copied().filter(|pane| !self.has(*pane) && pane.pane().chip.is_some());
        System::all().iter().copied().map(ChipId::System).chain(hidden.map(ChipId::Hidden)).collect()
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

/// The layout of a screen.
pub(crate) fn of(
    columns: u16,
    rows: u16,
    view: ViewId,
    zoomed: Option<PaneId>,
    occasional: &[PaneId],
) -> Layout {
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
    let spec = view.spec();
    let panes = match zoomed {
        Some(pane) => vec![(pane, body)],
        None => (spec.arrange)(body, occasional),
    };
    let is_tall = zoomed.is_none() && spec.glance_from.is_some_and(|from| body.height >= from);
    if let (true, [(list, _)]) = (is_tall, panes.as_slice()) {
        let (top, glance) = split_rows(body, body.height * 3 / 5);
        return Layout { panes: vec![(*list, top)], glance, ..layout };
    }
    Layout { panes, ..layout }
}

/// The areas of columns of equal width, each with its panes one above the other by their shares.
pub(crate) fn columns(body: Rect, columns: &[&[(PaneId, u16)]]) -> Vec<(PaneId, Rect)> {
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

/// An area cut in two, one above the other.
pub(crate) fn split_rows(area: Rect, top: u16) -> (Rect, Rect) {
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
                        flags.map(|sessions| {
                            [(teaches, PaneId::Started), (runs, PaneId::Runs), (sessions, PaneId::Sessions)]
                                .into_iter()
                                .filter_map(|(is_there, pane)| is_there.then_some(pane))
                                .collect::<Vec<_>>()
                        })
                    })
                });
                let others = [ViewId::Bridge, ViewId::Bus, ViewId::Runs, ViewId::Sessions, ViewId::Journal];
                for (view, deck) in
                    decks.map(|deck| (ViewId::Deck, deck)).chain(others.map(|view| (view, Vec::new())))
                {
                    let layout = of(columns, rows, view, None, &deck);
                    if view == ViewId::Deck {
                        for pane in [PaneId::Runs, PaneId::Sessions] {
                            let is_asked = deck.contains(&pane);
                            assert!(!is_asked || layout.has(pane), "{deck:?} at {columns}x{rows}");
                        }
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
                    let layout = of(columns, rows, view, zoomed, &[]);
                    let chips = layout.chips();
                    for pane in view.panes() {
                        let has_system = matches!(pane, PaneId::Runs | PaneId::Sessions | PaneId::Plugins);
                        let has_chip =
                            chips.contains(&ChipId::Hidden(*pane)) || (has_system && !layout.has(*pane));
                        assert!(layout.has(*pane) != has_chip, "{pane:?} at {columns}x{rows}");
                    }
                }
            }
            let everything = of(300, 100, view, None, &[PaneId::Findings]);
            assert!(view.panes().iter().all(|pane| everything.has(*pane)), "{view:?}");
        }
    }
}
