//! What of a console's configuration can change while it runs.

use crate::console::{draw::theme::Theme, input::keymap::Keymap};

/// What of a console's configuration can change while it runs.
#[derive(Clone, Debug, Default)]
pub struct AppearanceSettings {
    /// The name of a theme; one that is not there gives `midnight`.
    pub theme: String,
    /// The user's own themes, at the depth of the terminal.
    pub themes: Vec<Theme>,
    /// Draw with ASCII alone.
    pub ascii: bool,
    /// Take the mouse.
    pub mouse: bool,
    /// Mask logins, chat text and payload values from the start. Taken back in a file, it unmasks no running
    /// show.
    pub on_air: bool,
    /// Which key means what.
    pub keymap: Keymap,
    /// When and how the operator is alerted.
    pub alerts: AlertRules,
}

/// When and how the operator is alerted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertRules {
    /// No adapter is connected for so long, in seconds, after one was; 0 turns the rule off.
    pub adapter_gone_s: u64,
    /// The head of a queue waits for so long, in seconds, while the operator does not hold it; 0 turns the
    /// rule off.
    pub head_waiting_s: u64,
    /// Whether the terminal's bell rings.
    pub bell: bool,
    /// Whether the terminal is asked for a desktop notification.
    pub desktop: Desktop,
}

impl Default for AlertRules {
    fn default() -> Self {
        Self { adapter_gone_s: 5, head_waiting_s: 30, bell: true, desktop: Desktop::Off }
    }
}

/// How a terminal is asked for a desktop notification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Desktop {
    /// Not at all.
    #[default]
    Off,
    /// `OSC 9 ; text`: iTerm2, Windows Terminal, foot, `WezTerm`.
    Osc9,
    /// `OSC 777 ; notify ; title ; text`: urxvt, foot, Ghostty, `WezTerm`.
    Osc777,
}
