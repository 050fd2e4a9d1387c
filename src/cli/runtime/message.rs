//! Messages of the modes, from words.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde::Serialize;

use super::bytes_of;
use crate::{
    cli::{args::Say, error::Error},
    macp::{proto::v1::Envelope, registry},
    time::Wall,
};

/// A message that is not on its way yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    /// The mode; of a start alone.
    pub(crate) mode: String,
    /// Its type.
    pub(crate) of_type: String,
    /// Its id.
    pub(crate) id: String,
    /// Its session.
    pub(crate) session: String,
    /// Who says it.
    pub(crate) sender: String,
    /// What it carries.
    pub(crate) payload: Vec<u8>,
}

impl Message {
    /// In its envelope.
    pub(crate) fn envelope(self, now: Wall) -> Envelope {
        Envelope {
            macp_version: registry::VERSION.to_owned(),
            mode: self.mode,
            message_type: self.of_type,
            message_id: self.id,
            session_id: self.session,
            sender: self.sender,
            timestamp_unix_ms: i64::try_from(now.0).unwrap_or(i64::MAX),
            payload: self.payload.into(),
        }
    }

    /// What it is and whose, for people.
    pub(crate) fn describe(&self) -> String {
        if self.sender.is_empty() {
            self.of_type.clone()
        } else {
            format!("{} of {}", self.of_type, self.sender)
        }
    }
}

/// An id that nothing else has.
pub(crate) fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

#[derive(Serialize)]
#[serde(untagged)]
enum Payload<'a> {
    Proposal {
        proposal_id: &'a str,
        option: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        rationale: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        supporting_data: Option<String>,
    },
    Evaluation {
        proposal_id: &'a str,
        recommendation: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
    },
    Objection {
        proposal_id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
        severity: &'a str,
    },
    Vote {
        proposal_id: &'a str,
        vote: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
    },
    Commitment {
        commitment_id: &'a str,
        action: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        authority_scope: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        mode_version: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        policy_version: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        configuration_version: Option<&'a str>,
    },
    Contribute {
        value: &'a str,
    },
}

/// The type and the payload of what is said.
///
/// # Errors
/// The file of supporting data cannot be read.
pub(crate) fn encode_payload(say: &Say, bytes_max: u64) -> Result<(&'static str, Vec<u8>), Error> {
    let commitment_made_up = new_id();
    let (message_type, payload) = match say {
        Say::Propose { proposal, option, rationale, supporting_data } => {
            let data = supporting_data.as_deref().map(|said| bytes_of(said, bytes_max)).transpose()?;
            let supporting_data = data.map(|bytes| BASE64.encode(bytes));
            (
                "Proposal",
                Payload::Proposal {
                    proposal_id: proposal,
                    option,
                    rationale: rationale.as_deref(),
                    supporting_data,
                },
            )
        }
        Say::Evaluate { proposal, recommendation, confidence, reason } => {
            let recommendation = known(recommendation, &["APPROVE", "REVIEW", "BLOCK", "REJECT"]);
            let (confidence, reason) = (*confidence, reason.as_deref());
            ("Evaluation", Payload::Evaluation { proposal_id: proposal, recommendation, confidence, reason })
        }
        Say::Object { proposal, severity, reason } => {
            let severity = known(severity, &["low", "medium", "high", "critical"]);
            ("Objection", Payload::Objection { proposal_id: proposal, reason: reason.as_deref(), severity })
        }
        Say::Vote { proposal, vote, reason } => {
            let vote = known(vote, &["approve", "reject", "abstain"]);
            ("Vote", Payload::Vote { proposal_id: proposal, vote, reason: reason.as_deref() })
        }
        Say::Commit {
            action,
            commitment,
            authority_scope,
            reason,
            mode_version,
            policy_version,
            configuration_version,
        } => {
            let payload = Payload::Commitment {
                commitment_id: commitment.as_deref().unwrap_or(&commitment_made_up),
                action,
                authority_scope: authority_scope.as_deref(),
                reason: reason.as_deref(),
                mode_version: mode_version.as_deref(),
                policy_version: policy_version.as_deref(),
                configuration_version: configuration_version.as_deref(),
            };
            ("Commitment", payload)
        }
        Say::Contribute { value } => ("Contribute", Payload::Contribute { value }),
    };
    let payload = serde_json::to_vec(&payload).map_err(|error| Error::Output(error.into()))?;
    Ok((message_type, payload))
}

/// A word as the specification spells it, where it is one of its words.
fn known<'a>(said: &'a str, words: &[&'static str]) -> &'a str {
    words.iter().find(|word| word.eq_ignore_ascii_case(said)).copied().unwrap_or(said)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{StreamLine, StreamWhat};

    fn carried(words: &[&str]) -> (&'static str, String) {
        let StreamWhat::Say(say) = StreamLine::try_parse_from(words).unwrap().what else { panic!() };
        let (message_type, payload) = encode_payload(&say, 1_024).unwrap();
        (message_type, String::from_utf8(payload).unwrap())
    }

    #[test]
    fn words_make_the_payloads_that_the_specification_prints() {
        let table: [(&[&str], &str, &str); 6] = [
            (
                &[
                    "propose",
                    "p1",
                    "Deploy to production",
                    "--rationale",
                    "All tests pass",
                    "--supporting-data",
                    "\u{1}\u{2}",
                ],
                "Proposal",
                r#"{"proposal_id":"p1","option":"Deploy to production","rationale":"All tests pass","supporting_data":"AQI="}"#,
            ),
            (
                &["evaluate", "p1", "approve", "--confidence", "0.95", "--reason", "solid"],
                "Evaluation",
                r#"{"proposal_id":"p1","recommendation":"APPROVE","confidence":0.95,"reason":"solid"}"#,
            ),
            (
                &["object", "p1", "HIGH", "--reason", "not reviewed"],
                "Objection",
                r#"{"proposal_id":"p1","reason":"not reviewed","severity":"high"}"#,
            ),
            (&["vote", "p1", "Maybe"], "Vote", r#"{"proposal_id":"p1","vote":"Maybe"}"#),
            (
                &[
                    "commit",
                    "deploy-v2.1",
                    "--commitment",
                    "c1",
                    "--scope",
                    "team-alpha",
                    "--reason",
                    "Unanimous approval",
                ],
                "Commitment",
                r#"{"commitment_id":"c1","action":"deploy-v2.1","authority_scope":"team-alpha","reason":"Unanimous approval"}"#,
            ),
            (&["contribute", "option_a"], "Contribute", r#"{"value":"option_a"}"#),
        ];
        for (words, message_type, payload) in table {
            assert_eq!(carried(words), (message_type, payload.to_owned()));
        }
        assert_ne!(
            carried(&["commit", "go"]),
            carried(&["commit", "go"]),
            "each commitment has an id of its own"
        );
    }
}
