//! What an entry tells of, whatever its link and kind.

use crate::dissect::{macp, rmp, runs, station};
use std::{borrow::Cow, fmt::Write as _};

use super::{outcome::EntryOutcome, transitions::name_of};
use crate::{
    dissect::Breach,
    field::Value,
    ids::{ConnectionId, EventName, InvocationId, Peer, QueueName, TopicName},
    tap::{
        entry,
        entry::{Direction, Entry, Frame, Head, Transition, Verdict, What, mpp},
    },
    words::counted,
};

/// What an entry tells of. Nothing in it is a peer's text but names that the manifest declares, addresses,
/// and on the bus topics and what clients call themselves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EntrySummary<'a> {
    /// The type of the frame, or the name of the transition.
    pub(crate) kind: &'static str,
    pub(crate) peer: Option<&'a Peer>,
    pub(crate) id: Option<InvocationId>,
    pub(crate) queue: Option<&'a QueueName>,
    pub(crate) event: Option<&'a EventName>,
    pub(crate) outcome: EntryOutcome,
    /// The clause that was broken.
    pub(crate) clause: Option<&'static str>,
    pub(crate) topic: Option<&'a TopicName>,
    pub(crate) schema: Option<u16>,
    pub(crate) msg_id: Option<u64>,
    /// The number of a subscription of the bus.
    pub(crate) sub: Option<u64>,
    /// A session of the bus.
    pub(crate) session: Option<ConnectionId>,
    /// What that calls itself.
    pub(crate) client: Option<&'a str>,
    /// A session of the coordination runtime.
    pub(crate) macp_session: Option<&'a str>,
    /// How that is coordinated.
    pub(crate) mode: Option<&'static str>,
    /// Who sends a message of it.
    pub(crate) sender: Option<&'a str>,
    /// The type of that message.
    pub(crate) message_type: Option<&'a str>,
    /// Its id.
    pub(crate) message_id: Option<&'a str>,
    /// Why it is rejected, or the status that its call ends with.
    pub(crate) code: Option<&'static str>,
}

impl<'a> EntrySummary<'a> {
    /// Reads an entry. It allocates nothing, for filters ask it of every entry that is kept.
    pub(crate) fn of(entry: &'a Entry) -> Self {
        match &entry.what {
            What::Frame(frame) => Self::of_frame(frame),
            What::Transition(Transition::Station(transition)) => station::summary::summary(*transition),
            What::Transition(Transition::Mpp(transition)) => {
                crate::dissect::mpp::summary::summary(transition)
            }
            What::Transition(Transition::Rmp(transition)) => rmp::summary::summary(transition),
            What::Transition(Transition::Runs(transition)) => runs::summary::summary(transition),
            What::Transition(Transition::Macp(transition)) => macp::summary::summary(transition),
            What::Committed { .. } => Self { kind: "committed", ..Self::default() },
            What::Unsent { .. } => Self { kind: "unsent", outcome: EntryOutcome::Warn, ..Self::default() },
            What::Loss { .. } => Self { kind: "loss", outcome: EntryOutcome::Warn, ..Self::default() },
        }
    }

    fn of_frame(frame: &'a Frame) -> Self {
        let head = match &frame.head {
            Head::Mpp(head) => head,
            Head::Rmp(head) => return rmp::summary::frame_summary(frame, head),
            Head::Macp(head) => return macp::summary::frame_summary(frame, head),
        };
        let (standing, clause) = match &frame.verdict {
            Verdict::Sent | Verdict::Rmp(_) | Verdict::Macp(_) => (EntryOutcome::Sent, None),
            Verdict::Mpp(mpp::Verdict::Accepted) => (EntryOutcome::Ok, None),
            Verdict::Mpp(mpp::Verdict::TooLate) => (EntryOutcome::Late, None),
            Verdict::Mpp(mpp::Verdict::Refused(fault)) => {
                (EntryOutcome::Fault, Some(Breach::from(*fault).clause()))
            }
        };
        Self {
            kind: head.kind.map_or("?", mpp::FrameType::name),
            peer: Some(&frame.peer),
            id: head.id,
            queue: head.queue.as_ref(),
            event: head.event.as_ref(),
            outcome: standing,
            clause,
            ..Self::default()
        }
    }

    /// The session that it tells of: of the bus by its number, of the coordination runtime by its id.
    pub(crate) fn session(&self) -> Value<'a> {
        match (self.macp_session, self.session) {
            (Some(held), _) => Value::text(held),
            (None, Some(session)) => Value::text(session.0.to_string()),
            (None, None) => Value::None,
        }
    }

    /// What it is about, in the order in which it is said: `41 give_item on default`.
    pub(crate) fn subject(&self) -> String {
        let mut words = String::new();
        let mut say = |word: &str| {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(word);
        };
        if let Some(id) = self.id {
            say(&id.to_string());
        }
        if let Some(event) = self.event {
            say(event.as_str());
        }
        match (self.queue, self.id.is_some() || self.event.is_some()) {
            (Some(queue), true) => {
                say("on");
                say(queue.as_str());
            }
            (Some(queue), false) => say(queue.as_str()),
            (None, _) => {}
        }
        words
    }
}

/// One line that says what happened. What peers and viewers wrote is not in it.
pub(crate) fn line(entry: &Entry) -> Cow<'static, str> {
    let told = EntrySummary::of(entry);
    match &entry.what {
        What::Frame(frame) => frame_line(frame, &told),
        What::Transition(Transition::Station(transition)) => station::summary::line(*transition),
        What::Transition(Transition::Mpp(transition)) => {
            crate::dissect::mpp::summary::line(transition, &told)
        }
        What::Transition(Transition::Rmp(transition)) => rmp::summary::line(transition),
        What::Transition(Transition::Runs(transition)) => runs::summary::line(transition),
        What::Transition(Transition::Macp(transition)) => macp::summary::line(transition),
        What::Committed { through } => format!("durable through ticket {through}").into(),
        What::Unsent { frames, bytes } => format!(
            "{}, {} did not leave before the close",
            counted(*frames, "frame"),
            counted(*bytes, "byte")
        )
        .into(),
        What::Loss { count } => format!("lost: {}", counted(*count, "entry")).into(),
    }
}

fn frame_line(frame: &Frame, told: &EntrySummary<'_>) -> Cow<'static, str> {
    match &frame.verdict {
        Verdict::Mpp(mpp::Verdict::Refused(fault)) => return Breach::from(*fault).text().into(),
        Verdict::Mpp(mpp::Verdict::TooLate) => return "came after the close, not looked at".into(),
        Verdict::Mpp(mpp::Verdict::Accepted) | Verdict::Sent | Verdict::Rmp(_) | Verdict::Macp(_) => {}
    }
    let head = match &frame.head {
        Head::Mpp(head) => head,
        Head::Rmp(head) => return rmp::summary::frame_line(frame, head),
        Head::Macp(head) => return macp::summary::frame_line(frame, head),
    };
    match (head.kind, frame.direction) {
        (Some(mpp::FrameType::Hello) | None, Direction::Inbound) => format!("from {}", frame.peer).into(),
        (Some(mpp::FrameType::HelloAck) | None, Direction::Outbound) => format!("to {}", frame.peer).into(),
        (Some(_), _) => told.subject().into(),
    }
}

/// An entry in a few words that anybody may see.
pub(crate) fn describe(entry: &Entry) -> String {
    let mut words = match &entry.what {
        What::Frame(frame) => match frame.direction {
            Direction::Inbound => format!("in {}", name_of(&entry.what)),
            Direction::Outbound => format!("out {}", name_of(&entry.what)),
        },
        _ => name_of(&entry.what).to_owned(),
    };
    if let Some(id) = entry.invocation() {
        let _ = write!(words, " {id}");
    }
    if let What::Frame(frame) = &entry.what
        && matches!(
            frame.verdict,
            Verdict::Mpp(mpp::Verdict::Refused(_))
                | Verdict::Rmp(entry::rmp::Verdict::Refused(_))
                | Verdict::Macp(entry::macp::Verdict::Refused(_) | entry::macp::Verdict::Declined(_))
        )
    {
        words.push_str(", refused");
    }
    words
}
