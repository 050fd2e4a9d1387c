//! The time bar of a recording, from its index and its tallies alone.

use crate::{
    port::{BarPart, ReplayBar},
    recording::{RecordingSet, Tally},
    tap::entry::Link,
};

/// Parts of it: more than a screen has columns.
const PARTS: usize = 1_024;

pub(super) fn bar(set: &RecordingSet) -> ReplayBar {
    let (first, last) = set.span_ns();
    let of = last.saturating_sub(first).max(1);
    let since = |ns: u64| ns.saturating_sub(first);
    let mut bar = ReplayBar::with_parts(PARTS);
    for number in 0..set.len() {
        let Some(chunk) = set.chunk(number).filter(|chunk| !chunk.place.has_keyframe) else { continue };
        bar.add_weight(chunk.place.len, (since(chunk.place.start_ns), since(chunk.place.end_ns)), of);
    }
    let mut before: Option<(u64, BarPart)> = None;
    for (at, tally) in set.tallies() {
        let now = counts(tally);
        if let Some((from, known)) = before {
            // Another recording begins with none.
            let more = BarPart {
                weight: 0,
                faults: now.faults.saturating_sub(known.faults),
                lost: now.lost.saturating_sub(known.lost),
                marks: now.marks.saturating_sub(known.marks),
            };
            bar.note(more, (since(from), since(at).saturating_sub(1)), of);
        }
        before = Some((at, now));
    }
    bar
}

fn counts(tally: &Tally) -> BarPart {
    let links = || Link::ALL.into_iter().map(|link| tally.link(link));
    BarPart {
        weight: 0,
        faults: links().map(|link| link.faults).sum(),
        lost: tally.lost,
        marks: links().map(|link| link.marks).sum(),
    }
}
