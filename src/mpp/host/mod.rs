//! The bridge's host: TCP, the journal, the store and the tap around the core, in one loop on a thread of its
//! own.
//!
//! The loop's thread writes the journal itself, one `write` for all that one turn caused: a hop to another
//! thread and back costs more than the rest of a dispatch cycle. That is why the bridge has its own thread
//! beside the runtime of the other hosts: a slow disk holds up the bridge, which may not dispatch without its
//! commits anyway, and nothing else.

mod by_hand;
mod commit;
mod conn;
mod drain;
mod gated;
mod listen;
mod next;
mod receiving;
mod request;
pub(crate) mod run;

pub use request::Request;
pub use run::{Setup, run};
