//! One message, judged.

use std::ops::Range;

use super::transcribe::{Stop, beginning, transcribe};
use crate::{
    mplp::{Finding, InputLimits, Judged, NotJudged, Path, RecordContext, SchemaId, validate},
    msgpack::{Shape, Walk},
};

/// What findings of the message itself, and not of an object in it, name as their schema.
pub const BUS_MESSAGE: &str = "bus message";
/// The rule of the finding that a body is not one value of MsgPack.
pub const MSGPACK: &str = "msgpack";
/// The rule of the finding that an object has a value that JSON does not have.
pub const NOT_JSON: &str = "json";

/// The version of the payload (ruling MPLP 17).
const VERSION: u64 = 1;
/// Containers within containers that are passed over.
const PASSED_DEPTH_MAX: usize = 512;
/// Bytes of a name of a schema that are compared.
const NAME_BYTES_MAX: usize = 128;

/// A finding of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LintFinding {
    /// The place among the message's items, from 0; nothing for what is wrong with the message itself. The
    /// path of the finding of an item starts at the kind of its object, as ruling MPLP 6 says.
    pub item: Option<usize>,
    /// What is wrong.
    pub finding: Finding,
}

/// What was found in a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lint {
    /// The first findings, as many as were asked for: item by item, of each the message's before its
    /// object's, and those in the order of ruling MPLP 10.
    pub findings: Vec<LintFinding>,
    /// Whether there are more, or may be.
    pub is_cut: bool,
    /// Objects that were judged.
    pub judged: u64,
    /// Objects that were not: too deep, too long, or behind the last finding that was asked for.
    pub not_judged: u64,
}

impl Lint {
    /// Whether all was judged, and nothing found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && !self.is_cut && self.not_judged == 0
    }
}

/// Judges the body of a message of schema id 0x0083, from its first byte to its last: MsgPack, in the JSON
/// dialect too. `limits` is of one object, but for the findings, which are of the message.
#[must_use]
pub fn lint(body: &[u8], limits: InputLimits) -> Lint {
    let mut linter = Linter { bytes: body, limits, lint: Lint::default(), json: Vec::new() };
    linter.body();
    linter.lint
}

struct Linter<'a> {
    bytes: &'a [u8],
    limits: InputLimits,
    lint: Lint,
    /// The JSON of the object that is judged: one buffer for all of them.
    json: Vec<u8>,
}

/// Members that are looked for, as they were found: those of a map; nothing for what is none.
type Members<const N: usize> = Option<[Option<Range<usize>>; N]>;

/// What an item says of its schema.
enum Named {
    Schema(SchemaId),
    Unknown,
    NotText,
}

impl Linter<'_> {
    fn is_full(&self) -> bool {
        self.lint.findings.len() >= self.limits.findings_max
    }

    fn add(&mut self, item: Option<usize>, finding: Finding) {
        if self.is_full() {
            self.lint.is_cut = true;
        } else {
            self.lint.findings.push(LintFinding { item, finding });
        }
    }

    /// Notes what is wrong with the message itself. What is missing has no part.
    fn blame(
        &mut self,
        (item, path): (Option<usize>, Path),
        rule: &'static str,
        requires: impl Into<String>,
        part: Option<Range<usize>>,
    ) {
        let received = part.and_then(|part| beginning(self.bytes, part, PASSED_DEPTH_MAX));
        let (schema, rule) = (BUS_MESSAGE.into(), rule.into());
        self.add(item, Finding { schema, path, rule, requires: requires.into(), received });
    }

    /// The parts of a map that have these names; of one that is there twice, the last. An error where it is
    /// no MsgPack.
    fn members<const N: usize>(&self, part: Range<usize>, names: [&str; N]) -> Result<Members<N>, Stop> {
        let mut walk = Walk::within(self.bytes, part, PASSED_DEPTH_MAX);
        let Shape::Map(pairs) = walk.head(1)? else { return Ok(None) };
        let mut found = [const { None }; N];
        for _ in 0..pairs {
            let key = walk.at();
            let name = match walk.head(2)? {
                Shape::Text(range) => self.bytes.get(range),
                Shape::Map(_) | Shape::Array(_) => {
                    let mut again = Walk::within(self.bytes, key..self.bytes.len(), PASSED_DEPTH_MAX);
                    let end = again.skip(2)?.end;
                    walk = Walk::within(self.bytes, end..self.bytes.len(), PASSED_DEPTH_MAX);
                    None
                }
                Shape::Leaf => None,
            };
            let value = walk.skip(2)?;
            if let Some(place) = names.iter().position(|it| Some(it.as_bytes()) == name) {
                found[place] = Some(value);
            }
        }
        Ok(Some(found))
    }

    fn body(&mut self) {
        let at = Path::of("payload");
        let payload = match self.members(0..self.bytes.len(), ["payload"]) {
            Ok(Some([Some(payload)])) => payload,
            Ok(_) => return self.blame((None, at), "required", "an object with v and items", None),
            Err(_) => return self.blame((None, at), MSGPACK, "one value of MsgPack", None),
        };
        match self.members(payload.clone(), ["v", "items"]) {
            Ok(Some(members)) => self.payload(&at, members),
            Ok(None) => self.blame((None, at), "type", "an object with v and items", Some(payload)),
            Err(_) => self.blame((None, at), MSGPACK, "one value of MsgPack", None),
        }
    }

    fn payload(&mut self, at: &Path, [version, items]: [Option<Range<usize>>; 2]) {
        let of_version = (None, at.member("v"));
        match version {
            None => self.blame(of_version, "required", VERSION.to_string(), None),
            Some(part) if !self.is_version(part.clone()) => {
                self.blame(of_version, "const", VERSION.to_string(), Some(part));
            }
            Some(_) => {}
        }
        let of_items = at.member("items");
        let requires = "an array of objects with schema and object";
        let Some(items) = items else {
            return self.blame((None, of_items), "required", requires, None);
        };
        let mut walk = Walk::within(self.bytes, items.clone(), PASSED_DEPTH_MAX);
        let Ok(Shape::Array(count)) = walk.head(1) else {
            return self.blame((None, of_items), "type", requires, Some(items));
        };
        for index in 0..count as usize {
            if self.is_full() {
                self.lint.is_cut = true;
                self.lint.not_judged += u64::from(count) - index as u64;
                return;
            }
            // The whole array was passed over before.
            let Ok(part) = walk.skip(2) else { return };
            self.item(&of_items, index, part);
        }
    }

    fn is_version(&self, part: Range<usize>) -> bool {
        let mut bytes = self.bytes.get(part).unwrap_or_default();
        match rmpv::decode::read_value(&mut bytes) {
            Ok(value) => value.as_u64() == Some(VERSION) || value.as_f64() == Some(1.0),
            Err(_) => false,
        }
    }

    fn item(&mut self, items: &Path, index: usize, part: Range<usize>) {
        let (item, at) = (Some(index), items.item(index));
        let Ok(Some([schema, object])) = self.members(part.clone(), ["schema", "object"]) else {
            return self.blame((item, at), "type", "an object with schema and object", Some(part));
        };
        let of_schema = (item, at.member("schema"));
        let requires = "the name of a schema, as `rl-console mplp schemas` lists them";
        let named = schema.clone().map(|part| self.schema_of(part));
        match (schema, &named) {
            (Some(part), Some(Named::Unknown)) => self.blame(of_schema, "enum", requires, Some(part)),
            (Some(part), Some(Named::NotText)) => self.blame(of_schema, "type", requires, Some(part)),
            (Some(_), Some(Named::Schema(_))) => {}
            (None, _) | (_, None) => self.blame(of_schema, "required", requires, None),
        }
        let Some(object) = object else {
            let of_object = (item, at.member("object"));
            return self.blame(of_object, "required", "an object of the schema", None);
        };
        let schema = match named {
            Some(Named::Schema(id)) => Some(id),
            _ => None,
        };
        self.object(index, schema, object);
    }

    fn schema_of(&self, part: Range<usize>) -> Named {
        let Ok(Shape::Text(text)) = Walk::within(self.bytes, part, 1).head(1) else { return Named::NotText };
        let name = self.bytes.get(text).filter(|it| it.len() <= NAME_BYTES_MAX);
        let known = name.and_then(|it| std::str::from_utf8(it).ok()).and_then(SchemaId::named);
        known.map_or(Named::Unknown, Named::Schema)
    }

    fn object(&mut self, index: usize, named: Option<SchemaId>, part: Range<usize>) {
        self.json.clear();
        let room = self.limits.findings_max.saturating_sub(self.lint.findings.len());
        let InputLimits { bytes_max, depth_max, .. } = self.limits;
        let mut json = std::mem::take(&mut self.json);
        let written = transcribe((self.bytes, part), (depth_max, bytes_max, room), &mut json);
        self.json = json;
        let limits = InputLimits { findings_max: room, ..self.limits };
        let judged = match written {
            Ok(notes) => {
                validate(&self.json, named, RecordContext::default(), limits).map(|judged| (judged, notes))
            }
            Err(Stop::TooLong) => Err(NotJudged::TooLong { bytes_max }),
            Err(Stop::TooDeep | Stop::NotMsgPack) => Err(NotJudged::TooDeep { depth_max }),
        };
        match judged {
            Ok((Judged { schema, findings }, notes)) => {
                self.lint.judged += 1;
                let at = Path::of(schema.start());
                let notes = notes.into_iter().map(|note| note.finding(schema.name(), &at));
                for finding in notes.chain(findings.list) {
                    self.add(Some(index), finding);
                }
                self.lint.is_cut |= findings.is_cut;
            }
            // Nobody says what it should be, which was said of its schema.
            Err(NotJudged::NotKnown) => {}
            Err(_) => self.lint.not_judged += 1,
        }
    }
}
