//! Faults of peers, grouped by what was broken.

use crate::{console::model::bus::journal, dissect::rmp::body_text};
use std::sync::Arc;

use crate::{
    dissect::breach::Breach,
    ids::{ConnectionId, Peer, Seq},
    rmp as bus,
    tap::{
        EntryRef,
        entry::{
            Direction, Entry, Frame, Head, Redaction, Transition, Verdict, What, mpp,
            mpp::{CloseCause, FrameType},
            rmp,
        },
    },
    time::Now,
};

/// Breaches that are counted apart: more than there are of them.
const GROUPS_MAX: usize = 1_024;
/// Peers that are named of one breach.
const OFFENDERS_MAX: usize = 16;
/// Characters of a frame that are kept.
const FRAME_CHARS_MAX: usize = 200;

/// One thing that was broken, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultGroup {
    pub(crate) breach: Breach,
    pub(crate) count: u64,
    /// By whom and when the last time.
    pub(crate) peer: Peer,
    /// What whoever it was calls itself, or the peer.
    pub(crate) offender: Arc<str>,
    /// The session of the bus, where it was one.
    pub(crate) session: Option<ConnectionId>,
    pub(crate) at: Now,
    /// The entry that told of it.
    pub(crate) seq: Seq,
    /// The type of the frame, where it could be read.
    pub(crate) frame: Option<&'static str>,
    /// How the frame begins.
    pub(crate) excerpt: Option<Arc<str>>,
    /// The whole of it as the tap has it, which is at most `limits.tap.frame_bytes_max`; none where it was
    /// withheld.
    pub(crate) full_frame: Option<Arc<[u8]>>,
    /// What the peer was told.
    pub(crate) reply: Option<Arc<str>>,
    /// How often by whom, the first that was seen first; those beyond a bound are not named.
    pub(crate) offenders: Vec<(Arc<str>, u64)>,
}

/// Faults of peers since the console came up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// By clause, then the first seen first.
    groups: Vec<FaultGroup>,
    /// All of them.
    pub(crate) count: u64,
    latest: Option<Breach>,
}

impl FaultGroup {
    /// The clause.
    pub(crate) const fn clause(&self) -> &'static str {
        self.breach.clause()
    }
}

/// Who broke something: its process, and on the bus its session and what that calls itself.
struct Offender<'a> {
    peer: &'a Peer,
    session: Option<ConnectionId>,
    name: Arc<str>,
}

impl<'a> Offender<'a> {
    fn of_bridge(peer: &'a Peer) -> Self {
        Self { peer, session: None, name: Arc::from(peer.as_str()) }
    }

    fn of_bus(peer: &'a Peer, session: Option<ConnectionId>, bus: Option<&bus::Snapshot>) -> Self {
        Self { peer, session, name: journal::peer_label(peer, session, bus).into() }
    }
}

/// What is kept of the frame that broke a clause: its type, how it begins, and all of it.
type FrameExcerpt = (Option<&'static str>, Option<Arc<str>>, Option<Arc<[u8]>>);

impl Faults {
    /// The groups, by clause.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &FaultGroup> {
        self.groups.iter()
    }

    /// The group of a breach.
    pub(crate) fn group(&self, breach: Breach) -> Option<&FaultGroup> {
        self.groups.iter().find(|group| group.breach == breach)
    }

    /// Takes one entry, the bus being as it was. A breach that a frame brought is counted there, one that no
    /// frame brought where the connection ends.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>, bus: Option<&bus::Snapshot>) {
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
                    Redaction::Withheld => {
                        (format!("{wire_bytes} bytes, withheld: what is no handshake may hold a token"), None)
                    }
                    Redaction::None | Redaction::Masked(_) => {
                        (entry.text().chars().take(FRAME_CHARS_MAX).collect(), Some(Arc::from(entry.bytes)))
                    }
                };
                let kept = (head.kind.map(FrameType::name), Some(bytes.into()), whole);
                self.note(Breach::from(*fault), Offender::of_bridge(peer), entry.entry, kept);
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
                    Redaction::None | Redaction::Masked(_) => {
                        (Some(hex(entry.bytes).into()), Some(Arc::from(entry.bytes)))
                    }
                };
                let who = Offender::of_bus(peer, head.session, bus);
                self.note(
                    Breach::Bus(*refusal),
                    who,
                    entry.entry,
                    (head.kind.map(rmp::FrameKind::name), kept.0, kept.1),
                );
            }
            What::Frame(Frame { direction: Direction::Outbound, peer, head: Head::Rmp(head), .. })
                if head.refusal.is_some() =>
            {
                if let Some(words) = body_text::error_message(entry.bytes) {
                    self.record_reply(peer, &words.chars().take(FRAME_CHARS_MAX).collect::<String>().into());
                }
            }
            What::Transition(Transition::Rmp(rmp::Transition::Disconnected {
                session,
                cause: rmp::CloseCause::HelloTimeout,
            })) => {
                let known = bus.and_then(|bus| bus.peers.get(session));
                let peer = known
                    .map_or_else(|| Peer::new(&format!("session {session}")), |known| known.peer.clone());
                self.note(
                    Breach::BusHelloTimeout,
                    Offender::of_bus(&peer, Some(*session), bus),
                    entry.entry,
                    (None, None, None),
                );
            }
            What::Transition(Transition::Mpp(mpp::Transition::Disconnected {
                peer,
                cause: CloseCause::HelloTimeout,
                ..
            })) => {
                self.note(Breach::HelloTimeout, Offender::of_bridge(peer), entry.entry, (None, None, None));
            }
            _ => {}
        }
    }

    fn note(
        &mut self,
        breach: Breach,
        who: Offender<'_>,
        entry: &Entry,
        (frame, bytes, whole): FrameExcerpt,
    ) {
        let (at, seq, peer) = (entry.at, entry.seq, who.peer.clone());
        self.count = self.count.saturating_add(1);
        self.latest = Some(breach);
        if let Some(group) = self.groups.iter_mut().find(|group| group.breach == breach) {
            group.count = group.count.saturating_add(1);
            (group.peer, group.offender, group.session) = (peer, Arc::clone(&who.name), who.session);
            (group.at, group.seq, group.frame) = (at, seq, frame);
            (group.excerpt, group.full_frame, group.reply) = (bytes, whole, None);
            group.count_offender(who.name);
            return;
        }
        if self.groups.len() >= GROUPS_MAX {
            return;
        }
        let by = vec![(Arc::clone(&who.name), 1)];
        let group = FaultGroup {
            breach,
            count: 1,
            peer,
            offender: who.name,
            session: who.session,
            at,
            seq,
            frame,
            excerpt: bytes,
            full_frame: whole,
            reply: None,
            offenders: by,
        };
        let place = self.groups.partition_point(|known| known.clause() <= breach.clause());
        self.groups.insert(place, group);
    }

    /// What a peer was told on its last breach.
    pub(crate) fn record_reply(&mut self, peer: &Peer, words: &Arc<str>) {
        let Some(latest) = self.latest else { return };
        if let Some(group) =
            self.groups.iter_mut().find(|group| group.breach == latest && group.peer == *peer)
        {
            group.reply = Some(Arc::clone(words));
        }
    }
}

impl FaultGroup {
    fn count_offender(&mut self, who: Arc<str>) {
        if let Some((_, count)) = self.offenders.iter_mut().find(|(known, _)| *known == who) {
            *count = count.saturating_add(1);
        } else if self.offenders.len() < OFFENDERS_MAX {
            self.offenders.push((who, 1));
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
        let fault = mpp::Fault::Protocol {
            code: mpp::ErrorCode::InvalidFrame,
            violation: mpp::Violation::AlreadyParked,
        };
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
        tap.emit(Draft {
            at: Now::at_ms(0),
            link: Link::Mpp,
            trace: None,
            cause: None,
            what: What::Frame(frame),
            bytes,
        });
        let mut faults = Faults::default();
        reader.read().unwrap().iter().for_each(|entry| faults.fold(entry, None));
        let group = faults.groups.first().unwrap();
        assert_eq!(
            group.excerpt.as_deref(),
            Some("31 bytes, withheld: what is no handshake may hold a token")
        );
    }
}
