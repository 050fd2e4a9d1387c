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
            let Some(running) = self.running() else { return Health::failing(down().to_string()) };
            let health =
                running.with_bridge(|bridge| health(&bridge.snapshot(), bridge.pending_bytes())).await;
            health.unwrap_or_else(|error| Health::failing(error.to_string()))
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
    if let Some(why) = &snapshot.reads_failing {
        return Health::failing(format!("rows cannot be read: {why}; look at the data folder's disk"));
    }
    match (&snapshot.listener, snapshot.paired) {
        (Listener::Listening(addr), true) => Health::ok(format!(
            "listening on {addr}, {adapter}, {} of pending rows",
            counted(pending_bytes, "byte")
        )),
        (Listener::Listening(addr), false) => {
            Health::failing(format!("listening on {addr}, unpaired: `rl-console pair` makes a token"))
        }
        (Listener::Down(why), _) => Health::failing(&**why),
        (Listener::Starting, _) => Health::failing("starting"),
    }
}
