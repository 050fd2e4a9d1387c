//! What actions are listed together.

use super::action::Action;

/// What actions are told together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// What is done here.
    Here,
    /// The show as a whole.
    Show,
    /// Moving about.
    Moving,
    /// Stopping time.
    Time,
    /// The screen itself.
    Screen,
}

impl Group {
    /// All of them, the most used first.
    pub(crate) const ALL: [Self; 5] = [Self::Here, Self::Show, Self::Moving, Self::Time, Self::Screen];

    /// Its title in the manual, where there is no place that keys are listed of.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Here => "Records and dialogs",
            _ => self.name(),
        }
    }

    /// Its name, as help has it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Here => "Here",
            Self::Show => "Station",
            Self::Moving => "Moving",
            Self::Time => "Time",
            Self::Screen => "Screen",
        }
    }
}

impl Action {
    /// What it is told with.
    pub(crate) const fn group(self) -> Group {
        match self {
            Self::HoldAll
            | Self::ResumeAll
            | Self::Kick
            | Self::Invoke
            | Self::Submit
            | Self::Workbench
            | Self::Gate
            | Self::PassAllFrames
            | Self::Record
            | Self::Clip
            | Self::Alerts
            | Self::Detach
            | Self::StopStation
            | Self::Quit => Group::Show,
            Self::PlaceBefore
            | Self::FocusNext
            | Self::FocusPrevious
            | Self::Up
            | Self::Down
            | Self::Left
            | Self::Right
            | Self::PageUp
            | Self::PageDown
            | Self::First
            | Self::Last
            | Self::Live
            | Self::Bookmark
            | Self::Jump
            | Self::NextHit
            | Self::PreviousHit
            | Self::RelatedNext
            | Self::RelatedPrevious
            | Self::Ladder
            | Self::Return
            | Self::NextField
            | Self::PreviousField => Group::Moving,
            _ if self.is_of_time() => Group::Time,
            Self::OnAir
            | Self::Zoom
            | Self::NextTheme
            | Self::FreeMouse
            | Self::Help
            | Self::Keys
            | Self::Manual
            | Self::Palette
            | Self::Back
            | Self::Close => Group::Screen,
            _ if self.view().is_some() => Group::Screen,
            _ => Group::Here,
        }
    }
}
