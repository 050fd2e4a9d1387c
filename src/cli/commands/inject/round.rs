//! A snippet that is sent again from its beginning.

use std::time::Duration;

use super::run::Way;
use crate::{
    cli::{args::FrameLink, error::Error},
    port::{DoorSpec, Operator as _, Page, Query},
};

/// How often it is looked whether the bridge has seen an adapter of ours leave, and how many times.
const LEAVING_LOOK_EVERY: Duration = Duration::from_millis(10);
const LEAVING_LOOKS_MAX: u32 = 100;

impl Way<'_> {
    /// A connection whose hello is a frame of its own is closed before that is said again: it is said once on
    /// each. The bridge has one adapter at a time.
    pub(super) async fn greet_anew(&mut self) -> Result<(), Error> {
        let is_own_hello =
            matches!(self.door, DoorSpec::Adapter { hello: false } | DoorSpec::Peer { kind: None, .. });
        if !is_own_hello {
            return Ok(());
        }
        self.dry_run.begin_anew();
        self.close().await;
        let Some(peer) = self.peer.take().filter(|_| self.args.link() == FrameLink::Mpp) else {
            return Ok(());
        };
        for _ in 0..LEAVING_LOOKS_MAX {
            let Page::Adapters(rows) = self.station.query(Query::Adapters).await? else {
                return Err(Error::UnexpectedAnswer);
            };
            if rows.iter().all(|row| row.peer.as_str() != peer) {
                break;
            }
            tokio::time::sleep(LEAVING_LOOK_EVERY).await;
        }
        Ok(())
    }
}
