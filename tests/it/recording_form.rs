//! How a recording is laid out: times, keyframes, tallies, the index; and files that are not whole.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
    sync::mpsc::sync_channel,
};

use proptest::prelude::*;
use rl_console::{
    limits,
    recording::{
        Damage, OpenError, RecordedItem, Recorder, RecorderEvent, RecordingIndex, RepairError, Sources,
        Tallied, index, read, repair,
    },
    tap::{
        Tap,
        entry::{Link, Transition, What, station},
    },
    time::{Now, Wall},
};

use crate::{
    real::cli,
    recording::{file, noise, ready_snapshots, sources, stop, well},
    tap::{draft, notice},
};

const SMALL: limits::Recording =
    limits::Recording { chunk_bytes_max: 65_536, file_bytes_max: 4_294_967_296, bytes_max: 34_359_738_368 };

/// A night of so many notices, every tenth of which is a command.
fn night(path: &Path, notices: u64) -> Tap {
    let tap = Tap::new(limits::Tap::default());
    let tallied = |entry: &rl_console::tap::entry::Entry| {
        let is_fault = entry.seq.0.is_multiple_of(7);
        is_fault.then_some(Tallied::Fault)
    };
    let sources = Sources { tallied, ..sources(tap.reader().unwrap(), ready_snapshots()) };
    let recorder = Recorder::start(path, sources, SMALL, Box::new(|_| {})).unwrap();
    for number in 0..notices {
        let text = format!("a notice of some length, number {number}: {}", noise(40));
        let what = if number.is_multiple_of(10) {
            station::Transition::Operated { by: None, command: None }
        } else {
            station::Transition::Notice { level: station::Level::Info }
        };
        tap.emit(draft(What::Transition(Transition::Station(what)), text.as_bytes()));
    }
    let summary = stop(recorder);
    assert_eq!((summary.why, summary.lost, summary.entries), (None, 0, notices));
    tap
}

fn cut(path: &Path, len: usize) -> PathBuf {
    let cut = path.with_file_name("cut.mcap");
    fs::write(&cut, &fs::read(path).unwrap()[..len]).unwrap();
    cut
}

#[test]
fn log_times_rise_with_each_message_and_publish_times_are_the_wall_clock_s() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let tap = Tap::new(limits::Tap::default());
    let recorder =
        Recorder::start(&path, sources(tap.reader().unwrap(), ready_snapshots()), SMALL, Box::new(|_| {}))
            .unwrap();
    // All of one moment, then one at which the wall clock was set back.
    for at in [Now::at_ms(5), Now::at_ms(5), Now { wall: Wall(7), ..Now::at_ms(6) }, Now::at_ms(9)] {
        tap.emit(rl_console::tap::Draft { at, ..notice("x") });
    }
    stop(recorder);
    let bytes = fs::read(&path).unwrap();
    let times: Vec<(u64, u64)> = mcap::MessageStream::new(&bytes)
        .unwrap()
        .map(Result::unwrap)
        .filter(|message| message.channel.topic != "snapshot")
        .map(|message| (message.log_time, message.publish_time))
        .collect();
    let epoch_ns = Now::at_ms(0).wall.0 * 1_000_000;
    let log: Vec<u64> = times.iter().map(|(log, _)| log - epoch_ns).collect();
    assert_eq!(log, [5_000_000, 5_000_001, 6_000_000, 9_000_000]);
    let publish: Vec<u64> = times.iter().map(|(_, publish)| publish / 1_000_000).collect();
    assert_eq!(publish, [Now::at_ms(5).wall.0, Now::at_ms(5).wall.0, 7, Now::at_ms(9).wall.0]);
}

#[test]
fn a_keyframe_is_in_a_chunk_of_its_own_behind_what_there_was_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let tap = Tap::new(limits::Tap::default());
    let (event, events) = sync_channel(1_024);
    let on_event = Box::new(move |it| drop(event.try_send(it)));
    let recorder =
        Recorder::start(&path, sources(tap.reader().unwrap(), ready_snapshots()), SMALL, on_event).unwrap();
    // The first is there, and a second passes until the next can be due.
    assert!(matches!(events.recv().unwrap(), RecorderEvent::Grew { .. }));
    for number in 0..16_384 {
        tap.emit(notice(&format!("{number} {}", noise(60))));
    }
    let keyframes = || index(&path).unwrap().chunks.iter().filter(|chunk| chunk.has_keyframe).count();
    crate::real::plugins::until(|| "no second keyframe".to_owned(), || (keyframes() == 2).then_some(()));
    tap.emit(notice("after"));
    stop(recorder);
    let index = index(&path).unwrap();
    assert!(index.is_finished());
    let places: Vec<usize> = (0..index.chunks.len()).filter(|at| index.chunks[*at].has_keyframe).collect();
    assert_eq!((places.len(), places[0]), (2, 0));
    let [(_, first), (behind, second), (end, last)] = &index.tallies[..] else {
        panic!("{:?}", index.tallies)
    };
    assert_eq!((first.entries(), second.entries(), last.entries()), (0, 16_384, 16_385));
    assert!(*end > index.chunks.last().unwrap().at, "at the end of the file");
    assert_eq!(second.link(Link::Station).entries, 16_384);
    assert!(*behind < index.chunks[places[1]].at && *behind > index.chunks[places[1] - 1].at);
    // It has all that is in front of it, and nothing else is with it.
    let items: Vec<_> = read(&path).unwrap().map(Result::unwrap).collect();
    let place = items.iter().rposition(|it| matches!(it, RecordedItem::Snapshot { .. })).unwrap();
    assert_eq!((place, items.len()), (16_385, 16_387));
    let messages = index.messages.as_ref().unwrap();
    assert_eq!((messages["snapshot"], messages["commands"]), (2, 16_385));
}

/// An index without what only a finished file has.
fn bare(index: RecordingIndex) -> RecordingIndex {
    RecordingIndex {
        messages: None,
        channels: std::collections::BTreeMap::new(),
        damage: None,
        bytes: 0,
        ..index
    }
}

#[test]
fn an_index_is_the_same_by_the_file_s_own_and_by_hopping_over_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    night(&path, 5_000);
    let own = index(&path).unwrap();
    assert!(own.chunks.len() > 4, "{}", own.chunks.len());
    assert!(own.chunks.iter().all(|chunk| chunk.has_marks == Some(false)));
    let whole = fs::read(&path).unwrap();
    // Without the end, where the index is.
    let killed = index(&cut(&path, whole.len() - 9)).unwrap();
    assert!(!killed.is_finished());
    assert_eq!(bare(killed), bare(own.clone()));
    // Within the last chunk.
    let last = own.chunks.last().unwrap();
    let within = index(&cut(&path, usize::try_from(last.at + last.len / 2).unwrap())).unwrap();
    assert_eq!(within.damage, Some(Damage::Truncated { at: last.at }));
    assert_eq!(within.chunks[..], own.chunks[..own.chunks.len() - 1]);
    assert_eq!(within.info, own.info);
}

#[test]
fn what_a_killed_station_leaves_is_made_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    night(&path, 5_000);
    let own = index(&path).unwrap();
    let (snapshots, entries) = well(&path);
    let last = own.chunks.last().unwrap();
    let killed = cut(&path, usize::try_from(last.at + last.len / 2).unwrap());
    let out = folder.path().join("whole.mcap");
    let made = repair(&killed, &out).unwrap();
    assert_eq!(made.damages, [Damage::Truncated { at: last.at }]);
    assert_eq!(made.bytes, fs::metadata(&out).unwrap().len());
    let again = index(&out).unwrap();
    assert!(again.is_finished());
    assert_eq!((again.info, again.tallies.len()), (own.info, own.tallies.len() - 1), "but the last one");
    assert_eq!(again.chunks.len(), own.chunks.len() - 1);
    assert!(again.chunks[0].has_keyframe);
    let (kept_snapshots, kept) = well(&out);
    assert_eq!(kept_snapshots, snapshots);
    assert_eq!(kept[..], entries[..kept.len()]);
    assert_eq!(made.messages, (kept.len() + kept_snapshots.len()) as u64);
    assert!(kept.len() > entries.len() / 2);
    mcap::Summary::read(&fs::read(&out).unwrap()).unwrap().unwrap();
    let Err(RepairError::Write(error)) = repair(&killed, &out) else { panic!("it is there") };
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    fs::write(&killed, "no recording").unwrap();
    let none = folder.path().join("none.mcap");
    assert!(matches!(repair(&killed, &none), Err(RepairError::Open(OpenError::NotOurs(_)))));
    assert!(!none.exists());
}

/// A copy of a recording as another tool writes it: its messages by their times, and nothing else.
fn rewritten(path: &Path, schema: impl Fn(&str) -> String) -> PathBuf {
    let bytes = fs::read(path).unwrap();
    let out = path.with_file_name("rewritten.mcap");
    let mut writer = mcap::Writer::new(fs::File::create(&out).unwrap()).unwrap();
    let mut channels = std::collections::BTreeMap::new();
    for message in mcap::MessageStream::new(&bytes).unwrap().map(Result::unwrap) {
        let channel = &message.channel;
        let of = channel.schema.as_ref().unwrap();
        let id = *channels.entry(channel.topic.clone()).or_insert_with(|| {
            let schema = writer.add_schema(&schema(&of.name), &of.encoding, &of.data).unwrap();
            writer
                .add_channel(schema, &channel.topic, "protobuf", &std::collections::BTreeMap::new())
                .unwrap()
        });
        let (sequence, log_time, publish_time) = (message.sequence, message.log_time, message.publish_time);
        let header = mcap::records::MessageHeader { channel_id: id, sequence, log_time, publish_time };
        writer.write_to_known_channel(&header, &message.data).unwrap();
    }
    writer.finish().unwrap();
    out
}

#[test]
fn what_another_tool_wrote_anew_opens_and_says_what_was_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    night(&path, 2_000);
    let (snapshots, entries) = well(&path);
    let items: Vec<_> = read(&rewritten(&path, str::to_owned)).unwrap().collect();
    let damages: Vec<String> = items.iter().filter_map(|it| Some(it.as_ref().err()?.to_string())).collect();
    assert!(matches!(&damages[..], [one] if one.contains("nothing says what recorded it")), "{damages:?}");
    assert_eq!(items.len() - 1, snapshots.len() + entries.len());
    let foreign = rewritten(&path, |name| format!("other.{name}"));
    assert!(matches!(index(&foreign), Err(OpenError::NotOurs(_))));
    assert!(matches!(read(&foreign), Err(OpenError::NotOurs(_))));
    assert!(matches!(repair(&foreign, &folder.path().join("none.mcap")), Err(RepairError::Open(_))));
}

#[test]
fn a_recording_whose_head_is_damaged_opens_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    night(&path, 2_000);
    let (snapshots, entries) = well(&path);
    let mut bytes = fs::read(&path).unwrap();
    // The name of the record in which it speaks of itself.
    let metadata = bytes.windows(14).position(|it| it == b"\x0a\0\0\0rl-console").unwrap() + 4;
    bytes[metadata] = b'X';
    fs::write(&path, &bytes).unwrap();
    assert_eq!(index(&path).unwrap().info, None);
    let items: Vec<_> = read(&path).unwrap().collect();
    let damages: Vec<String> = items.iter().filter_map(|it| Some(it.as_ref().err()?.to_string())).collect();
    assert!(matches!(&damages[..], [one] if one.contains("nothing says what recorded it")), "{damages:?}");
    assert_eq!(items.len() - 1, snapshots.len() + entries.len());
}

#[test]
fn an_entry_that_is_missing_is_found_and_a_loss_that_was_recorded_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    night(&path, 5_000);
    let place = index(&path).unwrap().chunks[2];
    let mut bytes = fs::read(&path).unwrap();
    // A chunk that no reader knows.
    bytes[usize::try_from(place.at).unwrap()] = 0x7f;
    fs::write(&path, &bytes).unwrap();
    let (code, verified, _) = texts(&recording(folder.path(), &["verify", path.to_str().unwrap()]));
    assert_eq!(code, Some(6), "{verified}");
    assert!(verified.contains(" are missing"), "{verified}");
}

#[test]
fn a_chunk_that_says_it_is_longer_than_any_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    night(&path, 2_000);
    let chunk = index(&path).unwrap().chunks[1];
    let mut bytes = fs::read(&path).unwrap();
    let at = usize::try_from(chunk.at).unwrap() + 9 + 16;
    bytes[at..at + 8].copy_from_slice(&(1_u64 << 50).to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    let damages: Vec<Damage> = read(&path).unwrap().filter_map(Result::err).collect();
    let [Damage::Part { at, why }] = &damages[..] else { panic!("{damages:?}") };
    assert_eq!((*at, why.as_str()), (chunk.at, "a chunk of 1125899906842624 bytes"));
}

fn recording(folder: &Path, args: &[&str]) -> Output {
    cli(folder, &[&["recording"], args].concat())
}

fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_recording_is_looked_into_checked_and_repaired_without_a_station() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let path = file(&folder);
    night(&path, 5_000);
    let name = path.to_str().unwrap();
    let (code, info, _) = texts(&recording(data, &["info", name]));
    assert_eq!(code, Some(0), "{info}");
    for wanted in ["form 2", "0.1.0", "1 keyframe", "mpp 4500", "commands 500", "complete", "  lasts "] {
        assert!(info.contains(wanted), "{wanted}: {info}");
    }
    let from = info.lines().find_map(|line| line.trim().strip_prefix("from ")).unwrap().trim();
    assert_eq!((from.len(), from.matches(':').count()), ("2026-09-21 14:13:20".len(), 2), "{from}");
    let row = crate::real::json(data, &["recording", "info", name]).remove(0);
    let ms = |member: &str| row[member].as_u64().unwrap();
    assert_eq!(ms("lasts_ms"), ms("last_ms") - ms("first_ms"));
    let (code, verified, _) = texts(&recording(data, &["verify", name]));
    assert_eq!((code, verified.trim_end()), (Some(0), &*format!("{name}: 5000 entries, 1 keyframe: ok")));

    let killed = cut(&path, fs::read(&path).unwrap().len() / 2);
    let killed = killed.to_str().unwrap();
    let (code, verified, error) = texts(&recording(data, &["verify", killed]));
    assert_eq!(code, Some(6), "{verified}");
    assert!(
        verified.contains("truncated at byte") && error.contains("recording repair"),
        "{verified}{error}"
    );
    let (_, info, _) = texts(&recording(data, &["info", killed]));
    assert!(info.contains("truncated at byte"), "{info}");
    let out = data.join("whole.mcap");
    let out = out.to_str().unwrap();
    assert_eq!(texts(&recording(data, &["repair", killed, out])).0, Some(0));
    assert_eq!(texts(&recording(data, &["verify", out])).0, Some(0));
    for (args, exit, error) in [
        (&["repair", killed, out][..], 1, "exists"),
        (&["info", "/nowhere.mcap"], 2, "bad_input"),
        (&["info", "/etc/hostname"], 6, "no_recording"),
    ] {
        let (code, _, stderr) = texts(&cli(data, &[&["--json", "recording"], args].concat()));
        assert_eq!(code, Some(exit), "{args:?}: {stderr}");
        assert!(stderr.contains(&format!("\"code\":\"{error}\"")), "{stderr}");
    }
}

#[test]
fn what_a_repair_cannot_bring_back_is_said_to_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let path = file(&folder);
    night(&path, 5_000);
    let whole = fs::read(&path).unwrap();
    let place = index(&path).unwrap().chunks[2];
    let mut bytes = whole.clone();
    bytes[usize::try_from(place.at + place.len / 2).unwrap()] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (name, out) = (path.to_str().unwrap(), data.join("repaired.mcap"));
    let (code, verified, error) = texts(&recording(data, &["verify", name]));
    assert!(code == Some(6) && error.contains(" recording repair "), "{verified}{error}");
    assert_eq!(texts(&recording(data, &["repair", name, out.to_str().unwrap()])).0, Some(0));
    let (code, verified, error) = texts(&recording(data, &["verify", out.to_str().unwrap()]));
    let missing = format!(", {} missing: 1 fault", place.messages);
    assert!(code == Some(6) && verified.contains(&missing), "{missing}: {verified}");
    assert!(error.contains(&format!("{} entries missing", place.messages)), "{error}");
    assert!(error.contains("a repair reads nothing more") && !error.contains("OUT.mcap"), "{error}");

    // Nothing is in front of the first chunk.
    fs::write(&path, &whole).unwrap();
    let head = cut(&path, usize::try_from(index(&path).unwrap().chunks[0].at + 5).unwrap());
    let none = data.join("none.mcap");
    assert!(matches!(repair(&head, &none), Err(RepairError::Nothing)));
    let refused =
        texts(&cli(data, &["--json", "recording", "repair", head.to_str().unwrap(), none.to_str().unwrap()]));
    assert!(refused.0 == Some(6) && refused.2.contains("\"code\":\"damaged\""), "{refused:?}");
    assert!(!none.exists());

    let mut bytes = whole;
    let at = bytes.len() - 100;
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (_, info, _) = texts(&recording(data, &["info", name]));
    assert!(info.contains("damaged at byte") && !info.contains("without an index"), "{info}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_mutated_recording_is_indexed_and_repaired_without_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        end in any::<prop::sample::Index>(),
    ) {
        static WHOLE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let folder = tempfile::tempdir().unwrap();
        let whole = WHOLE.get_or_init(|| {
            night(&file(&folder), 1_000);
            fs::read(file(&folder)).unwrap()
        });
        let mut bytes = whole.clone();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(end.index(bytes.len() + 1));
        let (path, out) = (folder.path().join("mutated.mcap"), folder.path().join("repaired.mcap"));
        fs::write(&path, &bytes).unwrap();
        let indexed = index(&path).is_ok();
        if repair(&path, &out).is_ok() {
            prop_assert!(indexed);
            prop_assert!(index(&out).unwrap().is_finished(), "what was made is whole");
            let is_cut = read(&out).unwrap().any(|it| matches!(it, Err(Damage::Truncated { .. })));
            prop_assert!(!is_cut);
        }
    }
}
