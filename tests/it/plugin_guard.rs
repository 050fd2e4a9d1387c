//! Plugins below their guards, as real processes: all that they start is found by an argument that nothing
//! else on the machine has, and is gone afterwards.
#![cfg(target_os = "linux")]

use std::{
    ffi::OsString,
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use rl_console::{
    plugin::{
        ExitStatus,
        host::{
            process::{Ending, Launch, Process, SpawnError},
            process_tree::{self, Descent},
        },
    },
    time::{Clock, Mono},
};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const PATIENCE: Duration = Duration::from_secs(20);

/// A number of seconds to sleep that no other process sleeps.
pub(crate) fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("86400.{:07}{:04}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The processes that have this argument, besides the guards and launchers that pass it on.
pub(crate) fn marked(mark: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        // The guard and the launcher have it behind their own words.
        let words: Vec<_> = line.split(|byte| *byte == 0).collect();
        words.get(1) != Some(&&b"guard"[..]) && words.contains(&mark.as_bytes())
    })
    .collect()
}

#[track_caller]
fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let clock = Clock::start();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(clock.mono() < Mono(0) + PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[track_caller]
fn until_there(mark: &str, count: usize) {
    until(&format!("{count} processes of {mark}"), || (marked(mark).len() >= count).then_some(()));
}

#[track_caller]
fn until_gone(mark: &str) {
    let of = |pid: u32| fs::read_to_string(format!("/proc/{pid}/stat"));
    until(&format!("{mark} is gone: {:?}", marked(mark).into_iter().map(of).collect::<Vec<_>>()), || {
        marked(mark).is_empty().then_some(())
    });
}

fn launch(argv: &[&str]) -> Launch {
    Launch {
        program: PathBuf::from(env!("CARGO_BIN_EXE_rl-console")),
        folder: "/".into(),
        argv: argv.iter().map(OsString::from).collect(),
        env: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
        nice: 5,
    }
}

fn spawn(argv: &[&str]) -> Process {
    Process::spawn(&launch(argv)).unwrap()
}

fn script(text: &str, mark: &str) -> Process {
    spawn(&["/bin/sh", "-c", text, "sh", mark])
}

async fn output(argv: &[&str]) -> (String, Ending) {
    let mut process = spawn(argv);
    let mut text = String::new();
    process.stdout.read_to_string(&mut text).await.unwrap();
    (text, process.guard.wait().await)
}

fn killed() -> Ending {
    Ending::Plugin(ExitStatus::Signal(9))
}

/// Plugins that leave processes behind if they can, and how many each has at least.
const TREES: [(&str, &str, usize); 8] = [
    ("children in the group", "sleep $1 & sleep $1 & sleep $1", 4),
    ("a session of its own", "setsid sleep $1 & sleep $1", 3),
    ("a double fork", "( ( sleep $1 & ) & ); ( setsid sh -c '( setsid sleep $0 & )' $1 & ); sleep $1", 4),
    ("signals ignored", "trap '' TERM HUP INT; setsid sleep $1 & sleep $1", 3),
    ("stopped", "sleep $1 & kill -STOP $!; setsid sleep $1 & kill -STOP $!; kill -STOP $$", 3),
    ("its input closed", "exec <&-; sleep $1 & wait", 2),
    ("a deep tree", "sh -c 'sh -c \"setsid sleep $0 & sleep $0; :\" $0; :' $1; :", 4),
    ("a tree below a process that is stopped", "sh -c 'sleep $0 & kill -STOP $$' $1 & sleep $1", 3),
];

#[tokio::test]
async fn nothing_is_left_of_a_tree_that_is_killed() {
    for (name, text, count) in TREES {
        let mark = mark();
        let mut process = script(text, &mark);
        until_there(&mark, count);
        process.guard.kill_tree();
        assert_eq!(process.guard.wait().await, killed(), "{name}");
        // Without a wait: the guard is the last.
        assert_eq!(marked(&mark), Vec::<u32>::new(), "{name}");
        process.guard.kill_tree();
        assert_eq!(process.guard.wait().await, killed(), "{name}, asked again");
    }
}

#[tokio::test]
async fn nothing_is_left_when_the_station_is_gone() {
    let mut started = Vec::new();
    for (name, text, count) in TREES {
        let mark = mark();
        let process = script(text, &mark);
        until_there(&mark, count);
        started.push((name, mark, process));
    }
    let mut guards = Vec::new();
    for (name, mark, process) in started {
        let Process { stdin, stdout, stderr, guard } = process;
        drop((stdin, stdout, stderr));
        guards.push((name, mark, guard));
    }
    for (name, mark, mut guard) in guards {
        assert_eq!(guard.wait().await, killed(), "{name}");
        assert_eq!(marked(&mark), Vec::<u32>::new(), "{name}");
    }
}

#[test]
fn a_plugin_that_holds_up_its_guard_does_not_outlive_the_station() {
    for (name, text) in [
        ("it does nothing", "sleep $1"),
        ("it stops its guard", "kill -STOP $PPID; sleep $1"),
        ("it holds its own stdin open", "exec 5>/proc/self/fd/0; setsid sleep $1 & sleep $1"),
        ("both", "exec 5>/proc/self/fd/0; kill -STOP $PPID; sleep $1"),
    ] {
        let mark = mark();
        // A shell in the place of the station.
        let mut station = process::Command::new("/bin/sh")
            .args(["-c", "exec 3<&0; \"$0\" guard run 5 -- /bin/sh -c \"$1\" sh \"$2\" <&3 3<&- & wait"])
            .args([env!("CARGO_BIN_EXE_rl-console"), text, &mark])
            .stdin(process::Stdio::piped())
            .spawn()
            .unwrap();
        // The shell, the plugin's, and what it sleeps with.
        until_there(&mark, 3);
        station.kill().unwrap();
        station.wait().unwrap();
        drop(station);
        until(name, || marked(&mark).is_empty().then_some(()));
    }
}

#[tokio::test]
async fn nothing_is_left_when_the_first_process_ends() {
    for (name, text, code) in [
        ("a child", "sleep $1 & sleep $1 & exit 7", ExitStatus::Code(7)),
        ("a session", "setsid sleep $1 & exit 0", ExitStatus::Code(0)),
        ("a double fork", "( ( setsid sleep $1 & ) & ); kill -TERM $$", ExitStatus::Signal(15)),
        ("a stopped child", "sleep $1 & kill -STOP $!; kill -SEGV $$", ExitStatus::Signal(11)),
    ] {
        let mark = mark();
        let mut process = script(text, &mark);
        assert_eq!(process.guard.wait().await, Ending::Plugin(code), "{name}");
        assert_eq!(marked(&mark), Vec::<u32>::new(), "{name}");
    }
}

/// Generations of processes, each of which starts the next and ends.
async fn forks_while_it_is_killed(name: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again");
    executable(&path, text);
    let mark = mark();
    let mut process = script(&format!("{} $1 & sleep $1", path.display()), &mark);
    until_there(&mark, 2);
    process.guard.kill_tree();
    assert_eq!(process.guard.wait().await, killed(), "{name}");
    until_gone(&mark);
}

fn executable(path: &Path, text: &str) {
    fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn what_forks_while_it_is_killed_is_gone_too() {
    for (name, text) in [
        ("in the group", "#!/bin/sh\n\"$0\" $1 &\nsleep 0.01; exit\n"),
        ("at full speed", "#!/bin/sh\n\"$0\" $1 &\nexit\n"),
        ("in sessions", "#!/bin/sh\nsetsid \"$0\" $1 &\nexit\n"),
        (
            "more and more",
            "#!/bin/sh\nsetsid sleep $1 &\nsleep $1 &\nsleep 0.01\nsetsid \"$0\" $1 &\nsleep $1\n",
        ),
    ] {
        forks_while_it_is_killed(name, text).await;
    }
}

#[tokio::test]
async fn sessions_that_fork_without_executing_are_gone_too() {
    let text = "use POSIX; while (1) { if (fork()) { POSIX::_exit(0) } POSIX::setsid(); }";
    if process::Command::new("perl").args(["-e", "use POSIX"]).status().is_ok_and(|it| it.success()) {
        forks_while_it_is_killed("perl", &format!("#!/bin/sh\nexec perl -e '{text}' $1\n")).await;
    }
}

#[tokio::test]
async fn the_plugin_dies_with_a_guard_that_is_killed() {
    let mark = mark();
    let mut process = script("exec sleep $1", &mark);
    until_there(&mark, 1);
    let guard = Pid::from_raw(i32::try_from(process.guard.pid()).unwrap()).unwrap();
    kill_process(guard, Signal::KILL).unwrap();
    assert_eq!(process.guard.wait().await, Ending::GuardKilled(9));
    until_gone(&mark);
}

#[tokio::test]
async fn other_signals_to_a_guard_end_its_tree() {
    for signal in [Signal::INT, Signal::HUP, Signal::QUIT, Signal::TERM] {
        let mark = mark();
        let mut process = script("setsid sleep $1 & sleep $1", &mark);
        until_there(&mark, 3);
        let guard = Pid::from_raw(i32::try_from(process.guard.pid()).unwrap()).unwrap();
        kill_process(guard, Signal::STOP).unwrap();
        kill_process(guard, signal).unwrap();
        process.guard.kill_tree();
        assert_eq!(process.guard.wait().await, killed());
        assert_eq!(marked(&mark), Vec::<u32>::new());
    }
}

#[tokio::test]
async fn codes_and_signals_come_through() {
    for code in [0, 1, 2, 126, 127, 128, 255] {
        let (_, ending) = output(&["/bin/sh", "-c", &format!("exit {code}")]).await;
        assert_eq!(ending, Ending::Plugin(ExitStatus::Code(code)));
    }
    for signal in [1, 2, 3, 6, 9, 10, 11, 13, 15, 36, 64] {
        let (_, ending) = output(&["/bin/sh", "-c", &format!("kill -{signal} $$")]).await;
        assert_eq!(ending, Ending::Plugin(ExitStatus::Signal(signal)));
    }
}

#[tokio::test]
async fn an_entry_that_cannot_be_executed_is_no_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        let path = folder.path().join(name);
        executable(&path, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for (entry, reason) in [
        ("/nowhere/main".to_owned(), "does not exist"),
        ("no-such-program-anywhere".to_owned(), "does not exist"),
        (file("plain", "#!/bin/sh\n", 0o644), "not executable"),
        (file("script", "#!/nowhere/python3\n", 0o755), "does not exist"),
        (file("binary", "\u{7f}ELF of another system", 0o755), "not a program of this system"),
        (folder.path().to_str().unwrap().to_owned(), "not executable"),
    ] {
        let (text, ending) = output(&[&entry]).await;
        let Ending::NotExecuted(fault) = ending else { panic!("{entry}: {ending:?}") };
        assert!(fault.to_string().contains(reason), "{entry}: {fault}");
        assert_eq!(text, "");
    }
    let elsewhere = Launch { folder: folder.path().join("none"), ..launch(&["/bin/true"]) };
    assert!(matches!(Process::spawn(&elsewhere), Err(SpawnError::Folder { .. })));
    let unguarded = Launch { program: "/nowhere/rl-console".into(), ..launch(&["/bin/true"]) };
    assert!(matches!(Process::spawn(&unguarded), Err(SpawnError::Guard { .. })));
}

#[tokio::test]
async fn an_entry_that_is_being_written_is_a_fault_that_passes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("main");
    fs::copy("/bin/true", &path).unwrap();
    let entry = path.to_str().unwrap();
    let writing = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let (_, ending) = output(&[entry]).await;
    // Some versions of Linux let it run.
    if ending != Ending::Plugin(ExitStatus::Code(0)) {
        let Ending::NotExecuted(fault) = ending else { panic!("{ending:?}") };
        assert!(!fault.is_entry(), "{fault}");
    }
    drop(writing);
    fs::remove_file(&path).unwrap();
    let Ending::NotExecuted(fault) = output(&[entry]).await.1 else { panic!() };
    assert!(fault.is_entry(), "{fault}");
}

#[tokio::test]
async fn a_plugin_has_its_folder_its_arguments_and_exactly_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let env = vec![("LANG".into(), "C".into()), ("HOME".into(), "/nowhere".into())];
    let argv = ["/usr/bin/env"].map(OsString::from).to_vec();
    let mut process = Process::spawn(&Launch { env, argv, ..launch(&[]) }).unwrap();
    let mut text = String::new();
    process.stdout.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "HOME=/nowhere\nLANG=C\n");
    let argv = ["./main", "a b", "--", ""].map(OsString::from).to_vec();
    executable(&folder.path().join("main"), "#!/bin/sh\npwd -P; echo \"$#:$1:$2:$3\"\n");
    let mut process =
        Process::spawn(&Launch { argv, folder: folder.path().to_owned(), ..launch(&[]) }).unwrap();
    text.clear();
    process.stdout.read_to_string(&mut text).await.unwrap();
    let real = fs::canonicalize(folder.path()).unwrap();
    assert_eq!(text, format!("{}\n3:a b:--:\n", real.display()));
}

#[tokio::test]
async fn a_plugin_is_restricted() {
    let (text, _) = output(&["/bin/cat", "/proc/self/status", "/proc/self/limits"]).await;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim_start_matches(':').split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(value("Umask"), "0077");
    assert_eq!(value("NoNewPrivs"), "1");
    assert_eq!(value("Max core file size"), "0 0 bytes");
    let descriptors = value("Max open files");
    assert!(descriptors.split(' ').next().unwrap().parse::<u64>().unwrap() <= 1_024, "{descriptors}");
    // Signals 32 and 33 are the C library's own, which it ignores in what it starts.
    let signals = |name: &str| u64::from_str_radix(&value(name), 16).unwrap() & !(3 << 31);
    assert_eq!((signals("SigBlk"), signals("SigIgn")), (0, 0));
    let (oom, _) = output(&["/bin/cat", "/proc/self/oom_score_adj"]).await;
    assert_eq!(oom, "500\n");
    let mark = mark();
    let mut process = script("exec sleep $1", &mark);
    until_there(&mark, 1);
    let pid = marked(&mark)[0];
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<_> = line.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let guard = process.guard.pid().to_string();
    let (parent, group, session, terminal, nice) = (fields[1], fields[2], fields[3], fields[4], fields[16]);
    assert_eq!((parent, session, terminal, nice), (&*guard, &*guard, "0", "5"));
    assert_eq!(group, pid.to_string(), "a group of its own");
    for end in [0, 1, 2] {
        let of = |pid: &str| fs::read_link(format!("/proc/{pid}/fd/{end}")).unwrap();
        assert!(of(&pid.to_string()).to_str().unwrap().starts_with("pipe:"), "{end}");
        assert_eq!(of(&guard) == of(&pid.to_string()), end == 0, "the guard holds stdin alone");
    }
    // The pipes have an end here, and what the guard was started with is passed on, which another test's
    // terminal may be part of; the guard adds nothing.
    let mut inherited = open_files(process::id());
    inherited.extend(open_files(process.guard.pid()));
    let added: Vec<_> = open_files(pid).into_iter().filter(|file| !inherited.contains(file)).collect();
    assert_eq!(added, Vec::<PathBuf>::new());
    process.guard.kill_tree();
    process.guard.wait().await;
}

fn open_files(pid: u32) -> Vec<PathBuf> {
    let ends = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    ends.filter_map(|end| fs::read_link(end.path()).ok()).collect()
}

#[tokio::test]
async fn the_pipes_are_the_plugins() {
    let mut process = spawn(&["/bin/cat"]);
    for byte in 0..200_u8 {
        process.stdin.write_all(&[byte; 100]).await.unwrap();
        let mut bytes = [0; 100];
        process.stdout.read_exact(&mut bytes).await.unwrap();
        assert_eq!(bytes, [byte; 100]);
    }
    let Process { stdin, mut stdout, mut guard, .. } = process;
    drop(stdin);
    assert_eq!(guard.wait().await, Ending::Plugin(ExitStatus::Code(0)), "it leaves by itself");
    assert_eq!(stdout.read(&mut [0]).await.unwrap(), 0);
    let mark = mark();
    let mut process = script("echo last; exec >&- 2>&-; exec sleep $1", &mark);
    let mut text = String::new();
    process.stdout.read_to_string(&mut text).await.unwrap();
    process.stderr.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "last\n");
    until_there(&mark, 1);
    process.guard.kill_tree();
    assert_eq!(process.guard.wait().await, killed());
    let mut process = script("echo out; echo err >&2; exit 3", &mark);
    assert_eq!(process.guard.wait().await, Ending::Plugin(ExitStatus::Code(3)));
    text.clear();
    process.stdout.read_to_string(&mut text).await.unwrap();
    process.stderr.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "out\nerr\n", "what is left in the pipes is there");
}

#[tokio::test]
async fn a_tree_is_found_below_its_guard() {
    let mark = mark();
    let mut process = script("( setsid sleep $1 & ) ; sleep $1", &mark);
    let guard = process.guard.pid();
    // The shell between has ended at last.
    let there = until("a tree of three", || {
        let mut found = process_tree::descendants(guard);
        let mut there = marked(&mark);
        found.sort_unstable();
        there.sort_unstable();
        (found == there && there.len() == 3).then_some(there)
    });
    let usage = process_tree::usage(guard);
    assert_eq!(usage.processes, 3);
    assert!((1..1 << 30).contains(&usage.memory_bytes), "{usage:?}");
    for pid in there {
        assert_eq!(process_tree::descent(pid, &[u32::MAX, guard]), Descent::OfPlugin);
    }
    assert_eq!(process_tree::descent(process::id(), &[guard]), Descent::Elsewhere);
    process.guard.kill_tree();
    process.guard.wait().await;
    assert_eq!(process_tree::usage(guard), process_tree::Usage::default());
}

#[test]
fn the_word_is_for_stations_alone() {
    let run =
        |args: &[&str]| process::Command::new(env!("CARGO_BIN_EXE_rl-console")).args(args).output().unwrap();
    let misused = run(&["guard"]);
    assert_eq!(misused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&misused.stderr).starts_with("usage: guard run"));
    assert!(!String::from_utf8_lossy(&run(&["--help"]).stdout).contains("guard"));
    assert!(!String::from_utf8_lossy(&run(&["completions", "bash"]).stdout).contains("guard"));
}
