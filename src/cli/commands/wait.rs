//! Waits until an invocation has a state.

use std::time::Duration;

use crate::{
    cli::{error::Error, operator},
    ids::InvocationId,
    mpp::Refusal,
    port::{InvocationRow, Operator, Page, PortError, Query},
    tap::entry::mpp::RowState,
    time::Clock,
};

/// One question waits so long at most: the station is asked again until the time is up.
const SLICE_MS: u64 = 10_000;

/// How a wait ended.
#[derive(Debug)]
pub(super) struct Waited {
    /// Where the row stands, as far as is known.
    pub(super) state: Option<RowState>,
    /// Whether it came to the state that was waited for.
    pub(super) verdict: Result<(), Error>,
}

/// Waits until invocation `id` has come to `wanted`, has ended, or `timeout_ms` is up.
pub(super) async fn until(
    station: &dyn Operator,
    id: InvocationId,
    wanted: RowState,
    timeout_ms: Option<u64>,
    clock: Clock,
) -> Waited {
    let deadline = timeout_ms.map(|ms| clock.now().mono + Duration::from_millis(ms));
    let mut state = None;
    loop {
        let left =
            deadline.map(|deadline| u64::try_from(clock.until(deadline).as_millis()).unwrap_or(u64::MAX));
        let slice_ms = left.map_or(SLICE_MS, |left| left.min(SLICE_MS));
        let row =
            match ask(station, Query::InvocationWhen { id, state: wanted, timeout_ms: slice_ms }, id).await {
                Ok(row) => row,
                Err(error) => return Waited { state, verdict: Err(error) },
            };
        state = Some(row.state);
        let out_of_time = left.is_some_and(|left| left <= slice_ms);
        if let Some(verdict) = verdict(row, wanted, timeout_ms.filter(|_| out_of_time)) {
            return Waited { state, verdict };
        }
    }
}

async fn ask(station: &dyn Operator, query: Query, id: InvocationId) -> Result<InvocationRow, Error> {
    match operator::query(station, query).await? {
        Page::Invocation(Some(row)) => Ok(*row),
        Page::Invocation(None) => Err(PortError::Refused(Refusal::NoSuchInvocation { id }).into()),
        _ => Err(Error::UnexpectedAnswer),
    }
}

/// What a row says of the wait; nothing when it goes on. `waited_ms` is set once the time is up.
fn verdict(row: InvocationRow, wanted: RowState, waited_ms: Option<u64>) -> Option<Result<(), Error>> {
    if has_come_to(row.state, wanted) {
        return Some(Ok(()));
    }
    if row.state.is_terminal() {
        return Some(Err(Error::EndedOtherwise { id: row.id, state: row.state, wanted, reason: row.reason }));
    }
    waited_ms.map(|ms| Err(Error::WaitedTooLong { id: row.id, state: row.state, ms }))
}

/// Whether a row that stands at `state` is or has been at `wanted`: some states are passed quickly (mpp-v2
/// §9.1).
const fn has_come_to(state: RowState, wanted: RowState) -> bool {
    use RowState::{Applied, Dispatched, Done, Failed, Pending, Refunded};
    match wanted {
        Pending => matches!(state, Pending | Dispatched | Applied | Done | Refunded),
        Dispatched => matches!(state, Dispatched | Applied | Done | Refunded),
        Applied => matches!(state, Applied | Done),
        Done => matches!(state, Done),
        Failed => matches!(state, Failed),
        Refunded => matches!(state, Refunded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::operator::tests::Scripted, schema::JsonText, store::invocations::Source, time::Wall};

    fn row(state: RowState) -> Page {
        Page::Invocation(Some(Box::new(InvocationRow {
            damage: None,
            refund: None,
            requeued_from: None,
            id: InvocationId(4),
            queue: "default".into(),
            event: "a".into(),
            state,
            params: JsonText::null(),
            result: None,
            reason: (state == RowState::Failed).then(|| "no room".to_owned()),
            source: Source { kind: "manual".to_owned(), redemption: None, user: None },
            trace_id: "0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap(),
            enqueued_at_ms: Wall(0),
            updated_at_ms: Wall(0),
            other_manifest: None,
        })))
    }

    fn waited(wanted: RowState, timeout_ms: Option<u64>, pages: Vec<Page>) -> (Option<RowState>, u8, usize) {
        let station = Scripted::pages(pages);
        let done = operator::block_on(async {
            Ok(until(&station, InvocationId(4), wanted, timeout_ms, Clock::start()).await)
        })
        .unwrap();
        let exit = done.verdict.map_or_else(|error| error.exit() as u8, |()| 0);
        (done.state, exit, station.queries.into_inner().unwrap().len())
    }

    #[test]
    fn a_wait_ends_at_its_state_at_another_end_or_in_time() {
        use RowState::{Applied, Dispatched, Done, Failed, Pending};
        assert_eq!(waited(Done, None, vec![row(Applied), row(Done)]), (Some(Done), 0, 2));
        assert_eq!(waited(Applied, None, vec![row(Done)]), (Some(Done), 0, 1));
        assert_eq!(waited(Done, None, vec![row(Failed)]), (Some(Failed), 5, 1));
        assert_eq!(waited(Dispatched, Some(0), vec![row(Pending)]), (Some(Pending), 4, 1));
        assert_eq!(waited(Done, None, vec![row(Applied), Page::Invocation(None)]), (Some(Applied), 1, 2));
    }

    #[test]
    fn a_failure_is_never_taken_for_a_state_that_may_not_have_been() {
        for wanted in RowState::ALL {
            assert_eq!(has_come_to(RowState::Failed, wanted), wanted == RowState::Failed);
        }
    }
}
