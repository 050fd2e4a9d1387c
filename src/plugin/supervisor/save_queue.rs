//! What is to be kept, until it is durable: handed to the store at once, held until it is, and offered again
//! when the store refused it.
//!
//! ```text
//! persist ─▶ offered ─Committed─▶ durable
//!              │ CommitFailed         ▲
//!              ▼                      │
//!            waiting ─after a pause─▶ offered again, with all that came behind it meanwhile
//! ```
//!
//! All but rows of audits tell a whole state: of what waits only the last of each is kept. A handover that
//! cannot be written down does not happen, and its row is not kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use super::{Output, Record, Supervisor};
use crate::{
    ids::{PluginId, RequestId, Ticket},
    plugin::{Outcome, Refusal},
    time::{Mono, Now},
};

/// The pauses before what was refused is offered again: the first, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(5));
/// Rows of audits that wait; the oldest is left out for a further one.
const AUDITS_MAX: usize = 1_024;
/// Records of all kinds that wait; there are as many states as plugins and values.
const WAITING_MAX: usize = 16_384;

#[derive(Debug)]
struct Offered {
    record: Record,
    /// Whether it is, while an older one is not.
    is_durable: bool,
    /// Whether it was refused before.
    is_again: bool,
}

/// An answer to the operator that waits.
#[derive(Debug)]
struct Reply {
    /// What is not durable yet.
    tickets: BTreeSet<Ticket>,
    request: RequestId,
    outcome: Outcome,
}

/// The records that are not durable yet. Tickets are in the order of what they keep.
#[derive(Debug, Default)]
pub(super) struct SaveQueue {
    offered: BTreeMap<Ticket, Offered>,
    /// What the store refused, and what came behind that.
    waiting: BTreeMap<Ticket, Record>,
    replies: Vec<Reply>,
    /// When what waits is offered again.
    pub(super) again_at: Option<Mono>,
    pause: Option<Duration>,
    /// Why the store could not write, until it could.
    error: Option<Arc<str>>,
    /// Records for which there was no room.
    lost: u64,
}

impl Record {
    /// Whether an older record makes no difference once this one is kept.
    fn replaces(&self, older: &Self) -> bool {
        match (self, older) {
            (Self::Installed { plugin, .. }, Self::Installed { plugin: of, .. })
            | (Self::Grants { plugin, .. }, Self::Grants { plugin: of, .. })
            | (Self::Disabled { plugin, .. }, Self::Disabled { plugin: of, .. })
            | (Self::Exits { plugin, .. }, Self::Exits { plugin: of, .. })
            | (
                Self::Removed { plugin, .. },
                Self::Installed { plugin: of, .. }
                | Self::Grants { plugin: of, .. }
                | Self::Disabled { plugin: of, .. }
                | Self::Exits { plugin: of, .. },
            ) => plugin == of,
            (Self::Removed { plugin, purge }, Self::Removed { plugin: of, purge: had }) => {
                plugin == of && (*purge || !had)
            }
            (Self::Removed { plugin, purge }, Self::Value { plugin: of, .. }) => plugin == of && *purge,
            (Self::Value { plugin, key, .. }, Self::Value { plugin: of, key: at, .. }) => {
                plugin == of && key == at
            }
            (Self::Stream { part, .. }, Self::Stream { part: of, .. }) => part == of,
            _ => false,
        }
    }

    /// Whose state it tells.
    const fn of_plugin(&self) -> Option<&PluginId> {
        match self {
            Self::Installed { plugin, .. }
            | Self::Removed { plugin, .. }
            | Self::Grants { plugin, .. }
            | Self::Disabled { plugin, .. }
            | Self::Exits { plugin, .. }
            | Self::Value { plugin, .. } => Some(plugin),
            Self::Audit { .. } | Self::Stream { .. } => None,
        }
    }

    /// Whether the operator relies on it once his command is done.
    const fn is_promised(&self) -> bool {
        match self {
            Self::Installed { .. }
            | Self::Removed { .. }
            | Self::Grants { .. }
            | Self::Disabled { .. }
            | Self::Value { .. } => true,
            Self::Exits { .. } | Self::Audit { .. } | Self::Stream { .. } => false,
        }
    }
}

impl SaveQueue {
    /// Why the store cannot write, while something waits for it.
    pub(super) fn failing(&self) -> Option<&str> {
        self.error.as_deref().filter(|_| !self.waiting.is_empty())
    }

    /// Has a record wait for the store.
    fn wait(&mut self, ticket: Ticket, record: Record) {
        self.waiting.retain(|_, older| !record.replaces(older));
        self.waiting.insert(ticket, record);
        self.bound();
    }

    fn bound(&mut self) {
        let is_audit = |record: &Record| matches!(record, Record::Audit { .. });
        while self.waiting.values().filter(|it| is_audit(it)).count() > AUDITS_MAX {
            let oldest = self.waiting.iter().find(|(_, it)| is_audit(it)).map(|(ticket, _)| *ticket);
            self.lost += u64::from(oldest.is_some_and(|oldest| self.waiting.remove(&oldest).is_some()));
        }
        while self.waiting.len() > WAITING_MAX {
            self.lost += u64::from(self.waiting.pop_last().is_some());
        }
    }

    /// What is offered again now: what the store has not answered yet waits on.
    fn take_waiting(&mut self, now: Now) -> BTreeMap<Ticket, Record> {
        let is_asked = |ticket: &Ticket| self.offered.get(ticket).is_some_and(|it| !it.is_durable);
        let waiting = std::mem::take(&mut self.waiting);
        let (held, taken): (_, BTreeMap<_, _>) = waiting.into_iter().partition(|(it, _)| is_asked(it));
        self.waiting = held;
        self.again_at = (!self.waiting.is_empty()).then(|| now.mono + PAUSES.1);
        taken
    }

    /// A record is durable; the answers that waited for it.
    fn on_committed(&mut self, ticket: Ticket) -> Vec<(RequestId, Outcome)> {
        if let Some(offered) = self.offered.get_mut(&ticket) {
            offered.is_durable = true;
        }
        while self.offered.first_key_value().is_some_and(|(_, it)| it.is_durable) {
            self.offered.pop_first();
        }
        if self.waiting.is_empty() && self.offered.values().all(|it| it.is_durable || !it.is_again) {
            (self.error, self.pause) = (None, None);
        }
        for reply in &mut self.replies {
            reply.tickets.remove(&ticket);
        }
        let done = self.replies.extract_if(.., |reply| reply.tickets.is_empty());
        done.map(|reply| (reply.request, reply.outcome)).collect()
    }

    /// A record was refused; the answers that waited for it.
    fn on_refused(&mut self, now: Now, ticket: Ticket, error: &str, is_kept: bool) -> Vec<RequestId> {
        let Some(Offered { record, .. }) = self.offered.remove(&ticket) else { return Vec::new() };
        self.error = Some(Arc::from(error));
        if is_kept {
            self.keep(now, ticket, record);
        }
        let refused = self.replies.extract_if(.., |reply| reply.tickets.contains(&ticket));
        refused.map(|reply| reply.request).collect()
    }

    fn keep(&mut self, now: Now, ticket: Ticket, record: Record) {
        let offered = || self.offered.range(ticket..).map(|(ticket, it)| (ticket, &it.record));
        if offered().chain(self.waiting.range(ticket..)).any(|(_, later)| later.replaces(&record)) {
            return;
        }
        // What came behind it may have had nothing to change without it.
        let plugin = record.of_plugin().cloned();
        let behind = offered().filter(|(_, later)| plugin.is_some() && later.of_plugin() == plugin.as_ref());
        let behind: Vec<_> = behind.map(|(ticket, later)| (*ticket, later.clone())).collect();
        self.waiting.insert(ticket, record);
        self.waiting.extend(behind);
        self.bound();
        if self.again_at.is_none() {
            let pause = self.pause.map_or(PAUSES.0, |pause| pause.saturating_mul(2).min(PAUSES.1));
            (self.pause, self.again_at) = (Some(pause), Some(now.mono + pause));
        }
    }
}

impl Supervisor {
    /// Why what is to be kept is not, while that is so.
    #[must_use]
    pub fn unsaved(&self) -> Option<String> {
        let error = self.saves.error.as_deref()?;
        Some(match self.saves.lost {
            0 => error.to_owned(),
            lost => format!("{error}; {lost} records dropped"),
        })
    }

    pub(super) fn persist(&mut self, record: Record) -> Ticket {
        let ticket = self.take_ticket();
        if self.saves.failing().is_some() && !self.is_stopping {
            self.saves.wait(ticket, record);
        } else {
            self.offer(ticket, record, false);
        }
        ticket
    }

    fn offer(&mut self, ticket: Ticket, record: Record, is_again: bool) {
        let offered = Offered { record: record.clone(), is_durable: false, is_again };
        self.saves.offered.insert(ticket, offered);
        self.put_out(Output::Persist { ticket, record });
    }

    /// Offers what the store refused again.
    pub(super) fn offer_again(&mut self, now: Now) {
        for (ticket, record) in self.saves.take_waiting(now) {
            self.offer(ticket, record, true);
        }
    }

    /// Answers a command once all is durable that it changed since this ticket; or that it is not.
    pub(super) fn reply_when_kept(
        &mut self,
        request: RequestId,
        since: Ticket,
        result: Result<Outcome, Refusal>,
    ) {
        let since = Ticket(since.0 + 1);
        let offered = self.saves.offered.range(since..).filter(|(_, it)| it.record.is_promised());
        let tickets: BTreeSet<Ticket> = offered.map(|(ticket, _)| *ticket).collect();
        let waits = self.saves.waiting.range(since..).any(|(_, record)| record.is_promised());
        match (result, self.saves.failing()) {
            (Ok(_), Some(error)) if waits => {
                let result = Err(not_kept(error));
                self.put_out(Output::Reply { request, result });
            }
            (Ok(outcome), _) if !tickets.is_empty() => {
                self.saves.replies.push(Reply { tickets, request, outcome });
            }
            (result, _) => self.put_out(Output::Reply { request, result }),
        }
    }

    /// A record is durable.
    pub(super) fn on_committed(&mut self, now: Now, ticket: Ticket) {
        self.on_written_down(now, ticket);
        for (request, outcome) in self.saves.on_committed(ticket) {
            self.put_out(Output::Reply { request, result: Ok(outcome) });
        }
    }

    /// The store refused a record.
    pub(super) fn on_commit_failed(&mut self, now: Now, ticket: Ticket, error: &str) {
        let is_handover = self.on_not_written_down(now, ticket, error);
        for request in self.saves.on_refused(now, ticket, error, !is_handover) {
            self.put_out(Output::Reply { request, result: Err(not_kept(error)) });
        }
    }
}

/// What is said of a change that is not durable.
fn not_kept(error: &str) -> Refusal {
    Refusal::NotNow(format!(
        "{error}; the change applies until the station ends, and is recorded once the store can write"
    ))
}
