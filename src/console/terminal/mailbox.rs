//! One slot between drawing and writing. A frame that was put there is written, whole and in order; the next
//! is not made before the slot is free.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;

use crate::time::Mono;

#[derive(Debug, Default)]
struct State {
    slot: Option<(u64, Vec<u8>)>,
    last: u64,
    writing: bool,
    write_starts: VecDeque<(u64, Mono)>,
    is_closed: bool,
    has_failed: bool,
}

/// The slot.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
    news: Notify,
}

/// Beginnings of writes that are kept until they are asked for.
const WRITE_STARTS_MAX: usize = 8;

impl Mailbox {
    /// One of no terminal: it takes no frame.
    pub(crate) fn closed() -> Self {
        Self { state: Mutex::new(State { is_closed: true, ..State::default() }), ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a frame would be taken.
    pub(crate) fn is_free(&self) -> bool {
        let state = self.lock();
        state.slot.is_none() && !state.is_closed
    }

    /// Hands over a frame and gives it a number, or gives it back when the slot is taken.
    pub(crate) fn put(&self, frame: Vec<u8>) -> Result<u64, Vec<u8>> {
        let mut state = self.lock();
        if state.slot.is_some() || state.is_closed {
            return Err(frame);
        }
        state.last += 1;
        let number = state.last;
        state.slot = Some((number, frame));
        drop(state);
        self.changed.notify_all();
        Ok(number)
    }

    /// Waits until something is new: the slot was freed, or writing failed.
    pub(crate) async fn changed(&self) {
        self.news.notified().await;
    }

    /// Frames whose writing has begun since the last call, with the moment of it.
    pub(crate) fn take_write_starts(&self) -> Vec<(u64, Mono)> {
        self.lock().write_starts.drain(..).collect()
    }

    /// Whether the terminal refused bytes.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().has_failed
    }

    /// For the writer: waits for the next frame. Nothing comes after the end.
    pub(crate) fn take(&self, now: impl Fn() -> Mono) -> Option<Vec<u8>> {
        let mut state = self.lock();
        state.writing = false;
        self.changed.notify_all();
        loop {
            if let Some((number, frame)) = state.slot.take() {
                state.writing = true;
                // Stamped before the first byte leaves: whoever has seen it has seen it later than this.
                state.write_starts.push_back((number, now()));
                while state.write_starts.len() > WRITE_STARTS_MAX {
                    state.write_starts.pop_front();
                }
                drop(state);
                self.news.notify_one();
                return Some(frame);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// For the writer: the terminal is gone.
    pub(super) fn fail(&self) {
        let mut state = self.lock();
        state.has_failed = true;
        state.is_closed = true;
        state.writing = false;
        state.slot = None;
        drop(state);
        self.changed.notify_all();
        self.news.notify_one();
    }

    /// Takes no more frames, and waits at most `patience` for those handed over. Whether all were written.
    pub(super) fn close(&self, patience: Duration) -> bool {
        let mut state = self.lock();
        state.is_closed = true;
        self.changed.notify_all();
        let waited =
            self.changed.wait_timeout_while(state, patience, |state| state.writing || state.slot.is_some());
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.writing && state.slot.is_none()
    }
}
