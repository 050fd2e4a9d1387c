//! The flat picture of an opening that screens draw and recordings keep.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Literal, Opening, Use};

/// An opening as nodes and edges, those of nested openings among them. As JSON it is the text of a run's first event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Plan {
    /// The opening's name.
    pub name: String,
    /// Its nodes; those of a nested opening stand behind the node that nests it.
    pub nodes: Vec<PlanNode>,
    /// Its edges, each between nodes of one parent.
    pub edges: Vec<PlanEdge>,
}

/// A node of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanNode {
    /// Its id, behind those of the nodes it lies in: `outer/inner`.
    pub id: Arc<str>,
    /// What does its work, as written: `agent:writer`.
    #[serde(rename = "use")]
    pub action: String,
    /// What a screen calls it: its id alone.
    pub label: String,
    /// The index of the node that nests it, which comes before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
}

/// An edge of a plan, by the indices of its nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanEdge {
    /// The node it leaves.
    pub from: usize,
    /// The node it feeds.
    pub to: usize,
    /// The port it leaves.
    pub from_port: Arc<str>,
    /// The port it feeds.
    pub to_port: Arc<str>,
    /// What a value must equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Literal>,
}

/// A plan as it was written, which may be anything.
#[derive(Deserialize)]
struct Written {
    name: String,
    nodes: Vec<PlanNode>,
    edges: Vec<PlanEdge>,
}

/// Openings within one another that a plan may have, as many as can be configured.
const DEPTH_MAX: usize = 32;

/// Why a text is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A node does not come behind its parent.
    #[error("node {0} of the plan does not come behind its parent")]
    Parent(usize),
    /// A node lies in more openings than one can nest.
    #[error("node {0} of the plan is more than {DEPTH_MAX} openings deep")]
    Deep(usize),
    /// An edge without a node at one end, or from one parent's to another's.
    #[error("edge {0} of the plan does not join two nodes of one parent")]
    Edge(usize),
}

impl TryFrom<Written> for Plan {
    type Error = PlanError;

    fn try_from(Written { name, nodes, edges }: Written) -> Result<Self, PlanError> {
        let mut depths = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let depth = match node.parent {
                None => 0,
                Some(parent) => 1 + depths.get(parent).ok_or(PlanError::Parent(at))?,
            };
            if depth > DEPTH_MAX {
                return Err(PlanError::Deep(at));
            }
            depths.push(depth);
        }
        let parent = |node: usize| nodes.get(node).map(|it| it.parent);
        let joins = |edge: &PlanEdge| parent(edge.from).is_some() && parent(edge.from) == parent(edge.to);
        match edges.iter().position(|it| !joins(it)) {
            Some(at) => Err(PlanError::Edge(at)),
            None => Ok(Self { name, nodes, edges }),
        }
    }
}

impl From<&Opening> for Plan {
    fn from(opening: &Opening) -> Self {
        let mut plan = Self { name: opening.name.to_string(), ..Self::default() };
        plan.add(opening, None);
        plan
    }
}

impl Plan {
    fn add(&mut self, opening: &Opening, parent: Option<usize>) {
        let prefix = parent.map(|it| format!("{}/", self.nodes[it].id)).unwrap_or_default();
        let mut indices = Vec::with_capacity(opening.nodes.len());
        for node in &opening.nodes {
            let index = self.nodes.len();
            indices.push(index);
            let id = format!("{prefix}{}", node.id).into();
            self.nodes.push(PlanNode { id, action: node.action.to_string(), label: node.id.to_string(), parent });
            if let Use::Opening { opening, .. } = &node.action {
                self.add(opening, Some(index));
            }
        }
        self.edges.extend(opening.edges.iter().map(|edge| PlanEdge {
            from: indices[edge.from],
            to: indices[edge.to],
            from_port: edge.from_port.clone(),
            to_port: edge.to_port.clone(),
            when: edge.when.clone(),
        }));
    }

    /// The index of the node with this id.
    #[must_use]
    pub fn position(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|it| &*it.id == id)
    }

    /// How far from the beginning each node stands among those of its parent: the length of the longest way to it. Nodes of one rank and
    /// parent may run at the same time.
    #[must_use]
    pub fn ranks(&self) -> Vec<usize> {
        super::graph::order(self.nodes.len(), self.edges.iter().map(|it| (it.from, it.to))).ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_plan_whose_indices_lead_nowhere() {
        let read =
            |nodes: &str, edges: &str| serde_json::from_str::<Plan>(&format!(r#"{{"name":"a","nodes":[{nodes}],"edges":[{edges}]}}"#));
        let node = |parent: &str| format!(r#"{{"id":"a","use":"agent:a","label":"a"{parent}}}"#);
        let edge = |from: usize, to: usize| format!(r#"{{"from":{from},"to":{to},"from_port":"out","to_port":"in"}}"#);
        assert!(read(&[node(""), node(r#","parent":0"#)].join(","), "").is_ok());
        assert!(read(&node(r#","parent":0"#), "").is_err());
        assert!(read(&[node(""), node("")].join(","), &edge(0, 1)).is_ok());
        assert!(read(&node(""), &edge(0, 1)).is_err());
        assert!(read(&[node(""), node(r#","parent":0"#)].join(","), &edge(0, 1)).is_err());
    }
}
