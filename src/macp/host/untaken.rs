//! Answers of which a part waits until its client takes it.
//!
//! A client that gives no window to a stream (RFC 9113 §5.2) holds what it was answered in memory here, for
//! as long as it likes: HTTP/2 asks for more of an answer once there is room for it, and for none before.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tonic::{Status as Grpc, body::Body};

use crate::time::{Clock, Mono};

/// Those of one connection. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Untaken(Arc<Mutex<Answers>>);

#[derive(Debug, Default)]
struct Answers {
    /// Since when each waits, by its number.
    since: BTreeMap<u64, Mono>,
    /// The number of the next answer.
    next: u64,
}

impl Untaken {
    /// Since when the one waits that waits longest.
    pub(super) fn oldest(&self) -> Option<Mono> {
        self.with(|answers| answers.since.values().min().copied())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Answers) -> T) -> T {
        // Nothing here leaves it half done.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The body of an answer. It waits from when there is something of it until more is asked for.
pub(super) struct AnswerBody {
    inner: Body,
    number: u64,
    untaken: Untaken,
    clock: Clock,
}

impl AnswerBody {
    pub(super) fn new(inner: Body, untaken: Untaken, clock: Clock) -> Self {
        let number = untaken.with(|answers| {
            let number = answers.next;
            answers.next += 1;
            answers.since.insert(number, clock.now().mono);
            number
        });
        Self { inner, number, untaken, clock }
    }
}

impl hyper::body::Body for AnswerBody {
    type Data = Bytes;
    type Error = Grpc;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Grpc>>> {
        self.untaken.with(|answers| answers.since.remove(&self.number));
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(cx));
        if frame.is_some() {
            let now = self.clock.now().mono;
            self.untaken.with(|answers| answers.since.insert(self.number, now));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.untaken.with(|answers| answers.since.remove(&self.number));
    }
}
