//! Paints what there is, at the pace of the terminal.

use std::time::Duration;

use super::app::App;
use crate::{
    console::{
        draw::class::Class, model::station::ConsoleHealth, screen::frame, ui::layout, workbench::Workbench,
    },
    tap,
    tap::entry::station::Level,
};

/// So long what was typed waits for the verdict on it, to be painted with it: less than anyone notices.
const VERDICT_WAIT_MAX: Duration = Duration::from_millis(12);

impl App {
    /// Tells questions when they came onto the screen.
    pub(super) fn note_painted_frames(&mut self) {
        for (frame, at) in self.mailbox.take_write_starts() {
            for overlay in &mut self.ui.overlays {
                overlay.on_presented(frame, at);
            }
        }
    }

    /// Paints what was typed: at once, or with the verdict on it that is about to come.
    pub(super) fn paint_typed(&mut self) {
        if self.awaits_verdict() {
            let latest = self.now.mono + VERDICT_WAIT_MAX;
            self.paint_by = Some(self.paint_by.map_or(latest, |at| at.min(latest)));
        } else {
            self.paint();
        }
    }

    /// Paints what answers a key, and what waited for an answer that does not come any more.
    pub(super) fn paint_answered(&mut self) {
        if self.ui.is_answered || (self.paint_by.is_some() && !self.awaits_verdict()) {
            self.paint();
        }
    }

    fn awaits_verdict(&self) -> bool {
        self.ui.layer::<Workbench>().is_some_and(Workbench::awaits_verdict)
    }

    /// Paints, if the mailbox takes a frame; otherwise it is done when it does.
    pub(super) fn paint(&mut self) {
        if !self.is_dirty || !self.mailbox.is_free() {
            return;
        }
        if !self.until_between_places_shown().is_zero() {
            return;
        }
        (self.ui.is_answered, self.paint_by) = (false, None);
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
        self.show_moment();
        let (frames_per_s, behind) =
            (self.frame_scheduler.reduced_rate(), self.reader.as_ref().map_or(0, tap::Reader::lag));
        if behind == 0 {
            self.frame_scheduler.caught_up();
        }
        self.model.console_health = ConsoleHealth { frames_per_s, lag: behind, ..self.model.console_health };
        self.ui.time.refresh_live_parts(&self.model);
        self.ui.reconcile_visible(&self.model);
        frame::draw(self.painter.canvas(), &self.model, &self.ui, &self.view);
        let frame = self.painter.frame();
        let bytes = frame.as_ref().map_or(0, Vec::len);
        self.frame_scheduler.painted(begun, self.clock.mono(), bytes);
        // Until it says that it is well again, nobody knows.
        self.is_dirty = self.is_behind || self.frame_scheduler.reduced_rate() != frames_per_s;
        let Ok(number) = frame.map(|frame| self.mailbox.put(frame)).transpose() else { return };
        if number.is_some() {
            self.self_metrics.frame(begun, self.clock.mono(), bytes);
        }
        if layout::too_small(self.ui.columns, self.ui.rows) {
            return;
        }
        for overlay in &mut self.ui.overlays {
            overlay.on_drawn(number.unwrap_or_default());
            if number.is_none() {
                // It is on the screen already: what looks like what was there before waits for no frame.
                overlay.on_presented(0, self.now.mono);
            }
        }
    }
}
