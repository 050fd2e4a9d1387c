//! The data folder is this user's alone, or refused; taken away, nothing more is acknowledged.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use rl_console::{
    macp::proto::v1::{
        Envelope, SendRequest, SessionStartPayload, macp_runtime_service_client::MacpRuntimeServiceClient,
    },
    mpp::{self, NewInvocation},
    port::{Command as Asked, HealthStatus, Outcome, Page, PortError, Query},
    private_files,
    station::{Config, Station as TheStation, bus::TokenKind},
    tap::entry::Link,
    time::Clock,
};

use crate::{
    real::{self, Station},
    rmp_bus::{Bus, Peer},
};

/// How often, and how many times at most, it is looked for what must come.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOKS_MAX: u32 = 600;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn said(data: &Path, args: &[&str]) -> String {
    let output = real::cli(data, args);
    assert!(!output.status.success(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Files of a data folder that a station opens at its start.
const PLANTED: [&str; 7] = [
    "station.lock",
    "station.db",
    "station.db-journal",
    "station.db-wal",
    "station.db-shm",
    "journal-1.log",
    "sessions-1.log",
];

#[test]
fn a_prepared_folder_is_refused_and_its_remedy_said() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    set_mode(&data, 0o777);
    for args in [&["serve"][..], &["pair"]] {
        let error = said(&data, args);
        assert!(error.contains("other users can write to it") && error.contains("chmod go-w "), "{error}");
    }
    // The programs of tests have their home there.
    let left = fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.filter(|name| name != "home").count(), 0, "nothing is put there");
    set_mode(&data, 0o700);
    let link = folder.path().join("link");
    symlink(&data, &link).unwrap();
    assert!(said(&link, &["serve"]).contains("symbolic link"));
    // A file that others planted before is neither followed nor written to.
    fs::write(folder.path().join("mine"), "mine").unwrap();
    for name in PLANTED {
        symlink(folder.path().join("mine"), data.join(name)).unwrap();
        assert!(said(&data, &["serve"]).contains("symbolic link"), "{name}");
        fs::remove_file(data.join(name)).unwrap();
    }
    for name in PLANTED {
        // What was planted before is gone; a lock is made.
        let _ = fs::remove_file(data.join(name));
        assert!(Command::new("mkfifo").arg(data.join(name)).status().unwrap().success());
        assert!(said(&data, &["serve"]).contains("not a regular file"), "{name}");
        fs::remove_file(data.join(name)).unwrap();
    }
    assert_eq!(fs::read_to_string(folder.path().join("mine")).unwrap(), "mine");
}

#[test]
fn every_file_is_for_its_owner_whatever_the_umask() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let umask = ["sh", "-c", "umask 0; exec \"$0\" \"$@\""];
    let recording = data.join("recording.mcap").display().to_string();
    let station = Station::start_by(&data, &umask, &["--record", &recording]);
    real::json(&data, &["invoke", "heal_party"]);
    let mut folders = vec![data];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
                files += 1;
            }
        }
    }
    assert!(files >= 9, "{files}");
    drop(station);
}

#[test]
fn a_station_without_a_log_keeps_what_it_makes_to_its_owner_too() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let shell = ["sh", "-c", "umask 0; XDG_STATE_HOME=/dev/null/none exec \"$0\" \"$@\""];
    let station = Station::start_by(&data, &shell, &[]);
    let status = fs::read_to_string(format!("/proc/{}/status", station.pid())).unwrap();
    assert_eq!(status.lines().find(|line| line.starts_with("Umask")), Some("Umask:\t0077"));
    station.terminate();
}

/// Something that is done to the data folder while the station runs.
type Step<'a> = &'a dyn Fn();

/// Waits until the store is down, or up again, as `ls health` tells it; why.
fn until_store(bus: &Bus, runtime: &tokio::runtime::Runtime, well: bool) -> String {
    let port = bus.station.as_ref().unwrap().port();
    for _ in 0..LOOKS_MAX {
        let Page::Health(parts) = runtime.block_on(port.query(Query::Health)).unwrap() else {
            unreachable!()
        };
        let store = parts.into_iter().find(|row| row.component == "store").unwrap();
        if (store.status == HealthStatus::Ok) == well {
            return store.detail;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    panic!("the store is not told to be {}", if well { "up" } else { "down" });
}

#[test]
fn a_folder_that_is_taken_away_is_noticed_and_nothing_more_is_acknowledged() {
    let bus = Bus::open();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let station = bus.station.as_ref().unwrap();
    let macp = runtime.block_on(station.ready()).unwrap().macp.unwrap();
    let endpoint = tonic::transport::Endpoint::new(format!("http://{macp}")).unwrap();
    let client = MacpRuntimeServiceClient::new(runtime.block_on(endpoint.connect()).unwrap());
    let port = station.port();
    let enqueue = || {
        let rows = vec![NewInvocation::new("heal_party")];
        runtime.block_on(port.command(Asked::Mpp(mpp::Command::Enqueue { rows })))
    };
    let start = |session: &str| {
        let payload = SessionStartPayload { participants: vec!["a".to_owned()], ..Default::default() };
        let envelope = Envelope {
            macp_version: "1.0".to_owned(),
            message_type: "SessionStart".to_owned(),
            message_id: session.to_owned(),
            session_id: session.to_owned(),
            sender: "a".to_owned(),
            payload: prost::Message::encode_to_vec(&payload).into(),
            ..Envelope::default()
        };
        runtime.block_on(client.clone().send(SendRequest { envelope: Some(envelope) }))
    };
    assert!(enqueue().is_ok() && start("before").is_ok());
    let (data, away) = (bus.folder.path().to_owned(), bus.folder.path().with_extension("away"));
    let database = data.join("station.db");
    let lose: [(&str, Step<'_>, Step<'_>); 2] = [
        ("the folder", &|| fs::rename(&data, &away).unwrap(), &|| fs::rename(&away, &data).unwrap()),
        (
            "the database",
            &|| {
                fs::rename(&database, data.join("kept")).unwrap();
                fs::write(&database, "").unwrap();
            },
            &|| fs::rename(data.join("kept"), &database).unwrap(),
        ),
    ];
    for (what, lose, put_back) in lose {
        lose();
        let why = until_store(&bus, &runtime, false);
        assert!(why.contains("was moved, replaced or removed") && why.contains("move it back"), "{why}");
        let refused = enqueue();
        assert!(!is_enqueued(&refused), "{what}: {refused:?}");
        assert_eq!(start(what).unwrap_err().code(), tonic::Code::Unavailable, "{what}");
        put_back();
        until_store(&bus, &runtime, true);
        // What failed is tried again before long.
        let again = (0..LOOKS_MAX).any(|_| {
            std::thread::sleep(LOOK_EVERY);
            start(&format!("after {what}")).is_ok() && is_enqueued(&enqueue())
        });
        assert!(again, "{what} is back");
    }
}

fn is_enqueued(outcome: &Result<Outcome, PortError>) -> bool {
    matches!(outcome, Ok(Outcome::Mpp(mpp::Outcome::Enqueued(rows))) if rows[0].is_ok())
}

/// The uid of the other user.
fn another() -> String {
    std::env::var("RL_CONSOLE_TESTS_USER").unwrap_or_else(|_| "65534".to_owned())
}

/// A program as another user, where this machine lets us.
fn as_another(program: &str) -> Option<Command> {
    let user = another();
    let with = |program: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups", program]);
        command.stdin(Stdio::null());
        command
    };
    let tried = with("test").args(["-x", program]).stderr(Stdio::null()).status();
    if tried.is_ok_and(|ended| ended.success()) {
        return Some(with(program));
    }
    let skipped = format!("skipped: {program} cannot be run as another user here\n");
    std::io::stderr().write_all(skipped.as_bytes()).unwrap();
    None
}

#[test]
fn a_token_is_shown_to_no_socket_of_another_user() {
    let Some(mut other) = as_another("/usr/bin/python3") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (data, open) = (folder.path().join("data"), folder.path().join(".runloop/sock"));
    set_mode(folder.path(), 0o755);
    fs::create_dir_all(&open).unwrap();
    set_mode(&folder.path().join(".runloop"), 0o755);
    set_mode(&open, 0o777);
    let socket = open.join("rmp.sock");
    let listen = "
import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
listener.settimeout(30)
import os; os.chmod(sys.argv[1], 0o777)
print('listens', flush=True)
for _ in range(2):
    peer, _ = listener.accept()
    print(peer.recv(65536).hex(), flush=True)
";
    let mut listener = other.args(["-c", listen]).arg(&socket).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = listener.stdout.take().unwrap();
    let mut line = [0; 8];
    out.read_exact(&mut line).unwrap();
    private_files::make_folder(&data).unwrap();
    private_files::replace(&data.join("operator.token"), "A".repeat(43).as_bytes()).unwrap();
    let socket = socket.display().to_string();
    let body = r#"{"type":"observation.note.v1","payload":1}"#;
    let publish = ["publish", "a", "--as", "tui", "--json", body];
    let error = said(&data, &[&["--socket", &socket], &publish[..]].concat());
    // Where nothing is said, the next place is tried.
    let token = data.join("operator.token");
    let found = Command::new(env!("CARGO_BIN_EXE_rl-console"))
        .env_clear()
        .env("HOME", folder.path())
        .args(publish)
        .arg("--token-file")
        .arg(token)
        .output()
        .unwrap();
    let discovered = String::from_utf8(found.stderr).unwrap();
    let mut heard = String::new();
    out.read_to_string(&mut heard).unwrap();
    assert_eq!((heard.trim(), listener.wait().unwrap().success()), ("", true), "it was shown: {heard}");
    for error in [&error, &discovered] {
        assert!(error.contains(&format!("another user (uid {})", another())), "{error}");
    }
    assert!(discovered.contains("; /run/runloop/rmp.sock (the machine's): "), "{discovered}");
}

#[test]
fn a_token_in_a_prepared_folder_or_behind_a_link_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    private_files::make_folder(&data).unwrap();
    let body = r#"{"type":"observation.note.v1","payload":1}"#;
    let publish = || said(&data, &["--socket", "/nowhere", "publish", "a", "--as", "tui", "--json", body]);
    let theirs = folder.path().join("theirs");
    private_files::replace(&theirs, "A".repeat(43).as_bytes()).unwrap();
    symlink(&theirs, data.join("operator.token")).unwrap();
    assert!(publish().contains("symbolic link"), "{}", publish());
    fs::rename(&theirs, data.join("operator.token")).unwrap();
    assert!(publish().contains("no station answers"), "{}", publish());
    set_mode(&data, 0o777);
    assert!(publish().contains("other users can write to it"), "{}", publish());
}

#[test]
fn a_folder_of_another_user_is_refused() {
    let Some(mut other) = as_another("/usr/bin/mkdir") else { return };
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o777);
    let data = folder.path().join("data");
    assert!(other.arg(&data).status().unwrap().success());
    let error = said(&data, &["serve"]);
    assert!(error.contains(&format!("belongs to another user (uid {})", another())), "{error}");
}

#[test]
fn the_stations_memory_and_descriptors_are_nobody_elses() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut other) = as_another(env!("CARGO_BIN_EXE_rl-console")) else { return };
    set_mode(folder.path(), 0o777);
    let mut station = other
        .env("HOME", folder.path())
        .env("RL_CONSOLE_GRPC", "0")
        .args(["--port", "0", "--json", "--data"])
        .arg(folder.path().join("data"))
        .arg("serve")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut byte = [0; 1];
    station.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
    let mut look = as_another("/usr/bin/ls").unwrap();
    let seen = look.arg(format!("/proc/{}/fd", station.id())).stderr(Stdio::null()).output().unwrap();
    assert!(!seen.status.success() && seen.stdout.is_empty(), "its own user reads {seen:?}");
    station.kill().unwrap();
    station.wait().unwrap();
}

#[test]
fn a_token_that_others_may_read_keeps_the_bus_down_until_it_is_mended() {
    let mut bus = Bus::open();
    bus.station.take().unwrap().stop();
    let token = bus.folder.path().join(TokenKind::Viewer.file());
    set_mode(&token, 0o644);
    let config = Config::within(bus.folder.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let station = TheStation::start(config.clone(), Clock::start()).unwrap();
    let why = runtime.block_on(station.ready()).unwrap().rmp.unwrap_err();
    assert!(why.contains("other users can read or write it") && why.contains("chmod 600 "), "{why}");
    set_mode(&token, 0o600);
    runtime.block_on(station.port().command(Asked::Restart { link: Link::Rmp })).unwrap();
    Peer::greeted(&bus.path(), "viewer", Some(&bus.token(TokenKind::Viewer)));
    station.stop();
}
