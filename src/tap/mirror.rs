//! A tap whose entries were emitted elsewhere: what an attached console reads from.

use super::{
    reader::Reader,
    recorded::OwnedEntry,
    sequencer::{Counters, Tap, TooManyReaders},
};
use crate::{ids::Seq, limits};

/// Entries that come with their places. What does not come in between is every reader's loss, as if it had
/// been evicted: it is told with the next entry that does. Bounds are those of a [`Tap`]. Clones are the same
/// mirror.
#[derive(Clone, Debug)]
pub struct Mirror {
    tap: Tap,
}

impl Mirror {
    /// An empty mirror: an entry at `next` follows without a loss.
    #[must_use]
    pub fn new(limits: limits::Tap, next: Seq) -> Self {
        Self { tap: Tap::beginning_at(limits, next) }
    }

    /// Keeps entries at their own places, their bytes as they are: secrets were withheld where they were
    /// emitted. One that is not behind all that came before is left out. Readers see and are woken for
    /// all of them at once, so a caller hands over at most some hundreds. Never blocks beyond another
    /// push or a read.
    ///
    /// How many are kept.
    pub fn push(&self, entries: impl IntoIterator<Item = OwnedEntry>) -> usize {
        self.tap.mirror(entries)
    }

    /// The place behind the last entry.
    #[must_use]
    pub fn next(&self) -> Seq {
        self.tap.last().next()
    }

    /// A reader from the present end on.
    ///
    /// # Errors
    /// [`TooManyReaders`] at `limits.tap.readers_max`.
    pub fn reader(&self) -> Result<Reader, TooManyReaders> {
        self.tap.reader()
    }

    /// What it holds. Places that nothing came for count as emitted.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.tap.counters()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        tap::{
            Draft,
            entry::{Link, Redaction, Transition, What, mpp, station},
        },
        time::Now,
    };

    const NARROW: limits::Tap = limits::Tap {
        frame_bytes_max: 8_388_608,
        ring_bytes_max: 1_048_576,
        ring_entries_max: 1_024,
        readers_max: 4,
        frame_hashes_max: 1_024,
        keyframes_bytes_max: 65_536,
    };

    fn emit_text(tap: &Tap, text: &str) {
        let what =
            What::Transition(Transition::Station(station::Transition::Operated { by: None, command: None }));
        tap.emit(Draft {
            at: Now::at_ms(1),
            link: Link::Station,
            trace: None,
            cause: None,
            what,
            bytes: text.as_bytes(),
        });
    }

    fn read_all(reader: &mut Reader) -> (Vec<OwnedEntry>, Vec<u64>) {
        let (mut entries, mut lost) = (Vec::new(), Vec::new());
        while let Some(batch) = reader.read() {
            lost.push(batch.lost);
            entries.extend(
                batch.iter().map(|item| OwnedEntry { entry: item.entry.clone(), bytes: item.bytes.to_vec() }),
            );
        }
        (entries, lost)
    }

    #[test]
    fn what_does_not_come_is_every_readers_loss() {
        let tap = Tap::new(limits::Tap::default());
        let mut original = tap.reader().unwrap();
        (0..6).for_each(|n: u32| emit_text(&tap, &n.to_string()));
        let (entries, _) = read_all(&mut original);
        let mirror = Mirror::new(limits::Tap::default(), Seq(1));
        let mut reader = mirror.reader().unwrap();
        for entry in [&entries[0], &entries[1], &entries[4], &entries[5]] {
            assert_eq!(mirror.push([entry.clone()]), 1);
        }
        assert_eq!(mirror.push([entries[2].clone()]), 0, "it comes too late");
        assert_eq!(read_all(&mut reader), ([&entries[..2], &entries[4..]].concat(), vec![0, 2]));
        assert_eq!((reader.received(), reader.lost(), reader.lag()), (4, 2, 0));
        assert_eq!(mirror.next(), Seq(7));
    }

    #[test]
    fn what_was_withheld_stays_as_it_came() {
        let tap = Tap::new(limits::Tap::default());
        let mut original = tap.reader().unwrap();
        for redaction in [Redaction::Withheld, Redaction::Masked([2..5, 9..10].into())] {
            let frame = crate::tap::entry::Frame {
                direction: crate::tap::entry::Direction::Inbound,
                peer: crate::ids::Peer::new("a"),
                head: crate::tap::entry::Head::Mpp(mpp::Head::default()),
                verdict: crate::tap::entry::Verdict::Mpp(mpp::Verdict::Accepted),
                wire_bytes: 10,
                redaction,
                origin: None,
            };
            let what = What::Frame(frame);
            tap.emit(Draft {
                at: Now::at_ms(1),
                link: Link::Mpp,
                trace: None,
                cause: None,
                what,
                bytes: b"a secret b",
            });
        }
        let (entries, _) = read_all(&mut original);
        let mirror = Mirror::new(limits::Tap::default(), Seq(1));
        let mut reader = mirror.reader().unwrap();
        assert_eq!(mirror.push(entries.clone()), entries.len());
        assert_eq!(read_all(&mut reader).0, entries);
    }

    proptest! {
        #[test]
        fn whatever_comes_through_is_read_and_the_rest_is_lost(
            steps in prop::collection::vec((any::<bool>(), 0_usize..2_000, any::<bool>()), 1..600),
        ) {
            let tap = Tap::new(limits::Tap::default());
            let mut original = tap.reader().unwrap();
            let mirror = Mirror::new(NARROW, Seq(1));
            let mut reader = mirror.reader().unwrap();
            let (mut came, mut read) = (Vec::new(), Vec::new());
            let mut lost = 0;
            for (comes, bytes, reads) in steps {
                emit_text(&tap, &"x".repeat(bytes));
                let mut entries = read_all(&mut original).0;
                if comes && let Some(entry) = entries.pop() {
                    mirror.push([entry.clone()]);
                    came.push(entry);
                }
                if reads {
                    while let Some(batch) = reader.read() {
                        lost += batch.lost;
                        let mut pairs = batch.iter().zip(batch.iter().skip(1));
                        prop_assert!(pairs.all(|(one, next)| one.entry.seq.next() == next.entry.seq));
                        read.extend(batch.iter().map(|item| OwnedEntry {
                            entry: item.entry.clone(),
                            bytes: item.bytes.to_vec(),
                        }));
                    }
                }
            }
            let (rest, losses) = read_all(&mut reader);
            read.extend(rest);
            lost += losses.iter().sum::<u64>();
            prop_assert_eq!((read.len() as u64, lost), (reader.received(), reader.lost()));
            prop_assert_eq!(read.len() as u64 + lost, mirror.counters().emitted);
            let mut rest = came.iter();
            for entry in &read {
                prop_assert!(rest.any(|came| came == entry), "in order, and nothing that did not come");
            }
        }
    }
}
