//! The one way to act on a station and to ask it: [`StationPort`]. The console, the CLI and attached consoles
//! all go through it, so that what a key can do, a script can do.

mod alerts;
mod attachment;
mod bridge;
mod bus;
mod captured;
mod carried;
mod clients;
mod command;
mod decisions;
mod drops;
mod error;
mod fields;
mod fields_alerts;
mod fields_bus;
mod fields_clients;
mod fields_gate;
mod fields_plugins;
mod fields_runs;
mod fields_sessions;
mod findings;
mod gate;
pub(crate) mod health;
mod judged;
mod ladder;
mod ladder_row;
mod lifecycle;
mod list;
#[cfg(test)]
mod names_tests;
mod node_states;
mod operator;
mod past;
mod pieces;
mod plugins;
mod query;
mod recorded;
mod replay;
mod replay_bar;
mod runs;
mod sessions;
mod shutdown_impact;
mod snapshot;
mod systems;
pub(crate) mod tables;
mod violations;
pub mod wire;
mod workbench;

pub use alerts::{AlertList, AlertRow};
pub(crate) use attachment::RESTARTED_NOTICE;
pub use attachment::{Attachment, PreviousSession, Reachability};
pub use bridge::{AdapterRow, EventRow, InvocationRow, QueueRow, RefundRow, StateKeyRow};
pub use bus::{Dropped, PeerRow, SubscriptionRow, TopicRow, peer_rows, subscription_rows, topic_rows};
pub use captured::whole_frame;
pub use clients::ClientRow;
pub use command::{Command, Outcome};
pub use drops::{DropRow, drop_rows};
pub use error::PortError;
pub use findings::FindingRow;
pub use gate::{
    Arm, GateCommand, GateError, GateOutcome, GateRuleRow, InterceptedFrame, InterceptedRow, NOT_KNOWN_YET,
    OnTimeout, Then, Way,
};
pub use health::{HealthRow, HealthStatus};
pub use judged::{AnswerRow, JudgedRow, PassedOverRow, Stand};
pub use ladder::Ladder;
pub use ladder_row::HopRow;
pub use lifecycle::{LIFECYCLE_PAGE_BYTES, LifecyclePage, LifecycleRow, RecordOf};
pub use list::{List, ListRow, PageRows, Paging};
pub use node_states::{NodeStates, NodeStatus, cut_text};
pub use operator::{Answer, Operator, StationPort};
pub(crate) use past::PAGE_BYTES_MAX;
pub use past::{EntriesPage, Keyframe, KeyframePage, PageBytes, PastPage};
pub use pieces::{PIECES_MAX, Pieces};
pub use plugins::{PluginAuditRow, PluginDetail, PluginLogRow, PluginRow, plugin_rows};
pub use query::{Page, Query};
pub use replay::{PLACE_FORMS, Replay, ReplayAct, ReplayControl, ReplayPlace, ReplayView, Speed};
pub use replay_bar::{BarPart, ReplayBar};
pub use runs::{ArtifactRow, ConfirmationRow, RunDetail, RunEventRow, RunRow};
pub use sessions::{LogKind, SessionDetail, SessionLogRow, SessionRow};
pub(crate) use shutdown_impact::ShutdownImpact;
pub use snapshot::{AsOf, HostState, RecordingView, Snapshot, StationView};
pub(crate) use tables::tables;
pub use violations::ViolationRow;
pub use workbench::{DoorSpec, SentFrame, ToldEntry, WorkbenchCommand, WorkbenchError, WorkbenchOutcome};
