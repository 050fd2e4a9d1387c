//! The end of a station in this process, with its deadline.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use signal_hook::consts::{SIGINT, SIGTERM};

use super::report;
use crate::station::{RunningPlugins, Station};

/// A station stops in order within 3 s; past this the process ends as it would by SIGKILL, which loses
/// nothing that was acknowledged.
const DEADLINE: Duration = Duration::from_secs(3);

/// Plugins have so much on top: 5 s for `shutdown`, 5 s for `exit`, and what it takes to end what is left
/// (ruling Plugins 6).
const PLUGINS_DEADLINE: Duration = Duration::from_secs(11);

/// After how long a person is told who is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often it is looked whether somebody wants the plugins to end at once.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The exit code of a process that its deadline ended.
const LATE: i32 = 1;

/// Stops a station: intake, hosts, store, recording. Not to be called within a runtime.
pub(crate) fn stop(station: Station) {
    arm(station.plugins());
    station.stop();
}

/// Ends the process after the deadline, whatever hangs. A further SIGTERM or Ctrl-C ends the plugins at once.
fn arm(plugins: RunningPlugins) {
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        if let Err(error) = signal_hook::flag::register(signal, Arc::clone(&again)) {
            tracing::warn!("a second signal will not end plugins at once: {error}");
        }
    }
    let watchdog = move || {
        watch(&plugins, &again);
        tracing::error!("the station did not stop in time; exiting anyway");
        std::process::exit(LATE);
    };
    if let Err(error) = thread::Builder::new().name("deadline".to_owned()).spawn(watchdog) {
        tracing::warn!("cannot set a deadline for the shutdown: {error}");
    }
}

/// Waits for the deadline; says once who is waited for. A plugin that is restarted as the stop begins is
/// between two processes, and is met later.
fn watch(plugins: &RunningPlugins, again: &AtomicBool) {
    let (mut passed, mut deadline) = (Duration::ZERO, DEADLINE);
    let mut is_told = false;
    while passed < deadline {
        if deadline == DEADLINE && !plugins.names().is_empty() {
            deadline += PLUGINS_DEADLINE;
        }
        thread::sleep(LOOK_EVERY);
        passed += LOOK_EVERY;
        if again.swap(false, Ordering::Relaxed) {
            plugins.kill();
        }
        let names = if passed > PATIENCE && !is_told { plugins.names() } else { Vec::new() };
        if !names.is_empty() {
            is_told = true;
            let who = names.join(", ");
            report::print_note(&format!("waiting up to 10 s for {who} to end; Ctrl-C ends them now"));
        }
    }
}
