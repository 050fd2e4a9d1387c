//! One node.

use std::sync::Arc;

use super::{
    super::{
        FaultKind, Map, Node, Opening, Policy, Retry, Use,
        expression::{cut, is_node_id},
    },
    fields::{Fields, Part, Sink},
    load::{Context, Loader},
    text::NUMBER_MAX,
    with,
};
use crate::{
    runs::yaml::{self, Located, Position, Value},
    words,
};

const KEYS: [&str; 7] = ["id", "use", "with", "retry", "timeout_ms", "budget_tokens", "tags"];

/// The key of `with` by which a node asks a person.
pub(crate) const ASKS: &str = "require_human_confirm";

/// Bytes of an agent's name: its topics leave that many.
const AGENT_BYTES_MAX: usize = 128;

/// Kinds of nodes that wait for their systems (ruling RMP 14), and what is missing.
const UNSUPPORTED: [(&str, &str); 3] = [
    ("invoke", "invocations from runs are not supported"),
    ("decide", "decisions in runs are not supported"),
    ("plugin", "actions of plugins in runs are not supported"),
];

/// What a node stands in.
pub(super) struct NodeContext<'t> {
    pub(super) params: &'t Map,
    pub(super) policy: Policy,
    pub(super) context: &'t Context,
}

/// Reads a node; nothing when it has no id that others could name.
pub(super) fn node(loader: &mut Loader<'_>, item: &Located, around: &NodeContext<'_>) -> Option<Node> {
    let sink = &mut loader.sink(around.context);
    let Value::Map(map) = &item.value else {
        if !matches!(item.value, Value::Faulty) {
            let (key, part) = ("nodes".to_owned(), Part::Opening.to_string());
            let kind = FaultKind::WrongType {
                key,
                part,
                takes: "a list of maps with `id` and `use`",
                found: item.value.article(),
            };
            sink.add(item.at, kind, Some("write `- {id: …, use: agent:…}`".to_owned()));
        }
        return None;
    };
    let written_id =
        map.value("id").and_then(|it| if let Value::Text(it) = &it.value { Some(&**it) } else { None });
    let fields = Fields::new(map, item.at, Part::Node(written_id), &KEYS, sink);
    let id = fields.required("id", "add `id: …`", sink).and_then(|it| id(&fields, it, sink));
    let name = id.as_deref().unwrap_or("?");
    let retry = retry(&fields, written_id, sink);
    let timeout_ms = fields.whole("timeout_ms", 1, NUMBER_MAX, sink);
    let budget_tokens = fields.whole("budget_tokens", 0, NUMBER_MAX, sink);
    if let (Some(budget), Some(opening)) = (budget_tokens, around.policy.budget_tokens)
        && budget > opening
        && let Some(value) = fields.value("budget_tokens")
    {
        let kind = FaultKind::NodeBudget { node: cut(name), budget, opening };
        sink.add(value.at, kind, Some("lower it, or raise `policy.budget_tokens`".to_owned()));
    }
    let tags =
        fields.texts("tags", "a list of strings", sink).into_iter().map(|(it, _)| it.to_string()).collect();
    let used = fields.required("use", "write `use: agent:…`", sink);
    let used = used
        .and_then(|it| Some((fields.text(it, "use", "a string such as `agent:name`", sink)?.clone(), it.at)));
    let written_with = fields.map("with", sink);
    let with = written_with.map(|(map, _)| with::filled(loader, map, around)).unwrap_or_default();
    let asks_place = written_with.and_then(|(map, _)| map.value(ASKS)).map(|it| it.at);
    let asks = asks(&with, asks_place, name, around, &mut loader.sink(around.context));
    let given = NodeInputs { with: &with, written: written_with.map(|(map, _)| map), node: name };
    let action = used.and_then(|(used, at)| action(loader, &used, at, &given, around));
    let action = action.unwrap_or_else(|| Use::Agent(Arc::from("")));
    Some(Node { id: id?, action, with, retry, timeout_ms, budget_tokens, tags, asks })
}

/// Where a node's id stands.
pub(super) fn id_place(item: &Located) -> Option<Position> {
    let Value::Map(map) = &item.value else { return None };
    map.value("id").map(|it| it.at)
}

/// The id, also one outside the grammar, so that edges find it.
fn id(fields: &Fields<'_>, value: &Located, sink: &mut Sink<'_>) -> Option<Arc<str>> {
    let Value::Text(id) = &value.value else {
        fields.text(value, "id", "a string", sink);
        return None;
    };
    if !is_node_id(id) {
        let valid = id.trim().to_ascii_lowercase().replace(['-', ' ', '.'], "_");
        let fix = (is_node_id(&valid)).then(|| format!("write `{valid}`"));
        sink.add(value.at, FaultKind::NodeId { id: cut(id) }, fix);
    }
    Some(id.clone())
}

fn retry(fields: &Fields<'_>, id: Option<&str>, sink: &mut Sink<'_>) -> Retry {
    let Some((map, at)) = fields.map("retry", sink) else { return Retry::default() };
    let fields = Fields::new(map, at, Part::Retry(id), &["max_attempts", "backoff_ms"], sink);
    let attempts =
        fields.whole("max_attempts", 1, u64::from(u32::MAX), sink).and_then(|it| u32::try_from(it).ok());
    Retry {
        max_attempts: attempts.unwrap_or(1),
        backoff_ms: fields.whole("backoff_ms", 0, NUMBER_MAX, sink).unwrap_or_default(),
    }
}

fn asks(with: &Map, at: Option<Position>, node: &str, around: &NodeContext<'_>, sink: &mut Sink<'_>) -> bool {
    let (Some(value), Some(at)) = (with.get(ASKS), at) else { return false };
    match value {
        serde_json::Value::Bool(false) if around.context.confirm_external => {
            sink.add(
                at,
                FaultKind::ConfirmForbidden { node: cut(node) },
                Some(format!("remove `{ASKS}`, or set it to true")),
            );
            false
        }
        serde_json::Value::Bool(it) => *it,
        other => {
            let (key, part) = (ASKS.to_owned(), Part::Node(Some(node)).to_string());
            sink.add(
                at,
                FaultKind::WrongType { key, part, takes: "true or false", found: with::article(other) },
                None,
            );
            false
        }
    }
}

/// What a node gives to what it uses.
struct NodeInputs<'n> {
    /// Its `with`, filled in.
    with: &'n Map,
    /// The map as it was written, if it was.
    written: Option<&'n yaml::Map>,
    /// The node's name, as far as it has one.
    node: &'n str,
}

/// What a node uses; nothing when that is a fault, its own or one of the opening that it nests.
fn action(
    loader: &mut Loader<'_>,
    used: &str,
    at: Position,
    given: &NodeInputs<'_>,
    around: &NodeContext<'_>,
) -> Option<Use> {
    let sink = &mut loader.sink(around.context);
    let fix = |text: &str| Some(text.to_owned());
    let Some((kind, name)) = used.split_once(':') else {
        let fix = if is_agent_name(used) {
            Some(format!("write `agent:{used}`"))
        } else {
            fix("write `agent:name` or `opening:name`")
        };
        sink.add(at, FaultKind::Use { written: cut(used) }, fix);
        return None;
    };
    if let Some((kind, missing)) = UNSUPPORTED.iter().find(|(it, _)| *it == kind) {
        sink.add(
            at,
            FaultKind::UnsupportedUse { kind: (*kind).to_owned(), missing },
            fix("use an agent for it"),
        );
        return None;
    }
    match kind {
        "agent" if is_agent_name(name) => Some(Use::Agent(name.into())),
        "agent" => {
            let fix = (name.trim() != name && is_agent_name(name.trim()))
                .then(|| format!("write `agent:{}`", name.trim()));
            sink.add(at, FaultKind::AgentName { name: cut(name) }, fix);
            None
        }
        "opening" => {
            let mut params = given.with.clone();
            params.remove(ASKS);
            let (opening, unknown) = loader.nested(name, at, &params, around.context)?;
            unknown_params(loader, given, &opening, unknown, around);
            Some(Use::Opening { name: name.into(), opening })
        }
        _ => {
            let meant = match words::nearest(kind, ["agent", "opening"]) {
                Some(near) => Some(format!("did you mean `{near}:{}`?", cut(name))),
                None => fix("write `agent:name` or `opening:name`"),
            };
            sink.add(at, FaultKind::Use { written: cut(used) }, meant);
            None
        }
    }
}

/// Tells of params that were given to a nested opening that does not have them.
fn unknown_params(
    loader: &mut Loader<'_>,
    given: &NodeInputs<'_>,
    opening: &Opening,
    unknown: Vec<String>,
    around: &NodeContext<'_>,
) {
    let Some(written) = given.written else { return };
    for param in unknown {
        let Some((key, _)) = written.pairs.iter().find(|(key, _)| *key.name == *param) else { continue };
        let sink = &mut loader.sink(around.context);
        let has = opening.params.keys().filter(|it| **it != param).map(String::as_str);
        let fix = sink.faults.did_you_mean(&param, has);
        let fix = fix.or_else(|| Some(format!("add `{}` to its `params`, or remove it here", cut(&param))));
        sink.add(key.at, FaultKind::UnknownWith { param: cut(&param), node: cut(given.node) }, fix);
    }
}

/// Whether an agent's name is a segment of its topic (ruling RMP 5).
fn is_agent_name(name: &str) -> bool {
    (1..=AGENT_BYTES_MAX).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':' | '-'))
}
