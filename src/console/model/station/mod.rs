//! What the model keeps of the station and of this console's own state: attachment, health, the store's
//! report, monitoring.

pub(crate) mod alerts;
mod attachment;
pub(crate) mod console_health;
pub(crate) mod health;
mod intercepted;
mod journal;
mod monitor;
pub(crate) mod state;

pub(crate) use console_health::{ConsoleHealth, HealthMetrics, Measured};
pub(crate) use intercepted::{HeldFrame, InterceptedFrames};
pub(crate) use journal::{journal_changes, said_by_person};
pub(crate) use monitor::{AlertChange, QueueMetrics, StationMonitor, Summary};
pub(crate) use state::{Station, StationState};
