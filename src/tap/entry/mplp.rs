//! What lifecycle records are told in: what was not clean and did not leave, how runs were rated, what was
//! exported (mplp-l1 §5.1; rulings MPLP 10 and 17).

use std::sync::Arc;

use super::{
    names::names,
    texts::{Texts, texts},
};
use crate::ids::TraceId;

names! {
    /// What a record is of.
    RecordKind {
        /// A run.
        Run = "run",
        /// A session.
        Session = "session",
        /// The station as it is.
        Station = "station",
    }
    /// How a person rated a run.
    RatingVerdict {
        /// The run is good.
        Approved = "approved",
        /// It is not.
        Rejected = "rejected",
    }
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordRef {
    /// What it is of.
    pub kind: RecordKind,
    /// Which: the trace of a run, hyphenated; the id of a session; empty of the station.
    pub id: Arc<str>,
}

impl RecordRef {
    /// That of a run.
    #[must_use]
    pub fn run(run: TraceId) -> Self {
        Self { kind: RecordKind::Run, id: run.to_string().into() }
    }

    /// That of a session.
    #[must_use]
    pub fn session(session: &str) -> Self {
        Self { kind: RecordKind::Session, id: session.into() }
    }

    /// The run whose record it is.
    #[must_use]
    pub fn trace(&self) -> Option<TraceId> {
        (self.kind == RecordKind::Run).then(|| self.id.parse().ok()).flatten()
    }
}

/// A change of lifecycle records.
#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// An object or event of ours was not clean, and was not published: a fault of ours. The text is what its
    /// first finding requires.
    Withheld {
        /// Of which record.
        record: RecordRef,
        /// By the name of its schema.
        schema: Arc<str>,
        /// The rule or keyword of its first finding.
        rule: Arc<str>,
        /// The path of its first finding.
        path: Arc<str>,
        /// How many findings it has.
        findings: u32,
    },
    /// A run was rated; an earlier rating holds no more. The text is the note.
    Rated {
        /// Which.
        run: TraceId,
        /// How.
        verdict: RatingVerdict,
        /// By whom.
        by: Arc<str>,
    },
    /// A record was written to a file, or printed.
    Exported {
        /// Which.
        record: RecordRef,
        /// Objects and events in it.
        items: u64,
        /// Its findings.
        findings: u64,
    },
}

impl Transition {
    /// The run that it speaks of.
    #[must_use]
    pub fn run(&self) -> Option<TraceId> {
        match self {
            Self::Rated { run, .. } => Some(*run),
            Self::Withheld { record, .. } | Self::Exported { record, .. } => record.trace(),
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Withheld { .. } => "withheld",
            Self::Rated { .. } => "rated",
            Self::Exported { .. } => "exported",
        }
    }
}

texts! {
    RecordRef {
        Self { kind: _, id } => [id],
    }
    Transition {
        Self::Withheld { record, schema, rule, path, findings: _ } => [record schema rule path],
        Self::Rated { run: _, verdict: _, by } => [by],
        Self::Exported { record, items: _, findings: _ } => [record],
    }
}
