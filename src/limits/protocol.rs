//! Bounds that a protocol sets itself: they are not configured.
//!
//! Those of plugins in time lie where they are judged: the handshake in `plugin/session/process.rs`, pings in
//! `plugin/session/pings.rs`, reading in `plugin/session/outbox.rs`, shutdown and restarts in
//! `plugin/supervisor/ending.rs`, consent in `plugin/supervisor/consent.rs`, notices in
//! `plugin/supervisor/notify.rs`, actions in `plugin/supervisor/actions.rs`. A plugin is written against
//! them: a station that had others would be another host.

/// The protocol's own cap on a frame, its LF included (mpp-v2, framing).
pub const MPP_FRAME_BYTES_MAX: usize = 65_536;

/// The cap on a queue's name, in bytes (mpp-v2, security notes).
pub const QUEUE_NAME_BYTES_MAX: usize = 64;

/// The cap on the body of a plugin's frame, in bytes (streamnook-plugin-v1, Transport).
pub const PLUGIN_FRAME_BYTES_MAX: usize = 4_194_304;

/// The cap on the headers of a plugin's frame, in bytes (ruling Plugins 5).
pub const PLUGIN_HEADER_BYTES_MAX: usize = 4_096;
