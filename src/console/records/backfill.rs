//! A history whose newest part was heard here, and whose earlier parts come from the store, a page at a time.

use std::time::Duration;

use crate::{console::model::Numbered, time::Mono};

/// Lines asked for at once.
pub(crate) const PAGE_ROWS: u64 = 200;
/// So near to the first row the ones before it are asked for.
pub(crate) const NEAR_ROWS: usize = 50;
/// Earlier lines that are kept here; a subcommand lists all.
const BACKFILL_LINES_MAX: usize = 2_000;
/// The least time between two questions for the same.
const INTERVAL: Duration = Duration::from_secs(1);

/// A question that is under way, and the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestSlot {
    serial: u64,
    is_open: bool,
    at: Option<Mono>,
}

impl RequestSlot {
    /// Whether it is time to ask.
    pub(crate) fn is_free(self, now: Mono) -> bool {
        !self.is_open && self.at.is_none_or(|at| now.since(at) >= INTERVAL)
    }

    /// Whether a question is under way.
    pub(crate) const fn is_open(self) -> bool {
        self.is_open
    }

    /// Asks; the number of the question.
    pub(crate) fn ask(&mut self, now: Mono) -> u64 {
        *self = Self { serial: self.serial + 1, is_open: true, at: Some(now) };
        self.serial
    }

    /// Whether an answer is to the last question.
    pub(crate) fn accepts(&mut self, serial: u64) -> bool {
        self.is_open && self.serial == serial && std::mem::replace(&mut self.is_open, false)
    }

    /// A backfill of another matter. The serials go on, so that an answer for the one before finds no place
    /// here.
    pub(crate) fn reset(self) -> Self {
        Self { serial: self.serial, ..Self::default() }
    }
}

/// The part that is asked for: the number of the question, and what lies behind which line, at most so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageRequest {
    pub(crate) serial: u64,
    pub(crate) after: u64,
    pub(crate) limit: u64,
}

/// What was told before what this console heard itself.
#[derive(Debug)]
pub(crate) struct Backfill<L> {
    lines: Vec<L>,
    /// Whether nothing was told before the first of those.
    is_whole: bool,
    /// The number of the line that they reach up to, as far as all of them are kept.
    until: u64,
    request: RequestSlot,
}

impl<L> Default for Backfill<L> {
    fn default() -> Self {
        Self { lines: Vec::new(), is_whole: false, until: 0, request: RequestSlot::default() }
    }
}

impl<L: Numbered> Backfill<L> {
    /// Nothing yet, of another history.
    pub(crate) fn reset(&self) -> Self {
        Self { request: self.request.reset(), ..Self::default() }
    }

    /// What lies before a line of this number.
    pub(crate) fn before(&self, number: u64) -> impl Iterator<Item = &L> {
        self.lines.iter().filter(move |line| line.number() < number)
    }

    /// The page before what is here: `first` is the number of the first line that this console heard itself
    /// without a gap to the last, `told` how many there are.
    pub(crate) fn ask(
        &mut self,
        first: Option<u64>,
        total: u64,
        is_near: bool,
        now: Mono,
    ) -> Option<PageRequest> {
        let received_from = first.unwrap_or(total + 1);
        if self.until + 1 < received_from {
            // What was heard was let go of meanwhile, or more was told that was not heard.
            self.lines.clear();
            self.is_whole = false;
        }
        let from = self.lines.first().map_or(received_from, Numbered::number);
        let is_wanted = self.lines.is_empty() || (is_near && self.lines.len() < BACKFILL_LINES_MAX);
        if from <= 1 || self.is_whole || !is_wanted || !self.request.is_free(now) {
            return None;
        }
        if self.lines.is_empty() {
            self.until = from - 1;
        }
        let limit = PAGE_ROWS.min(from - 1);
        Some(PageRequest { serial: self.request.ask(now), after: from - 1 - limit, limit })
    }

    /// Whether an answer is to the last question.
    pub(crate) fn accepts(&mut self, serial: u64) -> bool {
        self.request.accepts(serial)
    }

    /// Takes a page.
    pub(crate) fn take(&mut self, mut lines: Vec<L>) {
        let from = self.lines.first().map(Numbered::number);
        lines.retain(|line| from.is_none_or(|from| line.number() < from));
        self.is_whole = lines.first().is_none_or(|line| line.number() <= 1);
        lines.append(&mut self.lines);
        self.lines = lines;
    }
}
