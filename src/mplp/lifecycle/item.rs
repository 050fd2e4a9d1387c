//! Objects and events as they are made.

use std::sync::Arc;

use serde_json::Value;

use crate::{mplp::SchemaId, time::Wall};

/// What an object or event was made of, so that a person can be led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// What the record begins with.
    Beginning,
    /// The run event, or record of the session's log, of this number, from 1 on.
    Number(u64),
    /// How the record ended.
    End,
}

/// An object or event of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its schema.
    pub schema: SchemaId,
    /// It.
    pub object: Value,
    /// What it was made of.
    pub origin: Origin,
}

/// What every record is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSettings {
    /// `root.environment` of a Context (`mplp.environment`).
    pub environment: Arc<str>,
    /// `meta.created_by`: `rl-console/<version>`.
    pub created_by: Arc<str>,
}

/// A time as MPLP writes it: RFC 3339 in UTC with milliseconds and `Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(pub Wall);
