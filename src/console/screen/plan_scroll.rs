//! The plan of a run on a screen by itself, for `benches/plan.rs`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    console::{
        draw::theme::Depth,
        input::{pane_id::PaneId, view_id::ViewId},
        model::Model,
        screen,
        screen::frame,
        settings::{
            AppearanceSettings, appearance::Appearance, config::CommandHints, shell::Shell, view::View,
        },
        ui::{
            event::Event,
            state::{Focus, Ui},
        },
    },
    limits::Limits,
    port::Snapshot,
    time::{Mono, Now},
};

/// A screen that shows the Runs of a station, the plan of the first of them focused.
#[derive(Debug)]
pub struct PlanScroll {
    model: Model,
    ui: Ui,
    view: View,
    buffer: Buffer,
    now: Now,
}

impl PlanScroll {
    /// A screen of this size on what a station has.
    #[must_use]
    pub fn new(snapshot: Snapshot, columns: u16, rows: u16) -> Self {
        let (limits, now) = (Limits::default(), snapshot.at);
        let view = Appearance::new(AppearanceSettings::default(), Depth::True).view(
            "bench".to_owned(),
            CommandHints::default(),
            &Shell::default(),
            now,
        );
        let (mut model, mut ui) = (Model::new(&limits), Ui::new(columns, rows, false));
        model.resync(snapshot);
        ui.show(ViewId::Runs);
        ui.focus = Focus::Pane(PaneId::Plan);
        let buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        let mut scroll = Self { model, ui, view, buffer, now };
        scroll.frame(false);
        scroll
    }

    /// A key that moves by a page, and the frame that it leads to; returns the selected line.
    pub fn frame(&mut self, down: bool) -> usize {
        let key = KeyEvent::new(if down { KeyCode::PageDown } else { KeyCode::PageUp }, KeyModifiers::NONE);
        screen::update(
            &mut self.ui,
            &self.model,
            &self.view,
            Event::Key { key, at: Mono(self.now.mono.0) },
            self.now,
        );
        self.ui.reconcile_visible(&self.model);
        frame::draw(&mut self.buffer, &self.model, &self.ui, &self.view);
        self.ui.selection(PaneId::Plan).map_or(0, crate::console::records::selection::Selection::index)
    }

    /// Whether a text stands on the screen.
    #[must_use]
    pub fn shows(&self, text: &str) -> bool {
        let width = usize::from(self.buffer.area.width);
        let mut lines = self.buffer.content().chunks(width);
        lines.any(|line| line.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().contains(text))
    }
}
