//! Paints what there is, at the pace of the terminal.

use std::time::Duration;

use super::app::App;
use crate::{
    console::{draw::class::Class, model::station::ConsoleHealth, screen::frame, ui::layout},
    tap,
    tap::entry::station::Level,
};

impl App {
    /// Tells questions when they came onto the screen.
    pub(super) fn note_painted_frames(&mut self) {
        for (frame, at) in self.mailbox.take_write_starts() {
            for overlay in &mut self.ui.overlays {
                overlay.on_presented(frame, at);
            }
        }
    }

    /// Paints, if the mailbox takes a frame; otherwise it is done when it does.
    pub(super) fn paint(&mut self) {
        if !self.is_dirty || !self.mailbox.is_free() {
            return;
        }
        if self.is_between_places() {
            return;
        }
        self.ui.is_answered = false;
        self.note_painted_frames();
        self.check_attachment();
        if self.appearance.cycle_theme(&mut self.view, self.ui.theme_steps) {
            self.show_message(
                format!("theme: {}", self.view.theme.name()),
                Level::Info,
                Class::Public,
                Duration::from_secs(5),
            );
        }
        let begun = self.clock.mono();
        self.view.clock = self.shown_now();
        self.view.now =
            self.ui.time.instant().unwrap_or_else(|| self.model.displayed_moment(self.view.clock));
        let (frames_per_s, behind) =
            (self.frame_scheduler.reduced_rate(), self.reader.as_ref().map_or(0, tap::Reader::lag));
        if behind == 0 {
            self.frame_scheduler.caught_up();
        }
        self.model.console_health = ConsoleHealth { frames_per_s, lag: behind, ..self.model.console_health };
        self.ui.at = self.view.clock;
        self.ui.time.refresh_live_parts(&self.model);
        self.ui.reconcile_visible(&self.model);
        frame::draw(self.painter.canvas(), &self.model, &self.ui, &self.view);
        let frame = self.painter.frame();
        let bytes = frame.as_ref().map_or(0, Vec::len);
        self.frame_scheduler.painted(begun, self.clock.mono(), bytes);
        // Until it says that it is well again, nobody knows.
        self.is_dirty = self.is_behind || self.frame_scheduler.reduced_rate() != frames_per_s;
        let Some(frame) = frame else { return };
        let Ok(number) = self.mailbox.put(frame) else { return };
        self.self_metrics.frame(begun, self.clock.mono(), bytes);
        if layout::too_small(self.ui.columns, self.ui.rows) {
            return;
        }
        for overlay in &mut self.ui.overlays {
            overlay.on_drawn(number);
        }
    }
}
