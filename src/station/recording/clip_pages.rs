//! A clip for who writes it: what it begins with, and its entries page by page.

use std::{sync::Arc, time::Duration};

use super::{clip::SECONDS_MAX, sources::sources};
use crate::{
    ids::Seq,
    port::{ClipAttachment, ClipHead, ClipPage, Page, PageBytes, PortError},
    recording::{Attachment, EncodedSnapshot, Redact, Sources},
    station::{local::Inner, past::beside},
    tap::{
        EntryRef, Reader,
        recorded::{self, OwnedEntry},
    },
};

/// How long the report of the station is waited for.
const REPORT_TIMEOUT: Duration = Duration::from_secs(1);
/// Entries that are masked at one time.
const MASKED_AT_ONCE: usize = 64;

/// What a clip of so many seconds before this moment begins with, and where its entries are.
pub(in crate::station) async fn clip_head(inner: &Arc<Inner>, seconds: u64) -> Result<Page, PortError> {
    let sources = sources(inner, seconds.min(SECONDS_MAX)).await?;
    let Sources { reader, mut snapshot, mut attachments, report, mut redact, info, .. } = sources;
    let (from, until) = (reader.next(), inner.tap.last().next());
    drop(reader);
    let EncodedSnapshot { at, mut bytes } = snapshot().await.map_err(PortError::Recording)?;
    attachments.extend(tokio::time::timeout(REPORT_TIMEOUT, report).await.unwrap_or_default());
    let room = half_an_answer(inner);
    let masked = beside(move || {
        if let Some(redact) = &mut redact {
            redact.snapshot(&mut bytes)?;
            for it in &mut attachments {
                redact.attachment(&mut it.bytes);
            }
        }
        let attachments = within(attachments, room.saturating_sub(bytes.len()));
        Ok((PageBytes(bytes), attachments))
    });
    let (snapshot, attachments) = masked.await?.map_err(PortError::Recording)?;
    Ok(Page::ClipHead(Box::new(ClipHead {
        version: info.host_version,
        started: info.station_started,
        redact_rules: info.redact_rules,
        at,
        snapshot,
        attachments,
        from,
        until,
    })))
}

/// The next entries of a clip.
pub(in crate::station) async fn clip_entries(
    inner: &Inner,
    from: Seq,
    until: Seq,
) -> Result<Page, PortError> {
    let (redact, _) = inner.recording.redaction.of(&inner.recording.settings.redact, &inner.tap)?;
    let reader = inner.tap.reader_from(from);
    let reader = reader.map_err(|error| PortError::Busy { what: error.to_string() })?;
    let bytes_max = half_an_answer(inner);
    Ok(Page::ClipEntries(beside(move || page(reader, until, redact, bytes_max)).await?))
}

/// Bytes that an answer has room for, as text.
fn half_an_answer(inner: &Inner) -> usize {
    usize::try_from(inner.limits.port.answer_bytes_max / 2).unwrap_or(usize::MAX)
}

/// What is kept with a clip, in so many bytes; what is longer is named.
fn within(all: Vec<Attachment>, mut room: usize) -> Vec<ClipAttachment> {
    let fit = |it: Attachment| {
        let Attachment { name, media_type, bytes, left_out } = it.within(room);
        room -= bytes.len();
        ClipAttachment { name, media_type, bytes: PageBytes(bytes), left_out }
    };
    all.into_iter().map(fit).collect()
}

/// The entries of a page: what was lost is in front of them.
fn page(mut reader: Reader, until: Seq, mut redact: Option<Box<dyn Redact>>, bytes_max: usize) -> ClipPage {
    let mut page = ClipPage::at(reader.next());
    while page.next < until {
        let Some(batch) = reader.read() else { break };
        if batch.lost > 0 {
            if !page.entries.0.is_empty() {
                break;
            }
            page.lost = batch.lost.min(until.0 - page.next.0);
            page.next = Seq(page.next.0 + page.lost);
        }
        let entries: Vec<EntryRef<'_>> = batch.iter().filter(|it| it.entry.seq < until).collect();
        for some in entries.chunks(MASKED_AT_ONCE) {
            // What was just encoded can be decoded.
            let decoded = |forms: Vec<Vec<u8>>| -> Vec<OwnedEntry> {
                forms.iter().filter_map(|form| recorded::decode(form).ok()).collect()
            };
            let masked = redact.as_mut().map(|redact| decoded(redact.entries(some)));
            let some = masked
                .as_ref()
                .map_or_else(|| some.to_vec(), |all| all.iter().map(OwnedEntry::as_ref).collect());
            for entry in some {
                page.push(entry, bytes_max);
                if page.is_full() {
                    return page;
                }
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        limits,
        port::wire,
        tap::{
            Draft, Tap,
            entry::{Link, What},
        },
        time::Now,
    };

    fn tap_of(entries: u64) -> Tap {
        let tap = Tap::new(limits::Tap { ring_entries_max: 1_024, ..limits::Tap::default() });
        for _ in 0..entries {
            let what = What::Loss { count: 1 };
            let at = Now::at_ms(1);
            tap.emit(Draft { at, link: Link::Station, trace: None, cause: None, what, bytes: &[7; 900] });
        }
        tap
    }

    /// The numbers of the entries from a place to another, and of those that were lost.
    fn pages(tap: &Tap, from: Seq, until: Seq) -> (Vec<u64>, u64) {
        let (mut next, mut seqs, mut lost) = (from, Vec::new(), 0);
        while next < until {
            let page = page(tap.reader_from(next).unwrap(), until, None, usize::MAX);
            assert!(page.next > next && page.next <= until);
            seqs.extend(wire::entries(&page.entries.0).map(|entry| entry.unwrap().entry.seq.0));
            (next, lost) = (page.next, lost + page.lost);
        }
        (seqs, lost)
    }

    #[test]
    fn pages_of_a_clip_follow_each_other_and_say_what_is_no_longer_kept() {
        let tap = tap_of(500);
        assert_eq!(pages(&tap, Seq(5), Seq(401)), ((5..=400).collect(), 0));
        assert_eq!(pages(&tap, Seq(5), Seq(5)), (Vec::new(), 0));
        let tap = tap_of(4_000);
        let oldest = tap.oldest().0;
        assert!(oldest > 1_000);
        assert_eq!(pages(&tap, Seq(5), Seq(4_001)), ((oldest..=4_000).collect(), oldest - 5));
        assert_eq!(pages(&tap, Seq(5), Seq(9)), (Vec::new(), 4), "none of it is kept");
    }

    #[test]
    fn what_does_not_fit_an_answer_is_named() {
        let of = |name: &str, len| Attachment::file(name, "", vec![0; len]);
        let kept = within(vec![of("a", 6), of("b", 5), of("c", 4)], 10);
        let kept: Vec<_> = kept.iter().map(|it| (&*it.name, it.bytes.0.len(), it.left_out)).collect();
        assert_eq!(kept, [("a", 6, None), ("b", 0, Some(5)), ("c", 4, None)]);
    }
}
