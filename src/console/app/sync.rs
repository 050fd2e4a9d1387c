//! Keeping up with the station: a snapshot, the entries behind it, and a new snapshot when some were lost.

use std::time::Duration;

use super::{
    answer::Answer,
    app::{App, SLICE, Sync},
};
use crate::{
    console::{
        draw::class::Class,
        model::{Model, bridge::HISTORY_ROWS},
        settings::Exit,
        ui::event::Event,
    },
    dissect::EntryRecord,
    port::{Page, PortError, Query, Snapshot},
    tap::{
        Batch, EntryRef,
        entry::{Transition, What, station},
    },
    time::{Mono, Now},
};

/// The least time between two snapshots: a console that falls behind again and again leaves the station its
/// time.
const RESYNC_INTERVAL: Duration = Duration::from_millis(250);
/// A loss so soon after the last one: what still lies unread would be lost too before it could be read.
const REPEATED_LOSS_WITHIN: Duration = Duration::from_secs(1);
/// How long it stands on the screen that this console's session ended and there is another, or another start
/// of the station.
const CUT_OFF_MESSAGE_DURATION: Duration = Duration::from_secs(10);

/// Whether it tells that an attached station was started again.
fn is_new_start(entry: EntryRef<'_>) -> bool {
    matches!(entry.entry.what, What::Transition(Transition::Station(station::Transition::Restarted)))
}

/// Judges messages of MPLP that wait for it, one at least, until the time is up. Whether there were some.
fn judge_until(model: &mut Model, is_over: impl Fn() -> bool) -> bool {
    let mut has_judged = false;
    while model.judge_next() {
        has_judged = true;
        if is_over() {
            break;
        }
    }
    has_judged
}

impl App {
    /// Takes in what has come, so that the frame which is due has it, or paints that frame: what is typed
    /// between the two is taken in first. What answers a key is painted before data is looked at.
    pub(super) fn fold_or_paint(&mut self) {
        if self.ui.is_answered || std::mem::take(&mut self.frame_scheduler.is_folded) {
            self.paint();
        } else {
            self.fold();
            self.frame_scheduler.is_folded = true;
        }
    }

    /// How long until data may be painted; what answers a key does not wait.
    pub(super) fn until_paint(&self) -> Duration {
        let due = match self.paint_by {
            _ if self.ui.is_answered => Mono(0),
            Some(at) => at,
            None => self.frame_scheduler.next_paint(self.ui.time.is_stopped()),
        };
        due.since(self.now.mono).max(self.until_between_places_shown())
    }

    /// Sees whether the station is reached.
    pub(crate) fn check_attachment(&mut self) {
        let before = self.model.attachment.clone();
        if self.model.set_attachment(self.port.attachment(), self.shown_now()) {
            if let Some((level, words)) = self.model.displaced_notice(before.as_ref()) {
                self.show_message(words, level, Class::Public, CUT_OFF_MESSAGE_DURATION);
            }
            self.anchor();
            self.is_dirty = true;
        }
    }

    /// How long until a snapshot may be asked for again.
    pub(crate) fn until_resync(&self) -> Duration {
        self.snapshot_requested_at.map_or(Duration::ZERO, |at| (at + RESYNC_INTERVAL).since(self.now.mono))
    }

    /// Takes a reader, then a snapshot.
    pub(crate) fn connect(&mut self) {
        if self.sync != Sync::Needed || !self.until_resync().is_zero() {
            return;
        }
        self.snapshot_requested_at = Some(self.now.mono);
        if std::mem::take(&mut self.skip_unread)
            && let Some(skipped) = self.reader.take()
        {
            self.model.record_loss(skipped.lag(), self.shown_now());
            self.ui.time.skip(skipped.lag());
        }
        if self.reader.is_none() {
            match self.port.entries() {
                Ok(reader) => {
                    self.await_past(reader.next());
                    self.reader = Some(reader);
                    self.report_folded();
                }
                Err(error) => self.show_error(&error),
            }
        }
        if self.reader.is_some() {
            self.sync = Sync::Requested;
            let snapshot = self.port.snapshot();
            self.ask(async move { Answer::Snapshot(snapshot.await.map(Box::new)) });
        }
    }

    /// Starts again from a snapshot. With the first one comes what ended before the console came up.
    pub(crate) fn apply_snapshot(&mut self, snapshot: Snapshot) {
        let is_of_another_start = self.model.is_of_another_start(&snapshot);
        let is_first = self.model.station_state.is_none() || is_of_another_start;
        self.model.resync(snapshot);
        self.sync = Sync::Synced;
        self.anchor();
        self.is_behind = true;
        self.load_past(is_of_another_start);
        self.ask_intercepted();
        self.take_renewed();
        // What a recording knows of them comes with its past.
        if is_first && self.replaying.is_none() {
            let query = Query::Invocations {
                state: None,
                queue: None,
                beyond: None,
                oldest_first: false,
                other_manifest: false,
                filter: None,
                limit: HISTORY_ROWS,
            };
            let page = self.port.query(query);
            self.ask(async move { Answer::History(page.await) });
        }
    }

    /// Asks for the frames that the gate holds: what was stopped before this console read is in no entry of
    /// its own.
    fn ask_intercepted(&mut self) {
        let page = self.port.query(Query::Intercepted);
        self.ask(async move { Answer::Intercepted(page.await) });
    }

    /// Takes them. An older station holds none.
    pub(crate) fn take_intercepted(&mut self, page: Result<Page, PortError>) -> Option<Exit> {
        let rows = match page {
            Ok(Page::Intercepted(rows)) => rows,
            _ => Vec::new(),
        };
        self.model.set_intercepted(rows);
        self.anchor();
        self.handle_event(Event::Data)
    }

    /// What is no entry has moved the model.
    pub(crate) fn anchor(&mut self) {
        self.ui.time.anchor(&self.model, self.sync != Sync::Synced);
    }

    /// Folds what has come, for one slice of time at most.
    pub(crate) fn fold(&mut self) {
        self.is_behind = false;
        if self.sync != Sync::Synced {
            return;
        }
        let (begun, shown) = (self.clock.mono(), self.shown_now());
        let (half, slice) = (self.slice(SLICE / 2), self.slice(SLICE));
        let now = self.now.mono;
        let Some(reader) = &self.reader else { return };
        self.folded_at = now;
        let (waited, mut folded, mut has_read, mut is_routine) = (reader.lag(), 0, false, true);
        // What was noted in earlier slices comes first, and leaves half of this one to what came since.
        let mut has_judged = judge_until(&mut self.model, || half.is_over());
        loop {
            let Some(batch) = self.read() else {
                self.frame_scheduler.caught_up();
                break;
            };
            folded += batch.len() as u64;
            has_read = true;
            is_routine &= batch.lost == 0;
            if batch.lost > 0 {
                self.lose(&batch, shown);
            }
            let resyncing = self.sync != Sync::Synced;
            for entry in batch.iter() {
                is_routine = is_routine && EntryRecord(entry).is_routine();
                self.model.fold(entry, resyncing || self.model.is_void());
            }
            self.ui.time.push(batch, &self.model);
            if self.model.is_void() {
                self.sync = Sync::Needed;
                break;
            }
            if resyncing {
                break;
            }
            if slice.is_over() {
                self.is_behind = true;
                break;
            }
        }
        if !self.model.is_void() {
            has_judged |= judge_until(&mut self.model, || slice.is_over());
            self.is_behind |= self.model.findings.is_pending();
        }
        self.report_folded();
        if has_read || has_judged {
            self.self_metrics.fold(begun, self.clock.mono(), folded, waited);
        }
        if self.sync == Sync::Needed {
            self.connect();
        }
        if has_read || has_judged {
            self.show_folded(is_routine && !has_judged);
        }
    }

    /// Notes what was lost before a batch: a snapshot mends it.
    fn lose(&mut self, batch: &Batch, shown: Now) {
        // A replay waits for this console: what is lost in it was lost before.
        let is_live = self.replaying.is_none();
        // What a new start of the station said before it was attached, no console fell behind of.
        if is_live && !batch.iter().next().is_some_and(is_new_start) {
            self.model.record_loss(batch.lost, shown);
        }
        self.ui.time.anchor(&self.model, true);
        let now = self.now.mono;
        self.skip_unread = is_live && self.lost_at.is_some_and(|at| now.since(at) < REPEATED_LOSS_WITHIN);
        self.lost_at = Some(now);
        self.sync = Sync::Needed;
    }

    /// Shows what was folded. What is told every second whatever happens is shown with the next second; of a
    /// recording, seconds are shorter.
    fn show_folded(&mut self, is_routine: bool) {
        let was_dirty = self.is_dirty;
        self.handle_event(Event::Data);
        let is_live = self.sync == Sync::Synced && self.replaying.is_none();
        self.is_dirty = was_dirty || self.ui.is_answered || !(is_routine && is_live);
    }
}
