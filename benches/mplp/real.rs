//! Objects that were not made of the schemas: those of real records, and some written as people write them.

use std::{fs, ops::RangeInclusive};

use rl_console::mplp::{RecordContext, SchemaId, detect, is_clean};
use serde_json::Value;

use crate::{Result, station::Station, stream::BYTES};

/// Nodes of the run.
const NODES: usize = 60;
/// Messages of each session.
const MESSAGES: usize = 60;

/// An object's schema, and its bytes as they came.
pub(crate) type Object = (SchemaId, String);

/// Written as people and their programs write them: with blanks, escapes, and members in any order.
pub(crate) fn handmade() -> Result<Vec<Object>> {
    let lines = include_str!("handmade.ndjson").lines();
    let all: Result<Vec<Object>> = lines.map(|line| object(line.to_owned())).collect();
    let all = all?;
    match all.iter().find(|(_, text)| !BYTES.contains(&text.len())) {
        Some((_, text)) => Err(format!("{} bytes: {text}", text.len()).into()),
        None => Ok(all),
    }
}

/// Those of the records of a run and of two sessions that have as many bytes as others of the stream.
pub(crate) fn recorded() -> Result<Vec<Object>> {
    let station = Station::start()?;
    let (run, file) = (station.run_of(NODES)?, station.folder().join("record.json"));
    let mut records = vec![["run".to_owned(), run]];
    for mode in ["decision", "multi_round"] {
        records.push(["session".to_owned(), station.session_of(mode, MESSAGES)?]);
    }
    let mut all = Vec::new();
    for [kind, id] in records {
        let _ = fs::remove_file(&file);
        station.program(&[&kind, "export", &id, "--mplp", &file.to_string_lossy()])?;
        let bundle: Value = serde_json::from_slice(&fs::read(&file)?)?;
        all.extend(objects_of(&bundle, &BYTES)?);
    }
    Ok(all)
}

fn objects_of(bundle: &Value, bytes: &RangeInclusive<usize>) -> Result<Vec<Object>> {
    let members = bundle.as_object().ok_or("no bundle")?.values();
    let objects = members.flat_map(|member| match member {
        Value::Array(items) => items.iter().collect(),
        other => vec![other],
    });
    let texts = objects.filter(|it| it.is_object()).map(Value::to_string);
    texts.filter(|text| bytes.contains(&text.len())).map(object).collect()
}

fn object(text: String) -> Result<Object> {
    let value = serde_json::from_str(&text)?;
    match detect(&value) {
        Some(id) if is_clean(id, &value, RecordContext::default()) => Ok((id, text)),
        other => Err(format!("not clean, {other:?}: {text}").into()),
    }
}
