//! Follows a recording in the place of a station: its moments are shown by its own clock, and what was folded
//! is void wherever it goes to another place.

use std::{future::Future, sync::Arc, time::Duration};

use super::{
    answer::Answer,
    app::{App, Sync},
    past_loader::PastLoader,
};
use crate::{
    console::{draw::class::Class, model::Model, settings::ReplayedMoment},
    tap::{Batch, entry::station::Level},
    time::{Mono, Now},
};

/// The shortest time between two frames that show the clock of a recording alone.
const MOVED_EVERY: Duration = Duration::from_millis(33);
/// How long nothing is painted while a place is gone to.
const UNPAINTED_MAX: Duration = Duration::from_millis(250);
/// How long it is shown why something was not done.
const REFUSED_DURATION: Duration = Duration::from_secs(5);
/// How long it is shown at first what is damaged or missing.
const NOTES_DURATION: Duration = Duration::from_secs(10);

impl App {
    /// The moment that is the present of what is shown.
    pub(crate) fn shown_now(&self) -> Now {
        self.view.replay.as_ref().map_or(self.now, |replay| replay.shown_at(self.now.mono))
    }

    /// Says what is damaged or missing in what is replayed, and takes what there is.
    pub(super) fn begin(&mut self) {
        let notes = self.replaying.as_ref().map(|replaying| replaying.replay.notes.join("; "));
        if let Some(notes) = notes.filter(|notes| !notes.is_empty()) {
            self.show_message(notes, Level::Warn, Class::Payload, NOTES_DURATION);
        }
        self.connect();
    }

    /// Notes which moment is shown, and which is the present: a recording has none of its own beside that.
    pub(super) fn show_moment(&mut self) {
        let (present, stopped_at) = (self.shown_now(), self.ui.time.instant());
        self.view.clock = stopped_at.filter(|_| self.replaying.is_some()).unwrap_or(present);
        self.view.now = stopped_at.unwrap_or_else(|| self.model.displayed_moment(present));
        self.ui.at = present;
    }

    /// Which place of a recording what is asked for is of.
    pub(crate) fn generation(&self) -> u64 {
        self.replaying.as_ref().map_or(0, |replaying| replaying.generation)
    }

    /// Waits for an answer that is void at another place.
    pub(super) fn ask(&mut self, answer: impl Future<Output = Answer> + 'static) {
        let generation = self.generation();
        self.answers.push(Box::pin(async move { Answer::Of(generation, Box::new(answer.await)) }));
    }

    /// How long until the clock of a recording that plays shows something else.
    pub(super) fn until_moved(&self) -> Option<Duration> {
        let replay = self.view.replay.as_ref().filter(|replay| !replay.is_held && !self.is_dirty)?;
        let left = Duration::from_millis(1_000 - self.shown_now().wall.0 % 1_000);
        Some(replay.speed.lasts(left).max(MOVED_EVERY))
    }

    /// Lets a message stay for so long by one's own clock: that of the recording may stand still.
    pub(super) fn keep_message(&mut self, duration: Duration) {
        let now = self.now.mono;
        let (Some(replaying), Some(message)) = (&mut self.replaying, &mut self.ui.message) else { return };
        if message.until != Mono(u64::MAX) {
            message.until = Mono(u64::MAX);
            replaying.message_until = Some(now + duration);
        }
    }

    /// Sees where the recording is.
    pub(super) fn check_replay(&mut self) {
        let now = self.now.mono;
        let Some(replaying) = &mut self.replaying else { return };
        if replaying.message_until.is_some_and(|until| until <= now) {
            replaying.message_until = None;
            self.ui.message = None;
        }
        let view = replaying.replay.view.borrow_and_update().clone();
        let is_elsewhere = view.generation != replaying.generation;
        replaying.generation = view.generation;
        let refused = view.refused.clone().filter(|(count, _)| *count > replaying.refused);
        if let Some((count, _)) = &refused {
            replaying.refused = *count;
        }
        if is_elsewhere {
            replaying.left_at = Some(now);
        }
        self.view.replay = Some(view);
        if let Some((_, why)) = refused {
            self.show_message(why.to_string(), Level::Warn, Class::Public, REFUSED_DURATION);
        }
        if is_elsewhere {
            self.begin_anew();
        }
        self.take_renewed();
        self.is_dirty = true;
    }

    /// Takes the state anew where it became another one than the entries say.
    pub(super) fn take_renewed(&mut self) {
        let Some(replaying) = self.replaying.as_mut().filter(|_| self.sync == Sync::Synced) else { return };
        let renewed = replaying.replay.view.borrow().renewed;
        if std::mem::replace(&mut replaying.renewed, renewed) != renewed {
            (self.sync, self.snapshot_requested_at) = (Sync::Needed, None);
            self.connect();
        }
    }

    /// Reads what has come. A recording says itself what was lost, and what was left out was not.
    pub(super) fn read(&mut self) -> Option<Batch> {
        let batch = self.reader.as_mut()?.read()?;
        let is_sparse = self.replaying.as_ref().is_some_and(|replaying| replaying.replay.is_sparse);
        Some(if is_sparse { batch.of_left_out() } else { batch })
    }

    /// Begins with nothing at another place. How panes are looked at stays.
    fn begin_anew(&mut self) {
        let before = std::mem::replace(&mut self.model, Model::new(&self.ui.limits));
        self.model.console_health = before.console_health;
        self.ui.forget_entries();
        self.reader = None;
        self.sync = Sync::Needed;
        (self.lost_at, self.skip_unread, self.snapshot_requested_at) = (None, false, None);
        self.past = PastLoader::default();
        self.connect();
    }

    /// How long nothing is painted, while the place that was left is void and the one that was gone to is
    /// still to come.
    pub(super) fn until_between_places_shown(&self) -> Duration {
        let left_at = self.replaying.as_ref().and_then(|replaying| replaying.left_at);
        match left_at.filter(|_| self.model.station_state.is_none()) {
            Some(left_at) => (left_at + UNPAINTED_MAX).since(self.now.mono),
            None => Duration::ZERO,
        }
    }

    /// What a subcommand asks that is run beside this console, where a recording is shown.
    pub(super) fn replayed_moment(&self) -> Option<ReplayedMoment> {
        let replay = &self.replaying.as_ref()?.replay;
        let at = self.ui.time.instant().unwrap_or_else(|| self.shown_now()).wall;
        Some(ReplayedMoment { files: Arc::clone(&replay.files), at })
    }

    /// Says how far entries are folded.
    pub(super) fn report_folded(&self) {
        if let (Some(replaying), Some(reader)) = (&self.replaying, &self.reader) {
            replaying.replay.control.folded(replaying.generation, reader.next());
        }
    }
}
