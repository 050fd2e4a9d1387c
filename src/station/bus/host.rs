//! What the station asks of the bus.

use std::{future::ready, sync::Arc};

use super::{
    families::families,
    handle::{Bus, down},
    pages, serve,
};
use crate::{
    dissect::rmp::drop_remedy,
    ids::Seq,
    port::{
        Page, PortError, Query, Snapshot,
        health::rmp::{Cause, problems},
    },
    rmp::{self, DropReason, Listener},
    station::{
        host::{Asking, Evidence, Health, Host, Pending, Serving},
        local::Inner,
        metrics::Family,
        supervisor::Foundation,
    },
    tap::entry::Link,
    time::Now,
    words::counted,
};

impl Host for Bus {
    fn link(&self) -> Link {
        Link::Rmp
    }

    fn carries_store(&self) -> bool {
        false
    }

    fn start(&self, inner: &Arc<Inner>, foundation: &Foundation) -> Result<Box<dyn Serving>, String> {
        Ok(Box::new(serve::start(self, inner, foundation)?))
    }

    /// It serves whom it has, and looks for its path by itself.
    fn impaired(&self) -> Pending<'_, Option<PortError>> {
        Box::pin(async {
            match self.snapshot().await.ok()?.1.listener {
                Listener::Down(why) => Some(down(&why)),
                Listener::Starting | Listener::Listening(_) => None,
            }
        })
    }

    fn health<'a>(&'a self, evidence: Evidence<'a>) -> Pending<'a, Health> {
        Box::pin(ready(health(evidence)))
    }

    fn snapshot<'a>(&'a self, into: &'a mut Snapshot) -> Pending<'a, Result<Seq, PortError>> {
        Box::pin(async {
            let (seq, rmp) = self.snapshot().await?;
            into.rmp = rmp;
            Ok(seq)
        })
    }

    fn families(&self, _: Now) -> Pending<'_, Vec<Family>> {
        Box::pin(async {
            match self.snapshot().await {
                Err(_) | Ok((_, rmp::Snapshot { listener: Listener::Starting, .. })) => Vec::new(),
                Ok((_, rmp)) => families(&rmp),
            }
        })
    }

    fn idle_families(&self) -> Vec<Family> {
        families(&rmp::Snapshot::default())
    }

    fn answer<'a>(&'a self, _: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>> {
        Box::pin(pages::answer(self, query))
    }
}

fn health(Evidence { snapshot, limits, now }: Evidence<'_>) -> Health {
    let rmp = &snapshot.rmp;
    let peers = counted(rmp.peers.len() as u64, "peer");
    let detail = match &rmp.listener {
        Listener::Listening(path) => {
            let subs: usize = rmp.peers.values().map(|peer| peer.subs.len()).sum();
            let dropped: u64 = rmp.totals.dropped.iter().sum();
            let (subs, published) = (counted(subs as u64, "subscription"), rmp.totals.published);
            format!(
                "listening on {path}, {peers}, {subs}; since start {published} published, {dropped} dropped"
            )
        }
        Listener::Starting | Listener::Down(_) => String::new(),
    };
    Health::ok(peers, detail).judged(&problems(snapshot, &limits.rmp, now), remedy)
}

fn remedy(cause: Cause) -> &'static str {
    match cause {
        Cause::HostDown | Cause::SocketDown => "free its path, or start with another: --socket PATH",
        Cause::SocketStarting => "",
        Cause::Drops(reason) => drop_remedy(reason).first().copied().unwrap_or_default(),
        Cause::FullQueues => {
            drop_remedy(DropReason::BackpressureTimeout).first().copied().unwrap_or_default()
        }
        Cause::Forgets => "raise limits.rmp.topic_keys_max or limits.rmp.keys_max",
        Cause::ForgetsLost => "raise limits.rmp.subscriber_lost_runs_max or limits.rmp.lost_runs_max",
    }
}
