//! One text from top to bottom.

use std::{collections::HashMap, sync::Arc};

use super::{
    super::{
        Check, CheckKind, Edge, FaultKind, Map, Node, Opening, Policy, PortRef, Success, Use,
        bundle::OPENINGS,
        expression::{self, SyntaxError, WrittenPort, cut},
        graph,
    },
    edge,
    fields::{Fields, Part, Sink},
    load::{Context, InlineOpenings, Loader},
    node,
};
use crate::runs::yaml::{Located, Position, Value};

/// The port by which a nested opening waits for others.
const WAITS: &str = "in";

/// Characters of an opening's name.
const NAME_CHARS_MAX: usize = 128;

/// Numbers that every place an opening goes to can hold.
pub(super) const NUMBER_MAX: u64 = i64::MAX as u64;

const KEYS: [&str; 10] =
    ["version", "name", "goals", "params", "policy", "nodes", "edges", "success", "artifacts", OPENINGS];

/// Reads one text. Faults are the loader's; what is returned is whole only if there are none. The names
/// beside it are of params that were given, and that the text neither has nor fills in.
pub(super) fn opening(
    loader: &mut Loader<'_>,
    tree: &Located,
    params: &Map,
    context: &Context,
) -> Option<(Opening, Vec<String>)> {
    let sink = &mut loader.sink(context);
    let map = match &tree.value {
        Value::Map(map) => map,
        other => {
            sink.add(
                tree.at,
                FaultKind::NoOpening { found: other.article() },
                Some("start with `version: 0`".to_owned()),
            );
            return None;
        }
    };
    let fields = Fields::new(map, tree.at, Part::Opening, &KEYS, sink);
    version(&fields, sink);
    let name = name(&fields, sink);
    let goals =
        fields.texts("goals", "a list of strings", sink).into_iter().map(|(it, _)| it.to_string()).collect();
    let mut all_params = fields.map("params", sink).map(|(map, _)| map.json()).unwrap_or_default();
    let mut unknown: Vec<String> =
        params.keys().filter(|it| !all_params.contains_key(*it)).cloned().collect();
    all_params.extend(params.iter().map(|(key, value)| (key.clone(), value.clone())));
    let policy = policy(&fields, sink);
    let carried = inline_openings(&fields, context, sink)
        .map_or_else(|| Arc::clone(&context.inline_openings), Arc::new);
    let around = Context {
        confirm_external: policy.confirm_external || context.confirm_external,
        inline_openings: carried,
        ..context.clone()
    };

    let items = fields.required("nodes", "list the steps under `nodes`", sink);
    let items = items.and_then(|it| fields.list(it, "nodes", "a list of nodes", sink)).unwrap_or_default();
    if items.is_empty()
        && let Some(nodes) = fields.value("nodes")
        && matches!(nodes.value, Value::List(_))
    {
        sink.add(nodes.at, FaultKind::NoNodes, None);
    }
    let place = fields.value("nodes").map_or(tree.at, |it| it.at);
    let used_around = std::mem::take(&mut loader.used);
    let nodes =
        nodes(loader, items, place, &node::NodeContext { params: &all_params, policy, context: &around });
    let used = std::mem::replace(&mut loader.used, used_around);
    unknown.retain(|it| !used.contains(it));
    let nodes = nodes?;

    let edges = edges(loader, &fields, &nodes, context)?;
    let sink = &mut loader.sink(context);
    let success = success(&fields, &nodes, sink);
    let save = save(&fields, &nodes, sink);
    let policy = Policy { confirm_external: around.confirm_external, ..policy };
    Some((
        Opening { name: name?, goals, params: all_params, policy, nodes: nodes.list, edges, success, save },
        unknown,
    ))
}

/// The edges of one text, each once; nothing when there are too many to look at.
fn edges(
    loader: &mut Loader<'_>,
    fields: &Fields<'_>,
    nodes: &Nodes,
    context: &Context,
) -> Option<Vec<Edge>> {
    let sink = &mut loader.sink(context);
    let written = match fields.written("edges") {
        Some(it) if matches!(it.value, Value::Null) => None,
        _ => fields.required("edges", "write `edges: []` for nodes without any", sink),
    };
    let edges_at = written.map_or(fields.at, |it| it.at);
    let written =
        written.and_then(|it| fields.list(it, "edges", "a list of edges", sink)).unwrap_or_default();
    if written.len() as u64 > loader.budget.edges {
        let max = loader.limits.edges_max;
        loader.sink(context).add(edges_at, FaultKind::TooManyEdges { max }, None);
        return None;
    }
    loader.budget.edges -= written.len() as u64;
    let sink = &mut loader.sink(context);
    let mut edges = Vec::with_capacity(written.len());
    let mut places = Vec::with_capacity(written.len());
    for item in written {
        if let Some(edge) = edge::edge(item, nodes, sink) {
            edges.push(edge);
            places.push(item.at);
        }
    }
    let places = without_repeats(nodes, &mut edges, &places, sink);
    cycles(nodes, &edges, &places, sink);
    Some(edges)
}

fn version(fields: &Fields<'_>, sink: &mut Sink<'_>) {
    let Some(value) = fields.required("version", "write `version: 0`", sink) else { return };
    match &value.value {
        Value::Number(it) if it.as_u64() == Some(0) => {}
        Value::Number(it) => {
            sink.add(
                value.at,
                FaultKind::Version { version: it.to_string() },
                Some("write `version: 0`".to_owned()),
            );
        }
        _ => fields.wrong(value, "version", "the number 0", Some("write `version: 0`".to_owned()), sink),
    }
}

fn name(fields: &Fields<'_>, sink: &mut Sink<'_>) -> Option<Arc<str>> {
    let value = fields.required("name", "add `name: …`", sink)?;
    let name = fields.text(value, "name", "a string", sink)?;
    if name.trim().is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        sink.add(value.at, FaultKind::Name { max: NAME_CHARS_MAX }, None);
    }
    Some(name.clone())
}

/// The openings that the text carries. Only the outermost does: a name means one opening throughout.
fn inline_openings(fields: &Fields<'_>, context: &Context, sink: &mut Sink<'_>) -> Option<InlineOpenings> {
    let (map, at) = fields.map(OPENINGS, sink)?;
    if context.file.is_some() {
        sink.add(at, FaultKind::InnerOpenings, Some("move them to files in this folder".to_owned()));
        return None;
    }
    let takes = "a map of strings, each an opening";
    let texts = map.pairs.iter().filter_map(|(key, value)| {
        Some((Arc::clone(&key.name), Arc::clone(fields.text(value, &key.name, takes, sink)?)))
    });
    Some(texts.collect())
}

fn policy(fields: &Fields<'_>, sink: &mut Sink<'_>) -> Policy {
    let Some((map, at)) = fields.map("policy", sink) else { return Policy::default() };
    let fields =
        Fields::new(map, at, Part::Policy, &["budget_tokens", "timeout_ms", "confirm_external"], sink);
    Policy {
        budget_tokens: fields.whole("budget_tokens", 0, NUMBER_MAX, sink),
        timeout_ms: fields.whole("timeout_ms", 1, NUMBER_MAX, sink),
        confirm_external: fields.flag("confirm_external", sink).unwrap_or_default(),
    }
}

/// The nodes of one text, found by their ids.
pub(super) struct Nodes {
    pub(super) list: Vec<Node>,
    ids: HashMap<Arc<str>, (usize, u32)>,
}

impl Nodes {
    /// The port that was written, if its node is there and has it.
    pub(super) fn port(
        &self,
        written: WrittenPort<'_>,
        at: Position,
        is_output: bool,
        sink: &mut Sink<'_>,
    ) -> Option<PortRef> {
        let WrittenPort { node, port } = written;
        let Some(&(index, _)) = self.ids.get(node) else {
            let fix = sink.faults.did_you_mean(node, self.ids.keys().map(|it| &**it));
            sink.add(at, FaultKind::UnknownNode { node: node.to_owned() }, fix);
            return None;
        };
        let is_opening = matches!(self.list.get(index).map(|it| &it.action), Some(Use::Opening { .. }));
        if is_output && is_opening && !matches!(port, "out" | "ok") {
            let fix = sink.faults.did_you_mean(port, ["out", "ok"]);
            sink.add(at, FaultKind::UnknownPort { node: node.to_owned(), port: port.to_owned() }, fix);
            return None;
        }
        if !is_output && is_opening && port != WAITS {
            let kind = FaultKind::UnknownInput { node: node.to_owned(), port: port.to_owned() };
            sink.add(
                at,
                kind,
                Some(format!(
                    "set `{port}` in its `with`, or connect the edge to `{node}.{WAITS}`, which only waits"
                )),
            );
            return None;
        }
        Some(PortRef { node: index, port: port.into() })
    }
}

/// Nothing when there are too many to look at.
fn nodes(
    loader: &mut Loader<'_>,
    items: &[Located],
    at: Position,
    around: &node::NodeContext<'_>,
) -> Option<Nodes> {
    if items.len() as u64 > loader.budget.nodes {
        let kind = FaultKind::TooManyNodes { max: loader.limits.nodes_max };
        loader.budget.nodes = 0;
        loader.sink(around.context).add(at, kind, None);
        return None;
    }
    loader.budget.nodes -= items.len() as u64;
    let mut nodes = Nodes { list: Vec::with_capacity(items.len()), ids: HashMap::with_capacity(items.len()) };
    for item in items {
        let Some(node) = node::node(loader, item, around) else { continue };
        let id = node.id.clone();
        if let Some(&(_, line)) = nodes.ids.get(&id) {
            let place = node::id_place(item).unwrap_or(item.at);
            let kind = FaultKind::RepeatedNodeId { id: cut(&id), line };
            loader.sink(around.context).add(place, kind, Some("rename one of them".to_owned()));
            continue;
        }
        nodes.ids.insert(id, (nodes.list.len(), item.at.line));
        nodes.list.push(node);
    }
    Some(nodes)
}

/// Takes out the edges that are there already, and tells of them; where those that stay stand.
fn without_repeats(
    nodes: &Nodes,
    edges: &mut Vec<Edge>,
    places: &[Position],
    sink: &mut Sink<'_>,
) -> Vec<Position> {
    let mut seen: HashMap<Edge, u32> = HashMap::with_capacity(edges.len());
    let (mut kept, mut stay) = (Vec::with_capacity(edges.len()), Vec::with_capacity(edges.len()));
    for (edge, at) in std::mem::take(edges).into_iter().zip(places) {
        if let Some(line) = seen.get(&edge).copied() {
            let name = |node: usize| nodes.list.get(node).map_or("?", |node| &node.id);
            let when = edge.when.as_ref().map(|when| format!(" =={when}")).unwrap_or_default();
            let written =
                format!("{}.{}{when} → {}.{}", name(edge.from), edge.from_port, name(edge.to), edge.to_port);
            sink.add(
                *at,
                FaultKind::RepeatedEdge { edge: cut(&written), line },
                Some("remove one of them".to_owned()),
            );
            continue;
        }
        seen.insert(edge.clone(), at.line);
        kept.push(edge);
        stay.push(*at);
    }
    *edges = kept;
    stay
}

fn cycles(nodes: &Nodes, edges: &[Edge], places: &[Position], sink: &mut Sink<'_>) {
    /// Ids of a cycle that are told.
    const LISTED_MAX: usize = 20;
    for cycle in graph::order(nodes.list.len(), edges.iter().map(|it| (it.from, it.to))).cycles {
        let mut ids: Vec<&str> = cycle.iter().take(LISTED_MAX).map(|it| &*nodes.list[*it].id).collect();
        ids.extend((cycle.len() > LISTED_MAX).then_some("…"));
        ids.push(&nodes.list[cycle[0]].id);
        let closes = |it: &Edge| it.from == cycle[cycle.len() - 1] && it.to == cycle[0];
        let at =
            edges.iter().position(closes).and_then(|it| places.get(it)).copied().unwrap_or(Position::START);
        sink.add(at, FaultKind::Cycle { path: ids.join(" → ") }, Some("remove one of its edges".to_owned()));
    }
}

fn success(fields: &Fields<'_>, nodes: &Nodes, sink: &mut Sink<'_>) -> Option<Success> {
    let (map, at) = fields.map("success", sink)?;
    let fields = Fields::new(map, at, Part::Success, &["any_of", "all_of"], sink);
    let (key, make): (_, fn(Vec<Check>) -> Success) = match (fields.value("any_of"), fields.value("all_of")) {
        (Some(_), None) => ("any_of", Success::Any),
        (None, Some(_)) => ("all_of", Success::All),
        (Some(_), Some(second)) => {
            let why = "has both `any_of` and `all_of`; use one of them";
            sink.add(second.at, FaultKind::Success { why }, None);
            return None;
        }
        (None, None) => {
            let fix =
                Some("write `all_of: […]`, or remove `success` to require every node to succeed".to_owned());
            sink.add(at, FaultKind::Success { why: "has neither `any_of` nor `all_of`" }, fix);
            return None;
        }
    };
    let texts = fields.texts(key, "a list of expressions", sink);
    if let Some(Value::List(items)) = fields.value(key).map(|it| &it.value)
        && items.is_empty()
    {
        let fix = Some("remove `success` to require every node to succeed".to_owned());
        sink.add(at, FaultKind::Success { why: "has no expression" }, fix);
    }
    Some(make(texts.into_iter().filter_map(|(text, at)| check(text, at, nodes, sink)).collect()))
}

fn check(text: &str, at: Position, nodes: &Nodes, sink: &mut Sink<'_>) -> Option<Check> {
    match expression::check(text) {
        Ok((port, literal)) => {
            let is = literal.map_or(CheckKind::Exists, CheckKind::Equals);
            nodes.port(port, at, true, sink).map(|port| Check { port, kind: is })
        }
        Err(SyntaxError::Port { written, fix }) => {
            sink.add(at, FaultKind::Port { written }, fix);
            None
        }
        Err(SyntaxError::Literal { why, fix }) => {
            sink.add(at, FaultKind::Expression { written: cut(text), why }, fix);
            None
        }
    }
}

fn save(fields: &Fields<'_>, nodes: &Nodes, sink: &mut Sink<'_>) -> Vec<PortRef> {
    let Some((map, at)) = fields.map("artifacts", sink) else { return Vec::new() };
    let fields = Fields::new(map, at, Part::Artifacts, &["save"], sink);
    let texts = fields.texts("save", "a list of ports", sink);
    let mut seen: HashMap<PortRef, u32> = HashMap::new();
    let mut save = Vec::new();
    for (text, at) in texts {
        let Some(port) = plain_port(text, at, nodes, true, sink) else { continue };
        if let Some(line) = seen.get(&port).copied() {
            sink.add(
                at,
                FaultKind::RepeatedSave { port: cut(text), line },
                Some("remove one of them".to_owned()),
            );
            continue;
        }
        seen.insert(port.clone(), at.line);
        save.push(port);
    }
    save
}

/// A port without a predicate.
pub(super) fn plain_port(
    text: &str,
    at: Position,
    nodes: &Nodes,
    is_output: bool,
    sink: &mut Sink<'_>,
) -> Option<PortRef> {
    match expression::port(text) {
        Ok(port) => nodes.port(port, at, is_output, sink),
        Err(SyntaxError::Port { written, fix }) => {
            let fix = fix.or_else(|| {
                text.contains('=').then(|| "only `from` of an edge may have a predicate".to_owned())
            });
            sink.add(at, FaultKind::Port { written }, fix);
            None
        }
        Err(SyntaxError::Literal { .. }) => None,
    }
}
