//! What the operator must not miss: conditions that last, each with what to do about it, until they pass or
//! are put away as seen.
//!
//! A fold of its own over the same snapshots and entries as everything else that looks, judged once a second
//! against the rules. It lives with the console's model and not with the station: nothing in the station acts
//! on an alert, and whoever looks (a screen, `serve`, `--plain`, a screen over a recording) comes to the same
//! ones by itself.
//!
//! ```text
//!            rule met                    cause gone
//!  (nothing) ────────▶ waiting ────────────────────▶ passed
//!                         │ put away                   ▲
//!                         └────────▶ seen ─────────────┘
//! ```

mod alert;
mod cause;
mod fold;
mod watch;

pub(crate) use alert::{Alert, AlertStatus};
pub(crate) use cause::{ActiveCause, Cause, CauseKind};
pub(crate) use fold::{AlertChanges, Alerts};
pub(crate) use watch::{Evidence, Findings, Watch, Watching};
