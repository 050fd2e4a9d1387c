//! What the station itself would make of a message that the bus takes for it: the control plane, and the
//! operator service.

use bytes::Bytes;
use tokio::sync::oneshot;

use super::door::Door;
use crate::{
    ids::{ConnectionId, TopicName},
    judged::{Answer, Doubt, Judged},
    port::{
        PortError, Query,
        wire::{Question, Reply, Response, may_ask, parts_as_shown, read_question},
    },
    rmp::{
        Dialect, FrameKind, HEADER_BYTES, Header, Kind, PREFIX_BYTES, RawFrame, SchemaId,
        dialect::FromClient,
        topic::{ACTION_DECISION, CTRL, OPERATOR},
    },
    runs::{
        ControlTopic, JudgedControl, Stand,
        host::{Question as ControlQuestion, Request},
    },
    station::{
        commands,
        host::Asking,
        local::Inner,
        pages,
        past::{beside, beside_where_long},
        runs::asker_kind,
    },
    tap::entry::{Head, Verdict, rmp},
};

/// The longest answer of the operator service that is foreseen, in bytes; a longer one is described alone.
const FORESEEN_BYTES_MAX: u64 = 65_536;

/// Who publishes it.
struct Publisher {
    kind: Kind,
    client: String,
    session: Option<ConnectionId>,
}

/// The door that it would go through.
#[derive(Clone, Copy)]
pub(super) struct PeerDoor<'a> {
    pub(super) dialect: Dialect,
    /// The kind whose `Hello` is said for it.
    pub(super) kind: Option<Kind>,
    pub(super) client: &'a str,
    /// Where it is open.
    pub(super) open: Option<&'a Door>,
}

/// A message that the bus would give to the station.
#[derive(Clone)]
struct ForStation {
    topic: TopicName,
    /// With its length.
    frame: Bytes,
}

/// The judgement, with what the station would make of the message where it would take it.
pub(super) async fn with_station(
    inner: &Inner,
    door: PeerDoor<'_>,
    judged: Judged,
    bytes: &Bytes,
) -> Result<Judged, PortError> {
    let (length, whole) = (bytes.len(), bytes.clone());
    let read = move || {
        let message = ForStation::of(&judged, &whole);
        (judged, message)
    };
    let (judged, message) = beside_where_long(&inner.limits, length, read).await?;
    let Some(message) = message else { return Ok(judged) };
    let Some(publisher) = Publisher::of(inner, door).await? else { return Ok(judged) };
    match message.topic.as_str() {
        OPERATOR => with_operator(inner, publisher.kind, judged, &message).await,
        CTRL => with_control(inner, publisher, ControlTopic::Control, judged, &message).await,
        _ => with_control(inner, publisher, ControlTopic::Decision, judged, &message).await,
    }
}

impl Publisher {
    /// Who it is that publishes through a door: of an open one what its `Hello` said, whoever made that.
    async fn of(inner: &Inner, door: PeerDoor<'_>) -> Result<Option<Self>, PortError> {
        let PeerDoor { dialect, kind, client, open } = door;
        let Some(session) = open.and_then(Door::session) else {
            return Ok(kind.map(|kind| match dialect {
                Dialect::Frames => Self { kind, client: client.to_owned(), session: None },
                // Whatever it says, it is an agent, and has no name (ruling RMP 16).
                Dialect::Json => Self { kind: Kind::Agent, client: String::new(), session: None },
            }));
        };
        let (_, bus) = inner.hosts.bus.snapshot().await?;
        let greeting = bus.peers.get(&session).and_then(|peer| peer.greeting.as_ref());
        Ok(greeting.map(|greeting| Self {
            kind: greeting.kind,
            client: greeting.client.to_string(),
            session: Some(session),
        }))
    }
}

impl ForStation {
    fn of(judged: &Judged, bytes: &[u8]) -> Option<Self> {
        let Head::Rmp(head) = &judged.head else { return None };
        let topic = head.topic.clone()?;
        let is_taken = match &judged.verdict {
            Ok(Verdict::Rmp(rmp::Verdict::Published { .. })) => {
                [CTRL, ACTION_DECISION].contains(&topic.as_str())
            }
            // One that the station had before is not worked on again.
            Ok(Verdict::Rmp(rmp::Verdict::Accepted)) => topic.as_str() == OPERATOR && judged.to_count > 0,
            _ => false,
        };
        if !is_taken {
            return None;
        }
        let taken = bytes.get(..judged.taken_bytes)?;
        let frame = match head.dialect {
            Dialect::Frames => Bytes::copy_from_slice(last_frame(taken)?),
            Dialect::Json => match FromClient::decode(taken.get(PREFIX_BYTES..)?).ok()? {
                FromClient::Publish { message, .. } => message.frame().into(),
                _ => return None,
            },
        };
        Some(Self { topic, frame })
    }

    fn header(&self) -> Option<Header> {
        Some(Header::from(&RawFrame::split(&self.frame)?.header))
    }

    fn body(&self) -> &[u8] {
        self.frame.get(PREFIX_BYTES + HEADER_BYTES..).unwrap_or_default()
    }
}

/// The message behind the control frame that announces it, where that is among the bytes.
fn last_frame(mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        let length = usize::try_from(u32::from_be_bytes(*rest.first_chunk()?)).ok()?;
        let (frame, behind) = rest.split_at_checked(PREFIX_BYTES.checked_add(length)?)?;
        if behind.is_empty() {
            return Some(frame);
        }
        rest = behind;
    }
}

/// With what the operator service would answer: its refusal, a page, or what it would do. Nothing of it is
/// done: what a query waits for is not waited for, and what a command finds is known once it is given.
async fn with_operator(
    inner: &Inner,
    kind: Kind,
    mut judged: Judged,
    message: &ForStation,
) -> Result<Judged, PortError> {
    let asked = beside_where_long(&inner.limits, message.frame.len(), {
        let message = message.clone();
        move || read_question(message.body())
    });
    let allowed = asked.await?.and_then(|question| may_ask(kind, &question).map(|()| question));
    let reply = match allowed {
        Err(error) => Reply::Error(error),
        Ok(question) => {
            judged.effect = Some(describe(&question));
            let Some(reply) = foreseen(inner, question).await else { return Ok(judged) };
            judged = judged.as_of_now(&[Doubt::AnotherPeer]);
            reply
        }
    };
    if let Reply::Error(error) = &reply {
        judged.effect = Some(format!("the station refuses it: {error}"));
    }
    let (tap, answer_max) = (inner.tap.clone(), inner.limits.port.answer_bytes_max.min(FORESEEN_BYTES_MAX));
    let shown = move |text: String| tap.json_without_tokens(text);
    let bodies = beside(move || parts_as_shown(Response::reply(reply), answer_max, &shown)).await?;
    if let Ok(bodies) = bodies {
        let topic = &message.topic;
        judged.answers.extend(bodies.map(|body| published(topic.clone(), SchemaId::OPERATOR_RESP.0, body)));
    }
    Ok(judged)
}

/// The reply to what changes nothing and needs no wait: a query, and a command that the station refuses by
/// its words alone.
async fn foreseen(inner: &Inner, question: Question) -> Option<Reply> {
    match question {
        // A judgement would ask itself, `InvocationWhen` waits, and a snapshot is long, as of a clip.
        Question::Query(Query::Judge { .. } | Query::InvocationWhen { .. } | Query::ClipHead { .. })
        | Question::Snapshot
        | Question::About => None,
        Question::Query(query) => {
            let running = inner.running().await;
            let answered = match &running {
                // In a box: a query may be a judgement, as far as types know.
                Ok(running) => Box::pin(pages::answer(Asking { inner, running }, query)).await,
                Err(error) => Err(error.clone()),
            };
            Some(answered.map_or_else(Reply::Error, Reply::Page))
        }
        Question::Command(command) => commands::check(inner, &command).err().map(Reply::Error),
    }
}

/// What the operator service would do, in a line.
fn describe(question: &Question) -> String {
    match question {
        Question::Command(command) => format!("the station is given the command {}", name_of(command)),
        Question::Query(query) => format!("the station answers the query {}", name_of(query)),
        Question::Snapshot => "the station answers with a snapshot".to_owned(),
        Question::About => "the station says which one it is".to_owned(),
    }
}

/// The name of a command or query, and of the one within it.
fn name_of(asked: &impl serde::Serialize) -> String {
    let (mut names, mut value) = (Vec::new(), serde_json::to_value(asked).unwrap_or_default());
    while names.len() < 2 {
        match value {
            serde_json::Value::String(name) => {
                names.push(name);
                break;
            }
            serde_json::Value::Object(members) if members.len() == 1 => {
                let Some((name, within)) = members.into_iter().next() else { break };
                names.push(name);
                value = within;
            }
            _ => break,
        }
    }
    names.join(" ")
}

async fn with_control(
    inner: &Inner,
    publisher: Publisher,
    topic: ControlTopic,
    judged: Judged,
    message: &ForStation,
) -> Result<Judged, PortError> {
    let Publisher { kind, client, session } = publisher;
    let (Some(kind), Some(header)) = (asker_kind(kind), message.header()) else { return Ok(judged) };
    let stand = Stand { topic, kind, client, session, trace: header.trace_id, ttl_ms: header.ttl_ms };
    let (answer, answered) = oneshot::channel();
    let body = message.frame.slice_ref(message.body());
    match inner.hosts.runs.ask(Request::Judge(ControlQuestion { stand, body, answer })) {
        Ok(()) => match answered.await {
            Ok(control) => Ok(join(judged, control)),
            // The control plane is down: the bus takes it all the same.
            Err(_) => Ok(judged),
        },
        Err(busy @ PortError::Busy { .. }) => Err(busy),
        Err(_) => Ok(judged),
    }
}

fn join(mut judged: Judged, control: JudgedControl) -> Judged {
    judged.certainty = judged.certainty.max(control.certainty);
    judged = judged.as_of_now(&control.doubts);
    judged.effect =
        control.why.map(|why| format!("rlp/ctrl rejects it: {why}")).or(control.effect).or(judged.effect);
    if let Some(until) = control.holds_until {
        judged.hold_until(until);
    }
    let answers = control.answers.into_iter();
    judged.answers.extend(answers.map(|it| published(it.topic, it.schema_id, it.body.to_vec())));
    judged
}

/// A message of the station's that would come back.
fn published(topic: TopicName, schema_id: u16, bytes: Vec<u8>) -> Answer {
    let (kind, topic, schema_id) = (Some(FrameKind::Publish), Some(topic), Some(schema_id));
    Answer { head: Head::Rmp(rmp::Head { kind, topic, schema_id, ..rmp::Head::default() }), bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::Command;

    #[test]
    fn what_the_operator_service_would_do_is_named() {
        for (question, text) in [
            (Question::Query(Query::Peers), "the station answers the query peers"),
            (
                Question::Command(Command::Mpp(crate::mpp::Command::Kick)),
                "the station is given the command mpp kick",
            ),
            (Question::Command(Command::Stop), "the station is given the command stop"),
            (Question::Snapshot, "the station answers with a snapshot"),
        ] {
            assert_eq!(describe(&question), text);
        }
    }
}
