//! Ending by hand what was left in applied (ruling MPP 9).

use super::{
    commits::TicketPurpose,
    core::{Bridge, ended},
};
use crate::{
    ids::{InvocationId, RequestId},
    mpp::{Outcome, Refusal, Settlement, connection::shared},
    store::{
        invocations::{Changed, Row},
        op::{Class, CommitError, Op},
    },
    tap::entry::mpp::{FailedBy, RowState, Transition},
    time::Now,
};

/// The reason of a row that an operator settled as failed.
const SETTLED: &str = "settled by the operator";

/// A settlement that waits for its commit.
#[derive(Debug)]
pub(super) struct SettleWait {
    request: RequestId,
    id: InvocationId,
    to: Settlement,
}

impl Bridge {
    pub(super) fn settle(
        &mut self,
        now: Now,
        request: RequestId,
        id: InvocationId,
        to: Settlement,
    ) -> Result<Option<Outcome>, Refusal> {
        self.not_stored()?;
        match self.live.get_mut(&id) {
            Some(live) if !live.orphaned => return Err(Refusal::WithAdapter { id }),
            // From here on the operator speaks for it.
            Some(live) => live.conn = None,
            None => {
                if let Some(state) = self.state_of(id).filter(|state| *state != RowState::Applied) {
                    return Err(Refusal::WrongState { id, state });
                }
            }
        }
        let (state, reason) = match to {
            Settlement::Done => (RowState::Done, None),
            Settlement::Failed => (RowState::Failed, Some(SETTLED.to_owned())),
        };
        let op = Op::Change {
            ids: vec![id],
            from: RowState::Applied,
            to: state,
            reason,
            refund: false,
            at: now.wall,
        };
        self.persist_for(Class::Process, op, None, TicketPurpose::Settle(SettleWait { request, id, to }));
        Ok(None)
    }

    pub(super) fn on_settled(&mut self, now: Now, wait: &SettleWait, changed: Option<Changed>) {
        let id = wait.id;
        let outcome = match changed {
            Some(Changed::Changed { before, .. }) => Ok(self.settled(now, &before, wait.to)),
            Some(Changed::NotThere { state }) => Err(Refusal::WrongState { id, state }),
            Some(Changed::NoSuchRow) | None => Err(Refusal::NoSuchInvocation { id }),
        };
        self.answer(wait.request, outcome);
    }

    fn settled(&mut self, now: Now, before: &Row, to: Settlement) -> Outcome {
        let (id, trace) = (before.id, before.trace_id);
        let (queue, event) = (before.queue.clone(), before.event.clone());
        self.live.remove(&id);
        self.orphaned.remove(&id);
        let (state, transition, reason) = match to {
            Settlement::Done => {
                (RowState::Done, Transition::Done { id, queue, event, cleared: false, settled: true }, None)
            }
            Settlement::Failed => {
                let transition = Transition::Failed {
                    id,
                    queue,
                    event,
                    from: RowState::Applied,
                    cleared: false,
                    by: FailedBy::Settled,
                };
                (RowState::Failed, transition, Some(shared(SETTLED)))
            }
        };
        self.remember_ended(ended(now, (id, &before.queue, &before.event), state, reason.as_ref(), trace));
        self.emit_transition(transition, reason, Some(trace));
        Outcome::Settled { id, state }
    }

    pub(super) fn on_settle_failed(&mut self, wait: &SettleWait, error: &CommitError) {
        self.answer(wait.request, Err(Refusal::NotStored { why: error.to_string() }));
    }
}
