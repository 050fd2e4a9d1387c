//! Frames of every link as JSON and back.

mod breakage;
mod frames;
mod kit;
mod macp;
mod mpp;
mod plugin;
mod properties;
mod rmp;
mod trees;
