//! What the station asks of the MACP runtime.

use std::{future::ready, sync::Arc};

use super::{families::families, handle::Sessions, pages, serve};
use crate::{
    dissect::macp::describe_turn_away,
    ids::Seq,
    macp::host::Metrics,
    port::{
        Page, PortError, Query, Snapshot,
        health::macp::{Cause, problems},
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

impl Host for Sessions {
    fn link(&self) -> Link {
        Link::Macp
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
        let (seq, macp) = self.snapshot();
        into.macp = macp;
        Box::pin(ready(Ok(seq)))
    }

    fn families(&self, _: Now) -> Pending<'_, Vec<Family>> {
        Box::pin(ready(self.metrics().map_or_else(Vec::new, |macp| families(&macp))))
    }

    fn idle_families(&self) -> Vec<Family> {
        families(&Metrics::default())
    }

    fn answer<'a>(&'a self, asking: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>> {
        Box::pin(pages::answer(asking, query))
    }
}

fn health(sessions: &Sessions, Evidence { snapshot, now, .. }: Evidence<'_>) -> Health {
    let problems = problems(snapshot, now);
    let (addr, metrics) = match (sessions.addr(), sessions.metrics()) {
        (Ok(addr), Some(metrics)) => (addr, metrics),
        (Err(why), _) => return Health::down(why).judged(&problems, remedy),
        (Ok(_), None) => {
            return Health::down("internal error; please report the log").judged(&problems, remedy);
        }
    };
    let Metrics { totals, in_memory, turn_aways, connections, log_failing, .. } = metrics;
    let open = counted(totals.open, "session");
    let detail = format!("listening on {addr}, {open} open, {in_memory} in memory");
    let mut health = Health::ok(format!("{} open", totals.open), detail).judged(&problems, remedy);
    if let Some(why) = log_failing {
        let why = format!("{}; writing its log fails: {why}", health.detail);
        health = health.degraded(why);
    }
    // What goes on now.
    if let Some(latest) = turn_aways.into_iter().max_by_key(|it| it.last.mono) {
        let (why, remedy) = describe_turn_away(latest.why);
        let now = counted(connections, "connection");
        let (count, most) = (latest.count, latest.most_text());
        let why = format!("{}; {now} now, {count} rejected recently: {why}{most}; {remedy}", health.detail);
        health = health.degraded(why);
    }
    health
}

fn remedy(cause: Cause) -> &'static str {
    match cause {
        Cause::HostDown => "`rl-console host restart macp` restarts it",
        Cause::PortDown => "free the port, or start with another: --grpc ADDR",
        Cause::PortStarting | Cause::Expired => "",
    }
}
