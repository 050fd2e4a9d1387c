//! How a task learns from another that what it works on is to end.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    task::Waker,
};

use futures_util::task::AtomicWaker;

/// Whether what a task works on is to end.
#[derive(Debug, Default)]
pub(super) struct EndSignal {
    is_ended: AtomicBool,
    waker: AtomicWaker,
}

impl EndSignal {
    /// Ends it.
    pub(super) fn end(&self) {
        self.is_ended.store(true, Relaxed);
        self.wake();
    }

    /// Has its task look again.
    pub(super) fn wake(&self) {
        self.waker.wake();
    }

    /// Whether it is to end; otherwise its task is woken when it is.
    pub(super) fn poll(&self, waker: &Waker) -> bool {
        self.waker.register(waker);
        self.is_ended.load(Relaxed)
    }
}
