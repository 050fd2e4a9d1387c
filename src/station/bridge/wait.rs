//! Waits for an invocation's state by reading the tap, so that nothing is polled.

use std::time::Duration;

use super::{handle::Running, pages};
use crate::{
    ids::InvocationId,
    port::{Page, PortError},
    station::local::Inner,
    tap::{
        Reader,
        entry::{
            Transition as AnyTransition, What,
            mpp::{RowState, Transition},
        },
    },
};

/// The invocation as soon as it is in `state` or has ended, or as it stands when the time is up.
pub(super) async fn until(
    inner: &Inner,
    running: &Running,
    id: InvocationId,
    state: RowState,
    timeout_ms: u64,
) -> Result<Page, PortError> {
    let full = || PortError::Busy { what: "the list of waiting clients (limits.port.waits_max)".to_owned() };
    let _permit = inner.waits.try_acquire().map_err(|_| full())?;
    let mut reader = inner.tap.reader().map_err(|_| full())?;
    let met = async {
        loop {
            let row = pages::invocation(running, id).await?;
            if row.as_ref().is_none_or(|row| has_reached(row.state, state)) {
                return Ok(row);
            }
            watch(&mut reader, id).await;
        }
    };
    match tokio::time::timeout(Duration::from_millis(timeout_ms), met).await {
        Ok(row) => Ok(Page::Invocation(row?.map(Box::new))),
        Err(_) => Ok(Page::Invocation(pages::invocation(running, id).await?.map(Box::new))),
    }
}

/// Whether waiting on is of no use: it is there, or beyond it.
fn has_reached(now: RowState, wanted: RowState) -> bool {
    now == wanted
        || now.is_terminal()
        || (now == RowState::Applied && matches!(wanted, RowState::Pending | RowState::Dispatched))
}

/// Returns once something was reported of the invocation, or entries were lost that might have.
async fn watch(reader: &mut Reader, id: InvocationId) {
    loop {
        while let Some(batch) = reader.read() {
            if batch.lost > 0 || batch.iter().any(|item| concerns(&item.entry.what, id)) {
                return;
            }
        }
        reader.ready().await;
    }
}

fn concerns(what: &What, wanted: InvocationId) -> bool {
    let What::Transition(AnyTransition::Mpp(transition)) = what else { return false };
    match transition {
        Transition::Dispatched { id, .. }
        | Transition::Applied { id, .. }
        | Transition::Done { id, .. }
        | Transition::Failed { id, .. }
        | Transition::Refunded { id, .. }
        | Transition::Requeued { id, .. }
        | Transition::OtherCancelled { id, .. } => *id == wanted,
        Transition::Migrated { .. } => true,
        _ => false,
    }
}
