//! Records as the station makes them, read page by page.

use std::collections::BTreeMap;

use serde_json::Value;

use super::RecordFindings;
use crate::{
    cli::{error::Error, mplp_error::MplpError, operator},
    mplp::{
        self, Findings, Profile, RecordKind, SchemaId,
        bundle::PROTOCOL_VERSION,
        lifecycle::{Bundle, Item},
    },
    port::{Command, LifecyclePage, LifecycleRow, Operator, Page, Query, RecordOf},
};

/// How often a record is begun anew that changes while it is read.
const READS_MAX: usize = 5;

/// Why the station counts no more findings.
const COUNTED: &str = "`limits.mplp.findings_max` on the station is the limit";
/// Why it sends fewer than it counts.
const SENT: &str = "the station does not send all findings of one object";

/// A record as it was read.
#[derive(Debug)]
pub(in crate::cli) struct Record {
    profile: Profile,
    rows: Vec<LifecycleRow>,
    /// What the station found in it.
    pub(in crate::cli) findings: RecordFindings,
}

/// What a reading of all pages gives.
enum Reading {
    Whole(Record),
    /// There is no such run or session.
    None,
    /// The record was another one before its end was read.
    Changed,
}

/// Reads a record; nothing where there is no such run or session.
///
/// # Errors
/// The station's, and that the record changes all the time, or has an object that is not sent.
pub(in crate::cli) async fn read_record(
    station: &dyn Operator,
    of: &RecordOf,
) -> Result<Option<Record>, Error> {
    for _ in 0..READS_MAX {
        match read_pages(station, of).await? {
            Reading::Whole(record) => return Ok(Some(record)),
            Reading::None => return Ok(None),
            Reading::Changed => {}
        }
    }
    Err(MplpError::Changing.into())
}

async fn read_pages(station: &dyn Operator, of: &RecordOf) -> Result<Reading, Error> {
    let mut rows: Vec<LifecycleRow> = Vec::new();
    let mut first: Option<LifecyclePage> = None;
    loop {
        let after = rows.last().map_or(0, |row| row.place);
        let query = Query::Lifecycle { of: of.clone(), after, limit: u64::MAX, bytes: Some(u64::MAX) };
        let Page::Lifecycle(page) = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        let Some(mut page) = page else { return Ok(Reading::None) };
        if first.as_ref().is_some_and(|first| first.version != page.version) {
            return Ok(Reading::Changed);
        }
        let is_next = |(row, place): (&LifecycleRow, u64)| row.place == place;
        if !page.rows.iter().zip(after + 1..).all(is_next) || (page.rows.is_empty() && page.more) {
            return Err(Error::UnexpectedAnswer);
        }
        rows.append(&mut page.rows);
        let more = page.more;
        let first = first.get_or_insert(*page);
        if !more {
            return Ok(Reading::Whole(Record::of(first, rows)?));
        }
    }
}

impl Record {
    fn of(first: &mut LifecyclePage, mut rows: Vec<LifecycleRow>) -> Result<Self, Error> {
        if let Some(row) = rows.iter().find(|row| row.object.is_none()) {
            let bytes = row.omitted_bytes.unwrap_or_default();
            return Err(MplpError::Omitted { path: row.path.clone(), bytes }.into());
        }
        let mut list = std::mem::take(&mut first.of_bundle);
        list.extend(rows.iter_mut().flat_map(|row| std::mem::take(&mut row.findings)));
        // A page has no room for very many of one object, and counts them all the same.
        let count = first.findings.max(list.len() as u64);
        let is_cut = first.more_findings || count > list.len() as u64;
        let more = if first.more_findings { COUNTED } else { SENT };
        let findings = RecordFindings { shown: Findings { list, is_cut }, count, more };
        Ok(Self { profile: first.profile, rows, findings })
    }

    /// How many objects and events it has.
    pub(in crate::cli) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The texts of its objects, each with its member of the bundle and whether that is a list.
    fn objects(&self) -> impl Iterator<Item = (&str, bool, &str)> {
        self.rows.iter().filter_map(|row| {
            let object = row.object.as_ref()?.as_str();
            Some(match row.path.split_once('[') {
                Some((member, _)) => (member, true, object),
                None => (row.path.as_str(), false, object),
            })
        })
    }

    /// The JSON text of its bundle, the members ordered by their names, as in every object of ours.
    pub(in crate::cli) fn bundle_text(&self) -> String {
        let mut members: BTreeMap<&str, (bool, String)> = BTreeMap::new();
        members.insert("mplp", (false, format!("\"{PROTOCOL_VERSION}\"")));
        members.insert("profile", (false, format!("\"{}\"", self.profile.as_str())));
        for (name, is_item, object) in self.objects() {
            let (_, text) = members.entry(name).or_insert_with(|| (is_item, String::new()));
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(object);
        }
        let member = |(name, (is_list, text)): (&str, (bool, String))| {
            let name = Value::from(name);
            if is_list { format!("{name}:[{text}]") } else { format!("{name}:{text}") }
        };
        let members: Vec<String> = members.into_iter().map(member).collect();
        format!("{{{}}}\n", members.join(","))
    }

    /// Its objects and events, one a line.
    pub(in crate::cli) fn lines(&self) -> String {
        self.objects().fold(String::new(), |lines, (_, _, object)| lines + object + "\n")
    }

    /// The bundle that learning samples are made of.
    ///
    /// # Errors
    /// A station of another version has an object of a schema that is not known here.
    pub(in crate::cli) fn into_bundle(self) -> Result<Bundle, Error> {
        let item = |row: LifecycleRow| {
            let schema = SchemaId::named(&row.schema)?;
            Some(Item { session: row.session, ..Item::new(schema, row.object?.value(), row.origin) })
        };
        let items: Option<Vec<Item>> = self.rows.into_iter().map(item).collect();
        Ok(Bundle::new(self.profile, items.ok_or(Error::UnexpectedAnswer)?))
    }
}

/// Tells the station that a record was exported. Who may only look does not tell, and nothing fails for it.
pub(in crate::cli) async fn tell_export(station: &dyn Operator, of: &RecordOf, items: usize, findings: u64) {
    let (kind, id) = match of {
        RecordOf::Run(run) => (RecordKind::Run, run.to_string()),
        RecordOf::Session(session) => (RecordKind::Session, session.clone()),
        RecordOf::Station => (RecordKind::Station, String::new()),
    };
    let told = mplp::Command::TellExport { kind, id, items: items as u64, findings };
    drop(station.command(Command::Mplp(told)).await);
}

#[cfg(test)]
mod tests;
