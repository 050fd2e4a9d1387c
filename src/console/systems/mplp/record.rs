//! A record as far as it is held here: the rows of its pages, bounded.

use std::{collections::HashMap, sync::Arc};

use serde::{Deserialize, de::IgnoredAny};

use super::about::StepNames;
use crate::{
    console::draw::format,
    mplp::{Finding, lifecycle::Origin},
    port::{LifecyclePage, LifecycleRow, RecordOf},
    schema::JsonText,
};

/// Rows that are held at most, however small they are.
const ROWS_MAX: usize = 20_000;
/// Bytes of a row beside its texts.
const ROW_BYTES: usize = 256;
/// Objects that are larger are not looked into for what stands beside their names.
const SUMMARY_BYTES_MAX: usize = 16_384;
/// Characters of what stands beside a name.
const SUMMARY_CHARS_MAX: usize = 120;
/// The member of a bundle whose events come last.
const EVENTS: &str = "events";

/// An object or event.
#[derive(Debug)]
pub(crate) struct HeldRow {
    pub(crate) place: u64,
    pub(crate) schema: String,
    pub(crate) path: Arc<str>,
    pub(crate) origin: Origin,
    /// The session whose log that is of; none of the record's own.
    pub(crate) session: Option<Arc<str>>,
    pub(crate) object: Option<JsonText>,
    pub(crate) omitted_bytes: Option<u64>,
    pub(crate) findings: Vec<Finding>,
    /// What it is, in a few public words.
    pub(crate) summary: String,
}

/// The objects of one member of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: Arc<str>,
    /// Whether it is a list.
    pub(crate) is_list: bool,
    pub(crate) first: usize,
    /// The place behind its last row.
    pub(crate) end: usize,
}

/// A record.
#[derive(Debug)]
pub(crate) struct HeldRecord {
    pub(crate) of: RecordOf,
    pub(crate) profile: &'static str,
    pub(crate) version: u64,
    /// Objects and events in all of it.
    pub(crate) total: u64,
    /// Findings of all of it, as far as they are counted.
    pub(crate) findings: u64,
    /// Whether there are more.
    pub(crate) has_more_findings: bool,
    pub(crate) of_bundle: Vec<Finding>,
    pub(crate) rows: Vec<HeldRow>,
    pub(crate) members: Vec<Member>,
    by_path: HashMap<Arc<str>, usize>,
    step_names: StepNames,
    /// Findings that are held.
    found: usize,
    bytes: usize,
    bytes_max: usize,
    has_more: bool,
}

impl HeldRecord {
    /// A record, by its first page.
    pub(crate) fn begin(of: RecordOf, page: LifecyclePage, bytes_max: u64) -> Self {
        let mut record = Self {
            of,
            profile: page.profile.as_str(),
            version: page.version,
            total: page.total,
            findings: page.findings,
            has_more_findings: page.more_findings,
            of_bundle: Vec::new(),
            rows: Vec::new(),
            members: Vec::new(),
            by_path: HashMap::new(),
            step_names: StepNames::default(),
            found: 0,
            bytes: 0,
            bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX),
            has_more: false,
        };
        record.add(page);
        record
    }

    /// Takes a page of the same state; of a page that is larger than there is room for, the rest is let go.
    pub(crate) fn add(&mut self, page: LifecyclePage) {
        self.found += page.of_bundle.len();
        self.of_bundle.extend(page.of_bundle);
        // A page that has nothing ends the record, whatever it says.
        self.has_more = page.more && !page.rows.is_empty();
        let last = self.last();
        for row in page.rows.into_iter().filter(|row| row.place > last) {
            if self.is_full() {
                self.has_more = true;
                return;
            }
            self.push(row);
        }
    }

    fn push(&mut self, row: LifecycleRow) {
        let LifecycleRow { place, schema, path, origin, session, object, omitted_bytes, findings } = row;
        let text = object.as_ref().map_or("", JsonText::as_str);
        self.found += findings.len();
        let said: usize = findings.iter().map(|it| it.requires.len() + ROW_BYTES).sum();
        self.bytes += ROW_BYTES + text.len() + path.len() + said;
        let (name, is_list) = match path.split_once('[') {
            Some((name, _)) => (name, true),
            None => (&*path, false),
        };
        let at = self.rows.len();
        match self.members.last_mut().filter(|member| &*member.name == name) {
            Some(member) => member.end = at + 1,
            None => self.members.push(Member { name: name.into(), is_list, first: at, end: at + 1 }),
        }
        let path: Arc<str> = path.into();
        self.by_path.insert(Arc::clone(&path), at);
        let about = self.step_names.about(&schema, text);
        let summary = [Some(summary(text)), about].into_iter().flatten().collect::<Vec<_>>().join(" ");
        self.rows.push(HeldRow {
            place,
            schema,
            path,
            origin,
            session,
            object,
            omitted_bytes,
            findings,
            summary,
        });
    }

    /// Holds an object that is too large for a page, until it is let go.
    pub(super) fn hold_object(&mut self, row: usize, object: JsonText) {
        self.drop_object(row);
        if let Some(of) = self.rows.get_mut(row) {
            self.bytes += object.as_str().len();
            of.object = Some(object);
        }
    }

    /// Lets an object go that is too large for a page; others stay.
    pub(super) fn drop_object(&mut self, row: usize) {
        let of = self.rows.get_mut(row).filter(|of| of.omitted_bytes.is_some());
        if let Some(object) = of.and_then(|of| of.object.take()) {
            self.bytes -= object.as_str().len();
        }
    }

    /// The place of the last row that is held; 0 before the first.
    pub(crate) fn last(&self) -> u64 {
        self.rows.last().map_or(0, |row| row.place)
    }

    /// Whether there is more of it than is held.
    pub(crate) const fn has_more(&self) -> bool {
        self.has_more
    }

    /// Its findings in words; nothing where it is clean.
    pub(crate) fn findings_text(&self) -> Option<String> {
        let more = if self.has_more_findings { "+" } else { "" };
        let noun = if self.findings == 1 && more.is_empty() { "finding" } else { "findings" };
        (self.findings > 0).then(|| format!("{}{more} {noun}", format::count(self.findings)))
    }

    /// Bytes that are held, as they are counted.
    #[cfg(test)]
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is no room for more.
    pub(crate) const fn is_full(&self) -> bool {
        self.rows.len() >= ROWS_MAX || self.bytes >= self.bytes_max
    }

    /// Whether all its objects are held, so that only events are missing.
    pub(crate) fn has_objects(&self) -> bool {
        !self.has_more || self.members.last().is_some_and(|member| &*member.name == EVENTS)
    }

    /// Whether a finding of a row is in what is not held.
    pub(crate) const fn misses_findings(&self) -> bool {
        self.has_more && (self.found as u64) < self.findings
    }

    /// The row of a path.
    pub(crate) fn row_of(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// How many objects or events a member has: all that are held, and of the last one what is still to come.
    pub(crate) fn count(&self, member: &Member) -> u64 {
        let held = (member.end - member.first) as u64;
        let is_last = member.end == self.rows.len() && &*member.name == EVENTS;
        let missing = if is_last { self.total.saturating_sub(self.last()) } else { 0 };
        held + missing
    }
}

/// What says in a few words what an object or event is. What a peer wrote is none of them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named<'a> {
    #[serde(borrow)]
    event_type: Option<Word<'a>>,
    #[serde(borrow)]
    stage_name: Option<Word<'a>>,
    stage_order: Option<IgnoredAny>,
    #[serde(borrow)]
    executor_role: Option<Word<'a>>,
    #[serde(borrow)]
    stage_status: Option<Word<'a>>,
    #[serde(borrow)]
    status: Option<Word<'a>>,
    #[serde(borrow)]
    role_id: Option<Word<'a>>,
    #[serde(borrow)]
    name: Option<Word<'a>>,
}

/// A text as it is written where it has no escapes; anything else says nothing.
#[derive(Clone, Copy)]
struct Word<'a>(&'a str);

impl<'de: 'a, 'a> Deserialize<'de> for Word<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw: &serde_json::value::RawValue = Deserialize::deserialize(deserializer)?;
        let word = raw.get().strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or_default();
        Ok(Self(if word.contains('\\') { "" } else { word }))
    }
}

fn summary(text: &str) -> String {
    if text.len() > SUMMARY_BYTES_MAX {
        return String::new();
    }
    let named: Named<'_> = serde_json::from_str(text).unwrap_or_default();
    // What else has a name at its top is named after its opening or intent, as a stage is that is no step.
    let (is_role, is_step) = (named.role_id.is_some(), named.stage_order.is_some());
    let words = [
        named.event_type,
        named.stage_name.filter(|_| is_step),
        named.executor_role,
        named.name.filter(|_| is_role),
        named.stage_status,
        named.status,
    ];
    let words: Vec<&str> =
        words.iter().flatten().map(|word| word.0).filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(SUMMARY_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ids::TraceId, mplp::Profile};

    fn row(place: u64, path: &str, object: &str) -> LifecycleRow {
        LifecycleRow {
            place,
            schema: "pipeline-stage-event".to_owned(),
            path: path.to_owned(),
            origin: Origin::Number(place),
            session: None,
            object: Some(JsonText::parse(object).unwrap()),
            omitted_bytes: None,
            findings: Vec::new(),
        }
    }

    fn page(rows: Vec<LifecycleRow>, more: bool) -> LifecyclePage {
        let of_bundle = Vec::new();
        let (profile, more_findings) = (Profile::Sa, false);
        LifecyclePage { profile, version: 1, total: 900, findings: 0, more_findings, of_bundle, rows, more }
    }

    fn of() -> RecordOf {
        RecordOf::Run(TraceId(uuid::Uuid::from_u128(7)))
    }

    #[test]
    fn rows_are_put_together_by_the_members_of_the_bundle_and_events_are_counted_to_the_end() {
        let rows = [(1, "context"), (2, "roles[0]"), (3, "roles[1]"), (4, "events[0]")];
        let rows = rows.map(|(place, path)| row(place, path, "{}")).to_vec();
        let mut record = HeldRecord::begin(of(), page(rows, true), 1_000_000);
        let counts = |record: &HeldRecord| {
            let members = record.members.iter();
            members.map(|it| (it.name.to_string(), it.is_list, record.count(it))).collect::<Vec<_>>()
        };
        let wanted = [("context", false, 1), ("roles", true, 2), ("events", true, 897)];
        assert_eq!(counts(&record), wanted.map(|(name, is_list, count)| (name.to_owned(), is_list, count)));
        assert!(record.has_objects() && record.has_more());
        record.add(page(vec![row(4, "events[0]", "{}"), row(5, "events[1]", "{}")], false));
        assert_eq!((record.rows.len(), record.row_of("events[1]"), record.has_more()), (5, Some(4), false));
    }

    #[test]
    fn no_more_is_held_than_there_is_room_for() {
        let rows: Vec<_> = (1..=9).map(|place| row(place, &format!("events[{place}]"), "{}")).collect();
        let record = HeldRecord::begin(of(), page(rows, false), 1_000);
        assert!(record.is_full() && record.has_more() && record.rows.len() < 9, "{}", record.rows.len());
    }

    #[test]
    fn a_summary_has_nothing_that_a_peer_wrote() {
        let stage = r#"{"event_type":"step_started","stage_name":"poll","stage_status":"running","stage_order":0,"payload":{"why":"x"}}"#;
        assert_eq!(summary(stage), "step_started poll running");
        let session = stage.replace("\"stage_order\":0,", "").replace("poll", "which map for ann");
        assert_eq!(summary(&session), "step_started running");
        assert_eq!(summary(r#"{"role_id":"7","name":"agent:poll","description":"x"}"#), "agent:poll");
        assert_eq!(summary(r#"{"name":"give ann an item","title":"x","status":"active"}"#), "active");
        assert_eq!((summary(r#"{"status":7}"#), summary("[1]"), summary("")), Default::default());
    }
}
