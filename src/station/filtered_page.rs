//! Filtered pages: rows are read from the store in pieces and looked at off the runtime, until a page is
//! full, the rows are at their end, or as many were looked at as one query may.

use std::{future::Future, sync::Arc};

use super::local::Inner;
use crate::{
    field::{Fields, Record, Spec},
    filter::Filter,
    port::PortError,
    time::Now,
};

/// Rows read at once.
const CHUNK_ROWS: u64 = 1_000;

/// Some rows, and the id of the last one that was read for them.
pub(super) struct RowChunk<R, I> {
    pub(super) rows: Vec<R>,
    /// Whether there are more beyond the last.
    pub(super) more: bool,
    pub(super) last: Option<I>,
}

/// Which rows of a list are asked for.
pub(super) struct Paging<I> {
    /// Only those that this lets through.
    pub(super) filter: Option<String>,
    /// Only those beyond this id, where the last page ended.
    pub(super) beyond: Option<I>,
    /// At most so many.
    pub(super) limit: u64,
}

/// A page of rows, and the last one that was looked at where a filter was asked for.
pub(super) async fn page<R, I, F>(
    inner: &Inner,
    Paging { filter, beyond, limit }: Paging<I>,
    id: fn(&R) -> I,
    read: impl Fn(Option<I>, u64) -> F,
) -> Result<RowChunk<R, I>, PortError>
where
    R: Fields + Send + 'static,
    I: Copy + Send + 'static,
    F: Future<Output = Result<RowChunk<R, I>, PortError>>,
{
    match PageFilter::new(filter.as_deref(), R::SPECS, limit, inner)? {
        Some(filter) => filter.rows(beyond, id, read).await,
        None => Ok(RowChunk { last: None, ..read(beyond, limit).await? }),
    }
}

/// A filter of a query.
struct PageFilter {
    filter: Arc<Filter>,
    now: Now,
    rows_max: usize,
    examined_max: u64,
}

impl PageFilter {
    /// The filter of this text, for pages of at most so many rows.
    ///
    /// # Errors
    /// [`PortError::BadRequest`] for one that cannot be read.
    fn new(
        text: Option<&str>,
        specs: &'static [Spec],
        rows_max: u64,
        inner: &Inner,
    ) -> Result<Option<Self>, PortError> {
        let Some(text) = text else { return Ok(None) };
        let filter = Filter::parse(text, specs).map_err(|fault| {
            PortError::BadRequest(format!("filter, at byte {}: {}", fault.at.start + 1, fault.words))
        })?;
        let rows_max = usize::try_from(rows_max).unwrap_or(usize::MAX);
        Ok(Some(Self {
            filter: Arc::new(filter),
            now: inner.clock.now(),
            rows_max,
            examined_max: inner.limits.port.examined_rows_max,
        }))
    }

    /// The rows that it lets through, and the last one that was looked at.
    async fn rows<R, I, F>(
        &self,
        mut beyond: Option<I>,
        id: fn(&R) -> I,
        read: impl Fn(Option<I>, u64) -> F,
    ) -> Result<RowChunk<R, I>, PortError>
    where
        R: Record + Send + 'static,
        I: Copy + Send + 'static,
        F: Future<Output = Result<RowChunk<R, I>, PortError>>,
    {
        let mut rows = Vec::new();
        let mut left = if self.rows_max == 0 { 0 } else { self.examined_max };
        let mut more = left == 0;
        while left > 0 {
            let limit = CHUNK_ROWS.min(left);
            left -= limit;
            let piece = read(beyond, limit).await?;
            let (filter, now, room) = (Arc::clone(&self.filter), self.now, self.rows_max - rows.len());
            // A regular expression may have many bytes to look at.
            let sifted = tokio::task::spawn_blocking(move || sift(piece, &filter, now, room, id));
            let mut sifted = sifted.await.map_err(|_| PortError::Stopping)?;
            rows.append(&mut sifted.rows);
            beyond = sifted.last.or(beyond);
            more = sifted.more;
            if rows.len() == self.rows_max || !more {
                break;
            }
        }
        Ok(RowChunk { rows, more, last: beyond })
    }
}

/// The first rows that a filter lets through, and the last one that it took to find so many.
fn sift<R: Record, I>(
    piece: RowChunk<R, I>,
    filter: &Filter,
    now: Now,
    room: usize,
    id: fn(&R) -> I,
) -> RowChunk<R, I> {
    let mut through = Vec::new();
    let mut rows = piece.rows.into_iter();
    for row in rows.by_ref() {
        if filter.admits(&row, now) {
            through.push(row);
            if through.len() == room {
                break;
            }
        }
    }
    let is_cut = through.len() == room;
    let last = if is_cut { through.last().map(id) } else { piece.last };
    // What is left unread of the piece is asked for again.
    RowChunk { more: piece.more || rows.next().is_some(), rows: through, last }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::{
        field::{Value, fields},
        filter::Filter,
    };

    struct Row(u64);

    fields! {
        Row {
            "id", Serial, Public, "its number" => |it, _| Value::Serial(it.0);
        }
    }

    fn sieve(text: &str, rows_max: usize, examined_max: u64) -> PageFilter {
        PageFilter {
            filter: Arc::new(Filter::parse(text, Row::SPECS).unwrap()),
            now: Now::default(),
            rows_max,
            examined_max,
        }
    }

    /// What a page of rows from 1 to `all` has: its first and last row, their number, whether there are more,
    /// where it ended; and the pieces that it took.
    fn page(sieve: &PageFilter, all: u64, beyond: Option<u64>) -> (Vec<u64>, bool, Option<u64>, usize) {
        let pieces = RefCell::new(0);
        let read = |beyond: Option<u64>, limit| {
            *pieces.borrow_mut() += 1;
            let first = beyond.unwrap_or(0) + 1;
            let rows: Vec<Row> = (first..=all).take(usize::try_from(limit).unwrap()).map(Row).collect();
            let last = rows.last().map(|row| row.0);
            std::future::ready(Ok(RowChunk { more: last.is_some_and(|last| last < all), rows, last }))
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let RowChunk { rows, more, last } =
            runtime.block_on(sieve.rows(beyond, |row: &Row| row.0, read)).unwrap();
        (rows.into_iter().map(|row| row.0).collect(), more, last, pieces.into_inner())
    }

    #[test]
    fn a_page_ends_when_it_is_full_and_the_next_one_begins_there() {
        let sieve = sieve("id>2 id!=4", 2, 10_000);
        assert_eq!(page(&sieve, 6, None), (vec![3, 5], true, Some(5), 1));
        assert_eq!(page(&sieve, 6, Some(5)), (vec![6], false, Some(6), 1));
        assert_eq!(page(&sieve, 5, None), (vec![3, 5], false, Some(5), 1));
        assert_eq!(page(&sieve, 0, None), (vec![], false, None, 1));
    }

    #[test]
    fn no_more_rows_are_looked_at_than_a_query_may() {
        let sieve = sieve("id>=4000", 10, 2_500);
        assert_eq!(page(&sieve, 9_000, None), (vec![], true, Some(2_500), 3));
        let (rows, more, last, pieces) = page(&sieve, 9_000, Some(2_500));
        assert_eq!((rows[0], rows.len(), more, last, pieces), (4_000, 10, true, Some(4_009), 2));
        assert_eq!(page(&sieve, 3_000, None).2, Some(2_500));
        assert_eq!(page(&sieve, 2_500, None), (vec![], false, Some(2_500), 3));
    }
}
