//! What can happen to a console.

use crossterm::event::{KeyEvent, MouseEvent};

use crate::{
    console::{
        settings::{config_watcher::Fault, shell::SubcommandResult},
        ui::effect::{Effect, OnOutcome, OnPage, OnTree},
        worker::{FrameAnswer, OpeningAnswer, SnippetAnswer},
    },
    dissect::Tree,
    port::{Outcome, Page, PortError},
    time::Mono,
};

/// One thing that happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// A key was pressed.
    Key {
        key: KeyEvent,
        /// When it was read from the terminal.
        at: Mono,
    },
    /// Text was pasted, at most 1 MiB of it.
    Paste(String),
    /// The mouse was used.
    Mouse(MouseEvent),
    /// The terminal has this size now.
    Resize { columns: u16, rows: u16 },
    /// A second of the wall clock began.
    Tick,
    /// Entries were folded, or a snapshot was taken.
    Data,
    /// A command was answered.
    CommandAnswered { on_outcome: Box<dyn OnOutcome>, outcome: Result<Outcome, PortError> },
    /// Looks were read again: what is wrong with them, what takes effect later, and what they say of being on
    /// air where that changed.
    Reloaded { faults: Vec<Fault>, later: Vec<String>, on_air: Option<bool> },
    /// A query was answered.
    QueryAnswered { on_page: Box<dyn OnPage>, page: Result<Page, PortError> },
    /// The bytes of an entry were read, or another entry took their place.
    Decoded { number: u64, tree: Option<Tree> },
    /// An object was read, or another took its place.
    ObjectRead { on_tree: Box<dyn OnTree>, tree: Option<Tree> },
    /// A frame of the workbench was made or read, or another took its place.
    Frame { number: u64, answer: Option<Box<FrameAnswer>> },
    /// Something was done with openings, or something newer took its place.
    Opening(Option<OpeningAnswer>),
    /// Snippets were listed or one was saved, or something newer took its place.
    Snippets(Option<SnippetAnswer>),
    /// An export was written, or not: a message.
    Exported(Result<String, String>),
    /// A subcommand ended.
    SubcommandEnded { number: u64, ran: SubcommandResult },
}

impl Event {
    /// The answer to what cannot be asked, because too many questions are open already.
    pub(crate) fn refused(effect: Effect) -> Option<Self> {
        let busy = PortError::Busy { what: "the console's list of open requests".to_owned() };
        match effect {
            Effect::Command { on_outcome, .. } => {
                Some(Self::CommandAnswered { on_outcome, outcome: Err(busy) })
            }
            Effect::Query { on_page, .. } => Some(Self::QueryAnswered { on_page, page: Err(busy) }),
            _ => None,
        }
    }
}

/// What comes from the terminal.
#[derive(Debug)]
pub(crate) enum TerminalEvent {
    /// A key, a click, a size.
    Event(Event),
    /// The process was stopped and goes on: others had the terminal meanwhile.
    Resumed,
    /// The terminal is gone.
    HangUp,
}
