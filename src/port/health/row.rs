//! How each component of a station is.

use serde::{Deserialize, Serialize};

/// How a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    /// It does its work.
    Ok,
    /// It does its work, and something is amiss that a person should see to.
    Degraded,
    /// It does not do its work.
    Down,
}

impl HealthStatus {
    /// The name of each.
    pub const NAMES: [&str; 3] = ["ok", "degraded", "down"];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// `ls health`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "HealthForm", into = "HealthForm")]
pub struct HealthRow {
    /// The component: `mpp`, `store`, `tap`, `recording`.
    pub component: String,
    /// How it is.
    pub status: HealthStatus,
    /// Its figures in short, as its chip shows them.
    pub figures: String,
    /// What is known of it, or what is wrong and what to do.
    pub detail: String,
}

/// What the row `recording` says first while an operator's recording runs: its file follows.
pub(crate) const RECORDING_TO: &str = "to ";

impl HealthRow {
    /// Whether it says that no operator's recording runs: that it has ended, asked for or not.
    pub(crate) fn has_no_recording(&self) -> bool {
        self.component == "recording" && !self.detail.starts_with(RECORDING_TO)
    }
}

/// The row as it is sent and printed. A station of an earlier version knows neither status nor figures.
#[derive(Clone, Serialize, Deserialize)]
struct HealthForm {
    part: String,
    /// False where it is down.
    well: bool,
    detail: String,
    status: Option<HealthStatus>,
    #[serde(default)]
    figures: String,
}

impl From<HealthRow> for HealthForm {
    fn from(HealthRow { component, status, figures, detail }: HealthRow) -> Self {
        Self { part: component, well: status != HealthStatus::Down, detail, status: Some(status), figures }
    }
}

impl From<HealthForm> for HealthRow {
    fn from(HealthForm { part, well, detail, status, figures }: HealthForm) -> Self {
        let status = status.unwrap_or(if well { HealthStatus::Ok } else { HealthStatus::Down });
        Self { component: part, status, figures, detail }
    }
}
