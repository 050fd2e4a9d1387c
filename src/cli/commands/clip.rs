//! `clip`: saves what was, after the fact. The station does so in its data folder; a file that is named is
//! written here, from what the station sends page by page.

use std::{io, path::Path};

use serde::Serialize;

use crate::{
    cli::{
        args::ClipArgs, context::Context, error::Error, operator, recording_error::RecordingError, report,
    },
    ids::Seq,
    limits,
    port::{ClipAttachment, ClipHead, Command, Operator, Outcome, Page, Query, wire},
    recording::{Attachment, EncodedSnapshot, PartFile, RecordingInfo},
    station::tallied,
    words::counted,
};

/// The output.
#[derive(Serialize)]
struct Clipped {
    path: String,
    bytes: u64,
    entries: u64,
}

pub(in crate::cli) fn run(context: &mut Context, args: &ClipArgs) -> Result<(), Error> {
    let absolute = |out: &Path| std::path::absolute(out).map_err(Error::io(out.display().to_string()));
    let path = args.out.as_deref().map(absolute).transpose()?;
    let limits = context.settings.limits.recording;
    let done = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        match &path {
            Some(path) => {
                Clip::begin(&station, args.seconds, path, limits).await?.all(&station, args.seconds).await
            }
            None => of_station(&station, args.seconds).await,
        }
    })?;
    context.out.row(&done, |done| {
        let (entries, bytes) = (counted(done.entries, "entry"), counted(done.bytes, "byte"));
        format!("{}: {entries}, {bytes}", done.path)
    })
}

/// Has the station save it.
async fn of_station(station: &dyn Operator, seconds: u64) -> Result<Clipped, Error> {
    match station.command(Command::Clip { seconds, path: None }).await? {
        Outcome::Recorded { path, bytes, entries, .. } => {
            Ok(Clipped { path: path.display().to_string(), bytes, entries })
        }
        _ => Err(Error::UnexpectedAnswer),
    }
}

/// A clip that is being written.
struct Clip<'a> {
    path: &'a Path,
    file: PartFile,
    /// What the station has of it.
    head: ClipHead,
    entries: u64,
    lost: u64,
    /// Entries that are missing in front of the next one.
    missing: u64,
    /// The state behind a loss, and the first entry that it does not have.
    state: Option<(Seq, EncodedSnapshot)>,
    /// Whether no state follows the last loss so far.
    needs_state: bool,
}

impl<'a> Clip<'a> {
    /// Asks for what it begins with, and makes the file.
    async fn begin(
        station: &dyn Operator,
        seconds: u64,
        path: &'a Path,
        limits: limits::Recording,
    ) -> Result<Self, Error> {
        let page = operator::query(station, Query::ClipHead { seconds }).await?;
        let Page::ClipHead(head) = page else { return Err(Error::UnexpectedAnswer) };
        let mut head = *head;
        let info = RecordingInfo {
            host_version: head.version.clone(),
            station_started: head.started,
            redact_rules: head.redact_rules,
            ..RecordingInfo::default()
        };
        let snapshot = EncodedSnapshot { at: head.at, bytes: std::mem::take(&mut head.snapshot.0) };
        let attached: Vec<_> = std::mem::take(&mut head.attachments).into_iter().map(attachment).collect();
        let file = PartFile::begin(path, &info, limits, &snapshot, &attached);
        let file = file.map_err(|why| unwritten(path, why))?;
        Ok(Self { path, file, head, entries: 0, lost: 0, missing: 0, state: None, needs_state: false })
    }

    /// Writes all of its entries.
    async fn all(mut self, station: &dyn Operator, seconds: u64) -> Result<Clipped, Error> {
        let ClipHead { mut from, until, .. } = self.head;
        while from < until {
            let page = operator::query(station, Query::ClipEntries { from, until }).await?;
            let Page::ClipEntries(page) = page else { return Err(Error::UnexpectedAnswer) };
            if page.next <= from {
                return Err(Error::UnexpectedAnswer);
            }
            if page.lost > 0 {
                self.lost += page.lost;
                self.missing += page.lost;
                // What is kept begins later by now, and with it the first state that is known.
                let (state_from, state) = state_of(station, seconds).await?;
                self.state = Some((state_from.max(Seq(from.0 + page.lost)), state));
                self.needs_state = true;
            }
            self.page(&page.entries.0).map_err(|why| unwritten(self.path, why))?;
            from = page.next;
        }
        if self.needs_state {
            let (_, state) = state_of(station, 0).await?;
            self.file.keyframe(&state).map_err(|why| unwritten(self.path, why))?;
        }
        let Self { path, file, entries, lost, .. } = self;
        let bytes = file.finish().map_err(|why| unwritten(path, why))?;
        if lost > 0 {
            let lost = counted(lost, "entry");
            report::print_note(&format!(
                "note: the station no longer kept {lost} of it (limits.tap.ring_entries_max)"
            ));
        }
        Ok(Clipped { path: path.display().to_string(), bytes, entries })
    }

    fn page(&mut self, entries: &[u8]) -> io::Result<()> {
        // What this version does not know is left out.
        for entry in wire::entries(entries).filter_map(Result::ok) {
            let missing = std::mem::take(&mut self.missing);
            if missing > 0 {
                self.file.loss(&entry.entry, missing)?;
            }
            if let Some((_, state)) = self.state.take_if(|(from, _)| *from <= entry.entry.seq) {
                self.file.keyframe(&state)?;
                self.needs_state = false;
            }
            self.file.entry(entry.as_ref(), tallied(&entry.entry))?;
            self.entries += 1;
        }
        Ok(())
    }
}

/// The state so many seconds ago, or the first one since that is known, and the first entry that it does not
/// have.
async fn state_of(station: &dyn Operator, seconds: u64) -> Result<(Seq, EncodedSnapshot), Error> {
    match operator::query(station, Query::ClipHead { seconds }).await? {
        Page::ClipHead(head) => Ok((head.from, EncodedSnapshot { at: head.at, bytes: head.snapshot.0 })),
        _ => Err(Error::UnexpectedAnswer),
    }
}

fn attachment(ClipAttachment { name, media_type, bytes, left_out }: ClipAttachment) -> Attachment {
    Attachment { name, media_type, bytes: bytes.0, left_out }
}

fn unwritten(path: &Path, why: io::Error) -> Error {
    RecordingError::unwritten(path.to_path_buf(), why).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::operator::tests::Scripted,
        port::{ClipPage, PageBytes},
        recording::{RecordedItem, read},
        tap::{
            EntryRef,
            entry::{Entry, Link, Transition, What, station},
        },
        time::Now,
    };

    fn page(lost: u64, seqs: std::ops::Range<u64>) -> Page {
        let mut page = ClipPage { lost, ..ClipPage::at(Seq(seqs.start)) };
        for seq in seqs {
            let what = What::Transition(Transition::Station(station::Transition::RecordingStarted));
            let (seq, at) = (Seq(seq), Now::at_ms(seq));
            let entry = Entry { seq, at, link: Link::Station, trace: None, cause: None, what };
            page.push(EntryRef { entry: &entry, bytes: b"here" }, 1_024);
        }
        Page::ClipEntries(page)
    }

    fn head() -> Page {
        let (snapshot, version) = (PageBytes(b"state".to_vec()), "0.1.0".to_owned());
        let report =
            ClipAttachment { name: "report".to_owned(), left_out: Some(7), ..ClipAttachment::default() };
        let (from, until, attachments) = (Seq(3), Seq(12), vec![report]);
        Page::ClipHead(Box::new(ClipHead {
            version,
            redact_rules: 2,
            snapshot,
            attachments,
            from,
            until,
            ..ClipHead::default()
        }))
    }

    fn clip(path: &Path, pages: Vec<Page>) -> (Result<Clipped, Error>, Vec<Query>) {
        let station = Scripted::pages(pages);
        let limits = limits::Recording::default();
        let made = operator::block_on(async {
            Clip::begin(&station, 60, path, limits).await?.all(&station, 60).await
        });
        (made, station.queries.into_inner().unwrap())
    }

    /// What is asked behind a loss.
    fn state(from: u64, text: &str) -> Page {
        let (snapshot, from) = (PageBytes(text.as_bytes().to_vec()), Seq(from));
        Page::ClipHead(Box::new(ClipHead { snapshot, from, at: Now::at_ms(from.0), ..ClipHead::default() }))
    }

    #[test]
    fn a_clip_is_put_together_of_its_pages_with_what_is_missing_between_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.mcap");
        let pages = vec![head(), page(0, 3..6), page(4, 10..12), state(11, "later")];
        let (made, asked) = clip(&path, pages);
        let made = made.unwrap();
        assert_eq!((made.entries, made.bytes), (5, path.metadata().unwrap().len()));
        let from = |from| Query::ClipEntries { from: Seq(from), until: Seq(12) };
        let first = Query::ClipHead { seconds: 60 };
        assert_eq!(asked, [first.clone(), from(3), from(6), first]);
        let reader = read(&path).unwrap();
        assert_eq!((reader.info().redact_rules, &*reader.info().host_version), (2, "0.1.0"));
        let all: Vec<_> = reader.map(Result::unwrap).collect();
        assert!(matches!(&all[0], RecordedItem::Snapshot { bytes, .. } if bytes == b"state"));
        let seqs = all[1..].iter().map(|item| match item {
            RecordedItem::Entry(entry) => {
                (entry.entry.seq.0, matches!(entry.entry.what, What::Loss { count: 4 }))
            }
            RecordedItem::Snapshot { bytes, .. } => (0, bytes == b"later"),
        });
        let state = (0, true);
        let expected = [(3, false), (4, false), (5, false), (9, true), (10, false), state, (11, false)];
        assert_eq!(seqs.collect::<Vec<_>>(), expected);
        assert_eq!(crate::recording::index(&path).unwrap().left_out["report"], 7);
    }

    #[test]
    fn a_loss_at_the_end_of_a_clip_is_followed_by_the_state_of_the_present() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.mcap");
        let pages = vec![head(), page(7, 10..12), state(20, "later"), state(30, "now")];
        let (made, asked) = clip(&path, pages);
        made.unwrap();
        assert_eq!(asked.last(), Some(&Query::ClipHead { seconds: 0 }));
        let last = read(&path).unwrap().last().unwrap().unwrap();
        assert!(matches!(&last, RecordedItem::Snapshot { bytes, .. } if bytes == b"now"), "{last:?}");
    }

    #[test]
    fn a_clip_that_fails_leaves_no_file_and_one_that_is_there_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.mcap");
        let (failed, _) = clip(&path, vec![head(), page(0, 3..6)]);
        assert!(failed.is_err() && !path.exists(), "the station is gone");
        let (failed, _) = clip(&path, vec![head(), page(0, 3..3)]);
        assert!(matches!(failed, Err(Error::UnexpectedAnswer)) && !path.exists());
        std::fs::write(&path, "mine").unwrap();
        let (failed, _) = clip(&path, vec![head()]);
        assert_eq!(failed.err().unwrap().code(), "exists");
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }
}
