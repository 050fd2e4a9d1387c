//! What to do about the alerts of the bridge.

use super::health::{host_remedy, port_remedy, settle_remedy, silent_remedy};
use crate::{
    console::{
        input::action::Action,
        model::{
            alerts::AlertKind,
            health::{ReportLine, command, instruction, key_hint},
            station::StationState,
        },
    },
    tap::entry::alerts::Alert,
    words::quoted,
};

/// Rows were left in applied by a connection that ended, and wait to be settled.
pub(crate) const LEFT_APPLIED: &str = "left_applied";

/// The kinds there are.
pub(crate) const KINDS: &[AlertKind] = &[
    AlertKind::new("host_down", |_, _| host_remedy()),
    AlertKind::TURNED_AWAY,
    AlertKind::new("port_down", |_, _| port_remedy()),
    AlertKind::new("adapter_gone", |_, _| {
        vec![instruction("restart the adapter; pending work is kept in order")]
    }),
    AlertKind::new("adapter_silent", |_, _| silent_remedy()),
    AlertKind::new("head_waiting", head_remedy),
    AlertKind::new(LEFT_APPLIED, |_, state| {
        let first = state.mpp.live.iter().find(|(_, live)| live.orphaned);
        first.map_or_else(Vec::new, |(id, _)| settle_remedy(*id))
    }),
    AlertKind::new("damaged_rows", |_, _| {
        vec![
            instruction(
                "see its reason for the damage, and invoke it again; check the disk, and restore a backup",
            ),
            command("ls invocations --state failed"),
            command("doctor"),
        ]
    }),
];

fn head_remedy(alert: &Alert, state: &StationState) -> Vec<ReportLine> {
    let queue = &*alert.subject;
    let in_flight = state.mpp.queues.get(queue).and_then(|queue| queue.in_flight);
    match (&state.mpp.adapter, in_flight) {
        (None, _) => vec![instruction("start the adapter; pending work is dispatched once it pulls")],
        (Some(_), Some(id)) => vec![
            instruction(&format!(
                "check what the adapter does with {id}; if it hangs, disconnecting it requeues {id} at the head:"
            )),
            key_hint(Action::Kick, "disconnects the adapter"),
            command("adapter disconnect"),
        ],
        (Some(_), None) => vec![
            instruction("check the adapter: it must send a pull; hold the queue to silence this alert:"),
            key_hint(Action::Hold, "on the queue holds it"),
            command(format!("hold {}", quoted(queue))),
        ],
    }
}
