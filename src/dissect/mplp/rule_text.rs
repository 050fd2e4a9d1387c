//! What rules are, in words, and where the specification has them.

use std::borrow::Cow;

use super::findings::Unjudged;
use crate::mplp::{
    SchemaId,
    lint::{BUS_MESSAGE, MSGPACK, NOT_JSON},
    rule_named,
};

/// A rule in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleText {
    /// The section of the specification; nothing for what it says nothing of.
    pub(crate) section: Option<Cow<'static, str>>,
    /// What it says.
    pub(crate) text: Cow<'static, str>,
    /// The subcommand that prints it.
    pub(crate) command: Option<String>,
}

/// The rule of this name, as findings of a schema name it.
pub(crate) fn rule_text(schema: &str, rule: &str) -> RuleText {
    if let Some(rule) = rule_named(rule) {
        return RuleText {
            section: Some(format!("mplp-l1 {}", rule.section).into()),
            text: rule.description.into(),
            command: Some("mplp invariants".to_owned()),
        };
    }
    if Unjudged::ALL.iter().any(|it| it.rule() == rule) {
        let text = "Not judged, and counted here: nothing is known to be wrong with it.";
        return RuleText { section: None, text: text.into(), command: None };
    }
    if schema == BUS_MESSAGE {
        let text = if rule == MSGPACK {
            "The body of a message is one value of MsgPack."
        } else {
            "A message of lifecycle records has the payload {v: 1, items: [{schema, object}]}."
        };
        return RuleText { section: None, text: text.into(), command: None };
    }
    let known = SchemaId::named(schema);
    RuleText {
        section: known.map(|id| format!("mplp-l1 §3, schema {id}: {}", id.path()).into()),
        text: keyword_text(rule).into(),
        command: known.map(|id| format!("mplp schema {id}")),
    }
}

/// What a keyword of JSON Schema asks for.
fn keyword_text(keyword: &str) -> &'static str {
    match keyword {
        NOT_JSON => "Objects are JSON: no binary, no name that is not a text, no number beyond JSON's.",
        "required" => "The member must be there.",
        "type" => "The value must be of this type.",
        "additionalProperties" => "The object has no other members than the schema's.",
        "enum" => "The value must be one of those listed.",
        "const" => "The value must be this one.",
        "pattern" => "The text must match this pattern.",
        "format" => "The text must be of this format.",
        "minLength" | "maxLength" => "The text must have this length.",
        "minItems" | "maxItems" => "The list must have so many items.",
        "uniqueItems" => "No item of the list may be there twice.",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            "The number must be in this range."
        }
        _ => "The schema requires it.",
    }
}
