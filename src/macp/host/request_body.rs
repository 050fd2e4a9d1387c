//! The body of a call: what comes of it is bounded in time and bytes until it is whole.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::Sleep;
use tonic::{Status as Grpc, body::Body};

use super::{
    call::{Call, Caller},
    messages::{Messages, RequestKind},
    open_calls::{OpenCall, too_many},
    service::grpc,
    shared::Shared,
    unfinished::{HeldBytes, receiving_bytes_max},
};
use crate::{
    macp::{Rpc, Status, TurnAwayCause},
    time::Mono,
};

/// The body of a call, as it is read behind its bounds.
pub(super) struct RequestBody {
    inner: Body,
    kind: RequestKind,
    /// Which call it is, where it is one of ours.
    rpc: Option<Rpc>,
    caller: Caller,
    shared: Arc<Shared>,
    call: Arc<OpenCall>,
    messages: Messages,
    held: Option<HeldBytes>,
    /// Since when something is being received that is not whole.
    begun: Option<Mono>,
    deadline: Option<Pin<Box<Sleep>>>,
    /// What comes behind the last of the data.
    trailers: Option<Frame<Bytes>>,
    has_ended: bool,
}

type Polled = Poll<Option<Result<Frame<Bytes>, Grpc>>>;

impl RequestBody {
    pub(super) fn new(
        inner: Body,
        kind: RequestKind,
        rpc: Option<Rpc>,
        caller: Caller,
        shared: Arc<Shared>,
        call: Arc<OpenCall>,
    ) -> Self {
        Self {
            messages: Messages::new(shared.message_bytes_max(), kind),
            inner,
            kind,
            rpc,
            caller,
            shared,
            call,
            held: None,
            begun: None,
            deadline: None,
            trailers: None,
            has_ended: false,
        }
    }

    /// Takes what came; something to read, where a message is whole.
    fn on_data(&mut self, data: Bytes) -> Option<Frame<Bytes>> {
        let whole = self.messages.take(data);
        if !whole.is_empty() && self.kind == RequestKind::Streaming {
            (self.begun, self.deadline) = (None, None);
        }
        if !self.messages.is_unfinished() {
            self.held = None;
        }
        (!whole.is_empty()).then(|| Frame::data(whole))
    }

    /// Nothing more comes: what is left is read as it is.
    fn on_end(&mut self, trailers: Option<Frame<Bytes>>) -> Option<Frame<Bytes>> {
        (self.has_ended, self.held, self.deadline) = (true, None, None);
        self.trailers = trailers;
        let rest = self.messages.rest();
        if rest.is_empty() { self.trailers.take() } else { Some(Frame::data(rest)) }
    }

    /// While nothing comes: what there is of a message is counted. Of most calls all comes at once, and
    /// nothing of them is.
    fn count_held(&mut self) {
        if self.messages.is_unfinished() {
            let now = self.shared.clock.now();
            self.begun.get_or_insert(now.mono);
            let held = self.held.get_or_insert_with(|| self.shared.unfinished.begin(now, self.caller.origin));
            held.set(self.messages.held_bytes());
        }
    }

    /// Whether all calls hold too much, and this one most.
    fn is_too_large(&self, waker: &Waker) -> bool {
        self.held.as_ref().is_some_and(|held| held.poll_ended(waker))
    }

    /// While nothing comes: the call ends once what has begun is not whole in time.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Polled {
        if self.begun.is_none() && self.kind == RequestKind::Streaming {
            return Poll::Pending;
        }
        let (clock, ms) = (self.shared.clock, self.shared.limits.frame_ms_max);
        let due = *self.begun.get_or_insert_with(|| clock.now().mono) + Duration::from_millis(ms);
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(clock.until(due))));
        ready!(deadline.as_mut().poll(cx));
        let why = format!("the message was incomplete after {ms} ms (limits.macp.frame_ms_max)");
        self.fail(TurnAwayCause::MessageTimeout, Status::DeadlineExceeded, why)
    }

    /// Ends the call for a bound.
    fn fail(&mut self, cause: TurnAwayCause, status: Status, why: String) -> Polled {
        self.shared.turned_away(&self.caller, cause);
        self.decline(status, why)
    }

    /// Ends the call.
    fn decline(&mut self, status: Status, why: String) -> Polled {
        let _ = self.on_end(None);
        let ended = match self.rpc {
            Some(rpc) => {
                self.shared.decline_early(&Call::new(rpc, &self.caller, &Bytes::new()), (status, why))
            }
            None => grpc(status, why),
        };
        Poll::Ready(Some(Err(ended)))
    }
}

impl hyper::body::Body for RequestBody {
    type Data = Bytes;
    type Error = Grpc;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Polled {
        loop {
            if self.has_ended {
                return Poll::Ready(self.trailers.take().map(Ok));
            }
            if self.is_too_large(cx.waker()) {
                let max = receiving_bytes_max(&self.shared.limits);
                let why = format!(
                    "all connections together may have {max} bytes of incomplete messages \
                     (limits.macp.receiving_bytes_max), and this was the largest; send it again later"
                );
                return self.fail(TurnAwayCause::ReceivingBytes, Status::ResourceExhausted, why);
            }
            match Pin::new(&mut self.inner).poll_frame(cx) {
                Poll::Pending => {
                    if self.call.request.poll(cx.waker()) {
                        let _ = self.on_end(None);
                        let (status, why) = too_many(&self.shared.limits);
                        // It was told of where that was decided.
                        return Poll::Ready(Some(Err(grpc(status, why))));
                    }
                    self.count_held();
                    if self.is_too_large(cx.waker()) {
                        continue;
                    }
                    return self.poll_deadline(cx);
                }
                Poll::Ready(Some(Ok(frame))) => {
                    let next = match frame.into_data() {
                        Ok(data) => self.on_data(data),
                        Err(trailers) => self.on_end(Some(trailers)),
                    };
                    if self.messages.is_too_much() {
                        let why = "the call takes one message, but more followed";
                        return self.decline(Status::Internal, why.to_owned());
                    }
                    if let Some(frame) = next {
                        return Poll::Ready(Some(Ok(frame)));
                    }
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => return Poll::Ready(self.on_end(None).map(Ok)),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended && self.trailers.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
