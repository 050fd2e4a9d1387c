//! `hello` and `hello_ack` (mpp-v2, `hello` and `hello_ack`).

use std::{borrow::Cow, io};

use serde_json::value::RawValue;

use super::{
    envelope::{Fields, Key},
    inbound::Inbound,
    outbound::Outbound,
    write::{Count, Line},
};
use crate::{
    ids::SessionId,
    tap::entry::mpp::{FrameType, HelloReason, Violation},
};

/// One row of `persisted[]`: a stored pack-state value that is replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Persisted<'a> {
    /// Its key.
    pub key: Cow<'a, str>,
    /// Its value as JSON text, echoed as it came (ruling MPP 13).
    pub value: Cow<'a, str>,
    /// The tag that came with it.
    pub scope: Option<Cow<'a, str>>,
}

pub(super) fn read_hello<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, Violation> {
    Ok(Inbound::Hello {
        pack_id: fields.text(Key::PackId)?,
        manifest_hash: fields.text(Key::ManifestHash)?,
        bridge_token: fields.text(Key::BridgeToken)?,
    })
}

pub(super) fn read_hello_ack<'a>(fields: &Fields<'a>) -> Result<Outbound<'a>, Violation> {
    if !fields.boolean(Key::Ok)? {
        return Ok(Outbound::HelloRefused { reason: fields.text(Key::Reason)? });
    }
    let persisted = match fields.raw(Key::Persisted) {
        None => Vec::new(),
        Some(rows) => read_persisted(rows)?,
    };
    Ok(Outbound::HelloAck {
        broadcaster_login: fields.text(Key::BroadcasterLogin)?,
        session_id: SessionId(fields.number(Key::SessionId)?),
        persisted,
    })
}

fn read_persisted(rows: &RawValue) -> Result<Vec<Persisted<'_>>, Violation> {
    let rows: Vec<Fields<'_>> =
        serde_json::from_str(rows.get()).map_err(|_| Violation::Mistyped(Key::Persisted.name()))?;
    rows.iter()
        .map(|row| {
            Ok(Persisted {
                key: row.text(Key::Key)?,
                value: Cow::Borrowed(row.value(Key::Value)?.get()),
                scope: row.text_if_any(Key::Scope)?,
            })
        })
        .collect()
}

/// `hello`.
#[must_use]
pub fn hello(pack_id: &str, manifest_hash: &str, bridge_token: &str) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::Hello);
    line.text("pack_id", pack_id);
    line.text("manifest_hash", manifest_hash);
    line.text("bridge_token", bridge_token);
    line.end()
}

/// `hello_ack` with `ok: true`. `persisted` is left out when there are no rows.
#[must_use]
pub fn hello_ack(broadcaster_login: &str, session_id: SessionId, persisted: &[Persisted<'_>]) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::HelloAck);
    write_hello_ack(&mut line, broadcaster_login, session_id, persisted);
    line.end()
}

/// The length of [`hello_ack`]'s frame in bytes with its LF, without making it (ruling MPP 4). A later
/// session's id may have more digits: to be safe for all of them, ask with `SessionId(u64::MAX)`.
#[must_use]
pub fn hello_ack_len(broadcaster_login: &str, session_id: SessionId, persisted: &[Persisted<'_>]) -> usize {
    let mut line = Line::count(FrameType::HelloAck);
    write_hello_ack(&mut line, broadcaster_login, session_id, persisted);
    line.end().bytes()
}

/// What `persisted` itself adds to a `hello_ack`, in bytes, beside its rows: `,"persisted":[]` but for the
/// comma that the last row goes without.
pub const PERSISTED_BYTES: usize = br#","persisted":[]"#.len() - 1;

/// The bytes that one row adds to a `hello_ack`, a comma included. So a `hello_ack` with rows has those of
/// one without, [`PERSISTED_BYTES`] and the sum of its rows'.
#[must_use]
pub fn persisted_row_len(row: &Persisted<'_>) -> usize {
    let mut line = Line::over(Count::default());
    write_row(&mut line, row);
    line.into_inner().bytes() + 1
}

/// `hello_ack` with `ok: false`.
#[must_use]
pub fn hello_refused(reason: HelloReason) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::HelloAck);
    line.json("ok", "false");
    line.text("reason", reason.code());
    line.end()
}

fn write_hello_ack<W: io::Write>(
    line: &mut Line<W>,
    broadcaster_login: &str,
    session_id: SessionId,
    persisted: &[Persisted<'_>],
) {
    line.json("ok", "true");
    line.text("broadcaster_login", broadcaster_login);
    line.number("session_id", session_id.0);
    if persisted.is_empty() {
        return;
    }
    line.put(br#","persisted":["#);
    for (index, row) in persisted.iter().enumerate() {
        if index > 0 {
            line.put(b",");
        }
        write_row(line, row);
    }
    line.put(b"]");
}

fn write_row<W: io::Write>(line: &mut Line<W>, row: &Persisted<'_>) {
    line.put(br#"{"key":"#);
    line.put_string(&row.key);
    line.json("value", &row.value);
    if let Some(scope) = &row.scope {
        line.text("scope", scope);
    }
    line.put(b"}");
}
