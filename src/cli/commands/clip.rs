//! `clip`: saves what was, after the fact. The station does so in its data folder; a file that is named is
//! written here, from what the station sends page by page.

use std::{io, path::Path};

use serde::Serialize;

use crate::{
    cli::{
        args::ClipArgs, context::Context, error::Error, operator, recording_error::RecordingError, report,
    },
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
            Some(path) => Clip::begin(&station, args.seconds, path, limits).await?.all(&station).await,
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
        Ok(Self { path, file, head, entries: 0, lost: 0, missing: 0 })
    }

    /// Writes all of its entries.
    async fn all(mut self, station: &dyn Operator) -> Result<Clipped, Error> {
        let ClipHead { mut from, until, .. } = self.head;
        while from < until {
            let page = operator::query(station, Query::ClipEntries { from, until }).await?;
            let Page::ClipEntries(page) = page else { return Err(Error::UnexpectedAnswer) };
            if page.next <= from {
                return Err(Error::UnexpectedAnswer);
            }
            self.lost += page.lost;
            self.missing += page.lost;
            self.page(&page.entries.0).map_err(|why| unwritten(self.path, why))?;
            from = page.next;
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
            self.file.entry(entry.as_ref(), tallied(&entry.entry))?;
            self.entries += 1;
        }
        Ok(())
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
        ids::Seq,
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
        let made =
            operator::block_on(async { Clip::begin(&station, 60, path, limits).await?.all(&station).await });
        (made, station.queries.into_inner().unwrap())
    }

    #[test]
    fn a_clip_is_put_together_of_its_pages_with_what_is_missing_between_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.mcap");
        let (made, asked) = clip(&path, vec![head(), page(0, 3..6), page(4, 10..12)]);
        let made = made.unwrap();
        assert_eq!((made.entries, made.bytes), (5, path.metadata().unwrap().len()));
        let from = |from| Query::ClipEntries { from: Seq(from), until: Seq(12) };
        assert_eq!(asked, [Query::ClipHead { seconds: 60 }, from(3), from(6)]);
        let reader = read(&path).unwrap();
        assert_eq!((reader.info().redact_rules, &*reader.info().host_version), (2, "0.1.0"));
        let all: Vec<_> = reader.map(Result::unwrap).collect();
        assert!(matches!(&all[0], RecordedItem::Snapshot { bytes, .. } if bytes == b"state"));
        let seqs = all[1..].iter().map(|item| match item {
            RecordedItem::Entry(entry) => {
                (entry.entry.seq.0, matches!(entry.entry.what, What::Loss { count: 4 }))
            }
            RecordedItem::Snapshot { .. } => panic!("one state alone"),
        });
        let expected = [(3, false), (4, false), (5, false), (9, true), (10, false), (11, false)];
        assert_eq!(seqs.collect::<Vec<_>>(), expected);
        assert_eq!(crate::recording::index(&path).unwrap().left_out["report"], 7);
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
