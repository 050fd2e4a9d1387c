//! What waits for one subscription: bounded, and counting what did not fit.

use std::{
    collections::VecDeque,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use super::super::{delivery::Delivery, receive_half::CHUNK_BYTES};
use crate::limits;

/// Deliveries out of one piece that was read, which get bytes of their own so that a few of them do not keep
/// all of it.
const DETACHED_A_CHUNK: u32 = 16;
/// Bytes over which a delivery never gets bytes of its own.
const DETACHED_BYTES_MAX: usize = 16 << 10;

/// A queue between the task that reads and a subscription.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    messages_max: usize,
    bytes_max: usize,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Delivery>,
    /// Bytes that those keep.
    bytes: usize,
    lost: u64,
    /// The piece that the last one came from, and how many came from it.
    chunk: (u64, u32),
    is_over: bool,
    waker: Option<Waker>,
}

impl Queue {
    pub(super) fn new(limits: &limits::Client) -> Self {
        let size = |bound: u64| usize::try_from(bound).unwrap_or(usize::MAX);
        let (messages_max, bytes_max) = (size(limits.queue_messages_max), size(limits.queue_bytes_max));
        Self { state: Mutex::default(), messages_max, bytes_max }
    }

    /// Takes all of `run`, which came from one piece; what does not fit is counted and dropped. An empty
    /// queue always takes one.
    pub(super) fn push(&self, chunk: u64, run: &mut Vec<Delivery>) {
        let mut state = self.lock();
        let mut is_new = false;
        for delivery in run.drain(..) {
            let is_full = state.waiting.len() >= self.messages_max || state.bytes >= self.bytes_max;
            if state.is_over || (is_full && !state.waiting.is_empty()) {
                state.lost += u64::from(!state.is_over);
                continue;
            }
            let kept = state.keep(chunk, delivery);
            state.waiting.push_back(kept);
            is_new = true;
        }
        let waker = if is_new { state.waker.take() } else { None };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Nothing comes any more; what waits can still be taken.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.is_over = true;
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// All that waits, in exchange for an empty list; `false` once it is over and nothing waits.
    pub(super) fn poll(&self, cx: &mut Context<'_>, into: &mut VecDeque<Delivery>) -> Poll<bool> {
        let mut state = self.lock();
        if state.take(into) {
            return Poll::Ready(true);
        }
        if state.is_over {
            return Poll::Ready(false);
        }
        if !state.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            state.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// All that waits, without waiting for more.
    pub(super) fn take(&self, into: &mut VecDeque<Delivery>) -> bool {
        self.lock().take(into)
    }

    /// Messages that did not fit.
    pub(super) fn lost(&self) -> u64 {
        self.lock().lost
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing here panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Counts what a delivery keeps: its own bytes, or for the first that shares its piece all of that.
    fn keep(&mut self, chunk: u64, delivery: Delivery) -> Delivery {
        if self.chunk.0 != chunk {
            self.chunk = (chunk, 0);
        }
        self.chunk.1 = self.chunk.1.saturating_add(1);
        let bytes = delivery.wire.len();
        if self.chunk.1 <= DETACHED_A_CHUNK && bytes <= DETACHED_BYTES_MAX {
            self.bytes += bytes;
            return delivery.detached();
        }
        let is_first = self.chunk.1 == DETACHED_A_CHUNK + 1 || bytes > DETACHED_BYTES_MAX;
        self.bytes += if is_first { bytes.max(CHUNK_BYTES) } else { 0 };
        delivery
    }

    fn take(&mut self, into: &mut VecDeque<Delivery>) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        self.bytes = 0;
        self.chunk = (0, 0);
        if into.is_empty() {
            mem::swap(&mut self.waiting, into);
        } else {
            into.append(&mut self.waiting);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::task::Wake;

    use bytes::Bytes;

    use super::*;

    struct Nobody;

    impl Wake for Nobody {
        fn wake(self: std::sync::Arc<Self>) {}
    }

    fn queue(messages_max: u64, bytes_max: u64) -> Queue {
        Queue::new(&limits::Client {
            queue_messages_max: messages_max,
            queue_bytes_max: bytes_max,
            ..limits::Client::default()
        })
    }

    fn run(sizes: &[usize]) -> Vec<Delivery> {
        let piece = Bytes::from(vec![0; sizes.iter().sum()]);
        let mut at = 0;
        let deliveries = sizes.iter().map(|size| {
            at += size;
            Delivery { sub: 1, topic: "a".into(), wire: piece.slice(at - size..at) }
        });
        deliveries.collect()
    }

    fn poll(queue: &Queue) -> Poll<(bool, usize)> {
        let waker = Waker::from(std::sync::Arc::new(Nobody));
        let mut into = VecDeque::new();
        queue.poll(&mut Context::from_waker(&waker), &mut into).map(|is_open| (is_open, into.len()))
    }

    #[test]
    fn what_does_not_fit_is_counted_and_an_empty_queue_takes_one_of_any_size() {
        let queue = queue(4, 1_000);
        queue.push(1, &mut run(&[100; 6]));
        assert_eq!((queue.lost(), poll(&queue)), (2, Poll::Ready((true, 4))));
        queue.push(2, &mut run(&[5_000, 1]));
        assert_eq!((queue.lost(), poll(&queue)), (3, Poll::Ready((true, 1))));
        assert_eq!(poll(&queue), Poll::Pending);
    }

    #[test]
    fn what_waits_is_taken_before_the_end_is_told() {
        let queue = queue(4, 1_000);
        queue.push(1, &mut run(&[1]));
        queue.end();
        queue.push(1, &mut run(&[1]));
        assert_eq!(
            (poll(&queue), poll(&queue), queue.lost()),
            (Poll::Ready((true, 1)), Poll::Ready((false, 0)), 0)
        );
    }

    #[test]
    fn few_messages_of_a_piece_do_not_keep_it_and_many_are_counted_with_it() {
        let queue = queue(1_000, 100_000_000);
        queue.push(1, &mut run(&[10; 16]));
        assert_eq!(queue.lock().bytes, 160);
        queue.push(1, &mut run(&[10; 16]));
        assert_eq!(queue.lock().bytes, 160 + CHUNK_BYTES);
        queue.push(2, &mut run(&[10, 20 << 10]));
        assert_eq!(queue.lock().bytes, 170 + 2 * CHUNK_BYTES);
    }
}
