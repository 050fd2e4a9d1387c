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
    /// How the operator hears of alerts.
    pub alerts: AlertRules,
}

/// How the operator hears of alerts. When there is one the station judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertRules {
    /// Whether the terminal's bell rings.
    pub bell: bool,
    /// Whether the terminal is asked for a desktop notification.
    pub desktop: Desktop,
}

impl Default for AlertRules {
    fn default() -> Self {
        Self { bell: true, desktop: Desktop::Off }
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
