//! A run: its scopes and nodes, laid out flat.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use super::{shared::Shared, timers::Key};
use crate::{
    ids::{ActionId, ConnectionId, OpeningId, Ticket, TopicName, TraceId},
    runs::{
        Plan,
        openings::{Edge, Node, Opening, PortValue, Use},
        payload::{Ports, ProgressReport, QuestionMeta, value_len},
    },
    tap::entry::runs::{Asker, NodeRef, NodeState, RunState},
    time::{Mono, Now, Wall},
    w3c::GivenTraceParent,
};

/// A run that has not ended.
///
/// ```text
/// recorded? ─Committed→ live ─all nodes settled, cancelled, failed as a whole→ ended
/// ```
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "a run's trace is its name, and called so everywhere")]
pub(super) struct Run {
    pub(super) run: TraceId,
    pub(super) opening: OpeningId,
    pub(super) by: Asker,
    /// In which session on the bus it was submitted; none of an operator's, nor of one of an earlier start.
    pub(super) submitted_in: Option<ConnectionId>,
    /// The opening as it was sent, until it is recorded, or its record begins.
    pub(super) yaml: Arc<str>,
    /// The trace context that it was submitted with, until its first events are told.
    pub(super) traceparent: Option<GivenTraceParent>,
    /// When it was accepted, as the store has it.
    pub(super) submitted_at: Wall,
    /// Whether its record is told from its beginning on.
    pub(super) tells_record: bool,
    /// Whether it is recorded and its nodes are worked on.
    pub(super) is_live: bool,
    /// When its time is over.
    pub(super) ends_by: Mono,
    /// Who cancelled it before that, and the header's trace of the request where it is to be answered.
    pub(super) cancelled: Option<(Asker, Vec<TraceId>)>,
    /// The opening's own scope first.
    pub(super) scopes: Vec<Scope>,
    /// By place; the nodes of a scope lie together.
    pub(super) nodes: Vec<NodeRun>,
    /// Nodes that wait for a place among the attempts that are worked on.
    pub(super) ready: VecDeque<u32>,
    /// Whether the run waits for its turn with those.
    pub(super) is_queued: bool,
    pub(super) in_flight: u64,
    /// Nodes that ended, whose edges are to be settled.
    pub(super) ended_nodes: VecDeque<u32>,
    pub(super) tokens: u64,
    /// Nodes that completed or were skipped.
    pub(super) done: u32,
    /// Bytes that its ports hold.
    pub(super) port_bytes: u64,
    pub(super) events: u64,
    pub(super) kept_events: u64,
    pub(super) artifacts: u64,
    /// Answers that came too late or twice.
    pub(super) late: u64,
    /// Messages on reply topics that are no answers, and reports of progress that cannot be read.
    pub(super) foreign: u64,
    /// Events and artifacts that were not kept because the store could not write.
    pub(super) lost: (u64, u64),
    pub(super) timer: Option<Key>,
    pub(super) ended: Option<(RunState, String)>,
    /// The last that is known of it, where a stop of the station cut it: it ends then.
    pub(super) cut_at: Option<Wall>,
}

/// An opening within a run.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) opening: Arc<Opening>,
    /// The place of its first node.
    pub(super) base: u32,
    /// The node that it is the work of.
    pub(super) parent: Option<u32>,
    /// Whether its nodes are worked on.
    pub(super) is_open: bool,
    /// Nodes that have not ended.
    pub(super) unfinished: u32,
    /// Whether a person, or nobody in time, said no to a node of it.
    pub(super) is_denied: bool,
    pub(super) edges: Vec<EdgeState>,
    /// The edges out of each node, and into it.
    pub(super) outgoing: Vec<Vec<u32>>,
    pub(super) incoming: Vec<Vec<u32>>,
    pub(super) tokens: u64,
}

/// How an edge stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeState {
    /// Its source has not ended.
    Open,
    /// It carries values.
    Delivered,
    /// Its predicate does not hold, or its source was skipped.
    DeadByChoice,
    /// It has no predicate, and its source gave nothing on its port: what it feeds lacks that.
    Missing,
    /// Its source did not succeed.
    DeadByFailure,
}

/// A node within a run.
#[derive(Debug)]
pub(super) struct NodeRun {
    pub(super) scope: u32,
    /// Its index in the scope's opening.
    pub(super) index: usize,
    /// Its id; of a nested opening's node, `outer/inner`.
    pub(super) id: Arc<str>,
    /// The scope that is its work, where that is an opening.
    pub(super) inner: Option<u32>,
    pub(super) state: NodeState,
    /// Of one that did not succeed, why; within `limits.runs.shown_text_bytes_max`.
    pub(super) why: Arc<str>,
    pub(super) attempt: u32,
    /// Edges into it that are open.
    pub(super) unsettled: u32,
    pub(super) outputs: Ports,
    pub(super) output_bytes: u64,
    pub(super) tokens: u64,
    pub(super) flight: Option<Flight>,
    /// Of the attempt, or of the time until the next.
    pub(super) timer: Option<Key>,
    pub(super) ask: Option<Ask>,
    /// What the node's next event says of its question.
    pub(super) asked: Option<Box<QuestionMeta>>,
    /// Whether a person said yes.
    pub(super) is_approved: bool,
    pub(super) progress: ProgressThrottle,
}

/// A question that a node waits on.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) action: ActionId,
    pub(super) timer: Option<Key>,
    pub(super) summary: Arc<str>,
    pub(super) asked_at: Now,
    pub(super) expires_at: Wall,
}

/// The throttle of an agent's progress reports.
#[derive(Debug, Default)]
pub(super) struct ProgressThrottle {
    /// When that was last.
    pub(super) at: Option<Mono>,
    /// What it said since.
    pub(super) next: Option<ProgressReport>,
    pub(super) timer: Option<Key>,
}

/// An attempt that an agent works on.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) agent: Arc<str>,
    pub(super) topic: TopicName,
    /// Of the request, while the bus has not said whom it reached.
    pub(super) ticket: Option<Ticket>,
    /// The request's length, header and body (rmp-v0 §3).
    pub(super) frame_len: u64,
    pub(super) began: Mono,
    /// The sessions that took it and are still there.
    pub(super) peers: Vec<ConnectionId>,
    /// The number by which they have it.
    pub(super) msg_id: Option<u64>,
    /// Why nobody has room for it.
    pub(super) refused: Option<String>,
    /// That all that took it have left.
    pub(super) abandoned: Option<String>,
    /// Of the time until it is offered again, or until it is not awaited any more.
    pub(super) retry_timer: Option<Key>,
}

impl Run {
    pub(super) fn new(
        run: TraceId,
        opening_id: OpeningId,
        opening: &Arc<Opening>,
        by: Asker,
        yaml: Arc<str>,
    ) -> Self {
        let mut this = Self {
            run,
            opening: opening_id,
            by,
            submitted_in: None,
            yaml,
            traceparent: None,
            submitted_at: Wall(0),
            tells_record: false,
            is_live: false,
            ends_by: Mono(u64::MAX),
            cancelled: None,
            scopes: Vec::new(),
            nodes: Vec::new(),
            ready: VecDeque::new(),
            is_queued: false,
            in_flight: 0,
            ended_nodes: VecDeque::new(),
            tokens: 0,
            done: 0,
            port_bytes: 0,
            events: 0,
            kept_events: 0,
            artifacts: 0,
            late: 0,
            foreign: 0,
            lost: (0, 0),
            timer: None,
            ended: None,
            cut_at: None,
        };
        let mut next = 0;
        this.lay_out(opening, None);
        while let Some(node) = this.nodes.get(next) {
            let def =
                this.scopes.get(node.scope as usize).and_then(|scope| scope.opening.nodes.get(node.index));
            if let Some(Use::Opening { opening, .. }) = def.map(|def| &def.action) {
                let (opening, place) = (Arc::clone(opening), u32::try_from(next).unwrap_or(u32::MAX));
                let scope = this.lay_out(&opening, Some(place));
                this.nodes[next].inner = Some(scope);
            }
            next += 1;
        }
        this
    }

    fn lay_out(&mut self, opening: &Arc<Opening>, parent: Option<u32>) -> u32 {
        let number = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let (scope, base) = (number(self.scopes.len()), number(self.nodes.len()));
        let prefix = parent.map(|place| Arc::clone(&self.nodes[place as usize].id));
        let (mut outgoing, mut incoming) =
            (vec![Vec::new(); opening.nodes.len()], vec![Vec::new(); opening.nodes.len()]);
        for (at, edge) in opening.edges.iter().enumerate() {
            outgoing[edge.from].push(number(at));
            incoming[edge.to].push(number(at));
        }
        for (index, node) in opening.nodes.iter().enumerate() {
            let id = prefix
                .as_ref()
                .map_or_else(|| Arc::clone(&node.id), |prefix| Arc::from(format!("{prefix}/{}", node.id)));
            self.nodes.push(NodeRun {
                scope,
                index,
                id,
                inner: None,
                state: NodeState::Waiting,
                why: Arc::default(),
                attempt: 0,
                unsettled: 0,
                outputs: Ports::new(),
                output_bytes: 0,
                tokens: 0,
                flight: None,
                timer: None,
                ask: None,
                asked: None,
                is_approved: false,
                progress: ProgressThrottle::default(),
            });
        }
        let opening = Arc::clone(opening);
        self.scopes.push(Scope {
            opening,
            base,
            parent,
            is_open: false,
            unfinished: 0,
            is_denied: false,
            edges: Vec::new(),
            outgoing,
            incoming,
            tokens: 0,
        });
        scope
    }

    pub(super) fn name(&self) -> Arc<str> {
        Arc::clone(&self.opening_of(0).name)
    }

    pub(super) fn opening_of(&self, scope: u32) -> &Arc<Opening> {
        &self.scopes[scope as usize].opening
    }

    pub(super) fn node(&mut self, position: u32) -> &mut NodeRun {
        &mut self.nodes[position as usize]
    }

    /// The node as its opening has it.
    pub(super) fn def(&self, position: u32) -> &Node {
        let node = &self.nodes[position as usize];
        &self.opening_of(node.scope).nodes[node.index]
    }

    pub(super) fn node_ref(&self, position: u32) -> NodeRef {
        NodeRef { index: position, id: Arc::clone(&self.nodes[position as usize].id) }
    }

    /// The place of a node of a scope.
    pub(super) fn position(&self, scope: u32, index: usize) -> u32 {
        self.scopes[scope as usize].base + u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// The places of a scope's nodes.
    pub(super) fn positions(&self, scope: u32) -> std::ops::Range<u32> {
        let scope = &self.scopes[scope as usize];
        scope.base..scope.base + u32::try_from(scope.opening.nodes.len()).unwrap_or(0)
    }

    /// What feeds a node, by its ports, in the order of the edges.
    ///
    /// # Errors
    /// The bytes that it has at least, where that is more than `bytes_max`; nothing is copied then.
    pub(super) fn inputs(&self, position: u32, bytes_max: u64) -> Result<Ports, u64> {
        let mut bytes = 0;
        for value in self.fed(position).flat_map(|(_, values)| values) {
            bytes += value_len(&value.value);
            if bytes > bytes_max {
                return Err(bytes);
            }
        }
        let mut inputs = Ports::new();
        for (port, values) in self.fed(position) {
            inputs.entry(Arc::clone(port)).or_default().extend_from_slice(values);
        }
        Ok(inputs)
    }

    /// The first values of each port that feeds a node, at most so many.
    pub(super) fn first_inputs(&self, position: u32, values_max: usize) -> BTreeMap<&str, Vec<&PortValue>> {
        let mut inputs: BTreeMap<&str, Vec<&PortValue>> = BTreeMap::new();
        for (port, values) in self.fed(position) {
            let first = inputs.entry(port).or_default();
            first.extend(values.iter().take(values_max.saturating_sub(first.len())));
        }
        inputs
    }

    /// The ports that delivered edges feed, with what they carry, in the order of the edges.
    fn fed(&self, position: u32) -> impl Iterator<Item = (&Arc<str>, &[PortValue])> {
        let node = &self.nodes[position as usize];
        let scope = &self.scopes[node.scope as usize];
        let delivered =
            scope.incoming[node.index].iter().filter(|at| scope.edges[**at as usize] == EdgeState::Delivered);
        delivered.map(move |at| {
            let Edge { from, from_port, to_port, .. } = &scope.opening.edges[*at as usize];
            (to_port, self.values(self.position(node.scope, *from), from_port))
        })
    }

    /// What a node gave on a port.
    pub(super) fn values(&self, position: u32, port: &str) -> &[PortValue] {
        self.nodes[position as usize].outputs.get(port).map_or(&[], Vec::as_slice)
    }

    /// The plan: its nodes have the places of this run's.
    pub(super) fn plan(&self) -> Plan {
        Plan::from(&**self.opening_of(0))
    }

    /// Lets go of what a node's ports hold.
    pub(super) fn forget_outputs(&mut self, to: &mut Shared, position: u32) {
        let node = self.node(position);
        let bytes = std::mem::take(&mut node.output_bytes);
        node.outputs = BTreeMap::new();
        self.port_bytes = self.port_bytes.saturating_sub(bytes);
        to.port_bytes = to.port_bytes.saturating_sub(bytes);
    }
}
