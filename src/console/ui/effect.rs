//! What an update wants done.

use std::fmt::Debug;

use super::{message::show_message, state::Ui};
use crate::{
    console::{
        input::pane_id::PaneId,
        records::{paged_list::error_text, record_key::Id},
        worker::{DecodeJob, ExportJob, FrameJob, ObjectJob, OpeningJob, SnippetJob},
    },
    dissect::Tree,
    port::{Command, Outcome, Page, PortError, Query, ReplayAct},
    time::Now,
};

/// Something to be done outside the user interface.
#[derive(Debug, PartialEq)]
pub(crate) enum Effect {
    /// Give the station a command.
    Command { command: Command, on_outcome: Box<dyn OnOutcome> },
    /// Ask the station.
    Query { query: Query, on_page: Box<dyn OnPage> },
    /// End the console, and the station of this process with it.
    Quit,
    /// End the console; the station goes on.
    Detach,
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Put this into the terminal's clipboard.
    Copy(Vec<u8>),
    /// The show is on air, or no more.
    OnAir(bool),
    /// Move the replay.
    Replay(ReplayAct),
    /// Open the recording that these words of `replay` name, and show it over this station.
    OpenRecording { words: Vec<String> },
    /// Run a subcommand; its end comes back with this number.
    Run { number: u64, words: Vec<String> },
    /// Kill that subcommand.
    StopRun { number: u64 },
    /// Have the bytes of an entry read beside the screen's thread; its tree comes back with the number of the
    /// job.
    Decode(Box<DecodeJob>),
    /// Have an object of a lifecycle record read beside the screen's thread; its tree comes back.
    ReadObject { job: Box<ObjectJob>, on_tree: Box<dyn OnTree> },
    /// Have a large frame made or read beside the screen's thread; what came of it comes back.
    Frame(Box<FrameJob>),
    /// Have something done with openings beside the screen's thread; what came of it comes back.
    Opening(Box<OpeningJob>),
    /// Have snippets listed or saved beside the screen's thread; what came of it comes back.
    Snippet(Box<SnippetJob>),
    /// Write what a pane shows to a file beside the screen's thread; a message of it comes back.
    Export(Box<ExportJob>),
    /// Keep an opening that is being written for the next start.
    SaveDraft(String),
    /// Keep the openings that were submitted lately for the next start.
    SaveRecent(String),
    /// Keep the frame that is edited in the workbench for the next start.
    SaveFrameDraft(Box<dyn Unwritten>),
    /// Keep the frames that the workbench sent for the next start.
    SaveSentFrames(Box<dyn Unwritten>),
    /// Keep the bookmarks of a recording with it.
    SaveBookmarks(String),
    /// Keep a line of the palette for the next start.
    Remember(String),
    /// Keep a filter for the next start.
    RememberFilter(String),
    /// Keep how panes are looked at for the next start.
    SaveLayout(String),
}

impl Effect {
    /// A command, and who is told of its outcome.
    pub(crate) fn command(command: Command, on_outcome: impl OnOutcome) -> Self {
        Self::Command { command, on_outcome: Box::new(on_outcome) }
    }

    /// A question, and who is told of the answer.
    pub(crate) fn query(query: Query, on_page: impl OnPage) -> Self {
        Self::Query { query, on_page: Box::new(on_page) }
    }
}

/// Who is told of the outcome of a command.
pub(crate) trait OnOutcome: Id {
    /// Takes the outcome; what is to be done then.
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect>;
}

/// A command whose outcome is a message.
pub(crate) trait OutcomeText: Id {
    /// The message, and whether it is an error; nothing where the screen shows the outcome by itself.
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)>;
}

impl<T: OutcomeText> OnOutcome for T {
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        let text = match outcome {
            Ok(outcome) => self.text(&outcome),
            Err(error) => Some((error_text(&error), true)),
        };
        if let Some((text, is_error)) = text {
            show_message(ui, text, is_error, now);
        }
        Vec::new()
    }
}

/// Who is told of the answer to a question. An answer for something that was closed meanwhile is dropped.
pub(crate) trait OnPage: Id {
    /// Takes the answer.
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, now: Now);
}

/// Who is told of the values of an object. An answer for one that was folded meanwhile is dropped.
pub(crate) trait OnTree: Id {
    /// Takes the values; nothing where another object took its place.
    fn on_tree(&self, ui: &mut Ui, tree: Option<Tree>);
}

/// A text that is made where it is written, as making it takes long.
pub(crate) trait Unwritten: Debug + Send {
    /// It; nothing where there is none after all.
    fn text(&self) -> Option<String>;
}

/// A part of what a pane shows of the store, by the number of its question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PanePage {
    pub(crate) pane: PaneId,
    pub(crate) serial: u64,
}

impl OnPage for PanePage {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, _now: Now) {
        ui.paged_lists.take(&mut ui.systems, self.pane, self.serial, page);
    }
}

impl PartialEq for dyn OnOutcome {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl PartialEq for dyn OnTree {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl PartialEq for dyn Unwritten {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl PartialEq for dyn OnPage {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}
