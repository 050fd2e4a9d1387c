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
    port::{
        Page, PortError, Query, Snapshot,
        health::mpp::{Cause, in_flight, problems},
    },
    station::{
        host::{Asking, Evidence, Health, Host, Pending, Serving},
        local::Inner,
        metrics::Family,
        supervisor::Foundation,
    },
    store::REFUSED_REMEDY,
    tap::entry::Link,
    time::Now,
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

    fn health<'a>(&'a self, evidence: Evidence<'a>) -> Pending<'a, Health> {
        Box::pin(async move {
            let Some(running) = self.running() else { return Health::of_error(&down()) };
            match running.with_bridge(mpp::Bridge::pending_bytes).await {
                Ok(pending_bytes) => health(evidence, pending_bytes),
                Err(error) => Health::of_error(&error),
            }
        })
    }

    fn snapshot<'a>(&'a self, into: &'a mut Snapshot) -> Pending<'a, Result<Seq, PortError>> {
        Box::pin(async {
            let (seq, mpp) = self.snapshot().await?;
            into.mpp = mpp;
            Ok(seq)
        })
    }

    fn families(&self, _: Now) -> Pending<'_, Vec<Family>> {
        Box::pin(async {
            let Some(running) = self.running() else { return Vec::new() };
            let figures = running.with_bridge(|bridge| (bridge.snapshot(), bridge.pending_bytes())).await;
            figures.map_or_else(|_| Vec::new(), |(mpp, pending_bytes)| families(&mpp, pending_bytes))
        })
    }

    fn idle_families(&self) -> Vec<Family> {
        families(&mpp::Snapshot::new(mpp::PackFacts::default()), 0)
    }

    fn answer<'a>(&'a self, asking: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>> {
        Box::pin(pages::answer(asking, query))
    }
}

fn health(evidence: Evidence<'_>, pending_bytes: u64) -> Health {
    let Evidence { snapshot, now, .. } = evidence;
    let mpp = &snapshot.mpp;
    let figures = format!("{}, {} in flight", counted(mpp.queues.len() as u64, "queue"), in_flight(mpp).0);
    let adapter = mpp
        .adapter
        .as_ref()
        .map_or_else(|| "no adapter".to_owned(), |adapter| format!("adapter {}", adapter.peer));
    let detail = match &mpp.listener {
        Listener::Listening(addr) => {
            format!(
                "listening on {addr}, {adapter}, {} of pending invocations",
                counted(pending_bytes, "byte")
            )
        }
        Listener::Starting | Listener::Down(_) => String::new(),
    };
    Health::ok(figures, detail).judged(&problems(snapshot, now), remedy)
}

fn remedy(cause: Cause) -> &'static str {
    match cause {
        Cause::HostDown => "`rl-console host restart mpp` restarts it",
        Cause::PortDown => "free the port, or start with another; --port 0 picks a free one",
        Cause::CommitsFail => "free space on the data folder's disk",
        Cause::CommitsRefused => REFUSED_REMEDY,
        Cause::ReadsFail => "check the data folder's disk",
        Cause::Unpaired => "`rl-console pair` creates a token",
        Cause::AdapterSilent => "`rl-console adapter disconnect` disconnects it",
        Cause::NoAdapter => "start the adapter",
        Cause::Held => "`rl-console resume` resumes dispatch",
        Cause::OtherPack => "`rl-console pack migrate` migrates those that fit",
        Cause::PortStarting | Cause::Draining | Cause::Orphaned(_) => "",
    }
}
