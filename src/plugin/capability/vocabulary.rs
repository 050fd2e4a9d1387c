//! The strings of the catalogue (streamnook-host, Vocabulary).

/// Defines an enumeration for each list of the manifest's `[capabilities]`, and the one over all of them.
macro_rules! vocabulary {
    ($( $(#[$kdoc:meta])* $Kind:ident($(#[$doc:meta])* $Name:ident) {
        $( $(#[$vdoc:meta])* $variant:ident = $text:literal ),* $(,)?
    } )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum $Name {
                $( $(#[$vdoc])* $variant, )*
            }

            impl $Name {
                /// All of them, in the order of the catalogue.
                pub const ALL: [Self; [ $( $text, )* ].len()] = [ $( Self::$variant, )* ];

                /// Its string.
                #[must_use]
                pub const fn name(self) -> &'static str {
                    match self { $( Self::$variant => $text, )* }
                }

                /// The one of this string.
                #[must_use]
                pub fn from_name(name: &str) -> Option<Self> {
                    match name { $( $text => Some(Self::$variant), )* _ => None }
                }
            }
        )*

        /// One capability: a string of the catalogue. No two kinds share a string.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Capability {
            $( $(#[$kdoc])* $Kind($Name), )*
        }

        impl Capability {
            /// All of them, in the order of the catalogue.
            pub const ALL: [Self; [ $( $( $text, )* )* ].len()] =
                [ $( $( Self::$Kind($Name::$variant), )* )* ];

            /// Its string.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$Kind(it) => it.name(), )* }
            }

            /// The one of this string.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $( $( $text => Some(Self::$Kind($Name::$variant)), )* )* _ => None }
            }
        }

        $(
            impl From<$Name> for Capability {
                fn from(it: $Name) -> Self {
                    Self::$Kind(it)
                }
            }
        )*
    };
}

vocabulary! {
    /// `capabilities.events`: an event is delivered.
    Event(
        /// An event that the host delivers.
        Hook
    ) {
        /// A channel plays, and none did before.
        OnStreamStart = "on_stream_start",
        /// Nothing plays.
        OnStreamStop = "on_stream_stop",
        /// Another channel plays.
        OnChannelChange = "on_channel_change",
        /// Every 60 s.
        OnWatchTick = "on_watch_tick",
        /// Which followed channels are live.
        OnFollowedLive = "on_followed_live",
        /// A chat message was written.
        OnChatMessage = "on_chat_message",
        /// Reserved: settings of the host changed.
        OnSettingsChange = "on_settings_change",
        /// The operator set values of the plugin's panel. Needs [`UiPart::Panel`] too.
        OnPanelChange = "on_panel_change",
    }
    /// `capabilities.host_methods`: a method may be called.
    HostMethod(
        /// A method that the plugin may call by that name alone; see [`Method`](super::Method) for all.
        HostMethod
    ) {
        /// Which followed channels are live.
        GetFollowedLive = "get_followed_live",
        /// Set the playlist of a relay session.
        SetUpstream = "set_upstream",
        /// Show the operator a notice.
        Notify = "notify",
        /// Write a line to the plugin's log.
        Log = "log",
        /// Declare the panel. Needs [`UiPart::Panel`] too.
        RegisterPanel = "register_panel",
        /// Read the panel's values. Needs [`UiPart::Panel`] too.
        GetPanelValues = "get_panel_values",
    }
    /// `capabilities.credentials`: `get_credential` of that kind may be called.
    Credential(
        /// A kind of credential.
        CredentialKind
    ) {
        /// The token of the Twitch login.
        TwitchAndroid = "twitch.android",
    }
    /// `capabilities.ui`: a part of the screen.
    Ui(
        /// A part of the screen that a plugin may fill.
        UiPart
    ) {
        /// A settings panel.
        Panel = "panel",
    }
}

impl Capability {
    /// Its index in [`ALL`](Self::ALL).
    pub(super) const fn index(self) -> usize {
        let methods = Hook::ALL.len();
        let credentials = methods + HostMethod::ALL.len();
        let ui = credentials + CredentialKind::ALL.len();
        match self {
            Self::Event(it) => it as usize,
            Self::HostMethod(it) => methods + it as usize,
            Self::Credential(it) => credentials + it as usize,
            Self::Ui(it) => ui + it as usize,
        }
    }
}

impl std::fmt::Display for Capability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a name of the catalogue is that of a credential.
#[must_use]
pub fn is_credential(name: &str) -> bool {
    matches!(Capability::from_name(name), Some(Capability::Credential(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// streamnook-host, Vocabulary.
    const VOCABULARY: [&str; 16] = [
        "on_stream_start",
        "on_stream_stop",
        "on_channel_change",
        "on_watch_tick",
        "on_followed_live",
        "on_chat_message",
        "on_settings_change",
        "on_panel_change",
        "get_followed_live",
        "set_upstream",
        "notify",
        "log",
        "register_panel",
        "get_panel_values",
        "twitch.android",
        "panel",
    ];

    #[test]
    fn the_vocabulary_is_that_of_the_catalogue_and_reads_back() {
        assert_eq!(Capability::ALL.map(Capability::name), VOCABULARY);
        for (at, capability) in Capability::ALL.into_iter().enumerate() {
            assert_eq!(capability.index(), at);
            assert_eq!(Capability::from_name(capability.name()), Some(capability));
        }
        for unknown in ["", "get_credential", "set_status", "On_Stream_Start", "panel ", "twitch"] {
            assert_eq!(Capability::from_name(unknown), None, "{unknown}");
        }
        assert_eq!(Hook::from_name("on_watch_tick"), Some(Hook::OnWatchTick));
        assert_eq!(HostMethod::from_name("on_watch_tick"), None);
    }
}
