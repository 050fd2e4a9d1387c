//! Tests of the whole, one module a topic.

mod mpp_frames;
mod mpp_manifest;
