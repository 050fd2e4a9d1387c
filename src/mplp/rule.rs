//! The rules of `mplp-l1 §4`, and how one is applied to an object (rulings MPLP 1, 2 and 8).

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::{
    catalog::SchemaId,
    finding::Path,
    formats::{is_date_time, is_uuid_v4},
};

/// The profile that a record claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// One agent.
    Sa,
    /// Several agents; it extends SA.
    Map,
}

impl Profile {
    /// The profile of a name, `sa` or `map`.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        [Self::Sa, Self::Map].into_iter().find(|it| it.as_str() == text)
    }

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sa => "sa",
            Self::Map => "map",
        }
    }
}

/// The file of `mplp-l1 §4` that a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleFamily {
    /// §4.1.
    Sa,
    /// §4.2.
    Map,
    /// §4.3.
    Observability,
    /// §4.4.
    Integration,
    /// §4.5.
    Learning,
}

/// The object that a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// A Context.
    Context,
    /// A Plan.
    Plan,
    /// A Trace.
    Trace,
    /// A Collab.
    Collab,
    /// An object of `event-core`, or of what extends it.
    Event,
    /// A `tool-event`.
    ToolEvent,
    /// A `file-update-event`.
    FileUpdateEvent,
    /// A `git-event`.
    GitEvent,
    /// A `ci-event`.
    CiEvent,
    /// A sample of `learning/`; the flat common sample is none (ruling MPLP 6).
    LearningSample,
}

impl Scope {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Plan => "plan",
            Self::Trace => "trace",
            Self::Collab => "collab",
            Self::Event => "event",
            Self::ToolEvent => "tool_event",
            Self::FileUpdateEvent => "file_update_event",
            Self::GitEvent => "git_event",
            Self::CiEvent => "ci_event",
            Self::LearningSample => "learning_sample",
        }
    }

    /// The scope that objects of a schema are in, if rules look at them.
    #[must_use]
    pub const fn of(schema: SchemaId) -> Option<Self> {
        Some(match schema {
            SchemaId::Context => Self::Context,
            SchemaId::Plan => Self::Plan,
            SchemaId::Trace => Self::Trace,
            SchemaId::Collab => Self::Collab,
            SchemaId::Event
            | SchemaId::PipelineStageEvent
            | SchemaId::GraphUpdateEvent
            | SchemaId::RuntimeExecutionEvent => Self::Event,
            SchemaId::ToolEvent => Self::ToolEvent,
            SchemaId::FileUpdateEvent => Self::FileUpdateEvent,
            SchemaId::GitEvent => Self::GitEvent,
            SchemaId::CiEvent => Self::CiEvent,
            SchemaId::LearningSample | SchemaId::IntentSample | SchemaId::DeltaSample => Self::LearningSample,
            _ => return None,
        })
    }
}

/// What a rule requires of the values that its path leads to. A value that is missing, null or of another
/// type breaks all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A UUID v4 by the pattern of `mplp-l1 §3.2.1`.
    UuidV4,
    /// A text with a character that is no white space (of Unicode).
    NonEmptyString,
    /// So many items of a list, or characters of a text, at least.
    MinLength(usize),
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// The text of a member of another object of the bundle: its member there, and that member's.
    Eq(&'static str, &'static str),
    /// Anything but null.
    Exists,
    /// A date and time of RFC 3339.
    IsoDatetime,
    /// A pair over the events of a bundle.
    Pair(Pair),
}

/// What a MAP event has to be followed by, within its session and before the session is completed (ruling
/// MPLP 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// A `MAPTurnDispatched` by a `MAPTurnCompleted` of equal `role_id` and `turn_number`.
    TurnCompleted,
    /// A `MAPBroadcastSent` by a `MAPBroadcastReceived`.
    BroadcastReceived,
}

impl Check {
    /// What it requires, in plain words.
    #[must_use]
    pub fn requires(&self) -> String {
        match self {
            Self::UuidV4 => "a lowercase UUID v4".to_owned(),
            Self::NonEmptyString => "a text that is not blank".to_owned(),
            Self::MinLength(1) => "at least 1 item".to_owned(),
            Self::MinLength(count) => format!("at least {count} items"),
            Self::OneOf(texts) => format!("one of {}", texts.join(", ")),
            Self::Eq(object, member) => format!("the {member} of the {object}"),
            Self::Exists => "a value that is not null".to_owned(),
            Self::IsoDatetime => "a date and time of RFC 3339".to_owned(),
            Self::Pair(Pair::TurnCompleted) => {
                "a later MAPTurnCompleted of the session, of equal role_id and turn_number".to_owned()
            }
            Self::Pair(Pair::BroadcastReceived) => "a later MAPBroadcastReceived of the session".to_owned(),
        }
    }

    /// Whether a value satisfies it; `bundle` has the other objects. Pairs are not of one value, and are
    /// satisfied here.
    fn holds(&self, value: &Value, bundle: Option<&Map<String, Value>>) -> bool {
        match (self, value) {
            (Self::UuidV4, Value::String(text)) => is_uuid_v4(text),
            (Self::NonEmptyString, Value::String(text)) => text.chars().any(|c| !c.is_whitespace()),
            (Self::MinLength(count), Value::String(text)) => text.chars().count() >= *count,
            (Self::MinLength(count), Value::Array(items)) => items.len() >= *count,
            (Self::OneOf(texts), Value::String(text)) => texts.contains(&text.as_str()),
            (Self::Eq(object, member), Value::String(text)) => {
                let other = bundle.and_then(|it| it.get(*object)).and_then(|it| it.get(*member));
                other.and_then(Value::as_str) == Some(text)
            }
            (Self::Exists, value) => !value.is_null(),
            (Self::IsoDatetime, Value::String(text)) => is_date_time(text),
            (Self::Pair(_), _) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UuidV4 => f.write_str("uuid-v4"),
            Self::NonEmptyString => f.write_str("non-empty-string"),
            Self::MinLength(count) => write!(f, "min-length({count})"),
            Self::OneOf(texts) => write!(f, "enum({})", texts.join(", ")),
            Self::Eq(object, member) => write!(f, "eq({object}.{member})"),
            Self::Exists => f.write_str("exists"),
            Self::IsoDatetime => f.write_str("iso-datetime"),
            Self::Pair(_) => f.write_str("pair"),
        }
    }
}

/// When a rule is applied; all that it names must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The profile of the record; MAP's holds with `map`, SA's with both.
    pub profile: Option<Profile>,
    /// A member of the object, and the text that it has.
    pub member: Option<(&'static str, &'static str)>,
    /// Whether the member that the path leads to must be there, be it null.
    pub is_present: bool,
}

impl Condition {
    /// Whether it holds for an object of a record of a profile, but for [`is_present`](Self::is_present).
    fn holds(&self, value: &Value, profile: Option<Profile>) -> bool {
        self.profile.is_none_or(|needed| profile.is_some_and(|it| it >= needed))
            && self.member.is_none_or(|(name, text)| value.get(name).and_then(Value::as_str) == Some(text))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let profile = self.profile.map(|it| it.as_str().to_uppercase());
        let member = self.member.map(|(name, text)| format!("{name} = {text}"));
        let present = self.is_present.then(|| "it is there".to_owned());
        let parts: Vec<String> = [profile, member, present].into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "always" } else { "" })?;
        f.write_str(&parts.join(", and "))
    }
}

/// One rule of `mplp-l1 §4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Its name in §4.
    pub id: &'static str,
    /// The file that it comes from.
    pub family: RuleFamily,
    /// The object that it looks at.
    pub scope: Scope,
    /// The way from there: names and `[*]`; of a pair, `events`.
    pub path: &'static str,
    /// What it requires.
    #[serde(rename = "rule", serialize_with = "as_text")]
    pub check: Check,
    /// When it is applied.
    #[serde(serialize_with = "as_text")]
    pub condition: Condition,
    /// What it is for.
    pub description: &'static str,
    /// The section of `mplp-l1`.
    pub section: &'static str,
}

fn as_text<S: Serializer>(value: &impl fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// The record that an object is part of.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordContext<'a> {
    /// Its profile, if it claims one. Without, the rules of SA and MAP are not applied.
    pub profile: Option<Profile>,
    /// The members of the bundle, if there is one. Without, rules that compare two objects are not applied.
    pub bundle: Option<&'a Map<String, Value>>,
}

impl Rule {
    /// Applies it to an object of its scope: every value that breaks it goes to `broken`, with its path and,
    /// unless it is missing, itself. `at` is the path of the object.
    pub(super) fn apply<'a>(
        &self,
        object: &'a Value,
        at: &Path,
        record: RecordContext<'_>,
        broken: &mut dyn FnMut(Path, Option<&'a Value>),
    ) {
        let is_lone = matches!(self.check, Check::Eq(..)) && record.bundle.is_none();
        if matches!(self.check, Check::Pair(_)) || is_lone || !self.condition.holds(object, record.profile) {
            return;
        }
        self.descend(self.path, Some(object), Trail::Object(at), record, broken);
    }

    fn descend<'a>(
        &self,
        rest: &str,
        value: Option<&'a Value>,
        at: Trail<'_>,
        record: RecordContext<'_>,
        broken: &mut dyn FnMut(Path, Option<&'a Value>),
    ) {
        if rest.is_empty() {
            let is_left_out = value.is_none() && self.condition.is_present;
            if !is_left_out && !value.is_some_and(|it| self.check.holds(it, record.bundle)) {
                broken(at.path(), value);
            }
            return;
        }
        if let Some(rest) = rest.strip_prefix("[*]") {
            for (index, item) in value.and_then(Value::as_array).into_iter().flatten().enumerate() {
                self.descend(rest, Some(item), Trail::Item(&at, index), record, broken);
            }
            return;
        }
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        self.descend(rest, value.and_then(|it| it.get(name)), Trail::Member(&at, name), record, broken);
    }
}

/// The way to a value, of which a path is made only where a rule is broken.
#[derive(Clone, Copy)]
enum Trail<'a> {
    Object(&'a Path),
    Member(&'a Trail<'a>, &'a str),
    Item(&'a Trail<'a>, usize),
}

impl Trail<'_> {
    fn path(&self) -> Path {
        match *self {
            Self::Object(path) => path.clone(),
            Self::Member(before, name) => before.path().member(name),
            Self::Item(before, index) => before.path().item(index),
        }
    }
}

#[cfg(test)]
mod tests;
