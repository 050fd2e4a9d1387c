//! Questions that wait for their answers, by the trace that both carry.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot;

use crate::{
    ids::TraceId,
    limits,
    port::{
        PortError,
        wire::{Assembly, Question, Response, write_question},
    },
    rmp::{
        SchemaId,
        client::{Client, Error, Message},
        topic::OPERATOR,
    },
};

/// How long an answer may take beyond what the question itself waits for.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// One that waits.
#[derive(Debug)]
struct PendingRequest {
    assembly: Assembly,
    answer: oneshot::Sender<Result<Response, PortError>>,
}

/// The questions of one session that wait. Clones are the same.
#[derive(Clone, Debug)]
pub(super) struct PendingRequests {
    waiting: Arc<Mutex<BTreeMap<TraceId, PendingRequest>>>,
    limits: limits::Port,
}

/// Lets go of a question that nobody waits for any more.
struct Ticket {
    exchange: PendingRequests,
    trace: TraceId,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.exchange.lock().remove(&self.trace);
    }
}

impl PendingRequests {
    pub(super) fn new(limits: limits::Port) -> Self {
        Self { waiting: Arc::default(), limits }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TraceId, PendingRequest>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a trace answered.
    fn expect(
        &self,
        trace: TraceId,
    ) -> Result<(Ticket, oneshot::Receiver<Result<Response, PortError>>), PortError> {
        let mut waiting = self.lock();
        if waiting.len() as u64 >= self.limits.questions_max {
            return Err(PortError::Busy {
                what: "the list of open requests (limits.port.questions_max)".to_owned(),
            });
        }
        let (answer, answered) = oneshot::channel();
        waiting.insert(trace, PendingRequest { assembly: Assembly::default(), answer });
        drop(waiting);
        Ok((Ticket { exchange: self.clone(), trace }, answered))
    }

    /// Takes a part of an answer. One that nobody waits for is passed over.
    pub(super) fn on_part(&self, trace: TraceId, body: &[u8]) {
        let mut waiting = self.lock();
        let Some(one) = waiting.get_mut(&trace) else { return };
        let answer = match one.assembly.take(body, self.limits.answer_bytes_max) {
            Ok(None) => return,
            Ok(Some(answered)) => Ok(answered),
            Err(error) => Err(PortError::BadRequest(format!("cannot decode the station's answer: {error}"))),
        };
        if let Some(one) = waiting.remove(&trace) {
            // Whoever asked may be gone.
            drop(one.answer.send(answer));
        }
    }

    /// The session is over: nothing will be answered any more.
    pub(super) fn end(&self) {
        self.lock().clear();
    }

    /// Asks, and waits for the whole answer: a minute beyond what the question itself waits for.
    pub(super) async fn ask(
        self,
        client: Client,
        question: Question,
        waits: Duration,
    ) -> Result<Response, PortError> {
        let limit = waits + ANSWER_MAX;
        let body = write_question(&question, client.welcome().body_bytes_max)
            .map_err(|error| PortError::BadRequest(error.to_string()))?;
        drop(question);
        let message = Message::new(SchemaId::OPERATOR_REQ, body);
        let (_ticket, answered) = self.expect(message.trace_id)?;
        let exchange = async {
            client.publish(OPERATOR, &message).await.map_err(refused)?;
            answered.await.map_err(|_| PortError::Stopping)?
        };
        let timed_out = PortError::TimedOut { ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX) };
        tokio::time::timeout(limit, exchange).await.unwrap_or(Err(timed_out))
    }
}

/// Why a question did not get through.
fn refused(error: Error) -> PortError {
    match error {
        Error::Refused(refused) if &*refused.code == "Busy" => {
            PortError::Busy { what: refused.message.into() }
        }
        Error::Refused(refused) if &*refused.code == "Forbidden" => PortError::Forbidden {
            kind: "session without a token of the station".to_owned(),
            what: "ask it".to_owned(),
        },
        Error::Closed(_) => PortError::Stopping,
        Error::TimedOut { ms } => PortError::TimedOut { ms },
        Error::Busy { .. } => PortError::Busy { what: error.to_string() },
        error => PortError::BadRequest(error.to_string()),
    }
}
