//! The methods that a plugin calls (streamnook-host, Host methods).

use super::{CredentialKind, HostMethod};

/// What a method needs to be granted (ruling Plugins 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The entry of `host_methods`.
    HostMethod(HostMethod),
    /// The entry of `host_methods`, and `panel` of `ui`.
    Panel(HostMethod),
    /// The kind of credential that the params name.
    CredentialKind,
    /// That the manifest declares a status slot.
    StatusSlots,
}

macro_rules! methods {
    ($( $(#[$doc:meta])* $variant:ident = $text:expr, $gate:expr; )*) => {
        /// A method that the host has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Method {
            $( $(#[$doc])* $variant, )*
        }

        impl Method {
            /// All of them, in the order of the catalogue.
            pub const ALL: [Self; [ $( $text, )* ].len()] = [ $( Self::$variant, )* ];

            /// Its name on the wire.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $text, )* }
            }

            /// What it needs to be granted.
            #[must_use]
            pub const fn gate(self) -> Gate {
                match self { $( Self::$variant => $gate, )* }
            }
        }
    };
}

methods! {
    /// Which followed channels are live.
    GetFollowedLive = HostMethod::GetFollowedLive.name(), Gate::HostMethod(HostMethod::GetFollowedLive);
    /// Set the playlist of a relay session.
    SetUpstream = HostMethod::SetUpstream.name(), Gate::HostMethod(HostMethod::SetUpstream);
    /// Have a credential handed over.
    GetCredential = "get_credential", Gate::CredentialKind;
    /// Show the operator a notice.
    Notify = HostMethod::Notify.name(), Gate::HostMethod(HostMethod::Notify);
    /// Write a line to the plugin's log; a notification.
    Log = HostMethod::Log.name(), Gate::HostMethod(HostMethod::Log);
    /// Declare the panel.
    RegisterPanel = HostMethod::RegisterPanel.name(), Gate::Panel(HostMethod::RegisterPanel);
    /// Read the panel's values.
    GetPanelValues = HostMethod::GetPanelValues.name(), Gate::Panel(HostMethod::GetPanelValues);
    /// Set the value of a status slot; a notification.
    SetStatus = "set_status", Gate::StatusSlots;
}

impl Method {
    /// The one of this name; none is `-32601`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Whether it is called by notifications. As a request it is answered with `{}`; any other method without
    /// an id is dropped (ruling Plugins 2).
    #[must_use]
    pub const fn is_notification(self) -> bool {
        matches!(self, Self::Log | Self::SetStatus)
    }
}

impl Gate {
    /// What has to be granted, in the words of the manifest.
    #[must_use]
    pub fn needs(self) -> String {
        match self {
            Self::HostMethod(method) => format!("capabilities.host_methods {}", method.name()),
            Self::Panel(method) => {
                format!("capabilities.host_methods {} and capabilities.ui panel", method.name())
            }
            Self::CredentialKind => {
                let kinds = CredentialKind::ALL.map(CredentialKind::name).join(" or ");
                format!("capabilities.credentials {kinds}")
            }
            Self::StatusSlots => "a slot in contributes.status".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_are_those_of_the_table_and_two_are_notifications() {
        let rows = Method::ALL.map(|method| (method.name(), method.is_notification()));
        assert_eq!(
            rows,
            [
                ("get_followed_live", false),
                ("set_upstream", false),
                ("get_credential", false),
                ("notify", false),
                ("log", true),
                ("register_panel", false),
                ("get_panel_values", false),
                ("set_status", true),
            ]
        );
        assert!(Method::ALL.iter().all(|method| Method::from_name(method.name()) == Some(*method)));
        assert_eq!(Method::from_name("ping"), None);
        assert_eq!(Method::from_name("Log"), None);
    }

    #[test]
    fn each_gate_names_what_the_manifest_must_have() {
        let needs = |method: Method| method.gate().needs();
        assert_eq!(needs(Method::Notify), "capabilities.host_methods notify");
        assert_eq!(
            needs(Method::RegisterPanel),
            "capabilities.host_methods register_panel and capabilities.ui panel"
        );
        assert_eq!(needs(Method::GetCredential), "capabilities.credentials twitch.android");
        assert_eq!(needs(Method::SetStatus), "a slot in contributes.status");
    }
}
