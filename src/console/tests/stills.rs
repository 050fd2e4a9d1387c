//! A screen that is fed with what another station said, drawn at one moment.

use ratatui::{buffer::Buffer, layout::Rect};

use super::test_console::TestConsole;
use crate::{
    console::{draw::svg, screen::frame},
    port::{AsOf, Snapshot},
    tap::Draft,
    time::Now,
};

impl TestConsole {
    /// Begins with a snapshot of another station, whose entries it [takes](Self::take) then.
    pub(crate) fn begin(&mut self, snapshot: Snapshot) {
        self.model.resync(Snapshot { as_of: AsOf::default(), ..snapshot });
        self.ui.time.anchor(&self.model, false);
    }

    /// Takes an entry of another station, under a number of its own.
    pub(crate) fn take(&mut self, draft: Draft<'_>) {
        self.tap.emit(draft);
        self.fold();
    }

    /// The screen at a moment of another station: the picture, and its text.
    pub(crate) fn still(&mut self, at: Now) -> [String; 2] {
        (self.view.now, self.view.clock, self.ui.at) = (at, at, at);
        self.ui.time.refresh_live_parts(&self.model);
        self.ui.reconcile_visible(&self.model);
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.ui.columns, self.ui.rows));
        frame::draw(&mut buffer, &self.model, &self.ui, &self.view);
        [svg::svg(&buffer), svg::text(&buffer)]
    }
}
