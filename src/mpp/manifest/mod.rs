//! The pack manifest, `pack.toml`: a pack's queues, events and state keys (ruling MPP 15).
//!
//! ```toml
//! [pack]
//! id = "com.example.mypack"      # reverse DNS
//! name = "My pack"
//! version = "1.0.0"
//!
//! [queues.default]
//! ready_after = "applied"        # or "done"; "applied" when absent
//!
//! [events.give_item]
//! queue = "default"
//! title = "Give an item"         # may be absent
//! schema = "give_item.json"      # a path beside the manifest, or an inline table; may be absent
//!
//! [state.resets]
//! writer = "adapter"             # or "platform"
//! persist = true                 # false when absent
//! schema = { type = "integer" }  # may be absent
//! ```
//!
//! Unknown keys are faults: a misspelt `ready_afer` would change when a queue is freed. `load` reads the
//! file, `read` its text, `table` one of its tables; `pack` is what comes of it.

mod fault;
mod hint;
pub(crate) mod load;
mod pack;
mod read;
mod schema;
mod table;

pub use fault::ManifestError;
pub use load::{SOURCE_BYTES_MAX, load, load as check};
pub use pack::{Event, Pack, Queue, StateDecl, Writer};
