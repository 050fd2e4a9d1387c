//! A store that a full disk kept from being opened is opened once there is room: the bridge is started again
//! on it, and with it the systems that could not start without it.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Weak,
    time::Duration,
};

use crate::{
    private_files,
    station::{local::Inner, supervisor, ticks::Ticks},
};

/// How often it is tried whether there is room.
const PERIOD: Duration = Duration::from_secs(2);
/// The file that is written to see.
const PROBE: &str = "station.probe";
/// Bytes of it: the store's first steps want about as much.
const PROBE_BYTES: usize = 4 << 20;

/// Waits for room, then has the store opened. It ends with that, or with the bridge that it belongs to.
pub(super) async fn run(inner: Weak<Inner>, data: PathBuf) {
    let Some(clock) = inner.upgrade().map(|inner| inner.clock) else { return };
    let mut ticks = Ticks::every(PERIOD, clock);
    // The first is now.
    ticks.tick().await;
    loop {
        ticks.tick().await;
        let data = data.clone();
        if !matches!(tokio::task::spawn_blocking(move || probe(&data)).await, Ok(Ok(()))) {
            continue;
        }
        let Some(inner) = inner.upgrade() else { return };
        // It ends this very task, so that it needs a thread of its own.
        let reopen = move || supervisor::reopen_store(&inner);
        if std::thread::Builder::new().name("reopen".to_owned()).spawn(reopen).is_ok() {
            return;
        }
    }
}

/// Writes a file and takes it away again.
fn probe(data: &Path) -> io::Result<()> {
    let path = data.join(PROBE);
    // One that a killed process left is in nobody's way.
    let _ = fs::remove_file(&path);
    let mut file = private_files::create_new(&path)?;
    let written = file.write_all(&vec![0xa5; PROBE_BYTES]).and_then(|()| file.sync_data());
    fs::remove_file(&path)?;
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_leaves_nothing_and_fails_where_nothing_can_be_written() {
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join(PROBE), "left").unwrap();
        probe(data.path()).unwrap();
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
        assert!(probe(&data.path().join("nowhere")).is_err());
    }
}
