//! What of the bridge is cause for an alert.

use super::{
    health::{host_remedy, port_remedy, settle_remedy, silent_remedy},
    queue_head_age::QueueHeadAges,
};
use crate::{
    admission::{Port, RecentTurnAways, without_port},
    console::{
        input::action::Action,
        model::{
            alerts::{ActiveCause, Cause, CauseKind, Evidence, Findings, Watch, Watching},
            health::{ReportLine, command, instruction, key_hint},
            station::StationState,
        },
    },
    dissect::mpp::describe_close,
    ids::Peer,
    mpp,
    mpp::Listener,
    port::Snapshot,
    tap::{
        EntryRef,
        entry::{
            Link, Transition, What,
            mpp::{FailedBy, Transition as T},
        },
    },
    time::Now,
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Mpp, |_, _| host_remedy());
/// Connections of the bridge's port are turned away for this reason, one after another.
pub(crate) static TURNED_AWAY: CauseKind = CauseKind::turned_away(Link::Mpp, Port::Mpp);
/// The bridge's port is not bound or accepts nothing.
pub(crate) static PORT_DOWN: CauseKind = CauseKind::new("port_down", Link::Mpp, "mpp", |_, _| port_remedy());
/// This adapter left, and none has come since.
pub(crate) static ADAPTER_GONE: CauseKind = CauseKind::new("adapter_gone", Link::Mpp, "mpp", |_, _| {
    vec![instruction("start the adapter again; pending work waits for it, in its order")]
});
/// This adapter is connected and sends nothing.
pub(crate) static ADAPTER_SILENT: CauseKind =
    CauseKind::new("adapter_silent", Link::Mpp, "mpp", |_, _| silent_remedy());
/// The head of this queue is not dispatched. A queue that the operator holds is not meant: that it waits is
/// his own doing.
pub(crate) static HEAD_WAITING: CauseKind =
    CauseKind::new("head_waiting", Link::Mpp, "mpp", head_remedy).news();
/// Rows were left in applied by a connection that ended, and wait to be settled.
pub(crate) static ORPHANED: CauseKind = CauseKind::new("left_applied", Link::Mpp, "mpp", |_, state| {
    let first = state.mpp.live.iter().find(|(_, live)| live.orphaned);
    first.map_or_else(Vec::new, |(id, _)| settle_remedy(*id))
});

/// Rows of the store could not be read, and failed for it.
pub(crate) static DAMAGED_ROWS: CauseKind = CauseKind::new("damaged_rows", Link::Mpp, "mpp", |_, _| {
    vec![
        instruction(
            "its reason says what of it is damaged; invoke it again by hand. Rows are not damaged by themselves: look at the disk, and restore a backup",
        ),
        command("ls invocations --state failed"),
        command("doctor"),
    ]
})
.once()
.news();

fn head_remedy(cause: &Cause, state: &StationState) -> Vec<ReportLine> {
    let queue = cause.subject();
    let in_flight = state.mpp.queues.get(queue).and_then(|queue| queue.in_flight);
    match (&state.mpp.adapter, in_flight) {
        (None, _) => vec![instruction("start the adapter; what is pending leaves as soon as it pulls")],
        (Some(_), Some(id)) => vec![
            instruction(&format!(
                "see what the adapter does with {id}; when it hangs, dropping it puts {id} back to the head:"
            )),
            key_hint(Action::Kick, "drops the adapter"),
            command("adapter disconnect"),
        ],
        (Some(_), None) => vec![
            instruction(
                "look at the adapter: it grants a credit with a pull; held on purpose, a queue alerts no more:",
            ),
            key_hint(Action::Hold, "on the queue holds it"),
            command(format!("hold {}", quoted(queue))),
        ],
    }
}

/// A queue's name as a shell reads it back.
fn quoted(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}

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
        let Evidence { state: StationState { mpp, .. }, rules, now, .. } = *evidence;
        match (&mpp.adapter, &mpp.last_close) {
            (Some(adapter), _) if adapter.stale => {
                let text = format!("adapter {} is connected and sends nothing", adapter.peer);
                findings.add(ADAPTER_SILENT.of(adapter.peer.as_str()), adapter.last_in, text);
            }
            (None, Some((peer, cause, at))) if evidence.has_lasted(*at, rules.adapter_gone_s) => {
                let text = format!("adapter {peer} is gone: {}", describe_close(*cause, None));
                findings.add(ADAPTER_GONE.of(peer.as_str()), *at, text);
            }
            _ => {}
        }
        if let Some((peer, since)) = self.missing_adapter(mpp, now)
            && evidence.has_lasted(since, rules.adapter_gone_s)
        {
            let text = format!("adapter {peer} has not come back since the bridge was started again");
            findings.add(ADAPTER_GONE.of(peer.as_str()), since, text);
        }
    }
}

impl Watch for BridgeWatch {
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
                1 => format!("{id} on {queue} cannot be read in the store, and failed"),
                rows => format!(
                    "{rows} rows cannot be read in the store, and failed: the last is {id} on {queue}"
                ),
            };
            cx.incidents.raise(ActiveCause::new(DAMAGED_ROWS.cause(), entry.entry.at, text));
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
        let Evidence { state: StationState { mpp, .. }, rules, now, .. } = *evidence;
        if let Listener::Down(why) = &mpp.listener {
            findings.add(PORT_DOWN.cause(), now, format!("the port does not answer: {why}"));
        }
        findings.add_turned_away(&TURNED_AWAY, Port::Mpp, &self.turned_away, now);
        self.check_adapter(evidence, findings);
        for (queue, since) in self.queue_heads.waiting() {
            if evidence.has_lasted(since, rules.head_waiting_s) {
                findings.add(HEAD_WAITING.of(queue.as_str()), since, describe_head_wait(mpp, queue.as_str()));
            }
        }
        let left: Vec<_> = mpp.live.iter().filter(|(_, live)| live.orphaned).collect();
        if let (Some((first, live)), Some((last, _))) = (left.first(), left.last()) {
            let text = match left.len() {
                1 => format!("{first} was left in applied: nobody knows how it ended"),
                count => {
                    format!("{count} rows were left in applied, {first} first: nobody knows how they ended")
                }
            };
            findings.add_of_several(ORPHANED.cause(), live.since, text, last.0);
        }
    }
}

/// Why a head waits.
fn describe_head_wait(mpp: &mpp::Snapshot, name: &str) -> String {
    let Some(queue) = mpp.queues.get(name) else { return format!("the head of {name} waits") };
    let why = match (queue.in_flight, &mpp.adapter) {
        (_, None) => "no adapter is connected".to_owned(),
        (Some(id), _) => format!("{id} before it has not ended"),
        (None, _) if mpp.commits_failing.is_some() => "the store refuses commits".to_owned(),
        (None, _) if !queue.parked => "the adapter does not pull from it".to_owned(),
        (None, _) => "it is being read from the store".to_owned(),
    };
    format!("the head of {name} waits: {why}")
}
