//! The bookmarks of a recording in a file of their own: `night.marks.json` of `night.mcap`.
//!
//! ```json
//! {"version": 1, "marks": [
//!     {"at_ms": 1790000001500, "after_ms": 90000, "entry": 4711, "view": "Wire", "pane": "wire"}]}
//! ```

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{layouts, message::show_file_error, state::Ui};
use crate::{
    console::{
        input::view_id::ViewId,
        records::bookmarks::{Bookmark, BookmarkedRecord, Bookmarks},
        settings::SavedBookmarks,
    },
    ids::Seq,
    time::{Mono, Now, Wall},
};

/// The version of what is written.
const VERSION: u64 = 1;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct BookmarkFile {
    version: u64,
    marks: Vec<SavedBookmark>,
}

/// One of them.
#[derive(Debug, Serialize, Deserialize)]
struct SavedBookmark {
    /// The moment that was shown, in Unix milliseconds.
    at_ms: Wall,
    /// How far that is from the beginning, in milliseconds: the wall clock may have been set meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after_ms: Option<u64>,
    /// The last entry that was shown.
    entry: Seq,
    view: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pane: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    record: Option<String>,
}

/// The form in which they are kept.
pub(crate) fn write(bookmarks: &Bookmarks) -> String {
    let saved = |bookmark: &Bookmark| SavedBookmark {
        at_ms: bookmark.at.wall,
        after_ms: bookmark.after.and_then(|after| u64::try_from(after.as_millis()).ok()),
        entry: bookmark.seq,
        view: bookmark.view.name().to_owned(),
        pane: bookmark.pane.map(layouts::name),
        record: bookmark.record.as_ref().and_then(BookmarkedRecord::label),
    };
    let file = BookmarkFile { version: VERSION, marks: bookmarks.iter().map(saved).collect() };
    serde_json::to_string(&file).unwrap_or_default()
}

/// The bookmarks that a text has, at most so many.
///
/// # Errors
/// Why it has none, for people: it is another version's, has more, or is no such file at all.
pub(crate) fn read(text: &str, max: u64) -> Result<Vec<Bookmark>, String> {
    let file: BookmarkFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.version != VERSION {
        return Err(format!("it has version {}; this console reads version {VERSION}", file.version));
    }
    if file.marks.len() as u64 > max {
        let count = file.marks.len();
        return Err(format!("it has {count} bookmarks, more than {max} (limits.console.bookmarks_max)"));
    }
    file.marks.into_iter().map(bookmark).collect()
}

fn bookmark(saved: SavedBookmark) -> Result<Bookmark, String> {
    let SavedBookmark { at_ms, after_ms, entry, view, pane, record } = saved;
    let known = ViewId::ALL.into_iter().find(|it| it.name() == view);
    let named =
        |name: String| layouts::pane_named(&name).ok_or_else(|| format!("no pane is called `{name}`"));
    Ok(Bookmark {
        view: known.ok_or_else(|| format!("no view is called `{view}`"))?,
        pane: pane.map(named).transpose()?,
        record: record.map(BookmarkedRecord::Labelled),
        seq: entry,
        at: Now { mono: Mono(0), wall: at_ms },
        after: after_ms.map(Duration::from_millis),
    })
}

/// Takes up the bookmarks that were kept; whether they may be written again. What cannot be read is said, and
/// left as it is.
pub(crate) fn restore(ui: &mut Ui, saved: &SavedBookmarks, now: Now) -> bool {
    let max = ui.limits.console.bookmarks_max;
    let read = |text: &Option<String>| text.as_ref().map_or_else(|| Ok(Vec::new()), |text| read(text, max));
    match saved.text.as_ref().map_err(Clone::clone).and_then(read) {
        Ok(bookmarks) => {
            ui.bookmarks = Bookmarks::of(bookmarks);
            true
        }
        Err(why) => {
            let file = saved.file.display();
            let text = format!("{file}: {why}: the file is left as it is, and bookmarks are not kept");
            show_file_error(ui, text, now);
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::{input::pane_id::PaneId, records::record_key::KeyKind};

    const ROW: KeyKind<u64> = KeyKind::new("row");

    fn bookmarks() -> Bookmarks {
        let of = |seq, pane, record| Bookmark {
            view: ViewId::Journal,
            pane,
            record,
            seq: Seq(seq),
            at: Now { mono: Mono(0), wall: Wall(seq * 1_000) },
            after: (seq == 9).then_some(Duration::from_secs(8)),
        };
        let key = BookmarkedRecord::Key(ROW.of(7));
        Bookmarks::of(vec![of(7, Some(PaneId::Queues), Some(key)), of(9, None, None)])
    }

    #[test]
    fn bookmarks_are_read_as_they_were_written() {
        let text = write(&bookmarks());
        let read = read(&text, 2).unwrap();
        assert_eq!(read[0].record, Some(BookmarkedRecord::Labelled("row(7)".to_owned())));
        assert!(read[0].record.as_ref().unwrap().is_of(&ROW.of(7)));
        assert_eq!((read[1].pane, read[1].seq, read[1].at.wall), (None, Seq(9), Wall(9_000)));
        assert_eq!([read[0].after, read[1].after], [None, Some(Duration::from_secs(8))]);
        assert_eq!(write(&Bookmarks::of(read)), text);
    }

    #[test]
    fn what_is_no_such_file_is_refused_with_the_reason() {
        let text = write(&bookmarks());
        let why = |text: &str| read(text, 2).unwrap_err();
        assert!(read(&text, 1).unwrap_err().contains("limits.console.bookmarks_max"));
        assert!(why(&text.replace("\"version\":1", "\"version\":2")).contains("version 2"));
        assert!(why(&text.replace("Journal", "Nowhere")).contains("no view is called `Nowhere`"));
        assert!(why(&text.replace("queues", "nothing")).contains("no pane is called `nothing`"));
        for wrong in ["", "[]", "{\"version\":1}", &text[1..]] {
            assert!(!why(wrong).is_empty());
        }
    }
}
