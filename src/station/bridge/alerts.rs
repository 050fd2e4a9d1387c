//! What of the bridge is cause for an alert.

use super::queue_head_age::QueueHeadAges;
use crate::{
    admission::{Port, RecentTurnAways, without_port},
    dissect::mpp::describe_close,
    ids::Peer,
    mpp,
    mpp::Listener,
    port::Snapshot,
    station::alerts::{ActiveCause, CauseKind, Evidence, Findings, Watch, Watching},
    tap::{
        EntryRef,
        entry::{
            Link, Transition, What,
            mpp::{CloseCause, FailedBy, Transition as T},
        },
    },
    time::Now,
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Mpp);
/// Connections of the bridge's port are turned away for this reason, one after another.
pub(crate) static TURNED_AWAY: CauseKind = CauseKind::turned_away(Link::Mpp, Port::Mpp);
/// The bridge's port is not bound or accepts nothing.
pub(crate) static PORT_DOWN: CauseKind = CauseKind::new("port_down", Link::Mpp, "mpp");
/// This adapter left, and none has come since.
pub(crate) static ADAPTER_GONE: CauseKind = CauseKind::new("adapter_gone", Link::Mpp, "mpp");
/// This adapter is connected and sends nothing.
pub(crate) static ADAPTER_SILENT: CauseKind = CauseKind::new("adapter_silent", Link::Mpp, "mpp");
/// The head of this queue is not dispatched. A queue that the operator holds is not meant: that it waits is
/// his own doing.
pub(crate) static HEAD_WAITING: CauseKind = CauseKind::new("head_waiting", Link::Mpp, "mpp");
/// Rows were left in applied by a connection that ended, and wait to be settled.
pub(crate) static ORPHANED: CauseKind = CauseKind::new("left_applied", Link::Mpp, "mpp");
/// Rows of the store could not be read, and failed for it.
pub(crate) static DAMAGED_ROWS: CauseKind = CauseKind::new("damaged_rows", Link::Mpp, "mpp").once();

/// The bridge's memory for its alerts.
#[derive(Clone, Debug, Default)]
pub(crate) struct BridgeWatch {
    queue_heads: QueueHeadAges,
    /// The last adapter that was seen, and since when a bridge that began anew misses it.
    adapter: Option<(Peer, Option<Now>)>,
    turned_away: RecentTurnAways,
    /// Rows that failed for their damage.
    damaged_rows: u64,
}

impl BridgeWatch {
    /// The adapter of a bridge that failed, of whose end the next one knows nothing.
    fn missing_adapter(&mut self, mpp: &mpp::Snapshot, now: Now) -> Option<(Peer, Now)> {
        match (&mpp.adapter, &mpp.last_close, &mut self.adapter) {
            (Some(adapter), ..) => self.adapter = Some((adapter.peer.clone(), None)),
            (None, Some(_), _) => self.adapter = None,
            (None, None, Some((peer, since))) => return Some((peer.clone(), *since.get_or_insert(now))),
            (None, None, None) => {}
        }
        None
    }

    fn check_adapter(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        let Evidence { state: Snapshot { mpp, .. }, thresholds, now, .. } = *evidence;
        match (&mpp.adapter, &mpp.last_close) {
            (Some(adapter), _) if adapter.stale => {
                let text = format!("adapter {} is connected but silent", adapter.peer);
                findings.add(ADAPTER_SILENT.of(adapter.peer.as_str()), adapter.last_in, text);
            }
            (None, Some((peer, cause, at))) if evidence.has_lasted(*at, thresholds.adapter_gone_s) => {
                let text = format!("adapter {peer} disconnected: {}", describe_close(*cause, None));
                let gone = ADAPTER_GONE.of(peer.as_str());
                match cause {
                    CloseCause::Kicked => findings.add_quietly(gone, *at, text),
                    _ => findings.add(gone, *at, text),
                }
            }
            _ => {}
        }
        if let Some((peer, since)) = self.missing_adapter(mpp, now)
            && evidence.has_lasted(since, thresholds.adapter_gone_s)
        {
            let text = format!("adapter {peer} has not reconnected since the bridge restarted");
            findings.add(ADAPTER_GONE.of(peer.as_str()), since, text);
        }
    }
}

impl Watch for BridgeWatch {
    #[cfg(test)]
    const KINDS: &[&'static CauseKind] = &[
        &HOST_DOWN,
        &TURNED_AWAY,
        &PORT_DOWN,
        &ADAPTER_GONE,
        &ADAPTER_SILENT,
        &HEAD_WAITING,
        &ORPHANED,
        &DAMAGED_ROWS,
    ];

    fn seed(&mut self, snapshot: &Snapshot) {
        self.queue_heads.seed(&snapshot.mpp, snapshot.at);
    }

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
        if let What::Transition(Transition::Mpp(T::Disconnected { peer, cause, .. })) = &entry.entry.what
            && let Some(why) = cause.turned_away()
            && !cx.is_in_snapshot
        {
            self.turned_away.record(entry.entry.at, why, 1, [(without_port(peer), 1)]);
        }
        if let What::Transition(Transition::Mpp(T::Failed { id, queue, by: FailedBy::Damage, .. })) =
            &entry.entry.what
        {
            self.damaged_rows = self.damaged_rows.saturating_add(1);
            let text = match self.damaged_rows {
                1 => format!("{id} on {queue} failed: its row in the store is damaged"),
                rows => format!(
                    "{rows} invocations failed: their rows in the store are damaged, the last is {id} on \
                     {queue}"
                ),
            };
            let damaged = ActiveCause::new(DAMAGED_ROWS.cause(), entry.entry.at, text);
            cx.incidents.raise(ActiveCause { last: Some(id.0), ..damaged });
        }
        if !cx.is_in_snapshot {
            self.queue_heads.fold(entry);
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        if findings.check_host(&HOST_DOWN, evidence) {
            // Of a bridge that is down nothing is known: what held goes on to hold until it answers.
            findings.unknown.push(Link::Mpp);
            return;
        }
        let Evidence { state: Snapshot { mpp, .. }, thresholds, now, .. } = *evidence;
        if let Listener::Down(why) = &mpp.listener {
            findings.add(PORT_DOWN.cause(), now, format!("the port is down: {why}"));
        }
        findings.add_turned_away(&TURNED_AWAY, Port::Mpp, &self.turned_away, now);
        self.check_adapter(evidence, findings);
        for (queue, since) in self.queue_heads.waiting() {
            if evidence.has_lasted(since, thresholds.head_waiting_s) {
                findings.add(HEAD_WAITING.of(queue.as_str()), since, describe_head_wait(mpp, queue.as_str()));
            }
        }
        let left: Vec<_> = mpp.live.iter().filter(|(_, live)| live.orphaned).collect();
        if let (Some((first, live)), Some((last, _))) = (left.first(), left.last()) {
            let text = match left.len() {
                1 => format!("{first} is orphaned (applied, adapter lost); outcome unknown"),
                count => {
                    format!(
                        "{count} invocations are orphaned (applied, adapter lost), the first is \
                             {first}; outcome unknown"
                    )
                }
            };
            findings.add_of_several(ORPHANED.cause(), live.since, text, last.0);
        }
    }
}

/// Why a head waits.
fn describe_head_wait(mpp: &mpp::Snapshot, name: &str) -> String {
    let Some(queue) = mpp.queues.get(name) else { return format!("oldest item in {name} is waiting") };
    let why = match (queue.in_flight, &mpp.adapter) {
        (_, None) => "no adapter connected".to_owned(),
        (Some(id), _) => format!("{id} ahead of it is in flight"),
        (None, _) if mpp.commits_failing.is_some() => "store commits are failing".to_owned(),
        (None, _) if !queue.parked => "the adapter is not pulling".to_owned(),
        (None, _) => "being loaded from the store".to_owned(),
    };
    format!("oldest item in {name} is waiting: {why}")
}
