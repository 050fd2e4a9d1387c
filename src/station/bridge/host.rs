//! What the station asks of the bridge.

use std::{future::ready, sync::Arc};

use super::{
    families::families,
    handle::{Bridge, down},
    pages, serve,
};
use crate::{
    ids::Seq,
    mpp::{self, Listener},
    port::{Page, PortError, Query, Snapshot},
    station::{
        host::{Asking, Health, Host, Pending, Serving},
        local::Inner,
        metrics::Family,
        supervisor::Foundation,
    },
    tap::entry::Link,
    words::counted,
};

impl Host for Bridge {
    fn link(&self) -> Link {
        Link::Mpp
    }

    fn carries_store(&self) -> bool {
        true
    }

    fn start(&self, inner: &Arc<Inner>, foundation: &Foundation) -> Result<Box<dyn Serving>, String> {
        Ok(Box::new(serve::start(self, inner, foundation)?))
    }

    fn impaired(&self) -> Pending<'_, Option<PortError>> {
        Box::pin(ready(None))
    }

    fn health(&self) -> Pending<'_, Health> {
        Box::pin(async {
            let Some(running) = self.running() else { return Health::of_error(&down()) };
            let health =
                running.with_bridge(|bridge| health(&bridge.snapshot(), bridge.pending_bytes())).await;
            health.unwrap_or_else(|error| Health::of_error(&error))
        })
    }

    fn snapshot<'a>(&'a self, into: &'a mut Snapshot) -> Pending<'a, Result<Seq, PortError>> {
        Box::pin(async {
            let (seq, mpp) = self.snapshot().await?;
            into.mpp = mpp;
            Ok(seq)
        })
    }

    fn families(&self) -> Pending<'_, Vec<Family>> {
        Box::pin(async {
            let Some(running) = self.running() else { return Vec::new() };
            let figures = running.with_bridge(|bridge| (bridge.snapshot(), bridge.pending_bytes())).await;
            figures.map_or_else(|_| Vec::new(), |(mpp, pending_bytes)| families(&mpp, pending_bytes))
        })
    }

    fn answer<'a>(&'a self, asking: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>> {
        Box::pin(pages::answer(asking, query))
    }
}

fn health(snapshot: &mpp::Snapshot, pending_bytes: u64) -> Health {
    let adapter = snapshot
        .adapter
        .as_ref()
        .map_or_else(|| "no adapter".to_owned(), |adapter| format!("adapter {}", adapter.peer));
    let in_flight = snapshot.queues.values().filter(|queue| queue.in_flight.is_some()).count();
    let figures = format!("{}, {in_flight} in flight", counted(snapshot.queues.len() as u64, "queue"));
    if let Some(why) = &snapshot.reads_failing {
        let why = format!("rows cannot be read: {why}; look at the data folder's disk");
        return Health::ok(figures, "").degraded(why);
    }
    match (&snapshot.listener, snapshot.paired) {
        (Listener::Listening(addr), true) => {
            let pending = counted(pending_bytes, "byte");
            Health::ok(figures, format!("listening on {addr}, {adapter}, {pending} of pending rows"))
        }
        (Listener::Listening(addr), false) => Health::ok(figures, "")
            .degraded(format!("listening on {addr}, unpaired: `rl-console pair` makes a token")),
        (Listener::Down(why), _) => Health::down(&**why),
        (Listener::Starting, _) => Health::ok(figures, "").degraded("starting"),
    }
}
