//! Findings: what an object breaks, where, and by which keyword or rule (`mplp-l1 §5.1`, ruling MPLP 10).

use std::{
    borrow::Cow,
    collections::{BTreeSet, btree_set},
    fmt, io, str,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schema::PathStep;

/// Bytes of the JSON of a value that a finding holds, at most.
pub const RECEIVED_BYTES_MAX: usize = 256;

/// The way to what a finding is about, as `$.plan.steps[0].step_id`. A name that is no word is written in
/// brackets, as a JSON text. Paths are ordered by their steps: names by bytes, indices by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Path(Vec<PathStep>);

/// A text that is no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a path such as $.plan.steps[0].step_id")]
pub struct PathError;

impl Path {
    /// The path of an object: its kind, or the member of a bundle that holds it.
    #[must_use]
    pub fn of(start: &str) -> Self {
        Self(vec![PathStep::Name(start.into())])
    }

    /// The path of a member.
    #[must_use]
    pub fn member(&self, name: &str) -> Self {
        self.then([PathStep::Name(name.into())])
    }

    /// The path of an item.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        self.then([PathStep::Index(index)])
    }

    /// The path that goes on by these steps.
    #[must_use]
    pub fn then(&self, steps: impl IntoIterator<Item = PathStep>) -> Self {
        Self(self.0.iter().cloned().chain(steps).collect())
    }

    /// Its steps; the first is the kind of the object.
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Reads a path as it is written.
    ///
    /// # Errors
    /// A text that is not written so.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let mut rest = text.strip_prefix('$').ok_or(PathError)?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let step;
            if let Some(word) = rest.strip_prefix('.') {
                let end = word.find(['.', '[']).unwrap_or(word.len());
                (step, rest) = (PathStep::Name(word[..end].into()), &word[end..]);
                if !is_word(&word[..end]) {
                    return Err(PathError);
                }
            } else {
                let inner = rest.strip_prefix('[').ok_or(PathError)?;
                let mut values = serde_json::Deserializer::from_str(inner).into_iter::<Value>();
                step = match values.next() {
                    Some(Ok(Value::String(name))) => PathStep::Name(name.into()),
                    Some(Ok(Value::Number(index))) => {
                        let index = index.as_u64().and_then(|it| usize::try_from(it).ok());
                        PathStep::Index(index.ok_or(PathError)?)
                    }
                    _ => return Err(PathError),
                };
                rest = inner[values.byte_offset()..].strip_prefix(']').ok_or(PathError)?;
            }
            steps.push(step);
        }
        Ok(Self(steps))
    }
}

/// Whether a name needs no brackets.
fn is_word(name: &str) -> bool {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
    !name.is_empty() && name.chars().all(is_of_word)
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        self.0.iter().try_for_each(|step| match step {
            PathStep::Index(index) => write!(f, "[{index}]"),
            PathStep::Name(name) if is_word(name) => write!(f, ".{name}"),
            PathStep::Name(name) => write!(f, "[{}]", Value::from(&**name)),
        })
    }
}

impl From<Path> for String {
    fn from(path: Path) -> Self {
        path.to_string()
    }
}

impl TryFrom<String> for Path {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        Self::parse(&text)
    }
}

/// One thing that is wrong with an object. Findings of one object are ordered by path, then rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// The name of the schema of the object, or `bundle`.
    pub schema: Cow<'static, str>,
    /// Where. A missing or superfluous member is named by its own path.
    pub path: Path,
    /// The keyword of JSON Schema, or the id of the rule, that is broken.
    pub rule: Cow<'static, str>,
    /// What is required there, in plain words.
    pub requires: String,
    /// The JSON of what is there, at most [`RECEIVED_BYTES_MAX`] bytes of it; nothing for what is missing.
    pub received: Option<String>,
}

/// The JSON of a value, cut at [`RECEIVED_BYTES_MAX`] bytes between two characters.
#[must_use]
pub fn received(value: &Value) -> String {
    let mut cut = CutJson { bytes: Vec::new() };
    // What is over the bound ends the writing.
    let _ = serde_json::to_writer(&mut cut, value);
    let whole = match str::from_utf8(&cut.bytes) {
        Ok(_) => cut.bytes.len(),
        Err(error) => error.valid_up_to(),
    };
    cut.bytes.truncate(whole);
    String::from_utf8(cut.bytes).unwrap_or_default()
}

struct CutJson {
    bytes: Vec<u8>,
}

impl io::Write for CutJson {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        let room = RECEIVED_BYTES_MAX - self.bytes.len();
        if room == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let count = more.len().min(room);
        self.bytes.extend_from_slice(&more[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The findings of one judgement in their order: object by object, of each its schema's before its rules',
/// then by path and rule; equal ones once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// The first of them, as many as were asked for.
    pub list: Vec<Finding>,
    /// Whether there are more.
    pub is_cut: bool,
}

impl Findings {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.list.is_empty() && !self.is_cut
    }
}

/// Collects findings, in memory for as many as are asked for.
#[derive(Debug)]
pub(super) struct Collector {
    findings_max: usize,
    ranked: BTreeSet<(usize, Stage, Finding)>,
    is_cut: bool,
}

/// What made a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Schema,
    Rules,
}

impl Collector {
    pub(super) fn new(findings_max: usize) -> Self {
        Self { findings_max, ranked: BTreeSet::new(), is_cut: false }
    }

    /// Takes a finding in; `object` is the place of its object among those that are judged together.
    pub(super) fn add(&mut self, object: usize, stage: Stage, finding: Finding) {
        self.ranked.insert((object, stage, finding));
        if self.ranked.len() > self.findings_max {
            self.ranked.pop_last();
            self.is_cut = true;
        }
    }

    pub(super) fn into_findings(self) -> Findings {
        let ranked: btree_set::IntoIter<_> = self.ranked.into_iter();
        Findings { list: ranked.map(|(_, _, finding)| finding).collect(), is_cut: self.is_cut }
    }
}

#[cfg(test)]
mod tests;
