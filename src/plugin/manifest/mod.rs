//! `plugin.toml`: what a plugin is and asks for (streamnook-host, plugin.toml; ruling Plugins 13).
//!
//! ```toml
//! id = "community.example"       # reverse DNS, at most 64 characters
//! name = "Example"               # at most 40 characters
//! version = "1.2.0"              # semver
//! author = "Example"
//! tier = "A"                     # or "B", "C"
//! description = "An example"     # at most 200 characters
//! homepage = "https://example.org"  # may be absent
//! host_min = "7.8.0"             # semver; no newer than `plugins.host_version`
//!
//! [runtime]
//! kind = "process"               # "wasm" and "ui" are refused
//! entry = "bin/example"          # a path inside the folder
//! args = ["--verbose"]           # may be absent
//! transport = "stdio"            # "stdio" when absent; "socket" is refused
//!
//! [capabilities]                 # [] and "none" when absent
//! events = ["on_watch_tick"]
//! host_methods = ["notify", "log"]
//! credentials = ["twitch.android"]
//! ui = ["panel"]
//! network = "none"               # or "external"
//!
//! [contributes]                  # [] when absent
//! actions = ["example.refresh"]
//! status = ["example.state"]
//! provides = []
//! ```
//!
//! All faults are found at once. An unknown key is a [`Note`], but in `[capabilities]` a [`Fault`]: what a
//! person consents to is never less than what was asked for. `load` reads the file and looks at the entry,
//! `read` its text, `table` one of its tables with the [`Fault`]s and [`Note`]s found, `rules` holds what a
//! text must be.

mod data;
mod fault;
mod findings;
pub(crate) mod load;
mod note;
mod read;
mod remedy;
mod rules;
mod table;
#[cfg(test)]
mod tests;

pub use data::{Checked, Manifest, Tier};
pub use fault::{Fault, FaultKind};
pub use load::{Loaded, Program, load};
pub use note::{Note, NoteKind};
