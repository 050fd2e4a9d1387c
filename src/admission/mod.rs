//! Admission: who may hold a connection, how long a first frame and a whole frame may take, and how many
//! bytes may be on their way in. One design for all ports.
//!
//! ```text
//! accept ─▶ Table::open ─┬─▶ a place ──first frame──▶ spoken ──▶ closed
//!                        │      └── its deadline, or a newcomer that needs the place ──▶ turned away
//!                        ├─▶ a place of the operators' room, for as long as it takes to show a token
//!                        └─▶ refused by the link's own error
//! read ─▶ Receiving::begin, grow, end: the time of a frame, and the bytes of all that have begun
//! ```
//!
//! It lies in the foundation: the hosts of all protocols stand on it, and none of them may import the
//! station. Everything here is pure and takes `now`, but for the spare descriptors; a [`Tally`] is the one
//! thing that is shared.

mod accepting;
mod descriptors;
mod most;
mod origin;
mod port;
mod receiving;
mod recent;
mod spare_descriptors;
mod table;
mod tally;
#[cfg(test)]
mod tests;
mod turned_away;

pub use origin::Origin;
pub use port::Port;
pub use recent::{Reason, RecentTurnAways, Span};
pub use table::Plan;
pub use tally::Tally;
pub use turned_away::TurnedAway;

pub(crate) use accepting::{describe_accept_error, is_of_one_connection};
pub(crate) use descriptors::{Cut, TableSize, fit_tables};
pub(crate) use origin::without_port;
pub(crate) use receiving::Receiving;
pub(crate) use spare_descriptors::SpareDescriptors;
pub(crate) use table::{Admitted, Table, TableBounds, read_before_evicting};
