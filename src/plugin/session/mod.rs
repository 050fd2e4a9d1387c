//! One process of a plugin, as the protocol sees it (streamnook-plugin-v1, Lifecycle; rulings Plugins 1, 4
//! and 6).
//!
//! ```text
//! Starting ── initialize answered ──▶ Up ── asked to end ──▶ ShuttingDown ── answered, or 5 s ──▶ Exiting
//!    │                                │                                                             │ 5 s
//!    └── 10 s, refused, a fault ──────┴── three misses, a fault ──────────────▶ Killed ◀────────────┘
//! ```

mod budget;
mod outbox;
mod pings;
mod process;

pub use budget::Permit;
pub(super) use budget::ReadBudget;
pub use outbox::Lane;
pub(super) use outbox::Outbox;
pub(super) use pings::Pings;
pub(super) use process::{Call, OpenRequest, Phase, Process, THROTTLE_OVER};
