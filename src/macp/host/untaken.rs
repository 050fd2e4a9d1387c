//! Answers of which a part waits until its client takes it.
//!
//! A client that gives no window to a stream (RFC 9113 §5.2) holds what it was answered in memory here, for
//! as long as it likes: HTTP/2 asks for more of an answer once there is room for some of it, and for none
//! before. What is longer than its window is therefore given but for its last byte, which is asked for once
//! there is room for all.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use slab::Slab;
use tonic::{Status as Grpc, body::Body, codegen::http::HeaderMap};

use super::{
    frame_meter::WINDOW_BYTES,
    open_calls::{OpenCall, too_many},
    service::grpc,
    shared::Shared,
};
use crate::time::Mono;

/// Those of one connection. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Untaken(Arc<Answers>);

#[derive(Debug, Default)]
struct Answers {
    waiting: Mutex<Slab<Since>>,
    /// Whether windows begin so small that any answer may be longer.
    is_narrow: AtomicBool,
}

/// Since when an answer waits ([`Mono`]); 0 while it does not.
type Since = Arc<AtomicU64>;

impl Untaken {
    /// Since when the one waits that waits longest.
    pub(super) fn oldest(&self) -> Option<Mono> {
        let since = |(_, since): (usize, &Since)| Some(since.load(Relaxed)).filter(|since| *since > 0);
        self.with(|answers| answers.iter().filter_map(since).min().map(Mono))
    }

    /// Whether the windows of the connection's streams begin smaller than clients need not ask for.
    pub(super) fn set_narrow(&self, is_narrow: bool) {
        self.0.is_narrow.store(is_narrow, Relaxed);
    }

    fn with<T>(&self, work: impl FnOnce(&mut Slab<Since>) -> T) -> T {
        // Nothing here leaves it half done.
        work(&mut self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The body of an answer. It waits from when there is something of it until more is asked for.
pub(super) struct AnswerBody {
    inner: Body,
    /// The last byte of what was given without it.
    last: Option<Bytes>,
    since: Since,
    /// Its place among those of the connection.
    at: usize,
    untaken: Untaken,
    shared: Arc<Shared>,
    call: Arc<OpenCall>,
    /// The call was ended, and that is said.
    has_ended: bool,
}

impl AnswerBody {
    pub(super) fn new(inner: Body, untaken: Untaken, shared: Arc<Shared>, call: Arc<OpenCall>) -> Self {
        let since = Since::new(shared.clock.mono().0.into());
        let at = untaken.with(|answers| answers.insert(Arc::clone(&since)));
        Self { inner, last: None, since, at, untaken, shared, call, has_ended: false }
    }
}

impl AnswerBody {
    /// While there is nothing to say: the last words of a call that makes room for another.
    fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<Frame<Bytes>> {
        if !self.call.answer.poll(cx.waker()) {
            return Poll::Pending;
        }
        self.has_ended = true;
        let (status, why) = too_many(&self.shared.limits);
        let mut trailers = HeaderMap::new();
        // A text of ours is one that a header takes.
        let _ = grpc(status, why).add_header(&mut trailers);
        Poll::Ready(Frame::trailers(trailers))
    }

    /// The frame, but for the last byte where it may be longer than its window.
    fn without_last(&mut self, frame: Frame<Bytes>) -> Frame<Bytes> {
        let is_long = |data: &Bytes| {
            data.len() > WINDOW_BYTES as usize || data.len() > 1 && self.untaken.0.is_narrow.load(Relaxed)
        };
        match frame.into_data() {
            Ok(mut data) if is_long(&data) => {
                self.last = Some(data.split_off(data.len() - 1));
                Frame::data(data)
            }
            Ok(data) => Frame::data(data),
            Err(other) => other,
        }
    }
}

impl hyper::body::Body for AnswerBody {
    type Data = Bytes;
    type Error = Grpc;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Grpc>>> {
        self.since.store(0, Relaxed);
        let frame = match self.last.take() {
            Some(last) => Some(Ok(Frame::data(last))),
            None if self.has_ended => None,
            None => match Pin::new(&mut self.inner).poll_frame(cx) {
                Poll::Ready(frame) => frame,
                Poll::Pending => Some(Ok(ready!(self.poll_ended(cx)))),
            },
        };
        if frame.is_some() {
            self.since.store(self.shared.clock.mono().0, Relaxed);
        }
        Poll::Ready(frame.map(|frame| frame.map(|frame| self.without_last(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended || self.last.is_none() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.untaken.with(|answers| answers.remove(self.at));
    }
}
