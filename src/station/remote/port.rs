//! The port itself: acts, asks and watches, for as long as its handles live, whatever becomes of the station
//! meanwhile.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::{oneshot, watch};

use super::{
    address::Address,
    past,
    rebase::RebasedMirror,
    reconnect,
    session::{Session, reply, unexpected_answer},
};
use crate::{
    ids::Seq,
    limits::Limits,
    port::{
        Answer, Attachment, Command, Keyframe, Operator, Outcome, Page, PastPage, PortError, PreviousSession,
        Query, Reachability, Snapshot, StationPort, WorkbenchCommand,
        wire::{Question, Response, StationInfo},
    },
    rmp::Kind,
    tap::{Mirror, Reader},
    time::{Clock, ClockShift, Now},
};

/// Where a station is to be found; asked anew before every try, for it may have moved.
pub type Find = Box<dyn Fn() -> Result<Address, PortError> + Send + Sync>;

/// A station says where its tap stands every second: one that has said nothing for so long is behind with it.
const SILENT_AFTER: Duration = Duration::from_secs(2);

/// Whether a station answers.
#[derive(Clone, Debug)]
pub(super) enum ConnectionState {
    /// Not yet, for the first time.
    Connecting,
    /// It does, by this session.
    Attached(Arc<Connection>),
    /// It did.
    Lost { last: Arc<StationInfo>, kind: Kind, since: Now, why: Arc<str> },
}

/// A station that answers.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) about: Arc<StationInfo>,
    pub(super) session: Session,
    /// Which session of this port's it is.
    pub(super) number: u64,
    /// What became of the one before.
    cut: Option<PreviousSession>,
    /// When something came last.
    last_received_at: Mutex<Now>,
}

impl Connection {
    pub(super) fn new(
        about: StationInfo,
        session: Session,
        number: u64,
        cut: Option<PreviousSession>,
        now: Now,
    ) -> Self {
        Self { about: Arc::new(about), session, number, cut, last_received_at: Mutex::new(now) }
    }

    /// Something came.
    pub(super) fn touch(&self, now: Now) {
        *self.last_received_at.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// When something came last.
    pub(super) fn last_received_at(&self) -> Now {
        *self.last_received_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a station is reached that is connected.
fn connected(heard_at: Now, now: Now) -> Reachability {
    if now.mono.since(heard_at.mono) < SILENT_AFTER {
        Reachability::Attached
    } else {
        Reachability::Silent { since: heard_at }
    }
}

/// What every handle and the thread share.
pub(super) struct Inner {
    pub(super) find: Find,
    pub(super) clock: Clock,
    pub(super) limits: Limits,
    pub(super) connection: watch::Sender<ConnectionState>,
    /// Nothing before the first session.
    pub(super) timeline: Mutex<Option<RebasedMirror>>,
    /// No handle is left.
    pub(super) is_over: watch::Sender<bool>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").finish_non_exhaustive()
    }
}

impl Inner {
    pub(super) fn timeline(&self) -> MutexGuard<'_, Option<RebasedMirror>> {
        self.timeline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session there is, if the station answers.
    pub(super) fn connection(&self) -> Result<Arc<Connection>, PortError> {
        match &*self.connection.borrow() {
            ConnectionState::Attached(attached) => Ok(Arc::clone(attached)),
            ConnectionState::Connecting | ConnectionState::Lost { .. } => Err(self.no_station()),
        }
    }

    fn no_station(&self) -> PortError {
        (self.find)().map_or_else(|error| error, |address| PortError::NoStation { data: address.data })
    }

    /// A snapshot of the station as soon as it answers, in the places and on the clock of this process.
    async fn snapshot(&self) -> Result<Snapshot, PortError> {
        let mut hold = self.connection.subscribe();
        loop {
            let attached =
                match hold.wait_for(|hold| matches!(hold, ConnectionState::Attached(_))).await.as_deref() {
                    Ok(ConnectionState::Attached(attached)) => Arc::clone(attached),
                    Ok(_) | Err(_) => return Err(PortError::Stopping),
                };
            let answered = attached.session.ask(Question::Snapshot, Duration::ZERO).await;
            // The next session's is another state, in other places.
            let is_over = || {
                !matches!(
                    &*self.connection.borrow(),
                    ConnectionState::Attached(now) if now.number == attached.number
                )
            };
            let bytes = match answered {
                _ if is_over() => continue,
                Ok(Response::Snapshot(bytes)) => bytes,
                Ok(answered) => return Err(reply(answered).err().unwrap_or_else(unexpected_answer)),
                Err(error) => return Err(error),
            };
            let shift = self.timeline().as_ref().map_or_else(ClockShift::default, RebasedMirror::shift);
            let snapshot = Snapshot::decode_shifted(&bytes, shift)
                .map_err(|error| PortError::BadRequest(format!("the station's snapshot: {error}")))?;
            let timeline = self.timeline();
            match &*timeline {
                Some(timeline) if !is_over() => return Ok(timeline.snapshot(snapshot)),
                _ => {}
            }
        }
    }
}

/// Ends the thread with the last handle.
#[derive(Debug)]
struct ShutdownGuard {
    inner: Arc<Inner>,
}

impl Drop for ShutdownGuard {
    fn drop(&mut self) {
        self.inner.is_over.send_replace(true);
    }
}

/// The port of a station in another process. Clones are the same port.
#[derive(Clone, Debug)]
pub struct RemotePort {
    life: Arc<ShutdownGuard>,
    mirror: Mirror,
}

impl RemotePort {
    /// Attaches to a station, on a thread of the port's own, and waits until it has answered. From then on it
    /// is connected to again whenever it is lost.
    ///
    /// `clock` gives the moments that snapshots and entries are carried over to; it should be one that began
    /// [ahead](Clock::ahead), since a station may be up for longer than this process.
    ///
    /// # Errors
    /// [`PortError::NoStation`] when none answers, [`PortError::Forbidden`] when its token lets nobody look.
    pub async fn attach(find: Find, clock: Clock, limits: Limits) -> Result<Self, PortError> {
        let inner = Inner {
            find,
            clock,
            limits,
            connection: watch::Sender::new(ConnectionState::Connecting),
            timeline: Mutex::new(None),
            is_over: watch::Sender::new(false),
        };
        let inner = Arc::new(inner);
        let life = Arc::new(ShutdownGuard { inner: Arc::clone(&inner) });
        let (attached, is_attached) = oneshot::channel();
        let no_thread = |error: std::io::Error| {
            PortError::BadRequest(format!("cannot start a thread to attach with: {error}"))
        };
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_thread)?;
        let keep = move || runtime.block_on(reconnect::run(inner, attached));
        std::thread::Builder::new().name("attached".to_owned()).spawn(keep).map_err(no_thread)?;
        let mirror = is_attached.await.map_err(|_| PortError::Stopping)??;
        Ok(Self { life, mirror })
    }
}

impl Operator for RemotePort {
    fn command(&self, mut command: Command) -> Answer<Outcome> {
        let inner = &self.life.inner;
        if let Command::Workbench(WorkbenchCommand::Send { of, .. }) = &mut command {
            // The place that the station has it at; one of its earlier start is not known there.
            *of = of.and_then(|of| inner.timeline().as_ref()?.station_seq(of));
        }
        match inner.connection() {
            Ok(attached) => attached.session.command(command),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn query(&self, query: Query) -> Answer<Page> {
        match self.life.inner.connection() {
            Ok(attached) => attached.session.query(query),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}

impl StationPort for RemotePort {
    fn snapshot(&self) -> Answer<Snapshot> {
        let inner = Arc::clone(&self.life.inner);
        Box::pin(async move { inner.snapshot().await })
    }

    fn entries(&self) -> Result<Reader, PortError> {
        self.mirror.reader().map_err(|error| PortError::Busy { what: error.to_string() })
    }

    fn past(&self, before: Seq) -> Answer<PastPage> {
        let inner = Arc::clone(&self.life.inner);
        Box::pin(async move { past::page(&inner, before).await })
    }

    fn keyframe(&self, from: Seq) -> Answer<Option<Keyframe>> {
        let inner = Arc::clone(&self.life.inner);
        Box::pin(async move { past::keyframe(&inner, from).await })
    }

    fn attachment(&self) -> Option<Attachment> {
        let inner = &self.life.inner;
        let of = |about: &StationInfo, kind, reach| Attachment {
            name: Arc::from(about.name.as_str()),
            pid: about.pid,
            session: None,
            kind,
            reachability: reach,
            previous: None,
        };
        match &*inner.connection.borrow() {
            ConnectionState::Connecting => None,
            ConnectionState::Attached(attached) => {
                let reach = connected(attached.last_received_at(), inner.clock.now());
                let session = Some(attached.session.number());
                Some(Attachment {
                    session,
                    previous: attached.cut.clone(),
                    ..of(&attached.about, attached.session.kind(), reach)
                })
            }
            ConnectionState::Lost { last, kind, since, why } => {
                Some(of(last, *kind, Reachability::Lost { since: *since, why: Arc::clone(why) }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_that_is_late_with_its_sign_of_life_is_silent_from_when_it_was_heard_last() {
        let heard_at = Now::at_ms(10_000);
        assert_eq!(connected(heard_at, Now::at_ms(11_999)), Reachability::Attached);
        assert_eq!(connected(heard_at, Now::at_ms(12_000)), Reachability::Silent { since: heard_at });
    }
}
