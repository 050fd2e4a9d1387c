//! The identifiers of a record (ruling MPLP 3).

use crate::{
    ids::TraceId,
    mplp::{Derived, MplpId, TraceParent},
};

/// The identifiers that a record has one of, and what the others are derived of.
#[derive(Clone, Debug)]
pub(super) struct Ids {
    /// The run's trace, hyphenated, or the session's id: what all are derived of.
    pub(super) record: String,
    pub(super) context: MplpId,
    pub(super) plan: MplpId,
    pub(super) trace: MplpId,
    pub(super) span: MplpId,
    pub(super) collab: MplpId,
    pub(super) dialog: MplpId,
    pub(super) network: MplpId,
    pub(super) graph: MplpId,
    pub(super) core: MplpId,
    pub(super) sa: MplpId,
}

impl Ids {
    /// Those of a run: its Trace keeps the run's trace where that can be an identifier.
    pub(super) fn new(run: TraceId) -> Self {
        let record = run.0.hyphenated().to_string();
        let trace = Derived::Trace(&record).id_unless(&record);
        Self { trace, ..Self::of(record) }
    }

    /// Those of a session: its Collab keeps the session's id where that can be an identifier, and its Context
    /// is that of its trace, if it has one.
    pub(super) fn of_session(session: &str, trace: Option<TraceId>) -> Self {
        let mut ids = Self::of(session.to_owned());
        ids.collab = Derived::Collab(session).id_unless(session);
        if let Some(trace) = trace {
            ids.context = Derived::Context(&trace.0.hyphenated().to_string()).id();
        }
        ids
    }

    /// Those that are all derived.
    pub(super) fn of(record: String) -> Self {
        let t = record.as_str();
        Self {
            context: Derived::Context(t).id(),
            plan: Derived::Plan(t).id(),
            trace: Derived::Trace(t).id(),
            span: Derived::Span(t).id(),
            collab: Derived::Collab(t).id(),
            dialog: Derived::Dialog(t).id(),
            network: Derived::Network(t).id(),
            graph: Derived::Graph(t).id(),
            core: Derived::Core(t).id(),
            sa: Derived::Sa(t).id(),
            record,
        }
    }

    pub(super) fn step(&self, node: &str) -> MplpId {
        Derived::Step(&self.record, node).id()
    }

    pub(super) fn node(&self, name: &str) -> MplpId {
        Derived::Node(&self.record, name).id()
    }

    pub(super) fn segment(&self, number: u64) -> MplpId {
        Derived::Segment(&self.record, number).id()
    }

    pub(super) fn event(&self, number: u64, place: u64) -> MplpId {
        Derived::Event(&self.record, number, place).id()
    }
}

/// The `traceparent` of a run's own span, to hand on (ruling MPLP 18): of its Trace and root span.
#[must_use]
pub fn traceparent(run: TraceId) -> TraceParent {
    let ids = Ids::new(run);
    TraceParent::of_span(ids.trace.as_bytes(), ids.span.as_bytes())
}

/// The identifier of the Role of a name.
pub(super) fn role_id(name: &str) -> MplpId {
    Derived::Role(name).id()
}
