//! The end of a station in this process, with its deadline.

use std::time::Duration;

use crate::station::Station;

/// A station stops in order within 3 s; past this the process ends as it would by SIGKILL, which loses
/// nothing that was acknowledged.
const DEADLINE: Duration = Duration::from_secs(3);

/// The exit code of a process that its deadline ended.
const LATE: i32 = 1;

/// Stops a station: intake, hosts, store, recording. Not to be called within a runtime.
pub(crate) fn stop(station: Station) {
    arm();
    station.stop();
}

/// Ends the process after the deadline, whatever hangs.
fn arm() {
    let watchdog = || {
        std::thread::sleep(DEADLINE);
        tracing::error!("the station did not stop in time; exiting anyway");
        std::process::exit(LATE);
    };
    if let Err(error) = std::thread::Builder::new().name("deadline".to_owned()).spawn(watchdog) {
        tracing::warn!("cannot set a deadline for the shutdown: {error}");
    }
}
