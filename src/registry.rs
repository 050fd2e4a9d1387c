//! Which `schema_id` stands for which types of body (rmp-v0 §1.2, §2; the registry of the specification;
//! ruling RMP 17).

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use hashbrown::HashMap;

macro_rules! families {
    ($( $(#[doc = $doc:literal])* $family:ident = $label:literal, generic $id:literal ),* $(,)?) => {
        /// A primitive: the first label of a type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Family {
            $( $(#[doc = $doc])* $family ),*
        }

        impl Family {
            /// All seven, in the order of their generic ids.
            pub const ALL: &'static [Self] = &[ $( Self::$family ),* ];

            /// The label that types of this family begin with.
            #[must_use]
            pub const fn label(self) -> &'static str {
                match self { $( Self::$family => $label ),* }
            }

            /// The id that takes every type of this family.
            #[must_use]
            pub const fn generic(self) -> SchemaId {
                match self { $( Self::$family => SchemaId($id) ),* }
            }
        }
    };
}

families! {
    /// Something was seen.
    Observation = "observation", generic 1,
    /// Something is wanted.
    Intent = "intent", generic 2,
    /// A tool answered.
    ToolResult = "toolresult", generic 4,
    /// Something was made.
    Artifact = "artifact", generic 5,
    /// Something was judged.
    Critique = "critique", generic 6,
    /// A state changed.
    StateDelta = "statedelta", generic 7,
    /// Something failed.
    Error = "error", generic 10,
}

impl Family {
    /// The family with this label.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|family| family.label() == label)
    }

    /// The family of a type by its first label, and what follows the dot behind that.
    fn split(kind: &str) -> Option<(Self, &str)> {
        let first = kind.as_bytes().first()?;
        let may_be = |family: &&Self| family.label().as_bytes().first() == Some(first);
        let strip = |family: &Self| Some((*family, kind.strip_prefix(family.label())?.strip_prefix('.')?));
        Self::ALL.iter().filter(may_be).find_map(strip)
    }
}

/// The number of a schema in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(pub u16);

impl fmt::Display for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:#06x})", self.0, self.0)
    }
}

/// A type's parts: the first label, the last, and all between, which may itself hold dots (rmp-v0 §2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeName<'a> {
    /// The first label's family.
    pub family: Family,
    /// What lies between.
    pub kind: &'a str,
    /// The digits behind the last label's `v`.
    pub version: &'a str,
}

impl<'a> TypeName<'a> {
    /// Reads `<family>.<kind>.v<digits>`; no label may be empty.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let (family, rest) = Family::split(text)?;
        let (kind, version) = behind_family(rest)?;
        Some(Self { family, kind, version })
    }
}

/// Whether a text has the form `<family>.<kind>.v<digits>`, whether or not anybody knows the family.
#[must_use]
pub fn is_type(text: &str) -> bool {
    text.split_once('.').is_some_and(|(family, rest)| !family.is_empty() && behind_family(rest).is_some())
}

/// The kind and the version's digits of `<kind>.v<digits>`.
fn behind_family(rest: &str) -> Option<(&str, &str)> {
    let dot = rest.bytes().rposition(|byte| byte == b'.')?;
    let (kind, version) = (rest.get(..dot)?, rest.get(dot + 1..)?);
    let version = version
        .strip_prefix('v')
        .filter(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    let mut before = b'.';
    for byte in kind.bytes() {
        if byte == b'.' && before == b'.' {
            return None;
        }
        before = byte;
    }
    (before != b'.').then_some((kind, version))
}

/// Which types a schema takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeRule<'a> {
    /// Any kind and version of a family.
    Family(Family),
    /// This type and no other.
    Exact(&'a str),
}

impl TypeRule<'_> {
    /// Whether a body of this type may come under the schema.
    #[must_use]
    pub fn takes(&self, kind: &str) -> bool {
        match self {
            Self::Family(family) => TypeName::parse(kind).is_some_and(|name| name.family == *family),
            Self::Exact(exact) => *exact == kind,
        }
    }
}

impl fmt::Display for TypeRule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Family(family) => write!(f, "{}.<kind>.v<N>", family.label()),
            Self::Exact(exact) => f.write_str(exact),
        }
    }
}

impl Schema<'_> {
    /// Whether a body of this type may come under it.
    #[must_use]
    pub fn takes(&self, kind: &str) -> bool {
        // The type of a shipped schema is one that it takes.
        (self.name.is_some() && self.canonical == kind) || self.rule.takes(kind)
    }
}

/// One schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema<'a> {
    /// Its number.
    pub id: SchemaId,
    /// Its constant's name; none for a local entry.
    pub name: Option<&'static str>,
    /// The type that it stands for first.
    pub canonical: &'a str,
    /// The family of its types.
    pub family: Family,
    /// The types that it takes.
    pub rule: TypeRule<'a>,
}

macro_rules! schemas {
    ($( $name:ident = $id:literal, $canonical:literal ),* $(,)?) => {
        impl SchemaId {
            $(
                #[doc = concat!("`CT_", stringify!($name), "`: `", $canonical, "`.")]
                pub const $name: Self = Self($id);
            )*
        }

        /// Id, constant and canonical type, by rising id.
        const SCHEMAS: &[(u16, &str, &str)] = &[ $( ($id, concat!("CT_", stringify!($name)), $canonical) ),* ];
    };
}

schemas! {
    OBSERVATION = 1, "observation.generic.v1",
    INTENT = 2, "intent.generic.v1",
    TOOL_CALL = 3, "intent.tool_call.v1",
    TOOL_RESULT = 4, "toolresult.generic.v1",
    ARTIFACT = 5, "artifact.generic.v1",
    CRITIQUE = 6, "critique.generic.v1",
    STATE_DELTA = 7, "statedelta.generic.v1",
    RUN_EVENT = 8, "observation.run.event.v1",
    CONTROL = 9, "intent.control.v1",
    ERROR_REPORT = 10, "error.report.v1",
    AGENT_HELLO = 100, "observation.agent.hello.v1",
    RUNTIME_HELLO = 101, "observation.runtime.hello.v1",
    INIT = 102, "intent.init.v1",
    HOSTCALL_REQ = 110, "intent.hostcall.request.v1",
    HOSTCALL_RES = 111, "toolresult.hostcall.response.v1",
    OPERATOR_REQ = 128, "intent.operator.request.v1",
    OPERATOR_RESP = 129, "toolresult.operator.response.v1",
    TAP_ENTRY = 130, "observation.tap.entry.v1",
    MPLP_EVENT = 131, "observation.mplp.event.v1",
    INTENT_CONTACTS_RESOLVE = 200, "intent.contacts.resolve.v1",
    CONTACTS_RESOLVED = 201, "toolresult.contacts.resolved.v1",
    INTENT_CONTEXT_GATHER = 210, "intent.context.gather.v1",
    CONTEXT_BUNDLE = 211, "observation.context.bundle.v1",
    INTENT_DRAFT_WRITE = 220, "intent.draft.write.v1",
    DRAFT_EMAIL = 221, "artifact.draft.email.v1",
    INTENT_REVIEW_DRAFT = 230, "intent.review.draft.v1",
    REVIEW_CRITIQUE = 231, "critique.review.v1",
    INTENT_SEND_MAIL = 240, "intent.send.mail.v1",
    MAIL_RESULT = 241, "toolresult.mail.result.v1",
    CTRL_REQ = 2001, "intent.ctrl.request.v1",
    CTRL_RESP = 2002, "toolresult.ctrl.response.v1",
    METRICS_SNAPSHOT = 3001, "observation.metrics.snapshot.v1",
    OPENING_EVENT = 3002, "observation.opening.event.v1",
    TRACE_LINE = 3003, "observation.trace.line.v1",
    AGENT_LOG_LINE = 3004, "observation.agent.log.v1",
    ACTION_REQUEST = 3005, "intent.action.request.v1",
    ACTION_DECISION = 3006, "toolresult.action.decision.v1",
    BUS_DROP_NOTICE = 3007, "error.bus.drop.notice.v1",
    EXECUTOR_AGENT_REQUEST = 4000, "intent.executor.agent.request.v1",
    EXECUTOR_AGENT_RESPONSE = 4001, "toolresult.executor.agent.response.v1",
}

impl SchemaId {
    /// The shipped id that stands for this type first, if one does.
    #[must_use]
    pub fn shipped_for(kind: &str) -> Option<Self> {
        SCHEMAS.iter().find(|(_, _, canonical)| *canonical == kind).map(|(id, _, _)| Self(*id))
    }

    /// Whether it takes every type of a family.
    #[must_use]
    pub fn is_generic(self) -> bool {
        Family::ALL.iter().any(|family| family.generic() == self)
    }

    /// Whether the specification or the station has the id, or it is 0, which is nobody's.
    #[must_use]
    pub fn is_taken(self) -> bool {
        self.0 == 0 || shipped(self).is_some()
    }
}

/// The shipped schemas, and local ones beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registry {
    local: BTreeMap<u16, Box<str>>,
}

/// Why a local entry is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Id 0 is always rejected.
    #[error("schema_id 0 is reserved")]
    Zero,
    /// The specification or the station has the id already.
    #[error("schema_id {0} is already defined as {1}")]
    Shipped(SchemaId, &'static str),
    /// Not a number of 16 bits.
    #[error("`{0}` is not a schema_id: use 1 to 65535, or 0x0001 to 0xffff")]
    NotAnId(String),
    /// No type, and no family with `.*` behind it.
    #[error("`{0}` is not a type: use <family>.<kind>.v<N>, or <family>.* for every type of a family")]
    NotAType(String),
}

/// What stands behind a family's label in a local entry that takes all its types.
const ANY: &str = ".*";

impl Registry {
    /// Adds a local entry: `<family>.<kind>.v<N>` for that type alone, `<family>.*` for any of the family. A
    /// later one replaces an earlier.
    ///
    /// # Errors
    /// An id that is shipped or 0, or what is no type.
    pub fn add(&mut self, id: SchemaId, rule: &str) -> Result<(), RegistryError> {
        if id.0 == 0 {
            return Err(RegistryError::Zero);
        }
        if let Some((_, _, canonical)) = shipped(id) {
            return Err(RegistryError::Shipped(id, canonical));
        }
        if family_of(rule).is_none() {
            return Err(RegistryError::NotAType(rule.to_owned()));
        }
        self.local.insert(id.0, rule.into());
        Ok(())
    }

    /// Adds a local entry that is written `ID=TYPE`, the id in decimal or, with `0x`, in hexadecimal.
    ///
    /// # Errors
    /// Those of [`add`](Self::add), or an id that is none.
    pub fn add_entry(&mut self, entry: &str) -> Result<(), RegistryError> {
        let (id, rule) = entry.split_once('=').unwrap_or((entry, ""));
        let (id, rule) = (id.trim(), rule.trim());
        let number =
            id.strip_prefix("0x").map_or_else(|| id.parse(), |digits| u16::from_str_radix(digits, 16));
        self.add(SchemaId(number.map_err(|_| RegistryError::NotAnId(id.to_owned()))?), rule)
    }

    /// The schema of an id; none for 0, or for one that nobody registered.
    #[must_use]
    pub fn schema(&self, id: SchemaId) -> Option<Schema<'_>> {
        if let Some(schema) = SHIPPED.get(&id) {
            return Some(*schema);
        }
        let canonical = &**self.local.get(&id.0)?;
        let family = family_of(canonical)?;
        let rule =
            if canonical.ends_with(ANY) { TypeRule::Family(family) } else { TypeRule::Exact(canonical) };
        Some(Schema { id, name: None, canonical, family, rule })
    }

    /// The id that a type goes under: its own where it has one, else the generic one of its family; none for
    /// what is no type.
    #[must_use]
    pub fn id_of(&self, kind: &str) -> Option<SchemaId> {
        let name = TypeName::parse(kind)?;
        let local = || self.local.iter().find(|(_, rule)| ***rule == *kind).map(|(id, _)| SchemaId(*id));
        Some(SchemaId::shipped_for(kind).or_else(local).unwrap_or_else(|| name.family.generic()))
    }

    /// Every schema, shipped ones first.
    pub fn schemas(&self) -> impl Iterator<Item = Schema<'_>> {
        let ids = SCHEMAS.iter().map(|(id, _, _)| *id).chain(self.local.keys().copied());
        ids.filter_map(|id| self.schema(SchemaId(id)))
    }
}

/// The shipped schemas by their ids.
static SHIPPED: LazyLock<HashMap<SchemaId, Schema<'static>>> = LazyLock::new(|| {
    let schema = |(id, name, canonical): &(u16, &'static str, &'static str)| {
        let (id, (family, _)) = (SchemaId(*id), Family::split(canonical)?);
        let rule = if family.generic() == id { TypeRule::Family(family) } else { TypeRule::Exact(canonical) };
        Some((id, Schema { id, name: Some(*name), canonical, family, rule }))
    };
    SCHEMAS.iter().filter_map(schema).collect()
});

fn shipped(id: SchemaId) -> Option<(u16, &'static str, &'static str)> {
    SCHEMAS.binary_search_by_key(&id.0, |(id, _, _)| *id).ok().and_then(|at| SCHEMAS.get(at)).copied()
}

/// The family of a rule that is a type, or of `<family>.*`.
fn family_of(rule: &str) -> Option<Family> {
    match rule.strip_suffix(ANY) {
        Some(label) => Family::from_label(label),
        None => TypeName::parse(rule).map(|name| name.family),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_family_kind_and_version() {
        assert!(
            is_type("news.of the day.v1")
                && !is_type(".of.v1")
                && !is_type("news..v1")
                && !is_type("news.v1")
        );
        let name = TypeName::parse("intent.executor.agent.request.v12").unwrap();
        assert_eq!((name.family, name.kind, name.version), (Family::Intent, "executor.agent.request", "12"));
        for no_type in [
            "",
            "error",
            "error.v1",
            "error.report",
            "error.report.1",
            "error.report.v",
            "error.report.v1x",
            "Error.report.v1",
            "news.a.v1",
            "error..v1",
            "error.a..b.v1",
            ".error.a.v1",
            "error.report.v1.",
        ] {
            assert_eq!(TypeName::parse(no_type), None, "{no_type:?}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_every_type_of_it_is_one() {
        assert!(SCHEMAS.is_sorted_by(|a, b| a.0 < b.0));
        let registry = Registry::default();
        for schema in registry.schemas() {
            assert!(schema.rule.takes(schema.canonical), "{schema:?}");
            assert_eq!(registry.id_of(schema.canonical), Some(schema.id), "no two ids have one type");
        }
        let generic: Vec<_> = registry
            .schemas()
            .filter(|schema| matches!(schema.rule, TypeRule::Family(_)))
            .map(|schema| schema.id.0)
            .collect();
        assert_eq!(generic, [1, 2, 4, 5, 6, 7, 10]);
    }

    #[test]
    fn generic_ids_take_their_family_and_the_others_one_type() {
        let registry = Registry::default();
        let takes = |id: SchemaId, kind: &str| registry.schema(id).map(|schema| schema.rule.takes(kind));
        assert_eq!(takes(SchemaId::INTENT, "intent.run.cancel.v1"), Some(true));
        assert_eq!(takes(SchemaId::INTENT, "error.report.v1"), Some(false));
        assert_eq!(takes(SchemaId::INTENT, "intent"), Some(false));
        assert_eq!(takes(SchemaId::CONTROL, "intent.control.v1"), Some(true));
        assert_eq!(takes(SchemaId::CONTROL, "intent.control.v2"), Some(false));
        assert_eq!(takes(SchemaId(0), "intent.control.v1"), None);
        assert_eq!(takes(SchemaId(11), "intent.control.v1"), None);
        assert_eq!(registry.id_of("observation.progress.v1"), Some(SchemaId::OBSERVATION));
        assert_eq!(registry.id_of("nothing"), None);
        assert_eq!(registry.schema(SchemaId::INTENT).unwrap().rule.to_string(), "intent.<kind>.v<N>");
    }

    #[test]
    fn local_entries_stand_beside_the_shipped_ones() {
        let mut registry = Registry::default();
        registry.add(SchemaId(300), "artifact.map.tile.v2").unwrap();
        registry.add(SchemaId(301), "critique.*").unwrap();
        let takes = |id: u16, kind: &str| registry.schema(SchemaId(id)).map(|schema| schema.rule.takes(kind));
        assert_eq!(takes(300, "artifact.map.tile.v2"), Some(true));
        assert_eq!(takes(300, "artifact.map.tile.v1"), Some(false));
        assert_eq!(takes(301, "critique.any.thing.v9"), Some(true));
        assert_eq!(registry.id_of("artifact.map.tile.v2"), Some(SchemaId(300)));
        assert_eq!(registry.add(SchemaId(0), "critique.*"), Err(RegistryError::Zero));
        assert_eq!(
            registry.add(SchemaId::CONTROL, "critique.*"),
            Err(RegistryError::Shipped(SchemaId::CONTROL, "intent.control.v1"))
        );
        assert_eq!(
            registry.add(SchemaId(9_000), "news.*"),
            Err(RegistryError::NotAType("news.*".to_owned()))
        );
    }
}
