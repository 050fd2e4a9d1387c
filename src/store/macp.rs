//! Sessions and their logs.
//!
//! What happens in sessions is in their [log](super::SessionLog) first. Behind the work it comes here as segments: one row for all records of
//! some time, whatever their sessions. Then the oldest segments are sorted: their records go to the logs of their sessions, in as few rows
//! as there are sessions in what is sorted at one time. A session's log is those rows, and behind them what the segments have that are left.

use bytes::Bytes;

use crate::{
    ids::TraceId,
    tap::entry::macp::{Ending, Mode, Phase, SessionState},
    time::Wall,
};

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
    /// Digests of its messages' ids, once it is in the store alone.
    pub seen: Option<Bytes>,
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
    /// Closes sessions whose logs do not begin, with why; they are in the store alone then.
    Damaged(Vec<(u64, String)>),
    /// Sorts the oldest segments, as many as one slice takes, none behind this one.
    Sort {
        /// The last that may be sorted.
        through: u64,
    },
    /// Deletes the sessions that are oldest of those in the store alone, with their logs, as long as there are more than this; as many as
    /// one slice takes.
    Retire {
        /// How many are kept.
        keep: u64,
    },
}

/// What a committed [`MacpOp`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MacpDone {
    /// Segments that were sorted.
    pub sorted: u64,
    /// Segments that are left, where they were sorted.
    pub segments: u64,
    /// Sessions that were deleted.
    pub retired: Vec<u64>,
    /// Sessions that were closed for their logs, with their ids.
    pub damaged: Vec<(u64, String)>,
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
pub enum MacpLeft {
    /// Sessions that are in the store alone.
    Gone(Vec<(u64, String, SessionState)>),
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
    varint(segment, session);
    varint(segment, record.len() as u64);
    segment.extend_from_slice(record);
}

fn varint(into: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        into.push(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    into.push(u8::try_from(number).unwrap_or_default());
}

/// The records of a segment, with whose they are; nothing where its bytes are no segment.
pub fn records(segment: &Bytes) -> Option<Vec<(u64, Bytes)>> {
    let mut at = 0;
    let mut records = Vec::new();
    while at < segment.len() {
        let session = read_varint(segment, &mut at)?;
        let len = usize::try_from(read_varint(segment, &mut at)?).ok()?;
        let end = at.checked_add(len).filter(|end| *end <= segment.len())?;
        records.push((session, segment.slice(at..end)));
        at = end;
    }
    Some(records)
}

fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_out_of_a_segment_as_they_went_in() {
        let all = [(1, vec![]), (127, vec![1]), (128, vec![2; 127]), (300, vec![3; 128]), (u64::MAX, vec![4; 70_000])];
        let mut segment = Vec::new();
        for (session, record) in &all {
            push(&mut segment, *session, record);
        }
        let segment = Bytes::from(segment);
        let found = records(&segment).unwrap();
        assert_eq!(found.iter().map(|(session, record)| (*session, record.to_vec())).collect::<Vec<_>>(), all);
        assert!(records(&segment.slice(..segment.len() - 1)).is_none());
        assert!(records(&Bytes::from_static(&[0xff; 12])).is_none());
        assert_eq!(records(&Bytes::new()), Some(Vec::new()));
    }
}
