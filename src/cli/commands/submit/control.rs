//! A request to the control plane and its answer.

use std::time::Duration;

use crate::{
    cli::{error::Error, run_error::RunError},
    ids::TraceId,
    rmp::{
        HEADER_BYTES, PREFIX_BYTES, SchemaId,
        client::{self, Client, Message, Subscription},
    },
    runs::payload::{ControlRequest, ControlResponse, schema},
};

/// Where requests go and answers come.
const TOPIC: &str = "rlp/ctrl";
/// How long an answer is waited for, in milliseconds (rmp-v0 §9).
pub(super) const ANSWER_MS: u64 = 2_000;
/// How long a request is worth delivering, in milliseconds (rmp-v0 §9).
const TTL_MS: u64 = 30_000;

/// Sends a request in this trace and waits for the answer to it.
///
/// # Errors
/// [`RunError::NotAnswered`] after 2,000 ms, [`RunError::Rejected`], or what the bus refuses.
pub(super) async fn ask(
    client: &Client,
    trace: TraceId,
    request: &ControlRequest,
) -> Result<ControlResponse, Error> {
    let message = Message::new(SchemaId(schema::CTRL_REQ), request.encode()).in_trace(trace).for_ms(TTL_MS);
    let answered = async {
        let mut answers = client.subscribe(TOPIC).await?;
        client.publish(TOPIC, &message).await?;
        let answer = answer(client, &mut answers, trace).await?;
        client.unsubscribe(answers).await?;
        Ok::<_, Error>(answer)
    };
    let is_submit = matches!(request, ControlRequest::RunSubmit { .. });
    let answer = tokio::time::timeout(Duration::from_millis(ANSWER_MS), answered).await;
    match answer.map_err(|_| RunError::NotAnswered { ms: ANSWER_MS, is_submit })?? {
        ControlResponse::RunRejected { reason, .. }
        | ControlResponse::AgentsDescribeFailed { reason, .. } => {
            Err(RunError::Rejected { reason, is_opening: is_submit }.into())
        }
        answer => Ok(answer),
    }
}

async fn answer(
    client: &Client,
    answers: &mut Subscription,
    trace: TraceId,
) -> Result<ControlResponse, Error> {
    loop {
        let Some(delivery) = answers.next().await else {
            return Err(client::Error::Closed(client.closed().await).into());
        };
        let header = delivery.header();
        if header.schema_id != SchemaId(schema::CTRL_RESP) || header.trace_id != trace {
            continue;
        }
        let body = delivery.wire.get(PREFIX_BYTES + HEADER_BYTES..).unwrap_or_default();
        // The station alone answers here; an answer of another protocol version is none to this.
        if let Ok(response) = ControlResponse::decode(body) {
            return Ok(response);
        }
    }
}
