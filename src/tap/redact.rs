//! Withholds secrets from what the tap keeps (DESIGN 4). [`Tap::emit`](super::Tap::emit) applies a frame's
//! [`Redaction`] itself, so that no caller can forget it; masking comes before a frame is cut to
//! `limits.tap.frame_bytes_max`, so that half a secret is never kept.

use std::{borrow::Cow, fmt::Write as _, ops::Range};

use sha2::{Digest as _, Sha256};

use super::entry::{Frame, Redaction, What};

/// The bytes as they may be kept and shown: ranges as `*`, or the note of [`withheld`]. Ranges beyond the
/// bytes are ignored.
#[must_use]
pub fn redact<'a>(bytes: &'a [u8], redaction: &Redaction) -> Cow<'a, [u8]> {
    match redaction {
        Redaction::None => Cow::Borrowed(bytes),
        Redaction::Masked(ranges) => {
            let mut masked = bytes.to_vec();
            overwrite(&mut masked, ranges);
            Cow::Owned(masked)
        }
        Redaction::Withheld => Cow::Owned(withheld(bytes).into_bytes()),
    }
}

/// The range of so many bytes from a place on; nothing past the largest frame.
#[must_use]
pub fn range(start: usize, bytes: usize) -> Option<Range<u32>> {
    let end = start.checked_add(bytes)?;
    Some(u32::try_from(start).ok()?..u32::try_from(end).ok()?)
}

/// Tokens of one frame that are looked for: a peer that says more of them has all of the frame withheld.
pub const TOKENS_MAX: usize = 4;

/// Places of one token that are masked one by one.
const PLACES_MAX: usize = 64;

/// Every place where a text stands verbatim in a frame; `None` where there are so many that the frame is to
/// be withheld. An empty text stands nowhere.
#[must_use]
pub fn occurrences(wire: &[u8], text: &[u8]) -> Option<Vec<Range<u32>>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let found = memchr::memmem::find_iter(wire, text).take(PLACES_MAX + 1);
    let places: Vec<_> = found.filter_map(|start| range(start, text.len())).collect();
    (places.len() <= PLACES_MAX).then_some(places)
}

/// The ranges in order, those that touch as one, without empty ones.
#[must_use]
pub fn merged(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u32>> = Vec::with_capacity(ranges.len());
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// What stands in the place of withheld bytes: `{"withheld":{"bytes":N,"sha256":"…"}}`.
#[must_use]
pub fn withheld(bytes: &[u8]) -> String {
    let mut note = format!("{{\"withheld\":{{\"bytes\":{},\"sha256\":\"", bytes.len());
    for byte in Sha256::digest(bytes) {
        let _ = write!(note, "{byte:02x}");
    }
    note.push_str("\"}}");
    note
}

/// Whether the note of [`withheld`] stands for a draft's bytes.
#[inline]
pub(super) fn is_withheld(what: &What) -> bool {
    matches!(what, What::Frame(Frame { redaction: Redaction::Withheld, .. }))
}

/// Whether there is something for [`mask`] to do.
#[inline]
pub(super) fn is_masked(what: &What) -> bool {
    matches!(what, What::Frame(Frame { redaction: Redaction::Masked(_), .. }))
}

/// Masks a frame's bytes where they were copied to. A range that was cut is masked as far as it was kept.
pub(super) fn mask(kept: &mut [u8], what: &What) {
    if let What::Frame(Frame { redaction: Redaction::Masked(ranges), .. }) = what {
        overwrite(kept, ranges);
    }
}

pub(super) fn overwrite(bytes: &mut [u8], ranges: &[Range<u32>]) {
    for range in ranges {
        let end = usize::try_from(range.end).unwrap_or(usize::MAX).min(bytes.len());
        let start = usize::try_from(range.start).unwrap_or(usize::MAX).min(end);
        bytes[start..end].fill(b'*');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_by_stars_of_equal_length() {
        let masked = Redaction::Masked([8..11, 0..1].into());
        assert_eq!(&*redact(b"hello { abc }", &masked), b"*ello { *** }");
    }

    #[test]
    fn ranges_beyond_the_bytes_are_ignored() {
        #[expect(clippy::reversed_empty_ranges, reason = "a range that a careless caller might make")]
        let masked = Redaction::Masked([2..9, 7..8, 3..1].into());
        assert_eq!(&*redact(b"abcd", &masked), b"ab**");
    }

    #[test]
    fn every_place_of_a_text_is_found_unless_there_are_too_many() {
        assert_eq!(occurrences(b"token s3crets3cret!", b"s3cret"), Some(vec![6..12, 12..18]));
        assert_eq!(occurrences(b"token", b""), Some(Vec::new()));
        assert_eq!(occurrences(&[b'a'; PLACES_MAX], b"a").map(|places| places.len()), Some(PLACES_MAX));
        assert_eq!(occurrences(&[b'a'; PLACES_MAX + 1], b"a"), None);
    }

    #[test]
    fn withheld_bytes_leave_their_length_and_hash() {
        let note = redact(b"abc", &Redaction::Withheld);
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(
            std::str::from_utf8(&note).unwrap(),
            format!("{{\"withheld\":{{\"bytes\":3,\"sha256\":\"{sha256}\"}}}}")
        );
    }
}
