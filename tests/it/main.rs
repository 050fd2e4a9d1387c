//! Tests of the whole, one module a topic.

mod mpp_frames;
mod mpp_manifest;
//! The library from outside, a module a topic.

mod fixtures;
mod recorded;
mod recorded_snapshot;
mod tap;
