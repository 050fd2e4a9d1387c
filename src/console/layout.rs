//! Where everything is, for a size of the screen. Drawing and the mouse both ask here.

use ratatui::layout::Rect;

use super::ui::{ChipId, PaneId};

/// The smallest screen that is drawn.
pub(crate) const COLUMNS_MIN: u16 = 80;
/// The smallest screen that is drawn.
pub(crate) const ROWS_MIN: u16 = 24;

/// Where everything is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) header: Rect,
    pub(crate) chips: Rect,
    pub(crate) body: Rect,
    /// The last line of the body, while there is a message.
    pub(crate) message: Rect,
    pub(crate) footer: Rect,
    /// The panes that have room, in the order of the focus.
    pub(crate) panes: Vec<(PaneId, Rect)>,
}

impl Layout {
    /// Whether a pane has room.
    pub(crate) fn has(&self, pane: PaneId) -> bool {
        self.panes.iter().any(|(known, _)| *known == pane)
    }

    /// The chips there are: the systems, then the panes that have no room.
    pub(crate) fn chips(&self) -> Vec<ChipId> {
        let mut chips = vec![ChipId::Mpp, ChipId::Store];
        let hidden = [PaneId::Queues, PaneId::InFlight, PaneId::Recent, PaneId::Log].into_iter().filter(|pane| !self.has(*pane));
        chips.extend(hidden.map(ChipId::Hidden));
        chips
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
pub(crate) fn of(columns: u16, rows: u16, zoomed: Option<PaneId>, teaches: bool) -> Layout {
    let body = Rect::new(0, 2, columns, rows.saturating_sub(3));
    let layout = Layout {
        header: Rect::new(0, 0, columns, 1),
        chips: Rect::new(0, 1, columns, 1),
        body,
        message: Rect::new(0, body.bottom().saturating_sub(1), columns, 1),
        footer: Rect::new(0, rows.saturating_sub(1), columns, 1),
        panes: Vec::new(),
    };
    let panes = match zoomed {
        Some(pane) => vec![(pane, body)],
        None => deck(body, teaches),
    };
    Layout { panes, ..layout }
}

fn deck(body: Rect, teaches: bool) -> Vec<(PaneId, Rect)> {
    let is_wide = body.width >= 120;
    let is_tall = body.height >= 32;
    let third = if teaches { PaneId::Started } else { PaneId::Recent };
    let second = if teaches { PaneId::Started } else { PaneId::InFlight };
    match (is_wide, is_tall) {
        (true, true) => {
            let (top, bottom) = split_rows(body, body.height / 2);
            let (queues, in_flight) = split_columns(top);
            let (left, right) = split_columns(bottom);
            vec![(PaneId::Queues, queues), (PaneId::InFlight, in_flight), (third, left), (PaneId::Log, right)]
        }
        (true, false) => {
            let (left, right) = split_columns(body);
            vec![(PaneId::Queues, left), (second, right)]
        }
        (false, true) => {
            let (top, bottom) = split_rows(body, body.height / 2);
            let (queues, in_flight) = split_rows(top, top.height / 2);
            let least = if teaches { 18.min(bottom.height - 5) } else { bottom.height / 2 };
            let (upper, lower) = split_rows(bottom, least);
            vec![(PaneId::Queues, queues), (PaneId::InFlight, in_flight), (third, upper), (PaneId::Log, lower)]
        }
        (false, false) => {
            let share = if teaches { body.height.saturating_sub(15).max(5) } else { body.height * 2 / 5 };
            let (top, bottom) = split_rows(body, share);
            vec![(PaneId::Queues, top), (second, bottom)]
        }
    }
}

fn split_rows(area: Rect, top: u16) -> (Rect, Rect) {
    let top = top.min(area.height);
    (Rect { height: top, ..area }, Rect { y: area.y + top, height: area.height - top, ..area })
}

fn split_columns(area: Rect) -> (Rect, Rect) {
    let left = area.width / 2;
    (Rect { width: left, ..area }, Rect { x: area.x + left, width: area.width - left, ..area })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_fill_the_body_without_overlap_at_every_size() {
        for columns in (80..=300).step_by(10) {
            for rows in 24..=100 {
                for teaches in [false, true] {
                    let layout = of(columns, rows, None, teaches);
                    let cells: u32 = layout.panes.iter().map(|(_, area)| area.area()).sum();
                    assert_eq!(cells, layout.body.area(), "{columns}x{rows}");
                    for (pane, area) in &layout.panes {
                        assert!(area.height >= 5 && area.width >= 40, "{pane:?} has {area:?} at {columns}x{rows}");
                        assert!(layout.panes.iter().all(|(other, rect)| other == pane || !rect.intersects(*area)));
                    }
                }
            }
        }
    }
}
