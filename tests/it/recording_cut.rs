//! Parts of recordings, and what is made of their frames.

use std::{fs, path::Path};

use rl_console::recording::{RecordedItem, index, read};
use serde_json::Value;

use crate::{
    real::{Station, cli, json},
    recording_station::recorded,
    runs_cli::run,
};

/// The numbers of the entries of a recording, behind its first snapshot.
fn seqs(path: &Path) -> Vec<u64> {
    let mut items = read(path).unwrap().map(Result::unwrap);
    assert!(matches!(items.next(), Some(RecordedItem::Snapshot { .. })), "it begins with the state");
    let seq = |item| match item {
        RecordedItem::Entry(entry) => Some(entry.entry.seq.0),
        RecordedItem::Snapshot { .. } => None,
    };
    items.filter_map(seq).collect()
}

fn publish(data: &Path, n: u64) -> String {
    let ran = run(
        data,
        &["publish", "a/b", "--type", "observation.note.v1", "--body", &format!(r#"{{"n":{n}}}"#)],
        "",
    )
    .exits(0);
    ran.rows[0]["trace_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_part_of_a_recording_begins_with_the_state_and_has_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let mut marks = Vec::new();
    let mut trace = String::new();
    let path = recorded(data, "night.mcap", &[], || {
        publish(data, 1);
        marks.push(json(data, &["mark", "from here"])[0]["entry"].as_u64().unwrap());
        trace = publish(data, 2);
        marks.push(json(data, &["mark", "to here"])[0]["entry"].as_u64().unwrap());
        publish(data, 3);
    });
    let (from, to) = (format!("seq:{}", marks[0]), format!("seq:{}", marks[1]));
    let file = path.to_str().unwrap();
    let cut = |name: &str, flags: &[&str]| {
        let out = data.join(name);
        let args = [&["recording", "cut", file, out.to_str().unwrap()], flags].concat();
        let row = json(data, &args).remove(0);
        assert!(index(&out).unwrap().is_finished());
        assert_eq!(row["bytes"], fs::metadata(&out).unwrap().len());
        assert!(cli(data, &["recording", "info", out.to_str().unwrap()]).status.success());
        (seqs(&out), row)
    };
    let is_filtered = |file: &Path| {
        let file = file.to_str().unwrap();
        let info = json(data, &["recording", "info", file]).remove(0);
        let verified = run(data, &["recording", "verify", file], "").exits(0).rows.remove(0);
        assert_eq!((&verified["damaged"], &verified["is_filtered"]), (&0.into(), &info["is_filtered"]));
        let text = cli(data, &["recording", "verify", file]);
        let is_said = String::from_utf8(text.stdout).unwrap().contains("filtered: entries were left out");
        assert_eq!(Some(is_said), info["is_filtered"].as_bool());
        is_said
    };
    let all = seqs(&path);
    let (part, row) = cut("part.mcap", &["--from", &from, "--to", &to]);
    let asked: Vec<u64> = all.iter().copied().filter(|seq| (marks[0]..=marks[1]).contains(seq)).collect();
    assert_eq!(part, asked);
    let attached = |file: &str| json(data, &["recording", "info", file])[0]["attachments"].clone();
    assert_eq!(attached(data.join("part.mcap").to_str().unwrap()), attached(file));
    assert!(attached(file).as_array().is_some_and(|all| all.len() > 2), "{}", attached(file));
    assert_eq!((&row["entries"], &row["damaged"]), (&part.len().into(), &0.into()));
    let (filtered, _) = cut("filtered.mcap", &["--filter", "kind:mark"]);
    assert_eq!(filtered, marks);
    let (work, _) = cut("work.mcap", &["--trace", &trace]);
    assert!((1..all.len()).contains(&work.len()), "{work:?}");
    let [part_file, filtered_file, work_file, again_file] =
        ["part.mcap", "filtered.mcap", "work.mcap", "again.mcap"].map(|name| data.join(name));
    assert!(!is_filtered(&path) && !is_filtered(&part_file), "nothing is missing in between");
    assert!(is_filtered(&filtered_file) && is_filtered(&work_file));
    for file in [&filtered_file, &work_file] {
        let file = file.to_str().unwrap();
        let shown = cli(data, &["replay", file, "--headless", "--size", "160x50", "--at", "end"]);
        let screen = String::from_utf8(shown.stdout).unwrap();
        assert!(screen.contains("loss 0") && !screen.contains("fell behind"), "{screen}");
        let asked = cli(data, &["ls", "queues", "--recording", file]);
        assert!(String::from_utf8(asked.stderr).unwrap().contains("entries were left out"));
    }
    let (from_file, to_file) = (filtered_file.to_str().unwrap(), again_file.to_str().unwrap());
    json(data, &["recording", "cut", from_file, to_file]);
    assert!(is_filtered(&again_file), "a part of one that was filtered");
    let exists =
        run(data, &["recording", "cut", file, data.join("part.mcap").to_str().unwrap()], "").exits(1);
    assert_eq!(exists.error["code"], "exists");
    for (flag, value) in [("--from", "soon"), ("--to", "seq:999999999"), ("--filter", "(")] {
        run(data, &["recording", "cut", file, data.join("no.mcap").to_str().unwrap(), flag, value], "")
            .exits(2);
        assert!(!data.join("no.mcap").exists(), "{flag} {value}");
    }
    let out = data.join("no.mcap");
    for (begin, end) in [(to.as_str(), from.as_str()), ("+999s", "end"), ("+0s", "1970-01-01T00:00:00Z")] {
        let args = ["recording", "cut", file, out.to_str().unwrap(), "--from", begin, "--to", end];
        let refused = run(data, &args, "").exits(2);
        assert_eq!(refused.error["code"], "usage", "{begin} {end}");
        assert!(!out.exists(), "{begin} {end}");
    }
    let nothing = |name: &str, flags: &[&str]| {
        let out = data.join(name);
        let args = [&["recording", "cut", file, out.to_str().unwrap()], flags].concat();
        let printed = cli(data, &args);
        assert!(printed.status.success() && seqs(&out).is_empty() != flags.is_empty(), "{args:?}");
        String::from_utf8(printed.stderr).unwrap().contains("note: no entry matches")
    };
    assert!(nothing("none.mcap", &["--filter", "kind:nosuch"]) && !nothing("all.mcap", &[]));
}

#[test]
fn frames_of_a_recording_are_printed_and_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let mut trace = String::new();
    let path = recorded(data, "night.mcap", &[], || {
        publish(data, 6);
        trace = publish(data, 7);
    });
    let file = path.to_str().unwrap();
    let lines = |format: &str, flags: &[&str]| {
        let args = [&["recording", "export", file, "--format", format], flags].concat();
        let printed = cli(data, &args);
        assert!(printed.status.success(), "{printed:?}");
        String::from_utf8(printed.stdout).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let rows: Vec<Value> =
        lines("json", &[]).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() > 3, "{rows:?}");
    let published = |row: &&Value| {
        row["direction"] == "in" && row["hex"].as_str().is_some_and(|hex| hex.contains("a16e07"))
    };
    let sent = rows.iter().find(published).unwrap_or_else(|| panic!("{rows:#?}"));
    let peer = sent["peer"].as_str().unwrap();
    let of_peer = lines("hex", &["--peer", peer]);
    assert!(!of_peer.is_empty() && of_peer.len() < rows.len());
    for line in &of_peer {
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["peer"], peer);
        assert!(row["hex"].as_str().is_some_and(|hex| hex.len() % 2 == 0), "{row}");
    }
    let transcript = lines("transcript", &["--trace", &trace]);
    assert!(transcript.iter().any(|line| line.contains("  rmp    in ")), "{transcript:?}");
    let diagram = lines("mermaid", &["--trace", &trace]);
    assert_eq!(diagram[0], "sequenceDiagram");
    for of in [&[][..], &["--recording", file], &["--recording", file, "--at", "end"]] {
        let drawn = cli(data, &[&["trace", &trace, "--format", "mermaid"], of].concat());
        let drawn = String::from_utf8(drawn.stdout).unwrap();
        assert!(drawn.starts_with("sequenceDiagram\n") && drawn.contains("->>"), "{of:?}: {drawn}");
    }
    let missing = cli(data, &["trace", "ffffffff", "--recording", file, "--at", "+0s"]);
    let hint = String::from_utf8(missing.stderr).unwrap();
    assert!(hint.contains(&format!(" ls runs --recording {file} --at +0s`")), "{hint}");
    assert!(diagram.iter().any(|line| line.contains("->>")), "{diagram:?}");
    run(data, &["recording", "export", file, "--format", "mermaid"], "").exits(2);
    let fixture = data.join("fixture.ndjson");
    fs::write(&fixture, format!("{sent}\n")).unwrap();
    let again = run(data, &["inject", "rmp", "--each", fixture.to_str().unwrap()], "").exits(0);
    assert_eq!(again.rows[0]["verdict"], "accepted", "{:#?}", again.rows);

    // A conversation as it was exported, with a frame of which something is missing.
    let mut conversation = lines("json", &["--peer", peer]);
    let own = conversation.iter().filter(|line| line.contains(r#""direction":"in""#)).count();
    let of_station = conversation.len() - own;
    assert!(own > 0 && of_station > 0, "{conversation:#?}");
    let changed = |member: &str, value: &str| {
        let mut line = sent.clone();
        line[member] = value.into();
        line.to_string()
    };
    conversation.push(changed("incomplete", "cut"));
    fs::write(&fixture, conversation.join("\n")).unwrap();
    let each = ["--json", "inject", "rmp", "--each", fixture.to_str().unwrap()];
    let sent_again = |flags: &[&str]| {
        let printed = cli(data, &[&each[..], flags].concat());
        let rows = String::from_utf8(printed.stdout).unwrap();
        let rows = rows.lines().map(|row| serde_json::from_str::<Value>(row).unwrap());
        let verdicts: Vec<Value> = rows.map(|row| row["verdict"].clone()).collect();
        assert_eq!(verdicts.len(), own, "{verdicts:?}");
        (printed.status.code(), verdicts, String::from_utf8(printed.stderr).unwrap())
    };
    let (code, verdicts, said) = sent_again(&["--as", "none"]);
    assert!(code == Some(0) && verdicts.iter().all(|it| it == "accepted"), "{verdicts:?} {said}");
    // A connection that says its own Hello: the peer's is one too many.
    let (code, verdicts, _) = sent_again(&[]);
    assert!(code == Some(1) && verdicts[0] == "refused", "{verdicts:?}");
    assert!(verdicts[1..].iter().all(|it| it == "accepted"), "{verdicts:?}");
    let all = of_station + 1;
    let left_out = format!("left out {all} lines: 1 cut, {of_station} of the station");
    assert!(said.contains(&left_out), "{said}");
    fs::write(&fixture, changed("link", "mpp")).unwrap();
    let refused = run(data, &each[1..], "").exits(6);
    assert!(
        refused.error["message"].as_str().unwrap().ends_with("line 1: a frame of link mpp"),
        "{refused:?}"
    );
}

#[test]
fn a_part_of_one_piece_of_work_has_the_command_that_began_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let params = r#"{"item_id":4,"count":1}"#;
    let path = recorded(data, "night.mcap", &[], || {
        json(data, &["invoke", "heal_party"]);
        json(data, &["invoke", "give_item", "--params", params, "--source", "bits", "--user", "alice"]);
    });
    let live = json(data, &["ls", "invocations"]);
    let live = live.iter().find(|row| row["event"] == "give_item").unwrap();
    let (file, out) = (path.to_str().unwrap(), data.join("work.mcap"));
    let out = out.to_str().unwrap();
    json(data, &["recording", "cut", file, out, "--trace", live["trace_id"].as_str().unwrap()]);
    let part = json(data, &["ls", "invocations", "--recording", out]);
    let [row] = &part[..] else { panic!("{part:#?}") };
    for member in ["id", "event", "params", "source", "trace_id"] {
        assert_eq!(row[member], live[member], "{member}");
    }
    assert_eq!((&row["params"]["item_id"], &row["source"]["user"]), (&4.into(), &"alice".into()), "{row:#}");
}

#[test]
fn of_several_starts_of_a_station_each_is_counted_from_zero_and_one_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    fs::create_dir(data.join("night")).unwrap();
    let paths = ["night/first.mcap", "night/second.mcap"].map(|name| {
        let station = Station::start(data);
        let path = recorded(data, name, &[], || {
            publish(data, 1);
            publish(data, 2);
        });
        assert!(station.terminate().success());
        path
    });
    let (night, out) = (data.join("night"), data.join("part.mcap"));
    let (night, out) = (night.to_str().unwrap(), out.to_str().unwrap());
    let when = ["trigger", "test", night, "--when", "topic:a/b kind:publish", "--cooldown", "3600"];
    assert_eq!(json(data, &when).len(), 2, "once in each start");
    let said = |args: &[&str]| {
        let output = cli(data, args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr).unwrap()
    };
    let cut = said(&["recording", "cut", night, out]);
    let exported = |files: &[&str]| {
        let printed = cli(data, &[&["recording", "export", "--format", "hex"], files].concat());
        String::from_utf8(printed.stdout).unwrap()
    };
    let [first, second] = [&paths[0], &paths[1]].map(|path| path.to_str().unwrap());
    let both = exported(&[first]) + &exported(&[second]);
    assert!(both.lines().count() > 3 && exported(&[first]) != exported(&[second]));
    assert_eq!(exported(&[night]), both);
    assert_eq!(exported(&[second, first]), both, "in the order of time");
    let note = format!("note: of 2 starts of the station, the one of {} is cut", paths[0].display());
    assert!(cut.contains(&note), "{cut}");
    assert_eq!(seqs(Path::new(out)), seqs(&paths[0]));
    let file = paths[0].to_str().unwrap();
    fs::remove_file(out).unwrap();
    assert!(!said(&["recording", "cut", file, out]).contains("note:"), "nothing is left out");
    for list in ["violations", "findings"] {
        let note = said(&["ls", list, "--recording", file]);
        assert!(note.contains("in the recording, until the moment that is asked about"), "{note}");
    }
}
