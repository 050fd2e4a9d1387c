//! The subcommands that the palette offers, and who runs them: a console knows neither their grammar nor
//! processes.

use std::{any::Any, fmt, future::Future, path::PathBuf, pin::Pin, sync::Arc};

use super::{bookmark_keeper::SavedBookmarks, recordings::RecordingOpener};
use crate::{
    console::worker::{OpeningFiles, SnippetFolder},
    manual::LazyManual,
    time::Wall,
};

/// What the palette offers beside the actions of a place.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// Every subcommand there is.
    pub subcommands: Arc<[Subcommand]>,
    /// The manual.
    pub manual: LazyManual,
    /// Lines that were run before, the oldest first.
    pub history: Vec<String>,
    /// Filters that were kept before, the oldest first.
    pub filters: Vec<String>,
    /// How panes were looked at in the last start.
    pub layout: Option<SavedLayout>,
    /// The opening that was being written in the last start, as it was given to be kept.
    pub draft: Option<String>,
    /// The openings that were submitted lately, as they were given to be kept.
    pub recent: Option<String>,
    /// What the workbench had in the last start.
    pub frames: SavedFrames,
    /// The bookmarks of the recording that is shown; none where a station is.
    pub bookmarks: Option<SavedBookmarks>,
    /// Who opens recordings; where there is none, none is opened from here.
    pub recordings: Option<Arc<dyn RecordingOpener>>,
    /// The files of openings; none where no folder is known.
    pub opening_files: Option<Arc<dyn OpeningFiles>>,
    /// The user's own snippets; none where no folder is known.
    pub snippets: Option<Arc<dyn SnippetFolder>>,
    /// Who runs them; nobody where there is none.
    pub runner: Option<Arc<dyn Runner>>,
    /// Whether a recording is shown.
    pub is_for_recording: bool,
}

impl Shell {
    /// That of a console which shows a recording: it opens no other.
    #[must_use]
    pub fn for_recording(self) -> Self {
        let of = |it: &Subcommand| match it.runnable {
            Runnable::Over { or_with } => {
                let why = "a recording is shown here already: quit it first, use --plain, or";
                Subcommand { runnable: Runnable::HereWith(or_with, why), ..it.clone() }
            }
            _ => it.clone(),
        };
        Self {
            subcommands: self.subcommands.iter().map(of).collect(),
            recordings: None,
            is_for_recording: true,
            ..self
        }
    }
}

impl Shell {
    /// That of a console over another one: what is edited there begins anew and is not saved, for what the
    /// other one has been editing would be written over.
    #[must_use]
    pub fn that_saves_nothing(self) -> Self {
        let runner = self.runner.map(|runner| Arc::new(SavesNothing(runner)) as Arc<dyn Runner>);
        Self { draft: None, recent: None, frames: SavedFrames::default(), runner, ..self }
    }
}

/// Runs subcommands, and remembers lines and filters, but saves nothing that is edited.
#[derive(Debug)]
struct SavesNothing(Arc<dyn Runner>);

impl Runner for SavesNothing {
    fn run(&self, words: &[String], replayed: Option<&ReplayedMoment>) -> RunningSubcommand {
        self.0.run(words, replayed)
    }

    fn remember(&self, line: &str) {
        self.0.remember(line);
    }

    fn remember_filter(&self, text: &str) {
        self.0.remember_filter(text);
    }

    fn save_layout(&self, _text: &str) {}

    fn save_draft(&self, _text: &str) {}

    fn save_recent(&self, _text: &str) {}

    fn save_frame_draft(&self, _text: DeferredText) {}

    fn save_sent_frames(&self, _text: DeferredText) {}
}

/// A text that is made where it is written, off the screen's thread; nothing where there is none after all.
pub type DeferredText = Box<dyn FnOnce() -> Option<String> + Send>;

/// How panes were looked at in the last start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedLayout {
    /// Where it is kept.
    pub file: PathBuf,
    /// What was kept there, if anything was yet, or why it cannot be read.
    pub text: Result<Option<String>, String>,
}

/// What the workbench had in the last start, as it was given to be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedFrames {
    /// The frame that was being edited.
    pub draft: Option<String>,
    /// The frames that were sent.
    pub sent: Option<String>,
    /// Files that could not be read and were set aside: each with the reason, for people.
    pub troubles: Vec<String>,
}

/// A subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subcommand {
    /// Its words: `pack check`.
    pub name: String,
    /// What it does, in one line.
    pub about: String,
    /// How it is written.
    pub usage: String,
    /// Whether it does nothing without more words.
    pub needs_more: bool,
    /// Whether it can be run from within the console.
    pub runnable: Runnable,
    /// Whether it is an earlier name: it runs, and is not offered.
    pub is_earlier: bool,
}

/// Whether a subcommand can be run from within the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runnable {
    /// It can.
    Here,
    /// It cannot, and why.
    Elsewhere(&'static str),
    /// It can with this flag; why not without.
    HereWith(&'static str, &'static str),
    /// The console does it itself, over the station that it shows; with this flag it is run.
    Over {
        /// The flag.
        or_with: &'static str,
    },
}

impl Subcommand {
    /// Why these words of it cannot be run from within the console.
    pub(crate) fn unavailable(&self, words: &[String]) -> Option<&'static str> {
        match self.runnable {
            Runnable::Here | Runnable::Over { .. } => None,
            Runnable::Elsewhere(why) => Some(why),
            Runnable::HereWith(flag, why) => (!has_flag(words, flag)).then_some(why),
        }
    }

    /// Whether the console does these words of it itself.
    pub(crate) fn is_over(&self, words: &[String]) -> bool {
        matches!(self.runnable, Runnable::Over { or_with } if !has_flag(words, or_with))
    }

    /// How many of these words name it: all of its own, or only the first where the rest is still missing or
    /// mistyped.
    fn matched_words(&self, words: &[String]) -> usize {
        let own: Vec<&str> = self.name.split(' ').collect();
        own.iter().zip(words).take_while(|(own, word)| *own == word).count()
    }

    /// A command line in two: what names a subcommand, and what it is given. What is given can quote anybody.
    pub(crate) fn split_line<'a>(all: &[Self], line: &'a str) -> (&'a str, &'a str) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let named = Self::resolve(all, &words).map_or(1, |it| it.matched_words(&words));
        let ends = |end: usize, word: &str| end + line[end..].find(word).unwrap_or(0) + word.len();
        line.split_at(line.split_whitespace().take(named).fold(0, ends))
    }

    /// The subcommand that words are meant for.
    pub(crate) fn resolve<'a>(all: &'a [Self], words: &[String]) -> Option<&'a Self> {
        // Of several that are named as well, the first.
        let named = all.iter().rev().map(|it| (it.matched_words(words), it));
        named.filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count).map(|(_, it)| it)
    }
}

fn has_flag(words: &[String], flag: &str) -> bool {
    let is_it =
        |word: &String| word == flag || word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='));
    words.iter().any(is_it)
}

/// The moment of a recording that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedMoment {
    /// The recording's files.
    pub files: Arc<[PathBuf]>,
    /// The moment, with all of its millisecond.
    pub at: Wall,
}

/// Runs subcommands for a console, and keeps the lines that were typed.
pub trait Runner: Send + Sync + fmt::Debug {
    /// Starts a subcommand: of the station, or of what is replayed in its place, which nothing is done to. It
    /// must not wait for anything.
    fn run(&self, words: &[String], replayed: Option<&ReplayedMoment>) -> RunningSubcommand;

    /// Keeps a line for the next start. It must not wait for anything, and may fail silently.
    fn remember(&self, line: &str);

    /// Keeps a filter for the next start. It must not wait for anything, and may fail silently.
    fn remember_filter(&self, text: &str);

    /// Keeps how panes are looked at for the next start. It must not wait for anything, and may fail
    /// silently.
    fn save_layout(&self, text: &str);

    /// Keeps an opening that is being written for the next start. It must not wait for anything, and may fail
    /// silently.
    fn save_draft(&self, text: &str);

    /// Keeps the openings that were submitted lately for the next start. It must not wait for anything, and
    /// may fail silently.
    fn save_recent(&self, text: &str);

    /// Keeps the frame that is edited in the workbench for the next start. It must not wait for anything, and
    /// may fail silently.
    fn save_frame_draft(&self, text: DeferredText);

    /// Keeps the frames that the workbench sent for the next start. It must not wait for anything, and may
    /// fail silently.
    fn save_sent_frames(&self, text: DeferredText);
}

/// A subcommand that runs.
pub struct RunningSubcommand {
    /// Its end.
    pub end: Pin<Box<dyn Future<Output = SubcommandResult> + Send>>,
    /// Dropped, it is killed.
    pub kill_guard: Box<dyn Any + Send>,
}

/// What became of a subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubcommandResult {
    /// What it printed, stdout and stderr as they came.
    pub output: String,
    /// Whether it printed more than was kept.
    pub cut: bool,
    /// How it ended.
    pub end: SubcommandEnd,
}

/// How a subcommand ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubcommandEnd {
    /// With this code.
    Exited(i32),
    /// It took longer than this many seconds and was killed.
    TimedOut(u64),
    /// It was killed.
    Killed,
    /// It could not be run.
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subcommand(name: &str, runs: Runnable) -> Subcommand {
        Subcommand {
            name: name.to_owned(),
            about: String::new(),
            usage: name.to_owned(),
            needs_more: false,
            runnable: runs,
            is_earlier: false,
        }
    }

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn words_mean_the_subcommand_that_they_name_most_of() {
        let all = ["pack check", "pack hash", "cancel invocation", "ls"]
            .map(|name| subcommand(name, Runnable::Here));
        let meant = |line: &str| Subcommand::resolve(&all, &words(line)).map(|it| it.name.as_str());
        assert_eq!(meant("pack hash x.toml"), Some("pack hash"));
        assert_eq!(meant("pack x"), Some("pack check"));
        assert_eq!(meant("cancel 99 --refund"), Some("cancel invocation"));
        assert_eq!(meant("lsx"), None);
    }

    #[test]
    fn what_a_subcommand_is_given_stands_apart_from_its_name() {
        let all = ["pack check", "invoke", "ls"].map(|name| subcommand(name, Runnable::Here));
        let parted = |line| Subcommand::split_line(&all, line);
        assert_eq!(parted(" pack  check 'a b.toml'"), (" pack  check", " 'a b.toml'"));
        assert_eq!(parted("invoke give_item --user LVIEWER"), ("invoke", " give_item --user LVIEWER"));
        assert_eq!(parted("pack"), ("pack", ""));
        assert_eq!(parted("hold-all"), ("hold-all", ""));
        assert_eq!(parted("LVIEWER said"), ("LVIEWER", " said"));
        assert_eq!(parted(""), ("", ""));
    }

    #[test]
    fn a_flag_can_make_it_fit_to_run_here() {
        let pair = subcommand("pair", Runnable::HereWith("--out", "it prints the token"));
        assert_eq!(pair.unavailable(&words("pair --rotate")), Some("it prints the token"));
        assert_eq!(pair.unavailable(&words("pair --out token")), None);
        assert_eq!(pair.unavailable(&words("pair --out=token")), None);
        assert!(pair.unavailable(&words("pair --output=token")).is_some());
    }

    #[test]
    fn a_recording_is_opened_over_a_station_and_not_over_another() {
        let replay = subcommand("replay", Runnable::Over { or_with: "--plain" });
        let (alone, plain) = (words("replay a.mcap"), words("replay a.mcap --plain"));
        assert!(replay.is_over(&alone) && !replay.is_over(&plain));
        assert_eq!((replay.unavailable(&alone), replay.unavailable(&plain)), (None, None));
        let shell = Shell { subcommands: Arc::new([replay]), ..Shell::default() }.for_recording();
        let replay = &shell.subcommands[0];
        assert!(!replay.is_over(&alone) && replay.unavailable(&alone).is_some());
        assert_eq!(replay.unavailable(&plain), None);
    }
}
