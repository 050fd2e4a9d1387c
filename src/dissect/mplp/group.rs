//! Findings that are alike: of one rule, in one schema, at one path but for the indices.

use std::{borrow::Cow, sync::Arc};

use crate::{
    ids::{ConnectionId, Peer, Seq},
    mplp::{Finding, Path, lint::NOT_JSON},
    schema::PathStep,
    time::Now,
    words::cut::cut,
};

/// Publishers that are named of one group.
const OFFENDERS_MAX: usize = 16;
/// Bytes of a path that are kept.
const PATH_BYTES_MAX: u64 = 256;
/// The keyword whose path ends in a name of the peer's own.
const SUPERFLUOUS: &str = "additionalProperties";

/// What tells groups apart, in their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FindingKey {
    /// The id of the rule, or the keyword of JSON Schema.
    pub(crate) rule: Cow<'static, str>,
    /// The schema of the objects; `bus message` for what is around them.
    pub(crate) schema: Cow<'static, str>,
    /// Where, with `[*]` for every index, `*` for the name of a superfluous member, and `**` for the way to
    /// what is no JSON.
    pub(crate) path: Arc<str>,
}

/// What is alike of several findings, and the last of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindingGroup {
    pub(crate) key: FindingKey,
    /// How many there were; of what was not judged, messages or objects.
    pub(crate) count: u64,
    pub(crate) first_at: Now,
    /// The last: when, by whom, and the entry that has it.
    pub(crate) at: Now,
    pub(crate) peer: Peer,
    /// What the publisher calls itself, or its process.
    pub(crate) who: Arc<str>,
    pub(crate) session: Option<ConnectionId>,
    pub(crate) seq: Seq,
    /// The place of the object in its message, from 0.
    pub(crate) item: Option<usize>,
    /// Its path as it was.
    pub(crate) last_path: Arc<str>,
    /// What is required there.
    pub(crate) requires: Arc<str>,
    /// The JSON of what came, cut; nothing for what is missing.
    pub(crate) received: Option<Arc<str>>,
    /// How often by whom, the first that was seen first; those beyond a bound are not named.
    pub(crate) offenders: Vec<(Arc<str>, u64)>,
}

/// Who published a message, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Publication {
    pub(super) at: Now,
    pub(super) seq: Seq,
    pub(super) peer: Peer,
    pub(super) who: Arc<str>,
    pub(super) session: Option<ConnectionId>,
}

impl FindingKey {
    pub(super) fn of(finding: &Finding) -> Self {
        let (rule, schema) = (finding.rule.clone(), finding.schema.clone());
        Self { path: pattern(&finding.path, &finding.rule).into(), rule, schema }
    }
}

/// How many steps of a finding's path are the specification's own names and indices, and what stands for the
/// others: the name of a superfluous member is the peer's own, and so may be each on the way to what is no
/// JSON.
fn named_steps(rule: &str, path: &Path) -> (usize, &'static str) {
    let all = path.steps().len();
    match rule {
        SUPERFLUOUS => (all.saturating_sub(1), ".*"),
        NOT_JSON if all > 1 => (1, ".**"),
        _ => (all, ""),
    }
}

/// A path with `[*]` for its indices, cut at a bound.
fn pattern(path: &Path, rule: &str) -> String {
    let (named, rest) = named_steps(rule, path);
    let mut text = "$".to_owned();
    for step in path.steps().iter().take(named) {
        match step {
            PathStep::Index(_) => text.push_str("[*]"),
            // A path of one step is `$` and that step.
            PathStep::Name(name) => text.push_str(&Path::of(name).to_string()[1..]),
        }
    }
    text.push_str(rest);
    cut(&text, PATH_BYTES_MAX).to_owned()
}

/// A path that anybody may see: without names that may be the peer's own.
pub(super) fn public_path(finding: &Finding) -> String {
    let (named, rest) = named_steps(&finding.rule, &finding.path);
    let steps = finding.path.steps().iter().take(named).cloned();
    format!("{}{rest}", Path::default().then(steps))
}

impl FindingGroup {
    /// A group of nothing yet.
    pub(super) fn new(key: FindingKey, by: &Publication) -> Self {
        Self {
            key,
            count: 0,
            first_at: by.at,
            at: by.at,
            peer: by.peer.clone(),
            who: Arc::clone(&by.who),
            session: by.session,
            seq: by.seq,
            item: None,
            last_path: "".into(),
            requires: "".into(),
            received: None,
            offenders: Vec::new(),
        }
    }

    /// Counts `count` of them, of which this is the last.
    pub(super) fn add(&mut self, count: u64, item: Option<usize>, last: &Finding, by: &Publication) {
        self.count = self.count.saturating_add(count);
        (self.at, self.seq, self.session, self.item) = (by.at, by.seq, by.session, item);
        self.peer.clone_from(&by.peer);
        self.who.clone_from(&by.who);
        self.last_path = cut(&last.path.to_string(), PATH_BYTES_MAX).into();
        if *self.requires != *last.requires {
            self.requires = last.requires.as_str().into();
        }
        self.received = last.received.as_deref().map(Into::into);
        if let Some((_, count_of)) = self.offenders.iter_mut().find(|(known, _)| *known == by.who) {
            *count_of = count_of.saturating_add(count);
        } else if self.offenders.len() < OFFENDERS_MAX {
            self.offenders.push((Arc::clone(&by.who), count));
        }
    }

    /// Whether its last path has names that may be the peer's own.
    pub(crate) fn hides_path(&self) -> bool {
        self.key.rule == SUPERFLUOUS || self.key.rule == NOT_JSON
    }

    /// What it takes in memory, in bytes, at most.
    pub(crate) fn memory_bytes(&self) -> usize {
        1_536 + self.requires.len() + self.offenders.len() * 64
    }
}
