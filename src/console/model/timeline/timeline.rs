//! The checkpoints, and the cursor.

use std::{ops::Range, sync::Arc, time::Duration};

use super::{
    checkpoints::{CHECKPOINTS, Checkpoint, Checkpoints, spacing},
    density::Density,
};
use crate::{
    console::model::{Model, entry_buffer::EntryBuffer},
    ids::Seq,
    limits,
    port::BarPart,
    tap::{Batch, EntryRef},
    time::{Mono, Now, Wall},
};

/// The moment that is shown while time is stopped.
#[derive(Debug)]
struct PausedView {
    /// The index of the first entry that is not in it.
    next: u64,
    at: Now,
    model: Arc<Model>,
    resyncing: bool,
}

/// Where a step led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepOutcome {
    /// To another moment. So many entries that were never read lie between, and so many that are not kept any
    /// more.
    Moved { lost: u64, gone: u64 },
    /// Nowhere: it is the oldest moment that is kept.
    AtFirst,
    /// Nowhere: nothing has come since.
    AtLast,
}

/// The kept entries, and the moment that is shown.
#[derive(Debug)]
pub(crate) struct Timeline {
    entries: EntryBuffer,
    checkpoints: Checkpoints,
    /// What was kept since the last checkpoint, in bytes.
    bytes_since: usize,
    spacing: u64,
    spacing_bytes: usize,
    /// Entries were lost, and the snapshot that mends it has not come.
    resyncing: bool,
    /// The model has a state that copies can be made of.
    has_begun: bool,
    paused: Option<PausedView>,
    /// What happened when, while time is stopped.
    density: Option<Density>,
    /// Entries from before the first checkpoint are on their way.
    is_loading: bool,
    /// The index of the first checkpoint of those entries: what lies before it can be looked at, and not gone
    /// to.
    reach: Option<u64>,
}

impl Timeline {
    /// Nothing to look back at yet.
    pub(crate) fn new(limits: &limits::Console) -> Self {
        let bytes = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        Self {
            entries: EntryBuffer::new(limits),
            checkpoints: Checkpoints::new(limits),
            bytes_since: 0,
            spacing: spacing(limits),
            spacing_bytes: bytes(limits.kept_bytes_max / CHECKPOINTS),
            resyncing: false,
            has_begun: false,
            paused: None,
            density: None,
            is_loading: false,
            reach: None,
        }
    }

    /// Takes a batch that the live model has taken in.
    pub(crate) fn push(&mut self, batch: Batch, live: &Model) {
        self.bytes_since = self.bytes_since.saturating_add(batch.memory_bytes());
        self.entries.push(batch);
        self.align();
        let last = self.checkpoints.last();
        let is_due = last.is_none_or(|last| self.entries.end() - last >= self.spacing)
            || self.bytes_since >= self.spacing_bytes;
        if is_due && self.has_begun && !self.resyncing {
            self.check(live, false);
        }
    }

    /// Notes that entries were lost of which no batch tells.
    pub(crate) fn skip(&mut self, count: u64) {
        self.entries.record_loss(count);
    }

    /// The live model was moved by what is no entry. Between a loss and its snapshot, `resyncing` holds.
    pub(crate) fn anchor(&mut self, live: &Model, resyncing: bool) {
        self.resyncing = resyncing;
        self.has_begun = true;
        self.check(live, true);
    }

    fn check(&mut self, live: &Model, is_anchor: bool) {
        let index = self.entries.end();
        self.entries.close();
        self.bytes_since = 0;
        self.checkpoints.push(Checkpoint::new(index, live, self.resyncing, is_anchor));
        self.align();
    }

    /// Brings what is kept and the checkpoints together: entries before the first checkpoint could not be
    /// gone to.
    fn align(&mut self) {
        let Some(oldest) = self.checkpoints.trim(self.entries.first()) else { return };
        if !self.is_loading && self.reach != Some(oldest) {
            self.entries.evict_before(oldest);
        }
    }

    /// Entries from before the first that comes will be loaded.
    pub(crate) fn await_past(&mut self) {
        self.entries.await_past();
        self.is_loading = true;
    }

    /// Takes a batch from before all that is kept; whether there was room for it.
    pub(crate) fn prepend(&mut self, batch: Batch) -> bool {
        self.entries.prepend(batch)
    }

    /// No more of the past will be loaded, and none of it can be gone to.
    pub(crate) fn forgo_past(&mut self) {
        self.is_loading = false;
        self.reach = self.checkpoints.first();
    }

    /// Takes the states of the past, which were rebuilt up to the last entry, into what can be gone to, and
    /// what happened in it into the live model.
    pub(super) fn adopt(&mut self, rebuilt: Model, checkpoints: Checkpoints, live: &mut Model) {
        let since = self.entries.entry(self.entries.first()).map(|oldest| oldest.entry.at);
        live.adopt_past(rebuilt, since);
        self.checkpoints = checkpoints;
        self.check(live, true);
        self.is_loading = false;
        self.reach = self.checkpoints.first();
        // What is shown gets its past too.
        if let Some(shown) = self.paused.take() {
            let is_rebuilt =
                shown.next.checked_sub(1).is_some_and(|index| self.show_index(index, shown.at, live));
            if !is_rebuilt {
                self.paused = Some(shown);
                self.refresh_live_parts(live);
            }
        }
    }

    /// The first state at an index or behind it that no entry led to, with its index.
    pub(super) fn anchor_from(&self, index: u64) -> Option<&Checkpoint> {
        self.checkpoints.iter().find(|checkpoint| checkpoint.is_anchor && checkpoint.index >= index)
    }

    /// The entries that are kept.
    pub(crate) const fn entries(&self) -> &EntryBuffer {
        &self.entries
    }

    /// What the checkpoints hold, in bytes.
    pub(crate) fn checkpoint_bytes(&self) -> usize {
        self.checkpoints.bytes()
    }

    /// The state that is shown while time is stopped.
    pub(crate) fn visible_model(&self) -> Option<Arc<Model>> {
        self.paused.as_ref().map(|stopped| Arc::clone(&stopped.model))
    }

    /// The moment that is shown while time is stopped.
    pub(crate) fn instant(&self) -> Option<Now> {
        self.paused.as_ref().map(|stopped| stopped.at)
    }

    /// Whether time is stopped.
    pub(crate) const fn is_stopped(&self) -> bool {
        self.paused.is_some()
    }

    /// Entries that came and are not shown.
    pub(crate) fn unseen_count(&self) -> u64 {
        self.paused.as_ref().map_or(0, |stopped| self.entries.end().saturating_sub(stopped.next))
    }

    /// The last entry that is shown, while it is kept: live, the last that came.
    pub(crate) fn current(&self) -> Option<Seq> {
        Some(self.current_entry()?.entry.seq)
    }

    /// The last entry that is shown.
    pub(crate) fn current_entry(&self) -> Option<EntryRef<'_>> {
        self.entries.entry(self.visible_end().checked_sub(1)?)
    }

    /// The last entry that is shown while time is stopped. Where it is kept no longer, the one before the
    /// oldest that is: all are later.
    pub(crate) fn visible_until(&self) -> Option<Seq> {
        let stopped = self.paused.as_ref()?;
        let shown = stopped.next.checked_sub(1).and_then(|index| self.entries.entry(index));
        let before_all = || Seq(self.entries.first_seq().map_or(0, |first| first.0.saturating_sub(1)));
        Some(shown.map_or_else(before_all, |found| found.entry.seq))
    }

    /// The index behind the last entry that is shown: live, that behind the last that came.
    pub(crate) fn visible_end(&self) -> u64 {
        self.paused.as_ref().map_or(self.entries.end(), |stopped| stopped.next)
    }

    /// Counts so many entries at most of those that the time bar shows; whether there are more.
    pub(crate) fn advance_bar(&mut self, entries: u64) -> bool {
        if self.paused.is_some() {
            let end = self.entries.end();
            self.density.get_or_insert_with(|| Density::new(end)).advance(&self.entries, entries);
        }
        self.is_bar_behind()
    }

    /// Whether time is stopped and the time bar does not show all that is kept.
    pub(crate) fn is_bar_behind(&self) -> bool {
        self.paused.is_some() && self.density.as_ref().is_none_or(|density| density.is_behind(&self.entries))
    }

    /// The moments of the oldest and the newest entry that are kept.
    pub(crate) fn span(&self) -> Option<(Now, Now)> {
        let at = |index| self.entries.entry(index).map(|found| found.entry.at);
        Some((at(self.entries.first())?, at(self.entries.end().checked_sub(1)?)?))
    }

    /// What happened in so many parts of the time between two moments, as far as it is counted.
    pub(crate) fn bar(&self, span: (Mono, Mono), columns: usize) -> Vec<BarPart> {
        self.density.as_ref().map_or_else(Vec::new, |density| density.columns(span, columns))
    }

    /// Holds what is shown now.
    pub(crate) fn stop(&mut self, live: &Model, now: Now) {
        if self.paused.is_none() {
            let mut model = live.clone();
            model.judge_all();
            let (model, next) = (Arc::new(model), self.entries.end());
            self.paused = Some(PausedView { next, at: now, model, resyncing: self.resyncing });
            self.refresh_live_parts(live);
        }
    }

    /// Shows the present again.
    pub(crate) fn go_live(&mut self) {
        (self.paused, self.density) = (None, None);
    }

    /// Goes to the moment of an entry, stopping time; whether it is kept.
    pub(crate) fn seek(&mut self, seq: Seq, live: &Model) -> bool {
        let Some((index, at)) =
            self.entries.index_of(seq).and_then(|index| Some((index, self.entries.entry(index)?.entry.at)))
        else {
            return false;
        };
        self.show_index(index, at, live)
    }

    /// One entry on or back. While live, time stops first.
    pub(crate) fn step(&mut self, forward: bool, live: &Model, now: Now) -> StepOutcome {
        self.stop(live, now);
        let next = self.visible_end();
        let first = self.entries.first();
        // The entry that is to be the last shown.
        let wanted = match (forward, next.checked_sub(2)) {
            (true, _) if next >= self.entries.end() => return StepOutcome::AtLast,
            (true, _) => next.max(first),
            (false, Some(before)) if before >= first => before,
            (false, _) => return StepOutcome::AtFirst,
        };
        let Some(at) = self.entries.entry(wanted).map(|found| found.entry.at) else {
            return StepOutcome::AtFirst;
        };
        self.step_to(next, wanted, at, live)
    }

    /// So much time on or back, to the last entry until then. While live, time stops first.
    pub(crate) fn step_by(&mut self, by: Duration, forward: bool, live: &Model, now: Now) -> StepOutcome {
        self.stop(live, now);
        let Some(from) = self.instant() else { return StepOutcome::AtLast };
        if forward {
            if from.mono.since(Mono(0)) + by > now.mono.since(Mono(0)) {
                return StepOutcome::AtLast;
            }
            return self.step_on_to(from.after(by), live);
        }
        self.step_back_to(from.before(by), live)
    }

    /// To a moment, at the last entry until then. While live, time stops first.
    pub(crate) fn step_to_moment(&mut self, wall: Wall, live: &Model, now: Now) -> StepOutcome {
        let Some(ago) = now.wall.0.checked_sub(wall.0) else { return StepOutcome::AtLast };
        self.step_to_instant(now.before(Duration::from_millis(ago)), live, now)
    }

    /// To a moment of the monotonic clock, at the last entry until then. While live, time stops first.
    pub(crate) fn step_to_mono(&mut self, at: Mono, live: &Model, now: Now) -> StepOutcome {
        if at > now.mono {
            return StepOutcome::AtLast;
        }
        self.step_to_instant(now.before(now.mono.since(at)), live, now)
    }

    fn step_to_instant(&mut self, at: Now, live: &Model, now: Now) -> StepOutcome {
        self.stop(live, now);
        if self.instant().is_some_and(|from| from.mono <= at.mono) {
            self.step_on_to(at, live)
        } else {
            self.step_back_to(at, live)
        }
    }

    fn step_on_to(&mut self, at: Now, live: &Model) -> StepOutcome {
        let next = self.visible_end();
        // Time can pass without an entry.
        let wanted = self.entries.last_until(at.mono).map_or(next, |index| index.max(next.saturating_sub(1)));
        if wanted < next || wanted >= self.entries.end() {
            self.set_at(at);
            return StepOutcome::Moved { lost: 0, gone: 0 };
        }
        self.step_to(next, wanted, at, live)
    }

    fn step_back_to(&mut self, at: Now, live: &Model) -> StepOutcome {
        let next = self.visible_end();
        match self.entries.last_until(at.mono) {
            // What is shown may be evicted by now, and all that is kept later.
            Some(wanted) if wanted < next => self.step_to(next, wanted, at, live),
            _ => StepOutcome::AtFirst,
        }
    }

    /// To the next entry on or back that is wanted. While live, time stops first; where none is wanted it
    /// stays as it is.
    pub(crate) fn step_to_wanted(
        &mut self,
        forward: bool,
        live: &Model,
        now: Now,
        wanted: impl Fn(EntryRef<'_>) -> bool,
    ) -> StepOutcome {
        let next = self.visible_end();
        let found = if forward {
            self.entries.range(next..self.entries.end()).find(|(_, entry)| wanted(*entry))
        } else {
            let before = next.saturating_sub(1);
            self.entries.range(self.entries.first()..before).rev().find(|(_, entry)| wanted(*entry))
        };
        let Some((index, at)) = found.map(|(index, entry)| (index, entry.entry.at)) else {
            return if forward { StepOutcome::AtLast } else { StepOutcome::AtFirst };
        };
        self.stop(live, now);
        self.step_to(next, index, at, live)
    }

    fn set_at(&mut self, at: Now) {
        if let Some(stopped) = &mut self.paused {
            stopped.at = at;
            if let Some(past) = &mut Arc::make_mut(&mut stopped.model).frozen {
                past.at = at;
            }
        }
    }

    fn step_to(&mut self, next: u64, wanted: u64, at: Now, live: &Model) -> StepOutcome {
        let passed: Range<u64> = if wanted < next { wanted + 1..next } else { next..wanted + 1 };
        let lost = self.entries.lost_within(passed.clone());
        let gone = self.entries.first().min(passed.end).saturating_sub(passed.start);
        if self.show_index(wanted, at, live) {
            StepOutcome::Moved { lost, gone }
        } else {
            StepOutcome::AtFirst
        }
    }

    /// Shows the state behind the entry of an index; whether that could be rebuilt.
    fn show_index(&mut self, index: u64, at: Now, live: &Model) -> bool {
        let Some(checkpoint) = self.checkpoints.before(index) else { return false };
        let near = self.paused.take_if(|stopped| {
            stopped.next <= index + 1
                && stopped.next > checkpoint.index
                && stopped.next >= self.entries.first()
        });
        let (mut model, from, resyncing) = match near {
            Some(PausedView { next, model, resyncing, .. }) => (model, next, resyncing),
            None => (Arc::new(checkpoint.model.clone()), checkpoint.index, checkpoint.resyncing),
        };
        let state = Arc::make_mut(&mut model);
        for (_, entry) in self.entries.range(from..index + 1) {
            let is_void = resyncing || state.is_void();
            state.fold(entry, is_void);
            state.judge_all();
        }
        // What the copy waited for when it was made.
        state.judge_all();
        self.paused = Some(PausedView { next: index + 1, at, model, resyncing });
        self.refresh_live_parts(live);
        true
    }

    /// Brings what is always of the present up to date in what is shown: alerts and the console's own
    /// figures.
    pub(crate) fn refresh_live_parts(&mut self, live: &Model) {
        if let Some(stopped) = &mut self.paused {
            Arc::make_mut(&mut stopped.model).copy_live_state(live, stopped.at);
        }
    }

    /// The state behind an entry, as a step would show it.
    #[cfg(test)]
    pub(in crate::console) fn state_at(&mut self, index: u64, live: &Model) -> Option<Arc<Model>> {
        let at = self.entries.entry(index)?.entry.at;
        self.show_index(index, at, live).then(|| self.visible_model())?
    }

    /// How many checkpoints there are.
    #[cfg(test)]
    pub(in crate::console) fn checkpoints(&self) -> usize {
        self.checkpoints.iter().count()
    }
}
