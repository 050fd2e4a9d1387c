//! What an operator asks (rulings MPP 15 and 17). Each command is answered once.

use super::core::Bridge;
use crate::{
    ids::{QueueName, RequestId},
    mpp::{Command, Outcome, Refusal, connection::TokenHash, io::Output},
    store::op::CommitError,
    tap::entry::mpp::{Brake, CloseCause, Transition},
    time::Now,
};

/// A command that waits for its brakes to be stored.
#[derive(Debug)]
pub(super) struct BrakeWait {
    remaining: usize,
    queues: Vec<QueueName>,
}

/// An action on a brake.
#[derive(Clone, Copy, Debug)]
enum Braking {
    Hold,
    Release,
    Resume,
    Drain,
}

impl Braking {
    fn on(self, brake: Brake) -> Brake {
        match self {
            Self::Hold => Brake { held: true, ..brake },
            Self::Release => Brake { held: false, ..brake },
            Self::Resume => Brake::default(),
            Self::Drain => Brake { draining: true, ..brake },
        }
    }
}

impl Bridge {
    /// Has something done. It is answered by [`Output::Answer`], at once or when it is stored.
    pub fn command(&mut self, now: Now, request: RequestId, command: Command) {
        let answer = match command {
            Command::Enqueue { rows } => self.enqueue(now, request, rows),
            Command::Cancel { ids, reason, refund } => self.cancel(now, request, ids, &reason, refund),
            Command::Requeue { ids, even_if_refunded } => self.requeue(request, ids, even_if_refunded),
            Command::Settle { id, to } => self.settle(now, request, id, to),
            Command::Hold { queue } => self.brake(now, request, queue, Braking::Hold),
            Command::Release { queue } => self.brake(now, request, queue, Braking::Release),
            Command::Resume { queue } => self.brake(now, request, queue, Braking::Resume),
            Command::Drain { queue } => self.brake(now, request, queue, Braking::Drain),
            Command::Kick => self.kick(now).map(Some),
            Command::Pair { token_sha256 } => self.pair(&token_sha256).map(Some),
            Command::Migrate => self.migrate(request),
        };
        match answer {
            Ok(None) => {}
            Ok(Some(outcome)) => self.answer(request, Ok(outcome)),
            Err(refusal) => self.answer(request, Err(refusal)),
        }
        self.arm(now, false);
    }

    pub(super) fn answer(&mut self, request: RequestId, outcome: Result<Outcome, Refusal>) {
        self.put(Output::Answer { request, outcome });
    }

    /// A command takes at most so many rows.
    pub(super) fn check_rows(&self, rows: usize) -> Result<(), Refusal> {
        let limit = self.settings.limits.command_rows_max;
        let rows = rows as u64;
        if rows > limit { Err(Refusal::TooManyRows { rows, limit }) } else { Ok(()) }
    }

    fn kick(&mut self, now: Now) -> Result<Outcome, Refusal> {
        let active = self.active.as_ref().ok_or(Refusal::NoAdapter)?;
        let (conn, peer) = (active.conn, active.peer.clone());
        self.close(now, conn, CloseCause::Kicked);
        Ok(Outcome::Kicked { peer })
    }

    /// A new token is in force at once; a connected adapter stays (ruling MPP 15).
    fn pair(&mut self, token_sha256: &str) -> Result<Outcome, Refusal> {
        let hash = TokenHash::from_hex(token_sha256).ok_or(Refusal::NotAHash)?;
        self.settings.token_sha256 = Some(hash);
        self.emit_transition(Transition::Paired, None, None);
        Ok(Outcome::Paired)
    }

    /// A brake holds at once; the answer waits until a restart would keep it.
    fn brake(
        &mut self,
        now: Now,
        request: RequestId,
        queue: Option<QueueName>,
        braking: Braking,
    ) -> Result<Option<Outcome>, Refusal> {
        let queues = match queue {
            None => self.declared(),
            Some(name) if self.queues.get(&name).is_some_and(|queue| queue.ready_after.is_some()) => {
                vec![name]
            }
            Some(queue) => return Err(Refusal::UnknownQueue { queue }),
        };
        let changed: Vec<QueueName> =
            queues.iter().filter(|name| self.set_brake(name, braking)).cloned().collect();
        for name in &changed {
            self.store_brake(name, Some(request));
        }
        let answer = if changed.is_empty() {
            Some(Outcome::Braked(self.brakes(&queues)))
        } else {
            self.braking.insert(request, BrakeWait { remaining: changed.len(), queues: queues.clone() });
            None
        };
        for name in &queues {
            self.pump(now, name);
        }
        Ok(answer)
    }

    fn set_brake(&mut self, name: &QueueName, braking: Braking) -> bool {
        let Some(queue) = self.queues.get_mut(name) else { return false };
        let brake = braking.on(queue.brake);
        if brake == queue.brake {
            return false;
        }
        if brake.draining != queue.brake.draining {
            queue.drained_reported = false;
        }
        queue.brake = brake;
        self.emit_transition(Transition::Braked { queue: name.clone(), brake }, None, None);
        true
    }

    fn brakes(&self, queues: &[QueueName]) -> Vec<(QueueName, Brake)> {
        queues.iter().filter_map(|name| Some((name.clone(), self.queues.get(name)?.brake))).collect()
    }

    /// One of a command's brakes was stored, or could not be.
    pub(super) fn on_brake_stored(&mut self, request: Option<RequestId>, stored: Result<(), &CommitError>) {
        let Some(request) = request else { return };
        let Some(wait) = self.braking.get_mut(&request) else { return };
        wait.remaining = wait.remaining.saturating_sub(1);
        let outcome = match stored {
            Ok(()) if wait.remaining > 0 => return,
            Ok(()) => {
                let queues = std::mem::take(&mut wait.queues);
                Ok(Outcome::Braked(self.brakes(&queues)))
            }
            Err(error) => {
                Err(Refusal::NotStored { why: format!("it is active but not stored yet: {error}") })
            }
        };
        self.braking.remove(&request);
        self.answer(request, outcome);
    }
}
