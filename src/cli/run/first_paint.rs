//! What a console has made of MPLP's schemas and rules when it has painted: nothing.

use std::{
    ffi::OsString,
    fs,
    io::{Read as _, Write as _},
    path::PathBuf,
    sync::mpsc::{RecvTimeoutError, sync_channel},
    time::Duration,
};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::{Cli, Env, dispatch};
use crate::{
    mplp::{InputLimits, RecordContext, SchemaId, validate},
    time::Clock,
};

/// The file in which the process says what was made.
const SAID: &str = "said";
/// How long the console may take, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// The title of a pane, and what the header says once the store, the last of the hosts, is up.
const PAINTED: [&str; 2] = ["Queues", "STORE ●"];

#[test]
fn nothing_is_made_of_schemas_before_the_console_has_painted_and_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let size = PtySize { rows: 50, cols: 160, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let name = concat!(module_path!(), "::a_console_says_what_it_has_made");
    let (_, name) = name.split_once("::").unwrap();
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    command.cwd(folder.path());
    command.env_clear();
    command.env("HOME", folder.path());
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let (mut reader, mut keys) =
        (pair.master.try_clone_reader().unwrap(), pair.master.take_writer().unwrap());
    let mut screen = vt100::Parser::new(50.try_into().unwrap(), 160.try_into().unwrap(), 0);
    let (mut bytes, mut is_painted) = (vec![0; 1 << 16], false);
    // The end of the process ends its output, by an error on some systems.
    while let Ok(read @ 1..) = reader.read(&mut bytes) {
        screen.process(&bytes[..read]);
        let text = screen.screen().contents();
        if !is_painted && PAINTED.iter().all(|it| text.contains(it)) {
            is_painted = true;
            keys.write_all(b"q").unwrap();
        }
    }
    let text = screen.screen().contents();
    assert!(child.wait().unwrap().success() && is_painted, "{text}");
    assert_eq!(fs::read_to_string(folder.path().join(SAID)).unwrap(), "false true", "{text}");
}

#[test]
#[ignore = "it is started by the test above, in a terminal of its own"]
fn a_console_says_what_it_has_made() {
    let (_ended, waiting) = sync_channel::<()>(1);
    std::thread::spawn(move || {
        if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            std::process::exit(1);
        }
    });
    let home = PathBuf::from(std::env::var_os("HOME").unwrap());
    let args = ["rl-console", "--port", "0", "--grpc", "127.0.0.1:0", "--data"].map(OsString::from);
    let args: Vec<OsString> = args.into_iter().chain([home.join("data").into()]).collect();
    dispatch(Cli::read(&args).unwrap(), Env::read(), Clock::start()).unwrap();
    let at_end = crate::mplp::validate::is_used();
    let limits = InputLimits { bytes_max: 9, depth_max: 9, findings_max: 9 };
    let judged = validate(b"7", Some(SchemaId::Role), RecordContext::default(), limits);
    assert!(!judged.unwrap().findings.is_clean());
    fs::write(home.join(SAID), format!("{at_end} {}", crate::mplp::validate::is_used())).unwrap();
}
