//! Plugins that die, hang or write what is no frame, as real processes: the state, the cause that is told,
//! and another plugin that answers all the while.
#![cfg(target_os = "linux")]

use rl_console::{
    ids::PluginId,
    plugin::{Command, Refusal, StreamCommand, UnhealthyCause, host::process_tree},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::real::plugins::{PluginStation, until};

/// A plugin beside those that fail.
const WELL: &str = "sim.well";

fn with_well() -> PluginStation {
    let it = PluginStation::start();
    it.serve_simulated(WELL, &[]);
    it.when_up(WELL);
    it
}

fn signal(pid: u32, signal: Signal) {
    // One that has ended meanwhile is none to fail for.
    let _ = kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal);
}

/// Scripts that are ended for a cause, and what is told of it.
const FATAL: [(&str, &str, UnhealthyCause, &str); 13] = [
    ("test.exit-0", "up; exit 0", UnhealthyCause::Exited, "exit code 0"),
    ("test.exit-7", "up; exit 7", UnhealthyCause::Exited, "exit code 7"),
    ("test.killed", "up; kill -KILL $$", UnhealthyCause::Exited, "signal 9"),
    ("test.early-exit", "recv; exit 3", UnhealthyCause::Exited, "exit code 3"),
    ("test.early-kill", "recv; kill -KILL $$", UnhealthyCause::Exited, "signal 9"),
    ("test.closed", "up; exec >&-; exec sleep 600", UnhealthyCause::StdoutClosed, "stdout was closed"),
    (
        "test.early-closed",
        "recv; exec >&-; exec sleep 600",
        UnhealthyCause::StdoutClosed,
        "stdout was closed",
    ),
    ("test.random", "up; head -c 65536 /dev/urandom; exec sleep 600", UnhealthyCause::BrokenFrame, ""),
    (
        "test.headers",
        "up; while :; do printf 'x-more: aaaaaaaaaaaaaaaa\\r\\n'; done",
        UnhealthyCause::BrokenFrame,
        "headers over 4,096 bytes",
    ),
    (
        "test.header-line",
        "up; while :; do printf aaaaaaaaaaaaaaaa; done",
        UnhealthyCause::BrokenFrame,
        "headers over 4,096 bytes",
    ),
    (
        "test.cut-header",
        "up; printf 'Content-Length: 5\\r\\n'; exit 0",
        UnhealthyCause::BrokenFrame,
        "stdout ended within a frame",
    ),
    (
        "test.cut-body",
        "up; printf 'Content-Length: 4194304\\r\\n\\r\\n{'; kill -KILL $$",
        UnhealthyCause::BrokenFrame,
        "stdout ended within a frame: 1 of 4194304 bytes",
    ),
    (
        "test.too-long",
        "up; printf 'Content-Length: 4194305\\r\\n\\r\\n'; exec sleep 600",
        UnhealthyCause::BrokenFrame,
        "a body over 4,194,304 bytes",
    ),
];

#[test]
fn what_ends_a_process_is_told_and_it_is_started_again_while_others_answer() {
    let it = with_well();
    for (id, script, ..) in FATAL {
        it.serve_script(id, script, &[]);
        it.answers(WELL);
    }
    for (id, _, cause, text) in FATAL {
        let row = it.when(id, "waiting for its next start", |row| {
            row.state == "waiting" && (1..=3).contains(&row.restarts)
        });
        assert_eq!(row.unhealthy, Some(cause), "{row:#?}");
        assert!(row.reason.as_deref().is_some_and(|reason| reason.contains(text)), "{text}: {row:#?}");
        it.answers(WELL);
    }
    let well = it.when_up(WELL);
    assert_eq!((well.restarts, well.unhealthy, well.lints), (0, None, 0), "{well:#?}");
}

#[test]
fn one_that_is_killed_is_up_again_and_one_that_announces_and_never_sends_harms_nobody() {
    let it = with_well();
    it.serve_script("test.lives", "up; while recv; do :; done", &[]);
    let announce = "up; printf 'Content-Length: 4194304\\r\\n\\r\\n{'; exec sleep 600";
    it.serve_script("test.announces", announce, &[]);
    for (id, cause, text) in [
        ("test.lives", UnhealthyCause::Exited, "signal 9"),
        ("test.announces", UnhealthyCause::BrokenFrame, "stdout ended within a frame"),
    ] {
        let first = it.when_up(id).pid.unwrap();
        it.answers(WELL);
        let of_plugin = process_tree::descendants(first);
        assert!(!of_plugin.is_empty(), "{id} has a process below its guard");
        for pid in &of_plugin {
            signal(*pid, Signal::KILL);
        }
        let row = it.when(id, "told", |row| row.unhealthy.is_some());
        assert_eq!(row.unhealthy, Some(cause), "{row:#?}");
        let again = it.when(id, "up again", |row| row.state == "up" && row.pid != Some(first));
        assert_eq!(again.restarts, 1, "{again:#?}");
        let said = it.log(id);
        assert!(row.reason.is_none_or(|reason| reason.contains(text)), "{said}");
        it.answers(WELL);
    }
}

#[test]
fn one_that_is_stopped_is_waited_for_and_goes_on() {
    let it = with_well();
    it.serve_simulated("sim.stopped", &[]);
    let guard = it.when_up("sim.stopped").pid.unwrap();
    it.answers("sim.stopped");
    let processes = process_tree::descendants(guard);
    for pid in &processes {
        signal(*pid, Signal::STOP);
    }
    let refused = it.invoke_within("sim.stopped", "sim.echo", json!({}), 300);
    assert!(matches!(refused, Err(Refusal::TimedOut { .. })), "{refused:?}");
    // More than the pipe and its queue take.
    let message = json!({"text": "a".repeat(4_000), "login": "ann"});
    let messages = vec![serde_json::from_value(message).unwrap(); 300];
    it.stream(StreamCommand::Set { channel: serde_json::from_value(json!({"login": "ann"})).unwrap() });
    until(
        || format!("no event was dropped: {:#?}", it.row("sim.stopped")),
        || {
            it.stream(StreamCommand::Chat { messages: messages.clone() });
            it.answers(WELL);
            it.row("sim.stopped").filter(|row| row.events_dropped > 0)
        },
    );
    let row = it.when_up("sim.stopped");
    assert_eq!((row.pid, row.unhealthy), (Some(guard), None), "it is not blamed: {row:#?}");
    let well = it.when_up(WELL);
    assert_eq!((well.events_dropped, well.unhealthy), (0, None), "{well:#?}");
    for pid in &processes {
        signal(*pid, Signal::CONT);
    }
    it.answers("sim.stopped");
    let row = it.when_up("sim.stopped");
    assert_eq!((row.pid, row.restarts), (Some(guard), 0), "it goes on: {row:#?}");
}

#[test]
fn one_that_dies_of_shutdown_is_not_blamed() {
    let it = with_well();
    let at_shutdown = |what: &str| {
        format!("up; while recv; do case $body in *'\"method\":\"shutdown\"'*) {what};; esac; done")
    };
    for (id, what) in [("test.exits", "exit 9"), ("test.dies", "kill -KILL $$"), ("test.leaves", "exit 0")] {
        it.serve_script(id, &at_shutdown(what), &[]);
        let first = it.when_up(id);
        let plugin = PluginId::from(id);
        it.command(Command::Restart { plugin: plugin.clone() }).unwrap();
        let again = it.when(id, "up again", |row| row.state == "up" && row.pid != first.pid);
        assert_eq!((again.restarts, again.unhealthy), (0, None), "{again:#?}");
        it.command(Command::Disable { plugin }).unwrap();
        let row = it.when(id, "disabled", |row| row.state == "disabled" && row.pid.is_none());
        // A code or a signal of its own is a departure that is noted, each time.
        let noted = if id == "test.leaves" { 0 } else { 2 };
        let row = if noted > 0 { it.when(id, "noted", |row| row.lints >= noted) } else { row };
        assert_eq!((row.unhealthy, row.lints, row.restarts), (None, noted, 0), "{row:#?}");
        it.answers(WELL);
    }
}

#[test]
fn the_last_words_of_a_process_are_kept() {
    let it = with_well();
    let script = r#"
up
i=0
all=''
while [ $i -lt 300 ]; do
  i=$((i + 1))
  line='{"jsonrpc":"2.0","method":"log","params":{"level":"info","message":"line '$i' of 300"}}'
  all="$all$(printf 'Content-Length: %d\r\n\r\n%s' "${#line}" "$line")"
done
printf '%s' "$all"
printf 'the last of stderr' >&2
kill -KILL $$"#;
    it.serve_script("test.talks", script, &[]);
    it.when("test.talks", "ended", |row| row.unhealthy == Some(UnhealthyCause::Exited));
    until(
        || it.log("test.talks"),
        || {
            let log = it.log("test.talks");
            (log.contains("line 300 of 300") && log.contains("the last of stderr")).then_some(())
        },
    );
    it.answers(WELL);
}
