//! Whatever a recording masks, it is read as before, and all that is no free text is as it was.

use std::{collections::BTreeSet, path::Path, sync::LazyLock};

use proptest::{prelude::*, sample::Index};
use prost::Message as _;

use super::state::ReplayState;
use crate::{
    dissect::{RedactRules, Redactor, redact_free_texts},
    ids::Seq,
    limits::Limits,
    macp::proto::v1::SendRequest,
    mpp,
    port::Snapshot,
    recording::{self, RecordedItem},
    tap::{
        EntryRef,
        entry::{Direction, Entry, Frame, Head, Link, Redaction, Verdict, What},
        recorded::{self, OwnedEntry},
    },
    time::Now,
};

/// Entries that are masked in one case.
const ENTRIES: usize = 160;

/// Nights of all systems: the state at the start of each, its entries, and all words in them.
struct Nights {
    nights: Vec<(Snapshot, Vec<OwnedEntry>)>,
    words: Vec<String>,
}

static NIGHTS: LazyLock<Nights> = LazyLock::new(|| {
    let nights: Vec<_> = ["bad", "calm", "errors"].map(night).into_iter().collect();
    let mut words = BTreeSet::new();
    for (snapshot, entries) in &nights {
        let state = format!("{:?}", states(snapshot, entries).last());
        let all = entries.iter().map(|it| format!("{:?} {}", it.entry, String::from_utf8_lossy(&it.bytes)));
        for text in all.chain([state]) {
            let is_between = |it: char| !it.is_alphanumeric() && !"_-./:".contains(it);
            words.extend(text.split(is_between).filter(|it| it.len() < 64).map(str::to_owned));
        }
    }
    Nights { nights, words: words.into_iter().collect() }
});

fn night(name: &str) -> (Snapshot, Vec<OwnedEntry>) {
    let path = format!("{}/recordings/{name}.mcap", env!("CARGO_MANIFEST_DIR"));
    let (mut first, mut entries) = (None, Vec::new());
    for item in recording::read(Path::new(&path)).unwrap() {
        match item.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => {
                first.get_or_insert_with(|| Snapshot::decode(&bytes).unwrap());
            }
            RecordedItem::Entry(entry) => entries.push(entry),
        }
    }
    (first.unwrap(), entries)
}

/// The states behind every few entries.
fn states(first: &Snapshot, entries: &[OwnedEntry]) -> Vec<Snapshot> {
    let mut state = ReplayState::of(first.clone());
    let limits = Limits::default();
    let mut states = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        state.take(entry.as_ref(), &limits);
        if number % 40 == 0 || number + 1 == entries.len() {
            states.push(state.snapshot());
        }
    }
    states
}

/// What masks these values wherever they are quoted.
fn taught(values: &[String]) -> Redactor {
    let rules = RedactRules::parse(&["event:teach $.values".to_owned()]).unwrap();
    let line =
        serde_json::json!({"mpp": 2, "type": "invocation", "event": "teach", "params": {"values": values}});
    let line = line.to_string();
    let (kind, event) = (Some(mpp::FrameType::Invocation), Some("teach".into()));
    let what = What::Frame(Frame {
        direction: Direction::Outbound,
        peer: "127.0.0.1:5".into(),
        head: Head::Mpp(mpp::Head { kind, event, ..mpp::Head::default() }),
        verdict: Verdict::Sent,
        wire_bytes: u32::try_from(line.len()).unwrap(),
        redaction: Redaction::None,
        origin: None,
    });
    let entry = Entry { seq: Seq(1), at: Now::at_ms(1), link: Link::Mpp, trace: None, cause: None, what };
    let mut redactor = Redactor::new(rules);
    redactor.learn(&[EntryRef { entry: &entry, bytes: line.as_bytes() }]);
    redactor
}

/// Bytes of a message, its free texts as `*`.
fn structure(message: &str, mut bytes: Vec<u8>) -> Vec<u8> {
    redact_free_texts(message, &mut bytes, &mut |text| text.fill(b'*'));
    bytes
}

/// An entry without its frame or text, and without where that was masked.
fn entry_structure(of: &OwnedEntry) -> Vec<u8> {
    let mut entry = of.entry.clone();
    match &mut entry.what {
        What::Frame(frame) => frame.redaction = Redaction::None,
        What::Intercepted(it) => it.frame.redaction = Redaction::None,
        _ => {}
    }
    structure(recorded::ENTRY_MESSAGE, recorded::encode(EntryRef { entry: &entry, bytes: &[] }))
}

/// What others refer to in a frame, as far as it is read.
fn names_of(entry: &OwnedEntry) -> String {
    let bytes = &entry.bytes;
    let members = |body: &[u8], names: &[&str]| {
        let read = serde_json::from_slice::<serde_json::Value>(body).ok();
        format!("{:?}", read.map(|read| names.iter().map(|name| read[*name].clone()).collect::<Vec<_>>()))
    };
    let What::Frame(Frame { head, .. }) = &entry.entry.what else { return String::new() };
    match head {
        Head::Mpp(_) => {
            members(bytes, &["mpp", "type", "id", "queue", "event", "ok", "level", "key", "code"])
        }
        Head::Plugin(_) => {
            let body = memchr::memmem::find(bytes, b"\r\n\r\n").map_or(0, |at| at + 4);
            let headers = String::from_utf8_lossy(&bytes[..body]);
            headers.into_owned() + &members(&bytes[body..], &["jsonrpc", "id", "method"])
        }
        Head::Rmp(_) => format!("{:?}", bytes.get(..68)),
        Head::Macp(_) => {
            let envelope = SendRequest::decode(bytes.as_slice()).ok().and_then(|it| it.envelope);
            format!(
                "{:?}",
                envelope.map(|it| (it.mode, it.message_type, it.message_id, it.session_id, it.sender))
            )
        }
    }
}

/// A state without the rounds of contributions: two that are masked alike are one to whoever follows them.
fn encoded(mut state: Snapshot) -> Vec<u8> {
    let senders = state.macp.sessions.values_mut().flat_map(|session| session.senders.values_mut());
    senders.for_each(|sender| sender.contribution = None);
    state.encode()
}

/// Masks entries and the states behind them: all are read, and have their names. How many have another text.
fn masked(values: &[String], first: &Snapshot, entries: &[OwnedEntry]) -> usize {
    let mut redactor = taught(values);
    let refs: Vec<EntryRef<'_>> = entries.iter().map(OwnedEntry::as_ref).collect();
    let mut masked = Vec::new();
    for (before, bytes) in entries.iter().zip(redactor.entries(&refs)) {
        let after = recorded::decode(&bytes).unwrap();
        assert_eq!(entry_structure(before), entry_structure(&after), "{before:?}");
        assert_eq!(names_of(before), names_of(&after), "{before:?}");
        assert_eq!(before.bytes.len(), after.bytes.len());
        masked.push(after);
    }
    for (before, after) in states(first, entries).into_iter().zip(states(first, &masked)) {
        let (before, mut after) = (encoded(before), encoded(after));
        redactor.snapshot(&mut after);
        let read = Snapshot::decode(&after).unwrap();
        let structure = |bytes| structure(recorded::SNAPSHOT_MESSAGE, bytes);
        assert!(structure(before) == structure(after), "another state by {} values: {read:?}", values.len());
    }
    entries.iter().zip(&masked).filter(|(before, after)| before.bytes != after.bytes).count()
}

fn value() -> impl Strategy<Value = Result<Index, String>> {
    prop_oneof![
        4 => any::<Index>().prop_map(Ok),
        1 => "[a-z]{1,5}|[0-9]{1,7}|\\PC{0,8}|[\"\\\\{}:,*\n]{1,6}".prop_map(Err),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn what_is_masked_is_read_and_only_free_text_is_another(
        values in prop::collection::vec(value(), 1..60),
        which: Index,
        from: Index,
    ) {
        let of = |it: Result<Index, String>| it.map_or_else(|it| it, |at| at.get(&NIGHTS.words).clone());
        let values: Vec<String> = values.into_iter().map(of).collect();
        let (first, entries) = which.get(&NIGHTS.nights);
        let from = from.index(entries.len());
        masked(&values, first, &entries[from..entries.len().min(from + ENTRIES)]);
    }
}

#[test]
fn a_night_is_read_of_which_every_word_is_masked() {
    let (first, entries) = &NIGHTS.nights[0];
    let entries = &entries[..entries.len().min(5 * ENTRIES)];
    let count = masked(&NIGHTS.words, first, entries);
    assert!(4 * count > entries.len(), "{count} of {}", entries.len());
}
