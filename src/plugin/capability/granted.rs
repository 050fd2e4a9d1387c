//! What a process may use.

use serde::Serialize;

use super::{Capability, CapabilitySet, CredentialKind, Gate, Hook, Method, UiPart};

/// What a process may use: what the manifest asks for and the operator granted, and whether the manifest
/// declares status slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Granted {
    set: CapabilitySet,
    has_slots: bool,
}

/// The four lists of `granted` in `initialize`, each in the order of the catalogue (streamnook-plugin-v1,
/// Handshake).
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
pub struct GrantedLists {
    /// Events.
    pub events: Vec<&'static str>,
    /// Methods; `get_credential` and `set_status` are none of them.
    pub host_methods: Vec<&'static str>,
    /// Kinds of credentials.
    pub credentials: Vec<&'static str>,
    /// Parts of the screen.
    pub ui: Vec<&'static str>,
}

impl Granted {
    /// What is asked for and granted. `has_slots` is whether the manifest declares a status slot.
    #[must_use]
    pub const fn new(asked: CapabilitySet, granted: CapabilitySet, has_slots: bool) -> Self {
        Self { set: asked.intersection(granted), has_slots }
    }

    /// The capabilities.
    #[must_use]
    pub const fn set(self) -> CapabilitySet {
        self.set
    }

    /// Whether a method may be called; if not, a request is answered with `capability_denied` (ruling Plugins
    /// 2). `get_credential` may be as soon as a kind is granted; which one,
    /// [`allows_credential`](Self::allows_credential) says.
    #[must_use]
    pub fn allows(self, method: Method) -> bool {
        match method.gate() {
            Gate::HostMethod(method) => self.set.contains(method),
            Gate::Panel(method) => self.set.contains(method) && self.set.contains(UiPart::Panel),
            Gate::CredentialKind => CredentialKind::ALL.into_iter().any(|kind| self.set.contains(kind)),
            Gate::StatusSlots => self.has_slots,
        }
    }

    /// The kind of credential of this name, if it is granted; none is `capability_denied`.
    #[must_use]
    pub fn allows_credential(self, kind: &str) -> Option<CredentialKind> {
        CredentialKind::from_name(kind).filter(|kind| self.set.contains(*kind))
    }

    /// Whether an event may be delivered. `on_panel_change` also needs the panel (ruling Plugins 2).
    #[must_use]
    pub fn takes(self, hook: Hook) -> bool {
        let has_part = hook != Hook::OnPanelChange || self.set.contains(UiPart::Panel);
        self.set.contains(hook) && has_part
    }

    /// The lists of `initialize`.
    #[must_use]
    pub fn lists(self) -> GrantedLists {
        let mut lists = GrantedLists::default();
        for capability in self.set.iter() {
            let list = match capability {
                Capability::Event(_) => &mut lists.events,
                Capability::HostMethod(_) => &mut lists.host_methods,
                Capability::Credential(_) => &mut lists.credentials,
                Capability::Ui(_) => &mut lists.ui,
            };
            list.push(capability.name());
        }
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::capability::HostMethod;

    fn all() -> CapabilitySet {
        Capability::ALL.into_iter().collect()
    }

    fn granted(names: &[&str]) -> Granted {
        Granted::new(all(), CapabilitySet::from_names(names).unwrap(), false)
    }

    #[test]
    fn is_what_is_asked_for_and_granted() {
        let asked = CapabilitySet::from_names(["log", "notify", "on_watch_tick"]).unwrap();
        let given = CapabilitySet::from_names(["notify", "panel"]).unwrap();
        let both = Granted::new(asked, given, false);
        assert_eq!(both.set().names().collect::<Vec<_>>(), ["notify"]);
        assert!(both.allows(Method::Notify) && !both.allows(Method::Log));
    }

    #[test]
    fn each_method_needs_what_its_gate_names() {
        for method in Method::ALL {
            assert!(!Granted::default().allows(method), "{}", method.name());
            assert!(Granted::new(all(), all(), true).allows(method), "{}", method.name());
        }
        for method in HostMethod::ALL {
            let needs_panel = matches!(method, HostMethod::RegisterPanel | HostMethod::GetPanelValues);
            let called = Method::from_name(method.name()).unwrap();
            assert_eq!(granted(&[method.name()]).allows(called), !needs_panel, "{}", method.name());
            assert!(granted(&[method.name(), "panel"]).allows(called), "{}", method.name());
            assert!(!granted(&["panel"]).allows(called), "{}", method.name());
        }
        assert!(!Granted::new(all(), all(), false).allows(Method::SetStatus));
        assert!(Granted::new(CapabilitySet::NONE, CapabilitySet::NONE, true).allows(Method::SetStatus));
    }

    #[test]
    fn a_credential_is_gated_by_its_kind() {
        let granted = granted(&["twitch.android"]);
        assert!(granted.allows(Method::GetCredential));
        assert_eq!(granted.allows_credential("twitch.android"), Some(CredentialKind::TwitchAndroid));
        assert_eq!(granted.allows_credential("twitch.web"), None);
    }

    #[test]
    fn panel_changes_need_the_panel_too() {
        for hook in Hook::ALL {
            assert_eq!(granted(&[hook.name()]).takes(hook), hook != Hook::OnPanelChange);
            assert!(granted(&[hook.name(), "panel"]).takes(hook));
            assert!(!granted(&["panel"]).takes(hook));
        }
    }

    #[test]
    fn the_lists_are_the_four_of_the_specification_in_its_order() {
        let lists =
            granted(&["panel", "log", "notify", "on_followed_live", "on_watch_tick", "twitch.android"])
                .lists();
        let expected = concat!(
            r#"{"events":["on_watch_tick","on_followed_live"],"host_methods":["notify","log"],"#,
            r#""credentials":["twitch.android"],"ui":["panel"]}"#
        );
        assert_eq!(serde_json::to_string(&lists).unwrap(), expected);
        assert_eq!(
            serde_json::to_string(&Granted::default().lists()).unwrap(),
            r#"{"events":[],"host_methods":[],"credentials":[],"ui":[]}"#
        );
    }
}
