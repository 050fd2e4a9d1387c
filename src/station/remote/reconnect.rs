//! Keeps a station attached: connects, takes its entries in, and connects again when it is lost.

use std::{sync::Arc, time::Duration};

use tokio::sync::oneshot;

use super::{
    port::{Connection, ConnectionState, Inner},
    rebase::RebasedMirror,
    session::{Session, body},
};
use crate::{
    ids::Seq,
    port::{
        PortError, PreviousSession,
        wire::{Batch, StationInfo, entries},
    },
    rmp::{
        Kind,
        client::{Delivery, Subscription},
        topic::TAP,
    },
    tap::Mirror,
    time::{ClockShift, Mono},
};

/// The first pause before another try, and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// A station says where its tap stands every second: one that is silent for so long is lost.
const SILENCE_MAX: Duration = Duration::from_secs(5);

/// The receiver that waits for the first session.
type First = oneshot::Sender<Result<Mirror, PortError>>;

/// Runs until no handle is left, or until the first try has failed.
pub(super) async fn run(inner: Arc<Inner>, first: First) {
    let mut is_over = inner.is_over.subscribe();
    tokio::select! {
        _ = is_over.wait_for(|is_over| *is_over) => {}
        () = maintain(&inner, first) => {}
    }
}

async fn maintain(inner: &Inner, first: First) {
    let mut first = Some(first);
    let mut keeper = Reconnector { inner, number: 0, cut: None };
    let mut pause = PAUSE.0;
    loop {
        let number = keeper.number;
        let why = match keeper.attach().await {
            Ok((attached, tap)) => {
                let mirror = inner.timeline().as_ref().map(|timeline| timeline.mirror().clone());
                if let (Some(first), Some(mirror)) = (first.take(), mirror) {
                    // The one who attaches may have given up.
                    drop(first.send(Ok(mirror)));
                }
                pause = PAUSE.0;
                keeper.watch(attached, tap).await
            }
            Err(error) => {
                if let Some(first) = first.take() {
                    drop(first.send(Err(error)));
                    return;
                }
                error.to_string()
            }
        };
        let was_attached = number != keeper.number;
        if was_attached {
            keeper.cut = Some(Arc::from(why.as_str()));
        }
        keeper.set_lost(&why, was_attached);
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE.1);
    }
}

struct Reconnector<'a> {
    inner: &'a Inner,
    /// Counts the sessions.
    number: u64,
    /// Why the last one ended.
    cut: Option<Arc<str>>,
}

impl Reconnector<'_> {
    /// Opens a session and takes its first batch, from which on nothing is missed.
    async fn attach(&mut self) -> Result<(Arc<Connection>, Subscription), PortError> {
        let inner = self.inner;
        let session = Session::open(&(inner.find)()?, &inner.limits).await?;
        if session.kind() == Kind::Cue {
            return Err(PortError::Forbidden {
                kind: Kind::Cue.name().to_owned(),
                what: "look at a station".to_owned(),
            });
        }
        let asked_at = inner.clock.now().mono;
        let about = session.about().await?;
        let answered_at = inner.clock.now().mono;
        let shift = ClockShift::between(about.now.mono, middle(asked_at, answered_at));
        let refused = |error: crate::rmp::client::Error| PortError::BadRequest(error.to_string());
        let mut tap = session.client().subscribe(TAP).await.map_err(refused)?;
        let silent = PortError::TimedOut { ms: u64::try_from(SILENCE_MAX.as_millis()).unwrap_or(u64::MAX) };
        let first = tokio::time::timeout(SILENCE_MAX, tap.next())
            .await
            .map_err(|_| silent)?
            .ok_or(PortError::Stopping)?;
        let known = inner.connection.borrow().last_start();
        let ended = self.cut.clone().map(PreviousSession::Ended);
        let cut = if known.is_some_and(|known| known != about.start) {
            Some(PreviousSession::Restarted)
        } else {
            ended
        };
        let attached = Connection::new(about, session, self.number + 1, cut, inner.clock.now());
        self.begin(&attached.about, shift, &first)?;
        self.number += 1;
        let attached = Arc::new(attached);
        inner.connection.send_replace(ConnectionState::Attached(Arc::clone(&attached)));
        Ok((attached, tap))
    }

    /// Begins the timeline with the first batch of a session, or goes on with it.
    fn begin(&self, about: &StationInfo, shift: ClockShift, first: &Delivery) -> Result<(), PortError> {
        let batch = Batch::read(body(first))
            .map_err(|error| PortError::BadRequest(format!("the station's entries: {error}")))?;
        let now = self.inner.clock.now();
        let mut timeline = self.inner.timeline();
        let known = self.inner.connection.borrow().last_start();
        match timeline.as_mut() {
            None => *timeline = Some(RebasedMirror::new(self.inner.limits.tap, batch.first, shift)),
            Some(timeline) if known.as_deref() != Some(about.start.as_str()) => {
                timeline.reset(batch.first, shift, now);
            }
            Some(_) => {}
        }
        if let Some(timeline) = timeline.as_mut() {
            take(timeline, batch.first, batch.entries, now);
        }
        Ok(())
    }

    /// Takes in what comes until the session is over; why it is.
    async fn watch(&self, attached: Arc<Connection>, mut tap: Subscription) -> String {
        let mut deliveries = Vec::new();
        loop {
            let Ok(count) = tokio::time::timeout(SILENCE_MAX, tap.next_batch(&mut deliveries)).await else {
                return format!("silent for {} s", SILENCE_MAX.as_secs());
            };
            if count == 0 {
                return attached.session.client().closed().await.to_string();
            }
            let now = self.inner.clock.now();
            attached.touch(now);
            for delivery in deliveries.drain(..) {
                match Batch::read(body(&delivery)) {
                    Ok(batch) => {
                        if let Some(timeline) = self.inner.timeline().as_mut() {
                            take(timeline, batch.first, batch.entries, now);
                        }
                    }
                    Err(error) => return format!("cannot decode its entries: {error}"),
                }
            }
        }
    }

    /// The station does not answer any more, or still not.
    fn set_lost(&self, why: &str, was_attached: bool) {
        self.inner.connection.send_modify(|hold| {
            let (last, kind, since) = match hold {
                ConnectionState::Attached(attached) => {
                    (Arc::clone(&attached.about), attached.session.kind(), attached.last_received_at())
                }
                ConnectionState::Lost { last, kind, since, .. } => (Arc::clone(last), *kind, *since),
                ConnectionState::Connecting => return,
            };
            *hold = ConnectionState::Lost { last, kind, since, why: Arc::from(why) };
        });
        if was_attached {
            tracing::warn!("lost the station: {why}");
        }
    }
}

impl ConnectionState {
    /// The start of the station that was attached last.
    fn last_start(&self) -> Option<String> {
        match self {
            Self::Connecting => None,
            Self::Attached(attached) => Some(attached.about.start.clone()),
            Self::Lost { last, .. } => Some(last.start.clone()),
        }
    }
}

fn take(timeline: &mut RebasedMirror, first: Seq, bytes: &[u8], now: crate::time::Now) {
    let readable = entries(bytes).filter_map(|entry| match entry {
        Ok(entry) => Some(entry),
        Err(error) => {
            // What cannot be read is lost, and whoever reads on takes a new snapshot.
            tracing::debug!("cannot decode an entry: {error}");
            None
        }
    });
    timeline.take(first, readable, now);
}

fn middle(from: Mono, to: Mono) -> Mono {
    Mono(from.0 + to.0.saturating_sub(from.0) / 2)
}
