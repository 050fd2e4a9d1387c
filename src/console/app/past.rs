//! Loads what happened before this console came up: the newest entries first, then the state that was noted
//! before the oldest of them; then everything is folded from there on, some milliseconds at a time.
//!
//! ```text
//! Paging ─▶ Paging ─▶ … ─▶ Keyframe ─▶ Folding ─▶ Done
//!   └ the Wire has each page at once          └ log, violations, rates, and moments to go to
//! ```

use super::{
    answer::Answer,
    app::{App, SLICE, Sync},
    past_loader::{PastAnswer, Stage},
};
use crate::{
    console::{
        model::{PastLoading, Rebuild},
        ui::event::Event,
    },
    ids::Seq,
    port::{Keyframe, PastPage, PortError},
};

/// Entries folded between two looks at the clock.
const FOLDED_AT_ONCE: u64 = 256;
/// The share of a full buffer that may make room for new entries until folding begins.
const HEADROOM: u64 = 16;

impl App {
    /// Notes where this console begins to read: what lies before is the past.
    pub(crate) fn await_past(&mut self, first: Seq) {
        if matches!(self.past.stage, Stage::Idle) && self.model.station_state.is_none() {
            self.past.before = first;
            self.ui.time.await_past();
            self.model.set_past(PastLoading::Loading { loaded: 0, total: None });
        }
    }

    /// Begins to load it, once there is a present; another start of the station has another past.
    pub(crate) fn load_past(&mut self, is_of_another_start: bool) {
        match self.past.stage {
            Stage::Idle if !is_of_another_start => self.ask_past(),
            Stage::Done => {}
            _ if is_of_another_start => self.forgo_past("the station was restarted"),
            _ => {}
        }
    }

    /// Asks again what was not answered.
    pub(crate) fn retry_past(&mut self) {
        if matches!(self.past.stage, Stage::Again) {
            self.ask_past();
        }
    }

    /// Whether there are entries to fold.
    pub(crate) fn is_past_behind(&self) -> bool {
        match &self.past.stage {
            Stage::Folding(rebuild) => !rebuild.is_done(&self.ui.time) || self.sync == Sync::Synced,
            _ => false,
        }
    }

    fn ask_past(&mut self) {
        self.past.stage = Stage::Paging;
        let page = self.port.past(self.past.before);
        self.ask(async move { Answer::Past(PastAnswer::Page(page.await)) });
    }

    /// Takes what the station answered.
    pub(crate) fn take_past(&mut self, answer: PastAnswer) {
        match answer {
            PastAnswer::Page(page) => self.take_page(page),
            PastAnswer::Keyframe(keyframe) => self.take_keyframe(keyframe),
        }
    }

    /// Takes a page, and asks for the one before it while there is one and room for it.
    fn take_page(&mut self, page: Result<PastPage, PortError>) {
        if !matches!(self.past.stage, Stage::Paging) {
            return;
        }
        let PastPage { batches, oldest } = match page {
            Ok(page) => page,
            Err(PortError::OlderStation { name, version, .. }) => {
                return self
                    .forgo_past(&format!("{name} runs rl-console {version}, which cannot send its past"));
            }
            Err(PortError::BadRequest(why) | PortError::Forbidden { what: why, .. }) => {
                return self.forgo_past(&why);
            }
            // Whoever does not answer now is asked as long as this console runs.
            Err(_) => return self.past.stage = Stage::Again,
        };
        let before = self.past.before;
        let total = oldest.map_or(0, |oldest| before.0.saturating_sub(oldest.0)) + self.past.loaded;
        let is_last = batches.is_empty();
        let mut has_room = true;
        for batch in batches.into_iter().rev() {
            let (first, len) = (batch.get(0).map_or(before, |first| first.entry.seq), batch.len() as u64);
            has_room = self.ui.time.prepend(batch);
            if !has_room {
                break;
            }
            self.past.before = first;
            self.past.loaded += len;
        }
        let total = total.min(self.ui.limits.console.kept_entries_max);
        self.model.set_past(PastLoading::Loading { loaded: self.past.loaded, total: Some(total) });
        if has_room && !is_last && oldest.is_some_and(|oldest| oldest < self.past.before) {
            self.ask_past();
        } else if self.past.loaded == 0 {
            self.past.stage = Stage::Done;
            self.ui.time.forgo_past();
            self.model.set_past(PastLoading::Complete);
        } else {
            self.ask_keyframe(self.oldest_state(), None);
        }
        self.handle_event(Event::Data);
    }

    /// From which place on a state can be gone on from: some entries may go until it is there.
    fn oldest_state(&self) -> Seq {
        let (kept, entries_max) = (self.ui.time.entries(), self.ui.limits.console.kept_entries_max);
        let len = kept.len() as u64;
        let is_full = len + entries_max / HEADROOM > entries_max;
        let spared = if is_full { len / HEADROOM } else { 0 };
        let oldest = kept.entry(kept.first() + spared).map_or(Seq(0), |entry| entry.entry.seq);
        Seq(oldest.0.saturating_sub(1))
    }

    fn ask_keyframe(&mut self, from: Seq, rebuild: Option<Box<Rebuild>>) {
        self.past.stage = Stage::Keyframe(rebuild);
        let keyframe = self.port.keyframe(from);
        self.ask(async move { Answer::Past(PastAnswer::Keyframe(keyframe.await)) });
    }

    /// Takes a state. Without one the log, violations and rates are had all the same.
    fn take_keyframe(&mut self, keyframe: Result<Option<Keyframe>, PortError>) {
        let Stage::Keyframe(rebuild) = &mut self.past.stage else { return };
        let keyframe = keyframe.unwrap_or_default();
        let rebuild = match rebuild.take() {
            Some(mut rebuild) => {
                rebuild.give_keyframe(keyframe);
                rebuild
            }
            None => Box::new(Rebuild::new(&self.ui.limits, &self.ui.time, keyframe)),
        };
        self.past.stage = Stage::Folding(rebuild);
    }

    /// Folds for one slice of time; at the end, everything is taken over.
    pub(crate) fn fold_past(&mut self) {
        let Stage::Folding(mut rebuild) = std::mem::take(&mut self.past.stage) else { return };
        let slice = self.slice(SLICE);
        while !rebuild.is_done(&self.ui.time) && !slice.is_over() {
            rebuild.advance(&self.ui.time, FOLDED_AT_ONCE);
            if let Some(from) = rebuild.wants_keyframe(&self.ui.time) {
                return self.ask_keyframe(from, Some(rebuild));
            }
        }
        if !rebuild.is_done(&self.ui.time) || self.sync != Sync::Synced {
            self.past.stage = Stage::Folding(rebuild);
            return;
        }
        self.past.stage = Stage::Done;
        rebuild.adopt(&mut self.ui.time, &mut self.model);
        self.handle_event(Event::Data);
    }

    /// Gives up what is not to be had; what came of it can be looked at.
    fn forgo_past(&mut self, why: &str) {
        self.past.stage = Stage::Done;
        self.ui.time.forgo_past();
        self.model.set_past(PastLoading::Missing(why.into()));
        self.handle_event(Event::Data);
    }
}
