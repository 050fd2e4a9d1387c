//! Housekeeping, once a second.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{admission::Tallies, status::StationStatus, ticks::Ticks};
use crate::{
    limits,
    store::{FolderWatch, Handle},
    tap::entry::station::{Level, Transition},
    time::Clock,
    words::format::bytes,
};

const PERIOD: Duration = Duration::from_secs(1);
/// How often it is looked for the data folder: what is refused late was acknowledged into nowhere.
const FOLDER_PERIOD: Duration = Duration::from_millis(500);

/// Reports when the store begins to refuse commits or its disk to be full, and when either is well again.
pub(super) async fn run(board: StationStatus, store: Handle, data: PathBuf, limits: limits::Store) {
    let said = board.view().0;
    let mut failing: Option<String> = said.store_failing.as_deref().map(str::to_owned);
    let mut disk = Disk { free_bytes_min: limits.disk_free_bytes_min, low: said.disk_low };
    let data: Arc<Path> = Arc::from(data);
    let mut ticks = Ticks::every(PERIOD, board.clock());
    loop {
        ticks.tick().await;
        let looked_at = Arc::clone(&data);
        // A disk that hangs takes none of the hosts' threads with it.
        let free = tokio::task::spawn_blocking(move || free_bytes(&looked_at)).await.ok().flatten();
        if let Some(found) = free.and_then(|free_bytes| disk.judge(free_bytes)) {
            if !matches!(found, Transition::DiskFree { .. }) {
                tracing::warn!("the data folder's disk: {found:?}");
            }
            board.report(found, "");
        }
        let now = store.counters().failing;
        if now == failing {
            continue;
        }
        match &now {
            Some(why) => {
                tracing::error!("store: {why}");
                board.report(Transition::StoreFailing, why);
            }
            None => {
                board.report(Transition::StoreOk, "");
            }
        }
        failing = now;
    }
}

/// Says whom the ports turn away, for as long as the station runs: also while one of its hosts is down.
pub(super) async fn watch_ports(board: StationStatus, admission: Tallies, clock: Clock) {
    let mut ticks = Ticks::every(PERIOD, clock);
    loop {
        ticks.tick().await;
        let news = admission.sample(clock.now());
        for (turned_away, most) in news.of_metrics {
            board.report(turned_away, &most);
        }
        for notice in news.notices {
            board.notice(Level::Warn, &notice);
        }
    }
}

/// Looks whether the data folder is where it was, for as long as the station runs.
pub(super) async fn watch_folder(watch: Arc<FolderWatch>, clock: Clock) {
    let mut ticks = Ticks::every(FOLDER_PERIOD, clock);
    loop {
        ticks.tick().await;
        let watch = Arc::clone(&watch);
        if tokio::task::spawn_blocking(move || watch.look()).await.is_err() {
            return;
        }
    }
}

/// What this process may still write there.
fn free_bytes(data: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(data).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Tells little room from enough, with a quarter between the two so that a figure at the bound says nothing
/// twice.
struct Disk {
    free_bytes_min: u64,
    /// Bytes that were free when it was last told that they are few.
    low: Option<u64>,
}

impl Disk {
    fn judge(&mut self, free_bytes: u64) -> Option<Transition> {
        let enough = self.free_bytes_min.saturating_add(self.free_bytes_min / 4);
        let (low, found) = match self.low {
            None if free_bytes < self.free_bytes_min => {
                (Some(free_bytes), Transition::DiskLow { free_bytes })
            }
            None => return None,
            Some(_) if free_bytes >= enough => (None, Transition::DiskOk { free_bytes }),
            // What is shown would be the same figure.
            Some(told) if bytes(told) == bytes(free_bytes) => return None,
            Some(_) => (Some(free_bytes), Transition::DiskFree { free_bytes }),
        };
        self.low = low;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_fills_up_is_told_of_once_and_so_is_the_room_that_comes_back() {
        let mut disk = Disk { free_bytes_min: 100, low: None };
        assert_eq!(disk.judge(100), None);
        assert_eq!(disk.judge(99), Some(Transition::DiskLow { free_bytes: 99 }));
        assert_eq!(disk.judge(99), None);
        assert_eq!(disk.judge(50), Some(Transition::DiskFree { free_bytes: 50 }), "the figure is of now");
        assert_eq!(disk.judge(124), Some(Transition::DiskFree { free_bytes: 124 }), "not enough yet");
        assert_eq!(disk.judge(125), Some(Transition::DiskOk { free_bytes: 125 }));
        let mut disk = Disk { free_bytes_min: 1 << 30, low: Some(10 << 20) };
        assert_eq!(disk.judge((10 << 20) + 1), None, "it would read the same");
        assert_eq!(Disk { free_bytes_min: 0, low: None }.judge(0), None, "0 never tells");
    }
}
