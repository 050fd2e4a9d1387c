//! Recordings that other tools touched: what they left out, made one of several, or wrote in another way.
//! What can be read of them replays, and what cannot is said.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use mcap::{
    Compression, MessageStream, WriteOptions,
    records::{MessageHeader, Metadata, Record, op},
};
use rl_console::recording::{
    Damage, PlacedItem, RecordedItem, RecordingSet, SetCursor, SetError, SetReader, index, read, repair,
};
use serde_json::Value;

use crate::{real::cli, runs_cli::run};

pub(crate) const BAD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/bad.mcap");
pub(crate) const BAD_2: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/bad.2.mcap");

/// How a tool writes a recording.
struct Tool {
    has_metadata: bool,
    is_chunked: bool,
    has_index: bool,
    compression: Option<Compression>,
    keeps: fn(&str) -> bool,
}

impl Tool {
    const COPY: Self = Self {
        has_metadata: true,
        is_chunked: true,
        has_index: true,
        compression: Some(Compression::Zstd),
        keeps: |_| true,
    };

    /// Writes recordings as one, in the order of time, without their attachments.
    fn write(&self, from: &[&Path], to: &Path) {
        let options = WriteOptions::new()
            .compression(self.compression)
            .use_chunks(self.is_chunked)
            .chunk_size(Some(65_536))
            .emit_message_indexes(self.has_index)
            .emit_summary_records(self.has_index);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let mut writer = options.create(fs::File::create(to).unwrap()).unwrap();
        let files: Vec<Vec<u8>> = from.iter().map(|path| fs::read(path).unwrap()).collect();
        for metadata in files.iter().flat_map(|bytes| metadata(bytes)).filter(|_| self.has_metadata) {
            writer.write_metadata(&metadata).unwrap();
        }
        let mut messages: Vec<_> =
            files.iter().flat_map(|bytes| MessageStream::new(bytes).unwrap().map(Result::unwrap)).collect();
        messages.sort_by_key(|message| message.log_time);
        for message in messages.iter().filter(|message| (self.keeps)(&message.channel.topic)) {
            let of = message.channel.schema.as_ref().unwrap();
            let schema = writer.add_schema(&of.name, &of.encoding, &of.data).unwrap();
            let topic = &message.channel.topic;
            let channel_id = writer.add_channel(schema, topic, "protobuf", &BTreeMap::new()).unwrap();
            let (log_time, publish_time) = (message.log_time, message.publish_time);
            let header = MessageHeader { channel_id, sequence: message.sequence, log_time, publish_time };
            writer.write_to_known_channel(&header, &message.data).unwrap();
        }
        writer.finish().unwrap();
    }
}

/// The metadata records of a file.
fn metadata(bytes: &[u8]) -> Vec<Metadata> {
    let records = mcap::read::LinearReader::new(bytes).unwrap().map(Result::unwrap);
    let metadata = |record| match record {
        Record::Metadata(metadata) => Some(metadata),
        _ => None,
    };
    records.filter_map(metadata).collect()
}

/// The place, opcode and length of each record of the file, with its head.
pub(crate) fn records(bytes: &[u8]) -> Vec<(usize, u8, usize)> {
    let (mut at, mut found) = (mcap::MAGIC.len(), Vec::new());
    while let Some(head) = bytes.get(at..at + 9) {
        let len = 9 + usize::try_from(u64::from_le_bytes(head[1..].try_into().unwrap())).unwrap();
        found.push((at, head[0], len));
        at += len;
    }
    found
}

/// The data of a file, as a station that was killed leaves it.
fn killed(bytes: &[u8]) -> Vec<u8> {
    let (end, ..) = *records(bytes).iter().find(|(_, op, _)| *op == op::DATA_END).unwrap();
    bytes[..end].to_vec()
}

/// What is drawn of a recording at its end and in its middle.
pub(crate) fn screens(data: &Path, file: &Path) -> Vec<String> {
    let screen = |place: &str, view: &str| {
        let args = ["replay", file.to_str().unwrap(), "--headless", "--at", place, "--view", view];
        let drawn = cli(data, &args);
        assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
        // The time bar is drawn of what the chunks and the counts say, before anything is read.
        let is_bar = |line: &&str| {
            line.strip_prefix('└').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
        };
        let drawn = String::from_utf8(drawn.stdout).unwrap();
        drawn.lines().filter(|line| !is_bar(line)).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    [("end", "deck"), ("end", "sessions"), ("+9s", "bridge"), ("+9s", "wire")]
        .map(|(at, view)| screen(at, view))
        .into()
}

/// The exit code of a subcommand, what it prints, and what it says.
fn said(data: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = cli(data, args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn notes(path: &Path) -> String {
    RecordingSet::open(&[path.to_owned()]).unwrap().notes().join("\n")
}

/// The numbers of the entries, and what cannot be read, as it is replayed from the beginning.
fn replayed(path: &Path) -> (Vec<u64>, Vec<Damage>) {
    let set = Arc::new(RecordingSet::open(&[path.to_owned()]).unwrap());
    let mut reader = SetReader::new(Arc::clone(&set));
    let mut cursor = SetCursor::at(&set, 0);
    let (mut seqs, mut damages) = (Vec::new(), Vec::new());
    while let Some(item) = cursor.next(&mut reader) {
        match item {
            Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) => seqs.push(entry.entry.seq.0),
            Ok(_) => {}
            Err(damage) => damages.push(damage),
        }
    }
    (seqs, damages)
}

#[test]
fn what_lost_its_metadata_replays_and_says_so_and_so_does_what_is_repaired_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let path = |folder: &str| data.join(folder).join("bad.mcap");
    let whole = screens(data, Path::new(BAD));
    let (bare, cut, repaired, unindexed) = (path("bare"), path("cut"), path("repaired"), path("unindexed"));
    Tool { has_metadata: false, ..Tool::COPY }.write(&[Path::new(BAD)], &bare);
    Tool { has_metadata: false, has_index: false, ..Tool::COPY }.write(&[Path::new(BAD)], &unindexed);
    fs::create_dir_all(cut.parent().unwrap()).unwrap();
    fs::write(&cut, killed(&fs::read(&bare).unwrap())).unwrap();
    fs::create_dir_all(repaired.parent().unwrap()).unwrap();
    let made = repair(&cut, &repaired).unwrap();
    assert!(matches!(made.damages[..], [Damage::Truncated { .. }]), "{made:?}");
    let own = index(&bare).unwrap();
    assert!(own.is_finished() && own.info.is_none() && own.keyframes() > 0);
    for file in [&bare, &cut, &repaired, &unindexed] {
        let found = index(file).unwrap();
        let times: Vec<_> = found.chunks.iter().map(|it| (it.start_ns, it.end_ns)).collect();
        assert!(times.is_sorted() && found.keyframes() > 0, "{}: {found:?}", file.display());
        let messages: u64 = found.chunks.iter().map(|chunk| chunk.messages).sum();
        assert_eq!(messages, made.messages, "{}", file.display());
        assert_eq!(screens(data, file), whole, "{}", file.display());
        let missing = "what recorded it, the counts at its keyframes, its attachments";
        assert!(notes(file).contains(&format!("is without {missing}")), "{}", notes(file));
        let (code, info, _) = said(data, &["recording", "info", file.to_str().unwrap()]);
        assert!(code == Some(0) && info.contains(&format!("without    {missing}")), "{info}");
    }
    let bare_chunks = |file: &Path| {
        let chunks = index(file).unwrap().chunks;
        chunks.into_iter().map(|chunk| (chunk.start_ns, chunk.end_ns, chunk.messages, chunk.has_keyframe))
    };
    assert!(bare_chunks(&bare).eq(bare_chunks(&cut)) && bare_chunks(&bare).eq(bare_chunks(&unindexed)));
    // A keyframe gets a chunk of its own.
    let alone = index(&repaired).unwrap().chunks;
    assert!(alone.iter().filter(|it| it.has_keyframe).all(|it| it.messages == 1), "{alone:?}");
    assert_eq!(notes(Path::new(BAD)), "");
}

#[test]
fn what_names_the_channels_may_be_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(BAD).unwrap();
    let (first, _, len) = *records(&whole).iter().find(|(_, op, _)| *op == op::CHUNK).unwrap();
    for bytes in [whole.clone(), killed(&whole)] {
        let (file, out) = (folder.path().join("damaged.mcap"), folder.path().join("repaired.mcap"));
        let mut bytes = bytes;
        bytes[first + len / 2] ^= 0xff;
        fs::write(&file, bytes).unwrap();
        let items = |path: &Path| read(path).unwrap().filter_map(Result::ok).collect::<Vec<_>>();
        assert_eq!(items(&file), items(Path::new(BAD)));
        assert_eq!(replayed(&file).0, replayed(Path::new(BAD)).0);
        repair(&file, &out).unwrap();
        assert_eq!(items(&out), items(Path::new(BAD)));
        let (made, of) = (index(&out).unwrap(), index(Path::new(BAD)).unwrap());
        assert_eq!((made.keyframes(), made.messages), (of.keyframes(), of.messages));
        fs::remove_file(out).unwrap();
    }
}

#[test]
fn a_file_compressed_by_lz4_replays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.mcap");
    Tool { compression: Some(Compression::Lz4), ..Tool::COPY }.write(&[Path::new(BAD)], &file);
    let items = |path: &Path| read(path).unwrap().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(items(&file), items(Path::new(BAD)));
    assert_eq!(replayed(&file).1, []);
    let (code, verified, _) = said(folder.path(), &["recording", "verify", file.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{verified}");
}

#[test]
fn a_chunk_with_more_messages_than_any_is_damaged_and_none_of_them_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("bomb.mcap"), folder.path().join("out.mcap"));
    let whole = killed(&fs::read(BAD).unwrap());
    let before = replayed(Path::new(BAD)).0;
    let last_ns = index(Path::new(BAD)).unwrap().chunks.iter().map(|chunk| chunk.end_ns).max().unwrap();
    // The messages of a chunk that another tool wrote: empty ones, of the first channel.
    let mut made = WriteOptions::new()
        .chunk_size(None)
        .emit_message_indexes(false)
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    let channel_id = made.add_channel(0, "mpp", "protobuf", &BTreeMap::new()).unwrap();
    for number in 0..262_145_u64 {
        let time = last_ns + 1 + number;
        let header = MessageHeader { channel_id, sequence: 7, log_time: time, publish_time: time };
        made.write_to_known_channel(&header, b"").unwrap();
    }
    made.finish().unwrap();
    let made = made.into_inner().into_inner();
    let (at, _, len) = *records(&made).iter().find(|(_, op, _)| *op == op::CHUNK).unwrap();
    assert!(len < 8_000_000, "{len}");
    fs::write(&file, [whole.as_slice(), &made[at..at + len]].concat()).unwrap();
    let is_said = |damages: &[Damage]| {
        let said = "a chunk with more than 262144 messages";
        let Some(Damage::Part { at, why }) = damages.first() else { panic!("{damages:?}") };
        assert_eq!((*at, why.as_str()), (whole.len() as u64, said));
    };
    is_said(&read(&file).unwrap().filter_map(Result::err).collect::<Vec<_>>());
    let (seqs, damages) = replayed(&file);
    is_said(&damages);
    assert_eq!(seqs, before);
    let repaired = repair(&file, &out).unwrap();
    is_said(&repaired.damages);
    assert_eq!(replayed(&out), (before, Vec::new()));
}

#[test]
fn a_file_merged_of_two_starts_says_so_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let (merged, bare) = (data.join("merged.mcap"), data.join("bare.mcap"));
    let both = [Path::new(BAD), Path::new(BAD_2)];
    Tool::COPY.write(&both, &merged);
    Tool { has_metadata: false, ..Tool::COPY }.write(&both, &bare);
    let said_so = "merged from several starts of the station: use the recordings that it was merged from";
    assert!(index(&merged).unwrap().is_merged && notes(&merged).contains(said_so), "{}", notes(&merged));
    let (_, info, _) = said(data, &["recording", "info", merged.to_str().unwrap()]);
    assert!(info.contains(said_so), "{info}");
    for file in [&merged, &bare] {
        let (code, verified, _) = said(data, &["recording", "verify", file.to_str().unwrap()]);
        assert!(code == Some(6) && verified.contains(said_so), "{verified}");
        let (_, damages) = replayed(file);
        assert!(matches!(damages[..], [Damage::Restarted { .. }]), "once: {damages:?}");
        let (code, _, warned) = said(data, &["ls", "queues", "--recording", file.to_str().unwrap()]);
        assert!(code == Some(0) && warned.contains(said_so), "{warned}");
    }
    // Files of one start that follow each other are one recording.
    let one = data.join("one.mcap");
    Tool::COPY.write(&[Path::new(BAD), Path::new(BAD)], &one);
    assert!(!index(&one).unwrap().is_merged);
}

#[test]
fn what_was_changed_outside_of_chunks_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let whole = fs::read(BAD).unwrap();
    let all = records(&whole);
    let of = |wanted: u8| *all.iter().rfind(|(_, op, _)| *op == wanted).unwrap();
    let behind = |wanted: u8| {
        let (at, _, len) = of(wanted);
        at + len
    };
    let (attachment, _, attachment_len) = of(op::ATTACHMENT);
    let (tally, _, tally_len) = of(op::METADATA);
    for (at, wanted) in [
        (attachment + attachment_len / 2, "attachment checksum mismatch"),
        (tally + tally_len - 1, "metadata or something else between its chunks was changed"),
        (behind(op::DATA_END) + 200, "index checksum mismatch"),
        (whole.len() - 3, "the index at its end is cut"),
    ] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let file = data.join("flipped.mcap");
        fs::write(&file, bytes).unwrap();
        let (code, verified, error) = said(data, &["recording", "verify", file.to_str().unwrap()]);
        assert!(code == Some(6) && verified.contains(wanted), "{at}: {verified}{error}");
        assert!(verified.contains(": 1 fault"), "{verified}");
    }
    // A part of the file that has entries is damaged once.
    let mut bytes = whole.clone();
    let (chunk, _, len) = all.iter().filter(|(_, op, _)| *op == op::CHUNK).nth(2).copied().unwrap();
    bytes[chunk + len / 2] ^= 1;
    let file = data.join("flipped.mcap");
    fs::write(&file, bytes).unwrap();
    let (code, verified, _) = said(data, &["recording", "verify", file.to_str().unwrap()]);
    assert!(code == Some(6) && !verified.contains("between its chunks"), "{verified}");
    assert_eq!(said(data, &["recording", "verify", BAD]).0, Some(0));
}

#[test]
fn messages_outside_of_chunks_are_said_and_a_repair_puts_them_into_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let (file, repaired) = (data.join("loose.mcap"), data.join("repaired").join("bad.mcap"));
    Tool { is_chunked: false, ..Tool::COPY }.write(&[Path::new(BAD)], &file);
    let name = file.to_str().unwrap();
    for command in ["verify", "info"] {
        let (code, printed, _) = said(data, &["recording", command, name]);
        assert_eq!(code, Some(if command == "verify" { 6 } else { 0 }), "{printed}");
        let is_said =
            printed.contains("are outside of chunks") && printed.contains("recording repair IN OUT");
        assert!(is_said, "{printed}");
    }
    assert!(
        matches!(RecordingSet::open(std::slice::from_ref(&file)), Err(SetError::Unchunked(it)) if it == file)
    );
    let refused = run(data, &["replay", name, "--headless"], "").exits(6);
    assert_eq!(refused.error["code"], "damaged");
    assert!(refused.error["hint"].as_str().unwrap().contains("recording repair"), "{}", refused.error);
    fs::create_dir_all(repaired.parent().unwrap()).unwrap();
    let made = repair(&file, &repaired).unwrap();
    assert_eq!(made.damages, []);
    let chunks = index(&repaired).unwrap().chunks;
    assert!(chunks.iter().all(|it| it.messages <= 65_536) && chunks.iter().any(|it| it.has_keyframe));
    assert_eq!(said(data, &["recording", "verify", repaired.to_str().unwrap()]).0, Some(0));
    assert_eq!(screens(data, &repaired), screens(data, Path::new(BAD)));
}

#[test]
fn the_times_of_a_chunk_are_those_of_its_messages_whatever_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forged.mcap");
    let whole = killed(&fs::read(BAD).unwrap());
    fs::write(&file, &whole).unwrap();
    let chunks = index(&file).unwrap().chunks;
    let place = chunks[chunks.len() / 2];
    let at = usize::try_from(place.at).unwrap();
    for (byte, flip) in [(7, 0x40), (15, 0x40), (4, 0x08), (0, 0xff)] {
        let mut forged = whole.clone();
        forged[at + 9 + byte] ^= flip;
        fs::write(&file, forged).unwrap();
        let found = index(&file).unwrap();
        assert_eq!(found.chunks, chunks, "{byte}");
        let said = matches!(&found.damage, Some(Damage::Part { at, why }) if *at == place.at && why.contains("times"));
        assert!(said, "{:?}", found.damage);
    }
}

/// What a subcommand that is refused says, as a script reads it.
fn refused(data: &Path, args: &[&str], exit: i32) -> Value {
    run(data, args, "").exits(exit).error
}

#[test]
fn a_recording_that_is_not_read_has_its_code() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let path = |name: &str| data.join(name);
    let (newer, stateless) = (path("newer.mcap"), path("stateless.mcap"));
    let mut writer = mcap::Writer::new(fs::File::create(&newer).unwrap()).unwrap();
    let about = [("form", "3"), ("host_version", "9.0.0"), ("station_started_wall_ms", "1")];
    let metadata = about.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    writer.write_metadata(&Metadata { name: "rl-console".to_owned(), metadata }).unwrap();
    writer.finish().unwrap();
    Tool { keeps: |topic| topic != "snapshot", ..Tool::COPY }.write(&[Path::new(BAD)], &stateless);
    // The content of the only keyframe is damaged, then that of all chunks.
    let bytes = fs::read(BAD_2).unwrap();
    let damaged = |name: &str, is_damaged: fn(bool) -> bool| {
        let mut bytes = bytes.clone();
        for place in index(Path::new(BAD_2)).unwrap().chunks {
            if is_damaged(place.has_keyframe) {
                bytes[usize::try_from(place.at + place.len - 9).unwrap()] ^= 0xff;
            }
        }
        fs::write(path(name), bytes).unwrap();
        path(name)
    };
    let (no_state, nothing) = (damaged("no_state.mcap", |it| it), damaged("nothing.mcap", |_| true));
    let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
    for (args, file, code) in [
        (&["recording", "info"][..], &newer, "newer_form"),
        (&["recording", "verify"], &newer, "newer_form"),
        (&["replay", "--headless"], &newer, "newer_form"),
        (&["replay", "--headless"], &stateless, "no_keyframe"),
        (&["ls", "queues", "--recording"], &stateless, "no_keyframe"),
        (&["ls", "queues", "--recording"], &no_state, "no_keyframe"),
        (&["recording", "verify"], &no_state, "damaged"),
        (&["recording", "cut", "--from", "+1s", "OUT"], &nothing, "damaged"),
        (&["ls", "queues", "--at", "+1s", "--recording"], &nothing, "damaged"),
    ] {
        let (file, out) = (text(file), text(&path("out.mcap")));
        let args: Vec<&str> = match args {
            [first, second, rest @ .., "OUT"] => [&[first, second, &*file, &*out], rest].concat(),
            args => [args, &[&*file]].concat(),
        };
        let error = refused(data, &args, 6);
        assert_eq!(error["code"], code, "{args:?}: {error}");
    }
}
