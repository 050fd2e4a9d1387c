//! What follows when a node ends: its edges settle, what they feed becomes ready, is skipped or blocked, and
//! a scope whose nodes have all ended is judged (Runloop facts, Execution; ruling RMP 14).

use std::{collections::BTreeMap, sync::Arc};

use rmpv::Value;

use super::{
    run::{EdgeState, Run},
    shared::Shared,
};
use crate::{
    runs::{
        openings::{Check, CheckKind, Edge, PortRef, PortValue, Success},
        payload::{Ports, memory_len},
    },
    tap::entry::{
        runs::{EventKind, NodeState, RunState},
        station::Level,
    },
    time::Now,
};

/// The port by which a nested opening tells whether it succeeded (ruling RMP 14).
const OK: &str = "ok";
/// The port by which it gives what it saved.
const OUT: &str = "out";

impl Run {
    /// Opens a scope: its nodes are worked on from their beginnings.
    pub(super) fn open_scope(&mut self, to: &mut Shared, now: Now, scope: u32) {
        let opening = Arc::clone(self.opening_of(scope));
        let of = &mut self.scopes[scope as usize];
        of.is_open = true;
        of.unfinished = u32::try_from(opening.nodes.len()).unwrap_or(u32::MAX);
        of.edges = vec![EdgeState::Open; opening.edges.len()];
        (of.tokens, of.is_denied) = (0, false);
        for place in self.positions(scope) {
            self.forget_outputs(to, place);
            let unsettled = self.scopes[scope as usize].incoming[self.nodes[place as usize].index].len();
            let node = self.node(place);
            node.unsettled = u32::try_from(unsettled).unwrap_or(u32::MAX);
            (node.attempt, node.tokens, node.is_approved) = (0, 0, false);
            if node.state != NodeState::Waiting {
                self.set_node_state(to, now, place, NodeState::Waiting, "");
            }
        }
        for place in self.positions(scope) {
            if self.ended.is_none()
                && self.nodes[place as usize].unsettled == 0
                && self.nodes[place as usize].state == NodeState::Waiting
            {
                self.on_ready(to, now, place);
            }
        }
        if opening.nodes.is_empty() {
            self.judge(to, now, scope);
        }
    }

    /// Ends a node. What follows is done by [`Run::settle`].
    pub(super) fn end_node(&mut self, to: &mut Shared, now: Now, position: u32, state: NodeState, why: &str) {
        self.set_node_state(to, now, position, state, why);
        let scope = self.nodes[position as usize].scope;
        let scope = &mut self.scopes[scope as usize];
        scope.unfinished = scope.unfinished.saturating_sub(1);
        self.ended_nodes.push_back(position);
    }

    /// Does what follows from the nodes that have ended, until nothing more does.
    pub(super) fn settle(&mut self, to: &mut Shared, now: Now) {
        while let Some(place) = self.ended_nodes.pop_front() {
            if self.ended.is_some() {
                self.ended_nodes.clear();
                return;
            }
            let (scope, index) = (self.nodes[place as usize].scope, self.nodes[place as usize].index);
            if !self.scopes[scope as usize].is_open {
                continue;
            }
            for at in self.scopes[scope as usize].outgoing[index].clone() {
                let state = self.edge_state(place, scope, at);
                let of = &mut self.scopes[scope as usize];
                of.edges[at as usize] = state;
                let target = of.opening.edges[at as usize].to;
                let target = self.position(scope, target);
                let node = self.node(target);
                node.unsettled = node.unsettled.saturating_sub(1);
                if node.unsettled == 0 && node.state == NodeState::Waiting {
                    self.on_settled(to, now, target);
                }
            }
            if self.scopes[scope as usize].unfinished == 0 && self.scopes[scope as usize].is_open {
                self.judge(to, now, scope);
            }
        }
    }

    /// How an edge out of a node that has ended stands.
    fn edge_state(&self, position: u32, scope: u32, at: u32) -> EdgeState {
        let node = &self.nodes[position as usize];
        let edge = &self.scopes[scope as usize].opening.edges[at as usize];
        let by_values = || {
            let values = self.values(position, &edge.from_port);
            match &edge.when {
                _ if edge.holds(values) => EdgeState::Delivered,
                None => EdgeState::Missing,
                Some(_) => EdgeState::DeadByChoice,
            }
        };
        match node.state {
            NodeState::Completed => by_values(),
            NodeState::Skipped => EdgeState::DeadByChoice,
            NodeState::Failed if node.inner.is_some() && &*edge.from_port == OK => by_values(),
            _ => EdgeState::DeadByFailure,
        }
    }

    /// Why nothing feeds a port of a node: the first edge into it that carries nothing, in the words of its
    /// author.
    fn why_skipped(&self, scope: u32, index: usize) -> String {
        let of = &self.scopes[scope as usize];
        let dead = of.incoming[index].iter().find(|at| of.edges[**at as usize] == EdgeState::DeadByChoice);
        let Some(edge) = dead.and_then(|at| of.opening.edges.get(*at as usize)) else {
            return "no input".to_owned();
        };
        let from = self.position(scope, edge.from);
        let (node, port) = (&of.opening.nodes[edge.from].id, &edge.from_port);
        match &edge.when {
            _ if self.nodes.get(from as usize).is_some_and(|node| node.state == NodeState::Skipped) => {
                format!("{node} was skipped")
            }
            _ if self.values(from, port).is_empty() => format!("{node} has no value on port `{port}`"),
            Some(literal) => format!("{node}.{port} is not {literal}"),
            None => "no input".to_owned(),
        }
    }

    /// All edges into a node have settled.
    fn on_settled(&mut self, to: &mut Shared, now: Now, position: u32) {
        let (scope, index) = (self.nodes[position as usize].scope, self.nodes[position as usize].index);
        let of = &self.scopes[scope as usize];
        // By port: whether anything feeds it, whose failure took that away, and which edge should have.
        let mut ports: BTreeMap<&str, (bool, Option<usize>, Option<&Edge>)> = BTreeMap::new();
        for at in &of.incoming[index] {
            let edge = &of.opening.edges[*at as usize];
            let port = ports.entry(&edge.to_port).or_default();
            match of.edges[*at as usize] {
                EdgeState::Delivered => port.0 = true,
                EdgeState::DeadByFailure => port.1 = port.1.or(Some(edge.from)),
                EdgeState::Missing => port.2 = port.2.or(Some(edge)),
                EdgeState::DeadByChoice | EdgeState::Open => {}
            }
        }
        let dead = || ports.values().filter(|(is_fed, ..)| !is_fed);
        let failed = dead().find_map(|(_, failed, _)| *failed);
        let missing = dead().find_map(|(.., missing)| *missing);
        let is_dead = dead().next().is_some();
        if let Some(failed) = failed {
            let why = format!("upstream {} failed", of.opening.nodes[failed].id);
            self.end_node(to, now, position, NodeState::Blocked, &why);
        } else if let Some(Edge { from, from_port, .. }) = missing {
            // No predicate says that it may be left out: without it the node cannot succeed (Runloop facts,
            // Success).
            let why = format!("{} has no value on port `{from_port}`", of.opening.nodes[*from].id);
            self.set_not_ok(position);
            self.end_node(to, now, position, NodeState::Failed, &why);
        } else if is_dead {
            let why = self.why_skipped(scope, index);
            self.end_node(to, now, position, NodeState::Skipped, &why);
        } else {
            self.on_ready(to, now, position);
        }
    }

    /// All nodes of a scope have ended.
    fn judge(&mut self, to: &mut Shared, now: Now, scope: u32) {
        let failure = self.failure(scope);
        if let Some((place, why)) = self.unsaved(scope).filter(|_| failure.is_none()) {
            self.event(to, now, Some(place), (EventKind::Log, Some(Level::Warn)), &why);
        }
        self.scopes[scope as usize].is_open = false;
        match (self.scopes[scope as usize].parent, failure) {
            (None, None) => self.ended = Some((RunState::Succeeded, String::new())),
            (None, Some(why)) => self.ended = Some((RunState::Failed, why)),
            (Some(parent), None) => {
                let bytes = self.saved(scope).map(|value| memory_len(&value.value)).sum();
                if self.fits(to, now, parent, bytes) {
                    let ports = self.nested_ports(scope);
                    self.complete(to, now, parent, ports, bytes);
                }
            }
            (Some(parent), Some(why)) => {
                // Whoever said no is not asked again by another attempt of the whole (ruling RMP 13).
                let is_denied = self.scopes[scope as usize].is_denied;
                let around = self.nodes[parent as usize].scope;
                self.scopes[around as usize].is_denied |= is_denied;
                self.fail_attempt(to, now, parent, !is_denied, &format!("it did not succeed: {why}"));
            }
        }
    }

    /// Why a scope whose nodes have all ended did not succeed.
    fn failure(&self, scope: u32) -> Option<String> {
        let opening = self.opening_of(scope);
        if let Some(success) = &opening.success {
            let holds = |check: &Check| self.holds(scope, check);
            let (holds, word, checks) = match success {
                Success::Any(checks) => (checks.iter().any(holds), "any_of", checks),
                Success::All(checks) => (checks.iter().all(holds), "all_of", checks),
            };
            return (!holds).then(|| self.why_not_held(scope, word, checks));
        }
        if let Some(why) = self.why_failed(scope) {
            return Some(why);
        }
        let is_any_done =
            self.positions(scope).any(|place| self.nodes[place as usize].state == NodeState::Completed);
        (!is_any_done).then(|| "every node was skipped".to_owned())
    }

    /// The node that completed without giving what the scope was to save of it, in words. That is no failure
    /// of its own: all nodes succeeded, or `success` holds.
    fn unsaved(&self, scope: u32) -> Option<(u32, String)> {
        let opening = self.opening_of(scope);
        let lacks = |port: &&PortRef| {
            let place = self.position(scope, port.node);
            self.nodes[place as usize].state == NodeState::Completed
                && self.values(place, &port.port).is_empty()
        };
        let PortRef { node, port } = opening.save.iter().find(lacks)?;
        Some((
            self.position(scope, *node),
            format!("artifacts.save: {} has no value on port `{port}`", opening.nodes[*node].id),
        ))
    }

    /// What a scope saves.
    fn saved(&self, scope: u32) -> impl Iterator<Item = &PortValue> {
        self.opening_of(scope)
            .save
            .iter()
            .flat_map(move |port| self.values(self.position(scope, port.node), &port.port))
    }

    /// Which node of a scope failed first in the order of its text, why, and how many others did.
    fn why_failed(&self, scope: u32) -> Option<String> {
        let stand = |states: &'static [NodeState]| {
            self.positions(scope).filter(move |place| states.contains(&self.nodes[*place as usize].state))
        };
        // A node that failed says more than one that was blocked by it.
        let mut failed = stand(&[NodeState::Failed]);
        let first = failed.next().or_else(|| stand(&[NodeState::Blocked, NodeState::Cancelled]).next())?;
        let node = &self.nodes[first as usize];
        let mut says = format!(
            "node {} {}",
            node.id,
            if node.state == NodeState::Failed { "failed" } else { node.state.name() }
        );
        if !node.why.is_empty() {
            says = format!("{says}: {}", node.why);
        }
        Some(match failed.count() {
            0 => says,
            1 => format!("{says}; and 1 more node failed"),
            more => format!("{says}; and {more} more nodes failed"),
        })
    }

    /// Which checks of `success` do not hold, and what failed beside.
    fn why_not_held(&self, scope: u32, word: &str, checks: &[Check]) -> String {
        /// Checks that are told.
        const LISTED_MAX: usize = 3;
        let opening = self.opening_of(scope);
        let missed: Vec<&Check> = checks.iter().filter(|check| !self.holds(scope, check)).collect();
        let mut told: Vec<String> = missed
            .iter()
            .take(LISTED_MAX)
            .map(|Check { port, kind: is }| {
                let (node, port) = (&opening.nodes[port.node].id, &port.port);
                match is {
                    CheckKind::Exists => format!("{node}.{port} has no value"),
                    CheckKind::Equals(literal) => format!("{node}.{port} is not {literal}"),
                }
            })
            .collect();
        told.extend((missed.len() > LISTED_MAX).then(|| format!("and {} more", missed.len() - LISTED_MAX)));
        let says = format!("success.{word} not met: {}", told.join(", "));
        self.why_failed(scope).map_or_else(|| says.clone(), |failed| format!("{says}; {failed}"))
    }

    fn holds(&self, scope: u32, check: &Check) -> bool {
        let place = self.position(scope, check.port.node);
        let values = self.values(place, &check.port.port);
        match &check.kind {
            CheckKind::Exists => {
                self.nodes[place as usize].state == NodeState::Completed && !values.is_empty()
            }
            CheckKind::Equals(literal) => values.iter().any(|value| literal.equals(&value.value)),
        }
    }

    /// What a nested opening that succeeded gives.
    fn nested_ports(&self, scope: u32) -> Ports {
        let out: Vec<_> = self.saved(scope).cloned().collect();
        let mut ports = ok_port(true);
        if !out.is_empty() {
            ports.insert(Arc::from(OUT), out);
        }
        ports
    }

    /// What a nested opening gives that did not succeed.
    pub(super) fn set_not_ok(&mut self, position: u32) {
        if self.nodes[position as usize].inner.is_some() {
            self.node(position).outputs = ok_port(false);
        }
    }
}

fn ok_port(ok: bool) -> Ports {
    let value = PortValue { schema_id: 4, kind: Arc::from("toolresult.generic.v1"), value: Value::from(ok) };
    [(Arc::from(OK), vec![value])].into()
}
