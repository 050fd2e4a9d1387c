//! `StreamSession` (ruling MACP 3): messages of any sessions on one stream, answered in their order while
//! those behind are worked on.

use std::sync::Arc;

use futures_util::{Stream, stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tonic::{Status as Grpc, Streaming};

use super::{
    call::{Call, Caller},
    codec::{Received, Reply},
    shared::{Ask, Shared},
    stream_sessions::StreamSessions,
};
use crate::{
    macp::{
        Answered, Rpc,
        envelope::{self, SIGNAL},
        kernel::{Acked, Answer},
        proto::v1::{Envelope, StreamSessionRequest},
        reply,
        request::{decoded, envelope_of},
    },
    w3c::GivenTraceParent,
};

/// Bytes of the ids that wait for their turns beside those of [`SHORT_BYTES`].
const WAITING_BYTES: u32 = 1 << 20;
/// Ids of a message that are no longer than this wait without asking for room.
const SHORT_BYTES: usize = 4_096;

/// A message that was decided, and is to be answered in its turn.
struct Turn {
    call: Call<'static>,
    /// Its envelope, once more.
    envelope: Envelope,
    answer: Answer,
    _room: Option<OwnedSemaphorePermit>,
}

/// What a turn holds, or how the stream ends.
type Next = Result<Box<Turn>, Grpc>;

/// The answers to a stream of messages.
pub(super) fn answers(
    shared: Arc<Shared>,
    caller: Caller,
    given: Option<GivenTraceParent>,
    messages: Streaming<Received<StreamSessionRequest>>,
) -> impl Stream<Item = Result<Reply, Grpc>> + Send {
    let (turns, taken) = mpsc::channel(usize::try_from(shared.limits.stream_in_flight_max).unwrap_or(1));
    tokio::spawn(read(Arc::clone(&shared), (caller, given), messages, turns));
    stream::unfold((shared, taken, false), |(shared, mut taken, has_ended)| async move {
        if has_ended {
            return None;
        }
        let reply = match taken.recv().await? {
            Ok(turn) => answer(&shared, *turn).await,
            Err(status) => Err(status),
        };
        let has_ended = reply.is_err();
        Some((reply, (shared, taken, has_ended)))
    })
}

/// Decides one message after another, as long as there is room for their answers.
async fn read(
    shared: Arc<Shared>,
    (caller, given): (Caller, Option<GivenTraceParent>),
    mut messages: Streaming<Received<StreamSessionRequest>>,
    turns: mpsc::Sender<Next>,
) {
    let mut spoken = StreamSessions::new(Arc::clone(&shared));
    let waiting = Arc::new(Semaphore::new(WAITING_BYTES as usize));
    while let Ok(room) = turns.reserve().await {
        let next = match messages.message().await {
            Ok(Some(received)) => decide(&shared, (&caller, given.as_ref()), &waiting, received).await,
            Ok(None) => return,
            Err(fault) => Err(shared.rejected_by_transport(Rpc::StreamSession, &caller, fault)),
        };
        if let Ok(turn) = &next
            && matches!(&turn.answer, Answer::Acked(Acked { error: None, .. }))
            && turn.envelope.message_type != SIGNAL
        {
            spoken.note(&turn.envelope.session_id);
        }
        // What ends the stream is the last that is read: nothing behind it is taken, and not answered.
        let is_end = !matches!(&next, Ok(turn) if matches!(turn.answer, Answer::Acked(_)));
        room.send(next);
        if is_end {
            return;
        }
    }
}

async fn decide(
    shared: &Shared,
    (caller, given): (&Caller, Option<&GivenTraceParent>),
    waiting: &Arc<Semaphore>,
    received: Received<StreamSessionRequest>,
) -> Next {
    let (caller, Received { bytes, message }) =
        shared.gated(Rpc::StreamSession, caller.clone(), received).await?;
    let call = Call::new(Rpc::StreamSession, &caller, &bytes);
    let envelope = decoded(message).and_then(|message| envelope_of(message.envelope));
    let mut envelope = match envelope {
        Ok(envelope) => envelope,
        Err(declined) => return Err(shared.decline_early(&call, declined)),
    };
    let call = call.with(&envelope, &shared.limits);
    let within = envelope::bytes_within(&bytes, &envelope);
    let answer = shared.ask(&call, Ask::Message(&envelope, &within, given)).await;
    let call = call.answered(Answered::Ok);
    // What waits for its turn is to be small.
    (envelope.payload, envelope.sender) = (bytes::Bytes::new(), String::new());
    let room = room(waiting, &envelope).await;
    Ok(Box::new(Turn { call, envelope, answer, _room: room }))
}

/// Room for the ids of a message that waits for its turn; those that are short need none.
async fn room(waiting: &Arc<Semaphore>, envelope: &Envelope) -> Option<OwnedSemaphorePermit> {
    let bytes = envelope.mode.len()
        + envelope.message_type.len()
        + envelope.message_id.len()
        + envelope.session_id.len();
    if bytes <= SHORT_BYTES {
        return None;
    }
    // One that is longer than all the room waits alone.
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(WAITING_BYTES);
    Arc::clone(waiting).acquire_many_owned(bytes).await.ok()
}

async fn answer(shared: &Shared, turn: Turn) -> Result<Reply, Grpc> {
    let Turn { call, envelope, answer, _room } = turn;
    let acked = shared.acked(answer).await.map_err(|(status, why)| shared.declined(&call, status, why))?;
    shared.reply(&call, acked.answered(), &reply::streamed(envelope, &acked)).await
}
