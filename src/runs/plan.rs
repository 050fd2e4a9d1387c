//! The plan of a run as data: what is checked, drawn, kept, recorded and shown is one form.

use std::{collections::VecDeque, sync::Arc};

use serde::{Deserialize, Serialize};

use super::openings::{Opening, Use, graph};
use crate::time::Wall;

/// What a run is to do: its nodes and what feeds what, those of nested openings among them.
///
/// The nodes of one opening lie together, in the order of its text, and those of a nested one behind all of
/// what nests it: the places of an engine's nodes. A plan that was read is sound: parents come before their
/// nodes, edges join nodes of one parent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PlanPart")]
pub struct Plan {
    /// The nodes.
    pub nodes: Vec<PlanNode>,
    /// What feeds what.
    pub edges: Vec<PlanEdge>,
}

/// A node of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanNode {
    /// Its id; of a node of a nested opening, `outer/inner`.
    pub id: Arc<str>,
    /// What does its work, as it is written: `agent:writer`.
    #[serde(rename = "use")]
    pub uses: Arc<str>,
    /// The place of the node whose opening it belongs to, which comes before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
}

/// An edge of a plan, by the places of its nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanEdge {
    /// The node that gives.
    pub from: u32,
    /// Its port.
    pub from_port: Arc<str>,
    /// The node that takes.
    pub to: u32,
    /// Its port.
    pub to_port: Arc<str>,
    /// The literal that the port must equal, as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Arc<str>>,
}

/// Nodes and edges as they were written, which may be anything: a whole plan, or one of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanPart {
    /// When its run was submitted, where that was before the station was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted_at_ms: Option<Wall>,
    /// The last that is known of it before a stop of the station cut it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_at_ms: Option<Wall>,
    /// The nodes.
    #[serde(default)]
    pub nodes: Vec<PlanNode>,
    /// The edges. They may join nodes of other parts.
    #[serde(default)]
    pub edges: Vec<PlanEdge>,
}

/// Openings within one another that a plan may have, as many as can be configured.
const DEPTH_MAX: usize = 32;

/// Why something is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A node does not come behind its parent.
    #[error("node {0} of the plan does not follow its parent")]
    Parent(usize),
    /// A node lies in more openings than one can nest.
    #[error("node {0} of the plan is more than {DEPTH_MAX} openings deep")]
    Deep(usize),
    /// An edge without a node at one end, or from one parent's to another's.
    #[error("edge {0} of the plan does not connect two nodes of one parent")]
    Edge(usize),
}

impl PlanNode {
    /// Its id in its own opening.
    #[must_use]
    pub fn label(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or_default()
    }
}

impl TryFrom<PlanPart> for Plan {
    type Error = PlanError;

    fn try_from(PlanPart { nodes, edges, .. }: PlanPart) -> Result<Self, PlanError> {
        let mut depths = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let depth = match node.parent {
                None => 0,
                Some(parent) => 1 + depths.get(parent as usize).ok_or(PlanError::Parent(at))?,
            };
            if depth > DEPTH_MAX {
                return Err(PlanError::Deep(at));
            }
            depths.push(depth);
        }
        let plan = Self { nodes, edges };
        match plan.edges.iter().position(|it| !plan.is_joined(it)) {
            Some(at) => Err(PlanError::Edge(at)),
            None => Ok(plan),
        }
    }
}

impl From<&Opening> for Plan {
    fn from(opening: &Opening) -> Self {
        let mut plan = Self::default();
        let mut left = VecDeque::from([(opening, None)]);
        while let Some((opening, parent)) = left.pop_front() {
            plan.add(opening, parent, &mut left);
        }
        plan
    }
}

impl Plan {
    fn add<'o>(
        &mut self,
        opening: &'o Opening,
        parent: Option<u32>,
        left: &mut VecDeque<(&'o Opening, Option<u32>)>,
    ) {
        let base = as_position(self.nodes.len());
        let prefix = parent.map(|parent| format!("{}/", self.nodes[parent as usize].id));
        for node in &opening.nodes {
            let id = prefix
                .as_ref()
                .map_or_else(|| Arc::clone(&node.id), |prefix| Arc::from(format!("{prefix}{}", node.id)));
            if let Use::Opening { opening, .. } = &node.action {
                left.push_back((opening, Some(as_position(self.nodes.len()))));
            }
            self.nodes.push(PlanNode { id, uses: Arc::from(node.action.to_string()), parent });
        }
        self.edges.extend(opening.edges.iter().map(|edge| PlanEdge {
            from: base + as_position(edge.from),
            from_port: Arc::clone(&edge.from_port),
            to: base + as_position(edge.to),
            to_port: Arc::clone(&edge.to_port),
            when: edge.when.as_ref().map(|when| Arc::from(when.to_string())),
        }));
    }

    /// Whether an edge joins two nodes of one parent.
    fn is_joined(&self, edge: &PlanEdge) -> bool {
        let parent = |place: u32| self.nodes.get(place as usize).map(|node| node.parent);
        parent(edge.from).is_some_and(|from| parent(edge.to) == Some(from))
    }

    /// The place of the node with this id.
    #[must_use]
    pub fn position(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|it| &*it.id == id)
    }

    /// How far from the beginning each node stands among those of its parent: the length of the longest way
    /// to it. Nodes of one rank and parent may run at the same time.
    #[must_use]
    pub fn ranks(&self) -> Vec<usize> {
        self.order().ranks
    }

    /// An order of its nodes.
    pub(super) fn order(&self) -> graph::Order {
        graph::order(self.nodes.len(), self.edges.iter().map(|it| (it.from as usize, it.to as usize)))
    }

    /// The JSON of it in parts of at most about `part_bytes_max` each, at least one. An item that is longer
    /// makes a part of its own.
    #[must_use]
    pub fn parts(&self, part_bytes_max: usize) -> Vec<String> {
        let nodes = pieces(&self.nodes, part_bytes_max)
            .map(|nodes| Self { nodes: nodes.to_vec(), edges: Vec::new() });
        let edges = pieces(&self.edges, part_bytes_max)
            .map(|edges| Self { nodes: Vec::new(), edges: edges.to_vec() });
        let text = |part: &Self| serde_json::to_string(part).unwrap_or_default();
        let whole = text(self);
        if whole.len() <= part_bytes_max {
            vec![whole]
        } else {
            nodes.chain(edges).map(|part| text(&part)).collect()
        }
    }

    /// Takes in a part that follows what is there, of its nodes at most `nodes_max`. A node whose parent is
    /// not there is left out with all that follow it, as their places would be wrong; so is an edge that
    /// does not join two nodes of one parent.
    pub fn extend(&mut self, part: PlanPart, nodes_max: usize) {
        for node in part.nodes.into_iter().take(nodes_max) {
            if node.parent.is_some_and(|parent| parent as usize >= self.nodes.len()) {
                break;
            }
            self.nodes.push(node);
        }
        for edge in part.edges {
            if self.is_joined(&edge) {
                self.edges.push(edge);
            }
        }
    }
}

fn as_position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Runs of items whose JSON stays within a part.
fn pieces<T: Serialize>(items: &[T], part_bytes_max: usize) -> impl Iterator<Item = &[T]> {
    // The frame of a part: `{"nodes":[],"edges":[]}`.
    const OVERHEAD_BYTES: usize = 24;
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut bytes = OVERHEAD_BYTES;
        let fits = rest.iter().take_while(|item| {
            bytes += serde_json::to_string(item).map_or(0, |text| text.len() + 1);
            bytes <= part_bytes_max
        });
        let count = fits.count().max(1).min(rest.len());
        let (piece, behind) = rest.split_at(count);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str, parent: Option<u32>) -> PlanNode {
        PlanNode { id: Arc::from(id), uses: Arc::from("agent:echo"), parent }
    }

    fn edge(from: u32, to: u32) -> PlanEdge {
        PlanEdge {
            from,
            from_port: Arc::from("out"),
            to,
            to_port: Arc::from("in"),
            when: (from == 3).then(|| Arc::from("true")),
        }
    }

    #[test]
    fn a_plan_in_parts_is_the_plan_put_together() {
        let nodes = (0..100).map(|n| node(&format!("n{n}"), None)).chain([node("n7/a", Some(7))]).collect();
        let plan = Plan { nodes, edges: (0..99).map(|n| edge(n, n + 1)).collect() };
        for part_bytes_max in [1, 100, 1_000, 1_000_000] {
            let parts = plan.parts(part_bytes_max);
            let mut whole = Plan::default();
            for part in &parts {
                assert!(part.len() <= part_bytes_max.max(120), "{part}");
                whole.extend(serde_json::from_str(part).unwrap(), usize::MAX);
            }
            assert_eq!(whole, plan);
        }
        assert_eq!(Plan::default().parts(100), [r#"{"nodes":[],"edges":[]}"#]);
    }

    #[test]
    fn a_text_whose_places_lead_nowhere_is_no_plan() {
        let read = |nodes: &[PlanNode], edges: &[PlanEdge]| {
            let plan = Plan { nodes: nodes.to_vec(), edges: edges.to_vec() };
            serde_json::from_str::<Plan>(&serde_json::to_string(&plan).unwrap())
                .map_err(|error| error.to_string())
        };
        assert!(read(&[node("a", None), node("a/b", Some(0))], &[]).is_ok());
        assert_eq!(read(&[node("a", Some(0))], &[]).unwrap_err(), PlanError::Parent(0).to_string());
        assert!(read(&[node("a", None), node("b", None)], &[edge(0, 1)]).is_ok());
        assert_eq!(read(&[node("a", None)], &[edge(0, 1)]).unwrap_err(), PlanError::Edge(0).to_string());
        assert_eq!(
            read(&[node("a", None), node("a/b", Some(0))], &[edge(0, 1)]).unwrap_err(),
            PlanError::Edge(0).to_string()
        );
        let deep: Vec<_> = (0..40).map(|n: u32| node("a", n.checked_sub(1))).collect();
        assert_eq!(read(&deep, &[]).unwrap_err(), PlanError::Deep(33).to_string());
    }

    #[test]
    fn what_a_part_has_that_leads_nowhere_is_left_out() {
        let mut plan = Plan::default();
        let part = PlanPart {
            nodes: vec![node("a", None), node("x", Some(9)), node("b", None)],
            edges: vec![edge(0, 7), edge(0, 0)],
            ..PlanPart::default()
        };
        plan.extend(part, usize::MAX);
        assert_eq!((plan.nodes.len(), plan.edges.len()), (1, 1));
        plan.extend(
            PlanPart {
                nodes: vec![node("b", None), node("c", None)],
                edges: vec![edge(0, 1)],
                ..PlanPart::default()
            },
            1,
        );
        assert_eq!((plan.nodes.len(), plan.edges.len()), (2, 2));
    }
}
