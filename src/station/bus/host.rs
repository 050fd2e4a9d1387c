//! What the station asks of the bus.

use std::sync::Arc;

use super::{
    families::families,
    handle::{Bus, down},
    pages, serve,
};
use crate::{
    ids::Seq,
    port::{Page, PortError, Query, Snapshot},
    rmp::{self, Listener},
    station::{
        host::{Asking, Health, Host, Pending, Serving},
        local::Inner,
        metrics::Family,
        supervisor::Foundation,
    },
    tap::entry::Link,
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

    fn health(&self) -> Pending<'_, Health> {
        Box::pin(async {
            self.snapshot().await.map_or_else(|error| Health::of_error(&error), |(_, bus)| health(&bus))
        })
    }

    fn snapshot<'a>(&'a self, into: &'a mut Snapshot) -> Pending<'a, Result<Seq, PortError>> {
        Box::pin(async {
            let (seq, rmp) = self.snapshot().await?;
            into.rmp = rmp;
            Ok(seq)
        })
    }

    fn families(&self) -> Pending<'_, Vec<Family>> {
        Box::pin(async {
            match self.snapshot().await {
                Err(_) | Ok((_, rmp::Snapshot { listener: Listener::Starting, .. })) => Vec::new(),
                Ok((_, rmp)) => families(&rmp),
            }
        })
    }

    fn answer<'a>(&'a self, _: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>> {
        Box::pin(pages::answer(self, query))
    }
}

fn health(snapshot: &rmp::Snapshot) -> Health {
    match &snapshot.listener {
        Listener::Listening(path) => {
            let subs: usize = snapshot.peers.values().map(|peer| peer.subs.len()).sum();
            let totals = &snapshot.totals;
            let dropped: u64 = totals.dropped.iter().sum();
            let (peers, subs) =
                (counted(snapshot.peers.len() as u64, "peer"), counted(subs as u64, "subscription"));
            let figures = format!("{peers}, {subs}, {} published, {dropped} dropped", totals.published);
            Health::ok(peers, format!("listening on {path}, {figures}"))
        }
        Listener::Starting => Health::ok("", "").degraded("starting"),
        Listener::Down(why) => Health::down(&**why),
    }
}
