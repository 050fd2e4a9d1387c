//! The rows of lifecycle records: a run or session as MPLP objects and events.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    ids::TraceId,
    mplp::{Finding, Profile, lifecycle::Origin},
    schema::JsonText,
};

/// Bytes of a page that one message carries with what is around it; a page has more where an object of more
/// bytes is asked for.
pub const LIFECYCLE_PAGE_BYTES: u64 = 240 << 10;

/// Whose record it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordOf {
    /// A run's.
    Run(TraceId),
    /// A session's, by its id.
    Session(String),
    /// The station's itself, as it is now.
    Station,
}

/// A part of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LifecyclePage {
    /// The profile that it claims.
    pub profile: Profile,
    /// Which state of the record it is of: a record that goes on is another one a moment later. Who sees the
    /// number change between pages begins anew.
    pub version: u64,
    /// Objects and events in the whole record.
    pub total: u64,
    /// Findings of the whole record; at most `limits.mplp.findings_max`.
    pub findings: u64,
    /// Whether there are more than those.
    #[serde(default, skip_serializing_if = "is_false")]
    pub more_findings: bool,
    /// Findings of no row, such as a Context that is not there; in the first page alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of_bundle: Vec<Finding>,
    /// The rows.
    pub rows: Vec<LifecycleRow>,
    /// Whether there are more behind the last.
    pub more: bool,
}

/// An object or event of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LifecycleRow {
    /// Its place in the bundle, from 1 on: the objects in the order of ruling MPLP 12, then the events as
    /// they happened.
    pub place: u64,
    /// The name of its schema.
    pub schema: String,
    /// Where it is in the bundle: `plan`, `roles[2]`, `events[17]`.
    pub path: String,
    /// What it was made of.
    pub origin: Origin,
    /// In the record of a run, the session whose log `origin` speaks of; none of the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Arc<str>>,
    /// The object or event itself. It is left out where it is larger than a page has room for:
    /// `omitted_bytes` says its length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<JsonText>,
    /// Its length in bytes, where it is not here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_bytes: Option<u64>,
    /// What is wrong with it. Of very many the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}
