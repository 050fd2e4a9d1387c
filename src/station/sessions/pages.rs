//! Sessions as they are listed and shown: rows from the store, what a mode keeps from the session's log.

use base64::Engine as _;
use bytes::Bytes;
use prost::Message as _;
use serde_json::{Value, json};

use crate::{
    limits,
    macp::{
        envelope::SESSION_START,
        kernel::{RebuiltSummary, SessionRebuilder},
        log::{self, Damaged, Record, What},
        proto::v1::SessionStartPayload,
    },
    port::{LogKind, Page, PortError, Query, SessionDetail, SessionLogRow, SessionRow},
    schema::JsonText,
    station::{
        bridge::Running,
        filtered_page::{Paging, RowChunk, page},
        host::{Asking, misdirected},
        local::Inner,
        pages::query_store,
    },
    store::macp::{self as stored, SessionFilter},
    tap::entry::Link,
    time::Wall,
};

/// Records of a log that are read at one time.
const PART_RECORDS: u64 = 10_000;
/// Roots of a start that are shown; further ones are counted.
const ROOTS_MAX: usize = 1_000;

pub(super) async fn answer(asking: Asking<'_>, query: Query) -> Result<Page, PortError> {
    let Asking { inner, running } = asking;
    match query {
        Query::Sessions { state, mode, since_ms: since, beyond, oldest_first, filter, limit } => {
            let paging = Paging { filter, beyond, limit: asking.rows_max(limit) };
            flush(inner).await;
            let read = |beyond, limit| {
                rows(running, SessionFilter { state, mode, since, beyond, oldest_first, limit })
            };
            let RowChunk { rows, more, last: beyond } = page(inner, paging, |row| row.number, read).await?;
            Ok(Page::Sessions { rows, more, beyond })
        }
        Query::Session { session } => Ok(Page::Session(detail(inner, running, session).await?.map(Box::new))),
        Query::SessionLog { session, after, limit } => {
            let (rows, more) = log(inner, running, session, after, asking.rows_max(limit)).await?;
            Ok(Page::SessionLog { rows, more })
        }
        _ => Err(misdirected(Link::Macp)),
    }
}

/// Has the rows of all sessions written as they are. Where the runtime is down, they are as it left them.
pub(in crate::station) async fn flush(inner: &Inner) {
    if let Ok(way) = inner.hosts.sessions.handle() {
        way.flush().await;
    }
}

/// A page of sessions, as the store has them.
async fn rows(running: &Running, filter: SessionFilter) -> Result<RowChunk<SessionRow, u64>, PortError> {
    let page = query_store(|done| running.store.sessions(filter, done)).await?;
    let last = page.rows.last().map(|row| row.number);
    Ok(RowChunk { rows: page.rows.into_iter().map(row).collect(), more: page.more, last })
}

/// One session, with what its log makes of it.
async fn detail(
    inner: &Inner,
    running: &Running,
    session: String,
) -> Result<Option<SessionDetail>, PortError> {
    flush(inner).await;
    let Some(found) = query_store(|done| running.store.session(session, done)).await? else {
        return Ok(None);
    };
    let (number, limits::Macp { shown_text_bytes_max, shown_progress_bytes_max: bytes_max, .. }) =
        (found.number, inner.limits.macp);
    let damaged = |damage: Damaged| PortError::Store(damage.to_string());
    let mut session = SessionRebuilder::new(number, shown_text_bytes_max);
    let mut records = 0;
    loop {
        let page = query_store(|done| running.store.session_log(number, records, PART_RECORDS, done)).await?;
        records += page.rows.len() as u64;
        // A part after another, so that no more of the log is in memory.
        let taken = tokio::task::spawn_blocking(move || {
            page.rows.iter().try_for_each(|record| session.take(record)).map(|()| session)
        });
        session = taken.await.map_err(|_| PortError::Stopping)?.map_err(damaged)?;
        if !page.more {
            break;
        }
    }
    let told = tokio::task::spawn_blocking(move || session.summary(bytes_max));
    let RebuiltSummary { progress, resolution, listed } =
        told.await.map_err(|_| PortError::Stopping)?.map_err(damaged)?;
    let resolution = match resolution.len() as u64 {
        0 => None,
        bytes if bytes > bytes_max => Some(JsonText::from_value(&json!({ "$bytes": bytes }))),
        _ => Some(JsonText::from_value(&to_json(&resolution))),
    };
    Ok(Some(detail_of(found, listed, resolution, JsonText::from_value(&progress))))
}

/// A session with what its start says, which is the first record of its log, and nothing of what followed.
///
/// # Errors
/// That the store cannot answer; beside it, why the log does not begin.
pub(in crate::station) async fn as_it_began(
    running: &Running,
    found: stored::SessionRow,
) -> Result<Result<SessionDetail, Damaged>, PortError> {
    let page = query_store(|done| running.store.session_log(found.number, 0, 1, done)).await?;
    let mut session = SessionRebuilder::new(found.number, 0);
    let begun = page.rows.iter().try_for_each(|record| session.take(record));
    let listed = begun.and_then(|()| session.summary(0)).map(|summary| summary.listed);
    Ok(listed.map(|listed| detail_of(found, listed, None, JsonText::null())))
}

fn detail_of(
    found: stored::SessionRow,
    listed: Vec<String>,
    resolution: Option<JsonText>,
    progress: JsonText,
) -> SessionDetail {
    SessionDetail {
        mode_version: found.mode_version.clone(),
        configuration_version: found.configuration_version.clone(),
        policy_version: found.policy_version.clone(),
        traceparent: found.traceparent.as_deref().map(str::to_owned),
        listed,
        resolution,
        progress,
        row: row(found),
    }
}

/// A page of a session's log; nothing where there is no such session.
async fn log(
    inner: &Inner,
    running: &Running,
    session: String,
    after: u64,
    limit: u64,
) -> Result<(Vec<SessionLogRow>, bool), PortError> {
    flush(inner).await;
    let Some(found) = query_store(|done| running.store.session(session, done)).await? else {
        return Ok((Vec::new(), false));
    };
    let page = query_store(|done| running.store.session_log(found.number, after, limit, done)).await?;
    let rows = page.rows.iter().zip(after + 1..).map(|(record, number)| log_row(number, record)).collect();
    Ok((rows, page.more))
}

pub(in crate::station) fn row(row: stored::SessionRow) -> SessionRow {
    SessionRow {
        number: row.number,
        state: row.state(),
        session: row.id,
        mode: row.mode,
        mode_name: row.mode_name,
        ending: row.ending,
        why: row.why,
        phase: row.phase,
        round: row.round,
        by: row.by,
        intent: row.intent,
        participants: row.participants,
        messages: row.messages,
        started_at_ms: row.started_at,
        expires_at_ms: row.expires_at,
        ended_at_ms: row.ended_at,
        trace_id: row.trace,
    }
}

pub(in crate::station) fn log_row(number: u64, record: &Bytes) -> SessionLogRow {
    let empty = |kind, at_ms, payload: &Value| SessionLogRow {
        number,
        at_ms,
        kind,
        message_type: None,
        message_id: None,
        sender: None,
        timestamp_ms: None,
        payload: JsonText::from_value(payload),
    };
    match Record::read(record) {
        Err(damage) => empty(LogKind::Incoming, Wall(0), &json!({ "$damaged": damage.to_string() })),
        Ok((at, What::TtlExpired(_))) => empty(LogKind::TtlExpired, at, &Value::Null),
        Ok((at, What::Resolution(bytes))) => empty(LogKind::Resolution, at, &to_json(&bytes)),
        Ok((at, What::SessionCancel(cancel))) => {
            let by = Some(cancel.cancelled_by).filter(|by| !by.is_empty());
            SessionLogRow {
                sender: by,
                ..empty(LogKind::SessionCancel, at, &json!({ "reason": cancel.reason }))
            }
        }
        Ok((at, What::Incoming(bytes))) => match log::envelope(&bytes) {
            Err(damage) => empty(LogKind::Incoming, at, &json!({ "$damaged": damage.to_string() })),
            Ok(envelope) => {
                let is_start = envelope.message_type == SESSION_START;
                let payload = if is_start { started(&envelope.payload) } else { to_json(&envelope.payload) };
                SessionLogRow {
                    message_type: Some(envelope.message_type),
                    message_id: Some(envelope.message_id),
                    sender: Some(envelope.sender),
                    timestamp_ms: Some(envelope.timestamp_unix_ms),
                    ..empty(LogKind::Incoming, at, &payload)
                }
            }
        },
    }
}

/// The fields of a start.
fn started(payload: &Bytes) -> Value {
    let Ok(start) = SessionStartPayload::decode(payload.clone()) else { return to_json(payload) };
    let mut fields = json!({
        "intent": start.intent,
        "participants": start.participants,
        "mode_version": start.mode_version,
        "configuration_version": start.configuration_version,
        "policy_version": start.policy_version,
        "ttl_ms": start.ttl_ms,
        "context": if start.context.is_empty() { Value::Null } else { to_json(&start.context) },
        "roots": start.roots.iter().take(ROOTS_MAX).map(|root| json!({ "uri": root.uri, "name": root.name })).collect::<Vec<_>>(),
    });
    if let (Some(fields), Some(left_out @ 1..)) =
        (fields.as_object_mut(), start.roots.len().checked_sub(ROOTS_MAX))
    {
        fields.insert("roots_left_out".to_owned(), left_out.into());
    }
    fields
}

/// Bytes as JSON: as they are where they are some, as a text, or as base64.
fn to_json(bytes: &[u8]) -> Value {
    match (serde_json::from_slice(bytes), std::str::from_utf8(bytes)) {
        (Ok(value), _) => value,
        (Err(_), Ok(text)) => json!({ "$text": text }),
        (Err(_), Err(_)) => json!({ "$bin": base64::engine::general_purpose::STANDARD.encode(bytes) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::macp::log::TtlExpired;

    #[test]
    fn a_record_is_shown_with_what_it_carries() {
        let payload = SessionStartPayload {
            intent: "x".to_owned(),
            ttl_ms: 5,
            context: "{}".into(),
            ..SessionStartPayload::default()
        };
        let envelope = crate::macp::proto::v1::Envelope {
            message_type: "SessionStart".to_owned(),
            message_id: "m".to_owned(),
            sender: "a".to_owned(),
            timestamp_unix_ms: -7,
            payload: payload.encode_to_vec().into(),
            ..Default::default()
        };
        let of = |what| log_row(3, &Record::new(9, what).encode_to_vec().into());
        let start = of(What::Incoming(envelope.encode_to_vec().into()));
        assert_eq!(
            (start.number, start.at_ms, start.kind, start.timestamp_ms),
            (3, Wall(9), LogKind::Incoming, Some(-7))
        );
        let fields: Value = serde_json::from_str(start.payload.as_str()).unwrap();
        assert_eq!(
            (&fields["intent"], &fields["ttl_ms"], &fields["context"]),
            (&json!("x"), &json!(5), &json!({}))
        );
        assert_eq!((&fields["roots"], fields.get("roots_left_out")), (&json!([]), None));
        let many = SessionStartPayload {
            roots: vec![crate::macp::proto::v1::Root::default(); 1_007],
            ..SessionStartPayload::default()
        };
        let many = started(&many.encode_to_vec().into());
        assert_eq!((many["roots"].as_array().unwrap().len(), &many["roots_left_out"]), (1_000, &json!(7)));
        assert_eq!(of(What::TtlExpired(TtlExpired::default())).kind, LogKind::TtlExpired);
        for (bytes, expected) in [
            (&b"{\"a\":1}"[..], r#"{"a":1}"#),
            (b"resolve", r#"{"$text":"resolve"}"#),
            (b"\xff", r#"{"$bin":"/w=="}"#),
        ] {
            assert_eq!(of(What::Resolution(Bytes::copy_from_slice(bytes))).payload.as_str(), expected);
        }
        assert!(log_row(1, &Bytes::from_static(&[0xff])).payload.as_str().contains("$damaged"));
    }
}
