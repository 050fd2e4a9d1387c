//! The one way to act on a station and to ask it: [`StationPort`]. The console, the CLI and attached consoles
//! all go through it, so that what a key can do, a script can do.

mod attachment;
mod bus;
mod command;
mod decisions;
mod fields;
mod fields_bus;
mod fields_runs;
mod fields_sessions;
mod hop;
mod ladder;
mod nodes_told;
mod operator;
mod parting;
mod query;
mod recorded;
mod runs;
mod sessions;
mod snapshot;
mod translated;
pub mod wire;

pub(crate) use attachment::STARTED_AGAIN;
pub use attachment::{Attachment, Cut, Reach};
pub use bus::{Dropped, PeerRow, SubscriptionRow, TopicRow, peer_rows, subscription_rows, topic_rows};
pub use command::{Command, Outcome, PortError};
pub use hop::HopRow;
pub use ladder::Ladder;
pub use nodes_told::{NodeTold, NodesTold, cut_words};
pub use operator::{Answer, Operator, StationPort};
pub(crate) use parting::Parting;
pub use query::{
    AdapterRow, EventRow, HealthRow, InvocationRow, Page, Query, QueueRow, RefundRow, StateKeyRow,
};
pub use runs::{ArtifactRow, ConfirmationRow, RunDetail, RunEventRow, RunRow};
pub use sessions::{LogKind, SessionDetail, SessionLogRow, SessionRow};
pub use snapshot::{AsOf, HostState, RecordingView, Snapshot, StationView};
