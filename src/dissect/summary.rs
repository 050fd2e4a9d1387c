//! What an entry tells of, whatever its link and kind.

use std::{borrow::Cow, fmt::Write as _};

use super::{
    gate,
    outcome::EntryOutcome,
    table::{of_head, of_transition},
    transitions::name_of,
};
use crate::{
    field::Value,
    ids::{ConnectionId, EventName, InvocationId, Peer, QueueName, TopicName},
    tap::entry::{Direction, Entry, What},
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
    /// A plugin.
    pub(crate) plugin: Option<&'a str>,
    /// The method of a message of it, or to it.
    pub(crate) method: Option<&'a str>,
    /// Why it is rejected, or the status that its call ends with.
    pub(crate) code: Option<&'static str>,
}

impl<'a> EntrySummary<'a> {
    /// Reads an entry. It allocates nothing, for filters ask it of every entry that is kept.
    pub(crate) fn of(entry: &'a Entry) -> Self {
        match &entry.what {
            What::Frame(frame) => of_head(&frame.head).summary(frame),
            What::Transition(transition) => of_transition(transition).summary(),
            What::Intercepted(it) => Self::of_intercepted(it),
            What::Passed(it) => Self::of_passed(it),
            What::Committed { .. } => Self { kind: "committed", ..Self::default() },
            What::Unsent { .. } => Self { kind: "unsent", outcome: EntryOutcome::Warn, ..Self::default() },
            What::Loss { .. } => Self { kind: "loss", outcome: EntryOutcome::Warn, ..Self::default() },
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
    match &entry.what {
        What::Frame(frame) => of_head(&frame.head).line(frame),
        What::Transition(transition) => of_transition(transition).line(),
        What::Intercepted(it) => gate::intercepted_line(it),
        What::Passed(it) => gate::passed_line(it),
        What::Committed { through } => format!("durable up to ticket {through}").into(),
        What::Unsent { frames, bytes } => {
            format!("{}, {} not sent before the close", counted(*frames, "frame"), counted(*bytes, "byte"))
                .into()
        }
        What::Loss { count } => format!("lost: {}", counted(*count, "entry")).into(),
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
    if EntrySummary::of(entry).outcome == EntryOutcome::Fault {
        words.push_str(", refused");
    }
    words
}
