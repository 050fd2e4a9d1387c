//! Faults of peers, grouped by the clause that was broken.

use std::{collections::BTreeMap, sync::Arc};

use super::clauses::Breach;
use crate::{
    console::units,
    ids::{Peer, Seq},
    tap::{
        EntryRef,
        entry::{
            Direction, Entry, Frame, Head, Redaction, Transition, Verdict, What,
            mpp::{self, CloseCause, FrameType},
            rmp,
        },
    },
    time::Now,
};

/// Kinds of breaches of one clause that are counted apart.
const KINDS_MAX: usize = 64;
/// Characters of a frame that are kept.
const FRAME_CHARS_MAX: usize = 200;

/// What was broken of one clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultGroup {
    pub(crate) clause: &'static str,
    pub(crate) count: u64,
    /// By whom and when the last time, and what it was.
    pub(crate) peer: Peer,
    pub(crate) at: Now,
    /// The entry that told of it.
    pub(crate) seq: Seq,
    pub(crate) last: Breach,
    /// The type of the frame, where it could be read.
    pub(crate) frame: Option<&'static str>,
    /// How the frame begins.
    pub(crate) bytes: Option<Arc<str>>,
    /// The whole of it as the tap has it, which is at most `limits.tap.frame_bytes_max`; none where it was withheld.
    pub(crate) whole: Option<Arc<[u8]>>,
    /// What the peer was told.
    pub(crate) told: Option<Arc<str>>,
    /// How often each breach of the clause was seen, the first seen first.
    pub(crate) kinds: Vec<(Breach, u64)>,
}

/// Faults of peers since the console came up. There are as many groups as clauses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    groups: BTreeMap<&'static str, FaultGroup>,
    /// All of them.
    pub(crate) count: u64,
    /// Those whose kind is not counted apart.
    pub(crate) cut: u64,
    latest: Option<&'static str>,
}

/// What is kept of the frame that broke a clause: its type, how it begins, and all of it.
type Kept = (Option<&'static str>, Option<Arc<str>>, Option<Arc<[u8]>>);

impl Faults {
    /// The groups, by clause.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &FaultGroup> {
        self.groups.values()
    }

    /// The group of a clause.
    pub(crate) fn group(&self, clause: &str) -> Option<&FaultGroup> {
        self.groups.get(clause)
    }

    /// Takes one entry. A breach that a frame brought is counted there, one that no frame brought where the connection ends.
    pub(super) fn fold(&mut self, entry: EntryRef<'_>) {
        match &entry.entry.what {
            What::Frame(Frame {
                direction: Direction::Inbound,
                peer,
                head: Head::Mpp(head),
                verdict: Verdict::Mpp(mpp::Verdict::Refused(fault)),
                redaction,
                wire_bytes,
            }) => {
                let (bytes, whole) = match redaction {
                    Redaction::Withheld => (format!("{wire_bytes} bytes, withheld: what is no handshake may hold a token"), None),
                    Redaction::None | Redaction::Masked(_) => {
                        (entry.text().chars().take(FRAME_CHARS_MAX).collect(), Some(Arc::from(entry.bytes)))
                    }
                };
                self.note(Breach::from(*fault), peer, entry.entry, (head.kind.map(FrameType::name), Some(bytes.into()), whole));
            }
            What::Frame(Frame {
                direction: Direction::Inbound,
                peer,
                head: Head::Rmp(head),
                verdict: Verdict::Rmp(rmp::Verdict::Refused(refusal)),
                redaction,
                ..
            }) => {
                let kept = match redaction {
                    Redaction::Withheld => (None, None),
                    Redaction::None | Redaction::Masked(_) => (Some(hex(entry.bytes).into()), Some(Arc::from(entry.bytes))),
                };
                self.note(Breach::Bus(*refusal), peer, entry.entry, (head.kind.map(rmp::FrameKind::name), kept.0, kept.1));
            }
            What::Frame(Frame { direction: Direction::Outbound, peer, head: Head::Rmp(head), .. }) if head.refusal.is_some() => {
                if let Some(words) = units::error_message(entry.bytes) {
                    self.tell(peer, &words.chars().take(FRAME_CHARS_MAX).collect::<String>().into());
                }
            }
            What::Transition(Transition::Rmp(rmp::Transition::Disconnected { session, cause: rmp::CloseCause::HelloTimeout })) => {
                let peer = Peer::new(&format!("session {session}"));
                self.note(Breach::BusHelloTimeout, &peer, entry.entry, (None, None, None));
            }
            What::Transition(Transition::Mpp(mpp::Transition::Disconnected { peer, cause: CloseCause::HelloTimeout, .. })) => {
                self.note(Breach::HelloTimeout, peer, entry.entry, (None, None, None));
            }
            _ => {}
        }
    }

    fn note(&mut self, breach: Breach, peer: &Peer, entry: &Entry, (frame, bytes, whole): Kept) {
        let (at, seq) = (entry.at, entry.seq);
        self.count = self.count.saturating_add(1);
        let clause = breach.clause();
        self.latest = Some(clause);
        let fresh = || FaultGroup {
            clause,
            count: 0,
            peer: peer.clone(),
            at,
            seq,
            last: breach,
            frame,
            bytes: None,
            whole: None,
            told: None,
            kinds: Vec::new(),
        };
        let group = self.groups.entry(clause).or_insert_with(fresh);
        group.count = group.count.saturating_add(1);
        (group.peer, group.at, group.seq, group.last, group.frame) = (peer.clone(), at, seq, breach, frame);
        (group.bytes, group.whole, group.told) = (bytes, whole, None);
        if let Some((_, count)) = group.kinds.iter_mut().find(|(known, _)| *known == breach) {
            *count = count.saturating_add(1);
        } else if group.kinds.len() < KINDS_MAX {
            group.kinds.push((breach, 1));
        } else {
            self.cut = self.cut.saturating_add(1);
        }
    }

    /// What a peer was told on its last breach.
    pub(super) fn tell(&mut self, peer: &Peer, words: &Arc<str>) {
        let group = self.latest.and_then(|clause| self.groups.get_mut(clause)).filter(|group| group.peer == *peer);
        if let Some(group) = group {
            group.told = Some(Arc::clone(words));
        }
    }
}

/// The first bytes of a frame as pairs of hex digits.
fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().take(FRAME_CHARS_MAX / 3).map(|byte| format!("{byte:02x}"));
    digits.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        limits::Limits,
        tap::{Draft, Tap, entry::Link},
    };

    #[test]
    fn bytes_that_were_withheld_are_told_as_that_and_not_as_their_note() {
        let fault = mpp::Fault::Protocol { code: mpp::ErrorCode::InvalidFrame, violation: mpp::Violation::AlreadyParked };
        let frame = Frame {
            direction: Direction::Inbound,
            peer: "127.0.0.1:1".into(),
            head: Head::Mpp(mpp::Head::default()),
            verdict: Verdict::Mpp(mpp::Verdict::Refused(fault)),
            redaction: Redaction::Withheld,
            wire_bytes: 31,
        };
        let tap = Tap::new(Limits::default().tap);
        let mut reader = tap.reader().unwrap();
        let bytes = br#"{"withheld":{"bytes":31}}"#;
        tap.emit(Draft { at: Now::at_ms(0), link: Link::Mpp, trace: None, cause: None, what: What::Frame(frame), bytes });
        let mut faults = Faults::default();
        reader.read().unwrap().iter().for_each(|entry| faults.fold(entry));
        let group = faults.groups.values().next().unwrap();
        assert_eq!(group.bytes.as_deref(), Some("31 bytes, withheld: what is no handshake may hold a token"));
    }
}
