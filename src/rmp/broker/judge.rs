//! What would be made of bytes that are not sent yet: the decisions of `handle`, without applying them.

use std::borrow::Cow;

use super::{
    admission::close_cause,
    control_frames::head_of,
    core::Broker,
    decision::{Change, ControlDecision, Step},
    json_units::UnitStep,
    judgement::{answered, certain, if_cut, mask, name_of, refused, shortfall, too_late},
    session::{Pending, Phase, Place, RefusalDetail, Session},
};
use crate::{
    admission::{Origin, Plan, TurnedAway},
    ids::Peer,
    judged::{self, Doubt, Judged, Shortfall},
    rmp::{
        Dialect, Error, HEADER_BYTES, Kind, PREFIX_BYTES, Refusal, Stand,
        snapshot::Greeting,
        split::{self, UnitSplit},
    },
    tap::entry::{
        Head as AnyHead,
        rmp::{FrameKind, Head, Verdict},
    },
    time::Now,
};

/// The shortest beginning by which a stream tells its dialect.
const DIALECT_BYTES: usize = PREFIX_BYTES + 1;

/// A connection whose bytes are judged.
pub(super) struct Inbound<'a> {
    pub(super) broker: &'a Broker,
    pub(super) now: Now,
    /// The time that TTLs are judged by.
    pub(super) now_ms: u64,
    pub(super) session: &'a Session,
    /// It is not there yet, so that its number is a guess and no deadline runs.
    pub(super) is_newcomer: bool,
}

impl Broker {
    /// What would be made of the first frame in these bytes, or of the first `Publish` with its message, if
    /// they came now where `stand` says. It is what [`handle`](Self::handle) then does; nothing is changed.
    #[must_use]
    pub fn judge(&self, now: Now, stand: &Stand, bytes: &[u8]) -> Judged {
        let now_ms = self.wall.checked(now).now_ms(now);
        match *stand {
            Stand::Connection(id) => {
                let session = self.sessions.get(id).filter(|session| !session.is_closed());
                let Some(session) = session else {
                    return too_late(Head { session: Some(id), ..head_of(bytes) }, bytes.len());
                };
                let said = session.spoken();
                Inbound { broker: self, now, now_ms, session, is_newcomer: false }.judge(said, bytes)
            }
            Stand::Newcomer { dialect, kind } => self.judge_newcomer((now, now_ms), dialect, kind, bytes),
            Stand::Towards(id) => self.judge_outbound(now, now_ms, id, bytes),
        }
    }

    fn judge_newcomer(
        &self,
        (now, now_ms): (Now, u64),
        dialect: Dialect,
        kind: Option<Kind>,
        bytes: &[u8],
    ) -> Judged {
        // From where it will come is not known.
        let origin = Origin::Unknown;
        let mut session = Session::new(self.newest.next(), Peer::new(""), now, &self.settings.limits);
        session.place = Place::new(self.table.plans_operators(origin));
        if let Some(kind) = kind {
            let kind = if dialect == Dialect::Json { Kind::Agent } else { kind };
            session.phase = Phase::Open(Greeting { client: "".into(), kind, dialect });
        } else if let Plan::Refuses(why) = self.table.plan(origin) {
            return self.judge_turned_away(now_ms, &session, why, bytes);
        }
        let said = kind.map(|_| dialect);
        let inbound = Inbound { broker: self, now, now_ms, session: &session, is_newcomer: true };
        if kind.is_none() && bytes.len() < DIALECT_BYTES {
            return inbound.undetected(dialect, bytes);
        }
        inbound.judge(said, bytes)
    }

    /// Of a connection for which there is no place, whatever it says.
    fn judge_turned_away(&self, now_ms: u64, session: &Session, why: TurnedAway, bytes: &[u8]) -> Judged {
        let busy = RefusalDetail::new(Refusal::Busy, &self.describe(why));
        let answer = self.prepare_error(now_ms, Dialect::Frames, 0, &busy, None);
        let mut judged =
            certain(head_of(bytes), Verdict::TooLate, bytes.len()).as_of_now(&[Doubt::AnotherPeer]);
        answered(&mut judged, session, Some(answer), Some(close_cause(why)));
        judged
    }
}

impl Inbound<'_> {
    fn judge(&self, dialect: Option<Dialect>, bytes: &[u8]) -> Judged {
        let Some(dialect) = dialect.or_else(|| split::dialect(bytes)) else {
            return self.undetected(Dialect::Frames, bytes);
        };
        let mut judged = match dialect {
            Dialect::Frames => self.frame(bytes),
            Dialect::Json => self.unit(bytes),
        };
        let taken = bytes.get(..judged.taken_bytes).unwrap_or(bytes);
        mask(&mut judged, taken, dialect);
        if let AnyHead::Rmp(head) = &mut judged.head {
            head.session = (!self.is_newcomer).then_some(self.session.id);
        }
        self.until_greeted(judged)
    }

    /// A connection that is not there yet may not come about; one that is open has to say who it is in time
    /// (ruling RMP 1).
    fn until_greeted(&self, mut judged: Judged) -> Judged {
        if self.is_newcomer && !judged.doubts.contains(&Doubt::Transport) {
            judged.doubts.push(Doubt::Transport);
        }
        if self.is_newcomer || self.session.is_open() {
            return judged;
        }
        let speak_by = self.broker.table.speak_by(self.session.id);
        judged.until(self.now, speak_by).as_of_now(&[Doubt::Time, Doubt::Transport])
    }

    fn body_bytes_max(&self) -> u64 {
        self.broker.settings.limits.body_bytes_max
    }

    /// Of a stream that has not told its dialect; one that ends so is judged as frames.
    fn undetected(&self, dialect: Dialect, bytes: &[u8]) -> Judged {
        let head = Head { dialect, ..Head::default() };
        let if_cut = if_cut(bytes, Dialect::Frames, self.body_bytes_max(), false);
        let judged = self.pending(head, bytes, DIALECT_BYTES.saturating_sub(bytes.len()), if_cut);
        self.until_greeted(judged)
    }

    /// Of a frame or unit whose end has not come. It has a time for that.
    fn pending(&self, head: Head, bytes: &[u8], missing_bytes: usize, if_cut: &'static str) -> Judged {
        let pending = judged::Pending { missing_bytes: Some(missing_bytes as u64), if_cut };
        let mut judged = Judged::pending(AnyHead::Rmp(head), pending);
        judged.taken_bytes = bytes.len();
        if !bytes.is_empty() {
            let max = std::time::Duration::from_millis(self.broker.settings.limits.frame_ms_max);
            judged.holds_until = Some(self.now.after(max));
            judged.doubts.push(Doubt::Time);
        }
        judged
    }

    /// Bytes that a part of a frame or unit lacks at least.
    fn missing(dialect: Dialect, len: usize, whole: Option<usize>) -> usize {
        let least = match dialect {
            Dialect::Frames => PREFIX_BYTES + HEADER_BYTES,
            Dialect::Json => PREFIX_BYTES,
        };
        whole.unwrap_or(least).saturating_sub(len)
    }

    /// Frames: a control frame, a message that is awaited, or a `Publish` and its message.
    fn frame(&self, bytes: &[u8]) -> Judged {
        let max = self.body_bytes_max();
        let (pending, at) = match &self.session.pending {
            Some(pending) => (Cow::Borrowed(pending), 0),
            None => match split::split_unit(bytes, Dialect::Frames, max) {
                UnitSplit::Part(whole) => {
                    let missing = Self::missing(Dialect::Frames, bytes.len(), whole);
                    return self.pending(
                        head_of(bytes),
                        bytes,
                        missing,
                        if_cut(bytes, Dialect::Frames, max, false),
                    );
                }
                UnitSplit::Broken(error) => return self.broken(None, &error, bytes, 0),
                UnitSplit::Whole(len) => {
                    let wire = bytes.get(..len).unwrap_or(bytes);
                    match self.broker.decide_control(self.now_ms, self.session, wire) {
                        Step::Control(decided) => return self.control(*decided, len),
                        Step::Message(pending) => (Cow::Owned(pending), len),
                    }
                }
            },
        };
        let rest = bytes.get(at..).unwrap_or_default();
        match split::split_unit(rest, Dialect::Frames, max) {
            UnitSplit::Part(whole) => {
                let topic = Broker::name_of(self.session, &pending);
                let head = Head { kind: Some(FrameKind::Publish), topic, ..head_of(rest) };
                let missing = Self::missing(Dialect::Frames, rest.len(), whole);
                self.pending(head, bytes, missing, if_cut(rest, Dialect::Frames, max, true))
            }
            UnitSplit::Broken(error) => self.broken(Some(&pending), &error, rest, at),
            UnitSplit::Whole(len) => {
                let mut judged = self.message(&pending, Dialect::Frames, rest.get(..len).unwrap_or(rest), at);
                judged.taken_bytes = at + len;
                judged
            }
        }
    }

    /// Nothing that follows can be trusted (ruling RMP 2); `at` bytes came before in the same unit.
    fn broken(&self, pending: Option<&Pending>, error: &Error, rest: &[u8], at: usize) -> Judged {
        let taken_bytes = at + rest.len().min(PREFIX_BYTES + HEADER_BYTES);
        let decided = self.broker.decide_broken(self.now_ms, self.session, pending, error);
        let mut judged = self.control(decided, taken_bytes);
        judged.shortfall = Some(shortfall(error, at));
        judged
    }

    fn unit(&self, bytes: &[u8]) -> Judged {
        let max = self.body_bytes_max();
        let head = Head { dialect: Dialect::Json, ..Head::default() };
        match split::split_unit(bytes, Dialect::Json, max) {
            UnitSplit::Part(whole) => {
                let missing = Self::missing(Dialect::Json, bytes.len(), whole);
                self.pending(head, bytes, missing, if_cut(bytes, Dialect::Json, max, false))
            }
            UnitSplit::Broken(error) => {
                let taken_bytes = bytes.len().min(PREFIX_BYTES + HEADER_BYTES);
                let mut judged = self.control(Broker::decide_broken_unit(&error), taken_bytes);
                judged.shortfall = Some(shortfall(&error, 0));
                judged
            }
            UnitSplit::Whole(len) => {
                let unit = bytes.get(..len).unwrap_or(bytes);
                let mut judged = match self.broker.decide_unit(self.session, unit) {
                    UnitStep::Control(decided) => self.control(*decided, len),
                    UnitStep::Message(pending, frame) => {
                        let mut judged = self.message(&pending, Dialect::Json, &frame, 0);
                        // Places of the frame that a message stands for are none of the unit's.
                        if let Some(shortfall) = &mut judged.shortfall {
                            shortfall.byte = PREFIX_BYTES;
                        }
                        judged
                    }
                };
                judged.taken_bytes = len;
                judged
            }
        }
    }

    /// A control frame, a unit that is no message, or what breaks the stream.
    fn control(&self, decided: ControlDecision, taken_bytes: usize) -> Judged {
        let ControlDecision { head, verdict, answer, ends, .. } = decided;
        let mut judged = match &verdict {
            Err(fault) => {
                Judged { shortfall: of_fault(fault, head.dialect), ..refused(head, fault, taken_bytes) }
            }
            Ok(change) => {
                let judged = certain(head, Verdict::Accepted, taken_bytes);
                let judged = match change {
                    Change::Nothing if self.is_newcomer => judged,
                    Change::Nothing => judged.as_of_now(&[Doubt::Transport]),
                    _ => judged.as_of_now(&[Doubt::AnotherPeer]),
                };
                Judged { effect: self.effect(change), ..judged }
            }
        };
        answered(&mut judged, self.session, answer, ends);
        judged
    }

    /// What a control frame changes, in a line.
    fn effect(&self, change: &Change) -> Option<String> {
        match change {
            Change::Nothing => None,
            Change::Greet(Greeting { client, kind, dialect }) => {
                let who = if client.is_empty() { "a client without a name" } else { client };
                let id = self.session.id;
                Some(format!("session {id} opens: {who}, {} ({})", kind.name(), dialect.protocol()))
            }
            Change::Subscribe { sub, pattern } => {
                Some(format!("{} subscribes to {} (sub {sub})", name_of(self.session), pattern.name()))
            }
            Change::Unsubscribe { sub } => Some(format!("sub {sub} of {} ends", name_of(self.session))),
        }
    }
}

/// What is wrong with a control frame or unit, where its bytes are.
fn of_fault(fault: &RefusalDetail, dialect: Dialect) -> Option<Shortfall> {
    match (&fault.error, dialect) {
        (Some(error), _) => Some(shortfall(error, 0)),
        (None, Dialect::Json) if matches!(fault.refusal, Refusal::Fault(_)) => Some(Shortfall {
            expected: "a message of the JSON dialect".to_owned(),
            got: fault.message.clone(),
            byte: PREFIX_BYTES,
        }),
        (None, _) => None,
    }
}
