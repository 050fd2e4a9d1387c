//! What runs are told in: how runs and their nodes move, what they tell, ask and save (rmp-v0 §10; rulings
//! RMP 10 to 14).

use std::sync::Arc;

use super::{
    names::names,
    station::Level,
    texts::{Texts, texts},
};
use crate::{
    ids::{ActionId, TraceId},
    time::Wall,
};

names! {
    /// How a run stands.
    RunState {
        /// Its nodes are worked on.
        Running = "running",
        /// It was cancelled, and is on its way to its end.
        Cancelling = "cancelling",
        /// It ended, and what it was to reach holds.
        Succeeded = "succeeded",
        /// It ended, and that does not hold.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
    /// How a node of a run stands.
    NodeState {
        /// For what feeds its inputs.
        Waiting = "waiting",
        /// All that it waits for is a place among the attempts that are worked on.
        Ready = "ready",
        /// For a person's decision (ruling RMP 13).
        Asking = "asking",
        /// An attempt is worked on.
        Running = "running",
        /// For the time between two attempts.
        Retrying = "retrying",
        /// It gave its ports.
        Completed = "completed",
        /// Its last attempt failed.
        Failed = "failed",
        /// By a predicate nothing feeds it: neither a success nor a failure (ruling RMP 14).
        Skipped = "skipped",
        /// What feeds it did not succeed.
        Blocked = "blocked",
        /// It had not ended when its run did.
        Cancelled = "cancelled",
    }
    /// What an event of a run is (rmp-v0 §10).
    EventKind {
        /// A remark.
        Log = "log",
        /// A run or a node stands otherwise.
        Status = "status",
        /// The action.
        Plan = "plan",
        /// A hop to an agent and back.
        Trace = "trace",
        /// Something that is kept.
        Artifact = "artifact",
        /// How far an agent is.
        Progress = "progress",
    }
    /// How a question to a person ended (ruling RMP 13).
    Verdict {
        /// A person said yes.
        Approved = "approved",
        /// A person said no.
        Rejected = "rejected",
        /// Nobody said anything in time.
        Expired = "expired",
        /// Its run ended.
        Withdrawn = "withdrawn",
    }
    /// Who asked for a run or for its end.
    AskerKind {
        /// An agent, or any client without a token.
        Agent = "agent",
        /// A graphical console.
        Ui = "ui",
        /// A console in a terminal, or the command line with the operator's token.
        Tui = "tui",
        /// A cue: it may submit, nothing else.
        Cue = "cue",
        /// The station itself.
        Station = "station",
    }
}

impl RunState {
    /// Whether it is one that a run does not leave.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

impl NodeState {
    /// Whether it is one that a node does not leave.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Skipped | Self::Blocked | Self::Cancelled)
    }

    /// Whether what the node was to do is done: it completed, or a predicate left it out.
    #[must_use]
    pub const fn is_done(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped)
    }
}

/// Who asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asker {
    /// What it may do on the bus.
    pub kind: AskerKind,
    /// What it calls itself.
    pub client: Arc<str>,
}

/// A node of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeRef {
    /// Its place in the plan.
    pub index: u32,
    /// Its id; of a node of a nested opening, `outer/inner`.
    pub id: Arc<str>,
}

/// A change of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// A run was accepted. The text is its plan, or the beginning of it, as JSON.
    Submitted {
        /// Which.
        run: TraceId,
        /// The opening's name.
        name: Arc<str>,
        /// Who asked for it.
        by: Asker,
        /// Nodes of the plan, those of nested openings included.
        nodes: u32,
    },
    /// A further part of a plan that is too long for one text: more nodes, or more edges.
    Planned {
        /// Whose.
        run: TraceId,
    },
    /// A request was rejected. The text says why.
    Rejected {
        /// The request, by the trace of its header.
        request: TraceId,
        /// Whose it was.
        by: Asker,
    },
    /// A node stands otherwise. The text says why, where there is more to say.
    StateChange {
        /// Of which run.
        run: TraceId,
        /// Which node.
        node: NodeRef,
        /// How it stands.
        state: NodeState,
        /// Attempts that were begun.
        attempt: u32,
    },
    /// A run told of something. The text is the event's message.
    Event {
        /// Which run.
        run: TraceId,
        /// The event's place in the run's history, from 1 on.
        number: u64,
        /// What it is.
        kind: EventKind,
        /// How grave it is.
        level: Option<Level>,
        /// Of which node it speaks.
        node: Option<NodeRef>,
    },
    /// An agent said how far it is. The text is its message.
    Progressed {
        /// Of which run.
        run: TraceId,
        /// Which node.
        node: NodeRef,
        /// How much is done, in the agent's own unit.
        done: Option<f64>,
        /// Of how much.
        total: Option<f64>,
    },
    /// A person is asked whether a node may go on. The text is the question, and on a line of its own the
    /// inputs, for people to read.
    Asked {
        /// Of which run.
        run: TraceId,
        /// The question's own name.
        action: ActionId,
        /// Which node.
        node: NodeRef,
        /// When it is rejected without an answer.
        expires_at: Wall,
        /// The question.
        question: Arc<str>,
        /// What the node would be given, as JSON: `{"with": {…}, "inputs": {"<port>": […]}}`; empty where
        /// that is not known.
        inputs: Arc<str>,
    },
    /// A question ended. The text is the person's note.
    Decided {
        /// Of which run.
        run: TraceId,
        /// Which question.
        action: ActionId,
        /// How.
        verdict: Verdict,
        /// Who decided, where a person did.
        by: Option<Asker>,
    },
    /// An artifact was kept.
    Saved {
        /// Of which run.
        run: TraceId,
        /// Which node gave it.
        node: NodeRef,
        /// On which port.
        port: Arc<str>,
        /// Its type.
        kind: Arc<str>,
        /// Its schema.
        schema_id: u16,
        /// Its length as `MsgPack`.
        bytes: u64,
    },
    /// Tokens were used (ruling RMP 14).
    Spent {
        /// By which run.
        run: TraceId,
        /// All that it used so far.
        tokens: u64,
    },
    /// How many nodes of a run completed or were skipped, told with its end.
    Done {
        /// Of which run.
        run: TraceId,
        /// Nodes.
        nodes: u32,
    },
    /// A run is to end before its time.
    Cancelling {
        /// Which.
        run: TraceId,
        /// Who asked for that.
        by: Asker,
    },
    /// No attempt is begun any more, or they are again: the show's brake.
    Braked {
        /// Whether they are held.
        held: bool,
        /// Who asked for that.
        by: Asker,
    },
    /// A run ended. The text says why it did not succeed.
    Ended {
        /// Which.
        run: TraceId,
        /// How.
        state: RunState,
    },
}

impl Transition {
    /// The run that it speaks of; of a rejection, the one that was asked for. Nothing where it speaks of all.
    #[must_use]
    pub const fn run(&self) -> Option<TraceId> {
        Some(match self {
            Self::Braked { .. } => return None,
            Self::Rejected { request: run, .. }
            | Self::Submitted { run, .. }
            | Self::Planned { run }
            | Self::StateChange { run, .. }
            | Self::Event { run, .. }
            | Self::Progressed { run, .. }
            | Self::Asked { run, .. }
            | Self::Decided { run, .. }
            | Self::Saved { run, .. }
            | Self::Spent { run, .. }
            | Self::Done { run, .. }
            | Self::Cancelling { run, .. }
            | Self::Ended { run, .. } => *run,
        })
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Submitted { .. } => "submitted",
            Self::Planned { .. } => "planned",
            Self::Rejected { .. } => "rejected",
            Self::StateChange { .. } => "moved",
            Self::Event { .. } => "told",
            Self::Progressed { .. } => "progressed",
            Self::Asked { .. } => "asked",
            Self::Decided { .. } => "decided",
            Self::Saved { .. } => "saved",
            Self::Spent { .. } => "spent",
            Self::Done { .. } => "done",
            Self::Cancelling { .. } => "cancelling",
            Self::Braked { .. } => "braked",
            Self::Ended { .. } => "ended",
        }
    }
}

/// Why a node failed whose question nobody decided.
pub const NO_DECISION: &str = "no decision in time";

texts! {
    Asker {
        Self { kind: _, client } => [client],
    }
    NodeRef {
        Self { index: _, id } => [id],
    }
    Transition {
        Self::Planned { run: _ } | Self::Spent { run: _, tokens: _ } | Self::Done { run: _, nodes: _ }
            | Self::Ended { run: _, state: _ } => [],
        Self::Submitted { run: _, name, by, nodes: _ } => [name by],
        Self::Rejected { request: _, by } | Self::Cancelling { run: _, by }
            | Self::Braked { held: _, by } => [by],
        Self::StateChange { run: _, node, state: _, attempt: _ }
            | Self::Progressed { run: _, node, done: _, total: _ } => [node],
        Self::Event { run: _, number: _, kind: _, level: _, node } => [node],
        Self::Asked { run: _, action: _, node, expires_at: _, question, inputs } => [node question inputs],
        Self::Decided { run: _, action: _, verdict: _, by } => [by],
        Self::Saved { run: _, node, port, kind, schema_id: _, bytes: _ } => [node port kind],
    }
}
