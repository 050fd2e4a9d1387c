//! Sessions as their logs make them.

use bytes::Bytes;

use super::{
    Image, Kernel,
    apply::begin,
    decide::{Start, TTL_MS_DEFAULT, TTL_MS_MAX},
    session::{End, Session},
};
use crate::{
    macp::{
        Ending, SessionState,
        log::{Damaged, Record, TtlExpired, What, envelope},
        modes::{Message, ModeState, Participants},
        proto::v1::{Envelope, SessionStartPayload},
        registry,
    },
    time::Wall,
};

/// What is wrong with a message behind the end of its session.
const FOLLOWS_END: &str = "a message follows the session's end";

/// A session that its log made.
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// All of it.
    pub image: Image,
    /// Who may take part, as they were listed.
    pub listed: Vec<String>,
}

/// Makes a session of its log alone, as far as that goes: of one that is damaged, as [`Kernel::replay`] does.
///
/// # Errors
/// [`Damaged`], where its first record is no start of a session.
pub fn rebuild(number: u64, records: impl Iterator<Item = Bytes>, text_bytes_max: u64) -> Result<Rebuilt, Damaged> {
    let mut session = Rebuilding::new(number, text_bytes_max);
    for record in records {
        session.take(&record)?;
    }
    let session = session.begun()?;
    Ok(Rebuilt { image: session.image(), listed: session.participants.listed().map(str::to_owned).collect() })
}

/// A session as its log makes it, one record after another.
#[derive(Debug)]
pub struct Rebuilding {
    number: u64,
    text_bytes_max: u64,
    session: Option<Box<Session>>,
}

/// What is told of a session that its log made.
#[derive(Clone, Debug)]
pub struct Told {
    /// What its mode keeps, as JSON.
    pub progress: serde_json::Value,
    /// What it resolved with; empty where it did not.
    pub resolution: Bytes,
    /// Who may take part, as they were listed.
    pub listed: Vec<String>,
}

impl Rebuilding {
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
        let is_damaged = session.end.as_ref().is_some_and(|end| end.ending == Ending::LogDamaged);
        if !is_damaged
            && let Err(damage) = next(session, record)
            && session.end.is_none()
        {
            let (at_ms, why) = (session.started_ms, Box::from(damage.to_string()));
            session.finish(End { ending: Ending::LogDamaged, at_ms, why, resolution: Bytes::new() });
        }
        Ok(())
    }

    /// What is told of it: of what its mode keeps about so many bytes, the latest of each kind; what is left out is counted.
    ///
    /// # Errors
    /// [`Damaged`], where there was no record.
    pub fn told(self, bytes_max: u64) -> Result<Told, Damaged> {
        let session = self.begun()?;
        Ok(Told {
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
    /// Takes in one record of a log, in its order. Of a session that is damaged, nothing more is taken in: it ends then, and why is told.
    ///
    /// # Errors
    /// [`Damaged`], the first time of a session.
    pub fn replay(&mut self, number: u64, record: &Bytes) -> Result<(), Damaged> {
        if self.gone.has(number) {
            self.replay_gone(number, record);
            return Ok(());
        }
        if !self.sessions.contains_key(&number) {
            let session = first(number, record, self.limits.shown_text_bytes_max)?;
            self.tell_opened(&session);
            self.insert(session);
            return Ok(());
        }
        let is_damaged = |session: &Session| session.end.as_ref().is_some_and(|end| end.ending == Ending::LogDamaged);
        let Some(session) = self.sessions.get(&number).filter(|session| !is_damaged(session)) else { return Ok(()) };
        if let Err(damage) = self.replay_next(number, session.state(), record) {
            let why = Box::from(damage.to_string());
            let at_ms = self.sessions.get(&number).map_or(0, |session| session.started_ms);
            self.end(number, End { ending: Ending::LogDamaged, at_ms, why, resolution: Bytes::new() });
            return Err(damage);
        }
        Ok(())
    }

    /// Of a session that is in the store alone nothing comes but that somebody was told of its end.
    fn replay_gone(&mut self, number: u64, record: &Bytes) {
        if let Ok((_, What::TtlExpired(TtlExpired { is_swept: false }))) = Record::read(record)
            && self.gone.notice(number)
        {
            self.noticed.insert(number);
        }
    }

    /// Ends a session whose log lacks something, if it is in memory and open; whether it is in memory.
    pub fn damage(&mut self, number: u64, why: &str) -> bool {
        let Some(session) = self.sessions.get(&number) else { return false };
        let at_ms = session.started_ms;
        self.end(number, End { ending: Ending::LogDamaged, at_ms, why: Box::from(why), resolution: Bytes::new() });
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

    fn replay_next(&mut self, number: u64, state: SessionState, record: &Bytes) -> Result<(), Damaged> {
        let (Wall(at_ms), what) = Record::read(record)?;
        match what {
            What::Incoming(bytes) => {
                let envelope = envelope(&bytes)?;
                let session = self.sessions.get(&number).ok_or_else(|| Damaged("the session is gone".to_owned()))?;
                if state != SessionState::Open {
                    return Err(Damaged(FOLLOWS_END.to_owned()));
                }
                let response = respond(session, &envelope)?;
                let (durable, ticket) = (self.outputs.len(), self.ticket);
                self.accept(number, at_ms, &envelope, response);
                // A resolution's record is there already.
                self.forget_records(durable);
                self.ticket = ticket;
            }
            What::TtlExpired(TtlExpired { is_swept }) => {
                if let Some(session) = self.sessions.get_mut(&number) {
                    session.is_unnoticed = is_swept;
                }
                self.touch(number);
                self.end(number, End { ending: Ending::TtlExpired, at_ms, why: Box::default(), resolution: Bytes::new() });
            }
            What::SessionCancel(cancel) => {
                let why = cancel.reason.into_boxed_str();
                self.end(number, End { ending: Ending::Cancelled, at_ms, why, resolution: Bytes::new() });
            }
            What::Resolution(_) => {}
        }
        Ok(())
    }

    /// Leaves out what asked for records, of outputs from here on.
    fn forget_records(&mut self, from: usize) {
        let outputs: Vec<_> = self.outputs.drain(from..).collect();
        for output in outputs {
            match output {
                super::Output::Persist { record, session, .. } => {
                    self.unsaved_bytes = self.unsaved_bytes.saturating_sub(record.len() as u64);
                    if let Some(session) = self.sessions.get_mut(&session) {
                        (session.last, session.stands) = (crate::ids::Ticket(0), crate::ids::Ticket(0));
                    }
                }
                output => self.outputs.push_back(output),
            }
        }
    }
}

fn first(number: u64, record: &Bytes, text_bytes_max: u64) -> Result<Box<Session>, Damaged> {
    let (Wall(at_ms), What::Incoming(bytes)) = Record::read(record)? else {
        return Err(Damaged("it does not begin with a message".to_owned()));
    };
    let envelope = envelope(&bytes)?;
    let start = start_of(&envelope).ok_or_else(|| Damaged("it does not begin with a SessionStart that is well".to_owned()))?;
    Ok(begin(number, at_ms, &envelope, start, text_bytes_max))
}

fn start_of(envelope: &Envelope) -> Option<Start> {
    let (mode_name, mode) = registry::resolve(&envelope.mode)?;
    let mut payload = <SessionStartPayload as prost::Message>::decode(envelope.payload.clone()).ok()?;
    let ttl_ms = if payload.ttl_ms == 0 { TTL_MS_DEFAULT } else { payload.ttl_ms };
    let ttl_ms = u64::try_from(ttl_ms).ok().filter(|_| ttl_ms <= TTL_MS_MAX)?;
    let participants = Participants::new(std::mem::take(&mut payload.participants));
    let state = ModeState::start(mode, &participants).ok()?;
    Some(Start { mode_name, mode, payload, participants, ttl_ms, state })
}

fn respond(session: &Session, envelope: &Envelope) -> Result<crate::macp::modes::Response<crate::macp::modes::Delta>, Damaged> {
    let (message_type, sender, payload) = (&envelope.message_type, &envelope.sender, &envelope.payload);
    let message = Message { message_type, sender, payload, parsed: None };
    let response = session.state.on_message(&session.participants, message);
    response.map_err(|rejection| Damaged(format!("a message that was accepted is not now: {}", rejection.why)))
}

fn next(session: &mut Session, record: &Bytes) -> Result<(), Damaged> {
    let (Wall(at_ms), what) = Record::read(record)?;
    let end = |ending, why: &str, resolution| End { ending, at_ms, why: Box::from(why), resolution };
    match what {
        What::Incoming(bytes) => {
            let envelope = envelope(&bytes)?;
            if session.end.is_some() {
                return Err(Damaged(FOLLOWS_END.to_owned()));
            }
            let response = respond(session, &envelope)?;
            if let Some(resolution) = session.take(at_ms, &envelope, response) {
                session.finish(end(Ending::Resolved, "", resolution));
            }
        }
        What::TtlExpired(_) if session.end.is_none() => drop(session.finish(end(Ending::TtlExpired, "", Bytes::new()))),
        What::SessionCancel(cancel) if session.end.is_none() => {
            session.finish(end(Ending::Cancelled, &cancel.reason, Bytes::new()));
        }
        What::TtlExpired(_) | What::SessionCancel(_) | What::Resolution(_) => {}
    }
    Ok(())
}
