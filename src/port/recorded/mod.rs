//! The recorded and sent form of snapshots.

mod macp;
mod mplp;
mod mpp;
mod plugin;
mod rmp;
mod runs;
mod snapshot;
