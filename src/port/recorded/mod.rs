//! The recorded and sent form of snapshots.

mod mpp;
mod rmp;
mod runs;
mod snapshot;
