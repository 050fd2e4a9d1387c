//! The ladder of a trace: who sent what to whom, folded from the tap's entries, live or recorded (rmp-v0 §3,
//! Ladder bytes).

use std::collections::{BTreeMap, HashMap};

use super::{HopRow, decisions::Decisions};
use crate::{
    ids::{ConnectionId, InvocationId, Seq, TraceId},
    macp::{self, Answered},
    plugin,
    rmp::{
        self, Body, Dialect, Family, FrameKind, HEADER_BYTES, PREFIX_BYTES, Registry, SchemaId,
        broker::STATION,
    },
    runs::payload::{AgentRequest, schema},
    tap::{
        EntryRef,
        entry::{Direction, Entry, Frame, Head, Link, Transition, Verdict, What, mpp::FrameType},
    },
    time::{Mono, Now},
};

/// The station, as a party.
const THE_STATION: &str = "station";
/// The adapter, as a party.
const THE_ADAPTER: &str = "adapter";
/// Maps and lists within one another in a body whose type is read; a deeper one has its schema's name.
const BODY_DEPTH_MAX: usize = 64;
/// Sessions whose names are remembered; the oldest go first.
const PARTIES_MAX: usize = 65_536;

/// Who is behind a session of the bus.
#[derive(Clone, Debug, Default)]
struct Party {
    client: String,
    /// The first topic `agent/<name>` that it takes.
    agent: Option<String>,
}

/// What a later hop may answer.
#[derive(Clone, Debug)]
struct PendingRequest {
    seq: Seq,
    at: Mono,
    by: String,
}

/// A trace's hops, from entries in their order. Entries of other traces tell who is who.
#[derive(Clone, Debug)]
pub struct Ladder {
    trace: TraceId,
    has_events: bool,
    hops: Vec<HopRow>,
    hops_max: usize,
    more: bool,
    after: Seq,
    parties: BTreeMap<ConnectionId, Party>,
    registry: Registry,
    /// Requests to agents, by where their answers come.
    requests: HashMap<String, PendingRequest>,
    /// The request to the control plane.
    control: Option<PendingRequest>,
    /// Questions, and who answered them.
    decisions: Decisions,
    /// Invocations that were sent to the adapter.
    sent: HashMap<InvocationId, PendingRequest>,
    /// Calls about sessions that were not answered yet, by their entries.
    calls: HashMap<Seq, PendingRequest>,
}

impl Ladder {
    /// The ladder of this trace: its hops behind `after`, at most `hops_max` of them. What a run tells on its
    /// topics of events and records is left out unless `has_events`.
    #[must_use]
    pub fn new(trace: TraceId, has_events: bool, after: Seq, hops_max: u64) -> Self {
        Self {
            trace,
            has_events,
            hops: Vec::new(),
            hops_max: usize::try_from(hops_max).unwrap_or(usize::MAX),
            more: false,
            after,
            parties: BTreeMap::new(),
            registry: Registry::default(),
            requests: HashMap::new(),
            control: None,
            decisions: Decisions::default(),
            sent: HashMap::new(),
            calls: HashMap::new(),
        }
    }

    /// Learns who is on the bus at one moment.
    pub fn observe_peers(&mut self, bus: &rmp::Snapshot) {
        for (session, peer) in &bus.peers {
            if let Some(greeting) = &peer.greeting {
                self.party(*session).client = greeting.client.to_string();
            }
            for sub in peer.subs.values() {
                self.subscribed(*session, sub.topic.as_str());
            }
        }
    }

    /// Takes in the next entry.
    pub fn take(&mut self, entry: EntryRef<'_>) {
        let of = entry.entry;
        match &of.what {
            What::Transition(Transition::Rmp(rmp::Transition::Greeted { session, client, .. })) => {
                self.party(*session).client = client.to_string();
            }
            What::Transition(Transition::Rmp(rmp::Transition::Subscribed { session, topic, .. })) => {
                self.subscribed(*session, topic.as_str());
            }
            What::Transition(Transition::Runs(told)) if told.run() == Some(self.trace) => {
                if let Some(hop) = self.decisions.take(of, told) {
                    self.push(hop);
                }
            }
            What::Frame(frame) if of.trace == Some(self.trace) => {
                let hop = match &frame.head {
                    Head::Rmp(head) => self.on_bus(of.seq, of.at, frame, head, entry.bytes),
                    Head::Mpp(head) => self.on_bridge(of.seq, of.at, frame, head),
                    Head::Macp(head) => Some(self.in_session(of, frame, head)),
                    Head::Plugin(head) => Some(self.at_plugin(of, frame, head)),
                };
                if let Some(hop) = hop {
                    let cause = hop.cause.or(of.cause.map(|cause| cause.0));
                    let origin = frame.origin.as_ref().map(|origin| origin.words());
                    self.push(HopRow { cause, origin, ..hop });
                }
            }
            _ => {}
        }
    }

    /// Whose it is.
    #[must_use]
    pub const fn trace(&self) -> TraceId {
        self.trace
    }

    /// The hops so far, in their order.
    #[must_use]
    pub fn rows(&self) -> &[HopRow] {
        &self.hops
    }

    /// Whether there are more behind them, for which there was no room.
    #[must_use]
    pub const fn has_more(&self) -> bool {
        self.more
    }

    /// The hops in their order, and whether there are more behind them.
    #[must_use]
    pub fn hops(self) -> (Vec<HopRow>, bool) {
        (self.hops, self.more)
    }

    fn push(&mut self, hop: HopRow) {
        if hop.seq.is_some_and(|seq| seq <= self.after.0) {
            return;
        }
        if self.hops.len() < self.hops_max {
            self.hops.push(hop);
        } else {
            self.more = true;
        }
    }

    fn party(&mut self, session: ConnectionId) -> &mut Party {
        if self.parties.len() >= PARTIES_MAX && !self.parties.contains_key(&session) {
            self.parties.pop_first();
        }
        self.parties.entry(session).or_default()
    }

    fn subscribed(&mut self, session: ConnectionId, topic: &str) {
        let is_agents = topic.strip_prefix("agent/").is_some_and(|name| !name.contains(['/', '*']));
        let party = self.party(session);
        if is_agents && party.agent.is_none() {
            party.agent = Some(topic.to_owned());
        }
    }

    fn name(&self, session: Option<ConnectionId>, frame: &Frame) -> String {
        let Some(session) = session else { return frame.peer.to_string() };
        if session == STATION {
            return THE_STATION.to_owned();
        }
        match self.parties.get(&session) {
            Some(Party { agent: Some(agent), .. }) => agent.clone(),
            Some(Party { client, .. }) if !client.is_empty() => format!("{client} ({session})"),
            _ => format!("session {session}"),
        }
    }

    fn on_bus(&mut self, seq: Seq, at: Now, frame: &Frame, head: &rmp::Head, bytes: &[u8]) -> Option<HopRow> {
        let topic = head.topic.as_ref()?.as_str().to_owned();
        if head.kind != Some(FrameKind::Publish) || frame.direction != Direction::Inbound {
            return None;
        }
        let parts: Vec<&str> = topic.split('/').collect();
        if matches!(parts.as_slice(), ["rlp", "runs", _, "events" | "mplp"]) && !self.has_events {
            return None;
        }
        let message = message(frame, head, bytes);
        let by_station = head.session == Some(STATION);
        let mut from = self.name(head.session, frame);
        let mut answered = None;
        let to = match parts.as_slice() {
            ["rlp", "ctrl"] if by_station => {
                answered.clone_from(&self.control);
                answered.as_ref().map_or_else(|| topic.clone(), |asked| asked.by.clone())
            }
            ["rlp", "ctrl"] => {
                self.control = Some(PendingRequest { seq, at: at.mono, by: from.clone() });
                THE_STATION.to_owned()
            }
            ["action.decision"] => {
                self.decisions.note_bus_answer(seq);
                THE_STATION.to_owned()
            }
            ["rlp", "runs", _, "agents", agent, _, ..] => {
                from = format!("agent/{agent}");
                answered = match topic.strip_suffix("/progress") {
                    Some(reply) => self.requests.get(reply).cloned(),
                    None => self.requests.remove(&topic),
                };
                THE_STATION.to_owned()
            }
            _ => topic.clone(),
        };
        if head.schema_id == Some(schema::AGENT_REQUEST)
            && let Some(request) = message.body.and_then(|body| AgentRequest::decode(body).ok())
        {
            self.requests.insert(
                request.reply_topic.to_string(),
                PendingRequest { seq, at: at.mono, by: from.clone() },
            );
        }
        let (reached, dropped, refused) = match &frame.verdict {
            Verdict::Rmp(rmp::Verdict::Published { subscribers, dropped }) => {
                (Some(*subscribers), Some(*dropped), None)
            }
            Verdict::Rmp(rmp::Verdict::Refused(refusal)) => (None, None, Some(refusal.name().to_owned())),
            _ => (None, None, None),
        };
        Some(HopRow {
            seq: Some(seq.0),
            at_ms: at.wall,
            link: Link::Rmp.name().to_owned(),
            from,
            to,
            topic: Some(topic),
            schema: self.schema(head.schema_id, message.body),
            schema_id: head.schema_id,
            frame_len: message.frame_len,
            latency_us: answered.as_ref().map(|asked| since(at.mono, asked.at)),
            cause: answered.map(|asked| asked.seq.0),
            reached,
            dropped,
            refused,
            origin: None,
        })
    }

    /// The schema's name; where it stands for a whole family, the type of the body.
    fn schema(&self, id: Option<u16>, body: Option<&[u8]>) -> String {
        let Some(id) = id else { return "?".to_owned() };
        let is_generic = Family::ALL.iter().any(|family| family.generic() == SchemaId(id));
        if let Some(body) =
            body.filter(|_| is_generic).and_then(|body| Body::decode(body, BODY_DEPTH_MAX).ok())
        {
            return body.kind().to_owned();
        }
        let name = self.registry.schema(SchemaId(id)).and_then(|schema| schema.name);
        name.map_or_else(|| id.to_string(), str::to_owned)
    }

    fn on_bridge(&mut self, seq: Seq, at: Now, frame: &Frame, head: &crate::mpp::Head) -> Option<HopRow> {
        let is_outbound = frame.direction == Direction::Outbound;
        let (from, to) = if is_outbound { (THE_STATION, THE_ADAPTER) } else { (THE_ADAPTER, THE_STATION) };
        let asked = head.id.as_ref().and_then(|id| self.sent.get(id)).cloned().filter(|_| !is_outbound);
        if let Some(id) = head.id.filter(|_| is_outbound && head.kind == Some(FrameType::Invocation)) {
            self.sent.insert(id, PendingRequest { seq, at: at.mono, by: THE_STATION.to_owned() });
        }
        Some(HopRow {
            seq: Some(seq.0),
            at_ms: at.wall,
            link: Link::Mpp.name().to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            topic: None,
            schema: head.kind?.name().to_owned(),
            schema_id: None,
            frame_len: Some(u64::from(frame.wire_bytes)),
            latency_us: asked.as_ref().map(|asked| since(at.mono, asked.at)),
            cause: asked.map(|asked| asked.seq.0),
            reached: None,
            dropped: None,
            refused: None,
            origin: None,
        })
    }

    /// A message to a session of the coordination runtime, or its answer.
    fn in_session(&mut self, of: &Entry, frame: &Frame, head: &macp::Head) -> HopRow {
        let (seq, at) = (of.seq, of.at);
        let sender = head.sender.as_ref().map_or_else(|| frame.peer.to_string(), ToString::to_string);
        let session = head
            .session
            .as_ref()
            .map_or_else(|| THE_STATION.to_owned(), |session| format!("session {session}"));
        let is_answer = frame.direction == Direction::Outbound;
        let answered = if is_answer { of.cause.and_then(|call| self.calls.remove(&call)) } else { None };
        let (from, to) = if is_answer { (session, sender) } else { (sender, session) };
        if !is_answer {
            self.calls.insert(seq, PendingRequest { seq, at: at.mono, by: from.clone() });
        }
        let refused = match (&frame.verdict, head.answer) {
            (Verdict::Macp(macp::Verdict::Refused(fault)), _) => Some(fault.code().name()),
            (Verdict::Macp(macp::Verdict::Declined(status)), _) => Some(status.name()),
            (_, Some(Answered::Status(status))) => Some(status.name()),
            (_, Some(Answered::Refused(code))) => Some(code.name()),
            _ => None,
        };
        let kind = head.message_type.as_deref().unwrap_or(head.rpc.name());
        let schema = match head.answer {
            Some(Answered::Ok) => format!("{kind}: ok"),
            Some(Answered::Duplicate) => format!("{kind}: duplicate"),
            Some(Answered::Refused(_) | Answered::Status(_)) | None => kind.to_owned(),
        };
        HopRow {
            seq: Some(seq.0),
            at_ms: at.wall,
            link: Link::Macp.name().to_owned(),
            from,
            to,
            topic: None,
            schema,
            schema_id: None,
            frame_len: Some(u64::from(frame.wire_bytes)),
            latency_us: answered.as_ref().map(|asked| since(at.mono, asked.at)),
            cause: answered.map(|asked| asked.seq.0),
            reached: None,
            dropped: None,
            refused: refused.map(str::to_owned),
            origin: None,
        }
    }

    /// A message of a plugin, or to one.
    fn at_plugin(&mut self, of: &Entry, frame: &Frame, head: &plugin::Head) -> HopRow {
        let (seq, at) = (of.seq, of.at);
        let (plugin, station) = (format!("plugin {}", head.plugin), THE_STATION.to_owned());
        let is_outbound = frame.direction == Direction::Outbound;
        let (from, to) = if is_outbound { (station, plugin) } else { (plugin, station) };
        let answered = if head.is_answer { of.cause.and_then(|call| self.calls.remove(&call)) } else { None };
        if !head.is_answer && head.id.is_some() {
            self.calls.insert(seq, PendingRequest { seq, at: at.mono, by: from.clone() });
        }
        let refused = match (&frame.verdict, head.code) {
            (Verdict::Plugin(plugin::Verdict::Refused(code)), _) => Some(code.name().to_owned()),
            (_, Some(code)) => Some(code.to_string()),
            _ => None,
        };
        let method = head.method.as_deref().unwrap_or("?");
        HopRow {
            seq: Some(seq.0),
            at_ms: at.wall,
            link: Link::Plugin.name().to_owned(),
            from,
            to,
            topic: None,
            schema: if head.is_answer { format!("{method}: answer") } else { method.to_owned() },
            schema_id: None,
            frame_len: Some(u64::from(frame.wire_bytes)),
            latency_us: answered.as_ref().map(|asked| since(at.mono, asked.at)),
            cause: answered.map(|asked| asked.seq.0),
            reached: None,
            dropped: None,
            refused,
            origin: None,
        }
    }
}

fn since(at: Mono, before: Mono) -> u64 {
    u64::try_from(at.since(before).as_micros()).unwrap_or(u64::MAX)
}

/// A published message within what was captured of its publication.
struct Message<'b> {
    frame_len: Option<u64>,
    /// Its body, unless it was cut.
    body: Option<&'b [u8]>,
}

fn message<'b>(frame: &Frame, head: &rmp::Head, bytes: &'b [u8]) -> Message<'b> {
    if head.dialect == Dialect::Json {
        return Message { frame_len: json_frame_len(bytes), body: None };
    }
    let prefix = |bytes: &[u8]| Some(u32::from_be_bytes(*bytes.first_chunk::<PREFIX_BYTES>()?) as usize);
    // A client's publication is its control frame and the message; what the station says itself is the
    // message alone.
    let control =
        if head.session == Some(STATION) { Some(0) } else { prefix(bytes).map(|len| PREFIX_BYTES + len) };
    let whole = control.and_then(|control| (frame.wire_bytes as usize).checked_sub(control + PREFIX_BYTES));
    let body = control.zip(whole).and_then(|(control, len)| {
        let from = control + PREFIX_BYTES;
        bytes.get(from + HEADER_BYTES..from + len)
    });
    Message { frame_len: whole.map(|len| len as u64), body }
}

/// The length that a message of the JSON dialect would have as a frame.
fn json_frame_len(bytes: &[u8]) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Unit {
        #[serde(rename = "Publish")]
        publish: Publish,
    }
    #[derive(serde::Deserialize)]
    struct Publish {
        message: Sent,
    }
    #[derive(serde::Deserialize)]
    struct Sent {
        header: Fields,
    }
    #[derive(serde::Deserialize)]
    struct Fields {
        body_len: u64,
    }
    let unit: Unit = serde_json::from_slice(bytes.get(PREFIX_BYTES..)?).ok()?;
    Some(HEADER_BYTES as u64 + unit.publish.message.header.body_len)
}

#[cfg(test)]
mod tests;
