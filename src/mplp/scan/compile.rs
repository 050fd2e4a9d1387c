//! Makes the table of a schema from its text and its rules. A keyword, or a value of one, that is not known
//! makes the node one that is left to the judge.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};

use crate::mplp::{
    SchemaId,
    judge::{EXTERNAL_INTEGRATION, document},
    rule::{Check, Profile, Scope},
    rules::RULES,
};

use super::{
    names::{NAMES_MAX, Names},
    source::{Source, SourceKey, Way, places},
    table::{Asks, ListAsks, Node, NodeId, ObjectAsks, Table, kind},
    text::{TextCheck, TextChecks},
};

/// The table of a schema, with what rules ask of objects that are alone in a record of a profile.
pub(super) fn compile(schema: SchemaId, profile: Option<Profile>) -> Table {
    let mut compiler = Compiler { nodes: Vec::new(), known: HashMap::new() };
    match document(schema) {
        Ok(root) => {
            let mut sources = vec![Source::Schema(schema, root)];
            sources.extend(rule_sources(schema, root, profile));
            if schema == SchemaId::Event {
                // Its payload may be an event of its own.
                sources.push(Source::Not(EXTERNAL_INTEGRATION, "event_family"));
            }
            compiler.node(&sources);
        }
        Err(_) => compiler.nodes.push(Node::Closer),
    }
    Table(compiler.nodes.into())
}

/// The rules that are applied to objects of a schema. A condition on a member holds, or does not, by what the
/// schema says of that; where it says nothing, objects for which it holds are left to the judge.
fn rule_sources(schema: SchemaId, root: &'static Value, profile: Option<Profile>) -> Vec<Source> {
    let constant_of = |name: &str| {
        let places = places(schema, root).into_iter().flatten();
        places.filter_map(|(_, at)| at.get("properties")?.get(name)?.get("const")).find_map(Value::as_str)
    };
    let mut sources = Vec::new();
    for rule in RULES.iter().filter(|it| Some(it.scope) == Scope::of(schema)) {
        let is_of_profile =
            rule.condition.profile.is_none_or(|needed| profile.is_some_and(|it| it >= needed));
        if !is_of_profile || matches!(rule.check, Check::Pair(_) | Check::Eq(..)) {
            continue;
        }
        match rule.condition.member {
            None => sources.push(Source::Rule(rule, rule.path)),
            Some((name, text)) => match constant_of(name) {
                Some(constant) if constant == text => sources.push(Source::Rule(rule, rule.path)),
                Some(_) => {}
                None => sources.push(Source::Not(text, name)),
            },
        }
    }
    sources
}

struct Compiler {
    nodes: Vec<Node>,
    known: HashMap<Vec<SourceKey>, NodeId>,
}

impl Compiler {
    /// The node of all that asks something of one value.
    fn node(&mut self, sources: &[Source]) -> NodeId {
        let mut keys: Vec<SourceKey> = sources.iter().map(Source::key).collect();
        keys.sort_unstable();
        keys.dedup();
        if let Some(id) = self.known.get(&keys) {
            return *id;
        }
        let id = self.nodes.len();
        self.nodes.push(Node::Closer);
        self.known.insert(keys, id);
        let mut draft = Draft::default();
        let node = draft.take_all(sources).and_then(|()| self.finish(draft));
        if let (Some(place), Some(node)) = (self.nodes.get_mut(id), node) {
            *place = node;
        }
        id
    }

    fn finish(&mut self, draft: Draft) -> Option<Node> {
        let item = self.node(&draft.items);
        let list = ListAsks { item, items_min: draft.items_min, is_unique: draft.is_unique };
        let object = self.object(&draft)?;
        let is_any = draft.kinds == kind::ALL
            && (draft.texts.is_none() && draft.checks.is_empty())
            && (draft.least.is_none() && draft.most.is_none())
            && (draft.items.is_empty() && draft.items_min == 0 && !draft.is_unique)
            && (object.members.is_empty() && object.alternatives.is_empty() && !object.is_closed);
        if is_any {
            return Some(Node::Any);
        }
        let texts = match draft.texts {
            Some(texts) => Some(Names::new(texts)?),
            None => None,
        };
        let mut checks: Vec<TextCheck> = Vec::new();
        for check in &draft.checks {
            let is_implied = *check == TextCheck::Uuid && draft.checks.contains(&TextCheck::UuidV4);
            if !is_implied && !checks.contains(check) {
                checks.push(*check);
            }
        }
        let text = TextChecks { texts, checks: checks.into() };
        let (least, most) = (draft.least, draft.most);
        Some(Node::Asks(Box::new(Asks { kinds: draft.kinds, text, least, most, object, list })))
    }

    fn object(&mut self, draft: &Draft) -> Option<ObjectAsks> {
        let mut members = draft.members.clone();
        for name in draft.required.iter().chain(draft.alternatives.iter().flatten().flatten()) {
            members.entry(name).or_default();
        }
        if let Some(allowed) = &draft.allowed {
            members.retain(|name, _| allowed.contains(name));
        }
        if members.len() > NAMES_MAX {
            return None;
        }
        let names = Names::new(members.keys().copied())?;
        let bits = |wanted: &BTreeSet<&str>| -> Option<u64> {
            wanted.iter().try_fold(0, |bits, name| Some(bits | 1 << names.find(name.as_bytes())?))
        };
        let required = bits(&draft.required)?;
        let alternatives =
            draft.alternatives.iter().map(|it| it.iter().map(bits).collect::<Option<Box<_>>>());
        let alternatives = alternatives.collect::<Option<Box<_>>>()?;
        let members = members.values().map(|it| self.node(it)).collect();
        Some(ObjectAsks { names, members, required, alternatives, is_closed: draft.allowed.is_some() })
    }
}

/// What sources ask of a value, together.
struct Draft {
    kinds: u8,
    texts: Option<BTreeSet<&'static str>>,
    checks: Vec<TextCheck>,
    least: Option<i64>,
    most: Option<i64>,
    members: BTreeMap<&'static str, Vec<Source>>,
    required: BTreeSet<&'static str>,
    alternatives: Vec<Vec<BTreeSet<&'static str>>>,
    /// The only names that are allowed.
    allowed: Option<BTreeSet<&'static str>>,
    items: Vec<Source>,
    items_min: usize,
    is_unique: bool,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            kinds: kind::ALL,
            texts: None,
            checks: Vec::new(),
            least: None,
            most: None,
            members: BTreeMap::new(),
            required: BTreeSet::new(),
            alternatives: Vec::new(),
            allowed: None,
            items: Vec::new(),
            items_min: 0,
            is_unique: false,
        }
    }
}

impl Draft {
    fn take_all(&mut self, sources: &[Source]) -> Option<()> {
        for source in sources {
            match *source {
                Source::Schema(id, at) => {
                    for (id, at) in places(id, at)? {
                        self.take_place(id, at)?;
                    }
                }
                Source::Rule(_, path) | Source::Not(_, path) => self.take_step(*source, Way::of(path)),
            }
        }
        Some(())
    }

    /// A rule on its way: what it asks of the value that it has come to, or which parts it goes on to.
    fn take_step(&mut self, source: Source, way: Way) {
        let on = |rest| match source {
            Source::Rule(rule, _) => Source::Rule(rule, rest),
            Source::Not(text, _) => Source::Not(text, rest),
            Source::Schema(..) => source,
        };
        match way {
            Way::Items(rest) => self.items.push(on(rest)),
            Way::Member(name, rest) => {
                self.members.entry(name).or_default().push(on(rest));
                if source.needs_all() {
                    self.required.insert(name);
                    self.kinds &= kind::OBJECT;
                }
            }
            Way::End => match source {
                Source::Rule(rule, _) => self.take_check(rule.check),
                Source::Not(text, _) => self.checks.push(TextCheck::Not(text)),
                Source::Schema(..) => {}
            },
        }
    }

    fn take_check(&mut self, check: Check) {
        match check {
            Check::UuidV4 => self.checks.push(TextCheck::UuidV4),
            Check::NonEmptyString => self.checks.push(TextCheck::NotBlank),
            Check::IsoDatetime => self.checks.push(TextCheck::DateTime),
            Check::OneOf(texts) => self.allow(texts.iter().copied().collect()),
            Check::MinLength(count) => {
                self.checks.push(TextCheck::CharactersMin(count));
                self.items_min = self.items_min.max(count);
            }
            Check::Exists | Check::Eq(..) | Check::Pair(_) => {}
        }
        self.kinds &= match check {
            Check::MinLength(_) => kind::STRING | kind::ARRAY,
            Check::Exists => !kind::NULL,
            Check::Eq(..) | Check::Pair(_) => kind::ALL,
            _ => kind::STRING,
        };
    }

    fn allow(&mut self, texts: BTreeSet<&'static str>) {
        self.kinds &= kind::STRING;
        self.texts = Some(match self.texts.take() {
            Some(others) => others.intersection(&texts).copied().collect(),
            None => texts,
        });
    }

    /// A place of a schema, without what it refers to or extends.
    fn take_place(&mut self, id: SchemaId, at: &'static Value) -> Option<()> {
        let at = match at {
            Value::Bool(true) => return Some(()),
            at => at.as_object()?,
        };
        for (keyword, value) in at {
            match keyword.as_str() {
                "$schema" | "$id" | "title" | "description" | "x-mplp-meta" | "definitions" | "allOf" => {}
                "type" => self.kinds &= kinds(value)?,
                "enum" => self.allow(value.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?),
                "const" => self.allow([value.as_str()?].into()),
                "pattern" => self.checks.push(TextCheck::of_pattern(value.as_str()?)?),
                "format" => self.checks.push(TextCheck::of_format(value.as_str()?)?),
                "minLength" => self.checks.push(TextCheck::CharactersMin(count(value)?)),
                "minimum" => self.least = self.least.max(Some(value.as_i64()?)),
                "maximum" => {
                    let most = value.as_i64()?;
                    self.most = Some(self.most.map_or(most, |it| it.min(most)));
                }
                "minItems" => self.items_min = self.items_min.max(count(value)?),
                "uniqueItems" => self.is_unique |= value.as_bool()?,
                "items" => self.items.push(Source::Schema(id, value)),
                "properties" => {
                    for (name, member) in value.as_object()? {
                        self.members.entry(name).or_default().push(Source::Schema(id, member));
                    }
                }
                "required" => self.required.extend(names(value)?),
                "anyOf" => self.alternatives.push(alternatives(value)?),
                "additionalProperties" => self.close(value.as_bool()?, at),
                _ => return None,
            }
        }
        Some(())
    }

    fn close(&mut self, is_open: bool, at: &'static Map<String, Value>) {
        if is_open {
            return;
        }
        let own = at.get("properties").and_then(Value::as_object).into_iter().flatten();
        let own = own.map(|(name, _)| name.as_str()).collect::<BTreeSet<_>>();
        self.allowed = Some(match self.allowed.take() {
            Some(others) => others.intersection(&own).copied().collect(),
            None => own,
        });
    }
}

fn kinds(value: &Value) -> Option<u8> {
    let of = |name: &Value| {
        Some(match name.as_str()? {
            "null" => kind::NULL,
            "boolean" => kind::BOOLEAN,
            // A fraction of zero makes an integer too; that is left to the judge.
            "integer" => kind::INTEGER,
            "number" => kind::INTEGER | kind::FRACTION,
            "string" => kind::STRING,
            "array" => kind::ARRAY,
            "object" => kind::OBJECT,
            _ => return None,
        })
    };
    match value {
        Value::Array(names) => names.iter().try_fold(0, |kinds, name| Some(kinds | of(name)?)),
        name => of(name),
    }
}

fn count(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn names(value: &'static Value) -> Option<BTreeSet<&'static str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

/// Alternatives that each ask for members, and for nothing else.
fn alternatives(value: &'static Value) -> Option<Vec<BTreeSet<&'static str>>> {
    let one = |it: &'static Value| {
        let members = it.as_object().filter(|it| it.len() == 1)?;
        names(members.get("required")?)
    };
    value.as_array()?.iter().map(one).collect()
}
