//! A list that a pane has of the station, whatever its rows are: one shape for all of them.

use std::{any::Any, fmt::Debug};

use super::{PageQuery, PageRows, PagedList, Record};
use crate::{
    console::{input::direction::Direction, records::selection::Selection},
    port::{Page, PortError},
};

/// A list's source, asked without knowing its rows.
pub(crate) trait StationList: Debug {
    /// The selection of its rows.
    fn selection(&self) -> &Selection;
    /// The selection, to be changed.
    fn selection_mut(&mut self) -> &mut Selection;
    /// Whether the oldest row is the first.
    fn oldest_first(&self) -> bool;
    /// Turns it round.
    fn reverse(&mut self);
    /// Begins it at its first row again, if that was dropped meanwhile.
    fn restart(&mut self) -> bool;
    /// Drops its rows: other ones are asked for.
    fn reset(&mut self);
    /// Takes how many rows of it are shown.
    fn fit(&mut self, height: usize);
    /// How many rows are here.
    fn count(&self) -> usize;
    /// Whether there are more before them, and behind them.
    fn more(&self) -> (bool, bool);
    /// Whether a first page came.
    fn is_filled(&self) -> bool;
    /// Why the last page did not come.
    fn error(&self) -> Option<&str>;
    /// Whether something is asked for at the moment.
    fn is_pending(&self) -> bool;
    /// The place of the first row that is shown, in the store's order.
    fn first_visible(&self) -> Option<u64>;
    /// The direction in which the selection nears the end of what is here.
    fn wanted_direction(&self) -> Option<Direction>;
    /// Asks for a page.
    fn ask(&mut self, direction: Direction) -> PageQuery;
    /// Takes an answer.
    fn answer(&mut self, serial: u64, answer: Result<Page, PortError>);
    /// The list with its rows, for those who know them.
    fn as_any(&self) -> &dyn Any;
}

/// A list, and how its rows are taken out of an answer.
#[derive(Debug)]
struct ListOf<R> {
    list: PagedList<R>,
    rows: fn(Page) -> Option<PageRows<R>>,
}

/// An empty list; `rows` takes its rows out of an answer of its kind.
pub(crate) fn station_list<R: Record + Debug + 'static>(
    oldest_first: bool,
    rows: fn(Page) -> Option<PageRows<R>>,
) -> Box<dyn StationList> {
    Box::new(ListOf { list: PagedList::new(oldest_first), rows })
}

/// The rows of an answer, or what went wrong.
pub(crate) fn page_rows<R>(
    answer: Result<Page, PortError>,
    rows: fn(Page) -> Option<PageRows<R>>,
) -> Result<PageRows<R>, String> {
    answer.map_err(|error| error_text(&error)).and_then(|page| rows(page).ok_or_else(unexpected_answer))
}

/// Why an answer did not come, and what to do about it.
pub(crate) fn error_text(error: &PortError) -> String {
    format!("{error}: {}", error.hint())
}

/// An answer of another kind came.
pub(crate) fn unexpected_answer() -> String {
    "unexpected answer from the station".to_owned()
}

impl<R: Record + Debug + 'static> StationList for ListOf<R> {
    fn selection(&self) -> &Selection {
        &self.list.selection
    }

    fn selection_mut(&mut self) -> &mut Selection {
        &mut self.list.selection
    }

    fn oldest_first(&self) -> bool {
        self.list.oldest_first()
    }

    fn reverse(&mut self) {
        self.list.reverse();
    }

    fn restart(&mut self) -> bool {
        self.list.restart()
    }

    fn reset(&mut self) {
        self.list.reset();
    }

    fn fit(&mut self, height: usize) {
        self.list.fit(height);
    }

    fn count(&self) -> usize {
        self.list.rows().len()
    }

    fn more(&self) -> (bool, bool) {
        self.list.more()
    }

    fn is_filled(&self) -> bool {
        self.list.is_filled()
    }

    fn error(&self) -> Option<&str> {
        self.list.error()
    }

    fn is_pending(&self) -> bool {
        self.list.pending().is_some()
    }

    fn first_visible(&self) -> Option<u64> {
        self.list.first_visible()
    }

    fn wanted_direction(&self) -> Option<Direction> {
        self.list.wanted_direction()
    }

    fn ask(&mut self, direction: Direction) -> PageQuery {
        self.list.ask(direction)
    }

    fn answer(&mut self, serial: u64, answer: Result<Page, PortError>) {
        self.list.answer(serial, page_rows(answer, self.rows));
    }

    fn as_any(&self) -> &dyn Any {
        &self.list
    }
}
