//! The operator service: what is asked on `rlp/operator`, answered to the session that asked (ruling RMP 17).
//!
//! Every question is worked on beside the others, up to `limits.port.questions_max` of them and a quarter of
//! that for one session. The parts of an answer leave one after the other, each as soon as the session's
//! queue has room: a session that does not read holds up itself alone.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use crate::{
    ids::{ConnectionId, TraceId},
    limits,
    port::{
        PortError, StationPort,
        wire::{Question, Reply, Response, StationInfo, may_ask, parts, parts_as_shown, read_question},
    },
    rmp::{broker::OperatorRequest, host::Request},
    tap::{
        Tap,
        entry::{rmp::Kind, station::OperatedBy},
    },
    time::Clock,
};

/// How long a part may wait for room in its session's queue.
const PART_MAX: Duration = Duration::from_secs(30);
/// The share of one session in the questions of all.
const SHARE: u64 = 4;

/// The port as somebody acts through it.
pub(in crate::station) type PortOf = Box<dyn Fn(OperatedBy) -> Arc<dyn StationPort> + Send + Sync>;

/// What answers every question.
pub(in crate::station) struct Service {
    pub(in crate::station) port_of: PortOf,
    pub(in crate::station) tap: Tap,
    pub(in crate::station) bus: mpsc::Sender<Request>,
    /// Which station it is, but for the moment.
    pub(in crate::station) about: StationInfo,
    pub(in crate::station) clock: Clock,
    pub(in crate::station) limits: limits::Port,
}

/// Questions that are worked on, by session.
#[derive(Clone, Debug, Default)]
struct OpenQuestions(Arc<Mutex<BTreeMap<ConnectionId, u64>>>);

/// One of them; it is over when this is dropped.
struct Permit {
    open: OpenQuestions,
    session: ConnectionId,
}

impl OpenQuestions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<ConnectionId, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn permit(&self, session: ConnectionId, questions_max: u64) -> Option<Permit> {
        let mut open = self.lock();
        let own = open.get(&session).copied().unwrap_or_default();
        if open.values().sum::<u64>() >= questions_max || own >= (questions_max / SHARE).max(1) {
            return None;
        }
        open.insert(session, own + 1);
        Some(Permit { open: self.clone(), session })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.open.lock();
        match open.get_mut(&self.session) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(open.remove(&self.session)),
        }
    }
}

/// Answers until nothing is asked any more.
pub(in crate::station) async fn serve(service: Service, mut asked: mpsc::Receiver<OperatorRequest>) {
    let (service, open) = (Arc::new(service), OpenQuestions::default());
    while let Some(asked) = asked.recv().await {
        match open.permit(asked.session, service.limits.questions_max) {
            Some(permit) => {
                let service = Arc::clone(&service);
                tokio::spawn(async move {
                    let OperatorRequest { session, trace, kind, .. } = asked;
                    let answer = service.answer(asked).await;
                    service.send(session, trace, kind, answer).await;
                    drop(permit);
                });
            }
            None => service.refuse(&asked),
        }
    }
}

impl Service {
    async fn answer(&self, asked: OperatorRequest) -> Response {
        let OperatorRequest { session, client, kind, payload, .. } = asked;
        let port = (self.port_of)(OperatedBy { kind, client, session: Some(session) });
        let answered = async {
            let question = read_question(&payload)?;
            drop(payload);
            may_ask(kind, &question)?;
            Ok(match question {
                Question::Command(command) => Response::reply(Reply::Outcome(port.command(command).await?)),
                Question::Query(query) => Response::reply(Reply::Page(port.query(query).await?)),
                Question::Snapshot => {
                    Response::Snapshot(self.tap.without_tokens(port.snapshot().await?.encode()))
                }
                Question::About => {
                    Response::reply(Reply::About(StationInfo { now: self.clock.now(), ..self.about.clone() }))
                }
            })
        };
        answered.await.unwrap_or_else(|error| Response::reply(Reply::Error(error)))
    }

    /// Sends an answer part by part, unless the session is gone. Who is no operator is shown no token in it.
    async fn send(&self, session: ConnectionId, trace: TraceId, kind: Kind, answer: Response) {
        let shown = |text: String| if kind.is_operator() { text } else { self.tap.json_without_tokens(text) };
        match parts_as_shown(answer, self.limits.answer_bytes_max, &shown) {
            Ok(bodies) => self.send_parts(session, trace, bodies).await,
            Err(error) => {
                let error = Response::reply(Reply::Error(PortError::BadRequest(format!(
                    "the answer is too large, request less: {error}"
                ))));
                if let Ok(bodies) = parts(error, self.limits.answer_bytes_max) {
                    self.send_parts(session, trace, bodies).await;
                }
            }
        }
    }

    async fn send_parts(&self, session: ConnectionId, trace: TraceId, bodies: impl Iterator<Item = Vec<u8>>) {
        for body in bodies {
            let (sent, is_sent) = oneshot::channel();
            let part = Request::Answer { session, trace, body: Bytes::from(body), sent };
            let sent = async { self.bus.send(part).await.is_ok() && is_sent.await.unwrap_or(false) };
            if !tokio::time::timeout(PART_MAX, sent).await.unwrap_or(false) {
                return;
            }
        }
    }

    /// Says that there is no room for a question, if there is room to say so.
    fn refuse(&self, asked: &OperatorRequest) {
        let busy =
            PortError::Busy { what: "the list of open requests (limits.port.questions_max)".to_owned() };
        let Ok(mut bodies) = parts(Response::reply(Reply::Error(busy)), self.limits.answer_bytes_max) else {
            return;
        };
        if let Some(body) = bodies.next() {
            let (sent, _) = oneshot::channel();
            // Where there is none, the one who asked finds that no answer comes.
            drop(self.bus.try_send(Request::Answer {
                session: asked.session,
                trace: asked.trace,
                body: Bytes::from(body),
                sent,
            }));
        }
    }
}
