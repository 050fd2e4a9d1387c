//! Sessions as their logs make them.

use bytes::Bytes;

use super::{
    Image, Kernel,
    apply::begin,
    decide::{Start, TTL_MS_DEFAULT, TTL_MS_MAX},
    session::{End, Session},
    start::{self, Opening},
};
use crate::{
    macp::{
        Ending,
        envelope::SESSION_START,
        log::{Damaged, Record, TtlExpired, What, envelope},
        modes::{Delta, Message, ModeState, Response},
        proto::v1::Envelope,
        registry,
    },
    time::Wall,
};

/// Makes a session of its log alone, as far as that goes: of one that is damaged, as [`Kernel::replay`] does.
///
/// # Errors
/// [`Damaged`], where its first record is no start of a session.
pub fn rebuild(
    number: u64,
    records: impl Iterator<Item = Bytes>,
    text_bytes_max: u64,
) -> Result<Image, Damaged> {
    let mut session = SessionRebuilder::new(number, text_bytes_max);
    for record in records {
        session.take(&record)?;
    }
    session.begun().map(|session| session.image())
}

/// A session as its log makes it, one record after another.
#[derive(Debug)]
pub struct SessionRebuilder {
    number: u64,
    text_bytes_max: u64,
    session: Option<Box<Session>>,
}

/// The summary of a session that its log rebuilt.
#[derive(Clone, Debug)]
pub struct RebuiltSummary {
    /// What its mode keeps, as JSON.
    pub progress: serde_json::Value,
    /// What it resolved with; empty where it did not.
    pub resolution: Bytes,
    /// Who may take part, as they were listed.
    pub listed: Vec<String>,
}

impl SessionRebuilder {
    /// A session of which no record was taken in.
    #[must_use]
    pub const fn new(number: u64, text_bytes_max: u64) -> Self {
        Self { number, text_bytes_max, session: None }
    }

    /// Takes in the next record. Behind one that is damaged nothing counts.
    ///
    /// # Errors
    /// [`Damaged`], where the first is no start of a session.
    pub fn take(&mut self, record: &Bytes) -> Result<(), Damaged> {
        let Some(session) = &mut self.session else {
            self.session = Some(first(self.number, record, self.text_bytes_max)?);
            return Ok(());
        };
        if session.is_damaged() {
            return Ok(());
        }
        match step(session, record) {
            Ok((at_ms, step)) => session.follow(at_ms, step),
            Err(damage) if session.end.is_none() => {
                session.finish(damaged(session, &damage.to_string()));
            }
            Err(_) => {}
        }
        Ok(())
    }

    /// Its summary: of what its mode keeps about so many bytes, the latest of each kind; what is left
    /// out is counted.
    ///
    /// # Errors
    /// [`Damaged`], where there was no record.
    pub fn summary(self, bytes_max: u64) -> Result<RebuiltSummary, Damaged> {
        let session = self.begun()?;
        Ok(RebuiltSummary {
            progress: session.state.json_within(&session.participants, bytes_max),
            listed: session.participants.listed().map(str::to_owned).collect(),
            resolution: session.end.map(|end| end.resolution).unwrap_or_default(),
        })
    }

    fn begun(self) -> Result<Box<Session>, Damaged> {
        self.session.ok_or_else(|| Damaged("it is empty".to_owned()))
    }
}

impl Kernel {
    /// Takes in one record of a log, in its order. Of a session that is damaged, nothing more is taken in: it
    /// ends then, and why is told.
    ///
    /// # Errors
    /// [`Damaged`], the first time of a session.
    pub fn replay(&mut self, number: u64, record: &Bytes) -> Result<(), Damaged> {
        if self.evicted_index.has(number) {
            self.replay_evicted(number, record);
            return Ok(());
        }
        if !self.sessions.contains_key(&number) {
            let session = first(number, record, self.limits.shown_text_bytes_max)?;
            self.emit_opened(&session);
            self.insert(session);
            return Ok(());
        }
        let Some(session) = self.sessions.get(&number).filter(|session| !session.is_damaged()) else {
            return Ok(());
        };
        match step(session, record) {
            Ok((at_ms, step)) => self.follow_step(number, at_ms, step),
            Err(damage) => {
                self.damage(number, &damage.to_string());
                return Err(damage);
            }
        }
        Ok(())
    }

    /// Of a session that is in the store alone nothing comes but that somebody was told of its end.
    fn replay_evicted(&mut self, number: u64, record: &Bytes) {
        if let Ok((_, What::TtlExpired(TtlExpired { is_swept: false }))) = Record::read(record)
            && self.evicted_index.notice(number)
        {
            self.noticed.insert(number);
        }
    }

    /// Ends a session whose log lacks something, if it is in memory and open; whether it is in memory.
    pub fn damage(&mut self, number: u64, why: &str) -> bool {
        let Some(end) = self.sessions.get(&number).map(|session| damaged(session, why)) else { return false };
        self.end(number, end);
        true
    }

    /// All logs were taken in.
    pub fn replayed(&mut self) {
        self.closed.make_contiguous().sort_unstable();
    }

    /// Has the next session take this number or a greater one.
    pub fn number_from(&mut self, number: u64) {
        self.next_number = self.next_number.max(number);
    }

    fn follow_step(&mut self, number: u64, at_ms: u64, step: Step) {
        match step {
            Step::Take { envelope, bytes, response } => {
                if let Some(resolution) = self.accept(number, at_ms, &envelope, &bytes, response) {
                    self.resolve(number, at_ms, resolution);
                }
            }
            Step::Expire { is_swept } => {
                if let Some(session) = self.sessions.get_mut(&number) {
                    session.is_unnoticed = is_swept;
                }
                self.touch(number);
                self.end(
                    number,
                    End { ending: Ending::TtlExpired, at_ms, why: Box::default(), resolution: Bytes::new() },
                );
            }
            Step::Cancel { why } => {
                self.end(number, End { ending: Ending::Cancelled, at_ms, why, resolution: Bytes::new() });
            }
            Step::Nothing => {}
        }
    }
}

/// What a record makes of a session.
enum Step {
    /// It takes in a message.
    Take { envelope: Box<Envelope>, bytes: Bytes, response: Response<Delta> },
    /// Its TTL is over, or somebody was told so first.
    Expire { is_swept: bool },
    /// It is cancelled.
    Cancel { why: Box<str> },
    /// The record follows from the one before.
    Nothing,
}

fn step(session: &Session, record: &Bytes) -> Result<(u64, Step), Damaged> {
    let (Wall(at_ms), what) = Record::read(record)?;
    let step = match what {
        What::Incoming(bytes) => {
            let envelope = Box::new(envelope(&bytes)?);
            if session.end.is_some() {
                return Err(Damaged("a message follows the session's end".to_owned()));
            }
            let response = respond(session, &envelope)?;
            Step::Take { envelope, bytes, response }
        }
        What::TtlExpired(TtlExpired { is_swept }) => Step::Expire { is_swept },
        What::SessionCancel(cancel) => Step::Cancel { why: cancel.reason.into_boxed_str() },
        What::Resolution(_) => Step::Nothing,
    };
    Ok((at_ms, step))
}

impl Session {
    /// Whether it ended for its log, behind which nothing counts.
    fn is_damaged(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.ending == Ending::LogDamaged)
    }

    fn follow(&mut self, at_ms: u64, step: Step) {
        let end = |ending, why, resolution| End { ending, at_ms, why, resolution };
        let end = match step {
            Step::Take { envelope, bytes, response } => self
                .take(at_ms, &envelope, &bytes, response)
                .map(|resolution| end(Ending::Resolved, Box::default(), resolution)),
            Step::Expire { .. } => Some(end(Ending::TtlExpired, Box::default(), Bytes::new())),
            Step::Cancel { why } => Some(end(Ending::Cancelled, why, Bytes::new())),
            Step::Nothing => None,
        };
        if let Some(end) = end.filter(|_| self.end.is_none()) {
            self.finish(end);
        }
    }
}

/// The end of a session whose log lacks something.
fn damaged(session: &Session, why: &str) -> End {
    End {
        ending: Ending::LogDamaged,
        at_ms: session.started_ms,
        why: Box::from(why),
        resolution: Bytes::new(),
    }
}

fn first(number: u64, record: &Bytes, text_bytes_max: u64) -> Result<Box<Session>, Damaged> {
    let mut record = Record::of(record)?;
    let traceparent = record.traceparent.take().map(String::into_boxed_str);
    let (Wall(at_ms), What::Incoming(bytes)) = record.known()? else {
        return Err(Damaged("it does not begin with a message".to_owned()));
    };
    let envelope = envelope(&bytes)?;
    let start = start_of(&envelope)
        .ok_or_else(|| Damaged("it does not begin with a valid SessionStart".to_owned()))?;
    let start = Start { traceparent, ..start };
    Ok(begin(number, at_ms, &envelope, &bytes, start, text_bytes_max))
}

fn start_of(envelope: &Envelope) -> Option<Start> {
    let (mode_name, mode) =
        registry::resolve(&envelope.mode).filter(|_| envelope.message_type == SESSION_START)?;
    let Opening { payload, participants } = start::read(&envelope.payload, u64::MAX).ok()?;
    let participants = participants.ok()?;
    let ttl_ms = if payload.ttl_ms == 0 { TTL_MS_DEFAULT } else { payload.ttl_ms };
    let ttl_ms = u64::try_from(ttl_ms).ok().filter(|_| ttl_ms <= TTL_MS_MAX)?;
    let state = ModeState::start(mode, &participants).ok()?;
    Some(Start { mode_name, mode, payload: *payload, participants, ttl_ms, state, traceparent: None })
}

fn respond(session: &Session, envelope: &Envelope) -> Result<Response<Delta>, Damaged> {
    let (message_type, sender, payload) = (&envelope.message_type, &envelope.sender, &envelope.payload);
    let message = Message { message_type, sender, payload, parsed: None };
    let response = session.state.on_message(&session.participants, message);
    response
        .map_err(|rejection| Damaged(format!("a message that was accepted is not now: {}", rejection.why)))
}
