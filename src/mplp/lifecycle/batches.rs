//! Objects and events on their way to the bus: each is validated, and those of a run gather into messages
//! (ruling MPLP 17; `mplp-l1 §5.1`, output). No I/O: every moment is an argument.
//!
//! ```text
//! Item ─add─▶ clean? ──no──▶ Withheld
//!               └yes─▶ open message of the run ─full, 5 ms old, or the run ended─▶ poll
//! ```

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use rmp::encode::ByteBuf;
use serde_json::{Map, Value};

use super::{
    item::Item,
    wire::{FRAME_BYTES_MAX, body, write_item},
};
use crate::{
    ids::TraceId,
    mplp::{Profile, RecordContext, SchemaId, judge, judge::agrees, rule_named, scan},
    time::Mono,
};

/// How long an item waits for others, at most.
pub const BATCH_WAIT_MAX: Duration = Duration::from_millis(5);

/// The bounds of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Bytes of one message; an item that is larger has one of its own (`limits.mplp.batch_bytes_max`).
    pub batch_bytes_max: usize,
    /// Bytes of any message; an item that is larger is withheld (`limits.rmp.body_bytes_max`).
    pub body_bytes_max: usize,
    /// Levels of an item's JSON that the pass over its bytes takes; a deeper one is judged without it.
    pub depth_max: usize,
}

/// A message of a run's objects and events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Whose they are.
    pub run: TraceId,
    /// How many.
    pub items: usize,
    /// The body.
    pub body: Vec<u8>,
}

/// An item that does not leave: it is not clean, or too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// Its schema.
    pub schema: SchemaId,
    /// The rule or keyword of its first finding; [`TOO_LARGE`] of one that is too large.
    pub rule: String,
    /// The path of that.
    pub path: String,
    /// What it requires.
    pub requires: String,
    /// How many findings it has, or more than so many; at most [`FINDINGS_MAX`].
    pub findings: u32,
    /// How many of them are of each family of rules, in the order of [`FINDING_FAMILIES`].
    pub by_family: [u32; FINDING_FAMILIES.len()],
}

/// What findings are counted by: the families of rules, and the schema.
pub const FINDING_FAMILIES: [&str; 6] = ["sa", "map", "observability", "integration", "learning", "schema"];

/// The place of a rule or keyword among [`FINDING_FAMILIES`].
fn family_of(rule: &str) -> usize {
    rule_named(rule).map_or(FINDING_FAMILIES.len() - 1, |rule| rule.family as usize)
}

/// What stands for a rule where an item is too large.
pub const TOO_LARGE: &str = "limits.rmp.body_bytes_max";

/// Findings of an item that are counted.
pub const FINDINGS_MAX: usize = 1_000;

/// Items that gather.
#[derive(Debug)]
pub struct Batches {
    limits: BatchLimits,
    open: BTreeMap<TraceId, OpenBatch>,
    /// When messages are due, in this order, each with its run. One that left before is passed over.
    due: VecDeque<(Mono, TraceId)>,
    ready: VecDeque<Batch>,
    /// Of each open record, the Context and Plan as far as rules compare others with them.
    bound: BTreeMap<TraceId, Map<String, Value>>,
    /// An item as JSON, and as the bus has it.
    json: Vec<u8>,
    item: ByteBuf,
}

#[derive(Debug)]
struct OpenBatch {
    due: Mono,
    items: usize,
    bytes: Vec<u8>,
}

impl Batches {
    /// None yet.
    #[must_use]
    pub fn new(limits: BatchLimits) -> Self {
        Self {
            limits,
            open: BTreeMap::new(),
            due: VecDeque::new(),
            ready: VecDeque::new(),
            bound: BTreeMap::new(),
            json: Vec::new(),
            item: ByteBuf::new(),
        }
    }

    /// Adds an item of a run's record, or of one that is told with it, behind those before it.
    ///
    /// # Errors
    /// It does not leave.
    pub fn add(&mut self, now: Mono, run: TraceId, profile: Profile, item: &Item) -> Result<(), Withheld> {
        self.bind(run, item);
        self.check(run, profile, item)?;
        self.item.as_mut_vec().clear();
        write_item(&mut self.item, item);
        let len = self.item.as_slice().len();
        let (max, body_max) = (self.limits.batch_bytes_max, self.limits.body_bytes_max);
        if FRAME_BYTES_MAX + len > body_max {
            return Err(too_large(item.schema, len, body_max));
        }
        let gathered = self.open.get(&run).map_or(0, |open| open.bytes.len());
        if gathered > 0 && FRAME_BYTES_MAX + gathered + len > max {
            self.close(run);
        }
        let Self { open, due, item, .. } = self;
        let batch = open.entry(run).or_insert_with(|| {
            let at = now + BATCH_WAIT_MAX;
            due.push_back((at, run));
            OpenBatch { due: at, items: 0, bytes: Vec::new() }
        });
        batch.items += 1;
        batch.bytes.extend_from_slice(item.as_slice());
        if FRAME_BYTES_MAX + batch.bytes.len() >= max {
            self.close(run);
        }
        Ok(())
    }

    /// Takes note of what the rules of others are about. A Context begins a record.
    fn bind(&mut self, run: TraceId, item: &Item) {
        let (object, id) = match item.schema {
            SchemaId::Context => ("context", "context_id"),
            SchemaId::Plan => ("plan", "plan_id"),
            _ => return,
        };
        let id = Map::from_iter([(id.to_owned(), item.object.get(id).cloned().unwrap_or_default())]);
        self.bound.entry(run).or_default().insert(object.to_owned(), id.into());
    }

    /// Lets leave what gathered of a run, whose record is whole.
    pub fn end(&mut self, run: TraceId) {
        self.close(run);
        self.bound.remove(&run);
    }

    /// Lets leave what gathered of a run.
    pub fn close(&mut self, run: TraceId) {
        if let Some(OpenBatch { items, bytes, .. }) = self.open.remove(&run) {
            self.ready.push_back(Batch { run, items, body: body(items, &bytes) });
        }
    }

    /// Lets leave all that gathered.
    pub fn close_all(&mut self) {
        while let Some((_, run)) = self.due.pop_front() {
            self.close(run);
        }
    }

    /// The next message that leaves by now.
    pub fn poll(&mut self, now: Mono) -> Option<Batch> {
        while let Some((at, run)) = self.due.front().copied()
            && at <= now
        {
            self.due.pop_front();
            if self.open.get(&run).is_some_and(|open| open.due == at) {
                self.close(run);
            }
        }
        self.ready.pop_front()
    }

    /// When the next message leaves.
    #[must_use]
    pub fn timeout(&self) -> Option<Mono> {
        let (at, _) = self.due.front()?;
        Some(*at)
    }

    /// Whether an item is clean by its schema and the rules of its profile: the pass over its bytes first.
    fn check(&mut self, run: TraceId, profile: Profile, item: &Item) -> Result<(), Withheld> {
        self.json.clear();
        let is_written = serde_json::to_writer(&mut self.json, &item.object).is_ok();
        let record = RecordContext { profile: Some(profile), bundle: self.bound.get(&run) };
        if is_written
            && scan::is_clean(item.schema, &self.json, Some(profile), self.limits.depth_max)
            && agrees(item.schema, &item.object, record)
        {
            return Ok(());
        }
        let findings = judge(item.schema, &item.object, record, FINDINGS_MAX);
        let Some(first) = findings.list.first() else { return Ok(()) };
        let mut by_family = [0; FINDING_FAMILIES.len()];
        for finding in &findings.list {
            by_family[family_of(&finding.rule)] += 1;
        }
        Err(Withheld {
            schema: item.schema,
            rule: first.rule.to_string(),
            path: first.path.to_string(),
            requires: first.requires.clone(),
            findings: u32::try_from(findings.list.len()).unwrap_or(u32::MAX),
            by_family,
        })
    }
}

fn too_large(schema: SchemaId, len: usize, max: usize) -> Withheld {
    Withheld {
        schema,
        rule: TOO_LARGE.to_owned(),
        path: format!("$.{}", schema.start()),
        requires: format!("at most {max} bytes; it has {len}"),
        findings: 1,
        by_family: [0; FINDING_FAMILIES.len()],
    }
}

#[cfg(test)]
mod tests;
