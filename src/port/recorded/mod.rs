//! The recorded and sent form of snapshots.

mod macp;
mod mpp;
mod rmp;
mod runs;
mod snapshot;
