//! Sessions and their logs.
//!
//! What happens in sessions is in their [log](super::SessionLog) first. Behind the work it comes here as
//! segments: one row for all records of some time, whatever their sessions. Then the oldest segments are
//! sorted: their records go to the logs of their sessions, in as few rows as there are sessions in what is
//! sorted at one time. A session's log is those rows, and behind them what the segments have that are left.

use std::ops::Range;

use bytes::Bytes;
use prost::encoding::{decode_varint, encode_varint};

use crate::{
    ids::TraceId,
    tap::entry::macp::{Ending, Mode, Phase, SessionState},
    time::Wall,
};

/// A session whose log is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRequest {
    /// Its number.
    pub session: u64,
    /// Records from its start on; what lies behind them is not read.
    pub records: u64,
}

/// One session as the store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its place among all sessions: a later one has a greater number.
    pub number: u64,
    /// Its id.
    pub id: String,
    /// How it is coordinated.
    pub mode: Mode,
    /// The mode's name as its start had it.
    pub mode_name: String,
    /// How it ended; nothing while it is open.
    pub ending: Option<Ending>,
    /// Why it ended.
    pub why: Option<String>,
    /// How far a decision is.
    pub phase: Option<Phase>,
    /// Which round it is.
    pub round: Option<u64>,
    /// Who began it.
    pub by: String,
    /// What it is for.
    pub intent: String,
    /// How many may take part; 0 for anybody.
    pub participants: u64,
    /// Messages that it accepted, its start aside.
    pub messages: u64,
    /// When it began.
    pub started_at: Wall,
    /// When its TTL is over.
    pub expires_at: Wall,
    /// When it ended.
    pub ended_at: Option<Wall>,
    /// The version of the mode.
    pub mode_version: String,
    /// The version of the configuration.
    pub configuration_version: String,
    /// The version of the policy.
    pub policy_version: String,
    /// What it belongs to.
    pub trace: Option<TraceId>,
    /// The `traceparent` that its start came with, as it came (ruling MPLP 18).
    pub traceparent: Option<Box<str>>,
    /// Whether it is in the store alone, and the digests of its messages' ids with it.
    pub is_evicted: bool,
    /// Whether it was expired by the sweep, and nobody asked since.
    pub is_unnoticed: bool,
}

/// Bytes of a digest.
pub const DIGEST_BYTES: usize = 16;

/// A digest of a message's id: what its SHA-256 begins with.
pub type Digest = [u8; DIGEST_BYTES];

/// Bytes of a digest with the time of the acceptance behind it, in Unix milliseconds as eight bytes, the
/// highest first.
pub const SEEN_BYTES: usize = DIGEST_BYTES + 8;

/// Digests that are kept in one row.
pub(super) const SEEN_ROW: usize = 40;

/// Bytes of one part of a session's digests, at most: whole rows.
pub const SEEN_PART_BYTES: usize = SEEN_ROW * SEEN_BYTES * 1_024;

/// Messages that a session accepted, some of them: digests of their ids with the times of their acceptances,
/// sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenPart {
    /// Whose.
    pub session: u64,
    /// They, [`SEEN_BYTES`] each; all parts but the last are of [`SEEN_PART_BYTES`].
    pub items: Bytes,
}

/// When a message was accepted, in Unix milliseconds, by the digest of its id among sorted ones.
#[must_use]
pub fn accepted_at(items: &[u8], digest: &Digest) -> Option<u64> {
    let (items, _) = items.as_chunks::<SEEN_BYTES>();
    let place = items.binary_search_by(|item| item[..DIGEST_BYTES].cmp(digest)).ok()?;
    items[place].last_chunk().map(|at| u64::from_be_bytes(*at))
}

impl SessionRow {
    /// How it stands.
    #[must_use]
    pub fn state(&self) -> SessionState {
        self.ending.map_or(SessionState::Open, Ending::state)
    }
}

/// One thing to be kept of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MacpOp {
    /// Records, behind all that were kept before.
    Segment {
        /// The last piece of the log that is in it; a later one has a greater number.
        number: u64,
        /// When.
        at: Wall,
        /// The records: each behind its session's number and its own length as varints.
        bytes: Bytes,
    },
    /// Rows as they are now.
    Sessions(Vec<SessionRow>),
    /// Which messages sessions accepted, before the rows that say that they are in the store alone. What is
    /// there already is written again.
    Seen(Vec<SeenPart>),
    /// Somebody was told that these sessions are expired, which the sweep had expired.
    Noticed(Vec<u64>),
    /// Closes sessions whose logs do not begin, with why; they are in the store alone then.
    Damaged(Vec<(u64, String)>),
    /// Sorts the oldest segments, as many as one slice takes, none behind this one.
    Sort {
        /// The last that may be sorted.
        through: u64,
    },
    /// Deletes the sessions that are oldest of those in the store alone, with their logs; as many as one
    /// slice takes.
    Retire {
        /// How many are too many.
        sessions: u64,
        /// Bytes of logs that are too many: more sessions go until those have.
        log_bytes: u64,
    },
}

/// What a committed [`MacpOp`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MacpDone {
    /// Segments that were sorted.
    pub sorted: u64,
    /// Sessions that were deleted.
    pub retired: Vec<u64>,
    /// Whether a session that is to be deleted is not yet.
    pub is_more: bool,
    /// Sessions that were closed for their logs, with their ids.
    pub damaged: Vec<(u64, String)>,
    /// By how many bytes the logs of sessions grew, or shrank.
    pub log_bytes: i64,
}

/// Which sessions to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only those in this state.
    pub state: Option<SessionState>,
    /// Only those of this mode.
    pub mode: Option<Mode>,
    /// Only those that began at or after this.
    pub since: Option<Wall>,
    /// Only those beyond this number, in the direction of the order.
    pub beyond: Option<u64>,
    /// Oldest first; else newest first.
    pub oldest_first: bool,
    /// At most so many; cut to 10,000.
    pub limit: u64,
}

/// A part of what the runtime starts from, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoredMacpPart {
    /// Sessions that are in the store alone, with how they stand as far as anybody was told.
    Evicted(Vec<(u64, String, SessionState)>),
    /// Sessions that are not, and ended for their logs, with why.
    Damaged(Vec<(u64, String)>),
    /// Records of a session that is not, in their order.
    Log {
        /// Whose.
        session: u64,
        /// Each as it was kept.
        records: Vec<Bytes>,
    },
    /// Records of segments, in their order, with whose they are.
    Records(Vec<(u64, Bytes)>),
    /// A segment that cannot be read. It is kept apart.
    Unreadable {
        /// Its number.
        segment: u64,
        /// The sessions that it has records of, where that is known.
        sessions: Option<Vec<u64>>,
    },
    /// How far the log is in the database, how many segments there are, and the number of the next session.
    End {
        /// The last piece of the log that is there.
        through: u64,
        /// How many segments are there.
        segments: u64,
        /// Of the next session.
        session: u64,
    },
}

/// Puts a record into a segment.
pub fn push(segment: &mut Vec<u8>, session: u64, record: &[u8]) {
    encode_varint(session, segment);
    encode_varint(record.len() as u64, segment);
    segment.extend_from_slice(record);
}

/// The records of a segment, with whose they are; nothing where its bytes are no segment.
#[must_use]
pub fn records(segment: &Bytes) -> Option<Vec<(u64, Bytes)>> {
    let (records, end) = read_records(segment);
    (end == segment.len()).then_some(records)
}

/// The records of a segment, as far as the bytes can be read.
#[must_use]
pub fn readable(segment: &Bytes) -> Vec<(u64, Bytes)> {
    read_records(segment).0
}

fn read_records(segment: &Bytes) -> (Vec<(u64, Bytes)>, usize) {
    let (mut records, mut at) = (Vec::new(), 0);
    while let Some((session, record)) = next_record(segment, at) {
        at = record.end;
        records.push((session, segment.slice(record)));
    }
    (records, at)
}

fn next_record(segment: &[u8], at: usize) -> Option<(u64, Range<usize>)> {
    let mut rest = segment.get(at..)?;
    let session = decode_varint(&mut rest).ok()?;
    let len = usize::try_from(decode_varint(&mut rest).ok()?).ok().filter(|len| *len <= rest.len())?;
    let start = segment.len() - rest.len();
    Some((session, start..start + len))
}

/// The sessions that a segment has records of, each once, as varints; nothing where its bytes are no segment.
pub(super) fn sessions_of(segment: &[u8]) -> Option<Vec<u8>> {
    let (mut at, mut sessions) = (0, Vec::new());
    while at < segment.len() {
        let (session, record) = next_record(segment, at)?;
        sessions.push(session);
        at = record.end;
    }
    sessions.sort_unstable();
    sessions.dedup();
    let mut bytes = Vec::new();
    for session in sessions {
        encode_varint(session, &mut bytes);
    }
    Some(bytes)
}

/// Numbers as [`sessions_of`] has them; nothing where the bytes are none.
pub(super) fn numbers(mut bytes: &[u8]) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        numbers.push(decode_varint(&mut bytes).ok()?);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_out_of_a_segment_as_they_went_in() {
        let all = [
            (1, vec![]),
            (127, vec![1]),
            (128, vec![2; 127]),
            (300, vec![3; 128]),
            (u64::MAX, vec![4; 70_000]),
        ];
        let mut segment = Vec::new();
        for (session, record) in &all {
            push(&mut segment, *session, record);
        }
        let segment = Bytes::from(segment);
        let found = records(&segment).unwrap();
        assert_eq!(
            found.iter().map(|(session, record)| (*session, record.to_vec())).collect::<Vec<_>>(),
            all
        );
        assert!(records(&segment.slice(..segment.len() - 1)).is_none());
        assert_eq!(readable(&segment.slice(..segment.len() - 1)), found[..4]);
        assert!(records(&Bytes::from_static(&[0xff; 12])).is_none());
        assert_eq!(records(&Bytes::new()), Some(Vec::new()));
    }

    #[test]
    fn a_segment_says_once_whose_records_it_has() {
        let mut segment = Vec::new();
        for session in [300, 7, 300, 1, u64::MAX] {
            push(&mut segment, session, b"x");
        }
        let sessions = sessions_of(&segment).unwrap();
        assert_eq!(numbers(&sessions), Some(vec![1, 7, 300, u64::MAX]));
        assert_eq!((numbers(&[]), numbers(&[0x80]), sessions_of(&[1, 9])), (Some(Vec::new()), None, None));
    }

    #[test]
    fn an_acceptance_is_found_by_its_digest() {
        let digest = |n: u8| [n; DIGEST_BYTES];
        let items: Vec<u8> = [1_u8, 3, 9]
            .iter()
            .flat_map(|n| [&digest(*n)[..], &u64::from(*n).to_be_bytes()].concat())
            .collect();
        let found: Vec<_> = (0..11).filter_map(|n| accepted_at(&items, &digest(n))).collect();
        assert_eq!((found, accepted_at(&[], &digest(1))), (vec![1, 3, 9], None));
    }
}
