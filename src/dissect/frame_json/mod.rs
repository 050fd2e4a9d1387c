//! Frames of every link as JSON and back: what `decode --json` prints and `encode` takes.
//!
//! A row for every link: [`mpp`], [`rmp`] with [`json_dialect`], [`macp`] and [`plugin`], each a
//! [`Codec`]. Streams are cut and judged by the link's own framer and codec; nothing here reads
//! a wire of its own. A part of a frame is shown as JSON, and as bytes next to it wherever the JSON does not
//! lead back to them, so that what was decoded is encoded to the same bytes.

mod breakage;
mod changes;
mod codec;
mod edit;
mod fault;
mod format;
mod json;
mod json_dialect;
mod macp;
mod mpp;
mod part;
mod places;
mod plugin;
mod protobuf;
mod rmp;
mod secrets;
#[cfg(test)]
mod tests;

pub(crate) use super::rmp::frame_json::Fill;
pub(crate) use breakage::{Breakage, BrokenFormat};
pub(crate) use changes::{Changes, parts};
pub(crate) use codec::{Codec, Unit, UnitJson, indented};
pub(crate) use edit::refreshed;
pub(crate) use fault::FrameFault;
pub(crate) use format::{Format, RmpUnits, Setup, codec};
pub(crate) use json::Json;
pub(crate) use places::{Places, Spot, names_of};
pub(crate) use secrets::{LENT_TOKEN, may_hold_secret, without_secrets};
