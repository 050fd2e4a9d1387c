//! What every system answers that a station hosts: how it is started, ended and asked.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use tokio::runtime::Runtime;

use super::{bridge::Running, local::Inner, metrics::Family, supervisor::Foundation};
use crate::{
    ids::Seq,
    limits::Limits,
    port::{HealthStatus, Page, PortError, Query, Snapshot, health::Problem},
    tap::entry::Link,
    time::Now,
};

/// An answer that a host gives when it has it.
pub(super) type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A system of the station, on a thread of its own. The value is the way to it, whether it is up or down.
///
/// ```text
/// Starting ─start─▶ Up ─its thread ends─▶ Down ─clear, start─▶ Up
///                    └──────stop──────▶ Down
/// ```
pub(super) trait Host: fmt::Debug + Send + Sync {
    /// The link whose entries are its own.
    fn link(&self) -> Link;

    /// Whether the store is opened and closed with it. The station does not start without such a host, who
    /// asks the station waits while it is started again, and it ends after the others.
    fn carries_store(&self) -> bool;

    /// Starts it. Why that is not possible is answered in one line, with what to do; unless it carries the
    /// store, it says so on every screen too, and the station goes on without it.
    fn start(&self, inner: &Arc<Inner>, foundation: &Foundation) -> Result<Box<dyn Serving>, String>;

    /// Why it does not answer at this moment although it runs, where it sees to that itself: nothing is
    /// gained by a restart.
    fn impaired(&self) -> Pending<'_, Option<PortError>>;

    /// How it is, in a line: its part of the snapshot is filled in.
    fn health<'a>(&'a self, evidence: Evidence<'a>) -> Pending<'a, Health>;

    /// Enters what holds of it, and gives the last entry that this includes.
    fn snapshot<'a>(&'a self, into: &'a mut Snapshot) -> Pending<'a, Result<Seq, PortError>>;

    /// Its metrics at this moment; none of one that is down or on its way.
    fn families(&self, now: Now) -> Pending<'_, Vec<Family>>;

    /// Its metrics before anything happened, for their documentation.
    fn idle_families(&self) -> Vec<Family>;

    /// A page of what is its own ([`Query::link`]).
    fn answer<'a>(&'a self, asking: Asking<'a>, query: Query) -> Pending<'a, Result<Page, PortError>>;
}

/// A host that was started, and what ends it.
pub(super) trait Serving: fmt::Debug + Send {
    /// Asks what takes its time to end, before anything of the station does; nothing is waited for. A host
    /// that ends at once is not asked.
    fn ask_to_end(&mut self) {}

    /// Ends it in order: intake first, then what it works on.
    fn stop(self: Box<Self>, inner: &Inner, runtime: &Runtime);

    /// Takes away what a host that failed has left.
    fn clear(self: Box<Self>);
}

/// What a page is made from.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) inner: &'a Inner,
    pub(super) running: &'a Running,
}

impl Asking<'_> {
    /// So many rows of a page as may be asked for at once.
    pub(super) fn rows_max(&self, limit: u64) -> u64 {
        limit.min(self.inner.limits.port.page_rows_max)
    }
}

/// What a host's health is judged by.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    /// With the host's own part.
    pub(super) snapshot: &'a Snapshot,
    pub(super) limits: &'a Limits,
    pub(super) now: Now,
}

/// How a part of the station is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Health {
    pub(super) status: HealthStatus,
    /// Its figures in short.
    pub(super) figures: String,
    /// What is known of it, or what is wrong and what to do.
    pub(super) detail: String,
}

impl Health {
    pub(super) fn ok(figures: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { status: HealthStatus::Ok, figures: figures.into(), detail: detail.into() }
    }

    /// It does its work, and something is amiss.
    pub(super) fn degraded(self, why: impl Into<String>) -> Self {
        Self { status: self.status.max(HealthStatus::Degraded), detail: why.into(), ..self }
    }

    /// What is amiss is told in place of what is known: the first of the gravest with its word among the
    /// figures, the others behind it, each with what to do.
    pub(super) fn judged<C: Copy>(self, problems: &[Problem<C>], remedy: impl Fn(C) -> &'static str) -> Self {
        let Some(gravest) = Problem::gravest(problems) else { return self };
        let text = |problem: &Problem<C>| match remedy(problem.cause) {
            "" => problem.reason.clone(),
            remedy => format!("{}; {remedy}", problem.reason),
        };
        let others = problems.iter().filter(|problem| !std::ptr::eq(*problem, gravest)).map(text);
        let mut told: Vec<_> = std::iter::once(text(gravest)).chain(others).collect();
        if gravest.status != HealthStatus::Down && !self.detail.is_empty() {
            told.insert(0, self.detail.clone());
        }
        let figures = match gravest.status {
            HealthStatus::Down => gravest.word.clone(),
            _ => self.figures_behind(&gravest.word),
        };
        Self { status: self.status.max(gravest.status), figures, detail: told.join("; ") }
    }

    /// Its figures behind a word that says what is amiss: `not paired · 2 queues`.
    pub(super) fn figures_behind(&self, word: &str) -> String {
        let parts = [word, &self.figures];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    pub(super) fn down(why: impl Into<String>) -> Self {
        Self { status: HealthStatus::Down, figures: String::new(), detail: why.into() }
    }

    /// Of one that does not answer: it has too much to do, or it is down.
    pub(super) fn of_error(error: &PortError) -> Self {
        match error {
            PortError::Busy { .. } => Self::ok("busy", "").degraded(error.to_string()),
            _ => Self::down(error.to_string()),
        }
    }
}

/// The answer of a host that is down.
pub(super) fn host_down(link: Link, why: &str) -> PortError {
    PortError::HostDown { link, why: why.to_owned() }
}

/// The answer to a query that is another host's.
pub(super) fn misdirected(link: Link) -> PortError {
    PortError::BadRequest(format!("{} does not have this list", link.name()))
}
