//! All plugins of a station under a virtual clock: seeded runs in which plugins, the operator, the store and
//! the clock do whatever they can, held against rules that are written down here once more. A run that fails
//! prints its seed; `PLUGIN_SEED=N` runs that one alone.
//!
//! - `world`: the host, its store and its tap in a bottle; all that the core puts out is checked there.
//! - `ends`: how processes end, and the time that passes.
//! - `process`: one process as its host and its rules see it.
//! - `rule`: when a process is started again, told by the rule alone.
//! - `store`: what outlives a station.
//! - `tapped`: the entries, and what is made of them.
//! - `judged`: a judgement next to what became of its frame.
//! - `deeds`, `says`, `operator`: what plugins do and write, and what the operator wants.

mod deeds;
mod ends;
mod judged;
mod operator;
mod process;
mod recording;
mod rule;
mod says;
mod simulation;
mod store;
mod tapped;
mod world;
