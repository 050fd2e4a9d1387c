//! From a manifest's bytes to a pack.

use std::{collections::BTreeMap, sync::Arc};

use sha2::{Digest, Sha256};
use toml::de::DeTable;

use super::{
    Event, ManifestError, Pack, Queue, StateDecl, Writer,
    fault::Faults,
    schema::Schemas,
    table::{Table, Text},
};
use crate::{
    ids::{EventName, ManifestHash, PackId, QueueName, StateKey},
    limits::QUEUE_NAME_BYTES_MAX,
    mpp::ReadyAfter,
    words,
};

/// The names of domains, and so of packs, are no longer.
const PACK_ID_BYTES_MAX: usize = 255;

pub(super) fn pack(
    bytes: &[u8],
    files: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Pack, Vec<ManifestError>> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Err(vec![not_utf8(bytes, error)]),
    };
    let (document, syntax) = DeTable::parse_recoverable(text);
    let mut faults = Faults::of_syntax(&syntax);
    let root = Table::root(document.get_ref());
    root.only(&["pack", "queues", "events", "state"], &mut faults);

    let head = head(&root, &mut faults);
    let queues = queues(&root, &mut faults);
    let mut schemas = Schemas::new(files);
    let events = events(&root, &queues, &mut schemas, &mut faults);
    let state = state(&root, &mut schemas, &mut faults);
    if ["queues", "events", "state"].iter().all(|key| root.value(key).is_none()) {
        let hint = "start with [queues.default] and an event for it".to_owned();
        faults.add_absence(&(0..0), "the pack is empty".to_owned(), Some(hint));
    }
    match head {
        Some(head) if faults.is_empty() => {
            let Head { id, name, version } = head;
            Ok(Pack { id, name, version, hash: hash(bytes), queues, events, state, is_sample: false })
        }
        _ => Err(faults.into_errors(text)),
    }
}

fn not_utf8(bytes: &[u8], error: std::str::Utf8Error) -> ManifestError {
    let (good, _) = bytes.split_at(error.valid_up_to());
    let mut faults = Faults::default();
    let hint = "save the file as UTF-8".to_owned();
    faults.add(&(good.len()..good.len()), "the text is not UTF-8".to_owned(), Some(hint));
    let text = String::from_utf8_lossy(good);
    faults
        .into_errors(&text)
        .pop()
        .unwrap_or_else(|| ManifestError::whole("the text is not UTF-8".to_owned()))
}

/// `sha256:` and the hex digits (ruling MPP 15).
fn hash(bytes: &[u8]) -> ManifestHash {
    ManifestHash::new(&format!("sha256:{}", crate::words::hex(&Sha256::digest(bytes))))
}

struct Head {
    id: PackId,
    name: Arc<str>,
    version: Arc<str>,
}

fn head(root: &Table<'_>, faults: &mut Faults) -> Option<Head> {
    if root.value("pack").is_none() {
        let hint = "start with [pack] and its id, name and version".to_owned();
        faults.add_absence(&root.at, "`pack` is missing".to_owned(), Some(hint));
    }
    let table = root.table("pack", faults)?;
    table.only(&["id", "name", "version"], faults);
    let id = table.required_text("id", "such as id = \"com.example.mypack\"", faults);
    let name = table.required_text("name", "such as name = \"My pack\"", faults);
    let version = table.required_text("version", "such as version = \"1.0.0\"", faults);
    let id = id.filter(|id| is_pack_id(id, faults))?;
    Some(Head { id: PackId::new(id.text), name: Arc::from(name?.text), version: Arc::from(version?.text) })
}

/// A reverse-DNS identifier: labels of letters, digits, `-` and `_`, joined by dots.
fn is_pack_id(id: &Text<'_>, faults: &mut Faults) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let good =
        id.text.len() <= PACK_ID_BYTES_MAX && id.text.contains('.') && id.text.split('.').all(is_label);
    if !good {
        let hint =
            "reverse DNS: letters, digits, - and _ joined by dots, as in com.example.mypack".to_owned();
        faults.add(&id.at, format!("`pack.id` is \"{}\"", id.text.escape_debug()), Some(hint));
    }
    good
}

fn queues(root: &Table<'_>, faults: &mut Faults) -> BTreeMap<QueueName, Queue> {
    let mut queues = BTreeMap::new();
    for (name, table) in root.tables("queues", faults) {
        table.only(&["ready_after"], faults);
        if name.len() > QUEUE_NAME_BYTES_MAX {
            let message = format!("queue name of {} bytes", name.len());
            faults.add(&table.at, message, Some(format!("use at most {QUEUE_NAME_BYTES_MAX}")));
        }
        let words = [("applied", ReadyAfter::Applied), ("done", ReadyAfter::Done)];
        let ready_after = table
            .text("ready_after", faults)
            .and_then(|text| table.word(&text, "ready_after", &words, faults));
        queues.insert(QueueName::new(name), Queue { ready_after: ready_after.unwrap_or_default() });
    }
    queues
}

fn events(
    root: &Table<'_>,
    queues: &BTreeMap<QueueName, Queue>,
    schemas: &mut Schemas<'_>,
    faults: &mut Faults,
) -> BTreeMap<EventName, Event> {
    let mut events = BTreeMap::new();
    for (name, table) in root.tables("events", faults) {
        table.only(&["queue", "title", "schema"], faults);
        let queue = table.required_text("queue", "choose one of the pack's queues", faults);
        if let Some(queue) = &queue
            && !queues.contains_key(queue.text)
        {
            let known: Vec<_> = queues.keys().map(QueueName::as_str).collect();
            let hint = words::nearest(queue.text, known).map_or_else(
                || format!("declare it as [queues.{}]", queue.text.escape_debug()),
                |near| format!("did you mean `{near}`?"),
            );
            faults.add_absence(
                &queue.at,
                format!("unknown queue `{}`", queue.text.escape_debug()),
                Some(hint),
            );
        }
        let title = table.text("title", faults).map(|title| Arc::from(title.text));
        let schema = schemas.read(&table, faults);
        if let Some(queue) = queue {
            events.insert(EventName::new(name), Event { queue: QueueName::new(queue.text), title, schema });
        }
    }
    events
}

fn state(root: &Table<'_>, schemas: &mut Schemas<'_>, faults: &mut Faults) -> BTreeMap<StateKey, StateDecl> {
    let mut state = BTreeMap::new();
    for (key, table) in root.tables("state", faults) {
        table.only(&["writer", "persist", "schema"], faults);
        let words = [("adapter", Writer::Adapter), ("platform", Writer::Platform)];
        let writer = table
            .required_text("writer", "\"adapter\" or \"platform\"", faults)
            .and_then(|text| table.word(&text, "writer", &words, faults));
        let persist = table.boolean("persist", faults);
        let schema = schemas.read(&table, faults);
        if let Some(writer) = writer {
            state.insert(StateKey::new(key), StateDecl { writer, persist, schema });
        }
    }
    state
}
