//! What the station asks of the MACP runtime.

use std::{future::ready, sync::Arc};

use super::{families::families, handle::Sessions, pages, serve};
use crate::{
    dissect::macp::describe_turn_away,
    ids::Seq,
    macp::host::Metrics,
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

    fn health(&self) -> Pending<'_, Health> {
        Box::pin(ready(health(self)))
    }

    fn snapshot<'a>(&'a self, into: &'a mut Snapshot) -> Pending<'a, Result<Seq, PortError>> {
        let (seq, macp) = self.snapshot();
        into.macp = macp;
        Box::pin(ready(Ok(seq)))
    }

    fn families(&self) -> Pending<'_, Vec<Family>> {
        Box::pin(ready(self.metrics().map_or_else(Vec::new, |macp| families(&macp))))
    }

    fn answer<'a>(&'a self, asking: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>> {
        Box::pin(pages::answer(asking, query))
    }
}

fn health(sessions: &Sessions) -> Health {
    let addr = match sessions.addr() {
        Ok(addr) => addr,
        Err(why) => return Health::down(why),
    };
    let Some(Metrics { totals, in_memory, turn_aways, connections, not_listening, log_failing, .. }) =
        sessions.metrics()
    else {
        return Health::down("it has failed by a fault of ours; please report the log");
    };
    let open = counted(totals.open, "session");
    let health = Health::ok(format!("{} open", totals.open), "");
    let figures = format!("listening on {addr}, {open} open, {in_memory} in memory");
    if let Some(why) = not_listening {
        return health.degraded(format!("{figures}; {why}"));
    }
    if let Some(why) = log_failing {
        return health.degraded(format!("{figures}; its log is not kept as it should be: {why}"));
    }
    // What goes on now.
    let Some(latest) = turn_aways.into_iter().max_by_key(|it| it.last.mono) else {
        return Health { detail: figures, ..health };
    };
    let (why, remedy) = describe_turn_away(latest.why);
    let now = counted(connections, "connection");
    let (count, most) = (latest.count, latest.most_text());
    health.degraded(format!("{figures}; {now} now, {count} turned away lately: {why}{most}; {remedy}"))
}
