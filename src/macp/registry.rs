//! The modes by their names (macp-v1, Mode Registration), and what the runtime says of itself.

use super::{
    Mode,
    proto::v1::{
        AgentManifest, CancellationCapability, Capabilities, ManifestCapability, ModeDescriptor,
        ModeRegistryCapability, ProgressCapability, RootsCapability, RuntimeInfo, SessionsCapability,
    },
};

/// The one version of the protocol.
pub const VERSION: &str = "1.0";

/// Every name that a mode is registered under.
const NAMES: [(&str, Mode); 4] = [
    ("macp.mode.decision.v1", Mode::Decision),
    ("macp.mode.multi_round.v1", Mode::MultiRound),
    ("decision", Mode::Decision),
    ("multi_round", Mode::MultiRound),
];

/// The mode of a name with the name as it is registered; an empty one is the decision's canonical name
/// (ruling MACP 4).
#[must_use]
pub fn resolve(name: &str) -> Option<(&'static str, Mode)> {
    let name = if name.is_empty() { Mode::Decision.name() } else { name };
    NAMES.into_iter().find(|(known, _)| *known == name)
}

/// The canonical names, the decision first.
#[must_use]
pub fn supported_modes() -> Vec<String> {
    Mode::ALL.iter().map(|mode| mode.name().to_owned()).collect()
}

/// What `ListModes` answers.
#[must_use]
pub fn descriptors() -> Vec<ModeDescriptor> {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    let descriptor = |mode: Mode| ModeDescriptor {
        mode: mode.name().to_owned(),
        mode_version: "1.0.0".to_owned(),
        title: match mode {
            Mode::Decision => "Decision Mode",
            Mode::MultiRound => "Multi-Round Convergence Mode",
        }
        .to_owned(),
        description: match mode {
            Mode::Decision => {
                "Proposals are evaluated, objected to and voted on, until one commits the decision"
            }
            Mode::MultiRound => "Participants contribute values until all of them are equal",
        }
        .to_owned(),
        determinism_class: "deterministic".to_owned(),
        participant_model: match mode {
            Mode::Decision => "open",
            Mode::MultiRound => "closed",
        }
        .to_owned(),
        message_types: match mode {
            Mode::Decision => texts(&["Proposal", "Evaluation", "Objection", "Vote", "Commitment"]),
            Mode::MultiRound => texts(&["Contribute"]),
        },
        terminal_message_types: match mode {
            Mode::Decision => texts(&["Commitment"]),
            Mode::MultiRound => texts(&["Contribute"]),
        },
        schema_uris: std::collections::HashMap::new(),
    };
    Mode::ALL.iter().copied().map(descriptor).collect()
}

/// Who the runtime is (ruling MACP 4).
#[must_use]
pub fn runtime_info() -> RuntimeInfo {
    RuntimeInfo {
        name: "macp-runtime".to_owned(),
        title: "MACP Coordination Runtime".to_owned(),
        version: "0.2.0".to_owned(),
        description: "Sessions in which agents decide together, hosted by rl-console".to_owned(),
        website_url: String::new(),
    }
}

/// What it can do, as the specification prints it.
#[must_use]
pub fn capabilities() -> Capabilities {
    Capabilities {
        sessions: Some(SessionsCapability { stream: true }),
        cancellation: Some(CancellationCapability { cancel_session: true }),
        progress: Some(ProgressCapability { progress: true }),
        manifest: Some(ManifestCapability { get_manifest: true }),
        mode_registry: Some(ModeRegistryCapability { list_modes: true, list_changed: true }),
        roots: Some(RootsCapability { list_roots: true, list_changed: true }),
        experimental: None,
    }
}

/// What `Initialize` tells people.
pub const INSTRUCTIONS: &str =
    "Begin a session with SessionStart, then send its mode's messages. ListModes says which there are.";

/// What `GetManifest` answers.
#[must_use]
pub fn manifest() -> AgentManifest {
    let content = vec!["application/macp-envelope+proto".to_owned()];
    AgentManifest {
        agent_id: "macp-runtime".to_owned(),
        title: "MACP Coordination Runtime".to_owned(),
        description: "Coordinates sessions of agents: decisions, and rounds until they agree".to_owned(),
        supported_modes: supported_modes(),
        input_content_types: content.clone(),
        output_content_types: content,
        metadata: std::collections::HashMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_found_by_each_of_its_names_and_the_empty_one() {
        assert_eq!(resolve("macp.mode.decision.v1"), Some(("macp.mode.decision.v1", Mode::Decision)));
        assert_eq!(resolve("decision"), Some(("decision", Mode::Decision)));
        assert_eq!(resolve(""), Some(("macp.mode.decision.v1", Mode::Decision)));
        assert_eq!(resolve("macp.mode.multi_round.v1"), Some(("macp.mode.multi_round.v1", Mode::MultiRound)));
        assert_eq!(resolve("multi_round"), Some(("multi_round", Mode::MultiRound)));
        assert_eq!((resolve("Decision"), resolve("macp.mode.decision.v2"), resolve(" ")), (None, None, None));
    }

    #[test]
    fn the_modes_are_described_as_the_specification_prints_them() {
        let [decision, rounds] = <[ModeDescriptor; 2]>::try_from(descriptors()).unwrap();
        assert_eq!(
            (decision.mode.as_str(), decision.mode_version.as_str()),
            ("macp.mode.decision.v1", "1.0.0")
        );
        assert_eq!(
            (decision.title.as_str(), decision.determinism_class.as_str()),
            ("Decision Mode", "deterministic")
        );
        assert_eq!(decision.participant_model, "open");
        assert_eq!(decision.message_types, ["Proposal", "Evaluation", "Objection", "Vote", "Commitment"]);
        assert_eq!(decision.terminal_message_types, ["Commitment"]);
        assert_eq!(
            (rounds.mode.as_str(), rounds.mode_version.as_str()),
            ("macp.mode.multi_round.v1", "1.0.0")
        );
        assert_eq!(
            (rounds.title.as_str(), rounds.determinism_class.as_str()),
            ("Multi-Round Convergence Mode", "deterministic")
        );
        assert_eq!(rounds.participant_model, "closed");
        assert_eq!(
            (rounds.message_types, rounds.terminal_message_types),
            (vec!["Contribute".to_owned()], vec!["Contribute".to_owned()])
        );
    }

    #[test]
    fn what_the_specification_leaves_open_is_said_too() {
        for descriptor in descriptors() {
            assert!(
                !descriptor.description.is_empty() && descriptor.schema_uris.is_empty(),
                "{descriptor:?}"
            );
        }
        let (info, manifest) = (runtime_info(), manifest());
        assert_eq!((info.title.as_str(), info.website_url.as_str()), ("MACP Coordination Runtime", ""));
        assert!(
            !info.description.is_empty() && !manifest.description.is_empty() && manifest.metadata.is_empty()
        );
        assert_eq!(manifest.supported_modes, supported_modes());
        assert_eq!(manifest.input_content_types, ["application/macp-envelope+proto"]);
        assert_eq!(manifest.output_content_types, manifest.input_content_types);
        assert_eq!(capabilities().experimental, None);
    }

    #[test]
    fn the_runtime_says_of_itself_what_the_specification_prints() {
        let info = runtime_info();
        assert_eq!((info.name.as_str(), info.version.as_str()), ("macp-runtime", "0.2.0"));
        assert_eq!(supported_modes(), ["macp.mode.decision.v1", "macp.mode.multi_round.v1"]);
        let can = capabilities();
        assert!(
            can.sessions.is_some_and(|it| it.stream) && can.cancellation.is_some_and(|it| it.cancel_session)
        );
        assert!(can.progress.is_some_and(|it| it.progress) && can.manifest.is_some_and(|it| it.get_manifest));
        assert!(can.mode_registry.is_some_and(|it| it.list_modes && it.list_changed));
        assert!(can.roots.is_some_and(|it| it.list_roots && it.list_changed));
        let manifest = manifest();
        assert_eq!(
            (manifest.agent_id.as_str(), manifest.title.as_str()),
            ("macp-runtime", "MACP Coordination Runtime")
        );
    }
}
