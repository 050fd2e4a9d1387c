//! What the MPP bridge reports: frame heads, verdicts with the error taxonomy, transitions (mpp-v2, frames,
//! lifecycle, error scenarios).

mod fault;
mod frame;
mod row;
mod texts;
mod transition;

pub use super::station::Level;
pub use fault::{CloseCause, ErrorCode, Fault, HelloReason, Verdict, Violation};
pub use frame::{FrameType, Head};
pub use row::{Brake, FailedBy, RefundStatus, RowState};
pub use transition::Transition;
