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
    keep,
    session::{Session, reply, strange},
    timeline::Timeline,
};
use crate::{
    limits::Limits,
    port::{
        Answer, Attachment, Command, Cut, Operator, Outcome, Page, PortError, Query, Reach, Snapshot,
        StationPort,
        wire::{About, Answered, Question},
    },
    rmp::Kind,
    tap::{Mirror, Reader},
    time::{Clock, Now},
};

/// Where a station is to be found; asked anew before every try, for it may have moved.
pub type Find = Box<dyn Fn() -> Result<Address, PortError> + Send + Sync>;

/// A station says where its tap stands every second: one that has said nothing for so long is behind with it.
const SILENT_AFTER: Duration = Duration::from_secs(2);

/// Whether a station answers.
#[derive(Clone, Debug)]
pub(super) enum Hold {
    /// Not yet, for the first time.
    Connecting,
    /// It does, by this session.
    Attached(Arc<Attached>),
    /// It did.
    Lost { last: Arc<About>, kind: Kind, since: Now, why: Arc<str> },
}

/// A station that answers.
#[derive(Debug)]
pub(super) struct Attached {
    pub(super) about: Arc<About>,
    pub(super) session: Session,
    /// Which session of this port's it is.
    pub(super) number: u64,
    /// What became of the one before.
    cut: Option<Cut>,
    /// When something came last.
    heard_at: Mutex<Now>,
}

impl Attached {
    pub(super) fn new(about: About, session: Session, number: u64, cut: Option<Cut>, now: Now) -> Self {
        Self { about: Arc::new(about), session, number, cut, heard_at: Mutex::new(now) }
    }

    /// Something came.
    pub(super) fn hear(&self, now: Now) {
        *self.heard_at.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// When something came last.
    pub(super) fn heard_at(&self) -> Now {
        *self.heard_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a station is reached that is connected.
fn connected(heard_at: Now, now: Now) -> Reach {
    if now.mono.since(heard_at.mono) < SILENT_AFTER {
        Reach::Attached
    } else {
        Reach::Silent { since: heard_at }
    }
}

/// What every handle and the thread share.
pub(super) struct Inner {
    pub(super) find: Find,
    pub(super) clock: Clock,
    pub(super) limits: Limits,
    pub(super) hold: watch::Sender<Hold>,
    /// Nothing before the first session.
    pub(super) timeline: Mutex<Option<Timeline>>,
    /// No handle is left.
    pub(super) is_over: watch::Sender<bool>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").finish_non_exhaustive()
    }
}

impl Inner {
    pub(super) fn timeline(&self) -> MutexGuard<'_, Option<Timeline>> {
        self.timeline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session there is, if the station answers.
    fn attached(&self) -> Result<Arc<Attached>, PortError> {
        match &*self.hold.borrow() {
            Hold::Attached(attached) => Ok(Arc::clone(attached)),
            Hold::Connecting | Hold::Lost { .. } => Err(self.no_station()),
        }
    }

    fn no_station(&self) -> PortError {
        (self.find)().map_or_else(|error| error, |address| PortError::NoStation { data: address.data })
    }

    /// A snapshot of the station as soon as it answers, in the places and on the clock of this process.
    async fn snapshot(&self) -> Result<Snapshot, PortError> {
        let mut hold = self.hold.subscribe();
        loop {
            let attached = match hold.wait_for(|hold| matches!(hold, Hold::Attached(_))).await.as_deref() {
                Ok(Hold::Attached(attached)) => Arc::clone(attached),
                Ok(_) | Err(_) => return Err(PortError::Stopping),
            };
            let answered = attached.session.ask(Question::Snapshot, Duration::ZERO).await;
            // The next session's is another state, in other places.
            let is_over =
                !matches!(&*self.hold.borrow(), Hold::Attached(now) if now.number == attached.number);
            let bytes = match answered {
                _ if is_over => continue,
                Ok(Answered::Snapshot(bytes)) => bytes,
                Ok(answered) => return Err(reply(answered).err().unwrap_or_else(strange)),
                Err(error) => return Err(error),
            };
            let snapshot = Snapshot::decode(&bytes)
                .map_err(|error| PortError::BadRequest(format!("the station's snapshot: {error}")))?;
            let timeline = self.timeline();
            let is_over =
                !matches!(&*self.hold.borrow(), Hold::Attached(now) if now.number == attached.number);
            match &*timeline {
                Some(timeline) if !is_over => return Ok(timeline.snapshot(snapshot)),
                _ => {}
            }
        }
    }
}

/// Ends the thread with the last handle.
#[derive(Debug)]
struct Life {
    inner: Arc<Inner>,
}

impl Drop for Life {
    fn drop(&mut self) {
        self.inner.is_over.send_replace(true);
    }
}

/// The port of a station in another process. Clones are the same port.
#[derive(Clone, Debug)]
pub struct RemotePort {
    life: Arc<Life>,
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
            hold: watch::Sender::new(Hold::Connecting),
            timeline: Mutex::new(None),
            is_over: watch::Sender::new(false),
        };
        let inner = Arc::new(inner);
        let life = Arc::new(Life { inner: Arc::clone(&inner) });
        let (attached, is_attached) = oneshot::channel();
        let no_thread = |error: std::io::Error| {
            PortError::BadRequest(format!("the system gives no thread to attach by: {error}"))
        };
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_thread)?;
        let keep = move || runtime.block_on(keep::run(inner, attached));
        std::thread::Builder::new().name("attached".to_owned()).spawn(keep).map_err(no_thread)?;
        let mirror = is_attached.await.map_err(|_| PortError::Stopping)??;
        Ok(Self { life, mirror })
    }
}

impl Operator for RemotePort {
    fn command(&self, command: Command) -> Answer<Outcome> {
        match self.life.inner.attached() {
            Ok(attached) => attached.session.command(command),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn query(&self, query: Query) -> Answer<Page> {
        match self.life.inner.attached() {
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

    fn attachment(&self) -> Option<Attachment> {
        let inner = &self.life.inner;
        let of = |about: &About, kind, reach| Attachment {
            name: Arc::from(about.name.as_str()),
            pid: about.pid,
            session: None,
            kind,
            reach,
            cut: None,
        };
        match &*inner.hold.borrow() {
            Hold::Connecting => None,
            Hold::Attached(attached) => {
                let reach = connected(attached.heard_at(), inner.clock.now());
                let session = Some(attached.session.number());
                Some(Attachment {
                    session,
                    cut: attached.cut.clone(),
                    ..of(&attached.about, attached.session.kind(), reach)
                })
            }
            Hold::Lost { last, kind, since, why } => {
                Some(of(last, *kind, Reach::Lost { since: *since, why: Arc::clone(why) }))
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
        assert_eq!(connected(heard_at, Now::at_ms(11_999)), Reach::Attached);
        assert_eq!(connected(heard_at, Now::at_ms(12_000)), Reach::Silent { since: heard_at });
    }
}
