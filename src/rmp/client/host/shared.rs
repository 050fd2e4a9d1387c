//! What a client's handles and its two tasks share.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::Notify;

use super::{
    super::{hello::Welcome, send_half::SendHalf},
    error::{CloseReason, Error},
    inbox::{Answer, Inbox},
};
use crate::{limits, time::Clock};

/// One session.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) welcome: Welcome,
    pub(super) clock: Clock,
    pub(super) limits: limits::Client,
    outgoing: Mutex<Outgoing>,
    inbox: Mutex<Inbox>,
    /// Something waits to be written.
    pub(super) filled: Notify,
    /// What waited was taken to be written.
    pub(super) room: Notify,
    /// The session is over.
    ended: Notify,
    closed: OnceLock<CloseReason>,
}

/// The bytes to write, and whether the connection ends there.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) sending: SendHalf,
    pub(super) is_last: bool,
}

impl Shared {
    pub(super) fn new(welcome: Welcome, sending: SendHalf, clock: Clock, limits: limits::Client) -> Self {
        Self {
            welcome,
            clock,
            limits,
            outgoing: Mutex::new(Outgoing { sending, is_last: false }),
            inbox: Mutex::default(),
            filled: Notify::new(),
            room: Notify::new(),
            ended: Notify::new(),
            closed: OnceLock::new(),
        }
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.clock.now().wall.0
    }

    // A lock is held across nothing that panics between two changes that belong together.
    pub(super) fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the session is over, once it is.
    pub(super) fn closed(&self) -> Option<&CloseReason> {
        self.closed.get()
    }

    /// The reason of the end as an error. It is never asked for before the end.
    pub(super) fn close_error(&self) -> Error {
        Error::Closed(self.closed.get().cloned().unwrap_or(CloseReason::ByClient))
    }

    /// Ends the session; the first reason holds.
    pub(super) fn end(&self, why: CloseReason) {
        // Whoever was first has said why.
        drop(self.closed.set(why));
        self.inbox().end();
        self.filled.notify_one();
        self.room.notify_waiters();
        self.ended.notify_waiters();
    }

    /// Waits for the end.
    pub(super) async fn wait_closed(&self) {
        let mut ended = std::pin::pin!(self.ended.notified());
        ended.as_mut().enable();
        if self.closed.get().is_none() {
            ended.await;
        }
    }

    /// Says something, once there is room for it; `say` is called once.
    pub(super) async fn send<T>(
        &self,
        say: impl FnOnce(&mut SendHalf, u64) -> Result<T, Error>,
    ) -> Result<T, Error> {
        loop {
            if let Some(mut outgoing) = self.with_room()? {
                return self.fill(&mut outgoing, say);
            }
            let mut room = std::pin::pin!(self.room.notified());
            room.as_mut().enable();
            if let Some(mut outgoing) = self.with_room()? {
                return self.fill(&mut outgoing, say);
            }
            room.await;
        }
    }

    /// Says something whether there is room for it or not: what is small, and must not be lost.
    pub(super) fn send_now(&self, say: impl FnOnce(&mut SendHalf, u64)) {
        let mut outgoing = self.outgoing();
        if self.closed().is_none() {
            // It says nothing that can be refused.
            drop(self.fill(&mut outgoing, |sending, now_ms| {
                say(sending, now_ms);
                Ok(())
            }));
        }
    }

    fn with_room(&self) -> Result<Option<MutexGuard<'_, Outgoing>>, Error> {
        let outgoing = self.outgoing();
        if self.closed().is_some() || outgoing.is_last {
            drop(outgoing);
            return Err(self.close_error());
        }
        let has_room = (outgoing.sending.pending_bytes() as u64) < self.limits.write_buffer_bytes_max;
        Ok(has_room.then_some(outgoing))
    }

    fn fill<T>(
        &self,
        outgoing: &mut Outgoing,
        say: impl FnOnce(&mut SendHalf, u64) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let was_empty = outgoing.sending.pending_bytes() == 0;
        let result = say(&mut outgoing.sending, self.now_ms());
        if was_empty && outgoing.sending.pending_bytes() > 0 {
            self.filled.notify_one();
        }
        result
    }

    /// Has this number answered; its lock is taken within that of what is written, and never the other way
    /// round.
    pub(super) fn expect(&self, id: u64) -> Answer {
        self.inbox().expect(id)
    }

    /// Whether one more may wait for an answer.
    pub(super) fn check_answers(&self) -> Result<(), Error> {
        let answers_max = self.limits.answers_max;
        if self.inbox().waiting() as u64 >= answers_max { Err(Error::Busy { answers_max }) } else { Ok(()) }
    }

    /// The answer itself.
    pub(super) async fn await_answer(&self, answer: Answer) -> Result<(), Error> {
        match answer.await {
            Ok(result) => result.map_err(Error::Refused),
            Err(_) => Err(self.close_error()),
        }
    }
}
