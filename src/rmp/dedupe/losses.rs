//! What one subscriber lost, by the marks of the messages. What it lost with nothing given to it between is
//! one run, so that who does not read at all costs no more than who lost one message.

use std::{collections::BTreeMap, time::Duration};

use crate::time::Mono;

/// The most that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Runs of one subscriber.
    pub(super) subscriber_runs: u64,
    /// Runs of all subscribers.
    pub(super) runs: u64,
    /// How long a run is kept after its last loss.
    pub(super) age: Duration,
}

/// The totals for all subscribers together.
#[derive(Debug)]
pub(super) struct LossTotals {
    pub(super) bounds: Bounds,
    /// Runs.
    pub(super) runs: u64,
    /// Lost messages that a cap took before their age was over.
    pub(super) evicted_young: u64,
}

/// What one subscriber lost.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// By the first mark of each. No two overlap.
    runs: BTreeMap<u64, Run>,
    /// The run that the next loss makes longer, and its first mark; it is none of the others.
    open: Option<(u64, Run)>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    last: u64,
    messages: u64,
    /// When the last of it was lost.
    at: Mono,
}

impl LossTotals {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, runs: 0, evicted_young: 0 }
    }
}

impl Run {
    fn of(mark: u64, now: Mono) -> Self {
        Self { last: mark, messages: 1, at: now }
    }

    fn lengthen(&mut self, mark: u64, now: Mono) {
        *self = Self { last: mark, messages: self.messages + 1, at: now };
    }
}

impl Losses {
    /// Notes that the message seen last, with this mark, is lost.
    pub(super) fn add_latest(&mut self, mark: u64, now: Mono, tally: &mut LossTotals) {
        if let Some((_, run)) = &mut self.open {
            run.lengthen(mark, now);
        } else if self.make_room(now, tally) {
            self.open = Some((mark, Run::of(mark, now)));
        }
    }

    /// Notes that a message of this mark is lost, whatever was seen since.
    pub(super) fn add(&mut self, mark: u64, now: Mono, tally: &mut LossTotals) {
        if self.open.is_some_and(|(first, run)| (first..=run.last).contains(&mark)) {
            return;
        }
        match self.runs.range_mut(..=mark).next_back() {
            Some((_, run)) if run.last >= mark => {}
            Some((_, run)) if run.last + 1 == mark => run.lengthen(mark, now),
            _ => {
                if self.make_room(now, tally) {
                    self.runs.insert(mark, Run::of(mark, now));
                }
            }
        }
    }

    /// Something was given to the subscriber, or it had it: the run ends.
    pub(super) fn end_run(&mut self) {
        if let Some((first, run)) = self.open.take() {
            self.runs.insert(first, run);
        }
    }

    /// Whether the message of this mark was lost.
    pub(super) fn has(&self, mark: u64, now: Mono, age: Duration) -> bool {
        let open = self.open.filter(|(first, _)| *first <= mark).map(|(_, run)| run);
        let run = open.or_else(|| self.runs.range(..=mark).next_back().map(|(_, run)| *run));
        run.is_some_and(|run| run.last >= mark && now.since(run.at) <= age)
    }

    /// Runs.
    pub(super) fn len(&self) -> u64 {
        self.runs.len() as u64 + u64::from(self.open.is_some())
    }

    /// Makes room for one run more, and counts it; false where there is none.
    fn make_room(&mut self, now: Mono, tally: &mut LossTotals) -> bool {
        let Bounds { subscriber_runs, runs, age } = tally.bounds;
        while self.runs.first_key_value().is_some_and(|(_, run)| now.since(run.at) > age) {
            self.forget_first(tally);
        }
        if (self.len() >= subscriber_runs || tally.runs >= runs)
            && let Some(run) = self.forget_first(tally)
        {
            tally.evicted_young += run.messages;
        }
        if tally.runs >= runs {
            // All that there is room for is other subscribers'.
            tally.evicted_young += 1;
            return false;
        }
        tally.runs += 1;
        true
    }

    fn forget_first(&mut self, tally: &mut LossTotals) -> Option<Run> {
        let (_, run) = self.runs.pop_first()?;
        tally.runs -= 1;
        Some(run)
    }
}
