//! Drafts of openings, kept from one start to the next: small JSON files that a person can read.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{limits, time::Wall};

/// The version of what is written.
const VERSION: u64 = 1;

/// An opening as it was written last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Draft {
    pub(crate) text: String,
    /// The file that it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<PathBuf>,
}

/// An opening that was submitted, or left for another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recent {
    pub(crate) name: String,
    /// When.
    pub(crate) at_ms: Wall,
    /// Whether it was accepted as a run.
    #[serde(default)]
    pub(crate) was_run: bool,
    #[serde(flatten)]
    pub(crate) draft: Draft,
}

#[derive(Serialize, Deserialize)]
struct File<T> {
    version: u64,
    #[serde(flatten)]
    rest: T,
}

#[derive(Serialize, Deserialize)]
struct Recents {
    openings: Vec<Recent>,
}

/// The drafts.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpeningDrafts {
    draft: Option<Draft>,
    /// The newest first.
    recent: Vec<Recent>,
    /// Whether files can be read here.
    pub(crate) has_files: bool,
    recent_max: usize,
    bytes_max: usize,
}

fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    let file: File<T> = serde_json::from_str(text).ok()?;
    (file.version == VERSION).then_some(file.rest)
}

fn write<T: Serialize>(rest: T) -> String {
    serde_json::to_string(&File { version: VERSION, rest }).unwrap_or_default()
}

impl OpeningDrafts {
    /// What was kept. A text that cannot be read is as none.
    pub(crate) fn new(
        draft: Option<&str>,
        recent: Option<&str>,
        has_shelf: bool,
        limits: &limits::Console,
    ) -> Self {
        let whole = |bound: u64| usize::try_from(bound).unwrap_or(usize::MAX);
        let mut openings = Self {
            draft: draft.and_then(read),
            recent: recent.and_then(read).map_or_else(Vec::new, |recents: Recents| recents.openings),
            has_files: has_shelf,
            recent_max: whole(limits.recent_openings_max),
            bytes_max: whole(limits.recent_openings_bytes_max),
        };
        openings.trim();
        openings
    }

    /// The draft.
    pub(crate) const fn draft(&self) -> Option<&Draft> {
        self.draft.as_ref()
    }

    /// Keeps a draft; what is to be written where it is another than before.
    pub(crate) fn save_draft(&mut self, draft: Draft) -> Option<String> {
        if self.draft.as_ref() == Some(&draft) {
            return None;
        }
        let text = write(&draft);
        self.draft = Some(draft);
        Some(text)
    }

    /// The newest first.
    pub(crate) fn recent(&self) -> &[Recent] {
        &self.recent
    }

    /// Keeps one in front of the others, in place of the same text; what is to be written.
    pub(crate) fn save_recent(&mut self, recent: Recent) -> String {
        self.recent.retain(|known| known.draft.text != recent.draft.text);
        self.recent.insert(0, recent);
        self.trim();
        write(Recents { openings: self.recent.clone() })
    }

    fn trim(&mut self) {
        self.recent.truncate(self.recent_max);
        let mut bytes = 0_usize;
        let fit = self.recent.iter().take_while(|recent| {
            bytes = bytes.saturating_add(recent.draft.text.len());
            bytes <= self.bytes_max
        });
        let fit = fit.count().max(1);
        self.recent.truncate(fit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recent(name: &str, text: &str) -> Recent {
        Recent {
            name: name.to_owned(),
            at_ms: Wall(7),
            was_run: true,
            draft: Draft { text: text.to_owned(), origin: None },
        }
    }

    #[test]
    fn what_was_kept_is_there_again_and_no_more_than_its_bounds() {
        let limits = limits::Console {
            recent_openings_max: 3,
            recent_openings_bytes_max: 10,
            ..limits::Limits::default().console
        };
        let mut openings = OpeningDrafts::new(None, None, true, &limits);
        for (name, text) in [("a", "aa"), ("b", "bb"), ("a", "aa"), ("c", "cccc"), ("d", "dddd")] {
            openings.save_recent(recent(name, text));
        }
        let names =
            |openings: &OpeningDrafts| openings.recent().iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&openings), ["d", "c", "a"], "the same text stands once");
        let written = openings.save_recent(recent("e", "eeeee"));
        assert_eq!(names(&openings), ["e", "d"], "ten bytes in all");
        let draft = Draft { text: "nodes:".to_owned(), origin: Some("/x/poll.yaml".into()) };
        let kept = openings.save_draft(draft.clone()).unwrap();
        assert_eq!(openings.save_draft(draft.clone()), None, "it is written once");
        let again = OpeningDrafts::new(Some(&kept), Some(&written), true, &limits);
        assert_eq!((again.draft(), names(&again)), (Some(&draft), names(&openings)));
    }

    #[test]
    fn what_is_no_such_file_or_of_another_version_is_as_none() {
        let limits = limits::Limits::default().console;
        for text in ["", "{", "[]", r#"{"version":2,"text":"x"}"#] {
            let openings = OpeningDrafts::new(Some(text), Some(text), false, &limits);
            assert!(openings.draft().is_none() && openings.recent().is_empty(), "{text}");
        }
    }
}
