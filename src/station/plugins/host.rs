//! What the station asks of the plugin host.

use std::{future::ready, sync::Arc};

use super::{families::families, handle::Plugins, pages, serve};
use crate::{
    ids::Seq,
    plugin,
    port::{
        Page, PortError, Query, Snapshot,
        health::plugin::{Cause, problems},
    },
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

impl Host for Plugins {
    fn link(&self) -> Link {
        Link::Plugin
    }

    fn carries_store(&self) -> bool {
        false
    }

    fn start(&self, inner: &Arc<Inner>, foundation: &Foundation) -> Result<Box<dyn Serving>, String> {
        Ok(Box::new(serve::start(self, inner, foundation)?))
    }

    fn impaired(&self) -> Pending<'_, Option<PortError>> {
        Box::pin(ready(None))
    }

    fn health<'a>(&'a self, evidence: Evidence<'a>) -> Pending<'a, Health> {
        Box::pin(ready(health(self, evidence)))
    }

    fn snapshot<'a>(&'a self, into: &'a mut Snapshot) -> Pending<'a, Result<Seq, PortError>> {
        let (seq, plugin) = self.snapshot();
        into.plugin = plugin;
        Box::pin(ready(Ok(seq)))
    }

    fn families(&self, now: Now) -> Pending<'_, Vec<Family>> {
        let snapshot = self.handle().ok().and_then(|handle| handle.snapshot());
        Box::pin(ready(snapshot.map_or_else(Vec::new, |(_, snapshot)| families(&snapshot, now))))
    }

    fn idle_families(&self) -> Vec<Family> {
        families(&plugin::Snapshot::default(), Now::default())
    }

    fn answer<'a>(&'a self, asking: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>> {
        Box::pin(pages::answer(asking, query))
    }
}

fn health(plugins: &Plugins, Evidence { snapshot, .. }: Evidence<'_>) -> Health {
    let problems = problems(snapshot);
    let health = match plugins.handle() {
        Ok(handle) => handle.health(),
        Err(PortError::HostDown { why, .. }) => return Health::down(why).judged(&problems, remedy),
        Err(error) => return Health::down(error.to_string()).judged(&problems, remedy),
    };
    let Some(of_host) = health else {
        return Health::down("internal error; please report the log").judged(&problems, remedy);
    };
    let (up, all) = (snapshot.plugin.up(), snapshot.plugin.plugins.len() as u64);
    let detail = format!("{} of {} up", up, counted(all, "plugin"));
    let health = Health::ok(format!("{up}/{all} up"), detail).judged(&problems, remedy);
    match of_host.impaired {
        Some(why) => {
            let why = format!("{}; {why}", health.detail);
            health.degraded(why)
        }
        None => health,
    }
}

fn remedy(cause: Cause) -> &'static str {
    match cause {
        Cause::HostDown => "`rl-console host restart plugin` restarts it",
        Cause::Disabled => {
            "`rl-console plugin logs PLUGIN` says more, `rl-console plugin enable PLUGIN` starts it"
        }
        Cause::Asking => "`rl-console plugin allow PLUGIN` or `rl-console plugin deny PLUGIN`",
        Cause::Throttled => "`rl-console plugin disable PLUGIN` ends it",
        Cause::Waiting | Cause::Missing => "`rl-console plugin logs PLUGIN` says more",
    }
}
