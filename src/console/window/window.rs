//! A window of a list, and the pages that it is made of.

use super::Record;
use crate::console::{
    action::Direction,
    selection::{RecordKey, Selection},
};

/// Rows asked for at once.
const PAGE_ROWS: u64 = 200;
/// Rows kept; past it those at the other end are let go.
pub(super) const ROWS_MAX: usize = 1_000;
/// Rows asked for anew beyond those that are shown.
const SPARE_ROWS: u64 = 50;

/// What to ask of the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Only rows beyond this number, in the direction of the order.
    pub(crate) beyond: Option<u64>,
    pub(crate) oldest_first: bool,
    pub(crate) limit: u64,
    /// What the answer is told by.
    pub(crate) serial: u64,
}

/// The answer to a question.
#[derive(Debug)]
pub(crate) struct Answered<R> {
    pub(crate) rows: Vec<R>,
    /// Whether there are more beyond the last.
    pub(crate) more: bool,
    /// The last row that was looked at, where rows are filtered.
    pub(crate) beyond: Option<u64>,
}

/// A question under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asking {
    direction: Direction,
    serial: u64,
    /// The first row that the answer can hold, when it is asked for anew.
    from: Option<u64>,
}

/// A window of a list.
#[derive(Debug)]
pub(crate) struct Window<R> {
    rows: Vec<R>,
    pub(crate) selection: Selection,
    /// Why the last page did not come.
    trouble: Option<String>,
    oldest_first: bool,
    asking: Option<Asking>,
    serial: u64,
    is_filled: bool,
    more: More,
    /// Of filtered rows, how far was looked before the first and behind the last, where that is beyond them.
    edges: Edges,
    height: usize,
}

/// Whether the list goes on beyond the rows that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct More {
    before: bool,
    behind: bool,
}

/// How far filtered rows were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Edges {
    before: Option<u64>,
    behind: Option<u64>,
}

impl<R: Record> Window<R> {
    /// An empty window.
    pub(crate) fn new(oldest_first: bool) -> Self {
        Self {
            rows: Vec::new(),
            selection: Selection::default(),
            trouble: None,
            oldest_first,
            asking: None,
            serial: 0,
            is_filled: false,
            more: More::default(),
            edges: Edges::default(),
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

    /// What is asked for at the moment.
    pub(crate) fn asking(&self) -> Option<Direction> {
        self.asking.map(|asking| asking.direction)
    }

    /// By what the last answer asked for is told.
    pub(crate) fn serial(&self) -> u64 {
        self.serial
    }

    /// Why the last page did not come.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
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
    pub(crate) fn first_shown(&self) -> Option<u64> {
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
    pub(crate) fn settle(&mut self, height: usize) {
        self.height = height;
        let keys = self.keys();
        self.selection.settle(&keys, height);
    }

    /// Turns the list round. While nothing was chosen it begins at its other end; a chosen record stays
    /// chosen.
    pub(crate) fn reverse(&mut self) {
        self.oldest_first = !self.oldest_first;
        self.asking = None;
        if self.selection.is_untouched() {
            self.empty();
            return;
        }
        self.rows.reverse();
        self.more = More { before: self.more.behind, behind: self.more.before };
        self.edges = Edges { before: self.edges.behind, behind: self.edges.before };
    }

    /// Begins again at the first row of the list, unless it is here.
    pub(crate) fn restart(&mut self) -> bool {
        if self.more.before {
            self.asking = None;
            self.selection = Selection::default();
            self.empty();
            return true;
        }
        false
    }

    /// Asks for the first rows anew; those that are here stay until they come.
    pub(crate) fn begin_again(&mut self) {
        (self.asking, self.trouble) = (None, None);
        (self.is_filled, self.more, self.edges) = (false, More::default(), Edges::default());
    }

    fn empty(&mut self) {
        self.rows.clear();
        self.is_filled = false;
        (self.more, self.edges) = (More::default(), Edges::default());
    }

    /// The question for a page. It counts as asked.
    pub(crate) fn ask(&mut self, direction: Direction) -> Wanted {
        self.serial += 1;
        let from = self.first_shown().filter(|_| direction == Direction::Anew);
        self.asking = Some(Asking { direction, serial: self.serial, from });
        let oldest_first = self.oldest_first != (direction == Direction::Backward);
        let beyond = match direction {
            Direction::Fresh => None,
            Direction::Forward => self.edges.behind.or_else(|| self.rows.last().map(Record::number)),
            Direction::Backward => self.edges.before.or_else(|| self.rows.first().map(Record::number)),
            // Beyond the row before it.
            Direction::Anew if self.oldest_first => from.map(|number| number.saturating_sub(1)),
            Direction::Anew => from.map(|number| number.saturating_add(1)),
        };
        let limit = if direction == Direction::Anew { self.height as u64 + SPARE_ROWS } else { PAGE_ROWS };
        Wanted { beyond, oldest_first, limit, serial: self.serial }
    }

    /// One that is not waited for any more is let go.
    fn take(&mut self, serial: u64, Answered { rows, more, beyond }: Answered<R>) {
        let Some(asking) = self.asking.take_if(|asking| asking.serial == serial) else { return };
        self.trouble = None;
        match asking.direction {
            Direction::Fresh => {
                self.fill(rows, more);
                self.edges = Edges { before: None, behind: beyond };
            }
            Direction::Forward => {
                self.rows.extend(rows);
                self.more.behind = more;
                self.edges.behind = beyond;
                self.cut_front();
            }
            Direction::Backward => {
                let behind = std::mem::replace(&mut self.rows, rows);
                self.rows.reverse();
                self.rows.extend(behind);
                self.more.before = more;
                self.edges.before = beyond;
                self.cut_back();
            }
            // Of filtered rows, a page that ended before it found one tells nothing of those that are here.
            Direction::Anew if rows.is_empty() && more => {}
            Direction::Anew => self.merge(asking.from, rows, more, beyond),
        }
    }

    /// Takes the answer to a question, or why there is none.
    pub(crate) fn answer(&mut self, serial: u64, answer: Result<Answered<R>, String>) {
        match answer {
            Ok(answered) => self.take(serial, answered),
            Err(why) => self.fail(serial, why),
        }
    }

    fn fail(&mut self, serial: u64, why: String) {
        if self.asking.take_if(|asking| asking.serial == serial).is_some() {
            self.trouble = Some(why);
        }
    }

    fn fill(&mut self, rows: Vec<R>, more: bool) {
        self.rows = rows;
        self.is_filled = true;
        self.more = More { before: false, behind: more };
    }

    /// Lays a page over the rows that it covers: from `from`, or from the first row of the list, to its own
    /// last row, or to the end.
    fn merge(&mut self, from: Option<u64>, page: Vec<R>, more: bool, beyond: Option<u64>) {
        let stands_before =
            |number: u64, other: u64| if self.oldest_first { number < other } else { number > other };
        let (first, last) = (self.rows.first().map(Record::number), page.last().map(Record::number));
        let (Some(first), Some(last)) = (first, last) else {
            if from.is_none() || self.rows.is_empty() {
                self.fill(page, more);
            } else {
                let start =
                    from.and_then(|from| self.rows.iter().position(|row| !stands_before(row.number(), from)));
                self.rows.truncate(start.unwrap_or(self.rows.len()));
                self.more.behind = more;
            }
            return;
        };
        if from.is_none() && more && stands_before(last, first) {
            // More came than a page holds: what lies between is not known.
            if self.selection.is_untouched() {
                self.fill(page, more);
                self.edges = Edges { before: None, behind: beyond };
            } else {
                self.more.before = true;
            }
            return;
        }
        let start = from.map_or(0, |from| {
            self.rows.iter().position(|row| !stands_before(row.number(), from)).unwrap_or(self.rows.len())
        });
        let end =
            if more { self.rows.iter().position(|row| stands_before(last, row.number())) } else { None }
                .unwrap_or(self.rows.len());
        if end == self.rows.len() {
            self.more.behind = more;
            self.edges.behind = beyond;
        }
        self.rows.splice(start..end.max(start), page);
        if from.is_none() {
            self.more.before = false;
        } else if !self.oldest_first {
            // Newer ones may have come before the first.
            (self.more.before, self.edges.before) = (true, None);
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
            (self.more.before, self.edges.before) = (true, None);
        }
        self.rows.drain(..cut);
    }

    fn cut_back(&mut self) {
        if self.rows.len() > ROWS_MAX {
            (self.more.behind, self.edges.behind) = (true, None);
        }
        self.rows.truncate(ROWS_MAX);
    }

    /// The page that the selection has come near to, if it is not there yet. After a trouble nothing is,
    /// until it is asked anew.
    pub(crate) fn wants(&self) -> Option<Direction> {
        let near = self.height.max(10);
        if self.asking.is_some()
            || self.trouble.is_some()
            || (self.rows.is_empty() && self.edges.behind.is_none())
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
