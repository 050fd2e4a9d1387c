//! Who may publish and receive what: a matter of kind, topic and schema (rmp-v0 §11; ruling RMP 6).

use super::{ACTION_DECISION, CTRL, DROPS_BODIES, OPERATOR, Pattern, TAP, Tail, Topic};
use crate::{rmp::SchemaId, tap::entry::rmp::Kind};

/// What the rights on a topic depend on. Made once a topic; judging by it costs a few comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `rlp/ctrl`.
    Ctrl,
    /// `rlp/operator`.
    Operator,
    /// `rlp/sys/tap`.
    Tap,
    /// `rlp/sys/drops/bodies`.
    DropsBodies,
    /// Anything else of `rlp/sys/**`.
    Sys,
    /// `rlp/runs/<id>/events` or `rlp/runs/<id>/mplp`.
    RunOutput,
    /// `action.decision`.
    Decision,
    /// `rlp/runs/<id>/agents/…`: where agents answer the station.
    RunReply,
    /// Any other topic.
    Open,
}

/// Why something is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessDenied {
    /// A decision of a human, by somebody who is none.
    #[error("only ui and tui decide on actions, and this session is {}", .0.name())]
    Decides(Kind),
    /// A schema that the station alone sends.
    #[error("only the station publishes schema_id {schema_id}, and this session is {}", kind.name())]
    StationSchema {
        /// Who asked.
        kind: Kind,
        /// The schema.
        schema_id: SchemaId,
    },
    /// A topic that the station alone publishes on.
    #[error("only the station publishes there, and this session is {}", .0.name())]
    StationTopic(Kind),
    /// Something other than an operator's request on the operators' topic.
    #[error("rlp/operator requires schema_id {}, not {schema_id}", SchemaId::OPERATOR_REQ)]
    NotRequest {
        /// The schema.
        schema_id: SchemaId,
    },
    /// Somebody without a token asks for what takes one.
    #[error("operator requests and answers require a token, and this session is agent")]
    NoToken,
    /// The read-only token was shown.
    #[error("a viewer is read-only: it can only publish requests on rlp/operator")]
    ReadOnly,
    /// The cue token was shown.
    #[error("a cue can only enqueue invocations and submit runs")]
    CueOnly,
    /// What only operators see.
    #[error("only ui, tui and viewer receive this, and this session is {}", .0.name())]
    Private(Kind),
}

impl Class {
    /// The class of a topic.
    #[must_use]
    pub fn of(topic: &Topic) -> Self {
        Self::of_text(topic.as_str())
    }

    /// The class of a topic that was read before.
    pub(crate) fn of_text(topic: &str) -> Self {
        match topic {
            CTRL => Self::Ctrl,
            OPERATOR => Self::Operator,
            TAP => Self::Tap,
            DROPS_BODIES => Self::DropsBodies,
            ACTION_DECISION => Self::Decision,
            _ if topic.starts_with("rlp/sys/") => Self::Sys,
            _ if Self::is_run_output(topic) => Self::RunOutput,
            _ if Self::is_run_reply(topic) => Self::RunReply,
            _ => Self::Open,
        }
    }

    fn is_run_output(topic: &str) -> bool {
        let behind = topic.strip_prefix("rlp/runs/").and_then(|rest| rest.split_once('/'));
        matches!(behind, Some((_, "events" | "mplp")))
    }

    fn is_run_reply(topic: &str) -> bool {
        let behind = topic.strip_prefix("rlp/runs/").and_then(|rest| rest.split_once('/'));
        behind.is_some_and(|(_, rest)| rest.starts_with("agents/"))
    }

    /// Whether it is one of the few topics that the specification or the station names, which are kept
    /// however many others there are.
    #[must_use]
    pub fn is_reserved(self) -> bool {
        matches!(
            self,
            Self::Ctrl | Self::Operator | Self::Tap | Self::DropsBodies | Self::Sys | Self::Decision
        )
    }

    /// Whether what is lost here is counted without a notice, which would be lost here itself (ruling RMP 9).
    #[must_use]
    pub fn is_silent(self) -> bool {
        matches!(self, Self::Sys | Self::Tap | Self::DropsBodies)
    }

    /// Whether the station itself takes what is published here, where it runs a control plane (rmp-v0 §9;
    /// ruling RMP 13).
    #[must_use]
    pub fn is_for_station(self) -> bool {
        matches!(self, Self::Ctrl | Self::Decision | Self::RunReply)
    }

    /// Whether this kind may publish this schema here.
    ///
    /// # Errors
    /// Why not.
    pub fn may_publish(self, kind: Kind, schema_id: SchemaId) -> Result<(), AccessDenied> {
        if kind == Kind::Station {
            // Humans decide; the station asks them.
            return if self.decides(schema_id) { Err(AccessDenied::Decides(kind)) } else { Ok(()) };
        }
        match schema_id {
            SchemaId::CTRL_RESP | SchemaId::OPERATOR_RESP | SchemaId::TAP_ENTRY | SchemaId::RUN_EVENT => {
                return Err(AccessDenied::StationSchema { kind, schema_id });
            }
            _ => {}
        }
        if self.decides(schema_id) && !matches!(kind, Kind::Ui | Kind::Tui) {
            return Err(AccessDenied::Decides(kind));
        }
        match self {
            Self::Sys | Self::Tap | Self::DropsBodies | Self::RunOutput => {
                Err(AccessDenied::StationTopic(kind))
            }
            Self::Operator if kind == Kind::Agent => Err(AccessDenied::NoToken),
            Self::Operator if schema_id != SchemaId::OPERATOR_REQ => {
                Err(AccessDenied::NotRequest { schema_id })
            }
            Self::Operator => Ok(()),
            _ if kind == Kind::Viewer => Err(AccessDenied::ReadOnly),
            Self::Ctrl if kind == Kind::Cue && schema_id == SchemaId::CTRL_REQ => Ok(()),
            _ if kind == Kind::Cue => Err(AccessDenied::CueOnly),
            Self::Ctrl | Self::Decision | Self::RunReply | Self::Open => Ok(()),
        }
    }

    fn decides(self, schema_id: SchemaId) -> bool {
        self == Self::Decision || schema_id == SchemaId::ACTION_DECISION
    }

    /// Whether a message of this schema here is delivered to a subscriber of this kind, by whatever pattern
    /// it subscribed. Which of the sessions an operator's response belongs to is not judged here: it goes
    /// to the asking one alone.
    ///
    /// # Errors
    /// Why not.
    pub fn may_receive(self, kind: Kind, schema_id: SchemaId) -> Result<(), AccessDenied> {
        match (self, kind) {
            (Self::Tap | Self::DropsBodies, Kind::Ui | Kind::Tui | Kind::Viewer) => Ok(()),
            // Requests are the station's to read, responses the askers'.
            (Self::Operator, Kind::Station) if schema_id == SchemaId::OPERATOR_REQ => Ok(()),
            (Self::Operator, Kind::Ui | Kind::Tui | Kind::Viewer | Kind::Cue)
                if schema_id == SchemaId::OPERATOR_RESP =>
            {
                Ok(())
            }
            (Self::Tap | Self::DropsBodies | Self::Operator, _) => Err(AccessDenied::Private(kind)),
            (Self::Ctrl, Kind::Cue) if schema_id == SchemaId::CTRL_RESP => Ok(()),
            (_, Kind::Cue) => Err(AccessDenied::CueOnly),
            _ => Ok(()),
        }
    }

    /// Whether this kind may subscribe at all. What a wildcard reaches is judged at each delivery; what would
    /// never deliver anything is refused here: a single topic, and a cue's pattern that reaches no topic
    /// of its answers.
    ///
    /// # Errors
    /// Why not.
    pub fn may_subscribe(kind: Kind, pattern: &Pattern) -> Result<(), AccessDenied> {
        if pattern.tail() != Tail::Exact {
            let reaches = |topic| Topic::parse(topic).is_ok_and(|topic| pattern.matches(&topic));
            return if kind == Kind::Cue && !reaches(OPERATOR) && !reaches(CTRL) {
                Err(AccessDenied::CueOnly)
            } else {
                Ok(())
            };
        }
        match (Self::of_text(pattern.as_str()), kind) {
            (Self::Tap | Self::DropsBodies, Kind::Ui | Kind::Tui | Kind::Viewer)
            | (Self::Operator | Self::Ctrl, Kind::Cue) => Ok(()),
            (Self::Operator, Kind::Agent) => Err(AccessDenied::NoToken),
            (Self::Tap | Self::DropsBodies, _) => Err(AccessDenied::Private(kind)),
            (_, Kind::Cue) => Err(AccessDenied::CueOnly),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENTS: [Kind; 5] = [Kind::Agent, Kind::Ui, Kind::Tui, Kind::Viewer, Kind::Cue];

    fn class(topic: &str) -> Class {
        Class::of(&Topic::parse(topic).unwrap())
    }

    /// Who may, of all kinds.
    fn who(may: impl Fn(Kind) -> Result<(), AccessDenied>) -> Vec<Kind> {
        Kind::ALL.into_iter().filter(|kind| may(*kind).is_ok()).collect()
    }

    fn publishers(topic: &str, schema_id: SchemaId) -> Vec<Kind> {
        who(|kind| class(topic).may_publish(kind, schema_id))
    }

    fn receivers(topic: &str, schema_id: SchemaId) -> Vec<Kind> {
        who(|kind| class(topic).may_receive(kind, schema_id))
    }

    #[test]
    fn a_cue_subscribes_to_patterns_alone_that_reach_its_answers() {
        let may = |pattern: &str| Class::may_subscribe(Kind::Cue, &Pattern::parse(pattern).unwrap());
        for pattern in ["a/*", "a/**", "rlp/sys/**", "rlp/runs/**"] {
            assert_eq!(may(pattern), Err(AccessDenied::CueOnly), "{pattern}");
        }
        for pattern in ["rlp/*", "rlp/**", "rlp/operator", "rlp/ctrl"] {
            assert_eq!(may(pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn only_ui_and_tui_decide_on_whatever_topic() {
        for (topic, schema_id) in [
            ("action.decision", SchemaId::ACTION_DECISION),
            ("action.decision", SchemaId::OBSERVATION),
            ("agent/writer", SchemaId::ACTION_DECISION),
        ] {
            assert_eq!(publishers(topic, schema_id), [Kind::Ui, Kind::Tui], "{topic} {schema_id}");
        }
    }

    #[test]
    fn the_stations_schemas_are_the_stations_on_any_topic() {
        for schema_id in
            [SchemaId::CTRL_RESP, SchemaId::OPERATOR_RESP, SchemaId::TAP_ENTRY, SchemaId::RUN_EVENT]
        {
            for topic in ["rlp/ctrl", "rlp/operator", "agent/writer", "rlp/runs/x/events", "rlp/sys/tap"] {
                assert_eq!(publishers(topic, schema_id), [Kind::Station], "{topic} {schema_id}");
            }
        }
    }

    #[test]
    fn the_stations_topics_are_the_stations_under_any_schema() {
        for topic in [
            "rlp/sys/drops",
            "rlp/sys/tap",
            "rlp/sys/drops/bodies",
            "rlp/sys/any/where",
            "rlp/runs/trace:1/events",
            "rlp/runs/trace:1/mplp",
        ] {
            assert_eq!(publishers(topic, SchemaId::OBSERVATION), [Kind::Station], "{topic}");
        }
        for topic in [
            "rlp/sys",
            "rlp/sysx/y",
            "rlp/runs/trace:1/agents/writer/1",
            "rlp/runs/events",
            "rlp/runs/x/events/y",
            "x/rlp/sys/tap",
        ] {
            assert_eq!(
                publishers(topic, SchemaId::OBSERVATION),
                [Kind::Agent, Kind::Ui, Kind::Tui, Kind::Station],
                "{topic}"
            );
        }
    }

    #[test]
    fn a_cue_submits_and_enqueues_and_a_viewer_asks() {
        let with_token = [Kind::Ui, Kind::Tui, Kind::Viewer, Kind::Cue, Kind::Station];
        assert_eq!(publishers("rlp/operator", SchemaId::OPERATOR_REQ), with_token);
        assert_eq!(publishers("rlp/operator", SchemaId::OBSERVATION), [Kind::Station]);
        assert_eq!(
            publishers("rlp/ctrl", SchemaId::CTRL_REQ),
            [Kind::Agent, Kind::Ui, Kind::Tui, Kind::Cue, Kind::Station]
        );
        assert_eq!(
            publishers("rlp/ctrl", SchemaId::INTENT),
            [Kind::Agent, Kind::Ui, Kind::Tui, Kind::Station]
        );
        assert_eq!(
            publishers("agent/writer", SchemaId::INTENT),
            [Kind::Agent, Kind::Ui, Kind::Tui, Kind::Station]
        );
    }

    #[test]
    fn tap_and_dropped_messages_reach_operators_and_viewers_alone() {
        for topic in ["rlp/sys/tap", "rlp/sys/drops/bodies"] {
            assert_eq!(receivers(topic, SchemaId::TAP_ENTRY), [Kind::Ui, Kind::Tui, Kind::Viewer], "{topic}");
        }
        assert!(receivers("rlp/sys/drops", SchemaId::BUS_DROP_NOTICE).contains(&Kind::Agent));
    }

    #[test]
    fn operators_traffic_is_the_askers_and_the_stations() {
        assert_eq!(receivers("rlp/operator", SchemaId::OPERATOR_REQ), [Kind::Station]);
        assert_eq!(
            receivers("rlp/operator", SchemaId::OPERATOR_RESP),
            [Kind::Ui, Kind::Tui, Kind::Viewer, Kind::Cue]
        );
        assert_eq!(receivers("rlp/ctrl", SchemaId::CTRL_RESP), Kind::ALL);
        assert!(!receivers("rlp/ctrl", SchemaId::CTRL_REQ).contains(&Kind::Cue));
        assert!(!receivers("agent/writer", SchemaId::INTENT).contains(&Kind::Cue));
    }

    #[test]
    fn the_station_hears_requests_decisions_and_what_agents_answer() {
        for topic in [
            "rlp/ctrl",
            "action.decision",
            "rlp/runs/trace:1/agents/writer/1",
            "rlp/runs/trace:1/agents/writer/1/progress",
        ] {
            assert!(class(topic).is_for_station(), "{topic}");
        }
        for topic in [
            "rlp/runs/trace:1/events",
            "rlp/runs/agents/x",
            "agent/writer",
            "action.request",
            "rlp/operator",
            "rlp/sys/drops",
        ] {
            assert!(!class(topic).is_for_station(), "{topic}");
        }
    }

    #[test]
    fn a_wildcard_is_taken_and_judged_at_each_delivery() {
        let may = |kind, pattern: &str| Class::may_subscribe(kind, &Pattern::parse(pattern).unwrap()).is_ok();
        for kind in CLIENTS {
            assert!(may(kind, "**"), "{kind:?}");
            assert_eq!(
                may(kind, "rlp/sys/*") && may(kind, "rlp/sys/drops/**"),
                kind != Kind::Cue,
                "{kind:?}"
            );
        }
        let whole =
            |pattern: &str| CLIENTS.into_iter().filter(|kind| may(*kind, pattern)).collect::<Vec<_>>();
        assert_eq!(whole("rlp/sys/tap"), [Kind::Ui, Kind::Tui, Kind::Viewer]);
        assert_eq!(whole("rlp/sys/drops/bodies"), [Kind::Ui, Kind::Tui, Kind::Viewer]);
        assert_eq!(whole("rlp/operator"), [Kind::Ui, Kind::Tui, Kind::Viewer, Kind::Cue]);
        assert_eq!(whole("rlp/ctrl"), CLIENTS);
        assert_eq!(whole("rlp/sys/drops"), [Kind::Agent, Kind::Ui, Kind::Tui, Kind::Viewer]);
        assert_eq!(whole("action.decision"), [Kind::Agent, Kind::Ui, Kind::Tui, Kind::Viewer]);
    }
}
