//! The types of an opening that was checked: indices are in range, the graph has no cycle, every template is
//! filled in.

use std::{collections::BTreeSet, fmt, sync::Arc};

use super::{Literal, PortRef, Success};

/// A map of values as JSON knows them: `params` and `with`.
pub type Map = serde_json::Map<String, serde_json::Value>;

/// A checked opening.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Its name, at most 128 characters.
    pub name: Arc<str>,
    /// What it is for, in its author's words.
    pub goals: Vec<String>,
    /// The params in force: the file's own, with those that were given over them.
    pub params: Map,
    /// What holds for the whole.
    pub policy: Policy,
    /// Its nodes in the order of the file, at least one.
    pub nodes: Vec<Node>,
    /// Its edges in the order of the file. They lead to no cycle.
    pub edges: Vec<Edge>,
    /// How a run of it is judged; without, every node must succeed.
    pub success: Option<Success>,
    /// The ports whose values are kept when it ends.
    pub save: Vec<PortRef>,
}

/// What holds for a whole opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Tokens that all its nodes may use together.
    pub budget_tokens: Option<u64>,
    /// Milliseconds after which what remains of a run is cancelled; at least 1.
    pub timeout_ms: Option<u64>,
    /// Whether nodes that act outside ask a person first.
    pub confirm_external: bool,
}

/// One step of an opening.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its id, unique in the opening: `[a-z][a-z0-9_]{0,63}`.
    pub id: Arc<str>,
    /// What does its work.
    pub action: Use,
    /// What it is given, with params filled in.
    pub with: Map,
    /// How often it is tried.
    pub retry: Retry,
    /// Milliseconds that one attempt may take; at least 1.
    pub timeout_ms: Option<u64>,
    /// Tokens that all its attempts may use together; at most the opening's.
    pub budget_tokens: Option<u64>,
    /// Words that its author marked it with.
    pub tags: Vec<String>,
    /// Whether a person is asked before its first attempt (`require_human_confirm: true` in `with`).
    pub asks: bool,
}

/// What does a node's work.
#[derive(Clone, Debug, PartialEq)]
pub enum Use {
    /// `agent:<name>`: the agent that listens on `agent/<name>`; a topic's segment (ruling RMP 5).
    Agent(Arc<str>),
    /// `opening:<name>`: another opening, with the node's `with` as its params.
    Opening {
        /// The name it was looked up by.
        name: Arc<str>,
        /// The opening.
        opening: Arc<Opening>,
    },
}

impl fmt::Display for Use {
    /// As it is written in YAML.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(name) => write!(f, "agent:{name}"),
            Self::Opening { name, .. } => write!(f, "opening:{name}"),
        }
    }
}

/// How often a node is tried (ruling RMP 14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Attempts in all, the first included; at least 1.
    pub max_attempts: u32,
    /// Milliseconds between the end of one attempt and the next, always the same.
    pub backoff_ms: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Self { max_attempts: 1, backoff_ms: 0 }
    }
}

/// The values of one node's port on their way to another's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The index of the node it leaves.
    pub from: usize,
    /// The port there.
    pub from_port: Arc<str>,
    /// What a value of that port must equal; without, the edge always holds.
    pub when: Option<Literal>,
    /// The index of the node it feeds.
    pub to: usize,
    /// The port there.
    pub to_port: Arc<str>,
}

impl Edge {
    /// Whether the edge carries these values of its port: there is one, and its predicate, if any, equals one
    /// of them.
    #[must_use]
    pub fn holds(&self, values: &[super::PortValue]) -> bool {
        !values.is_empty()
            && self.when.as_ref().is_none_or(|it| values.iter().any(|value| it.equals(&value.value)))
    }
}

impl Opening {
    /// Nodes of it and of the openings within it.
    #[must_use]
    pub fn nodes_count(&self) -> usize {
        let within = self.nodes.iter().map(|it| match &it.action {
            Use::Agent(_) => 0,
            Use::Opening { opening, .. } => opening.nodes_count(),
        });
        self.nodes.len() + within.sum::<usize>()
    }

    /// The topics of the agents that it and the openings within it give work to (rmp-v0 §9.1).
    #[must_use]
    pub fn agents(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut left = vec![self];
        while let Some(opening) = left.pop() {
            for node in &opening.nodes {
                match &node.action {
                    Use::Agent(name) => drop(found.insert(format!("agent/{name}"))),
                    Use::Opening { opening, .. } => left.push(opening),
                }
            }
        }
        found
    }
}
