//! As what something is copied.

use crate::console::input::action::Action;

/// As what something is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyForm {
    /// The chosen cell's value, or what is told.
    Cell,
    /// The whole record, as `--json` prints it where a subcommand does.
    Json,
    /// The frame's bytes, for people.
    Hex,
    /// The frame, as it was.
    Frame,
    /// The command line that shows it.
    Line,
    /// The command line that gives the same work again.
    Again,
    /// The command line that injects the frame.
    Inject,
    /// The ladder that is shown, as a sequence diagram in Mermaid's language.
    Diagram,
}

impl CopyForm {
    /// All of them, in the order of the menu.
    pub(crate) const ALL: [Self; 8] = [
        Self::Cell,
        Self::Json,
        Self::Hex,
        Self::Frame,
        Self::Line,
        Self::Again,
        Self::Inject,
        Self::Diagram,
    ];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Cell => "cell",
            Self::Json => "JSON",
            Self::Hex => "hex",
            Self::Frame => "frame",
            Self::Line => "command to show it",
            Self::Again => "command to invoke again",
            Self::Inject => "command to inject",
            Self::Diagram => "sequence diagram",
        }
    }

    /// What copies it.
    pub(crate) const fn action(self) -> Action {
        match self {
            Self::Cell => Action::CopyCell,
            Self::Json => Action::CopyJson,
            Self::Hex => Action::CopyHex,
            Self::Frame => Action::CopyFrame,
            Self::Line => Action::CopyLine,
            Self::Again => Action::CopyAgain,
            Self::Inject => Action::CopyInject,
            Self::Diagram => Action::CopyDiagram,
        }
    }

    /// What an action copies, if it copies.
    pub(crate) fn of(action: Action) -> Option<Self> {
        if action == Action::Copy {
            Some(Self::Cell)
        } else {
            Self::ALL.into_iter().find(|form| form.action() == action)
        }
    }
}
