//! A record as it is asked for: its objects as texts, each with what is wrong with it, and pages of them.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    limits,
    mplp::{
        Finding, Findings, Profile, SchemaId,
        bundle::{BundleMember, member_of},
        judge_bundle,
        lifecycle::{Bundle, Item, Origin},
    },
    port::{LIFECYCLE_PAGE_BYTES, LifecyclePage, LifecycleRow, RecordOf},
    schema::{JsonText, PathStep},
};

/// Bytes that the findings of one row, or those of no row, have in a page at most; the rest is counted.
const FINDINGS_BYTES_MAX: u64 = 32 << 10;

/// Bytes of a row beside its object and its findings.
const ROW_BYTES: u64 = 160;

/// A record that was built and judged.
#[derive(Debug)]
pub(super) struct BuiltRecord {
    pub(super) of: RecordOf,
    pub(super) version: u64,
    profile: Profile,
    rows: Vec<BuiltRow>,
    of_bundle: Shown,
    findings: u64,
    is_cut: bool,
    bytes: u64,
}

#[derive(Debug)]
struct BuiltRow {
    schema: SchemaId,
    path: String,
    origin: Origin,
    session: Option<Arc<str>>,
    object: JsonText,
    findings: Shown,
}

/// Findings as far as a page has room for them.
#[derive(Debug, Default)]
struct Shown {
    list: Vec<Finding>,
    bytes: u64,
}

impl Shown {
    fn add(&mut self, finding: Finding) {
        let bytes = serde_json::to_vec(&finding).map_or(0, |text| text.len() as u64 + 1);
        if self.bytes + bytes <= FINDINGS_BYTES_MAX {
            self.bytes += bytes;
            self.list.push(finding);
        }
    }
}

impl BuiltRecord {
    /// Judges a bundle, and keeps it as rows. Nothing of one that is larger than may be judged: its bytes.
    pub(super) fn new(
        of: RecordOf,
        version: u64,
        bundle: Bundle,
        limits: &limits::Mplp,
    ) -> Result<Self, TooLarge> {
        let mut counts = BTreeMap::new();
        let rows: Vec<BuiltRow> =
            bundle.items().iter().map(|item| BuiltRow::new(item, &mut counts)).collect();
        let bytes = rows.iter().map(|row| row.object.as_str().len() as u64 + ROW_BYTES).sum();
        if bytes > limits.bundle_bytes_max {
            return Err(TooLarge { bytes });
        }
        let profile = bundle.profile();
        let findings_max = usize::try_from(limits.findings_max).unwrap_or(usize::MAX);
        let findings = judge_bundle(&bundle.into_value(), None, findings_max);
        let mut record = Self {
            of,
            version,
            profile,
            rows,
            of_bundle: Shown::default(),
            findings: findings.list.len() as u64,
            is_cut: findings.is_cut,
            bytes,
        };
        record.assign(findings);
        Ok(record)
    }

    /// Gives each finding to the row that its path leads to.
    fn assign(&mut self, findings: Findings) {
        if findings.list.is_empty() {
            return;
        }
        let places: BTreeMap<String, usize> =
            self.rows.iter().enumerate().map(|(place, row)| (row.path.clone(), place)).collect();
        for finding in findings.list {
            let row = row_path(&finding)
                .and_then(|path| places.get(&path))
                .and_then(|place| self.rows.get_mut(*place));
            row.map_or(&mut self.of_bundle, |row| &mut row.findings).add(finding);
        }
    }

    /// Bytes that it takes, about.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The rows behind a place: at most so many, and as many as one message carries. An object that is too
    /// large for that is left out, unless it has at most so many bytes: it is the last of its page then.
    pub(super) fn page(&self, after: u64, rows_max: u64, object_max: u64) -> LifecyclePage {
        let room = LIFECYCLE_PAGE_BYTES - FINDINGS_BYTES_MAX;
        let first = usize::try_from(after).map_or(self.rows.len(), |after| after.min(self.rows.len()));
        let of_bundle = if after == 0 { self.of_bundle.list.clone() } else { Vec::new() };
        let mut left = room;
        let mut rows = Vec::new();
        for (place, row) in (1..).zip(&self.rows).skip(first) {
            let (beside, object) = (ROW_BYTES + row.findings.bytes, row.object.as_str().len() as u64);
            let is_omitted = beside + object > room && object > object_max;
            let bytes = if is_omitted { beside } else { beside + object };
            if rows.len() as u64 >= rows_max || (bytes > left && !rows.is_empty()) {
                break;
            }
            left = left.saturating_sub(bytes);
            rows.push(row.shown(place, is_omitted));
        }
        LifecyclePage {
            profile: self.profile,
            version: self.version,
            total: self.rows.len() as u64,
            findings: self.findings,
            more_findings: self.is_cut,
            of_bundle,
            more: first + rows.len() < self.rows.len(),
            rows,
        }
    }
}

impl BuiltRow {
    /// An item, at its place among those of its member.
    fn new(item: &Item, counts: &mut BTreeMap<&'static str, usize>) -> Self {
        let path = match member_of(item.schema) {
            Some((name, BundleMember::One(_))) => name.to_owned(),
            Some((name, _)) => {
                let index = counts.entry(name).or_default();
                *index += 1;
                format!("{name}[{}]", *index - 1)
            }
            // A bundle has no other items.
            None => String::new(),
        };
        Self {
            schema: item.schema,
            path,
            origin: item.origin,
            session: item.session.clone(),
            object: JsonText::from_value(&item.object),
            findings: Shown::default(),
        }
    }

    fn shown(&self, place: u64, is_omitted: bool) -> LifecycleRow {
        LifecycleRow {
            place,
            schema: self.schema.name().to_owned(),
            path: self.path.clone(),
            origin: self.origin,
            session: self.session.clone(),
            object: (!is_omitted).then(|| self.object.clone()),
            omitted_bytes: is_omitted.then_some(self.object.as_str().len() as u64),
            findings: self.findings.list.clone(),
        }
    }
}

/// A record that has more bytes than may be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge {
    /// So many.
    pub(super) bytes: u64,
}

/// The path of the object that a finding is in, as rows have it.
fn row_path(finding: &Finding) -> Option<String> {
    let mut steps = finding.path.steps().iter();
    let Some(PathStep::Name(member)) = steps.next() else { return None };
    Some(match steps.next() {
        Some(PathStep::Index(index)) => format!("{member}[{index}]"),
        _ => member.to_string(),
    })
}

#[cfg(test)]
mod tests;
