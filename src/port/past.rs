//! The past of a station, for consoles that attach: the entries that the tap keeps, and the states that were
//! noted between them.
//!
//! ```text
//!  entries:    oldest ─────── K1 ─────────── K2 ────────── before     pages from `before` backwards
//!  keyframes:                 └ the state behind all entries up to here
//! ```

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{Snapshot, wire};
use crate::{
    ids::Seq,
    tap::{Batch, Tap},
};

/// Bytes that a page holds at most, so that with what is around it one message carries it.
pub(crate) const PAGE_BYTES_MAX: usize = 180 << 10;

/// Bytes that are sent as base64url: a run of it is looked at for tokens at its ends alone, and what is in it
/// was when it was noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageBytes(pub Vec<u8>);

impl Serialize for PageBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for PageBytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        URL_SAFE_NO_PAD.decode(text.as_bytes()).map(Self).map_err(D::Error::custom)
    }
}

/// Entries of the tap that follow each other, the last before a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntriesPage {
    /// The place of the first, or the one asked for where there is none.
    pub first: Seq,
    /// How many there are.
    pub count: u64,
    /// The oldest entry that is kept.
    pub oldest: Seq,
    /// Their recorded forms, each behind its length as a varint.
    pub entries: PageBytes,
}

impl EntriesPage {
    /// The last entries before a place and behind another, at most so many and so many bytes; but at least
    /// one, of which the bytes beside it are cut that are too much.
    #[must_use]
    pub fn read(tap: &Tap, before: Seq, after: Seq, limit: u64) -> Self {
        let before = before.min(tap.last().next());
        let oldest = tap.oldest();
        let (mut first, mut bytes, mut forms) = (before, 0, Vec::new());
        'page: while (forms.len() as u64) < limit {
            let Some(batch) = tap.before(first) else { break };
            for entry in batch.iter().rev() {
                let is_next = entry.entry.seq.next() == first && entry.entry.seq > after;
                let form = wire::encode_entry(entry, PAGE_BYTES_MAX);
                if !is_next || forms.len() as u64 >= limit {
                    break 'page;
                }
                if bytes + form.len() > PAGE_BYTES_MAX && !forms.is_empty() {
                    break 'page;
                }
                first = entry.entry.seq;
                bytes += form.len();
                forms.push(form);
            }
        }
        forms.reverse();
        Self { first, count: forms.len() as u64, oldest, entries: PageBytes(forms.concat()) }
    }
}

/// A part of a keyframe: a snapshot in its recorded form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyframePage {
    /// The place in the tap up to which every entry is in it.
    pub seq: Seq,
    /// Bytes of the whole.
    pub bytes: u64,
    /// Where in it the part begins.
    pub offset: u64,
    /// The part.
    pub part: PageBytes,
}

impl KeyframePage {
    /// The part of a keyframe that begins at a byte.
    #[must_use]
    pub fn of(seq: Seq, whole: &[u8], offset: u64) -> Self {
        let from = usize::try_from(offset).map_or(whole.len(), |offset| offset.min(whole.len()));
        let to = whole.len().min(from + PAGE_BYTES_MAX);
        let part = PageBytes(whole[from..to].to_vec());
        Self { seq, bytes: whole.len() as u64, offset: from as u64, part }
    }
}

/// Entries from before a console came up.
#[derive(Debug, Default)]
pub struct PastPage {
    /// The entries, oldest first; none where no more are kept.
    pub batches: Vec<Batch>,
    /// The oldest entry that is kept; nothing where none is before the place asked for.
    pub oldest: Option<Seq>,
}

/// The state of the station at a place in its tap.
#[derive(Clone, Debug)]
pub struct Keyframe {
    /// Up to which entry of any link it speaks.
    pub seq: Seq,
    /// What held. Of some links it may have later entries, as its `as_of` says.
    pub snapshot: Box<Snapshot>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        limits,
        tap::{
            Draft,
            entry::{Link, Transition, What, station},
        },
        time::Now,
    };

    fn tap_of(texts: impl Iterator<Item = usize>) -> Tap {
        let tap = Tap::new(limits::Tap { ring_entries_max: 1_024, ..limits::Tap::default() });
        for bytes in texts {
            tap.emit(Draft {
                at: Now::at_ms(1),
                link: Link::Station,
                trace: None,
                cause: None,
                what: What::Transition(Transition::Station(station::Transition::Operated {
                    by: None,
                    command: None,
                })),
                bytes: "x".repeat(bytes).as_bytes(),
            });
        }
        tap
    }

    fn seqs(page: &EntriesPage) -> Vec<u64> {
        wire::entries(&page.entries.0).map(|entry| entry.unwrap().entry.seq.0).collect()
    }

    #[test]
    fn pages_follow_each_other_backwards_to_the_oldest_entry_that_is_kept() {
        let tap = tap_of((0..3_000).map(|at| at % 900));
        let (mut before, mut all) = (Seq(u64::MAX), Vec::new());
        loop {
            let page = EntriesPage::read(&tap, before, Seq(0), u64::MAX);
            assert_eq!(page.oldest, tap.oldest());
            assert!(page.entries.0.len() <= PAGE_BYTES_MAX, "{}", page.entries.0.len());
            let json = serde_json::to_string(&page).unwrap();
            assert!(json.len() <= wire::PART_BYTES_MAX - 4_096, "one message carries it");
            assert_eq!(serde_json::from_str::<EntriesPage>(&json).unwrap(), page);
            if page.count == 0 {
                break;
            }
            let found = seqs(&page);
            assert_eq!((found.len() as u64, found[0]), (page.count, page.first.0));
            all.splice(0..0, found);
            before = page.first;
        }
        assert_eq!(all, (tap.oldest().0..=3_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_page_is_narrowed_and_holds_one_entry_whatever_its_length() {
        let tap = tap_of(std::iter::repeat_n(3, 700));
        assert_eq!(seqs(&EntriesPage::read(&tap, Seq(600), Seq(595), u64::MAX)), [596, 597, 598, 599]);
        assert_eq!(seqs(&EntriesPage::read(&tap, Seq(600), Seq(0), 2)), [598, 599]);
        assert_eq!(EntriesPage::read(&tap, Seq(600), Seq(0), 0).count, 0);
        assert_eq!(EntriesPage::read(&tap, Seq(1), Seq(0), 9).count, 0);
        let limits = limits::Tap { frame_bytes_max: 1 << 20, ..limits::Tap::default() };
        let long = Tap::new(limits);
        long.emit(Draft {
            at: Now::at_ms(1),
            link: Link::Station,
            trace: None,
            cause: None,
            what: What::Transition(Transition::Station(station::Transition::Operated {
                by: None,
                command: None,
            })),
            bytes: &vec![b' '; 1 << 20],
        });
        let page = EntriesPage::read(&long, Seq(9), Seq(0), 9);
        assert!(page.count == 1 && page.entries.0.len() <= PAGE_BYTES_MAX + 16, "{}", page.entries.0.len());
        assert_eq!(seqs(&page), [1]);
    }

    #[test]
    fn a_keyframe_is_put_together_of_its_parts() {
        let whole: Vec<u8> = (0..PAGE_BYTES_MAX * 2 + 5).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let mut read = Vec::new();
        while read.len() < whole.len() {
            let page = KeyframePage::of(Seq(7), &whole, read.len() as u64);
            assert_eq!((page.bytes, page.offset), (whole.len() as u64, read.len() as u64));
            read.extend(page.part.0);
        }
        assert_eq!(read, whole);
        assert_eq!(KeyframePage::of(Seq(7), &whole, u64::MAX).part.0, [0; 0]);
    }
}
