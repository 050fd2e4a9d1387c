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
mod fold;
mod remedies;
mod rules;

pub(crate) use alert::{Alert, AlertStatus, Cause};
pub(crate) use fold::{AlertChanges, Alerts};
pub(crate) use remedies::remedy;
