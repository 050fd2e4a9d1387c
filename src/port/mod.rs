//! The one way to act on a station and to ask it: [`StationPort`]. The console, the CLI and attached consoles
//! all go through it, so that what a key can do, a script can do.

mod attachment;
mod bridge;
mod bus;
mod command;
mod decisions;
mod error;
mod fields;
mod fields_bus;
mod fields_runs;
mod fields_sessions;
mod health;
mod ladder;
mod ladder_row;
mod list;
mod node_states;
mod operator;
mod query;
mod recorded;
mod runs;
mod sessions;
mod shutdown_impact;
mod snapshot;
mod systems;
pub(crate) mod tables;
pub mod wire;

pub(crate) use attachment::RESTARTED_NOTICE;
pub use attachment::{Attachment, PreviousSession, Reachability};
pub use bridge::{AdapterRow, EventRow, InvocationRow, QueueRow, RefundRow, StateKeyRow};
pub use bus::{Dropped, PeerRow, SubscriptionRow, TopicRow, peer_rows, subscription_rows, topic_rows};
pub use command::{Command, Outcome};
pub use error::PortError;
pub use health::HealthRow;
pub use ladder::Ladder;
pub use ladder_row::HopRow;
pub use list::{List, ListRow, PageRows, Paging};
pub use node_states::{NodeStates, NodeStatus, cut_text};
pub use operator::{Answer, Operator, StationPort};
pub use query::{Page, Query};
pub use runs::{ArtifactRow, ConfirmationRow, RunDetail, RunEventRow, RunRow};
pub use sessions::{LogKind, SessionDetail, SessionLogRow, SessionRow};
pub(crate) use shutdown_impact::ShutdownImpact;
pub use snapshot::{AsOf, HostState, RecordingView, Snapshot, StationView};
pub(crate) use tables::tables;
