//! What operators did and what came of it, as entries say it: JSON, cut where the bytes of a frame would be.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use serde::Serialize;

use crate::{ids::Seq, limits, tap::Tap, words::cut};

/// Bytes that each may have, however many there are.
const ALWAYS_BYTES: u64 = 4_096;
/// Bytes that are kept beyond what may be: the cut is made where no token or secret is parted.
const BEYOND_BYTES: u64 = 4_096;
/// The share of the ring's bytes that longer ones may have: it counts what lies beside entries alone.
const RING_SHARE: u64 = 8;

/// What longer ones took, in as many entries as the ring keeps.
#[derive(Debug, Default)]
struct Window {
    since: Seq,
    bytes: u64,
}

/// Makes such texts.
#[derive(Debug)]
pub(super) struct ReportedTexts {
    tap: Tap,
    limits: limits::Tap,
    longer: Mutex<Window>,
}

impl ReportedTexts {
    pub(super) fn new(tap: Tap, limits: limits::Tap) -> Self {
        Self { tap, limits, longer: Mutex::default() }
    }

    /// A value as JSON. One that is cut says so, and which limit cut it.
    pub(super) fn json(&self, value: &impl Serialize) -> Arc<str> {
        let bytes_max = self.tap.frame_bytes_max().max(ALWAYS_BYTES);
        let mut text = Bounded { kept: Vec::new(), bytes_max: bytes_max + BEYOND_BYTES, bytes: 0 };
        // Nothing is refused; what is no JSON is said as far as it goes.
        let _ = serde_json::to_writer(&mut text, value);
        let (kept, bytes) = (String::from_utf8_lossy(&text.kept), text.bytes);
        let wanted = bytes.min(bytes_max);
        let (bytes_max, limit) = if wanted <= ALWAYS_BYTES || self.has_room(wanted) {
            (bytes_max, "limits.tap.frame_bytes_max")
        } else {
            (ALWAYS_BYTES, "limits.tap.ring_bytes_max")
        };
        if bytes <= bytes_max {
            return Arc::from(kept);
        }
        // What would be masked of it must not be parted.
        let kept = self.tap.text_without_tokens(&kept);
        let kept = cut(&kept, bytes_max);
        let more = bytes.saturating_sub(kept.len() as u64);
        Arc::from(format!("{kept}… cut: {more} more bytes were not kept ({limit})"))
    }

    /// Whether a longer one may have so many bytes; they are counted then.
    fn has_room(&self, bytes: u64) -> bool {
        let now = self.tap.last();
        let mut longer = self.longer.lock().unwrap_or_else(PoisonError::into_inner);
        if now.0.saturating_sub(longer.since.0) >= self.limits.ring_entries_max {
            *longer = Window { since: now, bytes: 0 };
        }
        let all = longer.bytes.saturating_add(bytes);
        let has_room = all <= self.limits.ring_bytes_max / RING_SHARE;
        if has_room {
            longer.bytes = all;
        }
        has_room
    }
}

/// Keeps so much of what is written, and counts all of it.
struct Bounded {
    kept: Vec<u8>,
    bytes_max: u64,
    bytes: u64,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.bytes_max.saturating_sub(self.kept.len() as u64);
        let taken = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
        self.kept.extend(bytes.iter().take(taken));
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn texts(limits: limits::Tap) -> ReportedTexts {
        ReportedTexts::new(Tap::new(limits), limits)
    }

    #[test]
    fn one_is_cut_where_a_frame_is_and_says_so() {
        let texts = texts(limits::Tap { frame_bytes_max: 10_000, ..Limits::default().tap });
        assert_eq!(&*texts.json(&"short"), r#""short""#);
        let whole = "long ".repeat(1_000);
        assert_eq!(*texts.json(&whole), serde_json::to_string(&whole).unwrap());
        let long = texts.json(&"long ".repeat(10_000));
        let (kept, said) = long.split_once('…').unwrap();
        assert_eq!(kept.len(), 10_000);
        assert_eq!(said, " cut: 40002 more bytes were not kept (limits.tap.frame_bytes_max)");
        // A recording that keeps frames whole keeps these too.
        let _whole = texts.tap.keep_whole();
        assert_eq!(texts.json(&"long ".repeat(10_000)).len(), 50_002);
    }

    #[test]
    fn no_part_of_a_secret_is_left_at_the_cut() {
        let texts = texts(limits::Tap { frame_bytes_max: 10_000, ..Limits::default().tap });
        texts.tap.mask_secret("over there, \"quoted\"");
        for before in [9_990, 9_985, 9_978] {
            let long = format!("{}over there, \"quoted\"{}", ".".repeat(before), ".".repeat(1_000));
            let text = texts.json(&long);
            let (kept, _) = text.split_once('…').unwrap();
            assert_eq!(kept, format!("\"{}{}", ".".repeat(before), "*".repeat(9_999 - before)));
        }
    }

    #[test]
    fn many_long_ones_have_a_share_of_the_ring_until_it_keeps_others() {
        let limits =
            limits::Tap { ring_bytes_max: 1 << 20, ring_entries_max: 1_024, ..Limits::default().tap };
        let texts = texts(limits);
        let long = "x".repeat(60_000);
        let lens: Vec<usize> = (0..4).map(|_| texts.json(&long).len()).collect();
        assert_eq!(lens[..2], [60_002, 60_002]);
        assert!(lens[2] < 4_200 && lens[3] < 4_200, "{lens:?}");
        assert!(texts.json(&long).ends_with("more bytes were not kept (limits.tap.ring_bytes_max)"));
        assert_eq!(texts.json(&"x".repeat(4_000)).len(), 4_002, "short ones are whole");
        texts.longer.lock().unwrap().since = Seq(0);
        let draft = || crate::tap::Draft {
            at: crate::time::Now::default(),
            link: crate::tap::entry::Link::Station,
            trace: None,
            cause: None,
            what: crate::tap::entry::What::Loss { count: 1 },
            bytes: b"",
        };
        for _ in 0..1_024 {
            texts.tap.emit(draft());
        }
        assert_eq!(texts.json(&long).len(), 60_002);
    }
}
