//! Waits for the next event. The sources take turns in being asked first, so that none of them, however busy,
//! starves another.

use std::{
    future::{Future, poll_fn},
    io,
    ops::Bound,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{sync::mpsc, time::Sleep};

use super::{
    conn::{Conn, Phase, ReadGate},
    listen::{Listener, ListenerEvent},
    request::Request,
    run::{Completion, Host},
};
use crate::{
    gate::Release,
    ids::ConnectionId,
    tap::entry::Direction,
    time::{Clock, Mono},
};

/// What the loop turns on.
pub(super) enum Event {
    Completed(Completion),
    Request(Option<Request>),
    Read(ConnectionId, io::Result<usize>),
    /// The first words of a newcomer were held long enough.
    Resumed(ConnectionId),
    /// The gate lets a line go that it held, in this direction.
    Released(ConnectionId, Direction, Release),
    WriteFailed(ConnectionId),
    Lingered(ConnectionId),
    Listened(ListenerEvent),
    Timer,
}

/// A sleep that is re-armed only when something is due earlier: deadlines mostly move away, and a timer that
/// fires early costs less than one that is moved at every frame.
#[derive(Default)]
pub(super) struct Timer {
    sleep: Option<Pin<Box<Sleep>>>,
    at: Option<Mono>,
}

impl Timer {
    fn poll(&mut self, cx: &mut Context<'_>, clock: Clock, deadline: Option<Mono>) -> Poll<()> {
        let Some(deadline) = deadline else { return Poll::Pending };
        if self.at.is_none_or(|at| deadline < at) {
            self.at = Some(deadline);
            self.sleep = Some(Box::pin(tokio::time::sleep(clock.until(deadline))));
        }
        let Some(sleep) = &mut self.sleep else { return Poll::Pending };
        if sleep.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.sleep = None;
        self.at = None;
        Poll::Ready(())
    }
}

impl Host {
    pub(super) async fn next_event(
        &mut self,
        listener: &mut Listener,
        requests: &mut mpsc::Receiver<Request>,
        completed: &mut mpsc::Receiver<Completion>,
        timer: &mut Timer,
    ) -> Event {
        poll_fn(|cx| {
            self.turn = self.turn.wrapping_add(1);
            for place in 0..4 {
                let polled = match (self.turn + place) % 4 {
                    0 => completed.poll_recv(cx).map(|completion| completion.map(Event::Completed)),
                    1 => requests.poll_recv(cx).map(|request| Some(Event::Request(request))),
                    2 => self.poll_conns(cx).map(Some),
                    _ => listener
                        .poll(cx, self.clock.now().mono)
                        .map(|listened| Some(Event::Listened(listened))),
                };
                if let Poll::Ready(Some(event)) = polled {
                    return Poll::Ready(event);
                }
            }
            let deadline = self.deadline(listener);
            timer.poll(cx, self.clock, deadline).map(|()| Event::Timer)
        })
        .await
    }

    /// Asks the connections behind the one that was served last, then the others.
    fn poll_conns(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        let now = self.clock.now().mono;
        let last = self.last_conn;
        let polled = poll_each(self.conns.range_mut((Bound::Excluded(last), Bound::Unbounded)), cx, now)
            .or_else(|| poll_each(self.conns.range_mut(..=last), cx, now));
        match polled {
            Some((id, event)) => {
                self.last_conn = id;
                Poll::Ready(event)
            }
            None => Poll::Pending,
        }
    }
}

fn poll_open(id: ConnectionId, conn: &mut Conn, cx: &mut Context<'_>, now: Mono) -> Poll<Event> {
    let flushed = conn.poll_flush(cx, now);
    if let Poll::Ready(released) = conn.gated.poll(cx, id) {
        return Poll::Ready(released);
    }
    let read = if conn.gated.holds_line() { Poll::Pending } else { conn.poll_read(cx) };
    match (flushed, read) {
        // What has come already counts, whatever becomes of what was to leave.
        (Poll::Ready(Err(_)), Poll::Ready(Ok(read))) if read > 0 => Poll::Ready(Event::Read(id, Ok(read))),
        (Poll::Ready(Err(_)), _) => Poll::Ready(Event::WriteFailed(id)),
        (Poll::Ready(Ok(())) | Poll::Pending, read) => read.map(|read| Event::Read(id, read)),
    }
}

fn poll_each<'a>(
    conns: impl Iterator<Item = (&'a ConnectionId, &'a mut Conn)>,
    cx: &mut Context<'_>,
    now: Mono,
) -> Option<(ConnectionId, Event)> {
    for (&id, conn) in conns {
        let event = match conn.phase {
            Phase::Lingering { .. } => conn.poll_linger(cx, now).map(|()| Event::Lingered(id)),
            Phase::Open if matches!(conn.hearing, ReadGate::Held(until) if now < until) => Poll::Pending,
            Phase::Open if matches!(conn.hearing, ReadGate::Held(_)) => {
                conn.hearing = ReadGate::Resumed;
                Poll::Ready(Event::Resumed(id))
            }
            Phase::Open => poll_open(id, conn, cx, now),
        };
        if let Poll::Ready(event) = event {
            return Some((id, event));
        }
    }
    None
}
