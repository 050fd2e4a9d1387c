//! The session log: the records of their logs, and segments of records of many sessions.
//!
//! A record is a protobuf message, so that a later version adds to it. A segment is a row of records, each
//! behind its session's number and its length as varints; the store sorts them by these alone.

use bytes::Bytes;
use prost::Message as _;

use super::proto::v1::{Envelope, SessionCancelPayload};
use crate::time::Wall;

/// One record of a session's log.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Record {
    /// When it was written, in Unix milliseconds.
    #[prost(uint64, tag = "1")]
    pub at_ms: u64,
    /// What happened.
    #[prost(oneof = "What", tags = "2, 3, 4, 5")]
    pub what: Option<What>,
    /// Of a session's start, the `traceparent` of its call as it came, where that was valid (ruling MPLP
    /// 18).
    #[prost(string, optional, tag = "6")]
    pub traceparent: Option<String>,
}

/// What happened in a session.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum What {
    /// A message was accepted: the envelope's exact bytes. The first is the session's start.
    #[prost(bytes = "bytes", tag = "2")]
    Incoming(Bytes),
    /// The TTL was found to be over. Of a session that the sweep expired, once more when somebody asked for
    /// it first.
    #[prost(message, tag = "3")]
    TtlExpired(TtlExpired),
    /// Somebody cancelled the session.
    #[prost(message, tag = "4")]
    SessionCancel(SessionCancelPayload),
    /// The mode resolved the session with these bytes.
    #[prost(bytes = "bytes", tag = "5")]
    Resolution(Bytes),
}

/// A TTL that is over.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TtlExpired {
    /// Whether the sweep found it, and nobody asked.
    #[prost(bool, tag = "1")]
    pub is_swept: bool,
}

/// A record that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unreadable log record: {0}")]
pub struct Damaged(pub String);

impl Record {
    /// A record of this moment.
    #[must_use]
    pub fn new(at_ms: u64, what: What) -> Self {
        Self { at_ms, what: Some(what), traceparent: None }
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`Damaged`], also for one of a kind that this version does not know.
    pub fn read(bytes: &Bytes) -> Result<(Wall, What), Damaged> {
        Self::of(bytes)?.known()
    }

    /// The record of these bytes, be it of a kind that this version does not know.
    ///
    /// # Errors
    /// [`Damaged`].
    pub fn of(bytes: &Bytes) -> Result<Self, Damaged> {
        Self::decode(bytes.clone()).map_err(|error| Damaged(error.to_string()))
    }

    /// When it was written, and what happened.
    ///
    /// # Errors
    /// [`Damaged`], where that is of a kind that this version does not know.
    pub fn known(self) -> Result<(Wall, What), Damaged> {
        let what = self.what.ok_or_else(|| Damaged("its kind is unknown to this version".to_owned()))?;
        Ok((Wall(self.at_ms), what))
    }
}

/// The envelope of an incoming message.
///
/// # Errors
/// [`Damaged`].
pub fn envelope(bytes: &Bytes) -> Result<Envelope, Damaged> {
    Envelope::decode(bytes.clone()).map_err(|error| Damaged(error.to_string()))
}
