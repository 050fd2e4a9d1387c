//! The library from outside, a module a topic.

mod fixtures;
mod recorded;
mod recorded_snapshot;
mod recording;
mod tap;
