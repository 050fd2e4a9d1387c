//! What a person is asked to consent to (streamnook-host, Consent lines).

use super::{Capability, CapabilitySet, CredentialKind, Hook, HostMethod, UiPart};

/// One line of what a plugin will be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsentLine {
    /// The line, a phrase that starts with a verb.
    pub text: &'static str,
    /// Whether it is shown in the colour of warnings.
    pub is_warning: bool,
}

impl ConsentLine {
    const fn plain(text: &'static str) -> Self {
        Self { text, is_warning: false }
    }
}

/// The lines of a granted set, each once, in the order of the catalogue. `is_networked` is whether the
/// manifest says `network = "external"`, which is shown and not enforced.
#[must_use]
pub fn consent_lines(set: CapabilitySet, is_networked: bool) -> Vec<ConsentLine> {
    const NETWORK: ConsentLine = ConsentLine::plain("make its own network connections");
    let mut lines = Vec::new();
    for line in set.iter().filter_map(line_of) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.extend(is_networked.then_some(NETWORK));
    lines
}

/// What a capability lets a plugin do; none where it learns nothing and shows nothing.
const fn line_of(capability: Capability) -> Option<ConsentLine> {
    Some(match capability {
        Capability::Event(
            Hook::OnStreamStart | Hook::OnStreamStop | Hook::OnChannelChange | Hook::OnWatchTick,
        ) => ConsentLine::plain("see which channel is watched"),
        Capability::Event(Hook::OnFollowedLive) | Capability::HostMethod(HostMethod::GetFollowedLive) => {
            ConsentLine::plain("see which followed channels are live")
        }
        Capability::Event(Hook::OnChatMessage) => ConsentLine::plain("read chat messages"),
        Capability::HostMethod(HostMethod::SetUpstream) => {
            ConsentLine::plain("replace the playlist of the stream that plays")
        }
        Capability::HostMethod(HostMethod::Notify) => ConsentLine::plain("show notifications"),
        Capability::Ui(UiPart::Panel) => ConsentLine::plain("show a settings panel"),
        Capability::Credential(CredentialKind::TwitchAndroid) => ConsentLine {
            text: "use your Twitch login token (asked for before its first use)",
            is_warning: true,
        },
        // A panel's methods and its event do nothing without the panel itself; the log is the plugin's own.
        Capability::HostMethod(HostMethod::Log | HostMethod::RegisterPanel | HostMethod::GetPanelValues)
        | Capability::Event(Hook::OnSettingsChange | Hook::OnPanelChange) => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str], is_networked: bool) -> Vec<&'static str> {
        let set = CapabilitySet::from_names(names).unwrap();
        consent_lines(set, is_networked).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn each_subject_of_the_catalogue_has_its_line_and_only_the_login_warns() {
        let all: CapabilitySet = Capability::ALL.into_iter().collect();
        let lines: Vec<_> =
            consent_lines(all, true).into_iter().map(|line| (line.text, line.is_warning)).collect();
        assert_eq!(
            lines,
            [
                ("see which channel is watched", false),
                ("see which followed channels are live", false),
                ("read chat messages", false),
                ("replace the playlist of the stream that plays", false),
                ("show notifications", false),
                ("use your Twitch login token (asked for before its first use)", true),
                ("show a settings panel", false),
                ("make its own network connections", false),
            ]
        );
    }

    #[test]
    fn a_line_is_rendered_once_for_all_capabilities_behind_it() {
        let watched = ["on_stream_start", "on_stream_stop", "on_channel_change", "on_watch_tick"];
        assert_eq!(texts(&watched, false), ["see which channel is watched"]);
        for one in watched {
            assert_eq!(texts(&[one], false), ["see which channel is watched"]);
        }
        let live = ["on_followed_live", "get_followed_live"];
        assert_eq!(texts(&live, false), ["see which followed channels are live"]);
        assert_eq!(texts(&["log", "on_settings_change"], false), [""; 0]);
        assert_eq!(texts(&[], true), ["make its own network connections"]);
    }
}
