//! What a subscription gives.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
};

use super::{super::delivery::Delivery, client::SessionGuard, queue::Queue};

/// The messages of one or several patterns, in the order in which they came, for as long as it lives.
///
/// As many wait in it as `limits.client.queue_messages_max` and `queue_bytes_max` say, and as many again once
/// they were taken from the connection; what comes beyond is dropped and counted by [`lost`](Self::lost).
/// What the station dropped before, for lack of room on its own side, is not in that count: it is noticed on
/// `rlp/sys/drops`. Dropped, it ends at the station too.
#[derive(Debug)]
pub struct Subscription {
    guard: Arc<SessionGuard>,
    queue: Arc<Queue>,
    subs: Vec<u64>,
    /// Taken from the queue at once, to be given out one by one.
    taken: VecDeque<Delivery>,
}

impl Subscription {
    pub(super) fn new(guard: Arc<SessionGuard>) -> Self {
        let queue = Arc::new(Queue::new(&guard.shared.limits));
        Self { guard, queue, subs: Vec::new(), taken: VecDeque::new() }
    }

    pub(super) fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    pub(super) fn add(&mut self, sub: u64) {
        self.subs.push(sub);
    }

    /// It is none at the station.
    pub(super) fn forget(&mut self, sub: u64) {
        self.subs.retain(|known| *known != sub);
        self.guard.shared.inbox().remove(sub);
    }

    /// Its numbers, one a pattern, as deliveries name them.
    #[must_use]
    pub fn subs(&self) -> &[u64] {
        &self.subs
    }

    /// Messages that came and were dropped because too many waited.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.queue.lost()
    }

    /// The next message; none once the session is over. Safe to be dropped while it waits.
    pub async fn next(&mut self) -> Option<Delivery> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Appends all messages that wait, one at least; says how many, 0 once the session is over. Safe to be
    /// dropped while it waits.
    pub async fn next_batch(&mut self, into: &mut Vec<Delivery>) -> usize {
        poll_fn(|cx| self.poll_batch(cx, into)).await
    }

    /// The next message if one waits.
    pub fn try_next(&mut self) -> Option<Delivery> {
        if self.taken.is_empty() {
            self.queue.take(&mut self.taken);
        }
        self.taken.pop_front()
    }

    /// [`next`](Self::next) for a future of one's own.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Delivery>> {
        if self.taken.is_empty() {
            ready!(self.queue.poll(cx, &mut self.taken));
        }
        Poll::Ready(self.taken.pop_front())
    }

    /// [`next_batch`](Self::next_batch) for a future of one's own.
    pub fn poll_batch(&mut self, cx: &mut Context<'_>, into: &mut Vec<Delivery>) -> Poll<usize> {
        if self.taken.is_empty() {
            ready!(self.queue.poll(cx, &mut self.taken));
        }
        let count = self.taken.len();
        into.extend(self.taken.drain(..));
        Poll::Ready(count)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let shared = &self.guard.shared;
        for sub in self.subs.drain(..) {
            shared.inbox().remove(sub);
            shared.send_now(|sending, now_ms| {
                sending.unsubscribe(now_ms, sub);
            });
        }
    }
}
