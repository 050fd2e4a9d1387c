//! How a task learns from another that what it works on is to end.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    task::Waker,
    time::Duration,
};

use futures_util::{FutureExt as _, task::AtomicWaker};
use tokio::sync::Notify;

/// Whether what a task works on is to end.
#[derive(Debug, Default)]
pub(super) struct EndSignal {
    is_ended: AtomicBool,
    waker: AtomicWaker,
    /// Its task is to look again, and has not.
    is_asked: AtomicBool,
    looked: Notify,
}

impl EndSignal {
    /// Ends it.
    pub(super) fn end(&self) {
        self.is_ended.store(true, Relaxed);
        self.waker.wake();
    }

    /// Has its task look again, and waits until it has, so long at most.
    pub(super) async fn look(&self, look_max: Duration) {
        // What it saw after an earlier time was up is no answer to this.
        let _ = self.looked.notified().now_or_never();
        self.is_asked.store(true, Relaxed);
        self.waker.wake();
        // One that does not come to it is judged by what it has seen.
        if tokio::time::timeout(look_max, self.looked.notified()).await.is_err() {
            self.is_asked.store(false, Relaxed);
        }
    }

    /// Whether somebody waits until its task has looked.
    pub(super) fn is_asked(&self) -> bool {
        self.is_asked.load(Relaxed)
    }

    /// Its task has looked.
    pub(super) fn looked(&self) {
        if self.is_asked.swap(false, Relaxed) {
            self.looked.notify_one();
        }
    }

    /// Whether it is to end; otherwise its task is woken when it is.
    pub(super) fn poll(&self, waker: &Waker) -> bool {
        self.waker.register(waker);
        self.is_ended.load(Relaxed)
    }
}
