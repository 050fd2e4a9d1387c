//! What the station asks of the lifecycle records.

use std::{future::ready, sync::Arc};

use super::{counts::Counted, families::families, handle::Records, pages, serve};
use crate::{
    ids::Seq,
    mplp,
    port::{
        HostState, Page, PortError, Query, Snapshot,
        health::mplp::{Cause, problems},
    },
    station::{
        host::{Asking, Evidence, Health, Host, Pending, Serving},
        local::Inner,
        metrics::Family,
        supervisor::Foundation,
    },
    tap::entry::Link,
    time::Now,
    words::format::many,
};

impl Host for Records {
    fn link(&self) -> Link {
        Link::Mplp
    }

    fn carries_store(&self) -> bool {
        false
    }

    fn start(&self, inner: &Arc<Inner>, foundation: &Foundation) -> Result<Box<dyn Serving>, String> {
        Ok(Box::new(serve::start(self, inner, &foundation.config)?))
    }

    fn impaired(&self) -> Pending<'_, Option<PortError>> {
        Box::pin(ready(None))
    }

    fn health<'a>(&'a self, Evidence { snapshot, now, .. }: Evidence<'a>) -> Pending<'a, Health> {
        Box::pin(ready(health(snapshot, &self.counted(), now)))
    }

    fn snapshot<'a>(&'a self, into: &'a mut Snapshot) -> Pending<'a, Result<Seq, PortError>> {
        Box::pin(async {
            let (seq, mplp) = self.snapshot().await?;
            into.mplp = mplp;
            Ok(seq)
        })
    }

    fn families(&self, _: Now) -> Pending<'_, Vec<Family>> {
        let families = |mplp: &_| families(mplp, &self.counted());
        Box::pin(
            async move { self.snapshot().await.map_or_else(|_| Vec::new(), |(_, mplp)| families(&mplp)) },
        )
    }

    fn idle_families(&self) -> Vec<Family> {
        families(&mplp::Snapshot::default(), &Counted::default())
    }

    fn answer<'a>(&'a self, asking: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>> {
        Box::pin(pages::answer(self, asking, query))
    }
}

fn health(snapshot: &Snapshot, counted: &Counted, now: Now) -> Health {
    let mplp = &snapshot.mplp;
    let detail = format!(
        "since start: {} and {} in {}, {} withheld, {} rated, {} exported",
        many(counted.objects, "object"),
        many(counted.events, "event"),
        many(counted.batches, "message"),
        many(mplp.withheld, "item"),
        many(mplp.rated, "run"),
        many(mplp.exported, "record"),
    );
    let health = match &snapshot.station.hosts[Link::Mplp.index()] {
        HostState::Starting | HostState::Up => Health::ok("", detail),
        HostState::Down(_) => Health::down("down"),
    };
    health.judged(&problems(snapshot, now), remedy)
}

fn remedy(cause: Cause) -> &'static str {
    match cause {
        Cause::HostDown => "`rl-console host restart mplp` restarts them",
        Cause::Withheld => "a fault of rl-console: please report it, with the record of the run",
    }
}
