//! The traces that have injected frames, for good: what came of such a frame is marked on consoles that come
//! later, in recordings that begin later, and after a restart.
//!
//! ```text
//! workbench, gate ─ begin ─▶ InjectedTracesBoard ◀─ a reader of the tap, from then on
//!                                   ├─ lists ─▶ snapshots
//!                                   └─ keep, four times a second ─▶ store
//! ```
//!
//! A station on which no frame is injected reads nothing for it.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::sync::Notify;

use super::local::Inner;
use crate::{
    store::{
        Handle,
        op::{Class, CommitError, Done, Op},
    },
    tap::{
        InjectedTrace, Reader, Tap,
        injected_traces::{InjectedLists, InjectedTraces, ROWS_MAX},
    },
};

/// How often the store is given what is new.
const KEEP_EVERY: Duration = Duration::from_millis(250);

/// The traces, for those that make frames and those that take snapshots.
#[derive(Debug, Default)]
pub(super) struct InjectedTracesBoard {
    board: Mutex<Board>,
    begun: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Board {
    traces: InjectedTraces,
    /// From the first injected frame.
    reader: Option<Reader>,
    /// Those that the store does not have, or not as they are.
    unsaved: Vec<InjectedTrace>,
}

impl Board {
    /// Takes what has come.
    fn read(&mut self) {
        let Some(reader) = &mut self.reader else { return };
        while let Some(batch) = reader.read() {
            if batch.lost > 0 {
                tracing::warn!(
                    "{} entries were lost: what came of injected frames may lack its mark",
                    batch.lost
                );
            }
            self.unsaved.extend(batch.iter().flat_map(|entry| self.traces.fold(entry.entry)).flatten());
        }
        self.bound();
    }

    /// Forgets what the store would not keep either.
    fn bound(&mut self) {
        let over = self.unsaved.len().saturating_sub(ROWS_MAX);
        self.unsaved.drain(..over);
    }
}

impl InjectedTracesBoard {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up what earlier starts left, before anybody is answered.
    pub(super) fn restore(&self, traces: &[InjectedTrace]) {
        let mut board = self.lock();
        for trace in traces {
            board.traces.restore_trace(*trace);
        }
    }

    /// Follows the tap from now on: the next frame is injected.
    pub(super) fn begin(&self, tap: &Tap) {
        let mut board = self.lock();
        if board.reader.is_some() {
            return;
        }
        match tap.reader() {
            Ok(reader) => board.reader = Some(reader),
            Err(error) => tracing::warn!("what comes of an injected frame will not be marked: {error}"),
        }
        self.begun.notify_one();
    }

    /// The traces as of now, the newest last, and the entries of this start by which they are known.
    pub(super) fn lists(&self) -> InjectedLists {
        let collected = {
            let mut board = self.lock();
            board.read();
            board.traces.collect()
        };
        collected.sorted()
    }

    /// Has the store keep what it does not have; what it cannot is tried again.
    pub(super) fn keep(&self, inner: &Arc<Inner>, store: &Handle) {
        let mut board = self.lock();
        board.read();
        if board.unsaved.is_empty() {
            return;
        }
        let traces = mem::take(&mut board.unsaved);
        let (shared, unsaved) = (Arc::clone(inner), traces.clone());
        let done = Box::new(move |done: Result<Done, CommitError>| {
            if done.is_err() {
                shared.injected_traces.lock().unsaved.splice(0..0, unsaved);
            }
        });
        if store.commit(Op::InjectedTraces(traces.clone()), Class::Process, done).is_err() {
            board.unsaved.splice(0..0, traces);
        }
    }
}

/// Keeps them for as long as the station runs.
pub(super) async fn keep(inner: Weak<Inner>) {
    loop {
        let Some(shared) = inner.upgrade() else { return };
        let begun = Arc::clone(&shared.injected_traces.begun);
        let has_begun = shared.injected_traces.lock().reader.is_some();
        if let Some(running) = shared.running_now().filter(|_| has_begun) {
            shared.injected_traces.keep(&shared, &running.store);
        }
        drop(shared);
        if has_begun {
            tokio::time::sleep(KEEP_EVERY).await;
        } else {
            begun.notified().await;
        }
    }
}
