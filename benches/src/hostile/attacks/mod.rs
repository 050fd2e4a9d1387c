//! The table of attacks: one file a link.

mod files;
mod grpc;
mod http2;
mod metrics;
mod mpp;
mod protobuf;
mod rmp;
mod runs;

use crate::attack::Attack;

/// All attacks, in the order in which they are made.
pub(crate) fn all() -> impl Iterator<Item = &'static Attack> {
    [mpp::ATTACKS, rmp::ATTACKS, runs::ATTACKS, grpc::ATTACKS, metrics::ATTACKS, files::ATTACKS]
        .into_iter()
        .flatten()
}
