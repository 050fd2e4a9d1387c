//! Rows of runs. The rows are printed as they are by `ls runs --json` and `run … --json`.

use base64::Engine as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    ids::{ActionId, OpeningId, TraceId},
    runs::{AskView, AskerKind, EventKind, RunState},
    schema::JsonText,
    store::{mplp::Rating, runs as stored},
    tap::entry::{mplp::RatingVerdict, station::Level},
    time::Wall,
};

/// `ls runs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRow {
    /// Its place among all runs.
    pub number: u64,
    /// Its name on the bus.
    pub run: TraceId,
    /// The opening as it was accepted.
    pub opening: OpeningId,
    /// The opening's name.
    pub name: String,
    /// How it stands.
    pub state: RunState,
    /// Why it did not succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What who asked for it may do.
    pub by: AskerKind,
    /// What that one calls itself.
    pub client: String,
    /// Nodes of its plan, those of nested openings included.
    pub nodes: u64,
    /// Of those, how many completed or were skipped.
    #[serde(default)]
    pub done: u64,
    /// Tokens that its agents used.
    pub tokens: u64,
    /// Events that it told.
    pub events: u64,
    /// Artifacts that it kept.
    pub artifacts: u64,
    /// When it was accepted, in Unix milliseconds.
    pub submitted_at_ms: Wall,
    /// When it ended, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<Wall>,
    /// Questions of it that wait for a person.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub asks: u32,
    /// What a person thinks of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated: Option<RatingVerdict>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl RunRow {
    /// The value that asks for runs that await an approval, in `--state`.
    pub const ASKS: &str = "asks";
    /// The state of a running run that awaits an approval.
    pub const AWAITING: &str = "awaiting";

    /// Its state; of a run that awaits an approval, that.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        if self.asks > 0 && matches!(self.state, RunState::Running) {
            Self::AWAITING
        } else {
            self.state.name()
        }
    }
}

/// `run show`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunDetail {
    /// The run.
    #[serde(flatten)]
    pub row: RunRow,
    /// The opening's text.
    pub yaml: String,
    /// Its plan: nodes, and the edges between their places.
    pub plan: JsonText,
    /// The `traceparent` that it was submitted with (ruling MPLP 18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// Artifacts that were not kept; known once it has ended.
    #[serde(default, skip_serializing_if = "is_none_missing")]
    pub artifacts_missing: u64,
    /// What a person thinks of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_none_missing(count: &u64) -> bool {
    *count == 0
}

/// `run events`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEventRow {
    /// Its place in the run's history, from 1 on.
    pub number: u64,
    /// What it is.
    pub kind: EventKind,
    /// How grave it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// What it says.
    pub message: String,
    /// Its `meta`, as it went over the bus; ids as texts. Null where a recording does not have it.
    pub meta: JsonText,
    /// When it was told, in Unix milliseconds.
    pub at_ms: Wall,
}

/// `run artifacts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactRow {
    /// Its place among the run's, from 1 on.
    pub number: u64,
    /// Which node gave it; of a nested opening, `outer/inner`.
    pub node: String,
    /// On which port.
    pub port: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its schema.
    pub schema_id: u16,
    /// Its length in bytes as MsgPack.
    pub bytes: u64,
    /// Its value. What JSON has no form for is written as a map of one key: `{"$bin": "<base64>"}`,
    /// `{"$float": "nan"}`, `{"$ext": [type, "<base64>"]}`, and a map with keys other than texts as
    /// `{"$map": [[key, value], …]}`.
    pub value: JsonText,
    /// When it was kept, in Unix milliseconds.
    pub at_ms: Wall,
}

/// `ls confirmations`: a node that waits for a person (ruling RMP 13).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmationRow {
    /// The question's own name.
    pub action: ActionId,
    /// Of which run.
    pub run: TraceId,
    /// Of which node; of a nested opening, `outer/inner`.
    pub node: String,
    /// The question.
    pub summary: String,
    /// What the node would be given: what its `with` says, and by port what feeds it. Long texts and lists
    /// are cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes: Option<JsonText>,
    /// Since when, in Unix milliseconds.
    pub asked_at_ms: Wall,
    /// When it is rejected without an answer, in Unix milliseconds.
    pub expires_at_ms: Wall,
}

impl From<AskView> for ConfirmationRow {
    fn from(AskView { action, run, node, summary, takes, asked_at, expires_at }: AskView) -> Self {
        let (node, summary, takes) = (node.id.to_string(), summary.to_string(), JsonText::parse(&takes).ok());
        Self { action, run, node, summary, takes, asked_at_ms: asked_at.wall, expires_at_ms: expires_at }
    }
}

impl From<stored::RunRow> for RunRow {
    fn from(row: stored::RunRow) -> Self {
        Self {
            number: row.number,
            run: row.run,
            opening: row.opening,
            name: row.name,
            state: row.state,
            why: row.why,
            by: row.by,
            client: row.client,
            nodes: row.nodes,
            done: row.done,
            tokens: row.tokens,
            events: row.events,
            artifacts: row.artifacts,
            submitted_at_ms: row.submitted_at,
            ended_at_ms: row.ended_at,
            asks: 0,
            rated: row.rated,
        }
    }
}

impl From<stored::RunDetail> for RunDetail {
    fn from(detail: stored::RunDetail) -> Self {
        let stored::RunDetail { row, yaml, plan, traceparent, artifacts_missing, rating } = detail;
        Self { row: row.into(), yaml, plan, traceparent, artifacts_missing, rating }
    }
}

impl From<stored::EventRow> for RunEventRow {
    fn from(row: stored::EventRow) -> Self {
        let stored::EventRow { number, kind, level, message, meta, at } = row;
        Self { number, kind, level, message, meta, at_ms: at }
    }
}

impl From<stored::ArtifactRow> for ArtifactRow {
    fn from(row: stored::ArtifactRow) -> Self {
        let value = rmpv::decode::read_value(&mut row.value.as_ref()).unwrap_or(rmpv::Value::Nil);
        Self {
            number: row.number,
            node: row.node,
            port: row.port,
            kind: row.kind,
            schema_id: row.schema_id,
            bytes: row.value.len() as u64,
            value: JsonText::from_value(&to_json(&value)),
            at_ms: row.at,
        }
    }
}

/// A MsgPack value as JSON.
fn to_json(value: &rmpv::Value) -> Value {
    use rmpv::Value as Pack;
    let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let float = |number: f64| {
        serde_json::Number::from_f64(number)
            .map_or_else(|| json!({ "$float": number.to_string() }), Value::Number)
    };
    match value {
        Pack::Nil => Value::Null,
        Pack::Boolean(is_so) => Value::Bool(*is_so),
        Pack::Integer(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.into(),
            (None, Some(number)) => number.into(),
            (None, None) => Value::Null,
        },
        Pack::F32(number) => float(f64::from(*number)),
        Pack::F64(number) => float(*number),
        Pack::String(text) => {
            text.as_str().map_or_else(|| json!({ "$bin": base64(text.as_bytes()) }), Into::into)
        }
        Pack::Binary(bytes) => json!({ "$bin": base64(bytes) }),
        Pack::Array(items) => Value::Array(items.iter().map(to_json).collect()),
        Pack::Map(pairs) if pairs.iter().all(|(key, _)| key.as_str().is_some()) => Value::Object(
            pairs
                .iter()
                .filter_map(|(key, value)| Some((key.as_str()?.to_owned(), to_json(value))))
                .collect(),
        ),
        Pack::Map(pairs) => {
            json!({ "$map": pairs.iter().map(|(key, value)| json!([to_json(key), to_json(value)])).collect::<Vec<_>>() })
        }
        Pack::Ext(kind, bytes) => json!({ "$ext": [kind, base64(bytes)] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_has_no_form_for_is_shown_all_the_same() {
        use rmpv::Value as Pack;
        let cases = [
            (
                Pack::from(vec![Pack::Nil, true.into(), (-3).into(), u64::MAX.into()]),
                json!([null, true, -3, u64::MAX]),
            ),
            (Pack::F64(1.5), json!(1.5)),
            (Pack::F64(f64::NAN), json!({ "$float": "NaN" })),
            (Pack::Binary(vec![1, 2, 255]), json!({ "$bin": "AQL/" })),
            (Pack::Ext(7, vec![1]), json!({ "$ext": [7, "AQ=="] })),
            (Pack::Map(vec![("a".into(), 1.into())]), json!({ "a": 1 })),
            (Pack::Map(vec![(1.into(), "x".into())]), json!({ "$map": [[1, "x"]] })),
        ];
        for (value, expected) in cases {
            assert_eq!(to_json(&value), expected, "{value}");
        }
    }
}
