//! Events of a run (rmp-v0 §10; ruling RMP 11).

use rmpv::Value;
use uuid::Uuid;

use super::{
    amount::Amount,
    envelope::{Body, write},
    fields::{Fault, Fields, map},
};
use crate::{
    ids::{ActionId, TraceId},
    tap::entry::{
        runs::{Asker, AskerKind, EventKind, Verdict},
        station::Level,
    },
    time::Wall,
};

/// The type of `CT_RUN_EVENT`.
const EVENT: &str = "observation.run.event.v1";

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEvent {
    /// What it is.
    pub kind: EventKind,
    /// How grave it is: info, warn or error.
    pub level: Option<Level>,
    /// What it says, for a person.
    pub message: String,
    /// What goes with it.
    pub meta: EventMeta,
}

/// What goes with an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventMeta {
    /// When, in Unix milliseconds.
    pub ts_ms: u64,
    /// The run, as `trace:<uuid>`: section 10 writes it as a text, which ruling RMP 12 leaves as it is; it
    /// is read as 16 bytes too.
    pub run_id: Option<TraceId>,
    /// The node; of a nested opening, `outer/inner`.
    pub node_id: Option<String>,
    /// The attempt, as `<node>#<attempt>`.
    pub span_id: Option<String>,
    /// Of a status, how the node or the run stands.
    pub state: Option<String>,
    /// Of the last event, whether the run succeeded (ruling RMP 11).
    pub success: Option<bool>,
    /// Of a trace, milliseconds from the request to the answer.
    pub latency_ms: Option<u64>,
    /// Of a trace, between whom.
    pub hop: Option<HopMeta>,
    /// Of progress, how much is done.
    pub done: Option<Amount>,
    /// Of progress, of how much.
    pub total: Option<Amount>,
    /// Of an artifact, what it is.
    pub artifact: Option<ArtifactMeta>,
    /// Of an event by which a person is asked, or a question ends.
    pub question: Option<QuestionMeta>,
}

/// A way to an agent and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopMeta {
    /// The agent's topic: `agent/writer`.
    pub agent: String,
    /// The request's length, header and body, as it was sent (rmp-v0 §3).
    pub request_frame_len: u64,
    /// The answer's.
    pub answer_frame_len: u64,
}

/// What an artifact is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactMeta {
    /// The port that gave it.
    pub port: String,
    /// Its schema.
    pub schema_id: u16,
    /// Its type.
    pub kind: String,
    /// Its length as `MsgPack`.
    pub bytes: u64,
}

/// A question to a person, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionMeta {
    /// Which: `action_id`, as `action:<uuid>`.
    pub action: ActionId,
    /// When it is asked: `expires_at_ms`, when it is rejected without an answer, in Unix milliseconds.
    pub expires_at: Option<Wall>,
    /// How it ended: `verdict`.
    pub verdict: Option<Verdict>,
    /// Who decided it: `by`, and by what right, `by_kind`.
    pub by: Option<Asker>,
    /// What that one noted: `note`.
    pub note: Option<String>,
}

impl QuestionMeta {
    /// Its members in `meta`, in their order.
    fn texts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let texts = [
            ("action_id", Some(self.action.to_string())),
            ("verdict", self.verdict.map(|verdict| verdict.name().to_owned())),
            ("by", self.by.as_ref().map(|by| by.client.to_string())),
            ("by_kind", self.by.as_ref().map(|by| by.kind.name().to_owned())),
            ("note", self.note.clone()),
        ];
        texts.into_iter().filter_map(|(name, text)| Some((name, text?)))
    }

    /// The question that a `meta` has, if it has one. A verdict or a right that is not known is left out.
    fn read(meta: &mut Fields) -> Result<Option<Self>, Fault> {
        let Some(action) = meta.text_or_none("action_id")? else { return Ok(None) };
        let action = action.strip_prefix(ActionId::PREFIX).unwrap_or(&action);
        let action = Uuid::parse_str(action).map_err(|_| meta.fault("action_id", "is not a UUID"))?;
        let expires_at = meta.number_or_none("expires_at_ms")?.map(Wall);
        let verdict = meta.text_or_none("verdict")?.and_then(|name| Verdict::from_name(&name));
        let kind = meta.text_or_none("by_kind")?.and_then(|name| AskerKind::from_name(&name));
        let client = meta.text_or_none("by")?;
        let by = kind.zip(client).map(|(kind, client)| Asker { kind, client: client.into() });
        Ok(Some(Self { action: ActionId(action), expires_at, verdict, by, note: meta.text_or_none("note")? }))
    }
}

impl EventMeta {
    /// The event as JSON, as the store keeps it.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let Self {
            ts_ms,
            run_id,
            node_id,
            span_id,
            state,
            success,
            latency_ms,
            hop,
            done,
            total,
            artifact,
            question,
        } = self;
        let mut meta = serde_json::Map::new();
        let mut put = |key: &str, value: Option<serde_json::Value>| {
            if let Some(value) = value {
                meta.insert(key.to_owned(), value);
            }
        };
        put("ts_ms", Some((*ts_ms).into()));
        put("run_id", run_id.map(|run| run.to_string().into()));
        put("node_id", node_id.clone().map(Into::into));
        put("span_id", span_id.clone().map(Into::into));
        put("state", state.clone().map(Into::into));
        put("success", success.map(Into::into));
        put("latency_ms", latency_ms.map(Into::into));
        if let Some(HopMeta { agent, request_frame_len, answer_frame_len }) = hop {
            put("agent", Some(agent.as_str().into()));
            put("request_frame_len", Some((*request_frame_len).into()));
            put("answer_frame_len", Some((*answer_frame_len).into()));
        }
        put("done", done.map(Amount::json));
        put("total", total.map(Amount::json));
        if let Some(ArtifactMeta { port, schema_id, kind, bytes }) = artifact {
            put("port", Some(port.as_str().into()));
            put("schema_id", Some((*schema_id).into()));
            put("type", Some(kind.as_str().into()));
            put("bytes", Some((*bytes).into()));
        }
        if let Some(question) = question {
            question.texts().for_each(|(name, text)| put(name, Some(text.into())));
            put("expires_at_ms", question.expires_at.map(|at| at.0.into()));
        }
        serde_json::Value::Object(meta)
    }
}

impl RunEvent {
    /// Its body.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let EventMeta {
            ts_ms,
            run_id,
            node_id,
            span_id,
            state,
            success,
            latency_ms,
            hop,
            done,
            total,
            artifact,
            question,
        } = &self.meta;
        let mut meta = vec![("ts_ms", Value::from(*ts_ms))];
        let text = |text: &String| Value::from(text.as_str());
        meta.extend(run_id.map(|run| ("run_id", Value::from(run.to_string()))));
        meta.extend(node_id.as_ref().map(|id| ("node_id", text(id))));
        meta.extend(span_id.as_ref().map(|id| ("span_id", text(id))));
        meta.extend(state.as_ref().map(|state| ("state", text(state))));
        meta.extend(success.map(|success| ("success", Value::from(success))));
        meta.extend(latency_ms.map(|ms| ("latency_ms", Value::from(ms))));
        if let Some(HopMeta { agent, request_frame_len, answer_frame_len }) = hop {
            meta.extend([("agent", text(agent)), ("request_frame_len", Value::from(*request_frame_len))]);
            meta.push(("answer_frame_len", Value::from(*answer_frame_len)));
        }
        meta.extend(done.map(|done| ("done", done.value())));
        meta.extend(total.map(|total| ("total", total.value())));
        if let Some(ArtifactMeta { port, schema_id, kind, bytes }) = artifact {
            meta.extend([("port", text(port)), ("schema_id", Value::from(*schema_id))]);
            meta.extend([("type", text(kind)), ("bytes", Value::from(*bytes))]);
        }
        if let Some(question) = question {
            meta.extend(question.texts().map(|(name, text)| (name, Value::from(text))));
            meta.extend(question.expires_at.map(|at| ("expires_at_ms", Value::from(at.0))));
        }
        let mut payload = vec![("kind", Value::from(self.kind.name()))];
        payload.extend(self.level.map(|level| ("level", Value::from(level.name()))));
        payload.extend([("message", Value::from(self.message.as_str())), ("meta", map(meta))]);
        write(EVENT, map(payload), None)
    }

    /// Reads a body.
    ///
    /// # Errors
    /// A [`Fault`] that names what is wrong.
    pub fn decode(body: &[u8]) -> Result<Self, Fault> {
        let mut fields = Fields::of(Body::read(body)?.payload_of(EVENT)?, "payload")?;
        let kind = fields.text("kind")?;
        let level = fields.text_or_none("level")?;
        let mut meta = Fields::of(fields.required("meta")?, "payload.meta")?;
        let level = level
            .map(|level| level_of(&level).ok_or_else(|| fields.fault("level", "is not info, warn or error")))
            .transpose()?;
        let port = meta.text_or_none("port")?;
        let artifact = port.map(|port| artifact(port, &mut meta)).transpose()?;
        let agent = meta.text_or_none("agent")?;
        let hop = agent.map(|agent| hop(agent, &mut meta)).transpose()?;
        let question = QuestionMeta::read(&mut meta)?;
        Ok(Self {
            kind: EventKind::from_name(&kind)
                .ok_or_else(|| fields.fault("kind", &format!("is {kind:?}, which is unknown")))?,
            level,
            message: fields.text("message")?,
            meta: EventMeta {
                ts_ms: meta.number("ts_ms")?,
                run_id: Some(TraceId(meta.id("run_id", TraceId::PREFIX)?)),
                node_id: meta.text_or_none("node_id")?,
                span_id: meta.text_or_none("span_id")?,
                state: meta.text_or_none("state")?,
                success: meta.bool_or_none("success")?,
                latency_ms: meta.number_or_none("latency_ms")?,
                hop,
                done: meta.amount_or_none("done")?,
                total: meta.amount_or_none("total")?,
                artifact,
                question,
            },
        })
    }
}

fn hop(agent: String, meta: &mut Fields) -> Result<HopMeta, Fault> {
    let (request_frame_len, answer_frame_len) =
        (meta.number("request_frame_len")?, meta.number("answer_frame_len")?);
    Ok(HopMeta { agent, request_frame_len, answer_frame_len })
}

fn artifact(port: String, meta: &mut Fields) -> Result<ArtifactMeta, Fault> {
    let schema_id =
        u16::try_from(meta.number("schema_id")?).map_err(|_| meta.fault("schema_id", "is over 65535"))?;
    Ok(ArtifactMeta { port, schema_id, kind: meta.text("type")?, bytes: meta.number("bytes")? })
}

fn level_of(name: &str) -> Option<Level> {
    [Level::Trace, Level::Debug, Level::Info, Level::Warn, Level::Error]
        .into_iter()
        .find(|level| level.name() == name)
}
