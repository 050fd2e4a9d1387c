//! An object or event of a lifecycle record as a tree, with who may see each value.
//!
//! Anybody may see what we make ourselves or what other panes show to anybody: ids, states, times, names of
//! schemas, of nodes and of roles. What is not listed here is what an agent, a viewer or an opening's author
//! wrote, and is a payload with all that it holds.

use std::collections::HashMap;

use crate::{
    dissect::{
        json,
        tree::{Kind, Node, Text, Tree, TreeBuilder, slice},
    },
    field::Class,
    mplp::Path,
    schema::PathStep,
};

/// Names of values that anybody may see, beside those that end in `_id`, `_at` or `_version`.
const PUBLIC: &[&str] = &[
    "action",
    "agent",
    "agent_role",
    "artifacts_missing",
    "attempt",
    "by",
    "bytes",
    "capabilities",
    "client",
    "created_by",
    "cross_cutting",
    "decided_by_role",
    "dependencies",
    "display_name",
    "domain",
    "duration_ms",
    "edge_delta",
    "effect",
    "entry_point",
    "environment",
    "event_family",
    "event_type",
    "events_missing",
    "executor_kind",
    "executor_role",
    "initiator_role",
    "kind",
    "label",
    "latency_ms",
    "level",
    "message_type",
    "messages_missing",
    "mode",
    "name",
    "node",
    "node_delta",
    "number",
    "opening",
    "order_index",
    "owner_role",
    "plan_step_count",
    "port",
    "psg_node_count",
    "requested_by_role",
    "required",
    "role",
    "run",
    "sender",
    "segments",
    "session",
    "severity",
    "source",
    "source_module",
    "stage_order",
    "stage_status",
    "state",
    "status",
    "steps",
    "tags",
    "target_roles",
    "target_type",
    "timestamp",
    "topology_type",
    "total_tokens",
    "turn_number",
    "type",
    "traceparent",
    "update_kind",
    "use",
    "version",
];

/// Names of objects and lists whose members are looked at one by one. `meta` is one where it is the object's
/// own: that of a run event is its agent's.
const OPENED: &[&str] = &[
    "assignments",
    "attributes",
    "data",
    "decisions",
    "events",
    "messages",
    "modules",
    "nodes",
    "participants",
    "payload",
    "result",
    "root",
    "root_span",
    "segments",
    "steps",
    "trace",
    "turns",
];

/// The schema of a Role, whose name is that of an agent, a client or the station. What else has a name of its
/// own is named after its opening or intent.
const ROLE: &str = "role";

/// The name of a stage: of a step, which has an order, anybody may see it. A stage without one is the whole
/// run or session, and is named after its opening or intent.
const STAGE_NAME: &str = "stage_name";
const STAGE_ORDER: &str = "stage_order";

/// Bytes of a name that is looked up.
const NAME_BYTES_MAX: usize = 64;

/// Reads an object or event, up to a number of values. Its first node is the object itself, and public.
pub(crate) fn object_tree(schema: &str, text: &str, nodes_max: usize) -> Tree {
    let mut builder = TreeBuilder::new(nodes_max);
    json::read(text.as_bytes(), "", &mut builder);
    let mut tree = builder.finish();
    let bytes = text.as_bytes();
    let has = |name| tree.children(0).any(|child| matches_name(&tree.nodes[child], bytes, name));
    let of = Named { is_role: schema == ROLE, is_step: has(STAGE_ORDER) };
    let mut index = 1;
    while index < tree.nodes.len() {
        index = classify(&mut tree, bytes, index, of);
    }
    tree
}

/// What an object's own names are the names of.
#[derive(Clone, Copy)]
struct Named {
    /// Whether `name` is that of a Role.
    is_role: bool,
    /// Whether `stage_name` is that of a step.
    is_step: bool,
}

/// Says who may see a value; the place of the next that is to be looked at.
fn classify(tree: &mut Tree, bytes: &[u8], index: usize, of: Named) -> usize {
    let node = &tree.nodes[index];
    let end = node.end.max(index + 1);
    let is_item = matches!(node.name, Text::Literal(_));
    let name = node.name.read(bytes, NAME_BYTES_MAX);
    let is_own_meta = node.depth == 1 && name == "meta";
    let opens =
        matches!(node.kind, Kind::Object | Kind::Array) && (is_item || is_own_meta || is_opened(&name));
    if opens {
        return index + 1;
    }
    let is_title = node.depth == 1 && name == "name" && !of.is_role;
    let is_of_step = node.depth == 1 && name == STAGE_NAME && of.is_step;
    let is_public = !is_item && !is_title && (is_of_step || is_public(&name));
    if !is_public {
        tree.classify(index, Class::Payload);
    }
    end
}

fn is_opened(name: &str) -> bool {
    OPENED.contains(&name)
}

fn is_public(name: &str) -> bool {
    ["_id", "_at", "_version"].iter().any(|end| name.ends_with(end)) || PUBLIC.contains(&name)
}

/// The value that a way leads to, or the last one on the way that is there: that of a missing member is what
/// misses it. The way begins within the object.
pub(crate) fn nearest(tree: &Tree, bytes: &[u8], way: &[PathStep]) -> usize {
    let mut at = 0;
    for step in way {
        let found = match step {
            PathStep::Index(index) => tree.children(at).nth(*index),
            PathStep::Name(name) => {
                tree.children(at).find(|child| matches_name(&tree.nodes[*child], bytes, name))
            }
        };
        match found {
            Some(child) => at = child,
            None => break,
        }
    }
    at
}

fn matches_name(node: &Node, bytes: &[u8], name: &str) -> bool {
    match &node.name {
        // Names with escapes are rare: those are compared as they are meant.
        Text::Bytes(range) => {
            let written = slice(bytes, range);
            written == name.as_bytes()
                || (written.contains(&b'\\')
                    && serde_json::from_str::<String>(&format!("\"{}\"", String::from_utf8_lossy(written)))
                        .is_ok_and(|meant| meant == name))
        }
        Text::Literal(_) | Text::None => false,
    }
}

/// What each value of a tree is within, so that the way to one is found without a look at all before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways {
    /// Of each value, the one that holds it, and which of its values it is. The first is held by none.
    held: Vec<(usize, usize)>,
}

impl Ways {
    /// The ways of a tree.
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut held = Vec::with_capacity(tree.nodes.len());
        // Those that are open: their places, where they end, and how many values they had so far.
        let mut open: Vec<(usize, usize, usize)> = Vec::new();
        for (index, node) in tree.nodes.iter().enumerate() {
            while open.last().is_some_and(|(_, end, _)| *end <= index) {
                open.pop();
            }
            held.push(open.last_mut().map_or((0, 0), |(parent, _, count)| {
                *count += 1;
                (*parent, *count - 1)
            }));
            open.push((index, node.end, 0));
        }
        Self { held }
    }

    /// The value that holds this one.
    pub(crate) fn parent(&self, index: usize) -> Option<usize> {
        self.held.get(index).filter(|_| index > 0).map(|(parent, _)| *parent)
    }

    /// The way from the object to a value, as `steps[3].status`; empty for the object itself.
    pub(crate) fn to(&self, tree: &Tree, bytes: &[u8], index: usize) -> Vec<PathStep> {
        let mut way = Vec::new();
        let mut at = index;
        while let (Some(node), Some((parent, number))) =
            (tree.nodes.get(at), self.held.get(at).filter(|_| at > 0))
        {
            way.push(match &node.name {
                Text::Bytes(range) => PathStep::Name(String::from_utf8_lossy(slice(bytes, range)).into()),
                _ => PathStep::Index(*number),
            });
            at = *parent;
        }
        way.reverse();
        way
    }
}

/// The values of an object that break something, each with the places of its findings among `findings`. A
/// path begins with the place of the object in its bundle, or with its kind.
pub(crate) fn blamed<'a>(
    tree: &Tree,
    bytes: &[u8],
    of: &str,
    findings: impl IntoIterator<Item = &'a Path>,
) -> HashMap<usize, Vec<usize>> {
    let place = Path::parse(&format!("$.{of}")).unwrap_or_default();
    let mut blamed: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, path) in findings.into_iter().enumerate() {
        let steps = path.steps();
        let way = steps.strip_prefix(place.steps()).or_else(|| steps.get(1..)).unwrap_or_default();
        blamed.entry(nearest(tree, bytes, way)).or_default().push(number);
    }
    blamed
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"{"meta":{"protocol_version":"1.0.0","tags":["run"],"created_by":"rl-console/0.7.0"},
        "plan_id":"0191","title":"secret title","steps":[{"step_id":"7","status":"running","agent_role":"agent:poll"},
        {"step_id":"8","note":{"status":"not ours"}}],"data":{"number":3,"message":"hi ann","meta":{"level":"x"}}}"#;

    fn classes(text: &str) -> Vec<(String, Class)> {
        let tree = object_tree("plan", text, 1_000);
        let leaf = |(index, node): (usize, &Node)| {
            (!tree.is_folder(index) && index > 0)
                .then(|| (node.value.read(text.as_bytes(), 100).into_owned(), node.class))
        };
        tree.nodes.iter().enumerate().filter_map(leaf).collect()
    }

    #[test]
    fn ids_states_and_times_are_public_and_what_is_not_known_is_a_payload_with_all_it_holds() {
        let classes = classes(PLAN);
        let class = |value: &str| classes.iter().find(|(known, _)| known == value).map(|(_, class)| *class);
        for public in
            ["\"1.0.0\"", "\"run\"", "\"0191\"", "\"7\"", "\"running\"", "\"agent:poll\"", "3", "\"8\""]
        {
            assert_eq!(class(public), Some(Class::Public), "{public}");
        }
        for payload in ["\"secret title\"", "\"hi ann\"", "\"not ours\"", "\"x\""] {
            assert_eq!(class(payload), Some(Class::Payload), "{payload}");
        }
    }

    #[test]
    fn a_stage_of_no_step_is_named_after_an_intent_and_that_is_a_payload() {
        let class = |text: &str| {
            let tree = object_tree("pipeline-stage-event", text, 100);
            tree.nodes[nearest(&tree, text.as_bytes(), &[PathStep::Name("stage_name".into())])].class
        };
        assert_eq!(class(r#"{"stage_name":"poll","stage_order":0}"#), Class::Public);
        assert_eq!(class(r#"{"stage_order":0,"stage_name":"poll"}"#), Class::Public);
        assert_eq!(class(r#"{"stage_name":"which map for ann"}"#), Class::Payload);
        assert_eq!(class(r#"{"stage_name":"for ann","payload":{"stage_order":0}}"#), Class::Payload);
    }

    #[test]
    fn a_way_leads_to_its_value_or_to_what_misses_it_and_back() {
        let (tree, bytes) = (object_tree("plan", PLAN, 1_000), PLAN.as_bytes());
        let way = |text: &str| Path::parse(text).unwrap().steps().to_vec();
        let status = nearest(&tree, bytes, &way("$.steps[0].status"));
        assert_eq!(tree.nodes[status].value.read(bytes, 100), "\"running\"");
        let ways = Ways::of(&tree);
        assert_eq!(ways.to(&tree, bytes, status), way("$.steps[0].status"));
        let parents = (0..tree.nodes.len()).map(|index| (tree.parent(index), ways.parent(index)));
        assert!(parents.into_iter().all(|(known, found)| known == found));
        let step = nearest(&tree, bytes, &way("$.steps[1]"));
        assert_eq!(nearest(&tree, bytes, &way("$.steps[1].status")), step, "what is missing");
        assert_eq!((nearest(&tree, bytes, &way("$.x")), ways.to(&tree, bytes, 0).len()), (0, 0));
    }

    #[test]
    fn a_finding_is_placed_by_its_path_in_the_bundle_or_in_the_object() {
        let (tree, bytes) = (object_tree("plan", PLAN, 1_000), PLAN.as_bytes());
        let paths = ["$.roles[2].title", "$.plan.title", "$.roles[2].steps[1].step_id"]
            .map(|text| Path::parse(text).unwrap());
        let blamed = blamed(&tree, bytes, "roles[2]", &paths);
        let title = nearest(&tree, bytes, Path::parse("$.title").unwrap().steps());
        assert_eq!(blamed.get(&title), Some(&vec![0, 1]));
        assert_eq!(blamed.len(), 2);
    }
}
