//! What plugins start is gone with them, however they or their station end: found by an argument that nothing
//! else on the machine has.
#![cfg(target_os = "linux")]

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rl_console::{
    ids::PluginId,
    limits::Limits,
    mpp::manifest::Pack,
    plugin::{
        self, Channel, Command, StreamCommand,
        host::{Guards, HostSettings, Setup},
    },
    store::Store,
    tap::Tap,
    time::{Clock, Mono},
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::sync::{Notify, oneshot};

use crate::{
    plugin_guard::{self, mark},
    real::plugins::{PluginStation, script, until, write},
};

const ID: &str = "test.tree";

/// Processes of each kind that a plugin can leave behind. `$1` is what they are found by, `$2` a script that
/// starts itself again and again.
const TREE: &str = r#"
trap '' TERM HUP INT
sleep "$1" &
setsid sleep "$1" &
( ( sleep "$1" & ) & )
( setsid sh -c '( setsid sleep "$0" & )' "$1" & )
sleep "$1" & kill -STOP $!
setsid sh -c 'sleep "$0" & kill -STOP $$' "$1" &
[ -z "$2" ] || setsid "$2" "$1" &
"#;

/// A station that ends when its terminal is gone.
const ENDS_AT_HANG_UP: &str = "[console]\non_hangup = \"exit\"\n";

/// When a signal is repeated.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// How many of them stay.
const STAYING: usize = 7;

/// A generation of a process that starts the next one and ends.
const AGAIN: &str = "#!/bin/sh\nsleep 0.02\nsetsid \"$0\" \"$1\" &\nexit\n";

/// Answers what it is asked, and leaves when it is told to.
const POLITE: &str = r#"
up
while recv; do
  case $body in
    *'"method":"exit"'*) exit 0;;
    *'"id":'*) id=${body#*'"id":'}; send '{"jsonrpc":"2.0","id":'"${id%%,*}"',"result":{}}';;
  esac
done
"#;

/// Hears nothing.
const STUBBORN: &str = "up; while :; do sleep 600; done";

fn marked(mark: &str) -> BTreeSet<u32> {
    plugin_guard::marked(mark).into_iter().collect()
}

#[track_caller]
fn until_there(mark: &str) -> BTreeSet<u32> {
    until(
        || format!("the tree is there: {:?}", marked(mark)),
        || Some(marked(mark)).filter(|there| there.len() > STAYING),
    )
}

#[track_caller]
fn until_gone(mark: &str) {
    let of = |pid: &u32| fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let left = || marked(mark).iter().map(of).collect::<Vec<_>>();
    until(|| format!("something is left: {:?}", left()), || marked(mark).is_empty().then_some(()));
}

fn signal(pid: u32, signal: Signal) {
    // One that has ended meanwhile is none to fail for.
    let _ = kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal);
}

/// The file that starts itself again and again.
fn again(folder: &TempDir) -> String {
    let path = folder.path().join("again");
    fs::write(&path, AGAIN).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A station with a plugin that has started a tree.
fn with_tree(behaviour: &str) -> (PluginStation, String) {
    with_tree_in(PluginStation::start(), behaviour)
}

fn with_tree_in(it: PluginStation, behaviour: &str) -> (PluginStation, String) {
    let mark = mark();
    let again = again(&it.folder);
    it.serve_script(ID, &format!("{TREE}{behaviour}"), &[&mark, &again]);
    it.when_up(ID);
    until_there(&mark);
    (it, mark)
}

/// Milliseconds until a station has ended of itself, asked by a signal, and by another every half a second if
/// it is repeated.
fn ended_by(it: &mut PluginStation, by: Signal, is_repeated: bool) -> u64 {
    let mut station = it.station.take().unwrap();
    let clock = Clock::start();
    let passed = || clock.mono().since(Mono(0));
    let mut next = Duration::ZERO;
    let status = until(
        || "the station has not ended".to_owned(),
        || {
            if passed() >= next {
                next = if is_repeated { passed() + AGAIN_AFTER } else { Duration::MAX };
                signal(station.pid(), by);
            }
            station.ended()
        },
    );
    assert!(status.success(), "{status:?}");
    passed().as_millis().try_into().unwrap()
}

#[test]
fn nothing_is_left_of_a_plugin_that_is_disabled_or_restarted() {
    let (it, mark) = with_tree(POLITE);
    let (plugin, first) = (PluginId::from(ID), it.when_up(ID).pid);
    let before = until_there(&mark);
    it.command(Command::Restart { plugin: plugin.clone() }).unwrap();
    it.when(ID, "up again", |row| row.state == "up" && row.pid != first);
    let after = until_there(&mark);
    assert!(before.is_disjoint(&after), "before {before:?}, after {after:?}");
    it.command(Command::Disable { plugin }).unwrap();
    it.when(ID, "disabled", |row| row.state == "disabled" && row.pid.is_none());
    assert_eq!(marked(&mark), BTreeSet::new());
}

#[test]
fn nothing_is_left_of_a_station_that_ends_by_a_signal_and_it_ends_soon() {
    let ended = [Signal::TERM, Signal::INT, Signal::HUP].map(|by| {
        let (mut it, mark) = with_tree_in(PluginStation::configured(ENDS_AT_HANG_UP), POLITE);
        let ms = ended_by(&mut it, by, false);
        assert_eq!(marked(&mark), BTreeSet::new(), "{by:?}");
        ms
    });
    // A plugin that leaves when it is told to is not waited for; a machine may be busy.
    assert!(ended.iter().any(|ms| *ms < 2_000), "{ended:?} ms");
}

#[test]
fn a_station_that_stops_right_after_a_restart_stops_soon() {
    let (mut it, mark) = with_tree(POLITE);
    it.command(Command::Restart { plugin: PluginId::from(ID) }).unwrap();
    let ms = ended_by(&mut it, Signal::TERM, false);
    assert_eq!(marked(&mark), BTreeSet::new());
    assert!(ms < 4_000, "{ms} ms");
}

#[test]
fn a_second_signal_ends_plugins_at_once() {
    let (mut it, mark) = with_tree(STUBBORN);
    let ms = ended_by(&mut it, Signal::TERM, true);
    assert_eq!(marked(&mark), BTreeSet::new());
    assert!(ms < 9_000, "{ms} ms: it would have had ten seconds");
}

#[test]
fn nothing_is_left_of_a_station_that_is_killed() {
    for behaviour in [POLITE, STUBBORN] {
        let (mut it, mark) = with_tree(behaviour);
        it.station.take().unwrap().kill();
        until_gone(&mark);
    }
}

#[test]
fn the_first_process_dies_with_its_guard_and_the_plugin_is_started_again() {
    let (it, mark) = (PluginStation::start(), mark());
    it.serve_script(ID, POLITE, &[&mark]);
    let guard = it.when_up(ID).pid.unwrap();
    let alone = || Some(marked(&mark)).filter(|there| there.len() == 1);
    let first = until(|| format!("one process: {:?}", marked(&mark)), alone);
    signal(guard, Signal::KILL);
    it.when(ID, "up again", |row| row.state == "up" && row.pid != Some(guard));
    assert!(marked(&mark).is_disjoint(&first), "{:?}", marked(&mark));
    assert!(it.log(ID).contains("its guard was killed"), "{}", it.log(ID));
}

/// The host of this process, whose way to the store panics once it is told to.
#[test]
fn nothing_is_left_of_a_host_whose_thread_panics() {
    let folder = tempfile::tempdir().unwrap();
    let mark = mark();
    let source = folder.path().join("source");
    let text = script(&format!("{TREE}{STUBBORN}"));
    write(&source, ID, ("main", &text), &[&mark, &again(&folder)]);
    let data = folder.path().join("data");
    let (pack, limits) = (Pack::sample(), Limits::default());
    let store = Store::open(&data, &pack.id, &pack.hash, limits.store, Clock::start()).unwrap().0;
    let (way, panics) = (store.handle(), Arc::new(AtomicBool::new(false)));
    let told = Arc::clone(&panics);
    let (ready, is_ready) = oneshot::channel();
    let (_stop, stop) = oneshot::channel();
    let program = env!("CARGO_BIN_EXE_rl-console").into();
    let setup = Setup {
        settings: HostSettings { program, folders: vec![source], ..HostSettings::default() },
        limits: limits.plugin,
        gate: rl_console::gate::Gate::none(),
        tap: Tap::new(limits.tap),
        clock: Clock::start(),
        store: Box::new(move || {
            assert!(!told.load(Ordering::SeqCst), "as this test wants it");
            Some(way.clone())
        }),
        data,
        guards: Guards::default(),
        notice: Box::new(|_, _| {}),
        ready,
        stop,
        kill: Arc::new(Notify::new()),
    };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let host = std::thread::spawn(move || runtime().block_on(plugin::host::run(setup)).unwrap());
    let runtime = runtime();
    let handle = runtime.block_on(is_ready).unwrap();
    until_there(&mark);
    panics.store(true, Ordering::SeqCst);
    let channel: Channel = serde_json::from_str("{\"login\":\"ann\"}").unwrap();
    let set = Command::Stream(StreamCommand::Set { channel });
    assert!(runtime.block_on(handle.command(set, None, None, None)).is_err());
    assert!(host.join().is_err(), "it has panicked");
    until_gone(&mark);
}
