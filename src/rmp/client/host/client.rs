//! What callers hold.

use std::{path::Path, sync::Arc, time::Duration};

use super::{
    super::{
        delivery::Delivery,
        fault::{RefusalReply, SendError},
        hello::{Hello, Welcome},
        message::Message,
    },
    connect::connect,
    error::{CloseReason, Error},
    inbox::Answer,
    shared::Shared,
    subscription::Subscription,
};
use crate::limits;

/// An open session. Clones speak over the same one; it ends with the last of them and of their subscriptions,
/// once all that was said is written.
///
/// Every call waits while more than `limits.client.write_buffer_bytes_max` wait to be written, and for
/// answers no longer than `limits.client.answer_ms_max`. What a call that is dropped while it waits has said
/// already stays said.
#[derive(Clone, Debug)]
pub struct Client {
    guard: Arc<SessionGuard>,
}

/// Ends the session when it is dropped.
#[derive(Debug)]
pub(super) struct SessionGuard {
    pub(super) shared: Arc<Shared>,
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        self.shared.outgoing().is_last = true;
        self.shared.filled.notify_one();
    }
}

impl Client {
    /// Connects to the socket at `path` and opens a session. Needs a runtime, on which two tasks carry it
    /// from then on.
    ///
    /// # Errors
    /// [`Error::Unreachable`], [`Error::SessionRefused`], [`Error::TimedOut`] after 10 s, [`Error::Closed`].
    pub async fn connect(path: &Path, hello: Hello) -> Result<Self, Error> {
        Self::connect_with(path, hello, limits::Client::default()).await
    }

    /// Connects within limits of one's own.
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect).
    pub async fn connect_with(path: &Path, hello: Hello, limits: limits::Client) -> Result<Self, Error> {
        let shared = connect(path, &hello, limits).await?;
        Ok(Self { guard: Arc::new(SessionGuard { shared }) })
    }

    /// What the station said of the session.
    #[must_use]
    pub fn welcome(&self) -> &Welcome {
        &self.shared().welcome
    }

    /// Publishes a message and waits until the broker has taken it. Says the number that it was given.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::Send`], [`Error::Busy`], [`Error::TimedOut`], [`Error::Closed`].
    pub async fn publish(&self, topic: &str, message: &Message) -> Result<u64, Error> {
        let (id, answer) = self.ask(|sending, now_ms| sending.publish(now_ms, topic, message, true)).await?;
        self.await_answer(answer).await.map(|()| id)
    }

    /// Publishes a frame byte for byte and waits until the broker has taken it. The number is that of the
    /// request.
    ///
    /// # Errors
    /// Those of [`publish`](Self::publish).
    pub async fn publish_frame(&self, topic: &str, frame: &[u8]) -> Result<u64, Error> {
        let (id, answer) =
            self.ask(|sending, now_ms| sending.publish_frame(now_ms, topic, frame, true)).await?;
        self.await_answer(answer).await.map(|()| id)
    }

    /// Publishes a message that is not answered; what is refused is counted by [`refusals`](Self::refusals).
    /// Says its number.
    ///
    /// # Errors
    /// [`Error::Send`], [`Error::Closed`].
    pub async fn post(&self, topic: &str, message: &Message) -> Result<u64, Error> {
        self.shared().send(|sending, now_ms| Ok(sending.publish(now_ms, topic, message, false)?)).await
    }

    /// Publishes many messages as [`post`](Self::post) does, as many at once as there is room for.
    ///
    /// # Errors
    /// Those of [`post`](Self::post), at the first one that is not sent; those before it are.
    pub async fn post_all<'a>(
        &self,
        topic: &str,
        messages: impl IntoIterator<Item = &'a Message>,
    ) -> Result<(), Error> {
        let mut messages = messages.into_iter().peekable();
        let bytes_max = usize::try_from(self.shared().limits.write_buffer_bytes_max).unwrap_or(usize::MAX);
        while messages.peek().is_some() {
            let some = self.shared().send(|sending, now_ms| {
                while sending.pending_bytes() < bytes_max
                    && let Some(message) = messages.next()
                {
                    sending.publish(now_ms, topic, message, false)?;
                }
                Ok(())
            });
            some.await?;
        }
        Ok(())
    }

    /// Publishes a frame byte for byte as [`post`](Self::post) does.
    ///
    /// # Errors
    /// Those of [`post`](Self::post).
    pub async fn post_frame(&self, topic: &str, frame: &[u8]) -> Result<u64, Error> {
        self.shared().send(|sending, now_ms| Ok(sending.publish_frame(now_ms, topic, frame, false)?)).await
    }

    /// Subscribes to a topic, or to those that a pattern matches (ruling RMP 5). What is published after this
    /// returns comes.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::Send`], [`Error::Busy`], [`Error::TimedOut`], [`Error::Closed`].
    pub async fn subscribe(&self, pattern: &str) -> Result<Subscription, Error> {
        self.subscribe_all([pattern]).await
    }

    /// Subscribes to several patterns at once, whose messages come in one order. One that two of them match
    /// comes twice.
    ///
    /// # Errors
    /// Those of [`subscribe`](Self::subscribe); none of them is then subscribed to.
    pub async fn subscribe_all(
        &self,
        patterns: impl IntoIterator<Item = &str>,
    ) -> Result<Subscription, Error> {
        let mut subscription = Subscription::new(Arc::clone(&self.guard));
        let mut answers = Vec::new();
        for pattern in patterns {
            self.shared().check_answers()?;
            let asked = self.shared().send(|sending, now_ms| {
                let (id, sub) = sending.subscribe(now_ms, pattern)?;
                let mut inbox = self.shared().inbox();
                inbox.add(sub, Arc::clone(subscription.queue()));
                Ok((sub, inbox.expect(id)))
            });
            let (sub, answer) = asked.await?;
            subscription.add(sub);
            answers.push((sub, answer));
        }
        let mut refused = Ok(());
        for (sub, answer) in answers {
            if let Err(error) = self.await_answer(answer).await {
                subscription.forget(sub);
                refused = refused.and(Err(error));
            }
        }
        refused.map(|()| subscription)
    }

    /// Ends a subscription and waits until the broker has done so.
    ///
    /// # Errors
    /// Those of [`subscribe`](Self::subscribe).
    pub async fn unsubscribe(&self, mut subscription: Subscription) -> Result<(), Error> {
        for sub in subscription.subs().to_vec() {
            let asked = self.ask(|sending, now_ms| Ok(sending.unsubscribe(now_ms, sub))).await;
            let (_, answer) = asked?;
            subscription.forget(sub);
            self.await_answer(answer).await?;
        }
        Ok(())
    }

    /// Publishes a request and gives the first message on the topic of its replies, to which it subscribes
    /// before (rmp-v0 §9.1). Where that is the request's own topic (rmp-v0 §9), the request itself and
    /// other traces are passed over.
    ///
    /// # Errors
    /// Those of [`publish`](Self::publish) and [`subscribe`](Self::subscribe); [`Error::TimedOut`] when none
    /// came within `timeout`.
    pub async fn request(
        &self,
        topic: &str,
        reply_topic: &str,
        request: &Message,
        timeout: Duration,
    ) -> Result<Delivery, Error> {
        let asked = async {
            let mut replies = self.subscribe(reply_topic).await?;
            let id = self.publish(topic, request).await?;
            while let Some(reply) = replies.next().await {
                let header = reply.header();
                let is_own = (header.trace_id, header.msg_id) == (request.trace_id, id);
                if !is_own && (topic != reply_topic || header.trace_id == request.trace_id) {
                    return Ok(reply);
                }
            }
            Err(self.shared().close_error())
        };
        within(timeout, asked).await
    }

    /// Asks the broker whether it is there.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::TimedOut`], [`Error::Closed`].
    pub async fn ping(&self) -> Result<(), Error> {
        self.shared().check_answers()?;
        let pong = self.shared().send(|sending, now_ms| {
            sending.ping(now_ms);
            Ok(self.shared().inbox().expect_pong())
        });
        let pong = pong.await?;
        within(self.patience(), async { pong.await.map_err(|_| self.shared().close_error()) }).await
    }

    /// Messages and requests that were refused without anybody waiting for the answer, and the last refusal.
    #[must_use]
    pub fn refusals(&self) -> (u64, Option<RefusalReply>) {
        self.shared().inbox().refusals()
    }

    /// Waits until the session is over and says why. Safe to be dropped while it waits.
    pub async fn closed(&self) -> CloseReason {
        self.shared().wait_closed().await;
        self.shared().closed().cloned().unwrap_or(CloseReason::ByClient)
    }

    /// Ends the session once all that was said is written, also for clones and subscriptions; waits for that,
    /// `limits.client.answer_ms_max` at most.
    pub async fn close(self) {
        self.shared().outgoing().is_last = true;
        self.shared().filled.notify_one();
        if tokio::time::timeout(self.patience(), self.shared().wait_closed()).await.is_err() {
            self.shared().end(CloseReason::ByClient);
        }
    }

    fn shared(&self) -> &Shared {
        &self.guard.shared
    }

    fn patience(&self) -> Duration {
        Duration::from_millis(self.shared().limits.answer_ms_max)
    }

    /// Says something that is answered. The answer is expected before it can come.
    async fn ask(
        &self,
        say: impl FnOnce(&mut super::super::send_half::SendHalf, u64) -> Result<u64, SendError>,
    ) -> Result<(u64, Answer), Error> {
        self.shared().check_answers()?;
        let asked = self.shared().send(|sending, now_ms| {
            let id = say(sending, now_ms)?;
            Ok((id, self.shared().expect(id)))
        });
        asked.await
    }

    async fn await_answer(&self, answer: Answer) -> Result<(), Error> {
        within(self.patience(), self.shared().await_answer(answer)).await
    }
}

async fn within<T>(patience: Duration, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
    tokio::time::timeout(patience, work).await.unwrap_or(Err(Error::TimedOut { ms }))
}
