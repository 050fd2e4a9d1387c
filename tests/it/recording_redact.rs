//! What recordings of a real station mask by `recording.redact`, beyond secrets.

use std::{fs, path::Path};

use rl_console::{
    limits,
    mpp::manifest,
    recording::{Attachment, RecordedItem, Recorder, RecordingInfo, Redact, Sources, read},
    tap::{EntryRef, Tap, recorded::encode},
};
use serde_json::{Value, json};

use crate::{
    real::{Adapter, Station, cli, json, pair},
    recording::{file, noise, ready_snapshots, sources, stop},
    recording_station::{configured, recorded},
    tap::notice,
};

const RULES: &str = "[recording]\nredact = [\"event:give_item $.user\", \"event:give_item $.steps[*].to\"]\n";
const PACK: &str = r#"
[pack]
id = "com.example.masked"
name = "Masked"
version = "1.0.0"

[queues.default]
ready_after = "done"

[events.give_item]
queue = "default"
"#;

/// Everything that a file has, uncompressed: messages, metadata, attachments.
fn content(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    let mut all = Vec::new();
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        all.extend_from_slice(&message.unwrap().data);
    }
    for record in mcap::read::LinearReader::new(&bytes).unwrap() {
        match record.unwrap() {
            mcap::records::Record::Metadata(it) => all.extend(format!("{:?}", it.metadata).into_bytes()),
            mcap::records::Record::Attachment { data, .. } => all.extend_from_slice(&data),
            _ => {}
        }
    }
    all
}

#[track_caller]
fn hides(path: &Path, names: &[&str]) {
    let all = content(path);
    for name in names {
        let found = memchr::memmem::find(&all, name.as_bytes());
        let around =
            found.map(|at| String::from_utf8_lossy(&all[at.saturating_sub(200)..(at + 60).min(all.len())]));
        assert!(found.is_none(), "{name}: {around:?}");
    }
    for item in read(path).unwrap() {
        let bytes = match item.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => bytes,
            RecordedItem::Entry(entry) => encode(entry.as_ref()),
        };
        for name in names {
            assert!(memchr::memmem::find(&bytes, name.as_bytes()).is_none(), "{name}");
        }
    }
}

fn invoke(data: &Path, user: &str, to: &str) -> u64 {
    let params =
        json!({"item": "a sword", "user": user, "steps": [{"to": to}, {"to": 4_711_042}]}).to_string();
    json(data, &["invoke", "give_item", "--params", &params, "--user", user])[0]["id"].as_u64().unwrap()
}

/// Takes one invocation, quotes its user in a log line and what comes of it, and ends it.
fn serve(adapter: &mut Adapter, ends_well: bool) {
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
    let invocation = adapter.receive().unwrap();
    let (id, params) = (&invocation["id"], &invocation["params"]);
    let user = params["user"].as_str().unwrap();
    let line = json!({"mpp": 2, "type": "log", "level": "info", "message": format!("{user} gets {}", params["item"])});
    adapter.send(&line.to_string()).unwrap();
    if ends_well {
        let result = json!({"given_to": user, "params": params});
        adapter.send(&json!({"mpp": 2, "type": "applied", "id": id, "result": result}).to_string()).unwrap();
        adapter.send(&json!({"mpp": 2, "type": "done", "id": id}).to_string()).unwrap();
    } else {
        let failed = json!({"mpp": 2, "type": "failed", "id": id, "reason": format!("no player {user}")});
        adapter.send(&failed.to_string()).unwrap();
    }
}

fn ended(data: &Path, id: u64) {
    crate::real::plugins::until(
        || format!("invocation {id} has not ended"),
        || {
            let rows = json(data, &["ls", "invocations"]);
            let row = rows.iter().find(|row| row["id"] == id)?;
            ["done", "failed"].contains(&row["state"].as_str()?).then_some(())
        },
    );
}

#[test]
fn nothing_of_a_masked_param_is_in_a_recording_and_all_of_it_is_read_as_before() {
    let folder = configured(RULES);
    let data = folder.path();
    let manifest = data.join("pack.toml");
    fs::write(&manifest, PACK).unwrap();
    let token = pair(data);
    let station = Station::start_with(data, &["--pack", manifest.to_str().unwrap()]);
    let pack = manifest::load(&manifest).unwrap();
    let mut adapter = Adapter::ready_for(&pack, station.mpp, &token).unwrap();
    let first = recorded(data, "first.mcap", &[], || {
        let ids = [invoke(data, "alice_77", "the \"old\" \u{e9}lm"), invoke(data, "bob the brave", "x")];
        serve(&mut adapter, true);
        serve(&mut adapter, false);
        for id in ids {
            ended(data, id);
        }
        cli(data, &["ls", "log"]);
    });
    // The state that these begin with quotes what was before.
    let second = recorded(data, "second.mcap", &[], || {
        json(data, &["mark", "alice_77 again"]);
    });
    let third = recorded(data, "third.mcap", &["--preroll", "60"], || {});
    let clip = data.join("clip.mcap");
    json(data, &["clip", "60", clip.to_str().unwrap()]);
    for path in [&first, &second, &third, &clip] {
        hides(path, &["alice_77", "bob the brave", "4711042", "\u{e9}lm", "old\\\""]);
        let info = json(data, &["recording", "info", path.to_str().unwrap()]);
        assert_eq!(info[0]["redact_rules"], 2, "{info:?}");
        let verified = cli(data, &["recording", "verify", path.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&verified.stdout).into_owned();
        assert!(verified.status.success() && said.contains("masked: by 2 rules"), "{said}");
    }
    let all = String::from_utf8_lossy(&content(&first)).into_owned();
    assert!(all.contains("a sword") && all.contains("\"event\":\"give_item\""), "the rest is there");
    let lines = json(data, &["recording", "export", first.to_str().unwrap(), "--format", "json"]);
    assert!(lines.iter().any(|line: &Value| line["link"] == "mpp"), "{lines:?}");
    // Of a station that is asked, nothing is masked.
    assert!(json(data, &["ls", "invocations"]).iter().any(|row| row.to_string().contains("alice_77")));
    station.terminate();
}

#[test]
fn a_rule_that_cannot_be_read_is_refused_with_its_place_and_what_to_write() {
    for (rule, why) in [
        ("event:give_item", "a filter and a path"),
        ("evnt:give_item $.user", "did you mean `event`?"),
        ("event:give_item $.a[x]", "`[x]`"),
    ] {
        let folder = configured(&format!("[recording]\nalways = true\nredact = [\"{rule}\"]\n"));
        for args in [&["config", "show"][..], &["--port", "0", "serve"]] {
            let output = cli(folder.path(), args);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "{args:?} takes {rule}");
            for part in ["config.toml:3", "recording.redact", rule, why] {
                assert!(said.contains(part), "{part} is not in {said}");
            }
        }
    }
}

/// Masks one word, and refuses snapshots on demand.
struct OneWord {
    refuses: bool,
}

fn stars(bytes: &mut [u8]) {
    let places: Vec<usize> = memchr::memmem::find_iter(bytes, b"secret-word").collect();
    for at in places {
        bytes[at..at + 11].fill(b'*');
    }
}

impl Redact for OneWord {
    fn entries(&mut self, entries: &[EntryRef<'_>]) -> Vec<Vec<u8>> {
        let masked = |entry: &EntryRef<'_>| {
            let mut bytes = encode(*entry);
            stars(&mut bytes);
            bytes
        };
        entries.iter().map(masked).collect()
    }

    fn snapshot(&mut self, recorded: &mut [u8]) -> Result<(), String> {
        stars(recorded);
        if self.refuses { Err("it cannot be looked through".to_owned()) } else { Ok(()) }
    }

    fn attachment(&mut self, bytes: &mut [u8]) {
        stars(bytes);
    }
}

#[test]
fn all_that_is_written_goes_through_what_masks_in_each_file() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(limits::Tap::default());
    let limits = limits::Recording { file_bytes_max: 1_048_576, ..limits::Recording::default() };
    let sources = Sources {
        redact: Some(Box::new(OneWord { refuses: false })),
        attachments: vec![Attachment::text("a.txt", "text/plain", "has secret-word in it".to_owned())],
        ..sources(tap.reader().unwrap(), ready_snapshots())
    };
    let info = RecordingInfo { redact_rules: 1, ..sources.info.clone() };
    let sources = Sources { info, ..sources };
    let recorder = Recorder::start(&file(&folder), sources, limits, Box::new(|_| {})).unwrap();
    let text = noise(2_000_000);
    for at in (0..text.len()).step_by(400) {
        tap.emit(notice(&format!("secret-word {}", &text[at..at + 400])));
    }
    let summary = stop(recorder);
    assert_eq!((summary.why, summary.entries), (None, 5_000));
    let mut entries = 0;
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(files.len() > 1, "{files:?}");
    for path in files {
        let all = content(&path);
        assert!(memchr::memmem::find(&all, b"secret-word").is_none());
        assert!(memchr::memmem::find(&all, b"has *********** in it").is_some());
        let reading = read(&path).unwrap();
        assert_eq!(reading.info().redact_rules, 1);
        entries += reading.filter(|it| matches!(it, Ok(RecordedItem::Entry(_)))).count();
    }
    assert_eq!(entries, 5_000);
}

#[test]
fn a_recording_whose_snapshot_cannot_be_masked_ends_and_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(limits::Tap::default());
    let sources = Sources {
        redact: Some(Box::new(OneWord { refuses: true })),
        ..sources(tap.reader().unwrap(), ready_snapshots())
    };
    let recorder = Recorder::start(&file(&folder), sources, limits::Recording::default(), Box::new(|_| {}));
    tap.emit(notice("never written"));
    let summary = stop(recorder.unwrap());
    assert_eq!(summary.why.as_deref(), Some("it cannot be looked through"));
    assert!(summary.is_removed && !file(&folder).exists(), "nothing is left of it");
}
