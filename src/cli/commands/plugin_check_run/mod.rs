//! `plugin check --run`: drives a plugin alone, without a station, through the specification
//! (streamnook-plugin-v1; rulings Plugins).
//!
//! Three processes are run side by side, under the full, a partial and the empty grant. The first one goes
//! through all that is asked of a plugin.
//!
//! - `clause`: what is checked. `findings`: what was found, and how it is printed.
//! - `subject`: one process with its pipes. `seen`: what it did unasked. `serve`: the methods of a host.
//! - `probes`: what the first process is asked. `ending`: shutdown and exit.
//! - `run`: all of it.

mod clause;
mod ending;
mod events;
mod findings;
mod probes;
mod run;
mod seen;
mod serve;
mod subject;

pub(in crate::cli) use run::run;
