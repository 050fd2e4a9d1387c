//! What the station asks of the runs.

use std::{future::ready, sync::Arc};

use super::{families::families, handle::Runs, pages, serve};
use crate::{
    ids::Seq,
    port::{
        Page, PortError, Query, Snapshot,
        health::runs::{Cause, problems},
    },
    runs::Metrics,
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

impl Host for Runs {
    fn link(&self) -> Link {
        Link::Runs
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

    fn health<'a>(&'a self, evidence: Evidence<'a>) -> Pending<'a, Health> {
        Box::pin(async move {
            health(self.metrics().await).judged(&problems(evidence.snapshot, evidence.now), remedy)
        })
    }

    fn snapshot<'a>(&'a self, into: &'a mut Snapshot) -> Pending<'a, Result<Seq, PortError>> {
        Box::pin(async {
            let (seq, runs) = self.snapshot().await?;
            into.runs = runs;
            Ok(seq)
        })
    }

    fn families(&self, _: Now) -> Pending<'_, Vec<Family>> {
        Box::pin(async { self.metrics().await.map_or_else(|_| Vec::new(), |runs| families(&runs)) })
    }

    fn idle_families(&self) -> Vec<Family> {
        families(&Metrics::default())
    }

    fn answer<'a>(&'a self, asking: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>> {
        Box::pin(pages::answer(self, asking, query))
    }
}

fn health(figures: Result<Metrics, PortError>) -> Health {
    match figures {
        Ok(figures) => {
            let detail = format!(
                "{} open, {}, {}; {} accepted and {} rejected since start",
                figures.running,
                counted(figures.in_flight, "running attempt"),
                match figures.asking {
                    0 => "0 approvals pending".to_owned(),
                    asking => format!("{} pending", counted(asking, "approval")),
                },
                figures.submitted,
                figures.rejected.iter().sum::<u64>(),
            );
            Health::ok(format!("{} open", figures.running), detail)
        }
        Err(PortError::HostDown { .. }) => {
            Health::down("down: restart them with `rl-console host restart runs`")
        }
        Err(error) => Health::of_error(&error),
    }
}

fn remedy(cause: Cause) -> &'static str {
    match cause {
        Cause::HostDown => "`rl-console host restart runs` restarts them",
        Cause::Held => "`rl-console resume` resumes runs",
        Cause::Approval(_) | Cause::MoreApprovals => "`rl-console ls confirmations` lists pending approvals",
        Cause::Failed(_) | Cause::MoreFailed => "`rl-console ls runs` shows the reason",
    }
}
