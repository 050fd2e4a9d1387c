//! A window of a list, and the pages that it is made of.

use super::Record;
use crate::console::{
    input::direction::Direction,
    records::selection::{RecordKey, Selection},
};

/// Rows asked for at once.
const PAGE_ROWS: u64 = 200;
/// Rows kept; past it those at the other end are let go.
pub(super) const ROWS_MAX: usize = 1_000;
/// Rows asked for anew beyond those that are shown.
const SPARE_ROWS: u64 = 50;

/// What to ask of the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageQuery {
    /// Only rows beyond this number, in the direction of the order.
    pub(crate) beyond: Option<u64>,
    pub(crate) oldest_first: bool,
    pub(crate) limit: u64,
    /// What the answer is told by.
    pub(crate) serial: u64,
}

/// The answer to a question.
#[derive(Debug)]
pub(crate) struct PageRows<R> {
    pub(crate) rows: Vec<R>,
    /// Whether there are more beyond the last.
    pub(crate) more: bool,
    /// The last row that was looked at, where rows are filtered.
    pub(crate) beyond: Option<u64>,
}

/// A question under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PendingQuery {
    direction: Direction,
    serial: u64,
    /// The first row that the answer can hold, when it is asked for anew.
    from: Option<u64>,
}

/// A window of a list.
#[derive(Debug)]
pub(crate) struct PagedList<R> {
    rows: Vec<R>,
    pub(crate) selection: Selection,
    /// Why the last page did not come.
    error: Option<String>,
    oldest_first: bool,
    pending: Option<PendingQuery>,
    serial: u64,
    is_filled: bool,
    more: HasMore,
    /// Of filtered rows, how far was looked before the first and behind the last, where that is beyond them.
    scanned_to: ScannedTo,
    height: usize,
}

/// Whether the list goes on beyond the rows that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HasMore {
    before: bool,
    behind: bool,
}

/// How far filtered rows were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ScannedTo {
    before: Option<u64>,
    behind: Option<u64>,
}

impl<R: Record> PagedList<R> {
    /// An empty window.
    pub(crate) fn new(oldest_first: bool) -> Self {
        Self {
            rows: Vec::new(),
            selection: Selection::default(),
            error: None,
            oldest_first,
            pending: None,
            serial: 0,
            is_filled: false,
            more: HasMore::default(),
            scanned_to: ScannedTo::default(),
            height: 1,
        }
    }

    /// The rows that are there, in the order of the list.
    pub(crate) fn rows(&self) -> &[R] {
        &self.rows
    }

    /// The selected row.
    pub(crate) fn selected(&self) -> Option<&R> {
        self.rows.get(self.selection.index())
    }

    /// Whether a first page came.
    pub(crate) fn is_filled(&self) -> bool {
        self.is_filled
    }

    /// The page that is asked for at the moment.
    pub(crate) fn pending(&self) -> Option<Direction> {
        self.pending.map(|asking| asking.direction)
    }

    /// By what the last answer asked for is told.
    pub(crate) fn serial(&self) -> u64 {
        self.serial
    }

    /// Why the last page did not come.
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Whether the oldest row comes first.
    pub(crate) fn oldest_first(&self) -> bool {
        self.oldest_first
    }

    /// Whether there are rows before the first, and behind the last.
    pub(crate) fn more(&self) -> (bool, bool) {
        (self.more.before, self.more.behind)
    }

    /// Rows that are shown at once.
    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// The identities of its rows.
    pub(crate) fn keys(&self) -> Vec<RecordKey> {
        self.rows.iter().map(Record::key).collect()
    }

    /// The number of the first row that is shown; none at the start of the list.
    pub(crate) fn first_visible(&self) -> Option<u64> {
        let is_at_start = self.selection.offset() == 0 && !self.more.before;
        self.rows.get(self.selection.offset()).filter(|_| !is_at_start).map(Record::number)
    }

    /// Tells it how many rows are shown at once.
    pub(crate) fn fit(&mut self, height: usize) {
        self.height = height;
    }

    /// Moves the selection.
    pub(crate) fn step(&mut self, by: isize) {
        let keys = self.keys();
        self.selection.step(by, &keys, self.height);
    }

    /// Fits it to the room there is.
    pub(crate) fn reconcile(&mut self, height: usize) {
        self.height = height;
        let keys = self.keys();
        self.selection.reconcile(&keys, height);
    }

    /// Turns the list round. While nothing was chosen it begins at its other end; a chosen record stays
    /// chosen.
    pub(crate) fn reverse(&mut self) {
        self.oldest_first = !self.oldest_first;
        self.pending = None;
        if self.selection.is_untouched() {
            self.empty();
            return;
        }
        self.rows.reverse();
        self.more = HasMore { before: self.more.behind, behind: self.more.before };
        self.scanned_to = ScannedTo { before: self.scanned_to.behind, behind: self.scanned_to.before };
    }

    /// Begins again at the first row of the list, unless it is here.
    pub(crate) fn restart(&mut self) -> bool {
        if self.more.before {
            self.pending = None;
            self.selection = Selection::default();
            self.empty();
            return true;
        }
        false
    }

    /// Asks for the first rows anew; those that are here stay until they come.
    pub(crate) fn reset(&mut self) {
        (self.pending, self.error) = (None, None);
        (self.is_filled, self.more, self.scanned_to) = (false, HasMore::default(), ScannedTo::default());
    }

    fn empty(&mut self) {
        self.rows.clear();
        self.is_filled = false;
        (self.more, self.scanned_to) = (HasMore::default(), ScannedTo::default());
    }

    /// The question for a page. It counts as asked.
    pub(crate) fn ask(&mut self, direction: Direction) -> PageQuery {
        self.serial += 1;
        let from = self.first_visible().filter(|_| direction == Direction::Refresh);
        self.pending = Some(PendingQuery { direction, serial: self.serial, from });
        let oldest_first = self.oldest_first != (direction == Direction::Backward);
        let beyond = match direction {
            Direction::Initial => None,
            Direction::Forward => self.scanned_to.behind.or_else(|| self.rows.last().map(Record::number)),
            Direction::Backward => self.scanned_to.before.or_else(|| self.rows.first().map(Record::number)),
            // Beyond the row before it.
            Direction::Refresh if self.oldest_first => from.map(|number| number.saturating_sub(1)),
            Direction::Refresh => from.map(|number| number.saturating_add(1)),
        };
        let limit = if direction == Direction::Refresh { self.height as u64 + SPARE_ROWS } else { PAGE_ROWS };
        PageQuery { beyond, oldest_first, limit, serial: self.serial }
    }

    /// One that is not waited for any more is let go.
    fn accept(&mut self, serial: u64, PageRows { rows, more, beyond }: PageRows<R>) {
        let Some(asking) = self.pending.take_if(|asking| asking.serial == serial) else { return };
        self.error = None;
        match asking.direction {
            Direction::Initial => {
                self.fill(rows, more);
                self.scanned_to = ScannedTo { before: None, behind: beyond };
            }
            Direction::Forward => {
                self.rows.extend(rows);
                self.more.behind = more;
                self.scanned_to.behind = beyond;
                self.cut_front();
            }
            Direction::Backward => {
                let behind = std::mem::replace(&mut self.rows, rows);
                self.rows.reverse();
                self.rows.extend(behind);
                self.more.before = more;
                self.scanned_to.before = beyond;
                self.cut_back();
            }
            // Of filtered rows, a page that ended before it found one tells nothing of those that are here.
            Direction::Refresh if rows.is_empty() && more => {}
            Direction::Refresh => self.merge(asking.from, rows, more, beyond),
        }
    }

    /// Takes the answer to a question, or why there is none.
    pub(crate) fn answer(&mut self, serial: u64, answer: Result<PageRows<R>, String>) {
        match answer {
            Ok(answered) => self.accept(serial, answered),
            Err(why) => self.fail(serial, why),
        }
    }

    fn fail(&mut self, serial: u64, why: String) {
        if self.pending.take_if(|asking| asking.serial == serial).is_some() {
            self.error = Some(why);
        }
    }

    fn fill(&mut self, rows: Vec<R>, more: bool) {
        self.rows = rows;
        self.is_filled = true;
        self.more = HasMore { before: false, behind: more };
    }

    /// Lays a page over the rows that it covers: from `from`, or from the first row of the list, to its own
    /// last row, or to the end.
    fn merge(&mut self, from: Option<u64>, page: Vec<R>, more: bool, beyond: Option<u64>) {
        let precedes =
            |number: u64, other: u64| if self.oldest_first { number < other } else { number > other };
        let (first, last) = (self.rows.first().map(Record::number), page.last().map(Record::number));
        let (Some(first), Some(last)) = (first, last) else {
            if from.is_none() || self.rows.is_empty() {
                self.fill(page, more);
            } else {
                let start =
                    from.and_then(|from| self.rows.iter().position(|row| !precedes(row.number(), from)));
                self.rows.truncate(start.unwrap_or(self.rows.len()));
                self.more.behind = more;
            }
            return;
        };
        if from.is_none() && more && precedes(last, first) {
            // More came than a page holds: what lies between is not known.
            if self.selection.is_untouched() {
                self.fill(page, more);
                self.scanned_to = ScannedTo { before: None, behind: beyond };
            } else {
                self.more.before = true;
            }
            return;
        }
        let start = from.map_or(0, |from| {
            self.rows.iter().position(|row| !precedes(row.number(), from)).unwrap_or(self.rows.len())
        });
        let end = if more { self.rows.iter().position(|row| precedes(last, row.number())) } else { None }
            .unwrap_or(self.rows.len());
        if end == self.rows.len() {
            self.more.behind = more;
            self.scanned_to.behind = beyond;
        }
        self.rows.splice(start..end.max(start), page);
        if from.is_none() {
            self.more.before = false;
        } else if !self.oldest_first {
            // Newer ones may have come before the first.
            (self.more.before, self.scanned_to.before) = (true, None);
        }
        if self.selection.index() < self.rows.len() / 2 {
            self.cut_back();
        } else {
            self.cut_front();
        }
    }

    fn cut_front(&mut self) {
        let cut = self.rows.len().saturating_sub(ROWS_MAX);
        if cut > 0 {
            (self.more.before, self.scanned_to.before) = (true, None);
        }
        self.rows.drain(..cut);
    }

    fn cut_back(&mut self) {
        if self.rows.len() > ROWS_MAX {
            (self.more.behind, self.scanned_to.behind) = (true, None);
        }
        self.rows.truncate(ROWS_MAX);
    }

    /// The page that the selection has come near to, if it is not there yet. After a trouble nothing is,
    /// until it is asked anew.
    pub(crate) fn wanted_direction(&self) -> Option<Direction> {
        let near = self.height.max(10);
        if self.pending.is_some()
            || self.error.is_some()
            || (self.rows.is_empty() && self.scanned_to.behind.is_none())
        {
            None
        } else if self.more.behind && self.selection.index() + near >= self.rows.len() {
            Some(Direction::Forward)
        } else if self.more.before && self.selection.index() < near {
            Some(Direction::Backward)
        } else {
            None
        }
    }
}
